//! Many texts as one matrix: a row a text, filled up to the same length, with its masks.
//!
//! Types and masks come from what is known of ids without a look at their texts.

use super::batch::in_parts;
use super::fused::Hands;
use super::placed::padded_len;
use super::Pipeline;
use crate::encoding::Columns;
use crate::error::EncodeError;
use crate::settings::{Settings, SpecialSet};
use crate::spec::{Direction, Padding};

/// Rows of the same length, one behind the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matrix {
    pub rows: usize,
    /// How long each row is.
    pub row_len: usize,
    pub ids: Vec<u32>,
    pub type_ids: Vec<u32>,
    /// 0 where a row is filled up.
    pub attention_mask: Vec<u8>,
    /// 1 where a token is of the post-processor or of padding.
    pub special_tokens_mask: Vec<u8>,
}

impl Pipeline {
    /// Encodes many texts on `threads` threads (0: the CPUs that this process may use), cut as the
    /// settings say and filled up by `padding`; `policy` is what matches and whether special tokens are
    /// added.
    ///
    /// Fails with a text that has more ids than a fixed length, besides what fails otherwise; of
    /// several errors the first text's is returned, with its index.
    pub fn encode_batch_matrix<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        policy: (&SpecialSet, bool),
        settings: &Settings,
        padding: &Padding,
        threads: usize,
    ) -> Result<Matrix, (usize, EncodeError)> {
        let settings = Settings { padding: None, ..settings.clone() };
        let size = |text: &S| text.as_ref().len();
        let parts = in_parts(texts, size, threads, |first, texts| {
            let mut hands = Hands::new(1);
            let row = |(at, text): (usize, &S)| {
                let encoding =
                    self.encode_nth(first + at, text.as_ref(), policy, &settings, &mut hands)?;
                let outline = self.outline(&encoding, false, policy.1, &settings);
                Ok((encoding.ids, outline.map_err(|error| (first + at, error))?))
            };
            texts.iter().enumerate().map(row).collect::<Result<Vec<_>, _>>()
        });
        let mut rows = Vec::with_capacity(texts.len());
        for part in parts {
            rows.extend(part?);
        }
        let longest = rows.iter().map(|(ids, _)| ids.len()).max().unwrap_or_default();
        let row_len = padded_len(padding, longest);
        if let Some(at) = rows.iter().position(|(ids, _)| ids.len() > row_len) {
            let error = EncodeError::LongerThanPadding { ids: rows[at].0.len(), length: row_len };
            return Err((at, error));
        }
        Ok(Matrix::new(&rows, row_len, padding))
    }
}

impl Matrix {
    fn new(rows: &[(Vec<u32>, Columns)], row_len: usize, padding: &Padding) -> Self {
        let size = rows.len() * row_len;
        let mut matrix = Self {
            rows: rows.len(),
            row_len,
            ids: vec![padding.pad_id; size],
            type_ids: vec![padding.pad_type_id; size],
            attention_mask: vec![0; size],
            special_tokens_mask: vec![1; size],
        };
        for (at, (ids, outline)) in rows.iter().enumerate() {
            let start = match padding.direction {
                Direction::Right => at * row_len,
                Direction::Left => (at + 1) * row_len - ids.len(),
            };
            let own = start..start + ids.len();
            matrix.ids[own.clone()].copy_from_slice(ids);
            matrix.type_ids[own.clone()].copy_from_slice(&outline.type_ids);
            matrix.attention_mask[own.clone()].copy_from_slice(&outline.attention_mask);
            matrix.special_tokens_mask[own].copy_from_slice(&outline.special_tokens_mask);
        }
        matrix
    }
}
