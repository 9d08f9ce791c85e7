"""What is wrong with a request, as data: a status, a word for programs, a sentence for people."""

from typing import Any

__all__ = ["Problem"]


class Problem(Exception):
    """A request that can't be answered; `where` is the JSON path of what is at fault, or empty.

    >>> Problem(422, "wrong_value", "must be a string", "$.text").as_dict()
    {'error': {'code': 'wrong_value', 'message': 'must be a string', 'where': '$.text'}}
    """

    def __init__(self, status: int, code: str, message: str, where: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.where = where

    def as_dict(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"error": {"code": self.code, "message": self.message, "where": self.where}}
