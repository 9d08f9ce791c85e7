//! What decoding sees of each id: the model's table, and the added tokens over it.
//!
//! The two are apart so that adding tokens does not touch the table.

use crate::tables::{TokenTable, SHORT_WIDTH};

/// What stands over a model's tokens.
#[derive(Debug, Default)]
pub struct AddedStrings {
    /// Ids and their strings, ids ascending.
    strings: Vec<(u32, Vec<u8>)>,
    /// One bit an id: whether it is among them.
    is_added: Vec<u64>,
    /// One past the largest id.
    id_end: u32,
}

/// All strings.
#[derive(Clone, Copy)]
pub struct Strings<'a> {
    model: &'a TokenTable,
    added: &'a AddedStrings,
}

impl AddedStrings {
    /// Strings by id; of those that share one the first stands.
    pub fn new(mut strings: Vec<(u32, Vec<u8>)>) -> Self {
        // A stable sort keeps the first one first.
        strings.sort_by_key(|(id, _)| *id);
        strings.dedup_by_key(|(id, _)| *id);
        let id_end = strings.last().map_or(0, |(id, _)| id + 1);
        let mut is_added = vec![0u64; (id_end as usize).div_ceil(64)];
        for (id, _) in &strings {
            is_added[*id as usize / 64] |= 1 << (id % 64);
        }
        Self { strings, is_added, id_end }
    }

    /// One past the largest id.
    pub fn id_end(&self) -> u32 {
        self.id_end
    }

    #[inline]
    fn get(&self, id: u32) -> Option<&[u8]> {
        if !has_bit(&self.is_added, id) {
            return None;
        }
        let at = self.strings.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.strings[at].1)
    }
}

impl<'a> Strings<'a> {
    /// The strings of a model with others over them.
    #[inline]
    pub fn new(model: &'a TokenTable, added: &'a AddedStrings) -> Self {
        Self { model, added }
    }

    /// One past the largest id.
    pub fn len(&self) -> usize {
        self.model.len().max(self.added.id_end as usize)
    }

    /// The string of an id, or `None` where no token has it.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&'a [u8]> {
        self.added.get(id).or_else(|| self.model.get(id))
    }

    /// Appends the strings of ids, but of those whose bit is set in `left_out`. An id that no token has is
    /// passed over, or, with `strict`, the error; what stands before it is appended then.
    ///
    /// Most are short: they are copied at one width into room for a group of them.
    pub fn append_all(
        &self,
        ids: &[u32],
        left_out: &[u64],
        strict: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), u32> {
        const GROUP: usize = 64;
        const ROOM: usize = GROUP * SHORT_WIDTH;
        let short = self.model.short_tokens();
        for group in ids.chunks(GROUP) {
            let mut end = out.len();
            out.resize(end + ROOM, 0);
            for &id in group {
                let plain = !has_bit(&self.added.is_added, id) && !has_bit(left_out, id);
                let found = if plain { short.get(id) } else { None };
                let place = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut);
                if let (Some((wide, len)), Some(place)) = (found, place) {
                    *place = *wide;
                    end += len;
                    continue;
                }
                out.truncate(end);
                match self.get(id) {
                    Some(_) if has_bit(left_out, id) => {}
                    Some(string) => out.extend_from_slice(string),
                    None if strict => return Err(id),
                    None => {}
                }
                end = out.len();
                out.resize(end + ROOM, 0);
            }
            out.truncate(end);
        }
        Ok(())
    }

    /// Existing ids with their strings, in id order.
    pub fn iter(self) -> impl Iterator<Item = (u32, &'a [u8])> {
        (0..self.len() as u32).filter_map(move |id| Some((id, self.get(id)?)))
    }

    /// All of them in one table.
    pub fn table(self) -> TokenTable {
        // They are parts of tables that fit.
        TokenTable::build(self.len(), self.iter()).unwrap_or_else(TokenTable::empty)
    }
}

/// Whether the bit of an id is set.
#[inline]
pub fn has_bit(bits: &[u64], id: u32) -> bool {
    bits.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_strings_stand_over_the_models() {
        let model = TokenTable::build(3, [(0, &b"a"[..]), (2, b"c")].into_iter()).expect("small");
        let added = [(70, "z"), (2, "first"), (2, "second"), (1, "")];
        let added = AddedStrings::new(
            added.into_iter().map(|(id, string)| (id, string.as_bytes().to_vec())).collect(),
        );
        let strings = Strings::new(&model, &added);
        assert_eq!(strings.len(), 71);
        assert_eq!(strings.get(0), Some(&b"a"[..]));
        assert_eq!(strings.get(1), Some(&b""[..]));
        assert_eq!(strings.get(2), Some(&b"first"[..]));
        assert_eq!(strings.get(3), None);
        assert_eq!(strings.get(70), Some(&b"z"[..]));
        assert_eq!(strings.get(u32::MAX), None);
        assert_eq!(strings.iter().count(), 4);
        let mut appended = b"+".to_vec();
        let ids: Vec<u32> = (0..80).rev().cycle().take(300).collect();
        assert_eq!(strings.append_all(&ids, &[], false, &mut appended), Ok(()));
        let wanted: Vec<u8> =
            ids.iter().flat_map(|&id| strings.get(id)).flatten().copied().collect();
        assert_eq!(appended[1..], wanted);
        appended.clear();
        assert_eq!(strings.append_all(&[2, 0, 70, 3, 2], &[0b100], true, &mut appended), Err(3));
        assert_eq!(appended, b"az");
        assert_eq!(strings.table().get(70), Some(&b"z"[..]));
    }
}
