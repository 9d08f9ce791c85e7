"""What `fretsaw.bulk` is built on: the native job that reads files and writes shards."""

from ._native import BlockEncoder, ShardJob, checksum

__all__ = ["BlockEncoder", "ShardJob", "checksum"]
