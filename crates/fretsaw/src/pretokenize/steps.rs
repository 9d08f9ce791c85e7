//! Steps of a pre-tokenizer, one after the other, over pieces of a text of their own.
//!
//! This is the general way: each step may cut pieces and rewrite their text. ByteLevel rewrites
//! bytes into its alphabet, and steps behind it see that spelling, as in the oracle.

use std::convert::Infallible;

use crate::byte_level;
use crate::scan::{scan, Digits, Gpt2, Level};
use crate::unicode::{is_rust_numeric, ClassTable};

/// One pre-tokenizer.
pub enum Step {
    /// Numbers stand alone, one by one or in runs.
    Digits { individual: bool },
    /// A space in front, GPT-2's split, and the byte alphabet.
    ByteLevel { add_prefix_space: bool, split: Option<ClassTable> },
}

/// Pieces of a text that steps work on.
pub struct Pieces {
    text: String,
    /// Where each piece ends; each starts where the one before ends.
    ends: Vec<usize>,
}

impl Pieces {
    /// The whole text as one piece.
    pub fn new(text: &str) -> Self {
        let ends = if text.is_empty() { vec![] } else { vec![text.len()] };
        Self { text: text.to_owned(), ends }
    }

    /// Applies a step to every piece.
    pub fn apply(&mut self, step: &Step, level: Level) {
        let mut text = String::with_capacity(self.text.len());
        let mut ends = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for &end in &self.ends {
            let piece = &self.text[start..end];
            start = end;
            match step {
                Step::Digits { individual } => {
                    ends.extend(digit_ends(piece, *individual).map(|end| text.len() + end));
                    text.push_str(piece);
                }
                Step::ByteLevel { add_prefix_space, split } => {
                    byte_level(
                        piece,
                        *add_prefix_space,
                        split.as_ref(),
                        level,
                        &mut text,
                        &mut ends,
                    );
                }
            }
        }
        (self.text, self.ends) = (text, ends);
    }

    /// Hands out the pieces as bytes, turned back from the byte alphabet.
    pub fn hand_out<E>(
        &self,
        mut batch: impl FnMut(&[u8], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut bytes = Vec::with_capacity(self.text.len());
        let mut boundaries = vec![0];
        let mut start = 0;
        for &end in &self.ends {
            byte_level::unspell(&self.text[start..end], &mut bytes);
            boundaries.push(bytes.len());
            start = end;
        }
        if boundaries.len() > 1 {
            batch(&bytes, &boundaries)?;
        }
        Ok(())
    }
}

/// Where the pieces of Digits end.
fn digit_ends(piece: &str, individual: bool) -> impl Iterator<Item = usize> + '_ {
    let mut characters = piece.char_indices().peekable();
    std::iter::from_fn(move || {
        let (_, first) = characters.next()?;
        let numeric = is_rust_numeric(first as u32);
        if !(numeric && individual) {
            while characters.next_if(|&(_, c)| is_rust_numeric(c as u32) == numeric).is_some() {}
        }
        Some(characters.peek().map_or(piece.len(), |&(at, _)| at))
    })
}

/// Cuts one piece as ByteLevel does and appends its pieces, spelled in the byte alphabet.
fn byte_level(
    piece: &str,
    add_prefix_space: bool,
    split: Option<&ClassTable>,
    level: Level,
    text: &mut String,
    ends: &mut Vec<usize>,
) {
    let spaced;
    let piece = if add_prefix_space && !piece.starts_with(' ') {
        spaced = format!(" {piece}");
        &spaced
    } else {
        piece
    };
    let mut push = |part: &[u8]| {
        byte_level::spell(part, text);
        ends.push(text.len());
    };
    let Some(table) = split else {
        push(piece.as_bytes());
        return;
    };
    let family = Gpt2 { digits: Digits::None };
    let done: Result<(), Infallible> = scan(&family, table, level, piece, |boundaries| {
        boundaries.windows(2).for_each(|pair| push(&piece.as_bytes()[pair[0]..pair[1]]));
        Ok(())
    });
    done.unwrap_or_else(|never| match never {});
}
