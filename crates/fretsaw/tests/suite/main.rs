//! Everything that is tested through the public interface, in one binary so that it links once.
#![allow(clippy::unwrap_used)]

mod bpe;
mod cases;
mod data;
mod golden;
mod load;
mod offsets;
mod pretokenize;
mod properties;
mod stream;
mod tokenizer;
