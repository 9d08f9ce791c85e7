//! Ids, cutting and special tokens of small files, and what is refused.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::error::Place;
use crate::spec::Model;

/// A file of the 256 bytes and `more` tokens of two letters, with its fields exchanged.
fn file(more: usize, edit: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let entry = |rank: usize, bytes: &[u8]| {
        let token_bytes = crate::spec::tokenizer_json::base64::encode(bytes);
        serde_json::json!({"rank": rank, "token_bytes": token_bytes, "token_str": null})
    };
    let bytes = (0..256).map(|rank| entry(rank, &[rank as u8]));
    let pairs = (0..more).map(|at| entry(256 + at, &[b'a', b'a' + at as u8]));
    let mut file = serde_json::json!({
        "config": {"pattern": ".", "num_vocab_tokens": 7, "default_vocab_size": 278,
            "default_num_special_tokens": 21, "version": "v3"},
        "vocab": bytes.chain(pairs).collect::<Vec<_>>(),
        "image": {"image_patch_size": 16, "max_image_size": 1024},
    });
    edit(&mut file);
    file.to_string().into_bytes()
}

fn vocab(spec: &Spec) -> &Vocab {
    match &**spec.model {
        Model::Bpe(bpe) => &bpe.vocab,
        other => panic!("{other:?}"),
    }
}

#[test]
fn special_tokens_come_first() {
    let spec = from_tekken(&file(5, |_| ())).unwrap();
    assert_eq!(vocab(&spec).len(), 257);
    assert_eq!(vocab(&spec).get(0), Some(("Ā", 21)));
    assert_eq!(vocab(&spec).get(256), Some(("aa", 277)));
    let ids: Vec<u32> = spec.added_tokens.iter().map(|token| token.id).collect();
    assert!(ids.iter().copied().eq(0..21));
    assert_eq!(spec.added_tokens[3].content, "[INST]");
    assert_eq!(spec.added_tokens[20].content, "<SPECIAL_20>");
    assert_eq!(spec.defaults, Defaults::TEKKEN);
}

#[test]
fn the_file_may_list_special_tokens() {
    let listed = serde_json::json!([
        {"rank": 0, "token_str": "<unk>", "is_control": true},
        {"rank": 1, "token_str": "<s>", "is_control": true},
    ]);
    let spec = from_tekken(&file(5, |file| {
        file["special_tokens"] = listed;
        file["config"]["version"] = "v13".into();
    }))
    .unwrap();
    let names: Vec<&str> = spec.added_tokens[..4].iter().map(|t| t.content.as_str()).collect();
    assert_eq!(names, ["<unk>", "<s>", "<SPECIAL_2>", "<SPECIAL_3>"]);
    assert_eq!(spec.added_tokens.len(), 21);
}

type Edit = fn(&mut serde_json::Value);

#[test]
fn faults_have_their_path() {
    let cases: &[(&str, Edit)] = &[
        ("config.version", |f| f["config"]["version"] = "v4".into()),
        ("$", |f| f["config"]["version"] = "v11".into()),
        ("config", |f| drop(f["config"].as_object_mut().unwrap().remove("version"))),
        ("$", |f| drop(f.as_object_mut().unwrap().remove("vocab"))),
        ("config.default_vocab_size", |f| f["config"]["default_vocab_size"] = 21.into()),
        ("config.default_vocab_size", |f| f["config"]["default_vocab_size"] = 283.into()),
        ("config.default_vocab_size", |f| f["config"]["default_vocab_size"] = (-1).into()),
        ("config.default_num_special_tokens", |f| {
            f["config"]["default_num_special_tokens"] = 1_000_000_000_000u64.into();
        }),
        ("special_tokens", |f| f["config"]["default_num_special_tokens"] = 19.into()),
        ("special_tokens", |f| {
            f["special_tokens"] = serde_json::json!([{"rank": 0, "token_str": "<SPECIAL_1>"}]);
        }),
        ("special_tokens[0].token_str", |f| {
            f["special_tokens"] = serde_json::json!([{"rank": 0, "token_str": ""}]);
        }),
        ("vocab[7].rank", |f| f["vocab"][7]["rank"] = 8.into()),
        ("vocab[7].token_bytes", |f| f["vocab"][7]["token_bytes"] = "CA==".into()),
        ("vocab[256].token_bytes", |f| f["vocab"][256]["token_bytes"] = "YWE".into()),
        ("vocab[256].token_bytes", |f| f["vocab"][256]["token_bytes"] = "YQ==".into()),
        ("vocab[256].token_bytes", |f| f["vocab"][256]["token_bytes"] = "é===".into()),
    ];
    for (path, edit) in cases {
        match from_tekken(&file(5, edit)) {
            Err(LoadError::Invalid { place: Place::Path(found), .. }) => assert_eq!(found, *path),
            other => panic!("{path}: {other:?}"),
        }
    }
    let moved = file(5, |file| {
        file["special_tokens"] = serde_json::json!([{"rank": 1, "token_str": "<s>"}]);
    });
    assert!(matches!(from_tekken(&moved), Err(LoadError::Unsupported { .. })));
    for text in [&b""[..], b"[]", b"{}", b"{\"config\": {}", b"\xff"] {
        assert!(from_tekken(text).is_err());
    }
}
