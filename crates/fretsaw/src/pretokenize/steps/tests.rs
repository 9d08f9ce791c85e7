//! Frozen from Hugging Face tokenizers 0.23.3: a pre-tokenizer's pieces, each with its offsets in
//! characters of the original text.

use std::io::Read;

use super::*;
use crate::scan::{best_level, LETTER, NUMBER, NUMERIC, SPACE};
use crate::spec;
use crate::unicode::{Category, Engine};
use PrependScheme::{Always, First, Never};
use SplitBehavior::{Contiguous, Isolated, MergedWithNext, MergedWithPrevious, Removed};
use Step::{
    BertPunctuation, CharDelimiterSplit, Digits, FixedLength, Punctuation, UnicodeScripts,
    Whitespace, WhitespaceSplit,
};

type Expected<'a> = &'a [(&'a str, usize, usize)];

fn byte_level(add_prefix_space: bool, use_regex: bool) -> Step {
    let mut bits = [0; Category::COUNT];
    for category in [Category::Lu, Category::Ll, Category::Lt, Category::Lm, Category::Lo] {
        bits[category as usize] = LETTER;
    }
    for category in [Category::Nd, Category::Nl, Category::No] {
        bits[category as usize] = NUMBER;
    }
    let table = ClassTable::new(Engine::Onig, bits, SPACE, NUMERIC);
    Step::ByteLevel { add_prefix_space, split: use_regex.then_some(table), spell: true }
}

fn metaspace(prepend_scheme: PrependScheme, split: bool) -> Step {
    Step::Metaspace { replacement: '▁', prepend_scheme, split }
}

fn literal(text: &str) -> Pattern {
    Pattern::compile(&spec::Pattern::Literal(text.into()), "p").unwrap()
}

fn onig(source: &str) -> Pattern {
    Pattern::compile(&spec::Pattern::Onig(source.into()), "p").unwrap()
}

fn split(pattern: Pattern, behavior: SplitBehavior, invert: bool) -> Step {
    Step::Split { pattern, behavior, invert }
}

/// Each byte stands for its own character.
fn spans(text: &str) -> Vec<(u32, u32)> {
    let of = |(at, c): (usize, char)| vec![(at as u32, (at + c.len_utf8()) as u32); c.len_utf8()];
    text.char_indices().flat_map(of).collect()
}

fn apply<'t>(mut pieces: Pieces<'t>, steps: &[Step]) -> Pieces<'t> {
    for step in steps {
        pieces.apply(step, best_level()).unwrap();
    }
    pieces
}

/// With spans, and without them the same pieces.
fn check(cases: &[(Vec<Step>, &str, Expected<'_>)]) {
    for (number, (steps, text, expected)) in cases.iter().enumerate() {
        let chars = |byte: u32| text[..byte as usize].chars().count();
        let pieces = apply(Pieces::with_spans(*text, spans(text)), steps);
        let spans = pieces.spans().unwrap();
        let placed: Vec<_> = pieces
            .iter()
            .zip(pieces.ranges())
            .map(|(piece, &(start, end))| (piece, chars(spans[start].0), chars(spans[end - 1].1)))
            .collect();
        assert_eq!(placed, *expected, "row {number}: {text:?}");
        let bare = apply(Pieces::new(text, true), steps);
        assert!(bare.iter().eq(pieces.iter()), "row {number} without spans: {text:?}");
    }
}

#[test]
#[rustfmt::skip]
fn behaviors() {
    check(&[
        (vec![Punctuation { behavior: Removed }], "the-final--countdown!", &[("the", 0, 3), ("final", 4, 9), ("countdown", 11, 20)]),
        (vec![Punctuation { behavior: Isolated }], "the-final--countdown!", &[("the", 0, 3), ("-", 3, 4), ("final", 4, 9), ("-", 9, 10), ("-", 10, 11), ("countdown", 11, 20), ("!", 20, 21)]),
        (vec![Punctuation { behavior: MergedWithPrevious }], "the-final--countdown!", &[("the-", 0, 4), ("final-", 4, 10), ("-", 10, 11), ("countdown!", 11, 21)]),
        (vec![Punctuation { behavior: MergedWithNext }], "the-final--countdown!", &[("the", 0, 3), ("-final", 3, 9), ("-", 9, 10), ("-countdown", 10, 20), ("!", 20, 21)]),
        (vec![Punctuation { behavior: Contiguous }], "the-final--countdown!", &[("the", 0, 3), ("-", 3, 4), ("final", 4, 9), ("--", 9, 11), ("countdown", 11, 20), ("!", 20, 21)]),
        (vec![split(literal("-"), Removed, false)], "-a--b-", &[("a", 1, 2), ("b", 4, 5)]),
        (vec![split(literal("-"), Isolated, false)], "-a--b-", &[("-", 0, 1), ("a", 1, 2), ("-", 2, 3), ("-", 3, 4), ("b", 4, 5), ("-", 5, 6)]),
        (vec![split(literal("-"), MergedWithPrevious, false)], "-a--b-", &[("-", 0, 1), ("a-", 1, 3), ("-", 3, 4), ("b-", 4, 6)]),
        (vec![split(literal("-"), MergedWithNext, false)], "-a--b-", &[("-a", 0, 2), ("-", 2, 3), ("-b", 3, 5), ("-", 5, 6)]),
        (vec![split(literal("-"), Contiguous, false)], "-a--b-", &[("-", 0, 1), ("a", 1, 2), ("--", 2, 4), ("b", 4, 5), ("-", 5, 6)]),
        (vec![split(literal("-"), Removed, true)], "-a--b-", &[("-", 0, 1), ("-", 2, 3), ("-", 3, 4), ("-", 5, 6)]),
        (vec![split(literal("-"), Isolated, true)], "-a--b-", &[("-", 0, 1), ("a", 1, 2), ("-", 2, 3), ("-", 3, 4), ("b", 4, 5), ("-", 5, 6)]),
        (vec![split(literal("-"), MergedWithPrevious, true)], "-a--b-", &[("-a", 0, 2), ("-", 2, 3), ("-b", 3, 5), ("-", 5, 6)]),
        (vec![split(literal("-"), MergedWithNext, true)], "-a--b-", &[("-", 0, 1), ("a-", 1, 3), ("-", 3, 4), ("b-", 4, 6)]),
        (vec![split(literal("-"), Contiguous, true)], "-a--b-", &[("-", 0, 1), ("a", 1, 2), ("--", 2, 4), ("b", 4, 5), ("-", 5, 6)]),
        (vec![split(onig("x*"), Removed, false)], "axxé", &[("a", 0, 1), ("é", 3, 4)]),
        (vec![split(onig("x*"), Isolated, false)], "axxé", &[("a", 0, 1), ("xx", 1, 3), ("é", 3, 4)]),
        (vec![split(onig("x*"), MergedWithPrevious, false)], "axxé", &[("axx", 0, 3), ("é", 3, 4)]),
        (vec![split(onig("x*"), MergedWithNext, false)], "axxé", &[("a", 0, 1), ("xxé", 1, 4)]),
        (vec![split(onig("x*"), Contiguous, false)], "axxé", &[("a", 0, 1), ("xx", 1, 3), ("é", 3, 4)]),
        (vec![split(onig(r"\b"), Isolated, false)], "ab cd", &[("ab", 0, 2), (" ", 2, 3), ("cd", 3, 5)]),
        (vec![split(literal(""), Isolated, false)], "aé▁", &[("a", 0, 1), ("é", 1, 2), ("▁", 2, 3)]),
        (vec![split(literal(""), Removed, true)], "ab", &[]),
        (vec![split(onig("(?<=e)"), MergedWithNext, false)], "bee e", &[("be", 0, 2), ("e", 2, 3), (" e", 3, 5)]),
        (vec![split(onig("^"), Isolated, false)], "a\nb", &[("a\n", 0, 2), ("b", 2, 3)]),
        (vec![split(literal("a.b"), Isolated, false)], "axb a.b", &[("axb ", 0, 4), ("a.b", 4, 7)]),
        (vec![split(onig(r"a\Kb"), Isolated, false)], "abab", &[("a", 0, 1), ("b", 1, 2), ("a", 2, 3), ("b", 3, 4)]),
        (vec![split(onig(r"\G\d"), Isolated, false)], "12a3", &[("1", 0, 1), ("2", 1, 2), ("a3", 2, 4)]),
    ]);
}

#[test]
#[rustfmt::skip]
fn classes() {
    check(&[
        (vec![WhitespaceSplit, BertPunctuation], "Hey, you're\u{3000}n°1 £5$", &[("Hey", 0, 3), (",", 3, 4), ("you", 5, 8), ("'", 8, 9), ("re", 9, 11), ("n°1", 12, 15), ("£5", 16, 18), ("$", 18, 19)]),
        (vec![Whitespace], "a\u{200d}b x²⁴ !?\u{a0}naïve", &[("a\u{200d}b", 0, 3), ("x", 4, 5), ("²⁴", 5, 7), ("!?", 8, 10), ("naïve", 11, 16)]),
        (vec![WhitespaceSplit], " Hey  you\u{3000}!\n", &[("Hey", 1, 4), ("you", 6, 9), ("!", 10, 11)]),
        (vec![CharDelimiterSplit { delimiter: 'é' }], "éaébéé", &[("a", 1, 2), ("b", 3, 4)]),
        (vec![Digits { individual: false }], "a12½Ⅷb 3", &[("a", 0, 1), ("12½Ⅷ", 1, 5), ("b ", 5, 7), ("3", 7, 8)]),
        (vec![Digits { individual: true }], "a12½Ⅷb 3", &[("a", 0, 1), ("1", 1, 2), ("2", 2, 3), ("½", 3, 4), ("Ⅷ", 4, 5), ("b ", 5, 7), ("3", 7, 8)]),
        (vec![FixedLength { chars: 2 }], "aé漢😀z", &[("aé", 0, 2), ("漢😀", 2, 4), ("z", 4, 5)]),
        (vec![UnicodeScripts], "  Apples are りんご 林檎ー。 x", &[("Apples are ", 2, 13), ("りんご 林檎ー", 13, 20), ("。 ", 20, 22), ("x", 22, 23)]),
        (vec![UnicodeScripts], "  ", &[]),
        (vec![Digits { individual: false }, Whitespace, FixedLength { chars: 3 }], "abcd 12345", &[("abc", 0, 3), ("d", 3, 4), ("123", 5, 8), ("45", 8, 10)]),
    ]);
}

#[test]
#[rustfmt::skip]
fn rewriting() {
    check(&[
        (vec![metaspace(Always, true)], " a  b c", &[("▁a", 0, 2), ("▁", 2, 3), ("▁b", 3, 5), ("▁c", 5, 7)]),
        (vec![metaspace(Always, true)], "a b", &[("▁a", 0, 1), ("▁b", 1, 3)]),
        (vec![metaspace(Never, true)], "a b", &[("a", 0, 1), ("▁b", 1, 3)]),
        (vec![metaspace(First, true)], "a b", &[("▁a", 0, 1), ("▁b", 1, 3)]),
        (vec![metaspace(Always, false)], "a b", &[("▁a▁b", 0, 3)]),
        (vec![metaspace(Always, true)], "▁a▁▁b", &[("▁a", 0, 2), ("▁", 2, 3), ("▁b", 3, 5)]),
        (vec![WhitespaceSplit, metaspace(Always, true)], "a b", &[("▁a", 0, 1), ("▁b", 2, 3)]),
        (vec![WhitespaceSplit, metaspace(First, true)], "a b", &[("▁a", 0, 1), ("b", 2, 3)]),
        (vec![WhitespaceSplit, metaspace(First, true)], " a b", &[("a", 1, 2), ("b", 3, 4)]),
        (vec![metaspace(First, false), split(literal("▁"), Isolated, false), metaspace(First, true)], "a b", &[("▁", 0, 1), ("▁a", 0, 1), ("▁", 1, 2), ("b", 2, 3)]),
        (vec![metaspace(Always, true), FixedLength { chars: 1 }, metaspace(First, true)], "ab", &[("▁", 0, 1), ("▁a", 0, 1), ("b", 1, 2)]),
        (vec![byte_level(true, true)], "Hello's  world", &[("ĠHello", 0, 5), ("'s", 5, 7), ("Ġ", 7, 8), ("Ġworld", 8, 14)]),
        (vec![byte_level(false, true)], "é漢 x\n\ny", &[("Ã©æ¼¢", 0, 2), ("Ġx", 2, 4), ("Ċ", 4, 5), ("Ċ", 5, 6), ("y", 6, 7)]),
        (vec![byte_level(true, false)], "a b", &[("ĠaĠb", 0, 3)]),
        (vec![Punctuation { behavior: Isolated }, byte_level(true, true)], "a,b é", &[("Ġa", 0, 1), ("Ġ,", 1, 2), ("Ġb", 2, 3), ("ĠÃ©", 3, 5)]),
        (vec![byte_level(false, false), Digits { individual: true }], "½1²", &[("Â", 0, 1), ("½", 0, 1), ("1", 1, 2), ("Â", 2, 3), ("²", 2, 3)]),
        (vec![byte_level(false, true), Punctuation { behavior: Isolated }], "é x!", &[("Ã©", 0, 1), ("Ġx", 1, 3), ("!", 3, 4)]),
        (vec![byte_level(true, true), byte_level(true, false)], "a é", &[("ĠÄła", 0, 1), ("ĠÄłÃĥÂ©", 1, 3)]),
        (vec![byte_level(false, false), metaspace(Always, true)], "a b", &[("▁aĠb", 0, 3)]),
        (vec![byte_level(true, false), FixedLength { chars: 1 }, metaspace(First, false)], "éa", &[("▁Ġ", 0, 1), ("▁Ã", 0, 1), ("▁©", 0, 1), ("a", 1, 2)]),
    ]);
}

/// What a normalizer put in front of the text stands for nothing of the original: ByteLevel of the
/// oracle doubles such a piece, and panics where it is only a part of one.
#[test]
fn inserted_in_front() {
    // `^` replaced by ` ¡` in `é é`.
    let pieces = || {
        let mut spans = spans("é é");
        spans.splice(0..0, [(0, 0); 3]);
        Pieces::with_spans(" ¡é é", spans)
    };
    for (steps, expected) in [
        (vec![byte_level(false, true)], vec!["ĠÂ¡ ¡", "Ã©", "ĠÃ©"]),
        (
            vec![Punctuation { behavior: Isolated }, byte_level(true, true)],
            vec!["Ġ ", "ĠÂ¡ ¡", "ĠÃ©", "ĠÃ©"],
        ),
    ] {
        assert_eq!(apply(pieces(), &steps).iter().collect::<Vec<_>>(), expected);
    }
    assert!(pieces().apply(&byte_level(false, false), best_level()).is_err());
}

#[test]
fn hands_out() {
    let collect = |pieces: &Pieces<'_>, byte_level| {
        let mut all = Vec::new();
        let done = pieces.hand_out(byte_level, |bytes, boundaries| {
            all.extend(boundaries.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()));
            Ok::<(), ()>(())
        });
        done.map(|()| all).unwrap()
    };
    let mut steps = vec![WhitespaceSplit, byte_level(true, true)];
    assert!(stays_in_alphabet(&steps));
    let pieces = apply(Pieces::new("é  b", true), &steps);
    assert_eq!(collect(&pieces, true), [" é".as_bytes(), b" b"]);
    assert_eq!(collect(&pieces, false), ["ĠÃ©".as_bytes(), "Ġb".as_bytes()]);
    assert!(leave_bytes(&mut steps) && !stays_in_alphabet(&steps));
    let pieces = apply(Pieces::new("é  b", true), &steps);
    assert_eq!(collect(&pieces, false), [" é".as_bytes(), b" b"]);
    // Dropped text leaves no gap in what is handed out.
    let pieces = apply(Pieces::new(" a  b", true), &[WhitespaceSplit]);
    assert_eq!(collect(&pieces, false), [b"a", b"b"]);
    assert!(collect(&Pieces::new("", true), true).is_empty());
    assert!(!stays_in_alphabet(&[byte_level(true, true), metaspace(Always, true)]));
}

/// The step limit is an error that says where, in the original text if that is known.
#[test]
fn step_limit() {
    let steps = [byte_level(true, false), split(onig("(a|aa)+$"), Isolated, false)];
    let text = format!("é b{}c", "a".repeat(60));
    let mut pieces = Pieces::with_spans(text.as_str(), spans(&text));
    pieces.apply(&steps[0], best_level()).unwrap();
    let error = pieces.apply(&steps[1], best_level()).unwrap_err();
    assert_eq!(error, EncodeError::StepLimit { pattern: "(a|aa)+$".into(), byte_offset: 0 });
}

/// The sample of random regular expressions that `scripts/oracle/random_regex.py` froze.
#[test]
fn random_regular_expressions() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/regex_splits.jsonl.gz");
    let mut lines = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).unwrap();
    for line in lines.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let behavior = match row["behavior"].as_str().unwrap() {
            "removed" => Removed,
            "isolated" => Isolated,
            "merged_with_previous" => MergedWithPrevious,
            "merged_with_next" => MergedWithNext,
            _ => Contiguous,
        };
        let pattern = onig(row["pattern"].as_str().unwrap());
        let steps = [split(pattern, behavior, row["invert"].as_bool().unwrap())];
        let pieces = apply(Pieces::new(row["text"].as_str().unwrap(), true), &steps);
        let expected: Vec<&str> =
            row["pieces"].as_array().unwrap().iter().map(|piece| piece.as_str().unwrap()).collect();
        assert_eq!(pieces.iter().collect::<Vec<_>>(), expected, "{line}");
    }
    assert_eq!(lines.lines().count(), 600);
}
