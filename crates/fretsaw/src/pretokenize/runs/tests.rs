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

/// Runs with their ids, and whether the last one ends well.
type Found<'t> = (Vec<(&'t str, u32)>, bool);

/// As they are handed out, `N` at a time.
fn runs<'t, const N: usize>(tables: &Runs, text: &'t str) -> Found<'t> {
    let (mut found, mut start) = (Vec::new(), 0);
    let mut keep = |runs: &[Run]| {
        for run in runs {
            found.push((&text[start..run.end], run.id));
            start = run.end;
        }
        Ok::<_, std::convert::Infallible>(())
    };
    let mut room = [Run::EMPTY; N];
    let done = tables.in_groups(text, &mut room, &mut keep);
    let (left, ends_well) = done.unwrap_or_else(|never| match never {});
    keep(&room[..left]).unwrap_or_else(|never| match never {});
    (found, ends_well)
}

/// As they are walked, `N` at a time.
fn walked<'t, const N: usize>(tables: &Runs, text: &'t str) -> Found<'t> {
    let mut walk = tables.walk(text);
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

/// Masks find the same runs, and say of no fewer what they are.
fn assert_masked(text: &str, found: &Found<'_>, known: &Found<'_>) {
    assert_eq!(found.1, known.1, "{text:?}");
    assert_eq!(found.0.len(), known.0.len(), "{text:?} {found:?} {known:?}");
    for ((run, id), (known_run, known_id)) in found.0.iter().zip(&known.0) {
        assert_eq!(run, known_run, "{text:?}");
        assert!(*known_id == UNSURE || id == known_id, "{text:?} {run:?}");
    }
}

#[test]
fn runs_by_hand() {
    let tables = tables();
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
        assert_eq!(walked::<64>(&tables, text), (expected.to_vec(), ends_well), "{text:?}");
        assert_masked(text, &runs::<64>(&tables, text), &(expected.to_vec(), ends_well));
    }
}

#[test]
fn groups_of_any_size_are_alike() {
    const PARTS: [&str; 12] =
        ["a", "b", "ab", " ", "\n", "漢", "é", "\u{301}", "\u{200b}", "<s>", "<", "字"];
    let tables = tables();
    let mut next = draws(1);
    for _ in 0..10_000 {
        let text: String = (0..=next(90)).map(|_| PARTS[next(PARTS.len())]).collect();
        let known = walked::<256>(&tables, &text);
        assert_eq!(walked::<4>(&tables, &text), known, "{text:?}");
        let masked = runs::<256>(&tables, &text);
        assert_masked(&text, &masked, &known);
        assert_eq!(runs::<1>(&tables, &text), masked, "{text:?}");
        let whole: String = known.0.iter().map(|(run, _)| *run).collect();
        assert_eq!(whole, text);
    }
}
