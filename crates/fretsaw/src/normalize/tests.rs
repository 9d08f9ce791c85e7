#![allow(clippy::unwrap_used)]

use std::borrow::Cow;

use super::graphemes::cluster_end;
use super::{identity, Form, Normalizer, PerChar, Precompiled, Step};
use crate::unicode::normalization::compose;

fn one(step: Step) -> Normalizer {
    Normalizer::new(vec![step])
}

fn forms() -> [Normalizer; 4] {
    [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd].map(|form| one(Step::Form(form)))
}

#[test]
fn forms_by_hand() {
    for (text, want) in [
        ("", ["", "", "", ""]),
        ("abc", ["abc"; 4]),
        ("é", ["é", "e\u{301}", "é", "e\u{301}"]),
        ("e\u{301}x", ["éx", "e\u{301}x", "éx", "e\u{301}x"]),
        // Marks of different classes change places, those of one class never do.
        ("a\u{301}\u{323}", ["ạ\u{301}", "a\u{323}\u{301}", "ạ\u{301}", "a\u{323}\u{301}"]),
        ("q\u{301}\u{300}", ["q\u{301}\u{300}"; 4]),
        ("\u{301}\u{323}", ["\u{323}\u{301}"; 4]),
        // The first mark of its class blocks the second.
        (
            "a\u{334}\u{335}\u{301}",
            [
                "á\u{334}\u{335}",
                "a\u{334}\u{335}\u{301}",
                "á\u{334}\u{335}",
                "a\u{334}\u{335}\u{301}",
            ],
        ),
        // Hangul, and two starters that compose.
        ("각", ["각", "\u{1100}\u{1161}\u{11A8}", "각", "\u{1100}\u{1161}\u{11A8}"]),
        ("가\u{11A8}", ["각", "\u{1100}\u{1161}\u{11A8}", "각", "\u{1100}\u{1161}\u{11A8}"]),
        ("\u{9C7}\u{9BE}", ["\u{9CB}", "\u{9C7}\u{9BE}", "\u{9CB}", "\u{9C7}\u{9BE}"]),
        // Excluded from composition, and compatibility.
        ("\u{958}", ["\u{915}\u{93C}"; 4]),
        ("ﬁ½ｶﾞ", ["ﬁ½ｶﾞ", "ﬁ½ｶﾞ", "fi1\u{2044}2ガ", "fi1\u{2044}2カ\u{3099}"]),
    ] {
        for (form, want) in forms().iter().zip(want) {
            assert_eq!(form.normalize(text).unwrap(), want, "{text:?}");
        }
    }
}

#[test]
fn what_is_normalized_is_borrowed() {
    let text = "ASCII, äöü, 漢字, 한글, \u{5D0}\u{5B0}\u{5BC}";
    let nfc = one(Step::Form(Form::Nfc));
    assert!(matches!(nfc.normalize(text).unwrap(), Cow::Borrowed(same) if same == text));
    let ascii = "x".repeat(1000);
    for form in forms() {
        assert!(matches!(form.normalize(&ascii).unwrap(), Cow::Borrowed(_)));
    }
    let strip = one(Step::Strip { left: true, right: true });
    assert!(matches!(strip.normalize(" \u{3000}a b\n").unwrap(), Cow::Borrowed("a b")));
}

#[test]
fn long_runs_take_linear_time() {
    let marks: String = "\u{301}\u{323}\u{334}".repeat(300_000);
    let text = format!("a{marks}b{}", "\u{1100}\u{1161}\u{11A8}".repeat(100_000));
    for form in forms() {
        let made = form.normalize(&text).unwrap();
        assert!(made.starts_with(['a', 'ạ']) && made.contains('b'));
    }
    for rule in [PerChar::Lowercase, PerChar::StripAccents, PerChar::ByteLevel] {
        one(Step::PerChar(rule)).normalize_spans(&text, identity(&text)).unwrap();
    }
}

#[test]
fn characters_one_by_one() {
    for (rule, text, want) in [
        (PerChar::Lowercase, "ÀΣİẞ ſ", "àσi\u{307}ß ſ"),
        (PerChar::StripAccents, "e\u{301}\u{903}\u{20DD}é", "eé"),
        (PerChar::BertAccents, "e\u{301}\u{903}", "e\u{903}"),
        (PerChar::BertRemove, "a\0\u{FFFD}\u{AD}\u{200B}\u{E000}\tb", "a\tb"),
        (PerChar::BertSpaces, "\t\n\r\u{3000}x", "    x"),
        (PerChar::BertChinese, "a漢b", "a 漢 b"),
        (PerChar::NmtRemove, "a\u{1}\u{7F}\u{85}\0", "a\u{85}\0"),
        (PerChar::NmtSpaces, "\t\u{200B}\u{2581}\u{A0}", "   \u{A0}"),
        (PerChar::ByteLevel, "a é\n", "aĠÃ©Ċ"),
    ] {
        assert_eq!(one(Step::PerChar(rule)).normalize(text).unwrap(), want, "{rule:?}");
    }
}

#[test]
fn spans_of_what_is_added_and_taken_away() {
    let spans = |step, text: &str| one(step).normalize_spans(text, identity(text)).unwrap().1;
    assert_eq!(spans(Step::Form(Form::Nfd), "éa"), [(0, 2), (0, 2), (0, 2), (2, 3)]);
    // What is composed stands for the first of its characters.
    assert_eq!(spans(Step::Form(Form::Nfc), "e\u{301}a"), [(0, 1), (0, 1), (3, 4)]);
    assert_eq!(spans(Step::PerChar(PerChar::StripAccents), "\u{301}e\u{301}a"), [(2, 3), (5, 6)]);
    assert_eq!(spans(Step::Prepend("ab".to_owned()), "é"), [(0, 2); 4]);
    // The space behind a Chinese character belongs to it, the one before to what it replaces.
    let chinese = Step::PerChar(PerChar::BertChinese);
    assert_eq!(spans(chinese, "漢"), [(0, 3); 5]);
}

#[test]
fn what_stands_for_nothing_in_front_breaks_the_next_step() {
    let front = |rest| Normalizer::new(vec![Step::Prepend(String::new()), rest]);
    assert!(front(Step::PerChar(PerChar::Lowercase)).normalize("AB").is_err());
    assert!(front(Step::Prepend("x".to_owned())).normalize("AB").is_ok());
    // Enough is taken away behind it, so the oracle does not notice, and repeats it.
    let removed =
        front(Step::PerChar(PerChar::StripAccents)).normalize("ab\u{301}").unwrap().into_owned();
    assert_eq!(removed, "aab");
}

#[test]
fn hostile_character_maps() {
    assert!(Precompiled::new(&[]).is_err());
    assert!(Precompiled::new(&[255; 4]).is_err());
    let empty = one(Step::Precompiled(Precompiled::new(&[0; 4]).unwrap()));
    assert!(empty.normalize("").is_ok());
    assert!(empty.normalize("a").is_err());
    let outside = [&4u32.to_le_bytes()[..], &(1u32 << 20).to_le_bytes()].concat();
    assert!(one(Step::Precompiled(Precompiled::new(&outside).unwrap())).normalize("a").is_err());
}

#[test]
fn clusters() {
    for (text, want) in [
        ("ab", 1),
        ("a\u{301}b", 3),
        ("\r\n", 2),
        ("\n\r", 1),
        ("\n\u{301}", 1),
        ("\u{600}a", 3),
        ("\u{600}\n", 2),
        ("\u{1100}\u{1161}\u{11A8}\u{1161}", 9),
        ("©\u{200D}®", 7),
        ("©\u{301}\u{200D}®", 9),
        ("©\u{200D}\u{301}®", 7),
        ("\u{915}\u{94D}\u{937}", 9),
        ("\u{915}\u{937}", 3),
    ] {
        assert_eq!(cluster_end(text, 0), want, "{text:?}");
    }
}

#[test]
fn nothing_below_u0300_composes_with_what_stands_before() {
    assert_eq!(compose('A', '\u{300}'), Some('À'));
    assert_eq!(compose('\u{AC00}', '\u{11A7}'), None);
    assert_eq!(compose('\u{AC01}', '\u{11A8}'), None);
}
