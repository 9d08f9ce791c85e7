"""What `fretsaw.bulk` is built on: the native job that reads files and writes shards."""

from ._native import BlockEncoder, ShardJob, checksum

__all__ = ["TABLES", "BlockEncoder", "ShardJob", "checksum"]

TABLES = (".parquet", ".arrow", ".ipc", ".feather")
"""How the names of files end that pyarrow reads."""
