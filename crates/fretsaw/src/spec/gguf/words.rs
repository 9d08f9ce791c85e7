//! Vocabularies of WordPiece (`bert`): what the tokenizer.json of BERT is.
//!
//! In the file a token that starts a word has `▁` in front and one that goes on has nothing; in the
//! model the first has nothing and the other has `##`. Control tokens, and what stands in square
//! brackets, are as they are.

use std::sync::Arc;

use super::{template, Metadata, Tokens};
use crate::error::{LoadError, Problem};
use crate::spec::word_list::{decoder, MAX_CHARS_PER_WORD, PREFIX};
use crate::spec::{
    AddedToken, Defaults, LazyModel, Model, PieceType, PreTokenizer, Spec, Vocab, WordPiece,
    WordRules, MARK,
};

const LOWERCASE: &str = "tokenizer.ggml.normalizer.lowercase";

/// Reads such a vocabulary.
pub fn read(metadata: &Metadata, tokens: &Tokens<'_>) -> Result<Spec, LoadError> {
    let mut vocab = Vocab::new();
    let mut added_tokens: Vec<AddedToken> = Vec::new();
    for (place, (text, &kind)) in tokens.texts.iter().zip(&tokens.kinds).enumerate() {
        let id = place as u32;
        let spelled = spelled(text, kind);
        if kind == PieceType::Control && !text.is_empty() {
            added_tokens.push(AddedToken::plain(text, id, true));
        }
        if !vocab.push(&spelled, id) {
            let limit = u32::MAX as usize;
            let problem = Problem::TooMany { what: "bytes of tokens", limit };
            return Err(LoadError::at(tokens.path(place), problem));
        }
    }
    let id = |keys: &[&str], usual: u32| -> Result<u32, LoadError> {
        Ok(tokens.id(metadata, keys)?.unwrap_or(usual))
    };
    let unknown = id(&["tokenizer.ggml.unknown_token_id"], 100)?;
    let cls = id(&["tokenizer.ggml.cls_token_id", "tokenizer.ggml.bos_token_id"], 101)?;
    // Both spellings are in use.
    let keys = ["tokenizer.ggml.seperator_token_id", "tokenizer.ggml.separator_token_id"];
    let sep = id(&keys, 102)?;
    let rules =
        WordRules { lowercase: metadata.flag(LOWERCASE)?.unwrap_or(true), ..WordRules::default() };
    let model = Model::WordPiece(WordPiece {
        vocab,
        unk_token: tokens.text(unknown, "tokenizer.ggml.unknown_token_id")?.to_owned(),
        continuing_subword_prefix: PREFIX.to_owned(),
        max_input_chars_per_word: MAX_CHARS_PER_WORD,
    });
    let cls = Some((tokens.text(cls, "tokenizer.ggml.cls_token_id")?, cls));
    let sep = Some((tokens.text(sep, keys[0])?, sep));
    Ok(Spec {
        added_tokens,
        added_later: Vec::new(),
        normalizer: Some(rules.normalizer()),
        pre_tokenizer: Some(PreTokenizer::Bert),
        model: Arc::new(LazyModel::Now(model)),
        post_processor: template(cls, sep, false),
        decoder: Some(decoder()),
        truncation: None,
        padding: None,
        chat_template: None,
        defaults: Defaults::HUGGING_FACE,
    })
}

/// A token as the model has it.
fn spelled(text: &str, kind: PieceType) -> String {
    let is_bracketed = text.starts_with('[') && text.ends_with(']');
    match text.strip_prefix(MARK) {
        Some(start) => start.to_owned(),
        None if kind != PieceType::Normal || is_bracketed => text.to_owned(),
        None => format!("{PREFIX}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_prefixes() {
        let cases = [
            ("\u{2581}the", PieceType::Normal, "the"),
            ("ing", PieceType::Normal, "##ing"),
            ("[unused1]", PieceType::Normal, "[unused1]"),
            ("[", PieceType::Normal, "##["),
            ("[CLS]", PieceType::Control, "[CLS]"),
            ("<s>", PieceType::Control, "<s>"),
        ];
        for (text, kind, expected) in cases {
            assert_eq!(spelled(text, kind), expected);
        }
    }
}
