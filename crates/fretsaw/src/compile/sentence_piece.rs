//! What a SentencePiece model brings beside its search: where its texts can be cut, and its decoder.

use super::normalizer;
use crate::decode::{Denormalize, PieceDecoder};
use crate::error::{LoadError, Problem};
use crate::pretokenize::{Seams, MARK};
use crate::spec::{Decoder, Model, PieceSearch, PieceType, SentencePiece};
use crate::vocabulary::too_long;

/// Where a normalized text can be cut before the search, if anywhere.
///
/// Not where a piece may reach over, nor where two unknown characters may become one piece. Not at all
/// where what an unused piece is taken apart into depends on the rest of the text, or where words may
/// be unknown.
pub fn seams(model: &SentencePiece) -> Option<Seams> {
    let takes_apart = model.search == PieceSearch::Bpe && model.types.contains(&PieceType::Unused);
    if takes_apart || model.search == PieceSearch::Word {
        return None;
    }
    let mut seams = Seams::new();
    let (mut ascii, mut mark) = ([false; 128], false);
    for ((piece, _), &kind) in model.vocab.iter().zip(&model.types) {
        if !matches!(kind, PieceType::Normal | PieceType::UserDefined) {
            continue;
        }
        let mut chars = piece.chars();
        match (chars.next(), chars.next()) {
            (Some(MARK), None) => mark = true,
            (Some(c), None) => {
                ascii.get_mut(c as usize).into_iter().for_each(|known| *known = true)
            }
            _ => {}
        }
        if model.search != PieceSearch::Char || kind == PieceType::UserDefined {
            let behind = piece.chars().skip(1);
            piece.chars().zip(behind).for_each(|(before, behind)| seams.join(before, behind));
        }
    }
    if !model.byte_fallback {
        // Any of the other characters may be unknown.
        let unknown_ascii = ('\0'..='\x7f').filter(|&c| !ascii[c as usize]);
        let unknown_mark = (!mark).then_some(MARK);
        let unknown: Vec<char> = unknown_ascii.chain(unknown_mark).chain(['\u{80}']).collect();
        for &before in &unknown {
            unknown.iter().for_each(|&behind| seams.join(before, behind));
        }
    }
    Some(seams)
}

/// The decoder of a model's pieces.
pub fn decoder(spec: &Decoder, model: &Model) -> Result<PieceDecoder, LoadError> {
    let (
        Decoder::SentencePiece { unk_surface, strips_first, strips_all, denormalizer },
        Model::SentencePiece(model),
    ) = (spec, model)
    else {
        let field = "a model of SentencePiece";
        return Err(LoadError::at("model", Problem::Missing { field }));
    };
    let denormalize = match denormalizer {
        Some(rules) => {
            let path = "denormalizer_spec.precompiled_charsmap";
            let rules = normalizer::sentence_piece(rules, path)?;
            let denormalize: Denormalize =
                Box::new(move |text| rules.normalize(text).ok().map(|text| text.into_owned()));
            Some(denormalize)
        }
        None => None,
    };
    let pieces = model.vocab.iter().zip(&model.types).map(|((piece, id), kind)| {
        let prepared = match kind {
            PieceType::Control => PieceDecoder::nothing(),
            PieceType::Unknown => PieceDecoder::unknown(unk_surface),
            PieceType::Byte => {
                let digits = piece.get(3..5).unwrap_or_default();
                PieceDecoder::byte(u8::from_str_radix(digits, 16).unwrap_or_default())
            }
            _ => PieceDecoder::piece(piece),
        };
        (id, prepared)
    });
    PieceDecoder::new(pieces, model.vocab.len(), *strips_first, *strips_all, denormalize)
        .ok_or_else(|| too_long("pieces"))
}
