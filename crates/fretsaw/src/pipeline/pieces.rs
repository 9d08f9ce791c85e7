//! What a SentencePiece model can do beyond encoding: the best ways to cut a text, and ways by chance.

use super::Pipeline;
use crate::decode::{Decoder, PieceDecoder};
use crate::error::{DecodeError, EncodeError};
use crate::model::sentence_piece::Made;
use crate::model::{Model, ModelScratch, Random, SentencePiece};
use crate::spec::{Model as ModelSpec, SentencePiece as PiecesSpec};
use crate::stream::DecodeState;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceOfText {
    pub id: u32,
    /// Its string, which is the text itself where that is unknown.
    pub piece: String,
    /// Where it stands in the original text, in bytes.
    pub start: usize,
    pub end: usize,
}

/// A text that is cut, and the sum of the scores.
pub type ScoredPieces = (Vec<PieceOfText>, f32);

impl Pipeline {
    /// The spec's model, if it is one of SentencePiece.
    pub fn sentence_piece(&self) -> Option<&PiecesSpec> {
        match self.parts.spec.model.options() {
            ModelSpec::SentencePiece(pieces) => Some(pieces),
            _ => None,
        }
    }

    /// The pieces of a text, without any added tokens; `None` for any other model.
    pub fn pieces(&self, text: &str) -> Result<Option<Vec<PieceOfText>>, EncodeError> {
        let Some(model) = self.pieces_model() else { return Ok(None) };
        let (text, spans) = self.spanned(text)?;
        let mut made = Vec::new();
        let mut scratch = ModelScratch::default();
        model.each_made(text.as_bytes(), &mut 0.0, scratch.pieces(), |piece| made.push(piece))?;
        Ok(Some(self.named(&text, &spans, &made)))
    }

    /// The `size` best ways to cut a text with their sums, best first; `None` for a model that knows
    /// but one.
    pub fn nbest(&self, text: &str, size: usize) -> Result<Option<Vec<ScoredPieces>>, EncodeError> {
        let Some(model) = self.pieces_model() else { return Ok(None) };
        let (text, spans) = self.spanned(text)?;
        let ways = model.nbest(text.as_bytes(), size);
        let named = |(made, score): (Vec<Made>, f32)| (self.named(&text, &spans, &made), score);
        Ok(ways.map(|ways| ways.into_iter().map(named).collect()))
    }

    /// A way to cut a text by chance, which follows from `seed`: with `nbest_size` above 1 one of the
    /// best (by `alpha` times their sums), of 0 or 1 the best, else any. `None` for a model that knows but
    /// one way.
    pub fn sample(
        &self,
        text: &str,
        nbest_size: i64,
        alpha: f32,
        seed: u64,
    ) -> Result<Option<Vec<PieceOfText>>, EncodeError> {
        let Some(model) = self.pieces_model() else { return Ok(None) };
        let (text, spans) = self.spanned(text)?;
        let mut random = Random::new(seed);
        let made = if text.is_empty() {
            Some(Vec::new())
        } else if !model.is_summed() || nbest_size < 0 {
            model.sample(text.as_bytes(), alpha, &mut random)
        } else {
            let size = usize::try_from(nbest_size).unwrap_or(1).max(1);
            let mut ways = model.nbest(text.as_bytes(), size).unwrap_or_default();
            let log = |score: f32| f64::from(alpha) * f64::from(score);
            let most = ways.iter().map(|way| log(way.1)).fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = ways.iter().map(|way| (log(way.1) - most).exp()).collect();
            random.weighted(&weights).map(|at| ways.swap_remove(at).0)
        };
        Ok(made.map(|made| self.named(&text, &spans, &made)))
    }

    /// The text of pieces that come as strings: one that is none stands for itself. `None` for any
    /// other model.
    pub fn decode_pieces(&self, pieces: &[String]) -> Result<Option<String>, DecodeError> {
        let (Some(model), Decoder::Pieces(decoder)) = (self.pieces_model(), &self.parts.decoder)
        else {
            return Ok(None);
        };
        let (mut state, mut text) = (DecodeState::default(), String::new());
        for piece in pieces {
            let known = model.vocabulary.id(piece.as_bytes());
            match known.and_then(|id| decoder.table().get(id)) {
                Some(prepared) => decoder.step(prepared, state.pieces(), &mut text),
                None => {
                    let own = PieceDecoder::text(piece.as_bytes());
                    decoder.step(&own, state.pieces(), &mut text);
                }
            }
        }
        self.decode_ids_finish(&mut state, &mut text)?;
        Ok(Some(text))
    }

    fn pieces_model(&self) -> Option<&SentencePiece> {
        match &self.parts.model.model {
            Model::SentencePiece(model) => Some(model),
            _ => None,
        }
    }

    fn spanned(&self, text: &str) -> Result<(String, Vec<(u32, u32)>), EncodeError> {
        let spans = crate::normalize::identity(text);
        match &self.parts.normalizer {
            Some(normalizer) => normalizer.normalize_spans(text, spans),
            None => Ok((text.to_owned(), spans)),
        }
    }

    fn named(&self, text: &str, spans: &[(u32, u32)], made: &[Made]) -> Vec<PieceOfText> {
        let named = |made: &Made| {
            let start = spans.get(made.start).map_or(0, |span| span.0 as usize);
            let end = if made.start < made.end { spans[made.end - 1].1 as usize } else { start };
            let own = if made.own { Some(&text[made.start..made.end]) } else { None };
            let piece = own.or_else(|| self.vocabulary().token(made.id)).unwrap_or_default();
            PieceOfText { id: made.id, piece: piece.to_owned(), start, end }
        };
        made.iter().map(named).collect()
    }
}
