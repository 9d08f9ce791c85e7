//! Cuts of small models, worked out by hand or by trying all of them.

use proptest::prelude::*;

use super::*;
use crate::spec::Vocab;

fn model(search: PieceSearch, pieces: &[(&str, f32, PieceType)]) -> SentencePiece {
    let mut vocab = Vocab::new();
    for ((piece, ..), id) in pieces.iter().zip(0..) {
        assert!(vocab.push(piece, id));
    }
    let spec = spec::SentencePiece {
        search,
        scores: pieces.iter().map(|piece| piece.1).collect(),
        types: pieces.iter().map(|piece| piece.2).collect(),
        byte_fallback: false,
        names: Default::default(),
        vocab,
    };
    let vocabulary = Vocabulary::build_list(&spec.vocab, "pieces").unwrap();
    SentencePiece::new(vocabulary, &spec).unwrap()
}

const UNK: (&str, f32, PieceType) = ("<unk>", 0.0, PieceType::Unknown);

fn ids(model: &SentencePiece, text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    let mut scratch = PieceScratch::default();
    model.encode_piece(text.as_bytes(), &mut 0.0, &mut scratch, &mut ids).unwrap();
    ids
}

#[test]
fn merges_by_score() {
    use PieceType::{Normal, Unused, UserDefined};
    let bpe = model(
        PieceSearch::Bpe,
        &[
            UNK,
            ("a", -9.0, Normal),
            ("b", -9.0, Normal),
            ("ab", -1.0, Normal),
            ("ba", -0.5, Normal),
            ("xy", -3.0, Normal),
            ("aba", -2.0, Unused),
            ("<s>", 0.0, UserDefined),
        ],
    );
    for (text, expected) in [
        ("ab", &[3][..]),
        ("aba", &[1, 4]),
        ("abab", &[1, 4, 2]),
        // Neither is a piece, both together are.
        ("xy", &[5]),
        ("yx", &[0]),
        ("x<s>y", &[0, 7, 0]),
        ("<unk>", &[0]),
        ("", &[]),
    ] {
        assert_eq!(ids(&bpe, text), expected, "{text}");
    }
}

#[test]
fn unused_pieces_are_taken_apart() {
    use PieceType::{Normal, Unused};
    let pieces = [
        UNK,
        ("a", -9.0, Normal),
        ("b", -9.0, Normal),
        ("c", -9.0, Normal),
        ("ab", -1.0, Unused),
        ("abc", -2.0, Unused),
        ("abcc", -3.0, Normal),
    ];
    let bpe = model(PieceSearch::Bpe, &pieces);
    assert_eq!(ids(&bpe, "abc"), [1, 2, 3]);
    assert_eq!(ids(&bpe, "abcc"), [6]);
}

#[test]
fn characters_and_words() {
    use PieceType::{Normal, Unused};
    let pieces = [UNK, ("▁a", 0.0, Normal), ("a", 0.0, Normal), ("b", 0.0, Unused)];
    assert_eq!(ids(&model(PieceSearch::Char, &pieces), "aab?a"), [2, 2, 0, 2]);
    assert_eq!(ids(&model(PieceSearch::Word, &pieces), "▁a▁b▁c▁a"), [1, 0, 1]);
}

fn unigram() -> SentencePiece {
    use PieceType::Normal;
    model(
        PieceSearch::Unigram,
        &[
            UNK,
            ("a", -2.5, Normal),
            ("b", -3.1, Normal),
            ("ab", -5.5995, Normal),
            ("aa", -4.999, Normal),
            ("aab", -8.1, Normal),
            ("bb", -6.2, Normal),
            ("ba", -5.6, Normal),
        ],
    )
}

/// The cut in 32 bits that goes on from a sum.
fn from_sum(model: &SentencePiece, text: &str, mut sum: f32) -> (Vec<u32>, f32) {
    let mut ids = Vec::new();
    let mut scratch = PieceScratch::default();
    model.encode_piece(text.as_bytes(), &mut sum, &mut scratch, &mut ids).unwrap();
    (ids, sum)
}

proptest! {
    /// What is sure is the same for any sum, and adds up to what the search in 32 bits has.
    #[test]
    fn sure_cuts_do_not_depend_on_the_sum(text in "[ab]{1,12}", sum in -99_000f32..99_000.0) {
        let model = unigram();
        let mut sure = Vec::new();
        model.find_sure(text.as_bytes(), &mut PieceScratch::default(), &mut sure);
        if !sure.is_empty() {
            let (ids, behind) = from_sum(&model, &text, sum);
            prop_assert_eq!(&ids, &sure);
            prop_assert_eq!(model.sum_behind(sum, &sure, text.len()), Some(behind));
        }
    }

    /// The best ways come in order but for what 32 bits round, are all different, and the first is the
    /// best cut.
    #[test]
    fn best_ways_are_in_order(text in "[abc]{1,8}") {
        let model = unigram();
        let ways = model.nbest(text.as_bytes(), 300).unwrap();
        prop_assert!(ways.windows(2).all(|pair| pair[0].1 >= pair[1].1 - 1e-4));
        let mut cuts: Vec<Vec<(usize, usize)>> = ways
            .iter()
            .map(|(made, _)| made.iter().map(|made| (made.start, made.end)).collect())
            .collect();
        let best = cuts[0].clone();
        let first: Vec<u32> = ways[0].0.iter().map(|made| made.id).collect();
        if !text.contains('c') {
            cuts.sort();
            cuts.dedup();
            prop_assert_eq!(cuts.len(), ways.len());
            prop_assert_eq!(best.last().map(|last| last.1), Some(text.len()));
        }
        prop_assert_eq!(first.is_empty(), text.is_empty());
    }
}

#[test]
fn a_cut_that_depends_on_the_sum_is_not_sure() {
    let model = unigram();
    let mut sure = Vec::new();
    model.find_sure(b"ab", &mut PieceScratch::default(), &mut sure);
    assert!(sure.is_empty(), "-5.5995 and -5.6 are too close");
    model.find_sure(b"a", &mut PieceScratch::default(), &mut sure);
    assert_eq!(sure, [1]);
    assert_eq!(model.sum_behind(99_999.0, &sure, 1), None);
}

#[test]
fn ways_by_chance_follow_from_a_seed() {
    let model = unigram();
    let sample = |seed| model.sample(b"aabab", 0.5, &mut Random::new(seed)).unwrap();
    assert_eq!(sample(1), sample(1));
    assert!((0..50).any(|seed| sample(seed) != sample(1)));
}
