//! Runs of small tables, by hand and against a walk that looks at each place on its own.

use super::*;
use crate::draws::draws;

/// `ab` joins, `▁` joins `a`; `é` becomes `e`, U+0301 goes on, `\n` is a space, U+200B is nothing, and
/// `<s>` is a symbol.
fn tables() -> Runs {
    let mut builder = RunsBuilder::new(Prefixes::new(["<s>"].into_iter()), 2);
    let plain = |c, id| Role::Plain { first: c, last: c, id };
    for (c, id) in [('a', 1), ('b', 2), ('e', 3), ('.', 4), ('<', 5), ('漢', 6)] {
        builder.set(c, plain(c, id));
    }
    builder.set('é', Role::Plain { first: 'e', last: 'e', id: 3 });
    builder.set('\u{301}', Role::Continues { solid: true });
    builder.set('\u{200b}', Role::Odd);
    builder.set(MARK, Role::Odd);
    builder.set(' ', Role::Space { ends: false });
    builder.set('\n', Role::Space { ends: false });
    builder.join('漢', 'a');
    builder.join(MARK, 'a');
    builder.build()
}

/// The runs, and whether the last one ends well; `N` at a time.
fn runs<const N: usize>(text: &str) -> (Vec<(&str, u32)>, bool) {
    let runs = tables();
    let mut walk = runs.walk(text);
    let (mut found, mut start) = (Vec::new(), 0);
    let mut some = [Run::EMPTY; N];
    loop {
        let count = walk.fill(&mut some);
        if count == 0 {
            return (found, walk.ends_well());
        }
        for run in &some[..count] {
            found.push((&text[start..run.end], run.id));
            start = run.end;
        }
    }
}

#[test]
fn runs_by_hand() {
    for (text, expected, ends_well) in [
        ("a", &[("a", 1)][..], true),
        ("ab.", &[("ab", UNSURE), (".", 4)], true),
        ("ab  ab", &[("ab", UNSURE), ("  ab", UNSURE)], true),
        ("漢a漢漢", &[("漢a", UNSURE), ("漢", 6), ("漢", 6)], true),
        ("é漢字", &[("é", 3), ("漢", 6), ("字", UNKNOWN)], true),
        ("漢e\u{301}漢", &[("漢e\u{301}漢", UNSURE)], true),
        ("e\u{301} a", &[("e\u{301}", UNSURE), (" a", UNSURE)], true),
        ("漢\u{200b}漢 a", &[("漢\u{200b}漢", UNSURE), (" a", UNSURE)], true),
        ("漢<s>漢.", &[("漢<s>漢", UNSURE), (".", 4)], true),
        ("漢<漢", &[("漢", 6), ("<", 5), ("漢", 6)], true),
        ("a \n", &[("a", UNSURE), (" \n", UNSURE)], false),
        ("a\u{2581}", &[("a\u{2581}", UNSURE)], false),
        ("\u{301}", &[("\u{301}", UNSURE)], true),
        (" ", &[(" ", UNSURE)], false),
    ] {
        assert_eq!(runs::<64>(text), (expected.to_vec(), ends_well), "{text:?}");
    }
}

#[test]
fn groups_of_any_size_are_alike() {
    const PARTS: [&str; 12] =
        ["a", "b", "ab", " ", "\n", "漢", "é", "\u{301}", "\u{200b}", "<s>", "<", "字"];
    let mut next = draws(1);
    for _ in 0..3_000 {
        let text: String = (0..=next(30)).map(|_| PARTS[next(PARTS.len())]).collect();
        let known = runs::<256>(&text);
        assert_eq!(runs::<4>(&text), known, "{text:?}");
        let whole: String = known.0.iter().map(|(run, _)| *run).collect();
        assert_eq!(whole, text);
    }
}
