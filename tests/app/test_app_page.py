"""Every part of the page, at two widths: its numbers are the library's, and all can use it."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import app_page
import pytest
from app_page import expect_stat, go, ratio, stats, visible
from app_served import Served
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

import fretsaw
from fretsaw.app import explain, languages
from fretsaw.cli.compare import differences

VIEWS = ["tokens", "compare", "merges", "train", "stream", "languages"]
TEXT = "Hello naïve 猫 👋🏽\n\tthe 12345 tokenizers<|endoftext|>"
SHOTS = os.environ.get("FRETSAW_SCREENSHOTS")
"""A folder for pictures of all views, to be looked at."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with app_page.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    app_page.small_unigram().save(folder / "unigram.json")
    app_page.small_word_piece().save(folder / "wordpiece.json")
    served = Served("app", "--no-browser", "--folder", str(folder))
    yield served
    assert "Traceback" not in served.stop()


@pytest.fixture(params=["desktop", "phone"])
def page(browser: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Page]:
    with app_page.opened(browser, served, request.param) as page:
        page.size = request.param  # type: ignore[attr-defined]
        yield page


@pytest.fixture
def desktop(browser: Browser, served: Served) -> Iterator[Page]:
    with app_page.opened(browser, served, "desktop") as page:
        yield page


def type_text(page: Page, text: str) -> None:
    page.get_by_label("Text", exact=True).locator("visible=true").fill(text)


def test_every_view_fits_and_shuts_nobody_out(page: Page, served: Served):
    size = page.size  # type: ignore[attr-defined]
    for view in VIEWS:
        go(page, served, view)
        panel = page.locator(f"#view-{view}")
        expect(panel.locator(".t, .bar").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == [], view
        if SHOTS:
            page.screenshot(path=Path(SHOTS, f"{size}-{view}.png"), full_page=True)


def test_tokens_are_those_of_the_library(page: Page, served: Served):
    go(page, served, "tokens")
    type_text(page, TEXT)
    tok = fretsaw.get("gpt2")
    encoding = tok.encode(TEXT)
    expect_stat(page, "characters", str(len(TEXT)))
    numbers = stats(page)
    assert numbers["bytes"] == str(len(TEXT.encode()))
    assert numbers["tokens"] == str(len(encoding.ids))
    assert numbers["characters per token"] == ratio(len(TEXT), len(encoding.ids))
    ids = page.locator("#view-tokens .ids .t").all_inner_texts()
    assert list(map(int, ids)) == encoding.ids
    page.get_by_label("special tokens in the text act").uncheck()
    as_text = tok.encode_ids(TEXT, special="none")
    expect_stat(page, "tokens", str(len(as_text)))
    expect(page.locator(".pane .t.special")).to_have_count(0)


def test_a_token_tells_where_it_is_from(page: Page, served: Served):
    go(page, served, "tokens")
    type_text(page, TEXT)
    tok = fretsaw.get("gpt2")
    encoding = tok.encode(TEXT)
    expect_stat(page, "tokens", str(len(encoding.ids)))
    pane = page.locator("#view-tokens .pane").first
    at, before = 0, 0
    for at, token_id in enumerate(encoding.ids[:-1]):  # the last is the control token
        data = tok.token_bytes(token_id)
        pane.press("Home" if at == 0 else "ArrowRight")
        details = {
            one.get_attribute("data-detail"): one.inner_text()
            for one in page.locator("[data-detail]").all()
        }
        start, end = encoding.offsets[at]
        assert details["id"] == str(token_id)
        assert details["in the vocabulary"] == encoding.tokens[at]
        assert details["bytes of the token"] == data.hex(" ")
        assert details["characters"] == f"{start}–{end}"
        assert details["byte range"] == f"{before}–{before + len(data)}"
        before += len(data)
        word = [i for i, w in enumerate(encoding.word_ids) if w == encoding.word_ids[at]]
        text = TEXT[encoding.offsets[word[0]][0] : encoding.offsets[word[-1]][1]]
        said = f"{visible(text)} ({len(word)} {'tokens' if len(word) > 1 else 'token'})its merges"
        assert (details["pre-token"] or "").replace("\n", "") == said
        assert page.locator(".pane .t.current").count() == 2
    pane.press("End")
    expect(page.locator("[data-detail=token]")).to_have_text("control <|endoftext|>")
    page.locator("#view-tokens .ids .t").nth(3).hover()
    expect(page.locator("[data-detail=id]")).to_have_text(str(encoding.ids[3]))
    page.get_by_role("link", name="its merges").click()
    expect(page.get_by_label("Word", exact=True)).to_have_value(" 猫")


def test_a_megabyte_is_a_few_thousand_elements(desktop: Page, served: Served):
    go(desktop, served, "tokens")
    text = "".join(f"{one.text}\n" for one in languages() if one.text.isascii() or one.code < "g")
    text = (text * 20)[:1_000_000]
    ids = fretsaw.get("gpt2").encode_ids(text)
    script = """text => {
        const area = document.querySelector("textarea");
        area.value = text;
        area.dispatchEvent(new Event("input"));
    }"""
    desktop.evaluate(script, text)
    expect_stat(desktop, "tokens", f"{len(ids):,}")
    pane = desktop.locator("#view-tokens .ids")
    assert desktop.locator(".pane *").count() < 10_000
    pane.press("End")
    expect(pane.locator(".t").last).to_have_text(str(ids[-1]))
    expect(desktop.locator("[data-detail=id]")).to_have_text(str(ids[-1]))
    assert desktop.locator(".pane *").count() < 10_000
    assert len(desktop.url) < 10_000  # a text this long is no part of the address
    desktop.get_by_label("Text", exact=True).first.focus()
    desktop.evaluate("document.activeElement.setSelectionRange(500_000, 500_000)")
    desktop.keyboard.type(" keys", delay=0)
    longer = text[:500_000] + " keys" + text[500_000:]
    expect_stat(desktop, "tokens", f"{fretsaw.get('gpt2').count(longer, special='all'):,}")


def test_scrolling_shows_every_token_once(desktop: Page, served: Served):
    go(desktop, served, "tokens")
    text = "".join(f"{one.text}\n" for one in languages()[5:8])
    type_text(desktop, text)
    ids = fretsaw.get("gpt2").encode_ids(text)
    expect_stat(desktop, "tokens", f"{len(ids):,}")
    script = """async () => {
        const pane = document.querySelector("#view-tokens .ids");
        const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        const seen = [];
        for (let at = 0; at < pane.scrollHeight; at += 200) {
            pane.scrollTop = at;
            await frame();
            await frame();
            for (const one of pane.querySelectorAll(".t")) seen[one.token] = Number(one.textContent);
        }
        return seen;
    }"""
    assert desktop.evaluate(script) == ids


def test_compare_counts_and_differing_cuts(page: Page, served: Served):
    go(page, served, "compare?tokenizer=gpt2&tokenizer=cl100k_base")
    type_text(page, TEXT)
    sides = []
    for name in ("gpt2", "cl100k_base"):
        tok = fretsaw.get(name)
        ids = tok.encode_ids(TEXT, special="none")
        sides.append([tok.token_bytes(token_id) for token_id in ids])
        expect(page.locator(f'[data-side="{name}"] [data-stat=tokens]')).to_have_text(str(len(ids)))
    cut = [(len(one.left) - 1, len(one.right) - 1) for one in differences(*sides)]
    for name, own in zip(("gpt2", "cl100k_base"), map(sum, zip(*cut, strict=True)), strict=True):
        found = stats(page, f'[data-side="{name}"]')
        assert found["cuts of its own"] == str(own)
        expect(page.locator(f'[data-side="{name}"] .t.differs')).to_have_count(own)
    page.locator('[data-side="gpt2"] .t').first.hover()
    expect(page.locator('[data-side="cl100k_base"] .t.current')).to_have_count(1)


def test_a_file_of_the_persons_own(page: Page, served: Served):
    go(page, served, "compare?tokenizer=gpt2&text=Hello%20you%20world")
    file = {"name": "own.json", "mimeType": "application/json", "buffer": app_page.small_file()}
    page.locator("#file").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("file:own.json: loaded")
    page.get_by_label("Add to Vocabularies").locator("visible=true").select_option("file:own.json")
    own = page.locator('[data-side="file:own.json"]')
    expect(own.locator("[data-stat=tokens]")).to_have_text("3")
    expect(own.locator(".t").first).to_have_text("Hello")


def test_ranks_of_the_persons_own_and_what_they_lack(page: Page, served: Served):
    go(page, served, "tokens")
    ranks = app_page.small_ranks()
    file = {"name": "own.tiktoken", "mimeType": "text/plain", "buffer": ranks}
    page.locator("#file").set_input_files(file)
    dialog = page.get_by_role("dialog", name="own.tiktoken")
    expect(dialog.get_by_label("Cuts a text as")).to_have_value("cl100k_base")
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    dialog.get_by_label("Cuts a text as").select_option("gpt2")
    expect(dialog.get_by_label("Special tokens")).to_have_value("<|endoftext|> 50256")
    dialog.get_by_label("Special tokens").fill("<|stop|> 1000\nno id")
    dialog.get_by_role("button", name="Load").click()
    expect(dialog.get_by_role("status")).to_contain_text("“no id” is no token")
    dialog.get_by_label("Special tokens").fill("<|stop|> 1000")
    if SHOTS:
        size = page.size  # type: ignore[attr-defined]
        page.screenshot(path=Path(SHOTS, f"{size}-dialog.png"))
    pattern = dialog.get_by_label("Pattern").input_value()
    dialog.get_by_role("button", name="Load").click()
    expect(page.get_by_role("alert")).to_contain_text("file:own.tiktoken: loaded")
    page.get_by_label("Vocabulary").locator("visible=true").select_option("file:own.tiktoken")
    type_text(page, "the hugs<|stop|>")
    tok = app_page.from_ranks(ranks, pattern, {"<|stop|>": 1000})
    wanted = tok.encode_ids("the hugs<|stop|>", special="all")
    assert wanted[-1] == 1000
    expect_stat(page, "tokens", str(len(wanted)))
    shown = page.locator("#view-tokens .ids .t").all_inner_texts()
    assert list(map(int, shown)) == wanted


def test_a_question_that_is_not_answered_loads_nothing(desktop: Page, served: Served):
    go(desktop, served, "tokens")
    file = {"name": "no.tiktoken", "mimeType": "text/plain", "buffer": app_page.small_ranks()}
    desktop.locator("#file").set_input_files(file)
    desktop.get_by_role("dialog").press("Escape")
    expect(desktop.get_by_role("dialog")).to_have_count(0)
    names = [one["name"] for one in served.client.get("/tokenizers").json()["tokenizers"]]
    assert "file:no.tiktoken" not in names


def test_a_gguf_file_larger_than_what_is_taken(
    desktop: Page, served: Served, data_dir: Path, tmp_path: Path
):
    packed = data_dir / "native" / "gguf" / "ggml-vocab-phi-3.gguf.gz"
    path = tmp_path / "large.gguf"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    os.truncate(path, 100 << 20)  # the weights, of which nothing is read
    go(desktop, served, "tokens")
    desktop.locator("#file").set_input_files(path)
    expect(desktop.get_by_role("alert")).to_contain_text("file:large.gguf: loaded")
    desktop.get_by_label("Vocabulary").locator("visible=true").select_option("file:large.gguf")
    type_text(desktop, "Hello world")
    ids = fretsaw.Tokenizer.from_file(packed).encode_ids("Hello world", add_special_tokens=False)
    expect(desktop.locator("#view-tokens .ids .t")).to_have_text(list(map(str, ids)))


def test_a_pair_of_the_persons_own(desktop: Page, served: Served):
    go(desktop, served, "tokens")
    pair = app_page.small_pair()
    files = [
        {"name": name, "mimeType": "text/plain", "buffer": content}
        for name, content in pair.items()
    ]
    desktop.locator("#file").set_input_files(files)
    expect(desktop.get_by_role("alert")).to_contain_text("file:vocab.json: loaded")
    desktop.get_by_label("Vocabulary").locator("visible=true").select_option("file:vocab.json")
    type_text(desktop, "hugs hug")
    expect(desktop.locator("#view-tokens .ids .t")).to_have_text(["4", "3", "5", "4"])


def test_a_file_that_is_no_tokenizer_is_told(browser: Browser, served: Served):
    page = browser.new_page()
    go(page, served, "tokens")
    expect(page.locator(".pane .t").first).to_be_visible()
    file = {"name": "no.json", "mimeType": "application/json", "buffer": b"{}"}
    page.locator("#file").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("no.json: `model` is missing")
    alone = {**file, "name": "vocab.json", "buffer": app_page.small_pair()["vocab.json"]}
    page.locator("#file").set_input_files(alone)
    expect(page.get_by_role("alert")).to_contain_text("vocab.json and merges.txt belong together")
    page.close()


def test_the_merge_ladder(page: Page, served: Served):
    go(page, served, "merges?tokenizer=gpt2&word=%20tokenization")
    found = explain(fretsaw.get("gpt2"), " tokenization")
    rungs = found["pieces"][0]["rungs"]
    rows = page.locator("#view-merges .ladder li")
    expect(rows).to_have_count(len(rungs))
    expect(page.locator("[data-result]")).to_contain_text("→ 11241 1634")
    for row, rung in zip(rows.all(), rungs, strict=True):
        parts = [bytes.fromhex(part).decode().replace(" ", "␣") for part in rung["parts"]]
        assert row.locator(".parts .t").all_inner_texts() == parts
        if rung["rank"] is not None:
            assert row.locator(".rule").inner_text().startswith(f"rank {rung['rank']}: ")
    slider = page.get_by_label("Step", exact=True)
    slider.press("Home")
    expect(rows).to_have_count(1)
    slider.press("ArrowRight")
    expect(rows).to_have_count(2)
    slider.fill(str(len(rungs) - 2))
    page.get_by_label("Step: one step back").click()
    expect(rows).to_have_count(len(rungs) - 2)
    page.locator("#view-merges").get_by_role("button", name="Play").click()
    expect(rows).to_have_count(len(rungs))


def test_the_lattice_and_the_longest_matches(page: Page, served: Served):
    go(page, served, "merges?tokenizer=unigram.json&word=unaffable")
    found = explain(app_page.small_unigram(), "unaffable")
    arcs = found["pieces"][0]["arcs"]
    expect(page.locator("#view-merges tbody tr")).to_have_count(len(arcs))
    expect(page.locator(".lattice path.best")).to_have_count(len(found["ids"]))
    shown = " ".join(map(str, found["ids"]))
    expect(page.locator("[data-result]")).to_contain_text(f"→ {shown}")
    slider = page.get_by_label("Step", exact=True)
    for step in range(len("unaffable") + 2):
        slider.fill(str(step))
        sums = page.locator(".lattice [data-sum]").all_text_contents()
        assert sums == app_page.sums_of(arcs, found["pieces"][0]["piece"], step)
        assert page.locator("#view-merges tbody tr").count() == sum(arc[0] < step for arc in arcs)
    go(page, served, "merges?tokenizer=wordpiece.json&word=unaffable")
    matches = explain(app_page.small_word_piece(), "unaffable")["pieces"][0]["matches"]
    rows = page.locator("#view-merges .ladder li")
    expect(rows).to_have_count(len(matches))
    assert [row.locator(".t").inner_text() for row in rows.all()] == [
        f"{match['token']} {match['id']}" for match in matches
    ]
    assert [row.locator(".tried").count() for row in rows.all()] == [
        len(match["tried"]) for match in matches
    ]


@pytest.mark.parametrize("name", ["English", "Thai"])
def test_training_moves_with_the_slider(page: Page, served: Served, name: str):
    go(page, served, f"train?corpus={name}&merges=60")
    expect_stat(page, "merges", "60")
    corpora = served.post("/view/samples").json()["corpora"]
    corpus = next(one for one in corpora if one["name"] == name)
    for merges in (60, 0, 1, 200):
        page.get_by_label("Merges learned", exact=True).fill(str(merges))
        tok = fretsaw.train([corpus["text"]], vocab_size=256 + merges, by="file")
        expect_stat(page, "merges", str(merges))
        found = stats(page)
        count = tok.count(corpus["sample"])
        assert found["vocabulary"] == str(tok.get_vocab_size())
        assert found["tokens"] == str(count)
        assert found["characters per token"] == ratio(len(corpus["sample"]), count)
        elsewhere = page.locator("[data-sample='1']")
        assert elsewhere.locator(".t").count() == tok.count(corpus["elsewhere"])
        shown = page.locator("#view-train tbody tr:not([hidden])")
        assert shown.count() == merges
    page.locator("[data-sample='0'] .t").first.click()
    expect(page.locator("#view-train .ladder li").first).to_contain_text("start")


def test_a_corpus_of_the_persons_own(desktop: Page, served: Served):
    go(desktop, served, "train")
    expect_stat(desktop, "merges", "60")
    desktop.get_by_text("The text", exact=True).click()
    desktop.get_by_label("Text to learn from").fill("hug hugs pug pugs hugging " * 3)
    desktop.get_by_label("Your own sample").fill("hugs")
    tok = fretsaw.train(["hug hugs pug pugs hugging " * 3], vocab_size=656, by="file")
    learned = tok.get_vocab_size() - 256
    expect(desktop.locator("#view-train tbody tr")).to_have_count(learned)
    expect_stat(desktop, "tokens", str(tok.count("hugs")))


def test_a_stream_shows_what_is_held_back(page: Page, served: Served):
    text = "né 😀 𝄞\nUser: x"
    go(page, served, "stream?step=0")
    page.get_by_label("Text of the answer").fill(text)
    ids = fretsaw.get("gpt2").encode_ids(text)
    shown = page.locator("#view-stream .parts .t")
    expect(shown).to_have_text(list(map(str, ids)))
    stream = fretsaw.get("gpt2").stream(stop=["\nUser:"])
    given = ""
    for token_id in ids:
        page.get_by_label("Id: one step forward").click()
        given += stream.push(token_id)
        expect(page.locator("[data-out]")).to_have_text(visible(given))
        held = page.locator("[data-held]")
        if stream.stopped is not None:
            break
        if not stream.pending:
            expect(held).to_have_text("Nothing.")
        elif stream.pending.startswith(b"\n"):
            expect(held).to_contain_text("what a stop string may begin with")
        else:
            expect(held).to_contain_text(f"{stream.pending.hex(' ')}: bytes of a character")
    page.get_by_label("Id: one step forward").click()
    expect(page.locator("[data-held]")).to_contain_text("the stop string ↵User: ended the stream")


def test_characters_per_token_by_language(page: Page, served: Served):
    go(page, served, "languages?tokenizer=gpt2&tokenizer=o200k_base")
    expect(page.locator("[data-ratio]")).to_have_count(60)
    shown = dict(
        page.eval_on_selector_all(
            "[data-ratio]", "all => all.map(one => [one.dataset.ratio, one.textContent])"
        )
    )
    for name in ("gpt2", "o200k_base"):
        counts = fretsaw.get(name).count_batch([one.text for one in languages()], special="none")
        for one, count in zip(languages(), counts, strict=True):
            assert shown[f"{one.code} {name}"] == ratio(len(one.text), count)


def test_keys_and_themes(desktop: Page, served: Served):
    go(desktop, served, "tokens")
    desktop.get_by_role("tab", name="Tokens").press("ArrowRight")
    expect(desktop.get_by_role("tab", name="Compare")).to_be_focused()
    expect(desktop.locator("#view-compare")).to_be_visible()
    desktop.keyboard.press("ArrowLeft")
    desktop.keyboard.press("ArrowLeft")
    expect(desktop.locator("#view-languages")).to_be_visible()
    colours = []
    for theme in ("light", "dark", "auto"):
        desktop.get_by_role("button", name="Theme").click()
        expect(desktop.get_by_role("button", name=f"Theme: {theme}")).to_be_visible()
        colours.append(desktop.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] == colours[2] != colours[1]
