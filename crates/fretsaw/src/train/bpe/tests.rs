use super::*;

fn learn(words: &[(&str, u64)], trainer: BpeTrainer) -> LearnedBpe {
    let counts: Counts = words.iter().copied().collect();
    trainer.learn(&counts, Watch::nobody()).expect("nobody stops it")
}

fn merges(learned: &LearnedBpe) -> Vec<String> {
    let token = |id: u32| learned.tokens[id as usize].clone();
    learned
        .merges
        .iter()
        .map(|&(left, right)| format!("{} {}", token(left), token(right)))
        .collect()
}

#[test]
fn the_example_of_the_oracle() {
    let words = [
        ("roses", 1),
        ("are", 2),
        ("red", 1),
        ("voilets", 1),
        ("blue", 1),
        ("BERT", 1),
        ("is", 2),
        ("big", 1),
        ("and", 1),
        ("so", 1),
        ("GPT-2", 1),
    ];
    let learned = learn(&words, BpeTrainer { min_frequency: 2, ..BpeTrainer::default() });
    assert_eq!(merges(&learned), ["r e", "a re", "i s"]);
    assert_eq!(learned.tokens.len(), 25);
}

#[test]
fn a_run_keeps_some_of_its_count() {
    let learned = learn(&[("aaaaaaaa", 1), ("aaaa", 1)], BpeTrainer::default());
    assert_eq!(merges(&learned), ["a a", "aa aa", "aaaa aaaa"]);
}

#[test]
fn characters_that_are_dropped_let_their_neighbours_meet() {
    let trainer = BpeTrainer { limit_alphabet: Some(2), ..BpeTrainer::default() };
    let learned = learn(&[("axb", 3), ("ab", 1)], trainer);
    assert_eq!(learned.tokens, ["a", "b", "ab"]);
}

#[test]
fn symbols_with_affixes_have_ids_in_byte_order_or_as_told() {
    let trainer = BpeTrainer {
        continuing_subword_prefix: Some("##".into()),
        end_of_word_suffix: Some("</w>".into()),
        vocab_size: 0,
        ..BpeTrainer::default()
    };
    let words = [("ab", 1), ("ba", 1)];
    let learned = learn(&words, trainer.clone());
    assert_eq!(learned.tokens, ["a", "b", "##a</w>", "##b</w>"]);
    let told = BpeTrainer { affixed_order: vec!["##b</w>".into()], ..trainer };
    assert_eq!(learn(&words, told).tokens, ["a", "b", "##b</w>", "##a</w>"]);
}

#[test]
fn stops_when_asked() {
    let counts: Counts = [("ab", 1)].into_iter().collect();
    let stopped = BpeTrainer::default().learn(&counts, Watch::new(&|_, _, _| false));
    assert!(matches!(stopped, Err(TrainError::Stopped)));
}

#[test]
fn going_on_is_like_not_having_stopped() {
    let words = [("hug", 5), ("hugs", 3), ("pug", 4), ("pugs", 2), ("bugging", 2)];
    let all = learn(&words, BpeTrainer::default());
    for size in 8..all.tokens.len() {
        let first = learn(&words, BpeTrainer { vocab_size: size, ..BpeTrainer::default() });
        let id = |token: &str| first.tokens.iter().position(|known| known == token).unwrap() as u32;
        let merged = |&(left, right): &(u32, u32)| {
            let token = [left, right].map(|id| first.tokens[id as usize].as_str()).concat();
            [left, right, id(&token)]
        };
        let merges = first.merges.iter().map(merged).collect();
        let known = Some(Known { tokens: first.tokens.clone(), merges });
        assert_eq!(learn(&words, BpeTrainer { known, ..BpeTrainer::default() }), all);
    }
}

#[test]
fn known_merges_go_by_rank_and_from_the_left() {
    let tokens = ["a", "b", "ab", "ba", "aba"].map(str::to_owned).to_vec();
    let known = Known { tokens, merges: vec![[1, 0, 3], [0, 1, 2], [0, 3, 4]] };
    let mut words = words::Words::default();
    words.push(&[0, 1, 0, 1], 1);
    words.push(&[0, 1], 1);
    known.apply(&mut words);
    // a ba b, then aba b; the other word is one symbol now.
    assert_eq!(words.words.len(), 1);
    assert_eq!(words.symbols_of(0), [4, 1]);
}
