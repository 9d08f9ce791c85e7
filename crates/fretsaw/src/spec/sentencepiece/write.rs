//! [`Spec`] -> a SentencePiece `.model`.
//!
//! The messages have what the reader keeps, with every field written out. How the model was trained
//! is not known any more and left out.

use prost::Message;

use super::proto::{ModelProto, NormalizerSpec, Piece, TrainerSpec};
use super::{PieceSearch, PieceType, SentencePiece, TextRules};
use crate::error::LoadError;
use crate::spec::{Decoder, Model, Normalizer, Spec};

/// Writes the model of a spec, whose other parts must be those of SentencePiece.
///
/// # Errors
///
/// [`LoadError::Unsupported`] with the part that is not.
pub fn to_sentencepiece(spec: &Spec) -> Result<Vec<u8>, LoadError> {
    const OTHER: &str = "not that of a SentencePiece model";
    let Model::SentencePiece(model) = &**spec.model else {
        return Err(LoadError::unsupported("model", OTHER));
    };
    let Some(Normalizer::SentencePiece(rules)) = &spec.normalizer else {
        return Err(LoadError::unsupported("normalizer", OTHER));
    };
    let Some(Decoder::SentencePiece { unk_surface, denormalizer, .. }) = &spec.decoder else {
        return Err(LoadError::unsupported("decoder", OTHER));
    };
    let proto = ModelProto {
        pieces: pieces(model),
        trainer_spec: Some(trainer(model, rules, unk_surface)),
        normalizer_spec: Some(normalizer(rules)),
        denormalizer_spec: denormalizer.as_ref().map(normalizer),
    };
    Ok(proto.encode_to_vec())
}

fn pieces(model: &SentencePiece) -> Vec<Piece> {
    let parts = model.vocab.iter().zip(&model.scores).zip(&model.types);
    let pieces = parts.map(|(((piece, _), &score), &kind)| Piece {
        piece: Some(piece.as_bytes().to_owned()),
        score: Some(score),
        r#type: Some(match kind {
            PieceType::Normal => 1,
            PieceType::Unknown => 2,
            PieceType::Control => 3,
            PieceType::UserDefined => 4,
            PieceType::Unused => 5,
            PieceType::Byte => 6,
        }),
    });
    pieces.collect()
}

fn trainer(model: &SentencePiece, rules: &TextRules, unk_surface: &str) -> TrainerSpec {
    let [unk, bos, eos, pad] = &model.names;
    let bytes = |name: &String| Some(name.as_bytes().to_owned());
    TrainerSpec {
        model_type: Some(match model.search {
            PieceSearch::Unigram => 1,
            PieceSearch::Bpe => 2,
            PieceSearch::Word => 3,
            PieceSearch::Char => 4,
        }),
        treat_whitespace_as_suffix: Some(rules.treat_whitespace_as_suffix),
        byte_fallback: Some(model.byte_fallback),
        unk_surface: Some(unk_surface.as_bytes().to_owned()),
        unk_piece: bytes(unk),
        bos_piece: bytes(bos),
        eos_piece: bytes(eos),
        pad_piece: bytes(pad),
    }
}

fn normalizer(rules: &TextRules) -> NormalizerSpec {
    NormalizerSpec {
        precompiled_charsmap: Some(rules.charsmap.clone()),
        add_dummy_prefix: Some(rules.add_dummy_prefix),
        remove_extra_whitespaces: Some(rules.remove_extra_whitespaces),
        escape_whitespaces: Some(rules.escape_whitespaces),
        ..NormalizerSpec::default()
    }
}
