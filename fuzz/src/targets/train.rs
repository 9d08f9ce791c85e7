//! `train`: byte-pair encoding learned from random words, against the rule as it is described; Unigram
//! and its options: whatever is learned loads again and spells its words.

use fretsaw::spec::from_json;
use fretsaw::train::{train, BpeTrainer, Counts, Trainer, UnigramTrainer, Watch};
use fretsaw::{compile, SpecialSet};

use super::ids_at_every_level;
use crate::book::train::learn;
use crate::draw::Draw;

const UNITS: [&str; 8] = ["a", "b", "c", "ab", "aa", "é", "漢", "abc"];

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let unigram = draw.one_in(4);
    let threads = 1 + draw.below(2);
    let vocab_size = draw.below(48);
    let min_frequency = draw.below(4) as u64;
    let mut words: Vec<(String, u64)> = Vec::new();
    for _ in 0..draw.below(20) {
        let word = draw.text_of(&UNITS, 12);
        let count = 1 + draw.below(6) as u64;
        if !word.is_empty() && !words.iter().any(|(known, _)| *known == word) {
            words.push((word, count));
        }
    }
    let words: Vec<(&str, u64)> =
        words.iter().map(|(word, count)| (word.as_str(), *count)).collect();
    let counts: Counts = words.iter().copied().collect();
    if unigram {
        return learn_unigram(draw, &words, &counts, threads);
    }
    let trainer = BpeTrainer { vocab_size, min_frequency, threads, ..BpeTrainer::default() };
    let learned = trainer.learn(&counts, Watch::nobody()).expect("nobody stops it");
    let known = learn(&words, vocab_size, min_frequency);
    assert_eq!((learned.tokens, learned.merges), known, "{words:?} {vocab_size} {min_frequency}");
    Some(())
}

fn learn_unigram(
    draw: &mut Draw<'_>,
    words: &[(&str, u64)],
    counts: &Counts,
    threads: usize,
) -> Option<()> {
    let trainer = UnigramTrainer {
        vocab_size: 1 + draw.below(40),
        unk_token: Some("<unk>".to_owned()),
        special_tokens: vec!["<unk>".to_owned()],
        threads,
        ..UnigramTrainer::default()
    };
    let learn = |trainer: UnigramTrainer| {
        let spec =
            from_json(br#"{"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]]}}"#)
                .expect("a file");
        train(spec, counts, &Trainer::Unigram(trainer), &[], Watch::nobody())
    };
    let alone = learn(UnigramTrainer { threads: 1, ..trainer.clone() });
    let spec = learn(trainer).ok();
    assert_eq!(spec, alone.ok(), "{words:?}");
    let pipeline = compile(spec?).expect("what was learned is sound");
    for (word, _) in words {
        ids_at_every_level(&pipeline, word, &SpecialSet::All).expect("there is an unknown token");
    }
    Some(())
}
