//! From text files to the shards of tokens that training reads.
//!
//! One flow: an [`Input`] is read and cut into [`Block`]s of whole documents; a [`Flow`] encodes blocks on
//! several threads and hands them on in order; a [`ShardSink`] leaves out duplicates, shuffles within a
//! window, and writes shards. Which documents there are, and where they go, follows from the input and
//! the options alone, so the bytes are the same whatever the number of threads, and a job that was killed
//! goes on from the [`Checkpoint`] of its last whole shard to the very same result. Training reads its text
//! by the same [`Blocks`] and [`Documents`].
//!
//! Cost: linear in the text. Memory: blocks in flight up to a limit, one shard's index, and the window.

mod block;
mod documents;
mod encode;
mod error;
mod flow;
mod input;
mod jsonl;
mod order;
mod shard;
mod sink;
mod split;

pub use block::{Block, Content, Encoded, Reason, Reject};
pub use documents::{Documents, Kind, Reading};
pub use encode::{BlockEncoder, Width};
pub use error::BulkError;
pub use flow::Flow;
pub use input::{file_checksum, Digest, Input, Packing};
pub use shard::{Closed, Layout};
pub use sink::{Checkpoint, Plan, ShardSink, Tally};
pub use split::{Blocks, Cutting, Limits};
