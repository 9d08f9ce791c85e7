"""From text files to the token shards that training reads.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> from fretsaw import bulk
>>> with TemporaryDirectory() as folder:
...     text = Path(folder) / "text.txt"
...     _ = text.write_text("Hello world\\nHello\\n")
...     manifest = bulk.tokenize([text], Path(folder) / "shards", "gpt2", append="<|endoftext|>")
...     [ids.tolist() for ids in bulk.Shards(Path(folder) / "shards")]
[[15496, 995, 198, 50256], [15496, 198, 50256]]
"""

from ._job import Progress, tokenize
from ._manifest import verify
from ._shards import Shards

__all__ = ["Progress", "Shards", "tokenize", "verify"]
