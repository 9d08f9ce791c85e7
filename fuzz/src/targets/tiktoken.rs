//! `tiktoken`: random ranks under a pattern, against the pattern's engine and merging by the rank of what
//! is joined; and any bytes as a file of ranks.

use std::collections::HashMap;

use fretsaw::fuzzed::Split;
use fretsaw::spec::{from_ranks, from_tiktoken, Pattern};
use fretsaw::{compile, EncodeError, SpecialSet};

use super::{check, ids_at_every_level};
use crate::book::merge::merge;
use crate::draw::Draw;
use crate::small::patterns;

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let pattern = match draw.below(5) {
        0 => r"\w+|\s+|.".to_owned(),
        1 => ".".to_owned(),
        at => match &patterns()[at + 2] {
            Pattern::Fancy(text) | Pattern::Onig(text) | Pattern::Literal(text) => text.clone(),
        },
    };
    if draw.one_in(4) {
        let pipeline = compile(from_tiktoken(draw.rest(), &pattern, &[]).ok()?).ok()?;
        check(&pipeline, "a ab aé \u{A0}1");
        return Some(());
    }
    let all_bytes = !draw.one_in(4);
    let mut tokens: Vec<Vec<u8>> = match all_bytes {
        true => (0..=255).map(|byte| vec![byte]).collect(),
        false => b"abc t".iter().map(|&byte| vec![byte]).collect(),
    };
    for _ in 0..draw.below(40) {
        // Mostly what two tokens make, as in a vocabulary that was trained.
        let start = if all_bytes { 240 } else { 0 };
        let from = &tokens[start..];
        let some: [&[u8]; 6] = [b"a", b"b", b" ", b"t", b"\xC3", draw.pick::<Vec<u8>>(from)];
        let token = [*draw.pick(&some), *draw.pick(&some)].concat();
        if !tokens.contains(&token) && token.len() < 24 {
            tokens.push(token);
        }
    }
    let ranks: HashMap<&[u8], u32> = tokens.iter().map(Vec::as_slice).zip(0..).collect();
    let special = [("<|end|>".to_owned(), tokens.len() as u32)];
    let listed = tokens.iter().map(Vec::as_slice).zip(0..);
    let pipeline = compile(from_ranks(listed, &pattern, &special).expect("sound ranks"))
        .expect("a sound pattern");
    let text = match all_bytes {
        true => draw.text(),
        false => draw.text_of(&["a", "b", "c", " ", "t", "ab", "  "], 60),
    };
    let ids = ids_at_every_level(&pipeline, &text, &SpecialSet::None);
    let split = Split::new(&Pattern::Fancy(pattern)).expect("a sound pattern");
    match split.matched(&text) {
        Ok(pieces) => {
            let known = by_the_book(&ranks, &text, &pieces);
            assert_eq!(ids.ok(), known, "{text:?} {tokens:?}");
        }
        Err(error) => assert!(matches!(error, EncodeError::StepLimit { .. })),
    }
    check(&pipeline, &text);
    Some(())
}

/// The ids of a text; `None` where a byte has none.
fn by_the_book(
    ranks: &HashMap<&[u8], u32>,
    text: &str,
    pieces: &[(usize, usize)],
) -> Option<Vec<u32>> {
    let mut ids = Vec::new();
    for &(start, end) in pieces {
        let piece = &text.as_bytes()[start..end];
        if let Some(&id) = ranks.get(piece) {
            ids.push(id);
            continue;
        }
        let rank = |left: &[u8], right: &[u8]| {
            ranks.get(&*[left, right].concat()).map(|&rank| rank.into())
        };
        for token in merge(piece.iter().map(|&byte| vec![byte]).collect(), rank) {
            ids.push(*ranks.get(&*token)?);
        }
    }
    Some(ids)
}
