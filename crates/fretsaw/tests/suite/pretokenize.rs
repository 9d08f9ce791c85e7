//! Where a text is cut, seen from outside: in a vocabulary that has every stretch of a text as a
//! token and ignores merges, each piece is one id.

use fretsaw::Tokenizer;
use serde_json::{json, Map, Value};

use crate::data::{
    byte_level, byte_level_json, byte_vocabulary, load, path, smollm2, spell, unspell, Random,
};

/// Longer pieces can't be seen.
const LONGEST: usize = 40;

/// The pieces of `text`.
fn split(pre_tokenizer: &Value, text: &str) -> Vec<String> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut vocab = Map::new();
    for (at, &start) in ends.iter().enumerate() {
        for &end in ends[at + 1..].iter().take_while(|&&end| end - start <= LONGEST) {
            let id = vocab.len();
            vocab.entry(spell(&text.as_bytes()[start..end])).or_insert(json!(id));
        }
    }
    let mut json = byte_level_json(pre_tokenizer.clone(), vocab.into(), json!([]));
    json["model"]["ignore_merges"] = true.into();
    let tokenizer = load(&json);
    let ids = tokenizer.encode(text).unwrap();
    let piece = |&id: &u32| String::from_utf8(unspell(tokenizer.id_to_token(id).unwrap())).unwrap();
    ids.iter().map(piece).collect()
}

/// Digits before ByteLevel.
fn digits(individual: bool) -> Value {
    let digits = json!({"type": "Digits", "individual_digits": individual});
    json!({"type": "Sequence", "pretokenizers": [digits, byte_level(true)]})
}

#[test]
fn gpt2_split_hand_cases() {
    let cases: [(&str, &[&str]); 29] = [
        ("", &[]),
        ("Hello world", &["Hello", " world"]),
        // Contractions, in lower case only, and only where the apostrophe starts a piece.
        ("I'm you're it's", &["I", "'m", " you", "'re", " it", "'s"]),
        ("we've I'll he'd don't", &["we", "'ve", " I", "'ll", " he", "'d", " don", "'t"]),
        ("IT'S", &["IT", "'", "S"]),
        ("I'M he'LL", &["I", "'", "M", " he", "'", "LL"]),
        ("it's's 's", &["it", "'s", "'s", " '", "s"]),
        ("'''s", &["'''", "s"]),
        ("x'rex", &["x", "'re", "x"]),
        ("x'r", &["x", "'", "r"]),
        ("don’t", &["don", "’", "t"]),
        // A run of white space gives its last character back.
        ("a  b", &["a", " ", " b"]),
        ("a   b", &["a", "  ", " b"]),
        ("a  ", &["a", "  "]),
        ("  ", &["  "]),
        ("a\n\nb", &["a", "\n", "\n", "b"]),
        ("a\n b", &["a", "\n", " b"]),
        ("a \nb", &["a", " ", "\n", "b"]),
        ("a\u{A0}b", &["a", "\u{A0}", "b"]),
        ("a\u{3000}\u{3000} b", &["a", "\u{3000}\u{3000}", " b"]),
        ("a \u{2003}\u{85}b", &["a", " \u{2003}", "\u{85}", "b"]),
        // Classes are general categories: marks are no letters, other numbers are numbers.
        ("abc123 456!?", &["abc", "123", " 456", "!?"]),
        ("x²½Ⅷ४", &["x", "²½Ⅷ४"]),
        ("e\u{301}a", &["e", "\u{301}", "a"]),
        ("हिन्दी", &["ह", "ि", "न", "्", "द", "ी"]),
        ("ไม่ได้", &["ไม", "่", "ได", "้"]),
        ("漢字かな 😀!", &["漢字かな", " 😀!"]),
        ("_a ×÷ ºª", &["_", "a", " ×÷", " ºª"]),
        ("\u{200B}a\0\u{FEFF}", &["\u{200B}", "a", "\0\u{FEFF}"]),
    ];
    for (text, want) in cases {
        assert_eq!(split(&byte_level(true), text), want, "{text:?}");
        // The same anywhere in and across the blocks of 64 bytes that the scanner takes.
        for padding in [57, 60, 62, 63, 64, 127] {
            if text.starts_with(|c: char| !c.is_whitespace() && c != '\'') {
                let padded = format!("{}\n{text}", "?".repeat(padding));
                let got = split(&byte_level(true), &padded);
                assert_eq!(got[got.len() - want.len()..], *want, "{padding} before {text:?}");
            }
        }
    }
}

#[test]
fn digits_split_for_smollm2() {
    assert_eq!(split(&digits(true), "a12345b"), ["a", "1", "2", "3", "4", "5", "b"]);
    assert_eq!(split(&digits(false), "a12345b"), ["a", "12345", "b"]);
    assert_eq!(split(&byte_level(true), "a 12345b"), ["a", " 12345", "b"]);
    // Digits cuts first: a space does not join a number, and white space ends at it.
    for (individual, number) in [(true, vec!["1", "2"]), (false, vec!["12"])] {
        let want =
            |before: &[&'static str], after: &[&'static str]| [before, &number, after].concat();
        assert_eq!(split(&digits(individual), "a 12"), want(&["a", " "], &[]));
        assert_eq!(split(&digits(individual), "a  12 b"), want(&["a", "  "], &[" b"]));
        assert_eq!(split(&digits(individual), "'12's"), want(&["'"], &["'s"]));
    }
    assert_eq!(split(&digits(true), "½①٣Ⅷ"), ["½", "①", "٣", "Ⅷ"]);
    assert_eq!(split(&digits(false), "½①٣Ⅷ"), ["½①٣Ⅷ"]);
    // U+11DE0 is a number of Unicode 17, which Digits knows and the regular expression does not.
    assert_eq!(split(&digits(true), "a\u{11DE0}\u{11DE1}b"), ["a", "\u{11DE0}", "\u{11DE1}", "b"]);
    assert_eq!(split(&byte_level(true), "!\u{11DE0}?"), ["!\u{11DE0}?"]);

    let tokenizer = smollm2();
    let each: Vec<u32> =
        "12345".chars().flat_map(|c| tokenizer.encode(&c.to_string()).unwrap()).collect();
    assert_eq!(each.len(), 5);
    assert_eq!(tokenizer.encode("12345").unwrap(), each);
}

/// Whether each code point is a letter, a number, white space, or a number to Digits.
struct Classes {
    letter: Vec<bool>,
    number: Vec<bool>,
    space: Vec<bool>,
    numeric: Vec<bool>,
}

impl Classes {
    fn read() -> Self {
        Self {
            letter: ranges("onig_category", |value| value.starts_with('L')),
            number: ranges("onig_category", |value| value.starts_with('N')),
            space: ranges("onig_space", |_| true),
            numeric: ranges("rust_numeric", |_| true),
        }
    }
}

/// The code points of a range file whose value is asked for.
fn ranges(name: &str, wanted: impl Fn(&str) -> bool) -> Vec<bool> {
    let file = path("python/fretsaw/reference/ranges").join(name).with_extension("txt");
    let mut found = vec![false; 0x11_0000];
    for line in std::fs::read_to_string(file).unwrap().lines().filter(|line| !line.starts_with('#'))
    {
        let (range, value) = line.split_once(' ').unwrap();
        let (start, end) = range.split_once("..").unwrap();
        let code_point = |hex| usize::from_str_radix(hex, 16).unwrap();
        found[code_point(start)..=code_point(end)].fill(wanted(value));
    }
    found
}

/// GPT-2's regular expression, tried at each place from left to right.
fn naive_split(classes: &Classes, text: &str) -> Vec<String> {
    let text: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = at + naive_piece(classes, &text[at..]);
        pieces.push(text[at..end].iter().collect());
        at = end;
    }
    pieces
}

/// How many characters the piece at the start of `text` has.
fn naive_piece(classes: &Classes, text: &[char]) -> usize {
    let class = |c: char| {
        let at = c as usize;
        u8::from(classes.letter[at])
            + 2 * u8::from(classes.number[at])
            + 3 * u8::from(classes.space[at])
    };
    for suffix in ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"] {
        if text.iter().copied().take(suffix.len()).eq(suffix.chars()) {
            return suffix.len();
        }
    }
    let run = |start: usize| {
        text[start..].iter().take_while(|&&c| class(c) == class(text[start])).count()
    };
    let start = usize::from(text[0] == ' ' && text.get(1).is_some_and(|&c| class(c) != 3));
    match class(text[start]) {
        3 if run(0) == text.len() => run(0),
        3 => (run(0) - 1).max(1),
        _ => start + run(start),
    }
}

/// What Digits makes of a text.
fn naive_digits(classes: &Classes, individual: bool, text: &str) -> Vec<String> {
    let numeric = |c: char| classes.numeric[c as usize];
    let mut parts: Vec<String> = Vec::new();
    for c in text.chars() {
        match parts.last_mut() {
            Some(part)
                if part.chars().all(numeric) == numeric(c) && !(individual && numeric(c)) =>
            {
                part.push(c)
            }
            _ => parts.push(c.into()),
        }
    }
    parts
}

/// Random texts of what the expression tells apart, and of every Unicode plane.
#[test]
fn the_scanner_equals_the_regular_expression() {
    let classes = Classes::read();
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let units = [
        "a",
        "b",
        "ing",
        "é",
        "ж",
        "漢",
        "1",
        "42",
        "٣",
        "½",
        " ",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\u{A0}",
        "\u{85}",
        "\u{2003}",
        "\u{3000}",
        "'",
        "'s",
        "'S",
        "'re",
        "'l",
        "'ll",
        "’",
        "!",
        "...",
        "\u{301}",
        "ि",
        "😀",
        "\u{11DE0}",
        "\u{200D}",
        "\0",
    ];
    for _ in 0..200 {
        let mut text = String::new();
        for _ in 0..random.below(40) {
            match random.below(8) {
                0 => text.extend(char::from_u32(random.below(0x11_0000) as u32)),
                1 => text += &random.pick(&units).repeat(1 + random.below(9)),
                _ => text += random.pick::<&str>(&units),
            }
        }
        let want = naive_split(&classes, &text);
        if want.iter().any(|piece| piece.len() > LONGEST) {
            continue;
        }
        assert_eq!(split(&byte_level(true), &text), want, "{text:?}");
        for individual in [true, false] {
            let parts = naive_digits(&classes, individual, &text);
            let want: Vec<String> =
                parts.iter().flat_map(|part| naive_split(&classes, part)).collect();
            assert_eq!(split(&digits(individual), &text), want, "{individual} {text:?}");
        }
    }
}

/// Every code point is what the oracle's own version of Unicode says. In a vocabulary where `q`,
/// `1`, `!` and newline merge with any byte behind them, they do so if what follows is in their
/// piece: if it is a letter, a number, something else, or white space.
#[test]
fn unicode_version_is_the_oracles() {
    let classes = Classes::read();
    let mut vocab = byte_vocabulary();
    let mut merges = Vec::new();
    for (first, byte) in b"q1!\n".iter().flat_map(|&first| (0..=255).map(move |byte| (first, byte)))
    {
        merges.push([spell(&[first]), spell(&[byte])]);
        let id = vocab.len();
        vocab.insert(spell(&[first, byte]), id.into());
    }
    let tokenizer = load(&byte_level_json(byte_level(true), vocab.into(), json!(merges)));
    let joins = |first: char, then: char| {
        tokenizer.encode(&String::from_iter([first, then])).unwrap()[0] > 255
    };
    for character in '\0'..=char::MAX {
        let at = character as usize;
        let first = match () {
            () if classes.letter[at] => 'q',
            () if classes.number[at] => '1',
            () if classes.space[at] => '\n',
            () => '!',
        };
        assert!(joins(first, character), "U+{at:04X} is not in one piece with {first:?}");
    }
    // U+1C89 is a letter since Unicode 16, U+323B0 since Unicode 17.
    assert_eq!(split(&byte_level(true), "a\u{1C89}b"), ["a\u{1C89}b"]);
    assert_eq!(split(&byte_level(true), "a\u{323B0}b"), ["a", "\u{323B0}", "b"]);
}
