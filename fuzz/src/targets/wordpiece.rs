//! `wordpiece`: random vocabularies and words against longest match by looking up every beginning.

use std::collections::HashMap;

use fretsaw::{load_bytes, SpecialSet};
use serde_json::json;

use super::{check, ids_at_every_level};
use crate::book::longest::longest_first;
use crate::draw::Draw;

const UNITS: [&str; 8] = ["a", "b", "#", "é", "日", "ab", "##", "[UNK]"];

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let prefix = *draw.pick(&["##", "#", "", "a", "é", "ab"]);
    let max_chars = *draw.pick(&[100, 6, 0, 1]);
    let unknown = *draw.pick(&["[UNK]", "a", "gone"]);
    let tokens = draw.list(30, |draw| {
        let front = if draw.one_in(2) { prefix } else { "" };
        front.to_owned() + &draw.text_of(&UNITS, 6)
    });
    let mut vocab: HashMap<String, u32> = HashMap::new();
    for token in tokens.into_iter().chain(["[UNK]".to_owned()]) {
        let id = vocab.len() as u32;
        vocab.entry(token).or_insert(id);
    }
    let model = json!({
        "type": "WordPiece",
        "vocab": vocab,
        "unk_token": unknown,
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": max_chars,
    });
    let pipeline = load_bytes(json!({"model": model}).to_string().as_bytes()).ok()?;
    let word = draw.text_of(&UNITS, 16);
    let ids = ids_at_every_level(&pipeline, &word, &SpecialSet::All);
    let known = longest_first(&vocab, prefix, unknown, max_chars, &word);
    assert_eq!(ids.ok(), known, "{word:?} {vocab:?} {prefix:?}");
    check(&pipeline, &word);
    Some(())
}
