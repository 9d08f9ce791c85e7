"""The shared cases of `tests/cases`: reading them, and making their tokenizers and inputs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import fretsaw

CASES: Final = Path(__file__).parent.parent / "cases"


@dataclass(frozen=True)
class Case:
    """One line; `tests/cases/README.md` says what the fields mean."""

    id: str
    group: str
    kind: str
    tokenizer: Any
    input: Any
    options: dict[str, Any]
    expected: dict[str, Any]
    hf_actual: dict[str, Any] | None

    @property
    def outcomes(self) -> list[Any]:
        """The outcomes that are right, of which one must be met."""
        found: list[Any] = self.expected.get("any_of", [self.expected])
        return found if self.hf_actual is None else [*found, self.hf_actual]

    @property
    def may_fail(self) -> bool:
        """Whether an ordinary error is a right outcome."""
        return "error" in self.outcomes or any(
            isinstance(outcome, dict) and outcome.get("error") for outcome in self.outcomes
        )

    @property
    def values(self) -> list[dict[str, Any]]:
        """The right outcomes that are not an error."""
        return [
            outcome
            for outcome in self.outcomes
            if isinstance(outcome, dict) and "error" not in outcome
        ]


def read_group(group: str) -> list[Case]:
    """The cases of a group, in the order of the file."""
    path = CASES / f"{group.replace(' ', '_')}.jsonl"
    lines = path.read_text(encoding="ascii").splitlines()
    fields = Case.__dataclass_fields__
    return [Case(**{name: json.loads(line).get(name) for name in fields}) for line in lines if line]


def load_tokenizer(case: Case) -> fretsaw.Tokenizer:
    """The tokenizer that a case brings or names; `gpt2` is the fixture's tokenizer.json."""
    if isinstance(case.tokenizer, dict):
        return fretsaw.Tokenizer.from_str(json.dumps(case.tokenizer))
    return gpt2() if case.tokenizer == "gpt2" else fretsaw.get(case.tokenizer)


@cache
def gpt2() -> fretsaw.Tokenizer:
    """GPT-2 from its tokenizer.json."""
    path = CASES.parent / "fixtures" / "gpt2.json.gz"
    return fretsaw.Tokenizer.from_str(gzip.decompress(path.read_bytes()))


def file_content(source: Any) -> bytes:
    """The content of the file that a case wants loaded."""
    if isinstance(source, str):
        return source.encode("utf-8")
    if isinstance(source, dict) and set(source) == {"bytes_hex"}:
        return bytes.fromhex(source["bytes_hex"])
    return json.dumps(source).encode("utf-8")


def text_of(source: Any) -> str:
    """A text, written out or generated."""
    if isinstance(source, str):
        return source
    makers: dict[str, Callable[[Any], str]] = {
        "repeat": lambda repeat: text_of(repeat[0]) * int(repeat[1]),
        "concat": lambda parts: "".join(map(text_of, parts)),
    }
    [(kind, value)] = source.items()
    return makers[kind](value)
