"""The exceptions of fretsaw."""

__all__ = [
    "BulkError",
    "DecodeError",
    "EncodeError",
    "FretsawError",
    "SpecError",
    "TrainError",
    "UnsupportedError",
]


class FretsawError(Exception):
    """Everything that fretsaw raises on its own account."""


class SpecError(FretsawError, ValueError):
    """A vocabulary file is broken; the message names the line or the JSON path."""


class UnsupportedError(SpecError):
    """A vocabulary file asks for what is not done exactly; the message names path and value."""


class EncodeError(FretsawError, ValueError):
    """A text can't be encoded as asked."""


class DecodeError(FretsawError, ValueError):
    """Ids can't be decoded as asked."""


class TrainError(FretsawError):
    """A vocabulary can't be trained as asked."""


class BulkError(FretsawError):
    """A corpus can't be turned into shards, or a folder of shards is not what its manifest says."""
