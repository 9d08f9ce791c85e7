//! Files: those that are refused, those in other clothes, and hostile ones.

use std::fs;
use std::path::Path;

use fretsaw::error::{Place, Problem};
use fretsaw::{load_bytes, load_file, LoadError, Pipeline, Tokenizer};
use serde_json::{json, Value};

use crate::data::{
    byte_level, byte_level_json, byte_vocabulary, golden_strings, gpt2, gpt2_json, load,
    special_token, Random,
};

/// A tokenizer.json that loads: 256 bytes and two merges.
fn small() -> Value {
    let mut vocab = byte_vocabulary();
    vocab.insert("ab".into(), 256.into());
    vocab.insert("abc".into(), 257.into());
    byte_level_json(byte_level(true), vocab.into(), json!([["a", "b"], ["ab", "c"]]))
}

/// `small` with the value at a JSON pointer replaced.
fn with(pointer: &str, value: Value) -> Value {
    let mut json = small();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    json.pointer_mut(parent).unwrap()[name] = value;
    json
}

fn refusal(json: &Value) -> LoadError {
    match load_bytes(json.to_string().as_bytes()) {
        Ok(_) => panic!("loads: {json}"),
        Err(error) => error,
    }
}

#[test]
fn loader_rejects_files_outside_the_subset() {
    assert_eq!(load(&small()).encode("abcab").unwrap(), [257, 256]);
    // A normalizer is not refused, but it must act.
    let nfc = load(&with("/normalizer", json!({"type": "NFC"})));
    assert_eq!(load(&small()).encode("e\u{301}").unwrap(), [0x65, 0xCC, 0x81]);
    assert_eq!(nfc.encode("e\u{301}").unwrap(), [0xC3, 0xA9]);
    let unsupported = [("/model/vocab", json!({"a": 16_777_216}), "model.vocab[\"a\"]")];
    for (pointer, value, want) in unsupported {
        match refusal(&with(pointer, value)) {
            LoadError::Unsupported { field, .. } => assert_eq!(field, want),
            error => panic!("{pointer}: {error}"),
        }
    }
    let invalid = [
        ("/model/merges", json!([["a", "x y"]]), "model.merges[0]"),
        ("/model/merges", json!([["a", "b"], ["b", "zz"]]), "model.merges[1]"),
        ("/version", json!("2.0"), "version"),
    ];
    for (pointer, value, want) in invalid {
        match refusal(&with(pointer, value)) {
            LoadError::Invalid { place: Place::Path(path), .. } => assert_eq!(path, want),
            error => panic!("{pointer}: {error}"),
        }
    }
    let missing = refusal(&with("/model/merges", json!([["a", "zz"]])));
    assert!(missing.to_string().contains("\"zz\""), "{missing}");
    for bytes in
        [&b""[..], b"{", b"[]", b"null", b"\xFF\xFE", b"{\"model\": 1}", &b"[".repeat(100_000)]
    {
        assert!(matches!(load_bytes(bytes), Err(LoadError::Invalid { .. })), "{bytes:?}");
    }
    let error = load_file(Path::new("no/such/tokenizer.json")).err().unwrap();
    assert!(matches!(error, LoadError::Io { .. }), "{error}");
    assert!(error.to_string().contains("no/such/tokenizer.json"), "{error}");
}

/// An empty folder of the test's own.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn gpt2_classic_files_load_identically() {
    let json: Value = serde_json::from_slice(gpt2_json()).unwrap();
    let mut vocab = json["model"]["vocab"].clone();
    vocab["<|endoftext|>"] = 50_256.into();
    let mut merges = String::from("#version: 0.2\n");
    for merge in json["model"]["merges"].as_array().unwrap() {
        match merge {
            Value::String(pair) => merges.push_str(pair),
            pair => merges.push_str(&format!(
                "{} {}",
                pair[0].as_str().unwrap(),
                pair[1].as_str().unwrap()
            )),
        }
        merges.push('\n');
    }
    let folder = folder("classic");
    fs::write(folder.join("vocab.json"), vocab.to_string()).unwrap();
    fs::write(folder.join("merges.txt"), merges).unwrap();
    let classic = load_file(&folder).unwrap();
    assert_eq!(classic.vocab_size(), 50_257);
    for text in golden_strings().iter().skip(3000).take(1000) {
        let want = gpt2().encode_with_special(text, &fretsaw::SpecialSet::none()).unwrap();
        let got = classic.encode_with_special(text, &fretsaw::SpecialSet::none()).unwrap();
        assert_eq!(got, want, "{text:?}");
        assert_eq!(classic.decode(&got).unwrap(), *text);
    }
}

#[test]
fn a_folder_and_a_file_load_alike() {
    let folder = folder("file");
    let file = folder.join("tokenizer.json");
    fs::write(&file, small().to_string()).unwrap();
    for path in [&folder, &file] {
        let tokenizer = load_file(path).unwrap();
        assert_eq!(tokenizer.fingerprint(), load(&small()).fingerprint());
    }
    let error = load_file(&folder.join("..")).err().unwrap();
    assert!(
        matches!(error, LoadError::Invalid { problem: Problem::NoVocabulary { .. }, .. }),
        "{error}"
    );
}

/// Whatever a file says, using what loads neither panics nor loses the text's bytes to ids that
/// can't be decoded.
fn use_it(tokenizer: &Pipeline) {
    for text in ["", "abcab <s> é😀 12", " a  b\n"] {
        if let Ok(ids) = tokenizer.encode(text) {
            tokenizer.decode(&ids).unwrap();
        }
    }
    let _ = tokenizer.decode_ids(&[0, 1, 257, u32::MAX], true);
}

#[test]
fn ids_at_the_edges() {
    let edges = [u64::from(u32::MAX), u64::from(u32::MAX) + 1, u64::MAX, 1 << 24];
    for id in edges {
        assert!(
            load_bytes(with("/model/vocab", json!({"a": id})).to_string().as_bytes()).is_err(),
            "{id}"
        );
    }
    for value in [json!(-1), json!(1.5), json!("1"), json!(null), json!([1])] {
        assert!(
            load_bytes(with("/model/vocab", json!({ "a": value })).to_string().as_bytes()).is_err()
        );
    }
    // Two tokens with one id: which is meant differs from run to run in the oracle.
    let error = refusal(&with("/model/vocab", json!({"a": 0, "b": 1, "c": 1, "ab": 2, "abc": 3})));
    let LoadError::Unsupported { field, value } = error else { panic!("{error}") };
    assert!(field.contains("\"c\"") && value.contains("\"b\""), "{field} {value}");
    // Added tokens take the next free ids, whatever theirs are said to be.
    let mut json = small();
    json["added_tokens"] = json!([special_token(u32::MAX, "<s>"), special_token(0, "<t>")]);
    assert_eq!(load(&json).encode("<s><t>").unwrap(), [258, 259]);
}

#[test]
fn merges_that_lead_nowhere() {
    // Empty parts, a pair that makes one of its parts, a pair twice (the last rank counts).
    let mut vocab = byte_vocabulary();
    for (token, id) in [("", 256), ("ab", 257), ("bc", 258), ("aa", 259)] {
        vocab.insert(token.into(), id.into());
    }
    let merges =
        json!([["", "a"], ["a", ""], ["", ""], ["a", "b"], ["b", "c"], ["a", "b"], ["a", "a"]]);
    let tokenizer = load(&byte_level_json(byte_level(true), vocab.into(), merges));
    assert_eq!(tokenizer.encode("abc").unwrap(), [u32::from(b'a'), 258]);
    assert_eq!(tokenizer.encode(&"a".repeat(100)).unwrap(), [259; 50]);
    use_it(&tokenizer);
    // Nested deeper than any parser should follow.
    let (depth, inner) = (20_000, byte_level(true).to_string());
    let open = r#"{"type":"Sequence","pretokenizers":["#.repeat(depth);
    let deep = format!("{open}{inner}{}", "]}".repeat(depth));
    let text = small().to_string().replace(&byte_level(true).to_string(), &deep);
    assert!(load_bytes(text.as_bytes()).is_err());
}

#[test]
fn every_truncation_is_an_error() {
    let small = small().to_string();
    for end in 0..small.len() {
        assert!(load_bytes(&small.as_bytes()[..end]).is_err(), "{end}");
    }
    for end in (0..gpt2_json().len() - 2).step_by(50_000) {
        assert!(load_bytes(&gpt2_json()[..end]).is_err(), "{end}");
    }
}

/// Bytes replaced, removed, doubled: an error or a tokenizer that can be used.
#[test]
fn damaged_files_never_panic() {
    let mut json = small();
    json["added_tokens"] = json!([special_token(258, "<s>")]);
    let whole = json.to_string().into_bytes();
    let mut random = Random(0xDEAD_BEEF_1234_5678);
    let mut loaded = 0;
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            let end = (at + 1 + random.below(30)).min(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = *random.pick(b"0123456789\"{}[],:abtrue"),
                2 => drop(bytes.drain(at..end)),
                _ => {
                    let copy = bytes[at..end].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
        }
        if let Ok(tokenizer) = load_bytes(&bytes) {
            loaded += 1;
            use_it(&tokenizer);
        }
    }
    assert!(loaded > 100, "{loaded} of 3000 load: the damage is too coarse to reach the compiler");
}

/// Every value of a file replaced by one of another type.
#[test]
fn wrong_types_are_errors() {
    let mut json = small();
    json["added_tokens"] = json!([special_token(258, "<s>")]);
    let values = [
        json!(null),
        json!(true),
        json!(7),
        json!(-7),
        json!(1e300),
        json!("x"),
        json!([]),
        json!({}),
        json!([[]]),
    ];
    let pointers = [
        "/version",
        "/added_tokens",
        "/added_tokens/0",
        "/added_tokens/0/content",
        "/added_tokens/0/id",
        "/added_tokens/0/special",
        "/pre_tokenizer",
        "/pre_tokenizer/type",
        "/pre_tokenizer/use_regex",
        "/decoder",
        "/decoder/type",
        "/model",
        "/model/type",
        "/model/vocab",
        "/model/merges",
        "/model/merges/0",
        "/model/merges/0/1",
        "/model/unk_token",
        "/model/ignore_merges",
        "/truncation",
        "/padding",
    ];
    for pointer in pointers {
        for value in &values {
            let mut json = json.clone();
            *json.pointer_mut(pointer).unwrap() = value.clone();
            if let Ok(tokenizer) = load_bytes(json.to_string().as_bytes()) {
                use_it(&tokenizer);
            }
        }
    }
}
