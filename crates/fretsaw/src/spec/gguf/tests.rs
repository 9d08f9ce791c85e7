//! Small files, sound and broken; whole vocabularies are compared in Python.

use std::io::Cursor;

use super::*;
use crate::error::Place;
use crate::spec::{Model, PieceType};

/// A file of pairs, each a key, a type and a value.
struct File(Vec<u8>, u64);

impl File {
    fn new() -> Self {
        Self(Vec::new(), 0)
    }

    fn pair(mut self, key: &str, kind: u32, value: &[u8]) -> Self {
        self.0.extend((key.len() as u64).to_le_bytes());
        self.0.extend(key.as_bytes());
        self.0.extend(kind.to_le_bytes());
        self.0.extend(value);
        self.1 += 1;
        self
    }

    fn text(self, key: &str, value: &str) -> Self {
        self.pair(key, 8, &string(value))
    }

    fn list(self, key: &str, kind: u32, values: &[Vec<u8>]) -> Self {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.concat());
        self.pair(key, 9, &bytes)
    }

    fn texts(self, key: &str, values: &[&str]) -> Self {
        let values: Vec<Vec<u8>> = values.iter().map(|value| string(value)).collect();
        self.list(key, 8, &values)
    }

    fn id(self, key: &str, id: u32) -> Self {
        self.pair(key, 4, &id.to_le_bytes())
    }

    fn types(self, types: &[i32]) -> Self {
        let values: Vec<Vec<u8>> = types.iter().map(|value| value.to_le_bytes().to_vec()).collect();
        self.list(TYPES, 5, &values)
    }

    fn scores(self, count: usize) -> Self {
        let values: Vec<Vec<u8>> =
            (0..count).map(|at| (-(at as f32)).to_le_bytes().to_vec()).collect();
        self.list("tokenizer.ggml.scores", 6, &values)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(3u32.to_le_bytes());
        bytes.extend(7u64.to_le_bytes());
        bytes.extend(self.1.to_le_bytes());
        bytes.extend(&self.0);
        bytes
    }

    fn read(&self) -> Result<Spec, LoadError> {
        read(&self.bytes())
    }
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

fn read(bytes: &[u8]) -> Result<Spec, LoadError> {
    from_gguf(Cursor::new(bytes), bytes.len() as u64)
}

fn byte_level() -> File {
    File::new()
        .text("general.architecture", "gpt2")
        .pair("general.alignment", 4, &32u32.to_le_bytes())
        .texts("general.tags", &["x", "y"])
        .text(MODEL, "gpt2")
        .text("tokenizer.ggml.pre", "gpt-2")
        .texts(TOKENS, &["<s>", "a", "b", "ab", "", "<e>", "<u>"])
        .types(&[3, 1, 1, 1, 5, 3, 4])
        .texts("tokenizer.ggml.merges", &["a b"])
        .id("tokenizer.ggml.bos_token_id", 0)
        .pair("tokenizer.ggml.add_bos_token", 7, &[1])
        .text(TEMPLATE, "{{ bos_token }}")
}

#[test]
fn a_byte_level_vocabulary() {
    let spec = byte_level().read().expect("a file");
    let Model::Bpe(model) = &**spec.model else { panic!("{:?}", spec.model) };
    let vocab: Vec<_> = model.vocab.iter().map(|(token, _)| token).collect();
    assert_eq!(vocab, ["<s>", "a", "b", "ab", "[EMPTY_4]"]);
    let added: Vec<_> = spec.added_tokens.iter().map(|token| (token.id, token.special)).collect();
    assert_eq!(added, [(0, true), (5, true), (6, false)]);
    let chat = spec.chat_template.expect("one");
    assert_eq!(chat.source, "{{ bos_token }}");
    assert_eq!(chat.tokens, [("bos_token".to_owned(), "<s>".to_owned())]);
    let Some(PostProcessor::Template { single, pair, .. }) = &spec.post_processor else {
        panic!("{:?}", spec.post_processor)
    };
    assert_eq!((single.len(), pair.len()), (2, 4));
}

#[test]
fn either_byte_order_and_version() {
    let little = byte_level().bytes();
    let mut second = little.clone();
    second[4] = 2;
    assert!(read(&second).is_ok());
    for version in [0, 1, 4, 77] {
        let mut other = little.clone();
        other[4] = version;
        assert!(matches!(read(&other), Err(LoadError::Invalid { place: Place::Byte(4), .. })));
    }
    let mut big = b"GGUF".to_vec();
    big.extend(3u32.to_be_bytes());
    big.extend(0u64.to_be_bytes());
    big.extend(1u64.to_be_bytes());
    big.extend((MODEL.len() as u64).to_be_bytes());
    big.extend(MODEL.as_bytes());
    big.extend(8u32.to_be_bytes());
    big.extend(4u64.to_be_bytes());
    big.extend(b"none");
    assert!(matches!(
        read(&big),
        Err(LoadError::Invalid { problem: Problem::Missing { field: TOKENS }, .. })
    ));
}

#[test]
fn pieces_of_a_model() {
    let mut tokens = vec!["<unk>".to_owned(), "<s>".to_owned()];
    tokens.extend((0..256).map(|byte| format!("<0x{byte:02X}>")));
    tokens.extend(["\u{2581}".to_owned(), "a".to_owned(), "[PAD]".to_owned()]);
    let mut types = vec![3, 3];
    types.extend([6; 256]);
    types.extend([1, 4, 2]);
    let file = |tokens: &[String]| {
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let ends = File::new().text(MODEL, "llama").id("tokenizer.ggml.bos_token_id", 1);
        ends.texts(TOKENS, &tokens).scores(tokens.len()).types(&types)
    };
    let spec = file(&tokens).read().expect("a file");
    let Model::SentencePiece(model) = &**spec.model else { panic!("{:?}", spec.model) };
    use PieceType::{Control, Normal, Unknown, Unused, UserDefined};
    assert_eq!(model.types[..2], [Unknown, Control]);
    assert_eq!(model.types[258..], [Normal, UserDefined, Unused]);
    for wrong in ["<0x-1>", "<0xZZ>", "<0x0>"] {
        let mut tokens = tokens.clone();
        tokens[5] = wrong.to_owned();
        match file(&tokens).read() {
            Err(LoadError::Invalid { place: Place::Path(path), .. }) => {
                assert_eq!(path, "tokenizer.ggml.tokens[5]");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_refused_by_name() {
    let cases: Vec<(File, &str)> = vec![
        (File::new(), "$"),
        (File::new().text(MODEL, "plamo2").texts(TOKENS, &["a"]), MODEL),
        (File::new().pair(MODEL, 4, &[0; 4]), MODEL),
        (File::new().text(MODEL, "gpt2"), "$"),
        (File::new().text(MODEL, "gpt2").texts(TOKENS, &["a"]), "$"),
        (
            File::new()
                .text(MODEL, "gpt2")
                .texts(TOKENS, &["a"])
                .text("tokenizer.ggml.pre", "no such one"),
            "tokenizer.ggml.pre",
        ),
        (
            File::new()
                .text(MODEL, "gpt2")
                .texts(TOKENS, &["a", "a"])
                .texts("tokenizer.ggml.merges", &[]),
            "tokenizer.ggml.tokens[1]",
        ),
        (
            File::new()
                .text(MODEL, "gpt2")
                .texts(TOKENS, &["a"])
                .texts("tokenizer.ggml.merges", &["a"]),
            "tokenizer.ggml.merges[0]",
        ),
        (File::new().text(MODEL, "llama").texts(TOKENS, &["a"]).scores(2), "tokenizer.ggml.scores"),
        (File::new().text(MODEL, "llama").texts(TOKENS, &["a"]).types(&[1, 1]), TYPES),
        (
            File::new().text(MODEL, "llama").texts(TOKENS, &["a"]).types(&[9]),
            "tokenizer.ggml.token_type[0]",
        ),
        (File::new().text(MODEL, "rwkv").texts(TOKENS, &["a"]), TOKENS),
        (File::new().text(MODEL, "rwkv").texts(TOKENS, &["\\x0"]), "tokenizer.ggml.tokens[0]"),
        (
            File::new()
                .text(MODEL, "bert")
                .texts(TOKENS, &["a"])
                .id("tokenizer.ggml.cls_token_id", 1),
            "tokenizer.ggml.cls_token_id",
        ),
        (File::new().text(MODEL, "bert").texts(TOKENS, &["a"]), "$"),
    ];
    for (file, expected) in cases {
        let place = match file.read() {
            Err(LoadError::Invalid { place: Place::Path(path), .. }) => path,
            Err(LoadError::Unsupported { field, .. }) => field,
            other => panic!("{expected}: {other:?}"),
        };
        assert_eq!(place, expected);
    }
}

#[test]
fn every_cut_is_an_error() {
    let bytes = byte_level().bytes();
    for len in 0..bytes.len() {
        match read(&bytes[..len]) {
            Err(LoadError::Invalid { place: Place::Byte(at), .. }) => assert!(at <= len as u64),
            other => panic!("{len}: {other:?}"),
        }
    }
}

#[test]
fn huge_lengths_are_refused_before_anything_is_allocated() {
    let huge = [u64::MAX, u64::MAX / 2, 1 << 62, 1 << 40, 1 << 32];
    for length in huge {
        let mut list = 8u32.to_le_bytes().to_vec();
        list.extend(length.to_le_bytes());
        let mut numbers = 6u32.to_le_bytes().to_vec();
        numbers.extend(length.to_le_bytes());
        let string = length.to_le_bytes();
        for key in [TOKENS, "other"] {
            for (kind, value) in [(9, &list[..]), (9, &numbers), (8, &string)] {
                let file = File::new().pair(key, kind, value);
                assert!(
                    matches!(file.read(), Err(LoadError::Invalid { place: Place::Byte(_), .. })),
                    "{key} {kind} {length}"
                );
            }
        }
        // A hole in a file has room for anything.
        let file = File::new().pair(TOKENS, 9, &list).bytes();
        assert!(from_gguf(Cursor::new(file), u64::MAX).is_err());
    }
    // Nor is a list in a list.
    let mut nested = 9u32.to_le_bytes().to_vec();
    nested.extend(1u64.to_le_bytes());
    assert!(File::new().pair("other", 9, &nested).read().is_err());
    assert!(File::new().pair(TOKENS, 9, &nested).read().is_err());
    assert!(File::new().text(MODEL, "gpt2").text(MODEL, "gpt2").read().is_err());
}
