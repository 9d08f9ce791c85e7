//! Cuts of a text that has no pre-tokenizer, before word marks that no merge joins to what stands
//! before them.
//!
//! A symbol that lies on both sides of a place in the text was made by a merge whose left token
//! ends there and whose right token begins there. Where no merge has a right token that begins with
//! the mark and a left one that ends in some character, every mark behind that character is a place
//! that no symbol crosses, and the parts on both sides can be merged on their own. Vocabularies of
//! SentencePiece have such merges for runs of marks only, so that words become pieces.
//!
//! Cost: one search for the mark over the text.

use memchr::memmem::Finder;

/// Word marks before which a text can be cut.
pub struct Marks {
    finder: Finder<'static>,
    /// Characters that some merge joins to a mark behind them, sorted.
    joined: Vec<char>,
}

impl Marks {
    /// Cuts before `mark`, but not behind the characters `joined`.
    pub fn new(mark: char, mut joined: Vec<char>) -> Self {
        joined.sort_unstable();
        joined.dedup();
        let finder = Finder::new(mark.encode_utf8(&mut [0; 4]).as_bytes()).into_owned();
        Self { finder, joined }
    }

    /// Hands out the pieces of a text in batches of boundaries.
    pub fn pieces<E>(
        &self,
        text: &str,
        mut batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        const BATCH: usize = 256;
        let mut boundaries = [0; BATCH + 1];
        let mut count = 1;
        for at in self.finder.find_iter(text.as_bytes()) {
            let before = text[..at].chars().next_back();
            if before.is_none_or(|before| self.joined.binary_search(&before).is_ok()) {
                continue;
            }
            boundaries[count] = at;
            count += 1;
            if count == BATCH {
                batch(&boundaries[..count])?;
                boundaries[0] = boundaries[count - 1];
                count = 1;
            }
        }
        boundaries[count] = text.len();
        batch(&boundaries[..=count])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(marks: &Marks, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let keep = |boundaries: &[usize]| {
            found.extend(boundaries.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()));
            Ok::<(), std::convert::Infallible>(())
        };
        marks.pieces(text, keep).unwrap_or_else(|never| match never {});
        found
    }

    #[test]
    fn runs_of_marks_stay_together() {
        let marks = Marks::new('▁', vec!['▁']);
        assert_eq!(pieces(&marks, "▁a▁▁bc▁"), ["▁a", "▁▁bc", "▁"]);
        assert_eq!(pieces(&Marks::new('▁', vec!['▁', 'a']), "a▁b▁c"), ["a▁b", "▁c"]);
    }

    #[test]
    fn many_pieces_come_in_batches() {
        let text = "▁word".repeat(2_000);
        assert_eq!(pieces(&Marks::new('▁', vec![]), &text), vec!["▁word"; 2_000]);
    }
}
