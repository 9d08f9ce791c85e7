//! `encode`: the four families of splits with added tokens on, off or chosen, against the pattern's own
//! engine, added tokens one by one and merges one by one; and each SIMD level against the scalar twin.

use fretsaw::{EncodeError, SpecialSet, Tokenizer};

use super::ids_at_every_level;
use crate::book::added::Added;
use crate::book::alphabet::spell;
use crate::draw::Draw;
use crate::small::{any_family, Family};

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let family = any_family(draw);
    let special = match draw.below(3) {
        0 => SpecialSet::All,
        1 => SpecialSet::None,
        _ => {
            let chosen = draw.byte();
            let tokens = family.added.iter().enumerate();
            let tokens = tokens.filter(|(at, _)| chosen >> at & 1 == 1);
            SpecialSet::only(&tokens.map(|(_, token)| &token.content).collect::<Vec<_>>())
        }
    };
    let text = draw.text();
    let ids = ids_at_every_level(&family.pipeline, &text, &special);
    match by_the_book(family, &text, &special) {
        Some(known) => assert_eq!(ids, Ok(known), "{text:?} {special:?}"),
        None => assert!(matches!(ids, Err(EncodeError::OverlappingAddedTokens { .. })), "{ids:?}"),
    }
    Some(())
}

fn by_the_book(family: &Family, text: &str, special: &SpecialSet) -> Option<Vec<u32>> {
    let added = Added { tokens: &family.added, special };
    let mut ids = Vec::new();
    for (start, end, token) in added.cut(text)? {
        match token {
            Some(token) => ids.push(family.added[token].id),
            None => ids.extend(model_ids(family, &text[start..end])),
        }
    }
    Some(ids)
}

/// The ids of a text without added tokens.
pub fn model_ids(family: &Family, text: &str) -> Vec<u32> {
    let ends = family.split.searched(text).expect("few steps");
    let (mut ids, mut start) = (Vec::new(), 0);
    for end in ends {
        let tokens = family.merges.apply(&spell(&text.as_bytes()[start..end]));
        ids.extend(tokens.iter().filter_map(|token| family.pipeline.token_to_id(token)));
        start = end;
    }
    assert!(ids.iter().all(|&id| id < family.pipeline.vocab_size()));
    ids
}
