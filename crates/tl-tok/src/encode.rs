//! `tl-tok encode`: texts in, ids out.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{read_text, Loaded};

#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    tokenizer: &'a Path,
    texts: usize,
    bytes: usize,
    tokens: usize,
    seconds: f64,
    ids_sha256: String,
}

/// Encodes each line of `texts_path` and writes the ids to `ids_path`; returns the JSON line.
pub fn run(
    tokenizer_path: &Path,
    texts_path: &Path,
    ids_path: Option<&Path>,
) -> Result<String, String> {
    let loaded = Loaded::load(tokenizer_path)?;
    let file = read_text(texts_path)?;
    let mut out = match ids_path {
        Some(path) => {
            let file = File::create(path).map_err(|error| cannot_write(path, &error))?;
            Some((path, BufWriter::new(file)))
        }
        None => None,
    };
    let mut digest = Sha256::new();
    let mut spent = Duration::ZERO;
    let (mut texts, mut bytes, mut tokens) = (0, 0, 0);
    for line in file.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let start = Instant::now();
        let encoded = loaded.tokenizer().encode(text);
        spent += start.elapsed();
        texts += 1;
        let ids =
            encoded.map_err(|error| format!("{}: line {texts}: {error}", texts_path.display()))?;
        bytes += text.len();
        tokens += ids.len();
        ids.iter().for_each(|id| digest.update(id.to_le_bytes()));
        if let Some((path, out)) = &mut out {
            writeln!(out, "{}", spaced(&ids)).map_err(|error| cannot_write(path, &error))?;
        }
    }
    if let Some((path, mut out)) = out {
        out.flush().map_err(|error| cannot_write(path, &error))?;
    }
    let report = Report {
        command: "encode",
        tokenizer: tokenizer_path,
        texts,
        bytes,
        tokens,
        seconds: spent.as_secs_f64(),
        ids_sha256: format!("{:x}", digest.finalize()),
    };
    serde_json::to_string(&report).map_err(|error| error.to_string())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

fn spaced(ids: &[u32]) -> String {
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    ids.join(" ")
}
