//! Small tokenizers of every kind through a compiled file, and files made to hurt.

use crate::{load_bytes, MatchPolicy, Pipeline, Settings, SpecialSet, Tokenizer};

const TEXTS: [&str; 9] = [
    "",
    "ab",
    "abab ba <s>b</s>",
    "a b  ab\n\nabba",
    "\u{2581}ab\u{2581}b",
    "x\u{e9}\u{20ac}\u{1f600}ab",
    "##b ab##b",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbb",
    "<s><s>",
];

/// A tokenizer.json of each model, with the parts around it that have tables or cuts of their own.
fn documents() -> Vec<String> {
    let added = r#""added_tokens": [{"id": 90, "content": "<s>", "single_word": false, "lstrip": false,
        "rstrip": false, "normalized": false, "special": true}]"#;
    let byte_level = r#"{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true}"#;
    let bpe = r#"{"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "ba": 3, "abab": 4, "Ġ": 5, "Ġb": 6},
        "merges": ["a b", "b a", "a b", "ab ab", "Ġ b"]}"#;
    let words = r#"{"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true,
        "vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3, "\u2581": 4, "\u2581ab": 5, "<0xE2>": 6},
        "merges": ["a b", "\u2581 ab"]}"#;
    let unigram = r#"{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1.5], ["b", -2],
        ["ab", -2.25], ["\u2581", -3], ["aba", -3.5], ["ab", -1], ["<s>", -4]]}"#;
    let word_piece = r###"{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 60, "vocab": {"[UNK]": 0, "a": 1, "ab": 2, "##b": 3, "##ba": 4,
        "##a": 5, "aba": 6, "b": 7, "abbabb": 8}}"###;
    let word_level =
        r#"{"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "ab": 3, "b": 1}}"#;
    let document = |model: &str, rest: &str| format!("{{{added}, \"model\": {model}{rest}}}");
    vec![
        document(bpe, &format!(r#", "pre_tokenizer": {byte_level}, "decoder": {byte_level}"#)),
        document(words, ""),
        document(unigram, r#", "pre_tokenizer": {"type": "WhitespaceSplit"}"#),
        document(
            word_piece,
            r###", "pre_tokenizer": {"type": "Whitespace"}, "decoder":
            {"type": "WordPiece", "prefix": "##", "cleanup": true}"###,
        ),
        document(
            word_level,
            r#", "pre_tokenizer": {"type": "Whitespace"}, "normalizer":
            {"type": "Replace", "pattern": {"Regex": "x+"}, "content": "b"}"#,
        ),
    ]
}

/// All that a pipeline says of a text, errors as well.
fn says(pipeline: &Pipeline, text: &str) -> String {
    let mut said = String::new();
    for special in [SpecialSet::All, SpecialSet::None] {
        let policy = MatchPolicy::new(&special);
        let encoded = pipeline.encode_with(text, policy, true, &Settings::NONE);
        if let Ok(encoding) = &encoded {
            said += &format!("{:?}", pipeline.tokens(encoding, text));
            for skip in [true, false] {
                said += &format!("{:?}", pipeline.decode_ids(&encoding.ids, skip));
            }
            let bytes: Vec<_> = encoding.ids.iter().map(|&id| pipeline.token_bytes(id)).collect();
            said += &format!("{bytes:?}");
        }
        said += &format!("{:?}", encoded.map(|encoding| encoding.ids));
    }
    said
}

fn file(pipeline: &Pipeline) -> Vec<u8> {
    pipeline.to_fret(&pipeline.file_settings(), None).expect("a small head")
}

#[test]
fn a_compiled_file_says_what_its_source_says() {
    for document in documents() {
        let source = load_bytes(document.as_bytes()).expect("sound");
        let bytes = file(&source);
        let stored = load_bytes(&bytes).expect("as written");
        for text in TEXTS {
            assert_eq!(says(&stored, text), says(&source, text), "{document}: {text:?}");
        }
        assert_eq!(stored.fingerprint(), source.fingerprint(), "{document}");
        let json = |pipeline: &Pipeline| pipeline.to_json(&pipeline.file_settings());
        // Of a pair or token that stands twice the last one is left.
        let again = load_bytes(&json(&stored).expect("sound")).expect("sound");
        assert_eq!(again.fingerprint(), source.fingerprint(), "{document}");
        assert_eq!(file(&stored), bytes, "{document}");
    }
}

/// Numbers in no order, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) as usize % end
    }
}

#[test]
fn tables_made_to_hurt_are_refused_or_do_no_harm() {
    const WORDS: [u32; 6] = [0, 1, 2, 0xFF, u32::MAX, u32::MAX - 1];
    let mut numbers = Numbers(7);
    let (mut refused, mut loaded) = (0, 0);
    for document in documents() {
        let whole = file(&load_bytes(document.as_bytes()).expect("sound"));
        for _ in 0..1500 {
            let mut bytes = whole.clone();
            for _ in 0..=numbers.below(3) {
                let at = 32 + numbers.below(bytes.len() / 4 - 9) * 4;
                if numbers.below(2) == 0 {
                    bytes[at + numbers.below(4)] ^= 1 << numbers.below(8);
                } else {
                    bytes[at..at + 4].copy_from_slice(&WORDS[numbers.below(6)].to_ne_bytes());
                }
            }
            crate::tables::fret::sign(&mut bytes);
            match load_bytes(&bytes) {
                Ok(pipeline) => {
                    loaded += 1;
                    TEXTS.iter().for_each(|text| drop(says(&pipeline, text)));
                    let _ = pipeline.to_json(&pipeline.file_settings());
                    let _ = pipeline.fingerprint();
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 500 && loaded > 500, "{refused} refused, {loaded} loaded");
}
