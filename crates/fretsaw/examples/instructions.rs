//! Encodes a text in parts of a given size: what `benchmarks/instructions.py` counts under callgrind.
//!
//! `instructions TOKENIZER TEXT PART_BYTES cold|warm` loads a tokenizer and encodes every part once;
//! warm, it has encoded them all before. Only what [`counted`] calls is to be counted. It prints the
//! number of ids and a checksum of them, so that two revisions can be seen to do the same work. It
//! uses nothing but the trait, whose calls stay what they are, so that old revisions build it too.

use std::error::Error;
use std::hint::black_box;

use fretsaw::{load_file, Tokenizer};

/// The parts of `text`, each of `part_bytes` and what it takes to end between two characters.
fn parts(text: &str, part_bytes: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let ends = part_bytes.min(rest.len())..=rest.len();
        let (part, behind) = rest
            .split_at(ends.into_iter().find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len()));
        parts.push(part);
        rest = behind;
    }
    parts
}

/// Encodes all parts; the function that callgrind is told to look at, so it must stay one.
#[inline(never)]
fn counted(tokenizer: &dyn Tokenizer, parts: &[&str]) -> Result<(), Box<dyn Error>> {
    for part in parts {
        black_box(tokenizer.encode(part)?);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, tokenizer, text, part_bytes, state] = &arguments[..] else {
        return Err("instructions TOKENIZER TEXT PART_BYTES cold|warm".into());
    };
    let text = std::fs::read_to_string(text)?;
    let parts = parts(&text, part_bytes.parse()?);
    let tokenizer = load_file(tokenizer.as_ref())?;
    if state == "warm" {
        for part in &parts {
            tokenizer.encode(part)?;
        }
    }
    counted(&tokenizer, black_box(&parts))?;
    let (mut ids, mut checksum) = (0, 0u32);
    for part in &parts {
        for id in tokenizer.encode(part)? {
            ids += 1;
            checksum = checksum.rotate_left(5) ^ id.wrapping_mul(0x9E37_79B9);
        }
    }
    println!("{ids} {checksum:08x}");
    Ok(())
}
