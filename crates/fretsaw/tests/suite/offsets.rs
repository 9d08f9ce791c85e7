//! Offsets summed from ids against those of all columns, and that ids alone tell them where they should.

use fretsaw::{load_bytes, MatchPolicy, Pipeline, Request, Settings, SpecialSet};

const VOCAB: &str = r###"{"<unk>": 0, "▁": 1, "a": 2, "b": 3, "▁a": 4, "ab": 5, "##b": 6, "é": 7, ".": 8, "Ġ": 9,
    "Ã": 10, "©": 11, "Ċ": 12, "<s>": 13}"###;

fn bpe(rest: &str) -> Pipeline {
    let merges = r#"["▁ a", "a b"]"#;
    let model =
        format!(r#"{{"type": "BPE", "vocab": {VOCAB}, "merges": {merges}, "unk_token": "<unk>"}}"#);
    load(&model, rest)
}

fn load(model: &str, rest: &str) -> Pipeline {
    load_bytes(format!(r#"{{"model": {model}, {rest}}}"#).as_bytes()).unwrap()
}

/// The offsets from ids alone, which must be those of all columns.
fn summed(pipeline: &Pipeline, text: &str) -> Option<Vec<(u32, u32)>> {
    let (special, settings) = (SpecialSet::All, Settings::NONE);
    let policy = MatchPolicy::new(&special);
    let encoding = pipeline.encode_with(text, policy, true, &settings).unwrap();
    let summed = pipeline.offsets(text, &encoding, policy, true, &settings);
    let columns = pipeline.columns(&Request::text(text), policy, true, &settings, None).unwrap();
    if let Some(offsets) = &summed {
        assert_eq!(offsets, &columns.offsets, "{text:?}");
    }
    summed
}

const BYTE_LEVEL: &str = r#"{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true}"#;

#[test]
fn byte_level() {
    let pipeline =
        bpe(&format!(r#""pre_tokenizer": {BYTE_LEVEL}, "post_processor": {BYTE_LEVEL}"#));
    assert_eq!(summed(&pipeline, "a ab").unwrap(), [(0, 0), (0, 1), (2, 2), (2, 4)]);
    // Two tokens of one character.
    assert_eq!(summed(&pipeline, "é a").unwrap(), [(0, 0), (0, 1), (0, 1), (2, 2), (2, 3)]);
}

#[test]
fn added_tokens_and_special_tokens() {
    let rest = r#""pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false},
        "added_tokens": [{"id": 13, "content": "<s>", "single_word": false, "lstrip": true,
            "rstrip": false, "normalized": false, "special": true}],
        "post_processor": {"type": "BertProcessing", "sep": ["<s>", 13], "cls": ["<s>", 13]}"#;
    let pipeline = bpe(rest);
    assert_eq!(
        summed(&pipeline, "ab <s>é").unwrap()[1..],
        [(0, 2), (2, 6), (6, 7), (6, 7), (0, 0)]
    );
}

#[test]
fn marks() {
    let rest = r#""normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}"#;
    let pipeline = bpe(rest);
    assert_eq!(summed(&pipeline, "ab a").unwrap(), [(0, 1), (1, 2), (2, 4)]);
    assert_eq!(summed(&pipeline, "é").unwrap(), [(0, 1), (0, 1)]);
    // A mark of the text itself is as long as it is, which ids don't say.
    assert_eq!(summed(&pipeline, "ab▁a"), None);
    // The unknown token stands for anything.
    assert_eq!(summed(&pipeline, "x"), None);
}

#[test]
fn words() {
    let unigram = r#"{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -2], ["a", -2], ["▁a", -1],
        ["b", -2]]}"#;
    let rest = r#""pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}]}"#;
    let pipeline = load(unigram, rest);
    assert_eq!(summed(&pipeline, " ab\n  b").unwrap(), [(1, 2), (2, 3), (6, 7), (6, 7)]);
    assert_eq!(summed(&pipeline, "\u{3000}b \u{85}").unwrap(), [(1, 2), (1, 2)]);
    // Of a mark of the text itself ids don't say whether one was put in front of it.
    assert_eq!(summed(&pipeline, "\u{3000}▁a"), None);
    // Of an unknown token ids don't say what it covers: the model is asked about the word.
    assert_eq!(summed(&pipeline, "ac xy  abxyb").unwrap().len(), 8);
    let word_piece = format!(
        r###"{{"type": "WordPiece", "vocab": {VOCAB}, "unk_token": "<unk>",
            "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}}"###
    );
    let pipeline = load(&word_piece, r#""pre_tokenizer": {"type": "BertPreTokenizer"}"#);
    assert_eq!(summed(&pipeline, " abb.é").unwrap(), [(1, 3), (3, 4), (4, 5), (5, 6)]);
    // An unknown token stands for the word.
    assert_eq!(summed(&pipeline, " axé.a").unwrap(), [(1, 4), (4, 5), (5, 6)]);
    let prefixed = r#"{"type": "WordPiece", "vocab": {"b": 0, "bb": 1}, "unk_token": "b",
        "continuing_subword_prefix": "b", "max_input_chars_per_word": 100}"#;
    // Here a word may start with what is spelled in front of the tokens that don't start one.
    let pipeline = load(prefixed, r#""pre_tokenizer": {"type": "BertPreTokenizer"}"#);
    assert_eq!(summed(&pipeline, "bb"), None);
}

#[test]
fn normalizers() {
    let rest = r#""normalizer": {"type": "Lowercase"}"#;
    let pipeline = bpe(rest);
    assert_eq!(summed(&pipeline, "aBÉ").unwrap(), [(0, 2), (2, 3)]);
    // One character that becomes two, and one that becomes a shorter one.
    assert_eq!(summed(&pipeline, "İa"), None);
    assert_eq!(summed(&bpe(r#""normalizer": {"type": "NFD"}"#), "ab").unwrap(), [(0, 2)]);
    assert_eq!(summed(&bpe(r#""normalizer": {"type": "NFD"}"#), "é"), None);
    let strip = r#""normalizer": {"type": "Strip", "strip_left": true, "strip_right": true}"#;
    assert_eq!(summed(&bpe(strip), " ab ").unwrap(), [(1, 3)]);
    let replace = |pattern: &str, content: &str| {
        bpe(&format!(
            r#""normalizer": {{"type": "Replace", "pattern": {{"Regex": "{pattern}"}}, "content": "{content}"}}"#
        ))
    };
    assert_eq!(summed(&replace("x", "b"), "ax").unwrap(), [(0, 2)]);
    assert_eq!(summed(&replace("x+", "b"), "axx").unwrap(), [(0, 3)]);
    assert_eq!(summed(&replace("ab", "ab"), "ab"), None);
}

#[test]
fn what_a_normalizer_takes_away() {
    let unigram = r#"{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -2], ["a", -2], ["▁a", -1],
        ["b", -2], ["\"", -2]]}"#;
    let normalizer = |content: &str| {
        format!(
            r#""normalizer": {{"type": "Sequence", "normalizers": [
                {{"type": "Replace", "pattern": {{"String": "``"}}, "content": "\""}},
                {{"type": "Strip", "strip_left": false, "strip_right": true}},
                {{"type": "Replace", "pattern": {{"Regex": " {{2,}}"}}, "content": "{content}"}}]}}"#
        )
    };
    let metaspace =
        r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}"#;
    let marks = format!(r#"{}, "pre_tokenizer": {metaspace}"#, normalizer("▁"));
    let words = format!(
        r#"{}, "pre_tokenizer": {{"type": "Sequence", "pretokenizers": [{{"type": "WhitespaceSplit"}}, {metaspace}]}}"#,
        normalizer(" ")
    );
    let (marks, words) = (load(unigram, &marks), load(unigram, &words));
    assert_eq!(summed(&marks, "a   a b  ").unwrap(), [(0, 1), (3, 5), (5, 6), (6, 7)]);
    assert_eq!(summed(&words, "a   a b  ").unwrap(), [(0, 1), (4, 5), (6, 7), (6, 7)]);
    assert_eq!(summed(&marks, "  a``b").unwrap(), [(1, 3), (4, 5), (5, 6)]);
    assert_eq!(summed(&words, "  a``b").unwrap(), [(2, 3), (4, 5), (5, 6)]);
    assert_eq!(summed(&words, "x``b  xx``").unwrap().len(), 7);
    assert_eq!(summed(&marks, "x``b  xx``").unwrap().len(), 7);
    assert_eq!(summed(&marks, "  ").unwrap(), []);
    // Three of a kind, of which the first two go.
    assert_eq!(summed(&marks, "````a").unwrap(), [(1, 2), (1, 2), (3, 4), (4, 5)]);
}
