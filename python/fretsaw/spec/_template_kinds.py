"""The fields of a `TemplateProcessing`."""

from ._component import read_fields, write_fields
from ._faults import Fault, wrong_type
from ._fields import IdKind, Kind, TextKind, elements
from .templates import SequencePiece, SpecialToken, SpecialTokenPiece, TemplatePiece

__all__ = ["SpecialTokensKind", "TemplateKind"]

PIECES: dict[str, type[SequencePiece] | type[SpecialTokenPiece]] = {
    "Sequence": SequencePiece,
    "SpecialToken": SpecialTokenPiece,
}


class TemplateKind(Kind):
    """A list of pieces."""

    def take(self, value: object) -> object:
        pieces = elements(value, "a list of pieces")
        for place, piece in enumerate(pieces):
            if not isinstance(piece, TemplatePiece):
                raise wrong_type(piece, "a piece of a template").under(f"[{place}]")
        return pieces

    def read(self, json: object) -> object:
        expected = '{"Sequence": …} or {"SpecialToken": …}'
        pieces: list[TemplatePiece] = []
        for place, piece in enumerate(elements(json, "a list of pieces")):
            if not isinstance(piece, dict) or len(piece) != 1:
                raise wrong_type(piece, expected).under(f"[{place}]")
            [(name, content)] = piece.items()
            if name not in PIECES:
                message = f"{name!r} is no kind of piece"
                raise Fault(message, kind="unknown", path=f"[{place}].{name}")
            try:
                pieces.append(read_fields(PIECES[name], content))
            except Fault as fault:
                raise fault.under(f"[{place}].{name}") from None
        return pieces

    def write(self, value: object) -> object:
        names = {of: name for name, of in PIECES.items()}
        return [
            {names[type(piece)]: write_fields(piece)}
            for piece in elements(value, "a list of pieces")
            if isinstance(piece, TemplatePiece)
        ]


class SpecialTokensKind(Kind):
    """Special tokens by name, kept in the order of their names; the last of a name counts."""

    def take(self, value: object) -> object:
        by_name = {}
        for place, token in enumerate(elements(value, "a list of special tokens")):
            if not isinstance(token, SpecialToken):
                try:
                    token = special_token(token)
                except Fault as fault:
                    raise fault.under(f"[{place}]") from None
            by_name[token.id] = token
        return tuple(by_name[name] for name in sorted(by_name))

    def read(self, json: object) -> object:
        if not isinstance(json, dict):
            raise wrong_type(json, "an object")
        tokens = []
        for name, content in json.items():
            try:
                token = read_fields(SpecialToken, content)
            except Fault as fault:
                raise fault.under(f".{name}") from None
            # The `id` inside is never looked at by any reader.
            tokens.append(SpecialToken(name, token.ids, token.tokens))
        return tokens

    def write(self, value: object) -> object:
        tokens = elements(value, "a list of special tokens")
        return {
            token.id: write_fields(token) for token in tokens if isinstance(token, SpecialToken)
        }


def special_token(value: object) -> SpecialToken:
    """A special token of one id, from the token and the id in either order."""
    first, second = elements(value, "a SpecialToken, or a token and its id", count=2)
    token, id = (second, first) if isinstance(first, int) else (first, second)
    text, number = TextKind().take(token), IdKind().take(id)
    assert isinstance(text, str)
    assert isinstance(number, int)
    return SpecialToken(text, (number,), (text,))
