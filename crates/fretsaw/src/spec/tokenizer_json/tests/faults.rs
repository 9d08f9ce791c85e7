//! Where errors are said to be, and that hostile documents end in errors.

use super::{from_json, load, with, with_model, MODEL};
use crate::error::{LoadError, Place};

/// The path of the error, with a mark in front if it is `Unsupported`.
fn fault(text: &str) -> String {
    match from_json(text.as_bytes()) {
        Err(LoadError::Invalid { place: Place::Path(path), .. }) => path,
        Err(LoadError::Unsupported { field, .. }) => format!("?{field}"),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn faults_have_paths() {
    let cases = [
        ("", "$"),
        ("[]", "$"),
        ("{}", "$"),
        ("\u{feff}{}", "$"),
        (r#"{"version":"1.0","model":{"vocab":{"a":x}}}"#, "model.vocab.a"),
        (r#"{"model":{"merges":["a b",["#, "model.merges[1]"),
        (r#"{"version":"2.0"}"#, "version"),
        (r#"{"version":null}"#, "version"),
        (r#"{"model":null}"#, "model"),
        (r#"{"model":{"type":"GPT"}}"#, "?model.type"),
        (r#"{"model":{"type":"BPE","type":"BPE","vocab":{},"merges":[]}}"#, "model.type"),
        (r#"{"model":{"type":"BPE","vocab":{}}}"#, "model"),
        (r#"{"model":{"type":"BPE","vocab":{},"merges":["a b","a b c"]}}"#, "model.merges[1]"),
        (r#"{"model":{"type":"BPE","vocab":{},"merges":["a b","ab"]}}"#, "model.merges[1]"),
        (r#"{"model":{"type":"BPE","vocab":{},"merges":["a b",["a","b"]]}}"#, "model.merges[1]"),
        (r#"{"model":{"type":"BPE","vocab":{},"merges":[["a","b"],["a"]]}}"#, "model.merges[1]"),
        (r#"{"model":{"type":"BPE","vocab":{},"merges":[["a",3]]}}"#, "model.merges[0][1]"),
        (r#"{"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}}"#, "model.vocab.a"),
        (r#"{"model":{"type":"BPE","vocab":{"a":4294967296},"merges":[]}}"#, "model.vocab.a"),
        (r#"{"model":{"type":"BPE","vocab":{"a":0.0},"merges":[]}}"#, "model.vocab.a"),
        (r#"{"model":{"type":"BPE","vocab":{},"merges":[],"dropout":1.1}}"#, "model.dropout"),
        (r#"{"model":{"type":"WordLevel","vocab":{}}}"#, "model"),
        (r#"{"model":{"type":"Unigram","vocab":[["a",0]],"unk_id":1}}"#, "model.unk_id"),
        (r#"{"model":{"type":"Unigram","vocab":[["a",0],["b"]]}}"#, "model.vocab[1]"),
        (r#"{"model":{"type":"Unigram","vocab":[["a","b"]]}}"#, "model.vocab[0][1]"),
    ];
    for (text, path) in cases {
        assert_eq!(fault(text), path, "{text}");
    }
}

#[test]
fn faults_of_components_have_paths() {
    let cases = [
        ("more", "1", "$"),
        ("normalizer", r#"{"type":"NFX"}"#, "?normalizer.type"),
        ("normalizer", r#"{"kind":"NFC"}"#, "normalizer"),
        ("normalizer", r#""NFC""#, "normalizer"),
        (
            "normalizer",
            r#"{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Prepend","prepend":1}]}"#,
            "normalizer.normalizers[1].prepend",
        ),
        (
            "normalizer",
            r#"{"type":"Precompiled","precompiled_charsmap":"AAAA"}"#,
            "normalizer.precompiled_charsmap",
        ),
        (
            "pre_tokenizer",
            r#"{"type":"Sequence","pretokenizers":[{"type":"Whitespace"},
                {"type":"Split","pattern":{"String":"a"},"behavior":"Gone","invert":false}]}"#,
            "pre_tokenizer.pretokenizers[1].behavior",
        ),
        ("pre_tokenizer", r#"{"type":"Delimiter","delimiter":"x"}"#, "?pre_tokenizer.type"),
        (
            "pre_tokenizer",
            r#"{"type":"Metaspace","replacement":"▁","add_prefix_space":false}"#,
            "pre_tokenizer.add_prefix_space",
        ),
        (
            "pre_tokenizer",
            r#"{"type":"Metaspace","replacement":"▁▁"}"#,
            "pre_tokenizer.replacement",
        ),
        (
            "post_processor",
            r#"{"type":"BertProcessing","sep":["a",1,2],"cls":["b",1]}"#,
            "post_processor.sep",
        ),
        (
            "post_processor",
            r#"{"type":"BertProcessing","sep":["a",1],"cls":["b",1],"cls":["b",1]}"#,
            "post_processor.cls",
        ),
        (
            "post_processor",
            r#"{"type":"TemplateProcessing","single":[],"pair":[{"Sequence":{"id":"C","type_id":0}}],
                "special_tokens":{}}"#,
            "post_processor.pair[0].Sequence.id",
        ),
        ("decoder", r#"{"type":"Strip","content":" ","start":-1,"stop":0}"#, "decoder.start"),
        ("truncation", r#"{"max_length":5,"strategy":"LongestFirst"}"#, "truncation"),
        ("padding", r#"{"strategy":"Fixed"}"#, "padding.strategy"),
        ("added_tokens", "null", "added_tokens"),
        ("added_tokens", r#"[{"id":0,"content":"a"}]"#, "added_tokens[0]"),
    ];
    for (field, text, path) in cases {
        assert_eq!(fault(&with(field, text)), path, "{text}");
    }
}

#[test]
fn a_document_cut_short_is_an_error() {
    let text = format!(
        r#"{{"version":"1.0","truncation":{{"max_length":5,"strategy":"OnlyFirst","stride":0}},
            "normalizer":{{"type":"Sequence","normalizers":[{{"type":"NFC"}}]}},
            "decoder":{{"type":"Replace","pattern":{{"String":"▁"}},"content":"\u00e9 "}},
            "model":{MODEL}}}"#
    );
    load(&text);
    for end in 0..text.len() {
        assert!(from_json(&text.as_bytes()[..end]).is_err(), "{end}");
    }
    // Any byte exchanged gives an error or a tokenizer.
    for place in 0..text.len() {
        for byte in [0, b'"', b'{', b'[', b',', b'0', b'-', 0xff] {
            let mut broken = text.clone().into_bytes();
            broken[place] = byte;
            let _ = from_json(&broken);
        }
    }
}

#[test]
fn hostile_documents_are_errors() {
    let deep = "[".repeat(100_000);
    let sequences = r#"{"type":"Sequence","normalizers":["#.repeat(62);
    let nested = format!("{sequences}{{}}{}", "]}".repeat(62));
    for text in [
        deep.clone(),
        with("normalizer", &deep),
        // Deep but within the limit of JSON: failing must not take exponential time.
        with("normalizer", &nested),
        with("normalizer", &format!("{}7{}", "[".repeat(120), "]".repeat(120))),
        with_model(r#"{"type":"BPE","vocab":{"a":1e400},"merges":[]}"#),
        with_model(r#"{"type":"Unigram","vocab":[],"unk_id":99999999999999999999999}"#),
        with_model(r#"{"type":"BPE","vocab":{"a":{"a":{}}},"merges":{"a":[]}}"#),
        format!("{}x", with("normalizer", "null")),
        with("normalizer", r#"{"type":"\ud800"}"#),
    ] {
        assert!(from_json(text.as_bytes()).is_err(), "{}", &text[..text.len().min(200)]);
    }
    assert!(from_json(b"\xff{}").is_err());
}
