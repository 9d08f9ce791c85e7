//! Counted pieces: distinct strings, each with how often it was seen.
//!
//! The strings lie one after the other in one buffer, in ascending order of their bytes, so the
//! order is the same however the counting was spread. Building sorts: O(n log n) comparisons of
//! n distinct pieces; memory is the bytes of the pieces and 16 bytes for each.

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

    fn push(&mut self, piece: &str, count: u64) {
        self.text.push_str(piece);
        self.ends.push(self.text.len());
        self.counts.push(count);
    }

    /// Counts of pieces that are distinct already, in any order.
    pub(crate) fn from_distinct(mut pieces: Vec<(&str, u64)>) -> Self {
        pieces.sort_unstable_by_key(|(piece, _)| *piece);
        let mut counts = Counts {
            text: String::with_capacity(pieces.iter().map(|(piece, _)| piece.len()).sum()),
            ends: Vec::with_capacity(pieces.len()),
            counts: Vec::with_capacity(pieces.len()),
        };
        for (piece, count) in pieces {
            counts.push(piece, count);
        }
        counts
    }
}

impl<'a> FromIterator<(&'a str, u64)> for Counts {
    /// Adds up the counts of equal pieces; a sum stops at `u64::MAX`, and what was never seen is left
    /// out.
    fn from_iter<I: IntoIterator<Item = (&'a str, u64)>>(pieces: I) -> Self {
        let mut pieces: Vec<(&str, u64)> =
            pieces.into_iter().filter(|(_, count)| *count > 0).collect();
        pieces.sort_unstable();
        pieces.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        Counts::from_distinct(pieces)
    }
}
