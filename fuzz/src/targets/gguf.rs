//! `gguf`: metadata with right and wrong types, lengths and counts: read or refused, and what is read
//! encodes at every level alike.

use std::io::Cursor;

use fretsaw::compile;
use fretsaw::spec::from_gguf;

use super::check;
use crate::draw::Draw;

const KEYS: [&str; 14] = [
    "general.architecture",
    "tokenizer.ggml.model",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.merges",
    "tokenizer.ggml.scores",
    "tokenizer.ggml.token_type",
    "tokenizer.ggml.bos_token_id",
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.unknown_token_id",
    "tokenizer.ggml.add_bos_token",
    "tokenizer.ggml.add_space_prefix",
    "tokenizer.ggml.remove_extra_whitespaces",
    "tokenizer.chat_template",
];
const TEXTS: [&str; 20] = [
    "gpt2",
    "llama",
    "bert",
    "t5",
    "rwkv",
    "default",
    "gpt-2",
    "llama-bpe",
    "qwen2",
    "deepseek-llm",
    "a",
    "b",
    "ab",
    "a b",
    "<s>",
    "\u{2581}",
    "Ġ",
    "<0x41>",
    "[UNK]",
    "##a",
];

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let bytes = match draw.one_in(4) {
        true => draw.rest().to_vec(),
        false => file(draw),
    };
    let spec = from_gguf(Cursor::new(&bytes), bytes.len() as u64).ok()?;
    let pipeline = compile(spec).ok()?;
    check(&pipeline, "a ab  \u{2581}b<s>é 日1");
    Some(())
}

/// A file that is right for the most part.
fn file(draw: &mut Draw<'_>) -> Vec<u8> {
    let mut pairs = Vec::new();
    let mut count = 0u64;
    let model = *draw.pick(&["gpt2", "llama", "bert", "t5", "rwkv"]);
    let tokens = draw.list(20, |draw| draw.text_of(&TEXTS, 2));
    let sound = !draw.one_in(3);
    let mut pair = |key: &str, kind: u32, value: &[u8]| {
        pairs.extend(string(key));
        pairs.extend(kind.to_le_bytes());
        pairs.extend(value);
        count += 1;
    };
    pair("tokenizer.ggml.model", 8, &string(model));
    pair("tokenizer.ggml.pre", 8, &string(draw.pick::<&str>(&TEXTS[5..10])));
    pair(
        "tokenizer.ggml.tokens",
        9,
        &list(8, &tokens.iter().map(|token| string(token)).collect::<Vec<_>>()),
    );
    if sound {
        let types: Vec<Vec<u8>> =
            tokens.iter().map(|_| (1 + draw.below(6) as i32).to_le_bytes().to_vec()).collect();
        pair("tokenizer.ggml.token_type", 9, &list(5, &types));
        let scores: Vec<Vec<u8>> =
            tokens.iter().map(|_| (-f32::from(draw.byte())).to_le_bytes().to_vec()).collect();
        pair("tokenizer.ggml.scores", 9, &list(6, &scores));
        let merges =
            draw.list(6, |draw| string(&format!("{} {}", draw.pick(&TEXTS), draw.pick(&TEXTS))));
        pair("tokenizer.ggml.merges", 9, &list(8, &merges));
    }
    for _ in 0..draw.below(4) {
        let key = *draw.pick(&KEYS);
        let kind = draw.below(14) as u32;
        let value = match kind {
            8 => string(draw.pick::<&str>(&TEXTS)),
            0 | 1 | 7 => vec![draw.byte()],
            2 | 3 => draw.u32().to_le_bytes()[..2].to_vec(),
            9 => list(draw.below(13) as u32, &draw.list(4, |draw| vec![draw.byte(); 4])),
            10.. => u64::from(draw.u32()).to_le_bytes().to_vec(),
            _ => draw.u32().to_le_bytes().to_vec(),
        };
        pair(key, kind, &value);
    }
    let said = if draw.one_in(8) { u64::from(draw.u32()) } else { count };
    let version: u32 = if draw.one_in(8) { 2 } else { 3 };
    [b"GGUF", &version.to_le_bytes()[..], &[0; 8], &said.to_le_bytes(), &pairs].concat()
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn list(kind: u32, values: &[Vec<u8>]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(values.len() as u64).to_le_bytes(), &values.concat()].concat()
}
