//! The parts around the model, with tokenizer.json's names and fields.

// The names are those of the format, whose documentation says what each does.
#![allow(missing_docs)]

use serde::{Deserialize, Serialize};

use super::TextRules;

/// A token that is matched in the text before the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedToken {
    /// The id that the file gives; the oracle derives the real one from the content.
    pub id: u32,
    pub content: String,
    pub single_word: bool,
    pub lstrip: bool,
    pub rstrip: bool,
    pub normalized: bool,
    pub special: bool,
}

impl AddedToken {
    /// A token that matches as it stands: special before the text is normalized, else behind that.
    pub fn plain(content: &str, id: u32, special: bool) -> Self {
        Self {
            id,
            content: content.to_owned(),
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: !special,
            special,
        }
    }
}

/// What a `Split` or `Replace` looks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// This very text.
    Literal(String),
    /// Oniguruma in its Ruby dialect, as Hugging Face compiles it.
    Onig(String),
    /// fancy-regex, as tiktoken compiles it.
    Fancy(String),
}

/// What happens to the text before it is cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Normalizer {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    Lowercase,
    Strip {
        left: bool,
        right: bool,
    },
    StripAccents,
    Replace {
        pattern: Pattern,
        content: String,
    },
    Prepend {
        prepend: String,
    },
    Bert {
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    },
    Nmt,
    Precompiled {
        #[serde(with = "serde_bytes")]
        charsmap: Vec<u8>,
    },
    ByteLevel,
    Sequence(Vec<Normalizer>),
    /// What SentencePiece does; no tokenizer.json has it.
    SentencePiece(TextRules),
}

/// What becomes of the delimiter of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SplitBehavior {
    Removed,
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
}

/// When Metaspace puts its mark in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrependScheme {
    First,
    Never,
    Always,
}

/// How the text is cut before the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PreTokenizer {
    Bert,
    ByteLevel { add_prefix_space: bool, trim_offsets: bool, use_regex: bool },
    CharDelimiterSplit { delimiter: char },
    Digits { individual_digits: bool },
    FixedLength { length: usize },
    Metaspace { replacement: char, prepend_scheme: PrependScheme, split: bool },
    Punctuation { behavior: SplitBehavior },
    Split { pattern: Pattern, behavior: SplitBehavior, invert: bool },
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
    Sequence(Vec<PreTokenizer>),
}

/// One element of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplatePiece {
    /// Sequence A (0) or B (1).
    Sequence { id: u8, type_id: u32 },
    /// A special token, by its name in the template's own list.
    SpecialToken { id: String, type_id: u32 },
}

/// A special token that a template may name: it stands for these ids and tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateToken {
    pub id: String,
    pub ids: Vec<u32>,
    pub tokens: Vec<String>,
}

/// What is put around the ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PostProcessor {
    Bert {
        sep: (String, u32),
        cls: (String, u32),
    },
    Roberta {
        sep: (String, u32),
        cls: (String, u32),
        trim_offsets: bool,
        add_prefix_space: bool,
    },
    ByteLevel {
        add_prefix_space: bool,
        trim_offsets: bool,
        use_regex: bool,
    },
    Template {
        single: Vec<TemplatePiece>,
        pair: Vec<TemplatePiece>,
        special_tokens: Vec<TemplateToken>,
    },
    Sequence(Vec<PostProcessor>),
}

/// From tokens back to text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Decoder {
    Bpe {
        suffix: String,
    },
    ByteFallback,
    ByteLevel {
        add_prefix_space: bool,
        trim_offsets: bool,
        use_regex: bool,
    },
    Ctc {
        pad_token: String,
        word_delimiter_token: String,
        cleanup: bool,
    },
    Fuse,
    Metaspace {
        replacement: char,
        prepend_scheme: PrependScheme,
        split: bool,
    },
    Replace {
        pattern: Pattern,
        content: String,
    },
    Strip {
        content: char,
        start: usize,
        stop: usize,
    },
    WordPiece {
        prefix: String,
        cleanup: bool,
    },
    Sequence(Vec<Decoder>),
    /// Pieces of SentencePiece; no tokenizer.json has it.
    SentencePiece {
        /// What an unknown piece becomes.
        unk_surface: String,
        /// Whether a `▁` in front of the first piece that is text falls away.
        strips_first: bool,
        /// Whether that goes on as long as there is no text.
        strips_all: bool,
        /// What is done to the whole text.
        denormalizer: Option<TextRules>,
    },
}

/// On which side something is cut or padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    Left,
    Right,
}

/// Which of two sequences gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TruncationStrategy {
    LongestFirst,
    OnlyFirst,
    OnlySecond,
}

/// Truncation stored in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    pub direction: Direction,
    pub max_length: usize,
    pub strategy: TruncationStrategy,
    pub stride: usize,
}

/// To what length a batch is padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PadStrategy {
    BatchLongest,
    Fixed(usize),
}

/// Padding stored in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Padding {
    pub strategy: PadStrategy,
    pub direction: Direction,
    pub pad_to_multiple_of: Option<usize>,
    pub pad_id: u32,
    pub pad_type_id: u32,
    pub pad_token: String,
}
