"""`fretsaw langs`."""

import json
from collections.abc import Callable

from click.testing import Result

import fretsaw
from fretsaw.app import languages

Run = Callable[..., Result]


def test_every_language_has_a_number_and_a_bar_for_each_vocabulary(run: Run):
    lines = run("langs", "gpt2", "byte", columns=60).stdout.splitlines()
    assert lines[1:3] == ["█ gpt2", "█ byte"]
    rows = lines[3:]
    assert len(rows) == 60
    assert max(map(len, rows)) <= 60
    tok = fretsaw.get("gpt2")
    for row, language in zip(rows[::2], languages(), strict=True):
        ratio = len(language.text) / tok.count(language.text, special="none")
        assert row.startswith(language.name)
        assert row[len(language.name) :].split()[0] == f"{ratio:.2f}"


def test_order(run: Run):
    def ratios(order: str) -> list[float]:
        report = json.loads(run("langs", "gpt2", "--order", order, "--json").stdout)
        return [row["characters_per_token"][0] for row in report["languages"]]

    assert ratios("most") == sorted(ratios("name"), reverse=True)
    assert ratios("least") == sorted(ratios("name"))


def test_json(run: Run):
    report = json.loads(run("langs", "byte", "--json").stdout)
    assert report["vocabularies"] == ["byte"]
    english = next(row for row in report["languages"] if row["code"] == "en")
    text = next(one.text for one in languages() if one.code == "en")
    assert english["characters"] == len(text)
    assert english["tokens"] == [len(text.encode())]


def test_bad_input_is_one_line(fails: Callable[..., str]):
    assert "neither a built-in vocabulary" in fails("langs", "nope")
