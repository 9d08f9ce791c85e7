//! Vocabularies of SentencePiece (`llama` and `t5`): what the `.model` of the same model is.
//!
//! The pieces, their scores and types are there, and of the rules what the flags say. One piece is the
//! unknown one; others of that type are there to fill the vocabulary up and never found.

use super::{ends, Metadata, Tokens, TOKENS};
use crate::error::{LoadError, Place, Problem};
use crate::spec::sentencepiece::from_proto;
use crate::spec::sentencepiece::proto::{ModelProto, NormalizerSpec, Piece, TrainerSpec};
use crate::spec::{PieceSearch, PieceType, Spec};

const SCORES: &str = "tokenizer.ggml.scores";
const CHARSMAP: &str = "tokenizer.ggml.precompiled_charsmap";

/// What the message calls the list of pieces.
const PIECES: &str = "pieces";

/// Reads such a vocabulary.
pub fn read(
    metadata: &Metadata,
    tokens: &Tokens<'_>,
    search: PieceSearch,
) -> Result<Spec, LoadError> {
    let is_unigram = search == PieceSearch::Unigram;
    let missing = || LoadError::at("$", Problem::Missing { field: SCORES });
    let scores = metadata.floats(SCORES)?.ok_or_else(missing)?;
    if scores.len() != tokens.texts.len() {
        let value = format!("{} scores for {} tokens", scores.len(), tokens.texts.len());
        let expected = "a score for each token";
        return Err(LoadError::at(SCORES, Problem::OutOfRange { value, expected }));
    }
    let usual = if is_unigram { 2 } else { 0 };
    let unknown = tokens.id(metadata, &["tokenizer.ggml.unknown_token_id"])?.unwrap_or(usual);
    let parts = tokens.texts.iter().zip(scores).zip(&tokens.kinds).zip(0..);
    let pieces = parts.map(|(((text, &score), &kind), id)| Piece {
        piece: Some(text.clone().into_bytes()),
        score: Some(score),
        r#type: Some(piece_type(kind, id == unknown)),
    });
    let name = |key: &str| -> Result<Option<Vec<u8>>, LoadError> {
        let id = tokens.id(metadata, &[key])?;
        Ok(id.and_then(|id| tokens.texts.get(id as usize)).map(|text| text.clone().into_bytes()))
    };
    let trainer = TrainerSpec {
        model_type: Some(if is_unigram { 1 } else { 2 }),
        treat_whitespace_as_suffix: None,
        byte_fallback: Some(tokens.kinds.contains(&PieceType::Byte)),
        unk_surface: None,
        unk_piece: name("tokenizer.ggml.unknown_token_id")?,
        bos_piece: name("tokenizer.ggml.bos_token_id")?,
        eos_piece: name("tokenizer.ggml.eos_token_id")?,
        pad_piece: name("tokenizer.ggml.padding_token_id")?,
    };
    let flag = |name: &str| metadata.flag(&format!("tokenizer.ggml.{name}"));
    let normalizer = NormalizerSpec {
        precompiled_charsmap: metadata.bytes(CHARSMAP)?.map(<[u8]>::to_owned),
        add_dummy_prefix: Some(flag("add_space_prefix")?.unwrap_or(true)),
        remove_extra_whitespaces: Some(flag("remove_extra_whitespaces")?.unwrap_or(is_unigram)),
        escape_whitespaces: Some(true),
        ..NormalizerSpec::default()
    };
    let mut spec = from_proto(ModelProto {
        pieces: pieces.collect(),
        trainer_spec: Some(trainer),
        normalizer_spec: Some(normalizer),
        denormalizer_spec: None,
    })
    .map_err(renamed)?;
    spec.post_processor = ends(metadata, tokens, !is_unigram, is_unigram)?;
    Ok(spec)
}

/// The number by which a message calls a type.
fn piece_type(kind: PieceType, is_unknown: bool) -> i32 {
    match kind {
        _ if is_unknown => 2,
        PieceType::Normal => 1,
        PieceType::Control => 3,
        PieceType::UserDefined => 4,
        PieceType::Unknown | PieceType::Unused => 5,
        PieceType::Byte => 6,
    }
}

/// An error that calls things by the keys of the file.
fn renamed(error: LoadError) -> LoadError {
    let rename = |path: String| match path.strip_prefix(PIECES) {
        Some(rest) => {
            let rest = rest.trim_end_matches(".piece").trim_end_matches(".score");
            format!("{TOKENS}{rest}")
        }
        None => path,
    };
    match error {
        LoadError::Invalid { place: Place::Path(path), problem } => {
            LoadError::at(rename(path), problem)
        }
        LoadError::Unsupported { field, value } => {
            LoadError::Unsupported { field: rename(field), value }
        }
        other => other,
    }
}
