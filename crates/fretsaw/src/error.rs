//! The errors of the crate: data that says what went wrong and where.
//!
//! Each `Display` text says what, where, and what to do; nothing here allocates unless an error
//! is made.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Where in a vocabulary file something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A JSON path such as `model.merges[3]`; `$` is the whole document.
    Path(String),
    /// A 1-based line of a text file.
    Line(usize),
    /// An offset in a binary file.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Path(path) => write!(f, "at `{path}`"),
            Place::Line(line) => write!(f, "in line {line}"),
            Place::Byte(offset) => write!(f, "at byte offset {offset}"),
        }
    }
}

/// What is wrong with a vocabulary file that is otherwise well-formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Not JSON, or a value of the wrong type: the parser's own words.
    Json { line: usize, column: usize, message: String },
    /// A value of the wrong type.
    WrongType { found: String, expected: &'static str },
    /// A field that must be there is missing.
    Missing { field: &'static str },
    /// A field that must not be there.
    UnknownField { field: String },
    /// A merge names a token that the vocabulary does not have.
    MergeOutOfVocabulary { token: String },
    /// A line of merges that is not two tokens with one space between.
    MergeNotAPair { text: String },
    /// A `version` other than 1.0.
    Version { version: String },
    /// A number outside the range that the oracle accepts.
    OutOfRange { value: String, expected: &'static str },
    /// Two added tokens have the same (normalized) text.
    DuplicateAddedToken { content: String },
    /// The file is not UTF-8.
    NotUtf8 { byte_offset: usize },
    /// A token twice, where the format forbids it.
    DuplicateToken { token: String },
    /// An added token whose (normalized) text is empty and could match everywhere.
    EmptyAddedToken,
    /// A token string that cannot be read in the model's alphabet.
    NotInAlphabet { token: String },
    /// More of something than the stated limit.
    TooMany { what: &'static str, limit: usize },
    /// A folder or file that holds no vocabulary.
    NoVocabulary { tried: &'static str },
    /// A tiktoken vocabulary, whose file does not say how text is split.
    NeedsPattern,
    /// A compiled file that is not as it was written.
    Damaged { what: &'static str },
    /// A compiled file of another version of the format.
    OtherFormat { found: u32, known: u32 },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Json { line, column, message } => {
                write!(f, "not readable as JSON of the expected shape: {message} (line {line}, column {column})")
            }
            Problem::WrongType { found, expected } => {
                write!(f, "expected {expected}, found {found}")
            }
            Problem::Missing { field } => write!(f, "`{field}` is missing"),
            Problem::UnknownField { field } => write!(f, "`{field}` is no field of this format"),
            Problem::MergeOutOfVocabulary { token } => {
                write!(f, "the merge needs the token {token:?}, which the vocabulary does not have")
            }
            Problem::MergeNotAPair { text } => {
                write!(f, "a merge must be two tokens with one space between, got {text:?}")
            }
            Problem::Version { version } => {
                write!(f, "version {version:?} is unknown; only \"1.0\" exists")
            }
            Problem::OutOfRange { value, expected } => write!(f, "{value} is not {expected}"),
            Problem::DuplicateAddedToken { content } => {
                write!(f, "two added tokens match the same text {content:?}; remove one")
            }
            Problem::NotUtf8 { byte_offset } => {
                write!(f, "not UTF-8 at byte offset {byte_offset}")
            }
            Problem::DuplicateToken { token } => write!(f, "the token {token:?} is there twice"),
            Problem::EmptyAddedToken => {
                write!(f, "an added token is empty after normalization and would match everywhere")
            }
            Problem::NotInAlphabet { token } => {
                write!(f, "the token {token:?} has a character outside the byte-level alphabet")
            }
            Problem::TooMany { what, limit } => write!(f, "more than {limit} {what}"),
            Problem::NoVocabulary { tried } => write!(f, "no vocabulary there; looked for {tried}"),
            Problem::Damaged { what } => {
                write!(f, "the compiled file {what}; compile the tokenizer again")
            }
            Problem::OtherFormat { found, known } => write!(
                f,
                "the compiled file is of format {found}, this version knows format {known}; \
                 compile the tokenizer again"
            ),
            Problem::NeedsPattern => write!(
                f,
                "a tiktoken vocabulary needs a pattern: the file has tokens and ranks alone; \
                 pass the pattern that splits text, and the special tokens"
            ),
        }
    }
}

/// Why a vocabulary could not be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The file could not be read.
    Io { path: PathBuf, source: io::Error },
    /// The file could not be written.
    NotWritten { path: PathBuf, source: io::Error },
    /// The file is broken.
    Invalid { place: Place, problem: Problem },
    /// The file is sound but asks for something that is not done exactly here.
    Unsupported { field: String, value: String },
    /// The tokenizer is sound but has something that a format to be written has no place for.
    NotInFormat { field: String, value: String, format: &'static str },
}

impl LoadError {
    /// An `Invalid` error at a JSON path.
    pub fn at(path: impl Into<String>, problem: Problem) -> Self {
        LoadError::Invalid { place: Place::Path(path.into()), problem }
    }

    /// An `Unsupported` error naming a JSON path and the value found there.
    pub fn unsupported(field: impl Into<String>, value: impl fmt::Display) -> Self {
        LoadError::Unsupported { field: field.into(), value: value.to_string() }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            LoadError::NotWritten { path, source } => {
                write!(f, "cannot write {}: {source}", path.display())
            }
            LoadError::Invalid { place, problem } => write!(f, "{problem} ({place})"),
            LoadError::Unsupported { field, value } => write!(
                f,
                "`{field}` is {value}, which cannot be encoded exactly by this version; \
                 use the original library for this file"
            ),
            LoadError::NotInFormat { field, value, format } => {
                write!(f, "`{field}` is {value}, which {format} can't carry; write another format")
            }
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Io { source, .. } | LoadError::NotWritten { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Why a text could not be encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncodeError {
    /// A special token stands in the text and the caller asked for an error.
    SpecialTokenInText { token: String, byte_offset: usize },
    /// A span of `trusted` text is not inside the text or ends before it starts.
    TrustedSpan { start: usize, end: usize, text_chars: usize },
    /// The model needs its unknown token, which is not in the vocabulary.
    UnknownTokenMissing { token: String },
    /// A byte that no token has, in a vocabulary whose oracle fails on it.
    ByteWithoutToken { byte: u8 },
    /// A pattern needed more steps than its limit allows.
    StepLimit { pattern: String, byte_offset: usize },
    /// An added token that takes white space on its left stands inside what another one took on
    /// its right.
    OverlappingAddedTokens { token: String, byte_offset: usize },
    /// A normalizer can't go on where the oracle can't either.
    NormalizerFails { normalizer: &'static str },
    /// The truncation that is set can't be done.
    Truncation { max_length: usize, reason: &'static str },
    /// The ways to cut a piece have no distribution to choose with.
    NoDistribution { piece_bytes: usize },
    /// The best ways to cut a piece are too many to find.
    TooManyWays { piece_bytes: usize, nbest_size: usize },
    /// A post-processor's template does not go with so many texts.
    Template { encodings: usize },
    /// A text has more ids than a fixed length that rows are filled up to.
    LongerThanPadding { ids: usize, length: usize },
    /// A part of a text can't have so few ids.
    TooFewTokens { max_tokens: usize, byte_offset: usize },
    /// A piece without a place to cut is longer than the merge loop can address.
    PieceTooLong { bytes: usize },
    /// A text is longer than offsets, which have 32 bits, can say.
    TextTooLong { bytes: usize },
    /// The caller asked to stop, in training.
    Stopped,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::SpecialTokenInText { token, byte_offset } => write!(
                f,
                "the text contains the special token {token:?} at byte {byte_offset}; \
                 pass special=\"none\" to encode it as plain text or special=\"all\" to allow it"
            ),
            EncodeError::TooFewTokens { max_tokens, byte_offset } => write!(
                f,
                "what stands at byte {byte_offset} can't be encoded, special tokens included, in \
                 {max_tokens} ids; allow more"
            ),
            EncodeError::TrustedSpan { start, end, text_chars } => write!(
                f,
                "trusted span ({start}, {end}) does not fit a text of {text_chars} characters; \
                 spans are half-open and in characters"
            ),
            EncodeError::UnknownTokenMissing { token } => write!(
                f,
                "the text needs the unknown token {token:?}, which the vocabulary does not have; \
                 add it to the vocabulary"
            ),
            EncodeError::ByteWithoutToken { byte } => write!(
                f,
                "the text has the byte {byte:#04x}, which no token of the vocabulary has; \
                 add it to the vocabulary"
            ),
            EncodeError::StepLimit { pattern, byte_offset } => write!(
                f,
                "the pattern {pattern:?} took too many steps at byte {byte_offset}; \
                 simplify the pattern or split the text"
            ),
            EncodeError::OverlappingAddedTokens { token, byte_offset } => write!(
                f,
                "the added token {token:?} at byte {byte_offset} lies inside white space that \
                 the added token before it takes; change `rstrip` of that one"
            ),
            EncodeError::NormalizerFails { normalizer } => write!(
                f,
                "the normalizer {normalizer} can't handle this text behind the ones before it; \
                 take the normalizer in front of it that inserts text out of the file"
            ),
            EncodeError::Truncation { max_length, reason } => write!(
                f,
                "the text can't be cut to {max_length} ids beside special tokens: {reason}; \
                 set another truncation or none"
            ),
            EncodeError::LongerThanPadding { ids, length } => write!(
                f,
                "the text has {ids} ids, which is more than the {length} of padding; \
                 enable truncation to that length or leave the length of padding open"
            ),
            EncodeError::NoDistribution { piece_bytes } => write!(
                f,
                "the ways to cut a piece of {piece_bytes} bytes can't be weighted with this `alpha`; \
                 set one that is less than 1, or `nbest_size`"
            ),
            EncodeError::TooManyWays { piece_bytes, nbest_size } => write!(
                f,
                "finding {nbest_size} ways to cut a piece of {piece_bytes} bytes takes too long; \
                 set a smaller `nbest_size` or split the text"
            ),
            EncodeError::Template { encodings } => write!(
                f,
                "the post-processor's template can't be used for {encodings} texts at once; \
                 set another post-processor"
            ),
            EncodeError::PieceTooLong { bytes } => write!(
                f,
                "a piece of {bytes} bytes has no place to cut; the limit is {} bytes, split the text",
                u32::MAX - 1
            ),
            EncodeError::TextTooLong { bytes } => write!(
                f,
                "a text of {bytes} bytes has places that offsets can't say; the limit is {} bytes, \
                 split the text",
                u32::MAX
            ),
            EncodeError::Stopped => write!(f, "the work was stopped"),
        }
    }
}

impl std::error::Error for EncodeError {}

/// Why ids could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeError {
    /// No token has this id.
    UnknownId { id: u32, vocab_size: u32 },
    /// A pattern of the decoder needed more steps than its limit allows.
    StepLimit { pattern: String },
    /// A pattern of the decoder has matches that go backwards.
    PatternGoesBack,
    /// The decoder Strip is asked to take more off a token than it has.
    NothingToStrip,
    /// The denormalizer of a SentencePiece model can't read the text.
    Denormalizer,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::UnknownId { id, vocab_size } => {
                write!(f, "no token has the id {id}; the vocabulary has {vocab_size} tokens")
            }
            DecodeError::StepLimit { pattern } => write!(
                f,
                "the decoder's pattern {pattern:?} took too many steps; simplify it or decode less \
                 at once"
            ),
            DecodeError::NothingToStrip => write!(
                f,
                "the decoder Strip meets a token of nothing but its character that is shorter than \
                 `start` and `stop` together; set `stop` to 0"
            ),
            DecodeError::Denormalizer => write!(
                f,
                "the denormalizer's map ends within a character of this text; take it out of the model"
            ),
            DecodeError::PatternGoesBack => write!(
                f,
                "the decoder's pattern has matches that go backwards; take `\\K` out of it"
            ),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Why a vocabulary could not be trained.
#[derive(Debug)]
pub enum TrainError {
    /// A text could not be normalized or split.
    Text(EncodeError),
    /// The pipeline that was asked for, or the one that came out, can't be built.
    Spec(LoadError),
    /// An option has a value that can't be used.
    Option { name: &'static str, value: String, expected: &'static str },
    /// The text has not enough to train on.
    TooLittleText { needed: &'static str },
    /// There are more distinct pieces than can be numbered.
    TooManyPieces { limit: usize },
    /// What was saved to go on from is not what was saved.
    Damaged { what: &'static str },
    /// The caller asked to stop.
    Stopped,
}

impl From<EncodeError> for TrainError {
    fn from(error: EncodeError) -> Self {
        TrainError::Text(error)
    }
}

impl From<LoadError> for TrainError {
    fn from(error: LoadError) -> Self {
        TrainError::Spec(error)
    }
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainError::Text(error) => error.fmt(f),
            TrainError::Spec(error) => error.fmt(f),
            TrainError::Option { name, value, expected } => {
                write!(f, "`{name}` is {value}, which is not {expected}")
            }
            TrainError::TooLittleText { needed } => {
                write!(f, "too little text to train on: {needed}; give more text")
            }
            TrainError::TooManyPieces { limit } => write!(
                f,
                "there are more than {limit} distinct pieces; cut the text finer or give less"
            ),
            TrainError::Damaged { what } => {
                write!(f, "the saved {what} are damaged; remove them and begin again")
            }
            TrainError::Stopped => write!(f, "training was stopped"),
        }
    }
}

impl std::error::Error for TrainError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TrainError::Text(error) => Some(error),
            TrainError::Spec(error) => Some(error),
            _ => None,
        }
    }
}
