//! What is written, and what is refused by name; whole vocabularies are compared in Python.

use super::*;
use crate::load_bytes;
use crate::spec::from_tiktoken;

const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n";

fn words() -> Pipeline {
    load_bytes(WORDS.as_bytes()).expect("a list")
}

fn written(pipeline: &Pipeline, format: Format) -> Result<Vec<Written>, LoadError> {
    convert(pipeline, &pipeline.file_settings(), format)
}

fn refused(pipeline: &Pipeline, format: Format) -> String {
    match written(pipeline, format) {
        Err(LoadError::NotInFormat { field, .. }) => field,
        other => panic!("{format:?}: {:?}", other.map(|files| files.len())),
    }
}

fn json(pre_tokenizer: &str, rest: &str) -> Pipeline {
    let text = format!(
        r#"{{"added_tokens": [], "pre_tokenizer": {pre_tokenizer}, {rest}
        "model": {{"type": "BPE", "vocab": {{"a": 0, "b": 1, "ab": 2}}, "merges": ["a b"]}}}}"#
    );
    load_bytes(text.as_bytes()).expect("a tokenizer.json")
}

#[test]
fn lists_of_words() {
    let words = words();
    assert_eq!(written(&words, Format::WordList).expect("it"), [(None, WORDS.into())]);
    for format in [Format::Tiktoken, Format::VocabAndMerges, Format::SentencePiece] {
        assert_eq!(refused(&words, format), "model");
    }
    let file = &written(&words, Format::TokenizerJson).expect("it")[0].1;
    let again = load_bytes(file).expect("a tokenizer.json");
    assert_eq!(written(&again, Format::WordList).expect("it"), [(None, WORDS.into())]);
    let file = &written(&words, Format::Fret).expect("it")[0].1;
    let again = load_bytes(file).expect("a compiled file");
    assert_eq!(written(&again, Format::WordList).expect("it"), [(None, WORDS.into())]);
}

#[test]
fn parts_that_have_no_place() {
    let text = String::from_utf8(written(&words(), Format::TokenizerJson).expect("it").remove(0).1)
        .expect("text");
    let changes = [
        (r#""lowercase":true"#, r#""lowercase":false"#, "normalizer"),
        (r#""BertPreTokenizer""#, r#""Whitespace""#, "pre_tokenizer"),
        (r###""prefix":"##""###, r#""prefix":"@""#, "decoder"),
        (r#""max_input_chars_per_word":100"#, r#""max_input_chars_per_word":9"#, "model"),
        (r#""sep":["[SEP]",3]"#, r#""sep":["[PAD]",0]"#, "post_processor"),
        (
            r#""content":"[MASK]","single_word":false"#,
            r#""content":"[MASK]","single_word":true"#,
            "added_tokens[\"[MASK]\"]",
        ),
        (r#""a":5"#, r#""a":9"#, "model.vocab[\"##b\"]"),
        (
            r#""truncation":null"#,
            r#""truncation":{"direction":"Right","max_length":5,"strategy":"LongestFirst","stride":0}"#,
            "truncation",
        ),
    ];
    for (from, to, field) in changes {
        assert!(text.contains(from), "{from}");
        let changed = load_bytes(text.replacen(from, to, 1).as_bytes()).expect("loads");
        assert_eq!(refused(&changed, Format::WordList), field);
    }
    let plain = json("null", "");
    assert_eq!(refused(&plain, Format::VocabAndMerges), "pre_tokenizer");
    assert_eq!(refused(&plain, Format::SentencePiece), "model");
}

#[test]
fn ranks_become_merges() {
    let lines: String = "abcd"
        .chars()
        .zip(0..)
        .map(|(c, id)| {
            format!(
                "{} {id}\n",
                match c {
                    'a' => "YQ==",
                    'b' => "Yg==",
                    'c' => "YWI=",
                    _ => "YWJi",
                }
            )
        })
        .collect();
    let make = |pattern: &str, special: &[(String, u32)]| {
        let spec = from_tiktoken(lines.as_bytes(), pattern, special).expect("ranks");
        compile(spec).expect("compiles")
    };
    let known = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
    let tok = make(known, &[("<e>".into(), 9)]);
    let file = written(&tok, Format::TokenizerJson).expect("it").remove(0).1;
    let text = String::from_utf8(file).expect("text");
    assert!(text.contains(r#""merges":[["a","b"],["ab","b"]]"#), "{text}");
    assert!(text.contains(r#""<e>":9"#), "{text}");
    let ranks = written(&tok, Format::Tiktoken).expect("it").remove(0).1;
    assert_eq!(String::from_utf8(ranks).expect("text"), lines);
    assert_eq!(refused(&make("a|b", &[]), Format::TokenizerJson), "pattern");
    let clash = make(known, &[("ab".into(), 9)]);
    assert_eq!(refused(&clash, Format::TokenizerJson), "special_tokens[\"ab\"]");
}
