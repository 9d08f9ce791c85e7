use super::*;

use spec::Pattern::{Fancy as FancySpec, Literal, Onig};

fn found(pattern: &spec::Pattern, text: &str) -> Vec<(usize, usize)> {
    let pattern = Pattern::compile(pattern, "p").unwrap();
    pattern.find_iter(text).collect::<Result<_, _>>().unwrap()
}

/// Frozen from the engines' own iterators; an empty match right behind a match does not count.
#[test]
fn matches() {
    let onig = |source: &str| Onig(source.into());
    let fancy = |source: &str| FancySpec(source.into());
    let literal = |text: &str| Literal(text.into());
    for (pattern, text, expected) in [
        (literal("aa"), "aaaaa", vec![(0, 2), (2, 4)]),
        (literal(""), "aé", vec![(0, 0), (1, 1), (3, 3)]),
        (literal(""), "", vec![]),
        (onig(""), "aé", vec![(0, 0), (1, 1), (3, 3)]),
        (onig("x*"), "axé", vec![(0, 0), (1, 2), (4, 4)]),
        (onig("$"), "a\nb", vec![(1, 1), (3, 3)]),
        (onig(r"\h"), "ag", vec![(0, 1)]),
        (onig(r"(?i)ss"), "ß", vec![(0, 2)]),
        (onig(r"(?<=é)a"), "aéa", vec![(3, 4)]),
        (onig("a"), "", vec![]),
        (onig("^"), "", vec![]),
        (fancy("x*"), "axé", vec![(0, 0), (1, 2), (4, 4)]),
        (fancy(r"\s+(?!\S)|\s+|\p{L}++"), "ab  c", vec![(0, 2), (2, 3), (3, 4), (4, 5)]),
        (fancy("$"), "a\nb", vec![(3, 3)]),
    ] {
        assert_eq!(found(&pattern, text), expected, "{pattern:?} in {text:?}");
    }
}

#[test]
fn refuses_what_is_no_pattern() {
    for pattern in [Onig("(a".into()), Onig(r"\p{Nope}".into()), FancySpec("(a".into())] {
        let error = Pattern::compile(&pattern, "pre_tokenizer.pattern.Regex").err().unwrap();
        assert!(matches!(error, LoadError::Invalid { .. }), "{error}");
        assert!(error.to_string().contains("pre_tokenizer.pattern.Regex"), "{error}");
    }
    let error = Pattern::compile(&FancySpec(r"\Ga".into()), "p").err().unwrap();
    assert!(matches!(error, LoadError::Unsupported { .. }), "{error}");
}

/// A pattern that takes ever more steps, alone or over all matches, ends in an error.
#[test]
fn step_limits() {
    let stubborn = format!("b{}c", "a".repeat(60));
    let letters = "a".repeat(3_000);
    for (pattern, text, steps, found) in [
        // Too much for one match: the engines' own limits.
        (Onig("(a|aa)+$".into()), &stubborn, u64::MAX, 0),
        (FancySpec("(a|aa)+(?=d)$".into()), &stubborn, u64::MAX, 0),
        // Each match takes as many steps as there are letters left: too much for all of them.
        (Onig(r"\w+(?=\d)|a".into()), &letters, 100_000, 21),
    ] {
        let compiled = Pattern::compile(&pattern, "p").unwrap();
        let results: Vec<_> = compiled.find_within(text, Budget { left: steps }).collect();
        let last = results.last().unwrap();
        assert!(matches!(last, Err(EncodeError::StepLimit { .. })), "{pattern:?}: {last:?}");
        assert_eq!(results.len() - 1, found, "{pattern:?}");
    }
}

/// What ordinary patterns take grows with the text alone, and many threads share one pattern.
#[test]
fn long_texts_and_many_threads() {
    let pattern = Pattern::compile(
        &Onig(r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s*[\r\n]+|\s+(?!\S)|\s+".into()),
        "p",
    )
    .unwrap();
    let text = "The quick brown fox, 12345 jumps\n\n  over. ".repeat(20_000);
    let expected = 13 * 20_000 + 1;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut end = 0;
                let mut count = 0;
                for found in pattern.find_iter(&text) {
                    let (start, stop) = found.unwrap();
                    assert_eq!(start, end);
                    (end, count) = (stop, count + 1);
                }
                assert_eq!((end, count), (text.len(), expected));
            });
        }
    });
    let spaces = " ".repeat(3_000_000);
    assert_eq!(pattern.find_iter(&spaces).count(), 1);
}
