//! Steps that go by the class of each character or by their number.

use crate::unicode::{is_strip_space, is_word, script_class};

/// Whitespace: `\w+|[^\w\s]+`, and what lies between is dropped.
pub(super) fn words(piece: &str, base: usize, out: &mut Vec<(usize, usize)>) {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Class {
        Word,
        Space,
        Other,
    }
    let class_of = |character: char| match character as u32 {
        point if is_word(point) => Class::Word,
        point if is_strip_space(point) => Class::Space,
        _ => Class::Other,
    };
    let mut run = (Class::Space, 0);
    for (at, character) in piece.char_indices() {
        let class = class_of(character);
        if class != run.0 {
            if run.0 != Class::Space {
                out.push((base + run.1, base + at));
            }
            run = (class, at);
        }
    }
    if run.0 != Class::Space {
        out.push((base + run.1, base + piece.len()));
    }
}

/// UnicodeScripts: cuts before a character of another script than the one before it. Characters of
/// no script, the space among them, never cut, and those in front of the first of any are lost.
pub(super) fn scripts(piece: &str, base: usize, out: &mut Vec<(usize, usize)>) {
    let (mut script, mut start) = (0, 0);
    for (at, character) in piece.char_indices() {
        let class = script_class(character as u32);
        if class != 0 && class != script {
            if script != 0 {
                out.push((base + start, base + at));
            }
            (script, start) = (class, at);
        }
    }
    if script != 0 {
        out.push((base + start, base + piece.len()));
    }
}

/// FixedLength: pieces of `chars` characters, the last perhaps of fewer.
pub(super) fn fixed_length(piece: &str, base: usize, chars: usize, out: &mut Vec<(usize, usize)>) {
    let starts = piece.char_indices().map(|(at, _)| at).step_by(chars.max(1));
    let ends = starts.clone().skip(1).chain([piece.len()]);
    out.extend(starts.zip(ends).map(|(start, end)| (base + start, base + end)));
}
