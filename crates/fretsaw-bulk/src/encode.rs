//! Blocks of text in, blocks of tokens out.
//!
//! A block's documents are found, checked and encoded; each gets the tokens that stand before and after it.
//! Nothing is remembered from block to block, so any thread or machine may encode any block.

use std::borrow::Cow;
use std::str::from_utf8;
use std::sync::Arc;

use fretsaw::{EncodeError, Pipeline, Settings, SpecialSet};
use memchr::memmem;
use sha2::{Digest, Sha256};

use crate::block::{Block, Content, Encoded, Reason, Reject};
use crate::jsonl;
use crate::split::{Cutting, Limits};

/// What is in an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Text, cut into documents.
    Text(Cutting),
    /// A JSON object on each line, with the text in this field.
    Jsonl { field: String },
}

impl Kind {
    /// What a file of this name holds. Text is cut `by` `line` or `file`, or at what else it says.
    pub fn of(name: &str, by: &str, field: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let bare = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        if bare.ends_with(".jsonl") || bare.ends_with(".ndjson") {
            return Kind::Jsonl { field: field.to_owned() };
        }
        Kind::Text(match by {
            "line" | "\n" => Cutting::Line,
            "file" | "" => Cutting::File,
            separator => Cutting::At(separator.into()),
        })
    }

    /// What ends a document in the file.
    pub fn cutting(&self) -> Cutting {
        match self {
            Kind::Text(cutting) => cutting.clone(),
            Kind::Jsonl { .. } => Cutting::Line,
        }
    }

    /// How much to read for documents of up to so many bytes. A line of JSON may be longer than its
    /// text: a character of two bytes takes six, and there are other fields.
    pub fn limits(&self, max_document_bytes: u64) -> Limits {
        let document_bytes = match self {
            Kind::Text(Cutting::At(separator)) => max_document_bytes + separator.len() as u64,
            Kind::Text(_) => max_document_bytes,
            Kind::Jsonl { .. } => max_document_bytes.saturating_mul(8).saturating_add(1 << 20),
        };
        Limits { block_bytes: Limits::BLOCK_BYTES, document_bytes }
    }
}

/// How wide a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    U16,
    U32,
}

impl Width {
    /// The narrower one where all ids fit.
    pub fn of(vocab_size: u32) -> Self {
        if vocab_size <= 1 << 16 {
            Width::U16
        } else {
            Width::U32
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Width::U16 => 2,
            Width::U32 => 4,
        }
    }

    /// Appends ids, little-endian.
    fn append(self, ids: &[u32], tokens: &mut Vec<u8>) {
        let start = tokens.len();
        tokens.resize(start + ids.len() * self.bytes(), 0);
        match self {
            Width::U16 => {
                for (place, &id) in tokens[start..].as_chunks_mut().0.iter_mut().zip(ids) {
                    *place = (id as u16).to_le_bytes();
                }
            }
            Width::U32 => {
                for (place, &id) in tokens[start..].as_chunks_mut().0.iter_mut().zip(ids) {
                    *place = id.to_le_bytes();
                }
            }
        }
    }
}

/// Encodes blocks.
pub struct BlockEncoder {
    pub pipeline: Arc<Pipeline>,
    /// Which added tokens match in the text.
    pub special: SpecialSet,
    /// Whether the post-processor adds its tokens.
    pub add_special_tokens: bool,
    /// Tokens before and after each document.
    pub prepend: Option<u32>,
    pub append: Option<u32>,
    pub width: Width,
    /// Whether documents are hashed, to find duplicates.
    pub hashes: bool,
    /// Longer ones are rejected.
    pub max_document_bytes: u64,
}

/// The documents of a block that may be encoded.
#[derive(Default)]
struct Documents<'b> {
    texts: Vec<Cow<'b, str>>,
    places: Vec<u64>,
    rejects: Vec<Reject>,
}

impl<'b> Documents<'b> {
    fn add(&mut self, at: u64, found: Result<Cow<'b, str>, Reason>, max_bytes: u64) {
        let found = found.and_then(|text| match text.len() as u64 {
            bytes if bytes > max_bytes => Err(Reason::TooLong { bytes }),
            _ => Ok(text),
        });
        match found {
            Ok(text) => {
                self.texts.push(text);
                self.places.push(at);
            }
            Err(reason) => {
                self.rejects.push(Reject { at, before: self.texts.len() as u32, reason });
            }
        }
    }
}

impl BlockEncoder {
    /// The tokens of a block; `kind` is what the input holds.
    pub fn encode(&self, block: &Block, kind: &Kind) -> Encoded {
        let Documents { texts, places, rejects } = self.documents(block, kind);
        let mut encoded = Encoded {
            file: block.file,
            next: block.next(),
            bytes: texts.iter().map(|text| text.len() as u64).sum(),
            tokens: Vec::new(),
            ends: Vec::with_capacity(texts.len()),
            places,
            hashes: Vec::new(),
            rejects,
        };
        match self.ids(&texts) {
            Ok((ids, row_offsets)) => {
                self.append(&mut encoded, ids, &row_offsets);
                if self.hashes {
                    encoded.hashes = texts.iter().map(|text| hash(text)).collect();
                }
            }
            Err(_) => self.encode_one_by_one(&texts, &mut encoded),
        }
        encoded
    }

    fn ids<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
    ) -> Result<(Vec<u32>, Vec<i64>), (usize, EncodeError)> {
        let (special, settings) = (&self.special, &Settings::NONE);
        self.pipeline.encode_batch_flat(texts, special, self.add_special_tokens, settings, 1)
    }

    /// The same where a document can't be encoded, which is then left out.
    fn encode_one_by_one(&self, texts: &[Cow<'_, str>], encoded: &mut Encoded) {
        let places = std::mem::take(&mut encoded.places);
        let mut earlier = std::mem::take(&mut encoded.rejects).into_iter().peekable();
        for (index, (text, at)) in texts.iter().zip(places).enumerate() {
            let before = encoded.ends.len() as u32;
            while let Some(reject) = earlier.next_if(|reject| reject.before as usize <= index) {
                encoded.rejects.push(Reject { before, ..reject });
            }
            match self.ids(&[text]) {
                Ok((ids, row_offsets)) => {
                    self.append(encoded, ids, &row_offsets);
                    encoded.places.push(at);
                    encoded.hashes.extend(self.hashes.then(|| hash(text)));
                }
                Err((_, error)) => {
                    encoded.bytes -= text.len() as u64;
                    let message = error.to_string().into_boxed_str();
                    let reason = Reason::NotEncoded { message };
                    encoded.rejects.push(Reject { at, before, reason });
                }
            }
        }
        let before = encoded.ends.len() as u32;
        encoded.rejects.extend(earlier.map(|reject| Reject { before, ..reject }));
    }

    /// Appends documents, each with what stands before and after it.
    fn append(&self, encoded: &mut Encoded, ids: Vec<u32>, row_offsets: &[i64]) {
        let done = (encoded.tokens.len() / self.width.bytes()) as u64;
        let rows = row_offsets.windows(2);
        if self.prepend.is_none() && self.append.is_none() {
            encoded.ends.extend(rows.map(|row| done + row[1] as u64));
            return self.width.append(&ids, &mut encoded.tokens);
        }
        let mut all = Vec::with_capacity(ids.len() + 2 * rows.len());
        for row in rows {
            all.extend(self.prepend);
            all.extend_from_slice(&ids[row[0] as usize..row[1] as usize]);
            all.extend(self.append);
            encoded.ends.push(done + all.len() as u64);
        }
        self.width.append(&all, &mut encoded.tokens);
    }

    fn documents<'b>(&self, block: &'b Block, kind: &Kind) -> Documents<'b> {
        let mut documents = Documents::default();
        match (&block.content, kind) {
            (Content::TooLong { bytes, .. }, _) => {
                let reason = Reason::TooLong { bytes: *bytes };
                documents.rejects.push(Reject { at: block.at, before: 0, reason });
            }
            (Content::Rows { bytes, ends, absent }, _) => {
                self.rows(block.at, bytes, ends, absent, &mut documents);
            }
            (Content::Text(bytes), Kind::Text(cutting)) => {
                self.parts(block.at, bytes, cutting, &mut documents);
            }
            (Content::Text(bytes), Kind::Jsonl { field }) => {
                self.lines(block.at, bytes, field, &mut documents);
            }
        }
        documents
    }

    fn rows<'b>(
        &self,
        first: u64,
        bytes: &'b [u8],
        ends: &[u64],
        absent: &[u64],
        documents: &mut Documents<'b>,
    ) {
        let mut absent = absent.iter().copied().peekable();
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            let text = match absent.next_if_eq(&(row as u64)) {
                Some(_) => Err(Reason::NotAString),
                None => utf8(&bytes[start..end as usize]).map(Cow::Borrowed),
            };
            documents.add(first + row as u64, text, self.max_document_bytes);
            start = end as usize;
        }
    }

    fn parts<'b>(
        &self,
        first: u64,
        bytes: &'b [u8],
        cutting: &Cutting,
        documents: &mut Documents<'b>,
    ) {
        let whole = from_utf8(bytes).ok();
        let mut add = |start: usize, end: usize| {
            let text = match whole {
                // A separator is text, so its ends are between characters.
                Some(whole) => Ok(&whole[start..end]),
                None => utf8(&bytes[start..end]),
            };
            documents.add(first + start as u64, text.map(Cow::Borrowed), self.max_document_bytes);
        };
        let mut start = 0;
        match cutting {
            Cutting::File => {}
            Cutting::Line => {
                for at in memchr::memchr_iter(b'\n', bytes) {
                    add(start, at + 1);
                    start = at + 1;
                }
            }
            Cutting::At(separator) => {
                for at in memmem::find_iter(bytes, separator) {
                    if at > start {
                        add(start, at);
                    }
                    start = at + separator.len();
                }
            }
        }
        if start < bytes.len() {
            add(start, bytes.len());
        }
    }

    fn lines<'b>(&self, first: u64, bytes: &'b [u8], field: &str, documents: &mut Documents<'b>) {
        let kind = Kind::Jsonl { field: String::new() };
        let max_line_bytes = kind.limits(self.max_document_bytes).document_bytes;
        let whole = from_utf8(bytes).ok();
        let mut start = 0;
        while start < bytes.len() {
            let rest = &bytes[start..];
            let end = start + memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let line = &bytes[start..end];
            let size = line.len() as u64;
            let text = match whole {
                _ if size > max_line_bytes => Err(Reason::TooLong { bytes: size }),
                Some(whole) => Ok(&whole[start..end]),
                None => utf8(line),
            };
            if !line.trim_ascii().is_empty() {
                let text = text.and_then(|line| jsonl::text_of(line, field));
                documents.add(first + start as u64, text, self.max_document_bytes);
            }
            start = end;
        }
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Reason> {
    from_utf8(bytes).map_err(|error| Reason::NotUtf8 { byte: error.valid_up_to() as u64 })
}

/// The first half of the SHA-256 of a text.
fn hash(text: &str) -> u128 {
    let whole: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    u128::from_be_bytes(half)
}
