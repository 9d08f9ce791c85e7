"""How much one client may ask for."""

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits of the service; what is beyond one is answered with the status in parentheses."""

    body_bytes: int = 8 << 20
    """The body of a request (413)."""
    file_bytes: int = 64 << 20
    """A tokenizer file that the page sends (413)."""
    batch: int = 1024
    """Texts of a batch (422)."""
    concurrency: int = 128
    """Requests that are read or worked on at once (429)."""
    time_s: float = 30.0
    """The time that a body may take to come, and work may take (408 each)."""
    answer_s: float = 30.0
    """The time for which a client may leave its answer untaken; the connection is closed then."""
    head_bytes: int = 64 << 10
    """The head of a request that has not ended yet (431)."""
    head_s: float = 10.0
    """The time that the head of a request may take; the connection is closed then."""
    tokenizers: int = 32
    """Tokenizers from files that are kept in memory; those not used for longest are let go."""
    loaded_files: int = 4
    """Tokenizer files sent by the page that are kept."""
