//! The trainer against the definitions it is made of, on small random words.

use std::collections::BTreeMap;

use super::expect::expected;
use super::lattice::Lattice;
use super::model::Model;
use super::seeds::Seeds;
use super::suffixes::NONE;
use super::words::Words;
use super::{Counts, TrainError, UnigramTrainer, Watch};

/// Words of few letters, the same for the same seed.
fn random_counts(seed: u64, words: usize, letters: &[char], longest: u64) -> Counts {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut made: Vec<(String, u64)> = Vec::new();
    for _ in 0..words {
        let len = 1 + next(longest);
        let word = (0..len).map(|_| letters[next(letters.len() as u64) as usize]).collect();
        made.push((word, 1 + next(4)));
    }
    made.iter().map(|(word, count)| (word.as_str(), *count)).collect()
}

fn trainer(vocab_size: usize) -> UnigramTrainer {
    UnigramTrainer { vocab_size, threads: 1, ..UnigramTrainer::default() }
}

fn tokens(counts: &Counts, trainer: &UnigramTrainer) -> Vec<(String, f64)> {
    let model = trainer.learn(counts, Watch::nobody()).unwrap();
    let tokens = model.vocab.iter().map(|(token, _)| token.to_owned());
    tokens.zip(model.scores.iter().copied()).collect()
}

/// Of a string: occurrences, the ways it goes on (ends differ), what stands in front.
type Seen = (u64, Vec<String>, Vec<Option<char>>);

/// The weights of all seeds, by their definition.
fn naive_seeds(counts: &Counts, longest: usize) -> BTreeMap<String, u64> {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let mut whole = BTreeMap::new();
    for (word, count) in counts.iter() {
        let chars: Vec<char> = word.chars().collect();
        whole.insert(word.to_owned(), count);
        for start in 0..chars.len() {
            for end in start + 2..=chars.len().min(start + longest) {
                let entry = seen.entry(chars[start..end].iter().collect()).or_default();
                entry.0 += count;
                let on = chars.get(end).map_or(format!("end of {word} {start}"), char::to_string);
                entry.1.push(on);
                entry.2.push(start.checked_sub(1).map(|before| chars[before]));
            }
        }
    }
    let distinct = |list: &[String]| list.iter().any(|item| *item != list[0]);
    let mixed = |list: &[Option<char>]| list.iter().any(|item| item.is_none() || *item != list[0]);
    seen.into_iter()
        .filter(|(text, (_, on, before))| {
            let twice = distinct(on) || whole.get(text).is_some_and(|&count| count > 1);
            twice && (mixed(before) || text.chars().count() == longest)
        })
        .map(|(text, (count, _, _))| (text.clone(), count * text.chars().count() as u64))
        .collect()
}

#[test]
fn seeds_are_what_their_definition_says() {
    for (seed, letters, longest) in [
        (1, &['a', 'b'][..], 3),
        (2, &['a'], 40),
        (3, &['a', 'b', 'c', 'd', 'é', '漢'], 6),
        (4, &['x', 'y'], 16),
        (5, &['0', '1', '2'], 2),
        (6, &['a', 'b'], 100),
    ] {
        let counts = random_counts(seed, 60, letters, 150);
        let words = Words::new(&counts, 1.0).unwrap();
        let seeds = Seeds::new(&words, longest, usize::MAX, 2, Watch::nobody()).unwrap();
        let wanted = naive_seeds(&counts, longest as usize);
        let texts: Vec<String> = seeds.pieces.iter().map(|&piece| words.text(piece)).collect();
        let weights = seeds.weights.iter().map(|&weight| weight as u64);
        let made: BTreeMap<String, u64> = texts.iter().cloned().zip(weights).collect();
        assert_eq!(made, wanted, "{seed}");
        let mut sorted = texts.clone();
        sorted.sort_by_key(|text| (std::cmp::Reverse(wanted[text]), text.clone()));
        assert_eq!(texts, sorted, "{seed}");
        for (at, _) in words.symbols.iter().enumerate().filter(|(_, &symbol)| symbol > 0) {
            let behind = words.symbols[at..].iter().position(|&symbol| symbol == 0).unwrap();
            let rest: Vec<char> = words.symbols[at..at + behind]
                .iter()
                .map(|&symbol| words.alphabet[symbol as usize - 1])
                .collect();
            let starts: Vec<String> = (2..=rest.len())
                .rev()
                .map(|len| rest[..len].iter().collect())
                .filter(|text| wanted.contains_key(text))
                .collect();
            let mut found = Vec::new();
            let mut seed = seeds.at[at];
            while seed != NONE {
                found.push(texts[seed as usize].clone());
                seed = seeds.shorter[seed as usize];
            }
            assert_eq!(found, starts);
        }
    }
}

#[test]
fn fewer_seeds_are_the_first_ones() {
    let counts = random_counts(9, 80, &['a', 'b', 'c'], 9);
    let words = Words::new(&counts, 1.0).unwrap();
    let all = Seeds::new(&words, 6, usize::MAX, 1, Watch::nobody()).unwrap();
    let some = Seeds::new(&words, 6, 10, 1, Watch::nobody()).unwrap();
    assert_eq!(some.pieces[..], all.pieces[..10]);
}

/// Expectations by logarithms, over a table of all pieces.
fn naive_expected(counts: &Counts, scores: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let add = |one: f64, other: f64| {
        let most = one.max(other);
        if most == f64::NEG_INFINITY {
            most
        } else {
            most + ((one - most).exp() + (other - most).exp()).ln()
        }
    };
    let longest = scores.keys().map(|piece| piece.chars().count()).max().unwrap();
    let mut sums: BTreeMap<String, f64> = scores.keys().map(|piece| (piece.clone(), 0.0)).collect();
    for (word, count) in counts.iter() {
        let chars: Vec<char> = word.chars().collect();
        let len = chars.len();
        let ways = |from: usize| {
            let mut found: Vec<(usize, f64, String)> = Vec::new();
            for to in from + 1..=len.min(from + longest) {
                let text: String = chars[from..to].iter().collect();
                if let Some(&score) = scores.get(&text) {
                    found.push((to, score, text));
                }
            }
            found
        };
        let mut forward = vec![f64::NEG_INFINITY; len + 1];
        let mut backward = forward.clone();
        (forward[0], backward[len]) = (0.0, 0.0);
        for from in 0..len {
            for (to, score, _) in ways(from) {
                forward[to] = add(forward[to], forward[from] + score);
            }
        }
        for from in (0..len).rev() {
            for (to, score, text) in ways(from) {
                backward[from] = add(backward[from], score + backward[to]);
                let share = (forward[from] + score + backward[to] - forward[len]).exp();
                *sums.get_mut(&text).unwrap() += share * count as f64;
            }
        }
    }
    sums
}

#[test]
fn expectations_are_those_of_logarithms_in_long_words_too() {
    let mut long = random_counts(5, 30, &['a', 'b', 'c'], 12)
        .iter()
        .map(|(word, count)| (word.to_owned(), count))
        .collect::<Vec<_>>();
    long.push(("abcab".repeat(400), 3));
    // A letter that is seldom: every way through its run is unlikely.
    long.push((format!("{}{}{}", "abc".repeat(20), "z".repeat(300), "cab".repeat(20)), 1));
    let counts: Counts = long.iter().map(|(word, count)| (word.as_str(), *count)).collect();
    let words = Words::new(&counts, 1.0).unwrap();
    let seeds = Seeds::new(&words, 8, 60, 1, Watch::nobody()).unwrap();
    let lattice = Lattice::new(&words, &seeds, 1, Watch::nobody()).unwrap();
    for least in [0.0, 70.0] {
        let mut model = Model::new(&words, &seeds);
        // The characters alone are as unlikely as 64-bit counts can make them.
        for id in 0..words.alphabet.len() {
            model.scores[id] -= least;
            model.probabilities[id] = model.scores[id].exp();
        }
        let texts: Vec<String> = words
            .alphabet
            .iter()
            .map(char::to_string)
            .chain([String::new()])
            .chain(model.pieces.iter().map(|&piece| words.text(piece)))
            .collect();
        let scores = texts.iter().cloned().zip(model.scores.iter().copied());
        let scores: BTreeMap<String, f64> = scores.filter(|(text, _)| !text.is_empty()).collect();
        let wanted = naive_expected(&counts, &scores);
        let made = expected(&words, &lattice, &model.probabilities, 1, Watch::nobody()).unwrap();
        for (text, made) in texts.iter().zip(made).filter(|(text, _)| !text.is_empty()) {
            let wanted = wanted[text];
            assert!((made - wanted).abs() <= 1e-6 * wanted.max(1.0), "{text} {made} {wanted}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let letters: Vec<char> = "etaoinshrdlu".chars().collect();
    let counts = random_counts(3, 40_000, &letters, 12);
    let one = tokens(&counts, &trainer(300));
    assert_eq!(one.len(), 300);
    for threads in [2, 3, 8] {
        assert_eq!(tokens(&counts, &UnigramTrainer { threads, ..trainer(300) }), one);
    }
}

#[test]
fn tokens_stand_in_the_stated_order() {
    let counts: Counts = [("hug", 10), ("pug", 5), ("hugs", 5), ("ü", 1)].into_iter().collect();
    let made = UnigramTrainer {
        special_tokens: vec!["<s>".into(), "g".into()],
        unk_token: Some("<unk>".into()),
        initial_alphabet: vec!['z', 'h', 'z'],
        character_coverage: 0.95,
        ..trainer(20)
    };
    let made = tokens(&counts, &made);
    let texts: Vec<&str> = made.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts[..3], ["<unk>", "<s>", "g"]);
    assert!(made[..3].iter().all(|&(_, score)| score == 0.0));
    assert!(made[3..].windows(2).all(|pair| pair[0].1 >= pair[1].1), "{made:?}");
    assert!(texts.contains(&"hug") && texts.contains(&"z") && !texts.contains(&"ü"), "{texts:?}");
    assert_eq!(texts.iter().filter(|text| **text == "g").count(), 1);

    let bytes = UnigramTrainer { byte_fallback: true, ..trainer(300) };
    let model = bytes.learn(&counts, Watch::nobody()).unwrap();
    assert!(model.byte_fallback);
    assert_eq!(model.vocab.iter().nth(0x0A).unwrap().0, "<0x0A>");
    assert_eq!(model.vocab.len(), 256 + tokens(&counts, &trainer(44)).len());
}

#[test]
fn no_text_leaves_the_special_tokens() {
    let nothing = Counts::default();
    let special = UnigramTrainer { special_tokens: vec!["<s>".into()], ..trainer(10) };
    assert_eq!(tokens(&nothing, &special), [("<s>".to_owned(), 0.0)]);
    let odd: Counts = [("\0", 2), ("", 3)].into_iter().collect();
    assert_eq!(tokens(&odd, &special), [("<s>".to_owned(), 0.0)]);
}

#[test]
fn what_can_not_be_is_an_error() {
    let counts: Counts = [("abc", 1)].into_iter().collect();
    for (trainer, name) in [
        (trainer(2), "vocab_size"),
        (UnigramTrainer { special_tokens: vec!["<s>".into()], ..trainer(3) }, "vocab_size"),
        (UnigramTrainer { shrinking_factor: 1.0, ..trainer(9) }, "shrinking_factor"),
        (UnigramTrainer { shrinking_factor: f64::NAN, ..trainer(9) }, "shrinking_factor"),
        (UnigramTrainer { character_coverage: 0.0, ..trainer(9) }, "character_coverage"),
        (UnigramTrainer { max_piece_length: 0, ..trainer(9) }, "max_piece_length"),
        (UnigramTrainer { seed_size: usize::MAX, ..trainer(9) }, "seed_size"),
    ] {
        match trainer.learn(&counts, Watch::nobody()) {
            Err(TrainError::Option { name: found, .. }) => assert_eq!(found, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    let stop = |_: &'static str, _, _| false;
    let stopped = trainer(9).learn(&counts, Watch::new(&stop));
    assert!(matches!(stopped, Err(TrainError::Stopped)));
}

#[test]
fn odd_options_are_no_trouble() {
    let counts = random_counts(7, 300, &['a', 'b', 'c'], 10);
    for odd in [
        UnigramTrainer { n_sub_iterations: 0, ..trainer(30) },
        UnigramTrainer { max_piece_length: 1, ..trainer(30) },
        UnigramTrainer { seed_size: 0, ..trainer(30) },
        UnigramTrainer { shrinking_factor: 0.01, ..trainer(30) },
        UnigramTrainer { vocab_size: usize::MAX, ..trainer(30) },
    ] {
        let made = tokens(&counts, &odd);
        assert!((3..=3000).contains(&made.len()), "{odd:?} {}", made.len());
        assert!(made.iter().all(|(_, score)| score.is_finite()), "{odd:?}");
    }
    let huge: Counts = [("ab", u64::MAX), ("abc", u64::MAX)].into_iter().collect();
    assert!(tokens(&huge, &trainer(8)).iter().all(|(_, score)| score.is_finite()));
}

#[test]
fn one_long_word_takes_linear_time_and_memory() {
    // A million of one letter, a word of a repeated syllable: no word is cut for them.
    let (letters, syllables) = ("a".repeat(1_000_000), "vajra".repeat(100_000));
    let counts: Counts = [(letters.as_str(), 1), (syllables.as_str(), 2)].into_iter().collect();
    let made = tokens(&counts, &trainer(30));
    assert!(made.iter().any(|(text, _)| text == &"a".repeat(16)), "{made:?}");
    assert!(made.iter().any(|(text, _)| text.len() >= 15 && text.contains("vajra")), "{made:?}");
}
