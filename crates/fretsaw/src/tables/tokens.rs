//! Id -> bytes, flat: one buffer, where each id starts, and which ids exist.

use super::fret::{Reader, Writer};
use super::Array;
use crate::error::LoadError;

/// The bytes of every id. Ids may have gaps; a token may be empty.
#[derive(Debug)]
pub struct TokenTable {
    bytes: Array<u8>,
    /// `offsets[id]..offsets[id + 1]` in `bytes`.
    offsets: Array<u32>,
    /// One bit an id: whether a token has it.
    present: Array<u64>,
}

impl TokenTable {
    /// Builds the table from tokens by id; where an id comes twice the last one stands.
    ///
    /// `len` is one past the largest id. Returns `None` when the bytes would pass 4 GiB.
    pub fn build<'a>(len: usize, tokens: impl Iterator<Item = (u32, &'a [u8])>) -> Option<Self> {
        let mut by_id: Vec<Option<&[u8]>> = vec![None; len];
        for (id, token) in tokens {
            by_id[id as usize] = Some(token);
        }
        let mut bytes = Vec::new();
        let mut offsets = Vec::with_capacity(len + 1);
        let mut present = vec![0u64; len.div_ceil(64)];
        offsets.push(0u32);
        for (id, token) in by_id.iter().enumerate() {
            if let Some(token) = token {
                present[id / 64] |= 1 << (id % 64);
                bytes.extend_from_slice(token);
            }
            offsets.push(u32::try_from(bytes.len()).ok()?);
        }
        Some(Self { bytes: bytes.into(), offsets: offsets.into(), present: present.into() })
    }

    /// Writes the table under three names.
    pub fn store(&self, writer: &mut Writer, names: [&'static str; 3]) {
        writer.array(names[0], self.bytes.as_slice());
        writer.array(names[1], self.offsets.as_slice());
        writer.array(names[2], self.present.as_slice());
    }

    /// The table that was written so, in place.
    pub fn stored(reader: &Reader, names: [&'static str; 3]) -> Result<Self, LoadError> {
        let table = Self {
            bytes: reader.array(names[0])?,
            offsets: reader.array(names[1])?,
            present: reader.array(names[2])?,
        };
        let (bytes, offsets) = (table.bytes.as_slice(), table.offsets.as_slice());
        if offsets.is_empty() {
            return Err(reader.broken());
        }
        let next = offsets.iter().skip(1);
        let ascending = offsets.iter().zip(next).fold(true, |so_far, (a, b)| so_far & (a <= b));
        let inside = offsets.last().is_some_and(|&end| end as usize <= bytes.len());
        let (present, len) = (table.present.as_slice(), table.len());
        // No bit stands for an id beyond the last one.
        let last = present.last().map_or(0, |word| word >> (len % 64));
        let sized = inside && present.len() == len.div_ceil(64) && (len % 64 == 0 || last == 0);
        if ascending && sized && table.len() <= super::INDEX_LIMIT as usize {
            Ok(table)
        } else {
            Err(reader.broken())
        }
    }

    /// A table without any id.
    pub fn empty() -> Self {
        Self { bytes: vec![].into(), offsets: vec![0].into(), present: vec![].into() }
    }

    /// One past the largest id.
    #[inline]
    pub fn len(&self) -> usize {
        self.offsets.as_slice().len() - 1
    }

    /// Whether no id exists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of `id`, or `None` where no token has it.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&[u8]> {
        let id = id as usize;
        let word = self.present.as_slice().get(id / 64)?;
        if word >> (id % 64) & 1 == 0 {
            return None;
        }
        let offsets = self.offsets.as_slice();
        Some(&self.bytes.as_slice()[offsets[id] as usize..offsets[id + 1] as usize])
    }

    /// What reads the bytes of many short tokens.
    #[inline]
    pub fn short_tokens(&self) -> ShortTokens<'_> {
        ShortTokens { bytes: self.bytes.as_slice(), offsets: self.offsets.as_slice() }
    }

    /// The same ids with other bytes: `rewrite` appends those of one token, which all together are
    /// not longer than the old ones.
    pub fn rewritten(&self, mut rewrite: impl FnMut(&[u8], &mut Vec<u8>)) -> Self {
        let mut bytes = Vec::with_capacity(self.bytes.as_slice().len());
        let mut offsets = Vec::with_capacity(self.len() + 1);
        offsets.push(0u32);
        for id in 0..self.len() as u32 {
            if let Some(token) = self.get(id) {
                rewrite(token, &mut bytes);
            }
            offsets.push(bytes.len() as u32);
        }
        let present = self.present.as_slice().to_vec();
        Self { bytes: bytes.into(), offsets: offsets.into(), present: present.into() }
    }

    /// Existing ids with their bytes, in id order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> + '_ {
        (0..self.len() as u32).filter_map(|id| Some((id, self.get(id)?)))
    }
}

/// No short token is longer.
pub const SHORT_WIDTH: usize = 16;

/// The tokens of a table that are short, each at one width: the slices are looked up once for all.
#[derive(Clone, Copy)]
pub struct ShortTokens<'a> {
    bytes: &'a [u8],
    offsets: &'a [u32],
}

impl<'a> ShortTokens<'a> {
    /// The bytes of an id with some of what stands behind, and how many are its own: at least one.
    /// `None` where a token is longer, empty or not there, or stands too near to the end of the table.
    #[inline]
    pub fn get(&self, id: u32) -> Option<(&'a [u8; SHORT_WIDTH], usize)> {
        let [start, end] = *self.offsets.get(id as usize..)?.first_chunk::<2>()?;
        let len = (end - start) as usize;
        let wide = self.bytes.get(start as usize..)?.first_chunk::<SHORT_WIDTH>()?;
        (1..=SHORT_WIDTH).contains(&len).then_some((wide, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_empty_tokens_and_repeated_ids() {
        let tokens: [(u32, &[u8]); 4] = [(0, b"a"), (3, b""), (5, b"old"), (5, b"new")];
        let table = TokenTable::build(6, tokens.into_iter()).expect("small");
        assert_eq!(table.get(0), Some(&b"a"[..]));
        assert_eq!(table.get(1), None);
        assert_eq!(table.get(3), Some(&b""[..]));
        assert_eq!(table.get(5), Some(&b"new"[..]));
        assert_eq!(table.get(6), None);
        assert_eq!(table.get(u32::MAX), None);
        assert_eq!(table.iter().count(), 3);
        let tokens: Vec<Vec<u8>> = (0..40).map(|len| vec![len as u8 + 1; len]).collect();
        let all = (0..).step_by(2).zip(tokens.iter().map(Vec::as_slice));
        let table = TokenTable::build(80, all).expect("small");
        let short = table.short_tokens();
        for id in 0..90 {
            match short.get(id) {
                Some((wide, len)) => assert_eq!(table.get(id), Some(&wide[..len]), "{id}"),
                None => assert!(id % 2 == 1 || id == 0 || id > 2 * 16, "{id}"),
            }
        }
    }
}
