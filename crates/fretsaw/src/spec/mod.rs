//! A tokenizer as plain data: what a vocabulary file says, before anything is compiled.
//!
//! [`Spec`] has the names of `tokenizer.json` and room for what other formats need beyond it.
//! Readers turn a file into a `Spec`, `compile` turns a `Spec` into a `Pipeline`, and training
//! makes a `Spec` too, so that every tokenizer comes in by the same door.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

mod canonical;
mod clip;
mod component;
mod content;
mod digest;
mod directory;
mod gguf;
mod lazy;
mod pairs;
mod regular;
mod rwkv;
mod sentencepiece;
mod tekken;
mod tiktoken;
mod tokenizer_json;
mod vocab;
mod vocab_merges;
mod word_list;
mod write_json;
mod write_text;

pub use clip::{from_clip, CLIP_WORDS};
pub use component::{
    AddedToken, Decoder, Direction, Normalizer, PadStrategy, Padding, Pattern, PostProcessor,
    PreTokenizer, PrependScheme, SplitBehavior, TemplatePiece, TemplateToken, Truncation,
    TruncationStrategy,
};
pub use content::from_bytes;
pub use digest::digest;
pub use directory::{from_path, source_files};
pub use gguf::from_gguf;
pub use lazy::{LazyModel, Make};
pub use pairs::from_pairs;
pub use regular::regular;
pub use rwkv::from_rwkv;
pub use sentencepiece::{
    from_sentencepiece, to_sentencepiece, PieceSearch, PieceType, SentencePiece, TextRules,
};
pub use tekken::from_tekken;
pub use tiktoken::{from_ranks, from_tiktoken};
pub use tokenizer_json::{from_json, set_component};
pub use vocab::{MergeList, Merges, Vocab};
pub use vocab_merges::from_vocab_and_merges;
pub use word_list::{from_word_list, WordRules};
pub use write_json::{component_to_json, to_json, write_whole};
pub use write_text::{to_tiktoken, to_vocab_and_merges, to_word_list};

/// SentencePiece's mark of a space.
pub const MARK: char = '\u{2581}';
/// The same as text.
pub const MARK_TEXT: &str = "\u{2581}";

/// A whole tokenizer as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The file's list of added tokens, in file order, and those that came later.
    pub added_tokens: Vec<AddedToken>,
    /// Where in that list the tokens of each later call begin: the next free id is found anew there.
    pub added_later: Vec<usize>,
    /// What happens to the text first.
    pub normalizer: Option<Normalizer>,
    /// How the text is cut before the model sees it.
    pub pre_tokenizer: Option<PreTokenizer>,
    /// From pre-tokens to ids. Shared, since it is large and what is around it may change.
    pub model: Arc<LazyModel>,
    /// Special tokens around the ids.
    pub post_processor: Option<PostProcessor>,
    /// From tokens back to text.
    pub decoder: Option<Decoder>,
    /// Truncation stored in the file.
    pub truncation: Option<Truncation>,
    /// Padding stored in the file.
    pub padding: Option<Padding>,
    /// The template of chats that the file has along. No output depends on it.
    pub chat_template: Option<ChatTemplate>,
    /// Which added tokens match in text, and how decoding treats ids, unless the caller says.
    pub defaults: Defaults,
}

/// A template of chats in Jinja2's language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatTemplate {
    pub source: String,
    /// The special tokens that it may name: `bos_token` and the like, with their strings.
    pub tokens: Vec<(String, String)>,
}

/// What a format's oracle does when the caller does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defaults {
    /// What an added token in the text does.
    pub special: DefaultSpecial,
    /// Whether decoding leaves out special tokens.
    pub skip_special_tokens: bool,
    /// Whether decoding refuses unknown ids (else it passes over them).
    pub strict_ids: bool,
    /// Whether added tokens have the ids that the spec gives them (else the vocabulary's, or the
    /// next that is free).
    pub added_ids_as_given: bool,
    /// Whether a special token that decoding leaves out ends an unfinished character (else its
    /// bytes and those behind the token may join).
    pub skipped_tokens_separate: bool,
}

/// What an added token in the text does by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefaultSpecial {
    /// It matches (tokenizer.json).
    All,
    /// It is an error (tiktoken).
    Error,
    /// It is text (tekken.json, control symbols of SentencePiece).
    None,
}

impl Defaults {
    /// The defaults of Hugging Face tokenizers.
    pub const HUGGING_FACE: Defaults = Defaults {
        special: DefaultSpecial::All,
        skip_special_tokens: true,
        strict_ids: false,
        added_ids_as_given: false,
        skipped_tokens_separate: false,
    };
    /// The defaults of tiktoken.
    pub const TIKTOKEN: Defaults = Defaults {
        special: DefaultSpecial::Error,
        skip_special_tokens: false,
        strict_ids: true,
        added_ids_as_given: true,
        skipped_tokens_separate: false,
    };
    /// The defaults of mistral-common for tekken.json.
    pub const TEKKEN: Defaults = Defaults {
        special: DefaultSpecial::None,
        skip_special_tokens: true,
        strict_ids: true,
        added_ids_as_given: true,
        skipped_tokens_separate: true,
    };
}

/// From pre-tokens to ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Model {
    /// Byte-pair encoding, byte-level or SentencePiece-style.
    Bpe(Bpe),
    /// The most probable segmentation.
    Unigram(Unigram),
    /// Greedy longest match.
    WordPiece(WordPiece),
    /// One id a word.
    WordLevel(WordLevel),
    /// A model of SentencePiece, with its own ways to find pieces. No tokenizer.json has it.
    SentencePiece(SentencePiece),
}

/// Byte-pair encoding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bpe {
    /// Tokens and ids.
    pub vocab: Vocab,
    /// Which pairs merge, and in which order.
    pub merges: Merges,
    /// The probability with which a merge is skipped.
    pub dropout: Option<f32>,
    /// What stands for characters outside the vocabulary.
    pub unk_token: Option<String>,
    /// What all but the first symbol of a word have in front.
    pub continuing_subword_prefix: Option<String>,
    /// What the last symbol of a word has at its end.
    pub end_of_word_suffix: Option<String>,
    /// Whether unknown characters in a row become one token.
    pub fuse_unk: bool,
    /// Whether unknown characters become tokens of their bytes (`<0x0A>`).
    pub byte_fallback: bool,
    /// Whether a word that is a token is that token without merging.
    pub ignore_merges: bool,
}

/// A unigram language model: `vocab[i]` has the score `scores[i]` and the id `i`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unigram {
    /// Tokens; ids are places.
    pub vocab: Vocab,
    /// Logarithms of probabilities.
    pub scores: Vec<f64>,
    /// The entry that stands for the unknown.
    pub unk_id: Option<usize>,
    /// Whether unknown characters become tokens of their bytes (`<0x0A>`).
    pub byte_fallback: bool,
    /// How much scores count when a segmentation is chosen by chance; 0 and `None` take the best one.
    /// No tokenizer.json has it.
    #[serde(default)]
    pub alpha: Option<f64>,
    /// Of how many best segmentations one is chosen; 0 and `None` choose from all. No tokenizer.json
    /// has it.
    #[serde(default)]
    pub nbest_size: Option<usize>,
}

/// Greedy longest match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WordPiece {
    /// Tokens and ids.
    pub vocab: Vocab,
    /// What stands for a word that the vocabulary cannot spell.
    pub unk_token: String,
    /// What all but the first piece of a word have in front.
    pub continuing_subword_prefix: String,
    /// Longer words are unknown.
    pub max_input_chars_per_word: usize,
}

/// One id a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WordLevel {
    /// Words and ids.
    pub vocab: Vocab,
    /// What stands for any other word.
    pub unk_token: String,
}

impl Spec {
    /// Whether segmentations may be chosen by chance in a way that no tokenizer.json can say.
    pub fn has_sampling(&self) -> bool {
        let Model::Unigram(model) = self.model.options() else { return false };
        model.alpha.is_some() || model.nbest_size.is_some()
    }

    /// Sets [`Unigram::alpha`] and [`Unigram::nbest_size`]; any other model stays as it is.
    pub fn set_sampling(&mut self, alpha: Option<f64>, nbest_size: Option<usize>) {
        let Model::Unigram(model) = &**self.model else { return };
        if (model.alpha, model.nbest_size) != (alpha, nbest_size) {
            let model = Unigram { alpha, nbest_size, ..model.clone() };
            self.model = Arc::new(LazyModel::Now(Model::Unigram(model)));
        }
    }

    /// What tiktoken would make the tokenizer from beside its ranks: the pattern, and the special
    /// tokens with their ids. `None` for a tokenizer that is not made from ranks.
    pub fn ranks(&self) -> Option<(&str, Vec<(String, u32)>)> {
        let Model::Bpe(Bpe { merges: Merges::ByJoinedBytes, .. }) = self.model.options() else {
            return None;
        };
        let Some(PreTokenizer::Sequence(parts)) = &self.pre_tokenizer else { return None };
        let Some(PreTokenizer::Split { pattern: Pattern::Fancy(pattern), .. }) = parts.first()
        else {
            return None;
        };
        let special = self.added_tokens.iter().map(|token| (token.content.clone(), token.id));
        Some((pattern, special.collect()))
    }
}
