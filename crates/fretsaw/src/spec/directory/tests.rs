//! Which files are found, and what is said when they are not.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use super::*;
use crate::spec::Model;

const TOKENIZER: &str = r#"{"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}"#;
const TEKKEN: &str = r#"{"vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": null}],
    "config": {"pattern": ".", "default_vocab_size": 21, "default_num_special_tokens": 20,
    "version": "v3"}}"#;
const VOCAB_TEXT: &str = r#"{"a":0,"b":1,"ab":2,"model":3}"#;

/// A folder of its own, gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("fretsaw-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
        Folder(path)
    }

    fn tokens(&self, name: &str) -> usize {
        match &**from_path(&self.0.join(name)).unwrap().model {
            Model::Bpe(bpe) => bpe.vocab.len(),
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_found() {
    let pair = [("vocab.json", VOCAB_TEXT), ("merges.txt", "#version: 0.2\na b\n")];
    let folder = Folder::new("pair", &pair);
    for name in ["", "vocab.json", "merges.txt"] {
        assert_eq!(folder.tokens(name), 4, "{name}");
    }
    let folder = Folder::new("whole", &[pair[0], pair[1], ("tokenizer.json", TOKENIZER)]);
    assert_eq!(folder.tokens(""), 1);
    assert_eq!(folder.tokens("tokenizer.json"), 1);
    let named = [("x-vocab.json", VOCAB_TEXT), ("x-merges.txt", "a b"), ("any.bin", TOKENIZER)];
    let folder = Folder::new("named", &named);
    assert_eq!(folder.tokens("x-merges.txt"), 4);
    assert_eq!(folder.tokens("x-vocab.json"), 4);
    assert_eq!(folder.tokens("any.bin"), 1);
    let folder = Folder::new("misnamed", &[("vocab.json", TOKENIZER)]);
    assert_eq!(folder.tokens("vocab.json"), 1);
    let folder = Folder::new("tekken", &[("tekken.json", TEKKEN), ("other", TEKKEN)]);
    for name in ["", "tekken.json", "other"] {
        assert_eq!(folder.tokens(name), 1, "{name}");
    }
}

#[test]
fn ranks_need_a_pattern() {
    let folder =
        Folder::new("ranks", &[("x.tiktoken", "\nYQ== 0\nYg== 1\n"), ("x", "{\"vocab\": 1}")]);
    assert!(matches!(
        from_path(&folder.0.join("x.tiktoken")),
        Err(LoadError::Invalid { problem: Problem::NeedsPattern, .. })
    ));
    assert!(matches!(
        from_path(&folder.0.join("x")),
        Err(LoadError::Invalid { problem: Problem::UnknownField { .. }, .. })
    ));
}

#[test]
fn a_folder_with_one_file_of_any_name() {
    let model = [("x.model", TOKENIZER), ("y.gguf", TEKKEN)];
    let folder = Folder::new("model", &model);
    assert_eq!(folder.tokens(""), 1);
    assert_eq!(source_files(&folder.0).unwrap(), [folder.0.join("x.model")]);
    let parts = [("m-00001-of-00003.gguf", TOKENIZER), ("m-00002-of-00003.gguf", "no vocabulary")];
    let folder = Folder::new("parts", &parts);
    assert_eq!(folder.tokens(""), 1);
    assert_eq!(source_files(&folder.0).unwrap(), [folder.0.join("m-00001-of-00003.gguf")]);
    for (name, second) in [("two", "m.gguf"), ("two-models", "n-00001-of-00003.gguf")] {
        let folder = Folder::new(name, &[parts[0], (second, TOKENIZER)]);
        for refused in [from_path(&folder.0).map(drop), source_files(&folder.0).map(drop)] {
            let error = refused.unwrap_err();
            assert!(matches!(error, LoadError::Unsupported { .. }), "{error:?}");
            assert!(error.to_string().contains(second), "{error}");
        }
    }
}

#[test]
fn missing_files_are_named() {
    let folder = Folder::new("half", &[("vocab.json", VOCAB_TEXT), ("notes.txt", "hello")]);
    let missing = |name: &str| match from_path(&folder.0.join(name)) {
        Err(LoadError::Io { path, .. }) => path.file_name().unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(missing(""), "merges.txt");
    assert_eq!(missing("vocab.json"), "merges.txt");
    assert_eq!(missing("tokenizer.json"), "tokenizer.json");
    let empty = Folder::new("empty", &[]);
    for path in [folder.0.join("notes.txt"), empty.0.clone()] {
        assert!(matches!(
            from_path(&path),
            Err(LoadError::Invalid { problem: Problem::NoVocabulary { .. }, .. })
        ));
    }
}
