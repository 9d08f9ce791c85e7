//! The mask scanner: from text to piece boundaries, 64 bytes at a time.
//!
//! A block of 64 bytes becomes one bit mask a class (letter, number, white space, ...), where
//! every byte of a character has the character's bit. Piece starts are then bit algebra over the
//! masks of this block, one carried bit of the block before and a look at the block behind.
//! ASCII is classified by SIMD (each routine beside its scalar twin), other characters one by one
//! through a two-stage table. Cost: linear in the text, about 6 ns for 64 bytes of ASCII.
//!
//! Nearly all unsafe code of the crate is here.

mod between;
mod chars;
mod classify;
mod clip;
mod cut;
mod gpt2;
mod joins;
mod key;
mod masks;
mod modern;
mod modern_starts;
mod spaced;
mod window;

pub use between::Between;
#[cfg(fuzzing)]
pub use classify::at_level;
#[cfg(any(test, fuzzing))]
pub use classify::levels;
pub use classify::{best_level, Level};
pub use clip::Clip;
pub use cut::{Cut, Runs, LEAD, MEMBER};
pub use gpt2::{Digits, Gpt2};
pub use joins::{Composing, Joins, Parted};
pub use key::{prefetch, short_key, ShortKey, SHORT};
pub use masks::{LETTER, NUMBER, NUMERIC, SPACE};
pub use modern::{class as modern_class, Contractions, Modern, Words};
pub use spaced::Spaced;
#[cfg(test)]
pub use window::boundaries_of;
pub use window::scan;
