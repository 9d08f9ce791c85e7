//! Counted pieces: distinct strings, each with how often it was seen.
//!
//! The strings lie one after the other in one buffer, in ascending order of their bytes, so the
//! order is the same however the counting was spread. Building sorts: O(n log n) comparisons of
//! n distinct pieces; memory is the bytes of the pieces and 16 bytes for each.

use super::saved::{put_wide, Saved};

/// Distinct pieces in ascending byte order, each with its count.
///
/// ```
/// use fretsaw::train::Counts;
///
/// let counts: Counts = [("b", 2), ("a", 1), ("b", 3)].into_iter().collect();
/// assert_eq!(counts.iter().collect::<Vec<_>>(), [("a", 1), ("b", 5)]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    text: String,
    ends: Vec<usize>,
    counts: Vec<u64>,
}

impl Counts {
    /// How many distinct pieces there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The piece at `index` in byte order; `None` behind the last.
    pub fn piece(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text.get(start..end)
    }

    /// The counts in the order of the pieces.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Pieces with their counts, in ascending byte order of the pieces.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends);
        spans.zip(&self.counts).map(|((start, end), &count)| (&self.text[start..*end], count))
    }

    /// All of it as bytes, for other processes: the number of pieces, their counts, where each ends in
    /// the text, and the text; numbers have 8 bytes, the lowest first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + 16 * self.len() + self.text.len());
        put_wide(&mut bytes, [self.len() as u64]);
        put_wide(&mut bytes, self.counts.iter().copied());
        put_wide(&mut bytes, self.ends.iter().map(|&end| end as u64));
        bytes.extend(self.text.as_bytes());
        bytes
    }

    /// The counts of such bytes; `None` where they are not.
    ///
    /// ```
    /// use fretsaw::train::Counts;
    ///
    /// let counts: Counts = [("a", 1), ("é", 2)].into_iter().collect();
    /// assert_eq!(Counts::from_bytes(&counts.to_bytes()), Some(counts));
    /// assert_eq!(Counts::from_bytes(b"other"), None);
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut saved = Saved::new(bytes);
        let len = saved.size(16)?;
        let (counts, ends) = (saved.wides(len)?, saved.wides(len)?);
        let ends: Option<Vec<usize>> =
            ends.into_iter().map(|end| usize::try_from(end).ok()).collect();
        let text = std::str::from_utf8(saved.rest()).ok()?.to_owned();
        let found = Counts { text, ends: ends?, counts };
        found.is_sound().then_some(found)
    }

    /// Whether pieces ascend, each has been seen, and together they are the text.
    fn is_sound(&self) -> bool {
        let mut before: Option<&str> = None;
        let ascend = (0..self.len()).all(|at| {
            let piece = self.piece(at);
            let ascends = piece.is_some() && (before.is_none() || before < piece);
            before = piece;
            ascends
        });
        let end = self.ends.last().copied().unwrap_or_default();
        ascend && end == self.text.len() && self.counts.iter().all(|&count| count > 0)
    }

    fn push(&mut self, piece: &str, count: u64) {
        self.text.push_str(piece);
        self.ends.push(self.text.len());
        self.counts.push(count);
    }
}

impl<'a> FromIterator<(&'a str, u64)> for Counts {
    /// Adds up the counts of equal pieces; a sum stops at `u64::MAX`, and what was never seen is left
    /// out.
    fn from_iter<I: IntoIterator<Item = (&'a str, u64)>>(pieces: I) -> Self {
        let seen = pieces.into_iter().filter(|(_, count)| *count > 0);
        // Most pieces differ in their first bytes, so that few are looked up in memory to compare them.
        let mut pieces: Vec<(u64, &str, u64)> =
            seen.map(|(piece, count)| (first_bytes(piece), piece, count)).collect();
        pieces.sort_unstable();
        pieces.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            same
        });
        let mut counts = Counts {
            text: String::with_capacity(pieces.iter().map(|(_, piece, _)| piece.len()).sum()),
            ends: Vec::with_capacity(pieces.len()),
            counts: Vec::with_capacity(pieces.len()),
        };
        for (_, piece, count) in pieces {
            counts.push(piece, count);
        }
        counts
    }
}

/// The first eight bytes, as a number that is in order as they are.
fn first_bytes(piece: &str) -> u64 {
    let mut first = [0; 8];
    let len = piece.len().min(8);
    first[..len].copy_from_slice(&piece.as_bytes()[..len]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_in_the_order_of_their_bytes() {
        let pieces = ["abcdefgh\0", "abcdefgh", "b", "abcdefgi", "", "a\0", "a", "abcdefgha", "é"];
        let counts: Counts = pieces.into_iter().chain(["a"]).map(|piece| (piece, 1)).collect();
        let mut sorted = pieces;
        sorted.sort_unstable();
        assert_eq!(counts.iter().map(|(piece, _)| piece).collect::<Vec<_>>(), sorted);
        assert_eq!(counts.counts(), [1, 2, 1, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn bytes_are_counts_or_nothing() {
        for pieces in [vec![], vec![("", 3), ("a", 1), ("ab", 2), ("é", u64::MAX)]] {
            let counts: Counts = pieces.into_iter().collect();
            let bytes = counts.to_bytes();
            assert_eq!(Counts::from_bytes(&bytes).as_ref(), Some(&counts));
            for len in 0..bytes.len() {
                assert_eq!(Counts::from_bytes(&bytes[..len]), None);
            }
            for at in 0..bytes.len() {
                for change in [0x01, 0x80, 0xFF] {
                    let mut changed = bytes.clone();
                    changed[at] ^= change;
                    if let Some(counts) = Counts::from_bytes(&changed) {
                        assert_eq!(counts.iter().count(), counts.len());
                    }
                }
            }
        }
    }
}
