//! Exact, fast tokenization.
//!
//! fretsaw turns text into the ids that a vocabulary file's own library gives, and back, and
//! refuses a file that it can't do exactly. One flow: a file becomes a [`spec::Spec`], which
//! compiles to a [`Pipeline`], which encodes and decodes.
//!
//! ```no_run
//! use fretsaw::{load_file, SpecialSet, Tokenizer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let gpt2 = load_file("gpt2/tokenizer.json".as_ref())?;
//! assert_eq!(gpt2.encode("Hello world")?, [15496, 995]);
//! // Text from outside: no control token can be forged.
//! let ids = gpt2.encode_with_special("<|endoftext|>", &SpecialSet::none())?;
//! assert_eq!(gpt2.decode(&ids)?, "<|endoftext|>");
//! # Ok(())
//! # }
//! ```

pub mod added_tokens;
mod byte_level;
pub mod cache;
mod compile;
mod convert;
mod decode;
#[cfg(test)]
mod draws;
pub mod encoding;
pub mod error;
#[cfg(fuzzing)]
pub mod fuzzed;
mod load;
pub mod model;
mod normalize;
mod pattern;
mod pipeline;
pub mod pool;
mod post_process;
mod prefixes;
mod pretokenize;
mod scan;
pub mod settings;
pub mod spec;
mod stream;
mod sync;
pub mod tables;
mod tokenizer;
pub mod train;
pub mod unicode;
mod vocabulary;

pub use compile::{compile, recompile};
pub use convert::{convert, Format, Written};
pub use encoding::Encoding;
pub use error::{DecodeError, EncodeError, LoadError, TrainError};
pub use load::{
    load_bytes, load_cached, load_file, load_file_cached, load_fresh, load_fret, Sidecar,
};
pub use pipeline::{
    Boundary, Budget, Ending, GrowingText, Input, Matrix, PieceOfText, Pipeline, PreToken, Request,
    ScoredPieces, TextIndex, TextStream, Watched,
};
pub use settings::{MatchPolicy, Settings, SpecialSet};
pub use stream::{DecodeState, Found, Stops, StreamDecoder};
pub use tokenizer::{ByteTokenizer, Tokenizer};
