//! Models: from pieces to ids.

pub mod bpe;

pub use bpe::{Bpe, BpeScratch};
