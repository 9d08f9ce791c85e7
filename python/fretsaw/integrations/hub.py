"""Repositories of the Hugging Face hub, by way of huggingface_hub.

Where files are kept, how they are checked, what `HF_HOME`, `HF_ENDPOINT`, `HF_TOKEN` and
`HF_HUB_OFFLINE` mean is that library's business: its cache is shared with transformers.
"""

from __future__ import annotations

import os

__all__ = ["fetch"]

_FIRST = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
_CHAT = "chat_template.jinja"
_OTHERWISE = ("vocab.json", "merges.txt", "tekken.json")


def fetch(name_or_path: str | os.PathLike[str], revision: str, token: str | None) -> str:
    """The folder with the tokenizer's files: a local one, or that of a repository in the cache.

    Raises `ImportError` without huggingface_hub, what that raises for a repository that can't be
    had, and `FileNotFoundError` for one without a tokenizer.

    >>> fetch(".", "main", None)
    '.'
    """
    name = os.fspath(name_or_path)
    if os.path.exists(name):
        return name
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError as error:
        message = (
            f"{name!r} is no local folder, and fetching it from the hub needs huggingface_hub: "
            "pip install 'fretsaw[hub]'"
        )
        raise ImportError(message) from error
    folder = snapshot_download(
        name, revision=revision, token=token, allow_patterns=[*_FIRST, _CHAT]
    )
    if not os.path.exists(os.path.join(folder, "tokenizer.json")):
        folder = snapshot_download(
            name, revision=revision, token=token, allow_patterns=[*_FIRST, _CHAT, *_OTHERWISE]
        )
    if not any(os.path.exists(os.path.join(folder, file)) for file in (_FIRST[0], *_OTHERWISE)):
        raise FileNotFoundError(f"{name} has no {_FIRST[0]}, nor any of {', '.join(_OTHERWISE)}")
    return str(folder)
