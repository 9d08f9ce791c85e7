//! CLIP's pieces: what its pattern matches, cut by GPT-2's split behind it.
//!
//! Only white space is not matched; pieces keep the character of it before them, which spelling takes away
//! ([`Spelling::Bare`](super::Spelling)). Of GPT-2's split the pieces know nothing, but for the two
//! control tokens that the pattern matches first: it cuts them in three, as the pattern does without them.
//! All that is left of them is that nothing behind one goes on with its `|>`.
//!
//! Cost: the mask scanner's, and a search for the end of these two.

use crate::scan::{best_level, scan, Clip as Family};
use crate::unicode::{is_rust_whitespace, ClassTable};

/// What the pattern matches first, and what they have in common.
const CONTROLS: [&str; 2] = ["<|startoftext|>", "<|endoftext|>"];
const END: &str = "oftext|>";

/// Where CLIP's pieces are cut.
pub struct Clip {
    table: ClassTable,
}

impl Clip {
    /// `table` has the classes of GPT-2's split.
    pub fn new(table: ClassTable) -> Self {
        Self { table }
    }

    /// Hands out the pieces of a text that is not empty, in batches of boundaries.
    pub fn pieces<E>(
        &self,
        text: &str,
        mut batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let ends = self.ends_of_controls(text);
        if ends.is_empty() {
            return scan(&Family, Some(&self.table), best_level(), text, batch);
        }
        let mut start = 0;
        for end in ends.into_iter().chain([text.len()]) {
            scan(&Family, Some(&self.table), best_level(), &text[start..end], |boundaries| {
                batch(&boundaries.iter().map(|at| start + at).collect::<Vec<_>>())
            })?;
            start = end;
        }
        Ok(())
    }

    /// How many bytes the white space has that a text starts with; 0 if it starts with none.
    #[inline(always)]
    pub fn space_len(&self, text: &[u8]) -> usize {
        match text.first() {
            Some(0x09..=0x0D | b' ') => 1,
            Some(0x00..=0x7F) | None => 0,
            Some(lead) => {
                let len = (lead.leading_ones() as usize).clamp(1, text.len());
                let c = std::str::from_utf8(&text[..len]).ok().and_then(|text| text.chars().next());
                c.filter(|c| is_rust_whitespace(u32::from(*c))).map_or(0, char::len_utf8)
            }
        }
    }

    /// Where the matches of control tokens end: those that no run of others goes over into.
    fn ends_of_controls(&self, text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        for found in memchr::memmem::find_iter(text.as_bytes(), END) {
            let end = found + END.len();
            let before = &text[..end];
            let Some(control) = CONTROLS.into_iter().find(|control| before.ends_with(control))
            else {
                continue;
            };
            let start = end - control.len();
            let is_other = |c: char| self.table.class_bits(u32::from(c)) == 0;
            let goes_on = text[..start].chars().next_back().is_some_and(is_other);
            if !goes_on || ends.last() == Some(&start) {
                ends.push(end);
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spelling;
    use super::*;
    use crate::draws::draws;
    use crate::pattern::Pattern;
    use crate::scan::{boundaries_of, levels, LETTER, NUMBER, SPACE};
    use crate::spec;
    use crate::unicode::Engine;

    const GPT2: &str =
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

    fn clip() -> Clip {
        Clip::new(ClassTable::from_kinds(|kind| {
            let category = kind.category(Engine::Onig);
            let bit = |on: bool, bit: u8| if on { bit } else { 0 };
            bit(category.is_letter(), LETTER)
                | bit(category.is_number(), NUMBER)
                | bit(kind.is_space(Engine::Onig), SPACE)
        }))
    }

    fn pieces(clip: &Clip, text: &str) -> Vec<String> {
        let all = boundaries_of(|keep| clip.pieces(text, keep));
        let spelled = |pair: &[usize]| {
            let mut buffer = Vec::new();
            let piece = Spelling::Bare.spell(&text.as_bytes()[pair[0]..pair[1]], &mut buffer);
            String::from_utf8(piece.to_vec()).unwrap()
        };
        all.windows(2).map(spelled).filter(|piece| !piece.is_empty()).collect()
    }

    fn by_engine(engines: &[Pattern; 2], text: &str) -> Vec<String> {
        let mut pieces = Vec::new();
        for found in engines[0].find_iter(text) {
            let (start, end) = found.unwrap();
            let word = &text[start..end];
            pieces.extend(engines[1].find_iter(word).map(|found| {
                let (start, end) = found.unwrap();
                word[start..end].to_owned()
            }));
        }
        pieces
    }

    #[test]
    fn pieces_are_those_of_the_engine() {
        let engines = [spec::CLIP_WORDS, GPT2]
            .map(|text| Pattern::compile(&spec::Pattern::Onig(text.into()), "p").unwrap());
        let clip = clip();
        const PARTS: [&str; 24] = [
            "a",
            "b",
            "s",
            "'",
            "'s",
            "'re",
            "'ll",
            "1",
            "2",
            "²",
            " ",
            " ",
            "\n",
            "\u{85}",
            "\u{3000}",
            ".",
            "!",
            "é",
            "漢",
            "\u{1F600}",
            "<|",
            "<|endoftext|>",
            "<|startoftext|>",
            "|>",
        ];
        let mut next = draws(1);
        for round in 0..6_000 {
            let (few, first) = (1 + next(PARTS.len()), next(PARTS.len()));
            let len = 1 + next(if round % 3 == 0 { 150 } else { 12 });
            let text: String = (0..len).map(|_| PARTS[(first + next(few)) % PARTS.len()]).collect();
            assert_eq!(pieces(&clip, &text), by_engine(&engines, &text), "{text:?}");
            let boundaries =
                |level| boundaries_of(|keep| scan(&Family, Some(&clip.table), level, &text, keep));
            let known = boundaries(crate::scan::Level::Scalar);
            levels().into_iter().for_each(|level| assert_eq!(boundaries(level), known));
        }
    }

    #[test]
    fn white_space_is_what_the_pattern_and_spelling_call_so() {
        let clip = clip();
        for c in '\0'..=char::MAX {
            let is_space = clip.table.class_bits(u32::from(c)) == SPACE;
            assert_eq!(is_space, is_rust_whitespace(u32::from(c)), "{c:?}");
            let mut buffer = [0; 4];
            let len = clip.space_len(c.encode_utf8(&mut buffer).as_bytes());
            assert_eq!(len, if is_space { c.len_utf8() } else { 0 }, "{c:?}");
        }
    }
}
