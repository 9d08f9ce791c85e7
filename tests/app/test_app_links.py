"""Links: an address restores what was there, in every view, in a browser that has seen nothing of it."""

from collections.abc import Callable, Iterator

import app_page
import pytest
from app_page import expect_stat, go
from app_served import Served
from playwright.sync_api import Browser, Page, expect

import fretsaw

STATE = """() => {
    const panel = document.querySelector("[role=tabpanel]:not([hidden])");
    const controls = [...panel.querySelectorAll("input, select, textarea")];
    const values = controls.map((one) => (one.type === "checkbox" ? one.checked : one.value));
    return JSON.stringify([panel.id, panel.innerText, values]);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with app_page.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    served = Served("app", "--no-browser")
    yield served
    assert "Traceback" not in served.stop()


def tokens(page: Page) -> None:
    page.get_by_label("Text", exact=True).locator("visible=true").fill("a & b = ü?#\n<|endoftext|>")
    page.get_by_label("Vocabulary").locator("visible=true").select_option("o200k_base")
    page.get_by_label("special tokens in the text act").uncheck()
    page.get_by_label("add the file's own").check()
    ids = fretsaw.get("o200k_base").encode_ids("a & b = ü?#\n<|endoftext|>", special="none")
    expect_stat(page, "tokens", str(len(ids)))
    page.wait_for_url("**add=1**")


def compare(page: Page) -> None:
    page.get_by_label("Text", exact=True).locator("visible=true").fill("naïve\n\n  façade + 1")
    page.get_by_label("Add to Vocabularies").locator("visible=true").select_option("r50k_base")
    page.get_by_role("button", name="Take gpt2 away").locator("visible=true").click()
    expect(page.locator("[data-side]")).to_have_count(2)
    expect(page.locator("[data-side=r50k_base] .t").first).to_be_visible()
    page.wait_for_url("**tokenizer=r50k_base**")


def merges(page: Page) -> None:
    page.get_by_label("Vocabulary").locator("visible=true").select_option("cl100k_base")
    page.get_by_label("Word", exact=True).fill(" hugging tokenizers")
    page.get_by_role("button", name="Ġtokenizers").click()
    page.get_by_label("Step", exact=True).fill("2")
    expect(page.locator("#view-merges .ladder li")).to_have_count(3)
    page.wait_for_url("**step=2**")


def train(page: Page) -> None:
    text = "hug hugs pug pugs hugging & " * 3
    expect_stat(page, "merges", "60")  # before there is an answer, the slider has nowhere to go
    page.get_by_text("The text", exact=True).click()
    page.get_by_label("Text to learn from").fill(text)
    page.get_by_label("Your own sample").fill("pugs hugs")
    page.get_by_label("Merges learned", exact=True).fill("3")
    tok = fretsaw.train([text], vocab_size=259, by="file")
    expect_stat(page, "tokens", str(tok.count("pugs hugs")))
    page.locator("[data-sample='0'] .t").last.click()
    page.wait_for_url("**word=0.1**")


def train_on_a_sample(page: Page) -> None:
    expect_stat(page, "merges", "60")
    page.locator("#view-train select").select_option("Thai")
    page.get_by_label("Merges learned", exact=True).fill("17")
    expect_stat(page, "merges", "17")
    page.wait_for_url("**merges=17**")


def stream(page: Page) -> None:
    page.get_by_label("Text of the answer").fill("né 😀 done&")
    page.get_by_label("Stop string").fill("do&=")
    ids = fretsaw.get("gpt2").encode_ids("né 😀 done&")
    page.wait_for_url("**stop=do**")
    expect(page.locator("#view-stream .parts .t")).to_have_text(list(map(str, ids)))
    page.get_by_label("Id", exact=True).fill("3")
    expect(page.locator("[data-held]")).to_contain_text("bytes of a character")
    page.wait_for_url("**step=3**")


def languages(page: Page) -> None:
    page.get_by_role("button", name="Take cl100k_base away").click()
    page.get_by_label("Order by").select_option("most")
    expect(page.locator("[data-ratio]")).to_have_count(60)
    page.wait_for_url("**order=most**")


@pytest.mark.parametrize(
    ("view", "change"),
    [
        ("tokens", tokens),
        ("compare", compare),
        ("merges", merges),
        ("train", train),
        ("train", train_on_a_sample),
        ("stream", stream),
        ("languages", languages),
    ],
    ids=["tokens", "compare", "merges", "train", "train-sample", "stream", "languages"],
)
def test_an_address_restores_a_view(
    browser: Browser, served: Served, view: str, change: Callable[[Page], None]
):
    with app_page.opened(browser, served, "desktop") as page:
        go(page, served, view)
        change(page)
        address, state = page.url, page.evaluate(STATE)
    with app_page.opened(browser, served, "desktop") as page:
        page.goto(address)
        page.wait_for_function(f"wanted => ({STATE})() === wanted", arg=state)
        assert page.url == address


def test_going_back_restores_what_was_there(browser: Browser, served: Served):
    with app_page.opened(browser, served, "desktop") as desktop:
        go(desktop, served, "tokens")
        desktop.get_by_label("Text", exact=True).locator("visible=true").fill("a & b = ü?#\n")
        desktop.get_by_label("Vocabulary").locator("visible=true").select_option("byte")
        desktop.wait_for_url("**tokenizer=byte**")
        count = str(len("a & b = ü?#\n".encode()))
        expect_stat(desktop, "tokens", count)
        address = desktop.url
        desktop.get_by_role("tab", name="Merges").click()
        desktop.get_by_label("Word", exact=True).fill("ladders")
        desktop.wait_for_url("**word=ladders**")
        desktop.go_back()
        expect_stat(desktop, "tokens", count)
        go(desktop, served, address.split("#")[1])
        expect_stat(desktop, "tokens", count)
        expect(desktop.get_by_label("Text", exact=True).first).to_have_value("a & b = ü?#\n")
