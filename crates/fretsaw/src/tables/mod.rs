//! Flat tables: arrays of plain numbers that serve from memory or from a mapped file alike.
//!
//! Every table is a handful of [`Array`]s and a few integers, addressed by offsets and never by
//! pointers, so that the same code reads a table that was just built and one that lies in a file.

mod array;
pub mod fret;
mod index;
mod merges;
mod tokens;
pub(crate) mod trie;

pub use array::{Array, SharedBytes};
pub(crate) use index::hash;
pub use index::{Repeated, TokenIndex, INDEX_LIMIT};
pub use merges::{MergeTable, MergeView, NO_MERGE};
pub use tokens::{TokenTable, SHORT_WIDTH};
