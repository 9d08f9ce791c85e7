//! Training: counted pieces of text -> a vocabulary.
//!
//! Text goes through the tokenizer's own normalizer and pre-tokenizer, its pieces are counted
//! ([`Counts`]), and a trainer turns the counts into a model. Trainers see the counts alone, so
//! what they find can't depend on threads or on the order of the texts.

mod counts;

pub use counts::Counts;
