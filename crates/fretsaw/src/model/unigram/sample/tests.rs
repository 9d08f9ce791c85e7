//! Against every way to cut a short piece, found by trying each.

use std::collections::HashMap;

use super::*;
use crate::model::unigram::UnigramScratch;
use crate::spec::Vocab;
use crate::vocabulary::Vocabulary;

const TOKENS: [(&str, f64); 9] = [
    ("<unk>", 0.0),
    ("a", -1.0),
    ("b", -1.5),
    ("ab", -2.0),
    ("ba", -2.25),
    ("aba", -3.5),
    ("é", -2.5),
    ("aé", -3.0),
    ("aa", -2.0),
];

fn spec(alpha: f64, nbest_size: Option<usize>) -> spec::Unigram {
    let mut vocab = Vocab::new();
    assert!((0u32..).zip(TOKENS).all(|(id, (token, _))| vocab.push(token, id)));
    let scores = TOKENS.iter().map(|&(_, score)| score).collect();
    let (unk_id, alpha) = (Some(0), Some(alpha));
    spec::Unigram { vocab, scores, unk_id, byte_fallback: false, alpha, nbest_size }
}

fn model(alpha: f64, nbest_size: Option<usize>) -> Unigram {
    let spec = spec(alpha, nbest_size);
    Unigram::new(Vocabulary::build(&spec.vocab, "model.vocab").unwrap(), &spec).unwrap()
}

fn draw(model: &Unigram, piece: &str, random: &mut Random) -> Vec<u32> {
    let mut ids = Vec::new();
    let mut scratch = UnigramScratch::default();
    model.encode_piece(piece.as_bytes(), &mut scratch, random, &mut ids).unwrap();
    ids
}

/// Every way to cut a piece of known characters, with its score; in no order.
fn ways(piece: &str) -> Vec<(Vec<u32>, f64)> {
    if piece.is_empty() {
        return vec![(Vec::new(), 0.0)];
    }
    let mut found = Vec::new();
    for (id, (token, score)) in (0u32..).zip(TOKENS) {
        for (mut ids, sum) in piece.strip_prefix(token).map(ways).unwrap_or_default() {
            ids.insert(0, id);
            found.push((ids, sum + score));
        }
    }
    found
}

/// How often each way is drawn, compared with its probability: never 6 standard deviations off.
fn check(model: &Unigram, piece: &str, weights: &[(Vec<u32>, f64)]) {
    const DRAWS: usize = 20_000;
    let mut random = Random::new(11);
    let mut counts: HashMap<Vec<u32>, usize> = HashMap::new();
    for _ in 0..DRAWS {
        *counts.entry(draw(model, piece, &mut random)).or_default() += 1;
    }
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    for (ids, weight) in weights {
        let share = weight / total;
        let mean = share * DRAWS as f64;
        let count = counts.remove(ids).unwrap_or(0) as f64;
        let most = 6.0 * (mean * (1.0 - share)).sqrt() + 3.0;
        assert!((count - mean).abs() < most, "{piece} {ids:?}: {count} times, not {mean}");
    }
    assert!(counts.is_empty(), "{piece}: {counts:?}");
}

const PIECES: [&str; 5] = ["a", "abab", "ababaé", "aaaa", "baéba"];

#[test]
fn all_ways_with_their_probabilities() {
    // With an alpha of 1 the forward pass is that of the probabilities.
    for piece in PIECES {
        let weights: Vec<_> =
            ways(piece).into_iter().map(|(ids, score)| (ids, score.exp())).collect();
        check(&model(1.0, None), piece, &weights);
        check(&model(1.0, Some(0)), piece, &weights);
        check(&model(1.0, Some(1000)), piece, &weights);
    }
}

#[test]
fn the_best_ways_with_their_weights() {
    for piece in PIECES {
        let mut all = ways(piece);
        all.sort_by(|one, other| other.1.total_cmp(&one.1));
        for count in 1..all.len() {
            // Of ways with equal scores any may be left out.
            if all[count - 1].1 - all[count].1 > 1e-6 {
                let best = &all[..count];
                let weights: Vec<_> =
                    best.iter().map(|(ids, score)| (ids.clone(), (0.3 * score).exp())).collect();
                check(&model(0.3, Some(count)), piece, &weights);
            }
        }
    }
}

#[test]
fn alpha_counts_again_with_every_step() {
    // "abab" with alpha 1/2, by hand: the sums at each place.
    let half = |score: f64, sum: f64| 0.5 * (score + sum);
    let log_sum = |terms: &[f64]| terms.iter().map(|term| term.exp()).sum::<f64>().ln();
    let at_1 = half(-1.0, 0.0);
    let at_2 = log_sum(&[half(-2.0, 0.0), half(-1.5, at_1)]);
    let at_3 = log_sum(&[half(-3.5, 0.0), half(-2.25, at_1), half(-1.0, at_2)]);
    let at_4 = log_sum(&[half(-2.0, at_2), half(-1.5, at_3)]);
    let sums = [0.0, at_1, at_2, at_3, at_4];
    let share = |ids: &[u32]| {
        let (mut start, mut product, mut totals) = (0, 1.0, [0.0; 5]);
        for (token, score) in TOKENS {
            for end in token.len()..5 {
                if "abab"[..end].ends_with(token) {
                    totals[end] += (sums[end - token.len()] + 0.5 * score).exp();
                }
            }
        }
        for &id in ids {
            let (token, score) = TOKENS[id as usize];
            let end = start + token.len();
            product *= (sums[start] + 0.5 * score).exp() / totals[end];
            start = end;
        }
        product
    };
    let weights: Vec<_> = ways("abab").into_iter().map(|(ids, _)| (share(&ids), ids)).collect();
    let weights: Vec<_> = weights.into_iter().map(|(share, ids)| (ids, share)).collect();
    check(&model(0.5, None), "abab", &weights);
}

#[test]
fn long_pieces_end() {
    // Of 500 letters there are more ways of one score than could ever be looked at.
    let piece = "a".repeat(500);
    for nbest_size in [None, Some(1), Some(2), Some(64), Some(1000)] {
        let model = model(0.1, nbest_size);
        let ids = draw(&model, &piece, &mut Random::new(1));
        let len: usize = ids.iter().map(|&id| TOKENS[id as usize].0.len()).sum();
        assert_eq!(len, piece.len(), "{nbest_size:?}");
    }
}

#[test]
fn what_cannot_be_weighted_is_an_error() {
    let piece = "ab".repeat(200);
    let mut scratch = UnigramScratch::default();
    let encoded = model(3.0, None).encode_piece(
        piece.as_bytes(),
        &mut scratch,
        &mut Random::new(1),
        &mut Vec::new(),
    );
    assert_eq!(encoded, Err(EncodeError::NoDistribution { piece_bytes: 400 }));
    // Of the best ways, all with a weight of 0, it is the best.
    let best = draw(&model(0.0, None), &piece, &mut Random::new(1));
    assert_eq!(draw(&model(100.0, Some(8)), &piece, &mut Random::new(1)), best);
}

#[test]
fn alpha_must_be_a_finite_number_from_0_on() {
    for alpha in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
        assert!(Sampling::of(&spec(alpha, None)).is_err(), "{alpha}");
    }
    for alpha in [0.0, -0.0] {
        assert!(Sampling::of(&spec(alpha, Some(3))).unwrap().is_none());
    }
    assert!(Sampling::of(&spec(f64::MAX, None)).unwrap().is_some());
}
