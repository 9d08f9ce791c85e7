//! `unigram`: random models, odd scores among them, against the book's Viterbi; with byte fallback, each
//! level against the other.

use std::sync::Arc;

use fretsaw::spec::{self, from_json, LazyModel, Vocab};
use fretsaw::{compile, SpecialSet};

use super::{check, ids_at_every_level};
use crate::book::viterbi::Book;
use crate::draw::Draw;

const UNITS: [&str; 8] = ["a", "b", "é", "日", "u", "ab", "<0x61>", " "];
const ODD: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -1.0, 1e308, -1e308];

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let odd = draw.one_in(4);
    let byte_fallback = draw.one_in(4);
    let mut texts = draw.list(24, |draw| draw.text_of(&UNITS, 6));
    let mut known = std::collections::HashSet::new();
    texts.retain(|text| !text.is_empty() && known.insert(text.clone()));
    if texts.is_empty() {
        return None;
    }
    let score = |draw: &mut Draw<'_>| match odd {
        true => *draw.pick(&ODD),
        false => -f64::from(draw.byte()) / 7.0,
    };
    let scores: Vec<f64> = texts.iter().map(|_| score(draw)).collect();
    let unk_id = (!draw.one_in(4)).then(|| draw.below(texts.len()));
    let piece = draw.text_of(&UNITS, 30);
    let mut vocab = Vocab::new();
    assert!(texts.iter().zip(0..).all(|(text, id)| vocab.push(text, id)));
    let model = spec::Unigram {
        vocab,
        scores: scores.clone(),
        unk_id,
        byte_fallback,
        alpha: None,
        nbest_size: None,
    };
    let mut spec = from_json(br#"{"model": {"type": "WordLevel", "vocab": {}, "unk_token": ""}}"#)
        .expect("a file");
    spec.model = Arc::new(LazyModel::Now(spec::Model::Unigram(model)));
    let pipeline = compile(spec).ok()?;
    let ids = ids_at_every_level(&pipeline, &piece, &SpecialSet::All);
    if byte_fallback {
        check(&pipeline, &piece);
        return Some(());
    }
    let book = Book {
        ids: texts.iter().map(String::as_str).zip(0..).collect(),
        scores: &scores,
        unknown: unk_id.map(|id| id as u32),
    };
    assert_eq!(ids.ok(), book.encode(&piece), "{piece:?} {texts:?} {scores:?} {unk_id:?}");
    Some(())
}
