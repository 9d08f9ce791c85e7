//! A `vocab.txt` of BERT -> [`Spec`]: what `BertWordPieceTokenizer(vocab)` of Hugging Face tokenizers
//! 0.23.3 is.
//!
//! Each line is a token, its number the id; white space at its end falls away, and a token that stands
//! twice has its last line. The file says nothing of the text's treatment, so that is the oracle's
//! default: lower case, no accents, Chinese characters as words. In a folder tokenizer_config.json may
//! say otherwise. Reading is linear in the file.

use std::sync::Arc;

use super::tokenizer_json::utf8;
use super::{
    AddedToken, Decoder, Defaults, LazyModel, Model, Normalizer, PostProcessor, PreTokenizer, Spec,
    Vocab, WordPiece,
};
use crate::error::{LoadError, Problem};

const UNKNOWN: &str = "[UNK]";
const SEPARATOR: &str = "[SEP]";
const CLASS: &str = "[CLS]";

/// What comes in front of all but a word's first piece.
pub(super) const PREFIX: &str = "##";

/// Longer words are unknown.
pub(super) const MAX_CHARS_PER_WORD: usize = 100;

/// The special tokens; those that are there are added.
const SPECIAL_TOKENS: [&str; 5] = [UNKNOWN, SEPARATOR, CLASS, "[PAD]", "[MASK]"];

/// What is done to a text before it is cut into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordRules {
    /// Whether it becomes lower case.
    pub lowercase: bool,
    /// Whether accents fall away; if it is not said, they do in lower case.
    pub strip_accents: Option<bool>,
    /// Whether Chinese characters are words.
    pub handle_chinese_chars: bool,
}

impl Default for WordRules {
    fn default() -> Self {
        Self { lowercase: true, strip_accents: None, handle_chinese_chars: true }
    }
}

impl WordRules {
    /// The normalizer that does it.
    pub(super) fn normalizer(self) -> Normalizer {
        Normalizer::Bert {
            clean_text: true,
            handle_chinese_chars: self.handle_chinese_chars,
            strip_accents: self.strip_accents,
            lowercase: self.lowercase,
        }
    }
}

/// Whether a text looks like a list of tokens, one a line: two special ones of BERT are there.
pub(super) fn looks_like_word_list(bytes: &[u8]) -> bool {
    let is_there = |wanted: &str| {
        bytes.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_end() == wanted.as_bytes())
    };
    is_there(UNKNOWN) && is_there(CLASS)
}

/// Reads a `vocab.txt`.
///
/// # Errors
///
/// [`LoadError::Invalid`] where the text is not UTF-8, or `[SEP]` or `[CLS]` is missing.
pub fn from_word_list(bytes: &[u8], rules: WordRules) -> Result<Spec, LoadError> {
    let text = utf8(bytes)?;
    let mut vocab = Vocab::new();
    for (id, line) in (0..).zip(text.lines()) {
        if !vocab.push(line.trim_end(), id) {
            let limit = u32::MAX as usize;
            return Err(LoadError::at("$", Problem::TooMany { what: "bytes of tokens", limit }));
        }
    }
    let id_of = |wanted: &str| vocab.iter().filter(|(token, _)| *token == wanted).last();
    let special = |content: &'static str| {
        let missing = || LoadError::at("$", Problem::Missing { field: content });
        id_of(content).map(|(token, id)| (token.to_owned(), id)).ok_or_else(missing)
    };
    let (sep, cls) = (special(SEPARATOR)?, special(CLASS)?);
    let added_tokens = SPECIAL_TOKENS.iter().filter_map(|content| id_of(content));
    let mut added_tokens: Vec<AddedToken> =
        added_tokens.map(|(content, id)| AddedToken::plain(content, id, true)).collect();
    added_tokens.sort_by_key(|token| token.id);
    let model = Model::WordPiece(WordPiece {
        vocab,
        unk_token: UNKNOWN.to_owned(),
        continuing_subword_prefix: PREFIX.to_owned(),
        max_input_chars_per_word: MAX_CHARS_PER_WORD,
    });
    Ok(Spec {
        added_tokens,
        added_later: Vec::new(),
        normalizer: Some(rules.normalizer()),
        pre_tokenizer: Some(PreTokenizer::Bert),
        model: Arc::new(LazyModel::Now(model)),
        post_processor: Some(PostProcessor::Bert { sep, cls }),
        decoder: Some(decoder()),
        truncation: None,
        padding: None,
        chat_template: None,
        defaults: Defaults::HUGGING_FACE,
    })
}

/// From pieces of words to text.
pub(super) fn decoder() -> Decoder {
    Decoder::WordPiece { prefix: PREFIX.to_owned(), cleanup: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_a_line() {
        let text = b"[PAD]\n[UNK]\r\n[CLS]  \n[SEP]\na\n##b\n\na\n";
        assert!(looks_like_word_list(text));
        let spec = from_word_list(text, WordRules::default()).expect("a list");
        let Model::WordPiece(model) = &**spec.model else { panic!("{:?}", spec.model) };
        let entries: Vec<_> = model.vocab.iter().collect();
        let expected = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b", "", "a"];
        assert_eq!(entries, expected.into_iter().zip(0..).collect::<Vec<_>>());
        let added: Vec<_> = spec.added_tokens.iter().map(|token| token.id).collect();
        assert_eq!(added, [0, 1, 2, 3]);
        assert_eq!(
            spec.post_processor,
            Some(PostProcessor::Bert { sep: ("[SEP]".into(), 3), cls: ("[CLS]".into(), 2) })
        );
    }

    #[test]
    fn what_is_no_list() {
        for text in [&b"[UNK]\n[CLS]\n"[..], b"[UNK]\n[SEP]\n", b"\xff\n[CLS]\n[SEP]\n", b""] {
            assert!(from_word_list(text, WordRules::default()).is_err(), "{text:?}");
        }
        assert!(!looks_like_word_list(b"[UNK]\nx\n"));
    }
}
