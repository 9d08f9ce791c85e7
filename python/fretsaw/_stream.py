"""`Stream`: text from ids that come one at a time."""

from ._native import Stream

__all__ = ["Stream"]
