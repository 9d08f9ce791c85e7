//! The tables against the range files they were made from, over every code point.

use super::*;

const CODE_POINTS: usize = 0x110000;

/// The value of each code point in a range file, "" where it gives none.
fn read(name: &str) -> Vec<&'static str> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/fretsaw/reference/ranges");
    let file = std::fs::read_to_string(format!("{root}/{name}.txt")).expect("range file");
    let mut values = vec![""; CODE_POINTS];
    for line in file.leak().lines().filter(|line| !line.starts_with('#')) {
        let (range, value) = line.split_once(' ').expect("range and value");
        let (start, end) = range.split_once("..").expect("start and end");
        let start = usize::from_str_radix(start, 16).expect("hexadecimal start");
        let end = usize::from_str_radix(end, 16).expect("hexadecimal end");
        values[start..=end].fill(value);
    }
    values
}

#[test]
fn categories_equal_the_range_files() {
    let sources = [(Engine::Onig, "onig_category"), (Engine::Regex, "regex_category")];
    for (engine, name) in sources {
        for (code_point, want) in read(name).into_iter().enumerate() {
            let got = format!("{:?}", kind(code_point as u32).category(engine));
            let want = if want.is_empty() { "Cs" } else { want };
            assert_eq!(got, want, "{engine:?} U+{code_point:04X}");
        }
    }
}

#[test]
fn runs_of_a_kind_cover_every_code_point_once() {
    let mut next = 0;
    each_kind_run(|first, last, found| {
        assert_eq!(first, next);
        for code_point in first..=last {
            assert!(std::ptr::eq(kind(code_point), found), "U+{code_point:04X}");
        }
        next = last + 1;
    });
    assert_eq!(next as usize, CODE_POINTS);
    assert!(Category::ALL.iter().enumerate().all(|(place, &category)| category as usize == place));
}

#[test]
fn properties_equal_the_range_files() {
    let sources = [
        (Property::OnigSpace, "onig_space"),
        (Property::OnigWord, "onig_word"),
        (Property::OnigWordInBrackets, "onig_word_in_brackets"),
        (Property::OnigDigit, "onig_digit"),
        (Property::OnigHan, "onig_han"),
        (Property::RegexSpace, "regex_space"),
        (Property::RegexWord, "regex_word"),
        (Property::RegexDigit, "regex_digit"),
        (Property::RegexHan, "regex_han"),
        (Property::RustNumeric, "rust_numeric"),
        (Property::RustWhitespace, "rust_whitespace"),
        (Property::WordBoundary, "word_boundary"),
        (Property::StripSpace, "strip_space"),
        (Property::Punctuation, "punctuation"),
        (Property::BertPunctuation, "bert_punctuation"),
    ];
    for (property, name) in sources {
        for (code_point, want) in read(name).into_iter().enumerate() {
            let got = kind(code_point as u32).has(property);
            assert_eq!(got, want == "yes", "{property:?} U+{code_point:04X}");
        }
    }
}

#[test]
fn script_classes_equal_the_range_file() {
    let values = read("scripts");
    for (code_point, want) in values.into_iter().enumerate() {
        let got = script_class(code_point as u32);
        if want.is_empty() {
            assert_eq!(got, 0, "U+{code_point:04X}");
        } else {
            let first = u32::from_str_radix(want, 16).expect("code point");
            assert_ne!(got, 0, "U+{code_point:04X}");
            assert_eq!(got, script_class(first), "U+{code_point:04X}");
        }
    }
    assert_ne!(script_class('a'.into()), script_class('!'.into()));
    assert_ne!(script_class('a'.into()), script_class('京'.into()));
    assert_eq!(script_class('ー'.into()), script_class('京'.into()));
    assert_eq!(script_class(' '.into()), 0);
}

#[test]
fn named_functions_ask_for_what_they_say() {
    type Question = fn(u32) -> bool;
    let questions: [(Property, Question); 8] = [
        (Property::OnigSpace, is_onig_space),
        (Property::RegexSpace, is_regex_space),
        (Property::RustNumeric, is_rust_numeric),
        (Property::RustWhitespace, is_rust_whitespace),
        (Property::WordBoundary, is_word),
        (Property::StripSpace, is_strip_space),
        (Property::Punctuation, is_punctuation),
        (Property::BertPunctuation, is_bert_punctuation),
    ];
    for code_point in 0..CODE_POINTS as u32 {
        let kind = kind(code_point);
        assert_eq!(onig_category(code_point), kind.category(Engine::Onig));
        assert_eq!(regex_category(code_point), kind.category(Engine::Regex));
        for (property, question) in questions {
            assert_eq!(question(code_point), kind.has(property), "{property:?} U+{code_point:04X}");
        }
    }
}

#[test]
fn a_class_table_equals_its_rule() {
    // The bits of a category are its number; 0x80 and 0x40 mark spaces and numbers.
    let bits_of: [u8; Category::COUNT] = std::array::from_fn(|i| i as u8);
    for engine in [Engine::Onig, Engine::Regex] {
        let table = ClassTable::new(engine, bits_of, 0x80, 0x40);
        for code_point in 0..CODE_POINTS as u32 {
            let kind = kind(code_point);
            let want = kind.category(engine) as u8
                | u8::from(kind.is_space(engine)) << 7
                | u8::from(kind.has(Property::RustNumeric)) << 6;
            assert_eq!(table.class_bits(code_point), want, "{engine:?} U+{code_point:04X}");
        }
    }
}

#[test]
fn past_the_end_is_nothing() {
    let table = ClassTable::new(Engine::Onig, [1; Category::COUNT], 2, 4);
    for code_point in [0x110000, 0x110100, u32::MAX] {
        assert_eq!(onig_category(code_point), Category::Cn);
        assert!(!is_word(code_point));
        assert_eq!(script_class(code_point), 0);
        assert_eq!(table.class_bits(code_point), 0);
    }
    assert_eq!(onig_category(0x10FFFF), Category::Cn);
    assert_eq!(table.class_bits(0x10FFFF), 1);
}

#[test]
fn groups_of_categories() {
    type IsIn = fn(Category) -> bool;
    let groups: [(char, IsIn); 6] = [
        ('L', Category::is_letter),
        ('M', Category::is_mark),
        ('N', Category::is_number),
        ('P', Category::is_punctuation),
        ('S', Category::is_symbol),
        ('Z', Category::is_separator),
    ];
    for kind in &KINDS {
        for (initial, is_in) in groups {
            assert_eq!(is_in(kind.onig), format!("{:?}", kind.onig).starts_with(initial));
        }
    }
}

#[test]
fn first_bytes_are_those_of_members() {
    let tables = [
        ClassTable::from_kinds(|kind| u8::from(kind.category(Engine::Onig).is_number())),
        ClassTable::from_kinds(|kind| u8::from(kind.is_space(Engine::Onig)) << 1),
        ClassTable::from_sets(&[(3, vec![(0x41, 0x5A), (0x7FF, 0x800), (0xFFFF, 0x1_0000)])])
            .unwrap(),
        ClassTable::from_sets(&[(1, vec![(0x4E00, 0x9FFF)])]).unwrap(),
    ];
    for table in tables {
        for bits in [1, 2, 3] {
            let mut known = [false; 256];
            for c in '\0'..=char::MAX {
                let first = c.encode_utf8(&mut [0; 4]).as_bytes()[0];
                known[usize::from(first)] |= table.class_bits(u32::from(c)) & bits != 0;
            }
            let found = table.first_bytes(bits);
            assert!((0..256).all(|byte| found[byte] || !known[byte]));
            let is_lead = |byte: usize| byte < 0x80 || (0xC2..=0xF4).contains(&byte);
            assert!((0..256).filter(|&byte| is_lead(byte)).all(|byte| found[byte] == known[byte]));
        }
    }
}
