//! The definitions as loops: slow, short, and nothing of the library in them.

pub mod added;
pub mod alphabet;
pub mod decoders;
pub mod longest;
pub mod merge;
pub mod pattern;
pub mod sentence_piece;
pub mod train;
pub mod viterbi;
