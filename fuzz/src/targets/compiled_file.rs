//! `compiled_file`: sound files with some bytes changed and the checksum made anew, or cut, or any bytes:
//! an error, or a tokenizer that can be used.

use std::sync::OnceLock;

use fretsaw::fuzzed::sign;
use fretsaw::{load_bytes, Settings};
use serde_json::{json, Value};

use super::survives;
use crate::draw::Draw;
use crate::small::byte_level;

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    if draw.one_in(16) {
        return use_it(draw.rest());
    }
    let mut file = draw.pick(files()).clone();
    for _ in 0..draw.below(6) {
        // Mostly in what says where things are.
        let within = if draw.one_in(2) { file.len() } else { file.len().min(1024) };
        let at = draw.u32() as usize % within;
        match draw.below(3) {
            0 => file[at] = draw.byte(),
            1 => file[at] ^= 1 << draw.below(8),
            _ => {
                let value = draw.u32().to_ne_bytes();
                let end = file.len().min(at + 4);
                file[at..end].copy_from_slice(&value[..end - at]);
            }
        }
    }
    if draw.one_in(8) {
        file.truncate(draw.u32() as usize % file.len());
        let len = (file.len() as u64).to_ne_bytes();
        file.get_mut(16..24)?.copy_from_slice(&len);
    }
    if file.len() > 64 {
        sign(&mut file);
    }
    use_it(&file)
}

fn use_it(file: &[u8]) -> Option<()> {
    let pipeline = load_bytes(file).ok()?;
    survives(&pipeline, "a ab  b<s>é 日1 \u{2581}a");
    let _ = pipeline.token_table();
    let _ = pipeline.to_json(&Settings::NONE);
    Some(())
}

/// Compiled files of each model.
fn files() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let bpe = json!({"type": "BPE", "vocab": {"a": 0, "b": 1, "Ġ": 2, "ab": 3, "Ġa": 4}, "merges": [["a", "b"], ["Ġ", "a"]]});
        let fallback = json!({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<0x41>": 3, "u": 4}, "merges": [["a", "b"]],
            "byte_fallback": true, "fuse_unk": true, "unk_token": "u"});
        let unigram = json!({"type": "Unigram", "unk_id": 0, "vocab": [["<u>", 0.0], ["a", -1.0], ["ab", -1.5], ["\u{2581}a", -2.0]]});
        let words = json!({"type": "WordPiece", "unk_token": "u", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
            "vocab": {"u": 0, "a": 1, "##b": 2, "ab": 3}});
        let level = json!({"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "a": 1, "ab": 2}});
        let added = json!([{"id": 9, "content": "<s>", "special": true, "single_word": false, "lstrip": true,
            "rstrip": false, "normalized": false}]);
        let metaspace = json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true});
        let file = |model: &Value, pre_tokenizer: Value| {
            let json = json!({"added_tokens": added, "model": model, "pre_tokenizer": pre_tokenizer});
            let pipeline = load_bytes(json.to_string().as_bytes()).expect("a sound file");
            pipeline.to_fret(&Settings::NONE, None).expect("a file")
        };
        vec![
            file(&bpe, byte_level()),
            file(&fallback, Value::Null),
            file(&unigram, metaspace),
            file(&words, json!({"type": "BertPreTokenizer"})),
            file(&level, json!({"type": "Whitespace"})),
        ]
    })
}
