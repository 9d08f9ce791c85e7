//! The repository's test data, and small tokenizers made of it.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use fretsaw::{load_bytes, Pipeline};
use serde_json::{json, Value};

/// A path from the root of the repository.
pub fn path(relative: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(relative)
}

/// The uncompressed content of a `.gz` file of the repository.
pub fn gunzip(relative: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = File::open(path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"));
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    bytes
}

/// The bytes of GPT-2's tokenizer.json.
pub fn gpt2_json() -> &'static [u8] {
    static JSON: OnceLock<Vec<u8>> = OnceLock::new();
    JSON.get_or_init(|| gunzip("tests/fixtures/gpt2.json.gz"))
}

/// GPT-2.
pub fn gpt2() -> &'static Pipeline {
    static PIPELINE: OnceLock<Pipeline> = OnceLock::new();
    PIPELINE.get_or_init(|| load_bytes(gpt2_json()).unwrap())
}

/// SmolLM2: Digits before ByteLevel, 17 added tokens, and some bytes that are no token.
pub fn smollm2() -> &'static Pipeline {
    static PIPELINE: OnceLock<Pipeline> = OnceLock::new();
    PIPELINE.get_or_init(|| load_bytes(&gunzip("tests/fixtures/smollm2.json.gz")).unwrap())
}

/// The 10,000 golden strings.
pub fn golden_strings() -> &'static [String] {
    static STRINGS: OnceLock<Vec<String>> = OnceLock::new();
    STRINGS.get_or_init(|| {
        let text = String::from_utf8(gunzip("tests/golden/strings.jsonl.gz")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    })
}

/// The oracle's ids of each golden string.
pub fn golden_ids(name: &str) -> Vec<Vec<u32>> {
    let text = String::from_utf8(gunzip(&format!("tests/golden/{name}.ids.gz"))).unwrap();
    let ids = |line: &str| line.split_ascii_whitespace().map(|id| id.parse().unwrap()).collect();
    text.lines().map(ids).collect()
}

/// GPT-2's byte alphabet, written from its definition.
pub fn alphabet() -> &'static [char] {
    static ALPHABET: OnceLock<Vec<char>> = OnceLock::new();
    ALPHABET.get_or_init(|| {
        let printable = |byte: u32| matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
        let mut others = 0x100..;
        let mut letter = |byte| if printable(byte) { byte } else { others.next().unwrap() };
        (0..256).map(|byte| char::from_u32(letter(byte)).unwrap()).collect()
    })
}

/// `bytes` in GPT-2's alphabet.
pub fn spell(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| alphabet()[usize::from(byte)]).collect()
}

/// What a spelling in GPT-2's alphabet stands for.
pub fn unspell(token: &str) -> Vec<u8> {
    let byte = |letter| alphabet().iter().position(|&known| known == letter).unwrap() as u8;
    token.chars().map(byte).collect()
}

/// The 256 byte tokens: the id of a byte is its value.
pub fn byte_vocabulary() -> serde_json::Map<String, Value> {
    let spelled = alphabet().iter().copied().map(String::from);
    spelled.zip(0..256).map(|(token, id)| (token, json!(id))).collect()
}

/// A ByteLevel pre-tokenizer, with its regular expression or without.
pub fn byte_level(use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex})
}

/// A byte-level tokenizer.json from its variable parts.
pub fn byte_level_json(pre_tokenizer: Value, vocab: Value, merges: Value) -> Value {
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": pre_tokenizer,
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
            "vocab": vocab,
            "merges": merges,
        },
    })
}

/// Loads a tokenizer.json that is right.
pub fn load(json: &Value) -> Pipeline {
    load_bytes(json.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// An entry of `added_tokens` with every flag off but `special`.
pub fn special_token(id: u32, content: &str) -> Value {
    json!({
        "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true,
    })
}

/// A small random generator (xorshift), so that texts are the same on every run.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
