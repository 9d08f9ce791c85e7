//! Against a twin that goes from token starts as the oracle does, slowly, with scores that no file
//! can have as well; what the oracle itself says stands in `model/golden_tests.rs`.

use super::*;
use crate::draws::draws;
use crate::spec::Vocab;

fn spec_of(tokens: &[(&str, f64)], unk_id: Option<usize>, byte_fallback: bool) -> spec::Unigram {
    let mut vocab = Vocab::new();
    for (id, (token, _)) in tokens.iter().enumerate() {
        assert!(vocab.push(token, id as u32));
    }
    let scores = tokens.iter().map(|&(_, score)| score).collect();
    spec::Unigram { vocab, scores, unk_id, byte_fallback, alpha: None, nbest_size: None }
}

fn build(spec: &spec::Unigram, left_out: impl Fn(u32) -> bool) -> Result<Unigram, LoadError> {
    Unigram::new(Vocabulary::build(&spec.vocab, "model.vocab")?.without(left_out), spec)
}

/// Ids and spans.
type Tokens = (Vec<u32>, Vec<(u32, u32)>);

fn encode(model: &Unigram, piece: &str) -> Result<Tokens, EncodeError> {
    let (mut ids, mut spans) = (Vec::new(), Vec::new());
    let mut scratch = UnigramScratch::default();
    let mut random = Random::default();
    model.each_token(piece.as_bytes(), &mut scratch, &mut random, |id, start, end, _| {
        ids.push(id);
        spans.push((start as u32, end as u32));
    })?;
    Ok((ids, spans))
}

/// The ids of a model without byte fallback, by trying every string at every start.
fn naive(spec: &spec::Unigram, piece: &str) -> Option<Vec<u32>> {
    let ids: std::collections::HashMap<&str, u32> = spec.vocab.iter().collect();
    let mut least = f64::INFINITY;
    for &score in &spec.scores {
        if score < least {
            least = score;
        }
    }
    let unknown = spec.unk_id.map(|id| id as u32);
    let mut best: Vec<Option<(f64, usize, u32)>> = vec![None; piece.len() + 1];
    for (start, c) in piece.char_indices() {
        let before = if start == 0 { 0.0 } else { best[start].unwrap().0 };
        let mut offer = |end: usize, score: f64, id: Option<u32>| {
            let score = score + before;
            if best[end].is_none_or(|(so_far, ..)| score > so_far) {
                best[end] = Some((score, start, id?));
            }
            Some(())
        };
        let char_end = start + c.len_utf8();
        for end in (char_end..=piece.len()).filter(|&end| piece.is_char_boundary(end)) {
            if let Some(&id) = ids.get(&piece[start..end]) {
                offer(end, spec.scores[id as usize], Some(id));
            }
        }
        if !ids.contains_key(&piece[start..char_end]) {
            offer(char_end, least - 10.0, unknown)?;
        }
    }
    let (mut found, mut end, mut pending) = (Vec::new(), piece.len(), None);
    let lookup = |(start, end): (usize, usize)| ids.get(&piece[start..end]).copied().or(unknown);
    while end > 0 {
        let (_, start, id) = best[end].unwrap();
        if Some(id) == unknown {
            pending = Some((start, pending.map_or(end, |(_, end)| end)));
        } else {
            found.extend(pending.take().and_then(lookup));
            found.push(id);
        }
        end = start;
    }
    found.extend(pending.and_then(lookup));
    found.reverse();
    Some(found)
}

#[test]
fn random_vocabularies_with_any_scores() {
    let chars = ["a", "b", "é", "日", "u"];
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -1.0, 1e308, -1e308];
    let mut random = draws(3);
    for round in 0..3000 {
        let letters = 2 + random(4);
        let mut texts: Vec<String> = (0..1 + random(25))
            .map(|_| (0..random(6)).map(|_| chars[random(letters)]).collect())
            .collect();
        texts[0] = "u".to_owned();
        let score = |random: &mut dyn FnMut(usize) -> usize| match round % 3 {
            0 => odd[random(odd.len())],
            1 => random(4) as f64 - 2.0,
            _ => random(1000) as f64 / -70.0,
        };
        let tokens: Vec<(&str, f64)> =
            texts.iter().map(|text| (text.as_str(), score(&mut random))).collect();
        let spec = spec_of(&tokens, (random(6) > 0).then_some(0), false);
        let model = build(&spec, |_| false).unwrap();
        for _ in 0..12 {
            let piece: String = (0..random(16)).map(|_| chars[random(5)]).collect();
            let (want, got) = (naive(&spec, &piece), encode(&model, &piece));
            match want {
                Some(want) => assert_eq!(got.unwrap().0, want, "{piece:?} {tokens:?}"),
                None => assert!(got.is_err(), "{piece:?} {tokens:?}"),
            }
        }
    }
}

#[test]
fn unknowns_fuse_and_may_be_tokens_or_bytes_after_all() {
    // Two unknown characters (90 each) beat their own token (100), and then are it.
    let spec = spec_of(&[("?", 200.0), ("xy", 100.0), ("<0x7A>", 900.0)], Some(0), true);
    let model = build(&spec, |_| false).unwrap();
    for (piece, ids, spans) in [
        ("xy", vec![1], vec![(0, 2)]),
        ("xyx", vec![0], vec![(0, 3)]),
        ("z", vec![2], vec![(0, 1)]),
        ("zz", vec![2, 2], vec![(0, 2), (0, 2)]),
        ("zx", vec![0], vec![(0, 2)]),
        // The unknown token in the text joins its neighbours.
        ("z?z", vec![0], vec![(0, 3)]),
        ("z<0x7A>?", vec![2, 2, 0], vec![(0, 1), (1, 7), (7, 8)]),
        ("", vec![], vec![]),
    ] {
        assert_eq!(encode(&model, piece).unwrap(), (ids, spans), "{piece:?}");
    }
}

#[test]
fn left_out_tokens_are_text() {
    let tokens = [("<unk>", -1.0), ("<", -2.0), ("s", -2.0), (">", -2.0), ("<s>", -9.0)];
    let spec = spec_of(&tokens, Some(0), false);
    assert_eq!(encode(&build(&spec, |_| false).unwrap(), "<s>").unwrap().0, [1, 2, 3]);
    let spec = spec_of(&[("<unk>", -1.0), ("<s>", -9.0), ("s", -2.0)], Some(0), false);
    assert_eq!(encode(&build(&spec, |_| false).unwrap(), "<s>").unwrap().0, [1]);
    let model = build(&spec, |id| id == 1).unwrap();
    assert_eq!(encode(&model, "<s>").unwrap().0, [0, 2, 0]);
    // Not even unknown neighbours that fuse to it.
    let spec = spec_of(&[("?", 0.0), ("xy", 100.0)], Some(0), false);
    assert_eq!(encode(&build(&spec, |id| id == 1).unwrap(), "xy").unwrap().0, [0]);
}

#[test]
fn broken_models_are_refused() {
    let spec = spec_of(&[("a", 0.0)], Some(1), false);
    assert!(build(&spec, |_| false).is_err());
    assert!(build(&spec_of(&[], Some(0), false), |_| false).is_err());
    let mut spec = spec_of(&[("a", 0.0)], None, false);
    assert!(encode(&build(&spec, |_| false).unwrap(), "ab").is_err());
    spec.scores.clear();
    assert!(build(&spec, |_| false).is_err());
    let empty = build(&spec_of(&[], None, false), |_| false).unwrap();
    assert!(encode(&empty, "").unwrap().0.is_empty());
    assert!(encode(&empty, "a").is_err());
}

#[test]
fn long_tokens_cost_nothing_where_they_do_not_match() {
    let long = "a".repeat(300_000) + "b";
    let spec = spec_of(&[("<unk>", 0.0), ("a", -1.0), (&long, -1.0)], Some(0), false);
    let model = build(&spec, |_| false).unwrap();
    let piece = "a".repeat(1_000_000);
    assert_eq!(encode(&model, &piece).unwrap().0.len(), piece.len());
    let found = encode(&model, &(piece.clone() + "b")).unwrap().0;
    assert_eq!(found.len(), piece.len() - 300_000 + 1);
}

#[test]
fn any_bytes_are_fine() {
    let spec = spec_of(&[("<unk>", 0.0), ("a", -1.0), ("é", -1.0), ("aé", -2.0)], Some(0), true);
    let model = build(&spec, |_| false).unwrap();
    let mut random = draws(5);
    let mut scratch = UnigramScratch::default();
    for _ in 0..5000 {
        let piece: Vec<u8> = (0..random(8)).map(|_| b"a\xC3\xA9\xFF\xE6"[random(5)]).collect();
        let random = &mut Random::default();
        model.encode_piece(&piece, &mut scratch, random, &mut Vec::new()).unwrap();
    }
}
