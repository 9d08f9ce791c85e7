//! Training: counted pieces of text -> a vocabulary.
//!
//! Text goes through the tokenizer's own normalizer and pre-tokenizer ([`Counter`]), its pieces are
//! counted ([`Counts`]), and a trainer turns the counts into a model ([`train`]). Trainers see the
//! counts alone, so what they find can't depend on threads or on the order of the texts.

mod bpe;
mod count;
mod counts;
mod saved;
mod seeded;
mod trainer;
mod unigram;
mod watch;
mod word_level;

pub use bpe::{BpeTrainer, Known, LearnedBpe, ParityBpeTrainer, Window};
pub use count::{Counter, Limits};
pub use counts::Counts;
pub use trainer::{train, train_parity, Trainer};
pub use unigram::UnigramTrainer;
pub use watch::{Keep, Watch};
pub use word_level::WordLevelTrainer;
