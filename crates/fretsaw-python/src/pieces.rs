//! The methods of `fretsaw.Tokenizer` that only a SentencePiece model has an answer for.

use fretsaw::{PieceOfText, Pipeline};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors;
use crate::text::utf8;
use crate::tokenizer::Tokenizer;

/// An id, the string of the piece, and where it stands in the text in bytes.
type Piece = (u32, String, usize, usize);

fn pieces(found: Vec<PieceOfText>) -> Vec<Piece> {
    found.into_iter().map(|found| (found.id, found.piece, found.start, found.end)).collect()
}

fn no_model() -> PyErr {
    PyValueError::new_err("this tokenizer does not come from a SentencePiece model")
}

fn one_way() -> PyErr {
    PyValueError::new_err("a SentencePiece model of this type knows but one way to cut a text")
}

fn check(pipeline: &Pipeline) -> PyResult<()> {
    pipeline.sentence_piece().map(|_| ()).ok_or_else(no_model)
}

#[pymethods]
impl Tokenizer {
    /// The pieces of a text: id, string, start and end in bytes of the text.
    ///
    /// Raises `ValueError` where the tokenizer does not come from a SentencePiece model.
    fn encode_pieces(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<Piece>> {
        let py = text.py();
        let (now, text) = (self.now(), &*utf8(text)?);
        let found = py.detach(|| now.pipeline.pieces(text));
        found.map_err(|error| errors::encode(py, &error))?.map(pieces).ok_or_else(no_model)
    }

    /// The best ways to cut a text, at most `size`, each with the sum of its scores.
    fn nbest_pieces(
        &self,
        text: &Bound<'_, PyAny>,
        size: usize,
    ) -> PyResult<Vec<(Vec<Piece>, f32)>> {
        let py = text.py();
        let (now, text) = (self.now(), &*utf8(text)?);
        check(&now.pipeline)?;
        let found = py.detach(|| now.pipeline.nbest(text, size));
        let found = found.map_err(|error| errors::encode(py, &error))?.ok_or_else(one_way)?;
        Ok(found.into_iter().map(|(found, score)| (pieces(found), score)).collect())
    }

    /// A way to cut a text that is chosen by chance, the same for the same seed.
    #[pyo3(signature = (text, *, nbest_size = None, alpha = 0.1, seed = 0))]
    fn sample_pieces(
        &self,
        text: &Bound<'_, PyAny>,
        nbest_size: Option<i64>,
        alpha: f32,
        seed: u64,
    ) -> PyResult<Vec<Piece>> {
        let py = text.py();
        let (now, text) = (self.now(), &*utf8(text)?);
        check(&now.pipeline)?;
        if !alpha.is_finite() || alpha < 0.0 {
            return Err(PyValueError::new_err(format!("alpha must be 0 or more, got {alpha}")));
        }
        let found = py.detach(|| now.pipeline.sample(text, nbest_size.unwrap_or(-1), alpha, seed));
        found.map_err(|error| errors::encode(py, &error))?.map(pieces).ok_or_else(one_way)
    }

    /// The text of pieces that come as strings; one that is none stands for itself.
    fn decode_pieces(&self, py: Python<'_>, pieces: Vec<String>) -> PyResult<String> {
        let now = self.now();
        let text = py.detach(|| now.pipeline.decode_pieces(&pieces));
        text.map_err(|error| errors::decode(py, error))?.ok_or_else(no_model)
    }

    /// The scores and the types of all pieces, and the strings of the unknown piece, of those for start
    /// and end of a text, and of padding.
    fn piece_table(&self) -> PyResult<(Vec<f32>, Vec<String>, [String; 4])> {
        let now = self.now();
        let model = now.pipeline.sentence_piece().ok_or_else(no_model)?;
        let types = model.types.iter().map(|kind| format!("{kind:?}")).collect();
        Ok((model.scores.clone(), types, model.names.clone()))
    }
}
