//! Files that can't be done exactly are refused by the name of the field and its value.

use serde_json::{json, Value};

use crate::error::LoadError;
use crate::load_bytes;

/// A tokenizer.json that compiles.
fn sound() -> Value {
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": byte_level(true),
        "post_processor": null,
        "decoder": byte_level(true),
        "model": {
            "type": "BPE",
            "dropout": null,
            "unk_token": null,
            "continuing_subword_prefix": null,
            "end_of_word_suffix": null,
            "fuse_unk": false,
            "byte_fallback": false,
            "ignore_merges": false,
            "vocab": {"a": 0, "b": 1, "ab": 2},
            "merges": [["a", "b"]],
        },
    })
}

fn byte_level(use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex})
}

fn sequence(parts: &[Value]) -> Value {
    json!({"type": "Sequence", "pretokenizers": parts})
}

/// Loads `sound` with the value at a JSON pointer replaced.
fn load_with(pointer: &str, value: &Value) -> Result<crate::Pipeline, LoadError> {
    let mut json = sound();
    *json.pointer_mut(pointer).expect("a field that is there") = value.clone();
    load_bytes(json.to_string().as_bytes())
}

fn added(id: u32, content: &str, normalized: bool) -> Value {
    json!({
        "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": normalized, "special": false,
    })
}

#[test]
fn what_is_not_done_exactly_is_refused_by_name() {
    let too_large = json!({"a": 0, "b": 1, "ab": 16_777_216});
    let one_id_twice = json!({"b": 1, "a": 1, "ab": 2});
    let template = json!({
        "type": "TemplateProcessing", "single": [{"Sequence": {"id": "B", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {},
    });
    let cases = [
        ("/post_processor", template, "post_processor.single[0]", "the second sequence"),
        ("/model/vocab", too_large, "model.vocab[\"ab\"]", "16777216, above the limit 16777215"),
        ("/model/vocab", one_id_twice, "model.vocab[\"b\"]", "1, which is the id of \"a\" as well"),
    ];
    for (pointer, json, want_field, want_value) in cases {
        match load_with(pointer, &json) {
            Err(LoadError::Unsupported { field, value }) => {
                assert_eq!(field, want_field, "{pointer}: {json}");
                assert!(value.starts_with(want_value), "{pointer}: {json}: {value}");
            }
            Err(error) => panic!("{pointer}: {json}: {error}"),
            Ok(_) => panic!("{pointer}: {json} loads"),
        }
    }
}

#[test]
fn what_changes_no_output_is_accepted() {
    let cases = [
        ("/model/dropout", json!(0.0)),
        ("/model/dropout", json!(0.5)),
        ("/model/continuing_subword_prefix", json!("")),
        ("/model/end_of_word_suffix", json!("")),
        ("/model/merges", json!(["a b"])),
        ("/post_processor", byte_level(true)),
        ("/pre_tokenizer", sequence(&[sequence(&[byte_level(true)])])),
        ("/pre_tokenizer", byte_level(false)),
        ("/decoder", json!(null)),
        ("/decoder", json!({"type": "Fuse"})),
        ("/pre_tokenizer", json!(null)),
        ("/pre_tokenizer", sequence(&[])),
        ("/pre_tokenizer", sequence(&[byte_level(true), byte_level(true)])),
        ("/model/byte_fallback", json!(true)),
        ("/added_tokens", json!([added(3, "x", true), added(4, "", true)])),
    ];
    for (pointer, json) in cases {
        if let Err(error) = load_with(pointer, &json) {
            panic!("{pointer}: {json}: {error}");
        }
    }
    let mut without_type = sound();
    without_type["model"].as_object_mut().expect("an object").remove("type");
    assert!(load_bytes(without_type.to_string().as_bytes()).is_ok());
}

#[test]
fn a_merge_needs_its_parts_and_its_result() {
    let cases = [
        (json!([["a", "b"], ["b", "z"]]), "model.merges[1]"),
        (json!([["b", "a"]]), "model.merges[0]"),
    ];
    for (merges, want) in cases {
        match load_with("/model/merges", &merges) {
            Err(error @ LoadError::Invalid { .. }) => {
                assert!(error.to_string().contains(want), "{error}")
            }
            other => panic!("{merges}: {:?}", other.err()),
        }
    }
}
