//! Which tokens come on top, in which order. Whole folders are compared with transformers in Python.

#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;

const TOKENIZER: &str = r#"{"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"},
    "added_tokens":[{"id":1,"content":"<old>","single_word":false,"lstrip":false,"rstrip":false,
    "normalized":false,"special":false}]}"#;

/// The tokens that files add, each with its flags as letters.
fn added(name: &str, files: &[(&str, &str)]) -> Result<Vec<String>, LoadError> {
    let folder = std::env::temp_dir().join(format!("fretsaw-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    let mut spec = crate::spec::from_json(TOKENIZER.as_bytes()).unwrap();
    let done = add(&mut spec, &folder);
    fs::remove_dir_all(&folder).unwrap();
    done?;
    let flags = |token: &AddedToken| {
        let flags = [(token.special, 's'), (token.normalized, 'n'), (token.lstrip, 'l')];
        let flags: String = flags.iter().filter(|(on, _)| *on).map(|(_, letter)| *letter).collect();
        format!("{} {flags}", token.content)
    };
    assert_eq!(spec.added_later.is_empty(), spec.added_tokens.len() == 1);
    Ok(spec.added_tokens[1..].iter().map(flags).collect())
}

#[test]
fn names_then_extras() {
    assert!(added("nothing", &[]).unwrap().is_empty());
    let config = r#"{"extra_special_tokens": ["<x>", "<old>"], "image_token": "<i>",
        "mask_token": {"__type": "AddedToken", "content": "<m>", "lstrip": true},
        "bos_token": "<b>", "eos_token": null, "add_bos_token": true, "model_max_length": 1e30}"#;
    let found = added("names", &[(CONFIG, config)]).unwrap();
    assert_eq!(found, ["<b> s", "<m> sl", "<i> s", "<x> s"]);
}

#[test]
fn a_list_rules_out_older_files() {
    let config = r#"{"added_tokens_decoder": {"10": {"content": "<z>", "special": false},
        "9": {"content": "<old>", "normalized": true, "special": false}}, "pad_token": "<z>"}"#;
    let files = [(CONFIG, config), (SPECIAL_MAP, r#"{"cls_token": "<c>"}"#)];
    assert_eq!(added("list", &files).unwrap(), ["<old> n", "<z> sn"]);
}

#[test]
fn older_files() {
    let map = r#"{"cls_token": {"content": "<c>", "normalized": false},
        "additional_special_tokens": ["<x>"]}"#;
    let listed = r#"{"b": 5, "<c>": 4, "<new>": 1}"#;
    let found = added("older", &[(SPECIAL_MAP, map), (ADDED, listed)]).unwrap();
    assert_eq!(found, ["<c> s", "b n", "<x> s"]);
}

#[test]
fn what_is_no_object() {
    for text in ["[]", "{", "\u{0}"] {
        assert!(added("broken", &[(CONFIG, text)]).is_err(), "{text}");
    }
}
