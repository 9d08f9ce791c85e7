//! Against the frozen answers of the oracles.

use fretsaw::{Pipeline, Tokenizer};

use crate::data::{alphabet, golden_ids, golden_strings, gpt2, smollm2};

fn equals_golden(tokenizer: &Pipeline, name: &str) {
    let want = golden_ids(name);
    assert_eq!((golden_strings().len(), want.len()), (10_000, 10_000));
    let wrong: Vec<_> = golden_strings()
        .iter()
        .zip(&want)
        .map(|(text, want)| (text, want, tokenizer.encode(text).unwrap()))
        .filter(|(_, want, got)| *want != got)
        .collect();
    assert!(wrong.is_empty(), "{} strings differ, the first: {:?}", wrong.len(), wrong[0]);
}

#[test]
fn gpt2_golden_10k() {
    equals_golden(gpt2(), "gpt2");
}

#[test]
fn smollm2_golden_10k() {
    equals_golden(smollm2(), "smollm2");
}

/// The bytes that are no token of a byte-level vocabulary.
fn missing_bytes(tokenizer: &Pipeline) -> Vec<u8> {
    let is_missing =
        |letter: char| tokenizer.vocabulary().id(letter.to_string().as_bytes()).is_none();
    (0..=255).filter(|&byte| is_missing(alphabet()[usize::from(byte)])).collect()
}

/// What comes back is the text without the bytes that the vocabulary has no token for: the oracle
/// drops them. GPT-2 has all 256.
#[test]
fn decode_inverts_encode() {
    let smollm2_missing = [
        0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xC0, 0xC1, 0xF1, 0xF2, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9,
        0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF,
    ];
    let all: [(&Pipeline, &[u8]); 2] = [(gpt2(), &[]), (smollm2(), &smollm2_missing)];
    for (tokenizer, missing) in all {
        assert_eq!(missing_bytes(tokenizer), missing);
        for text in golden_strings() {
            let ids = tokenizer.encode(text).unwrap();
            let want: Vec<u8> = text.bytes().filter(|byte| !missing.contains(byte)).collect();
            assert_eq!(tokenizer.decode_bytes(&ids).unwrap(), want, "{text:?}");
            let want = String::from_utf8_lossy(&want);
            assert_eq!(tokenizer.decode(&ids).unwrap(), want, "{text:?}");
            assert_eq!(tokenizer.decode_ids(&ids, false).unwrap(), want, "{text:?}");
        }
    }
}

/// Long texts without a place to cut: as many ids as the oracle gives, and they decode.
#[test]
fn a_megabyte_of_one_thing() {
    let mut state = 1u32;
    let mut letter = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7FFF_FFFF;
        char::from(b'a' + ((state >> 16) % 26) as u8)
    };
    let repeated = |unit: &str| unit.repeat(1_000_000 / unit.len());
    let texts = [
        ("a letter", repeated("a"), 250_000, 250_000),
        ("spaces", repeated(" "), 1_000_000, 15_625),
        ("newlines", repeated("\n"), 500_000, 250_000),
        ("two letters", repeated("ab"), 500_000, 500_000),
        ("combining marks", repeated("\u{301}"), 1_000_000, 1_000_000),
        ("digits", repeated("7"), 500_000, 1_000_000),
        ("mixed white space", repeated(" \n"), 1_000_000, 500_000),
        ("one word", (0..1_000_000).map(|_| letter()).collect(), 595_951, 596_002),
    ];
    for (name, text, gpt2_ids, smollm2_ids) in texts {
        for (tokenizer, count) in [(gpt2(), gpt2_ids), (smollm2(), smollm2_ids)] {
            let ids = tokenizer.encode(&text).unwrap();
            assert_eq!(ids.len(), count, "{name}");
            assert!(tokenizer.decode(&ids).unwrap() == text, "{name}");
        }
    }
}
