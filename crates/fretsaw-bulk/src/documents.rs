//! The documents of a block: found, and checked or mended.
//!
//! What a job encodes and what training counts is read here. A document that can't be taken is told by its
//! place, with a reason. Text that is UTF-8 is not copied.
//!
//! Cost: linear in the block.

use std::borrow::Cow;
use std::str::from_utf8;

use memchr::memmem;

use crate::block::{Block, Content, Reason, Reject};
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
            Kind::Text(Cutting::At(separator)) => {
                max_document_bytes.saturating_add(separator.len() as u64)
            }
            Kind::Text(_) => max_document_bytes,
            Kind::Jsonl { .. } => max_document_bytes.saturating_mul(8).saturating_add(1 << 20),
        };
        Limits { block_bytes: Limits::BLOCK_BYTES, document_bytes }
    }
}

/// How documents are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'k> {
    pub kind: &'k Kind,
    /// Longer ones are rejected.
    pub max_document_bytes: u64,
    /// Whether U+FFFD stands for what is not UTF-8, one for each part of it that could begin a character;
    /// else such a document is rejected.
    pub replace: bool,
}

/// The documents of a block, and those that can't be taken.
#[derive(Debug, Default)]
pub struct Documents<'b> {
    pub texts: Vec<Cow<'b, str>>,
    /// Where each begins in the input: a byte of the unpacked text, or a row.
    pub places: Vec<u64>,
    pub rejects: Vec<Reject>,
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

impl Reading<'_> {
    /// The documents of a block of such an input.
    ///
    /// ```
    /// use fretsaw_bulk::{Block, Content, Kind, Reading};
    ///
    /// let content = Content::Text(b"{\"text\": \"a\"}\n[]\n".to_vec());
    /// let kind = Kind::of("a.jsonl", "line", "text");
    /// let reading = Reading { kind: &kind, max_document_bytes: 100, replace: false };
    /// let block = Block { file: 0, at: 0, content };
    /// let documents = reading.documents(&block);
    /// assert_eq!(documents.texts, ["a"]);
    /// assert_eq!((documents.rejects[0].at, documents.rejects[0].reason.code()), (14, "not-an-object"));
    /// ```
    pub fn documents<'b>(&self, block: &'b Block) -> Documents<'b> {
        let mut documents = Documents::default();
        match (&block.content, self.kind) {
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
        let whole = from_utf8(bytes).ok();
        let mut absent = absent.iter().copied().peekable();
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            let end = end as usize;
            // A row may still end within a character.
            let text = match (absent.next_if_eq(&(row as u64)), whole) {
                (Some(_), _) => Err(Reason::NotAString),
                (None, Some(whole)) => match whole.get(start..end) {
                    Some(text) => Ok(Cow::Borrowed(text)),
                    None => self.utf8(&bytes[start..end]),
                },
                (None, None) => self.utf8(&bytes[start..end]),
            };
            documents.add(first + row as u64, text, self.max_document_bytes);
            start = end;
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
                Some(whole) => Ok(Cow::Borrowed(&whole[start..end])),
                None => self.utf8(&bytes[start..end]),
            };
            documents.add(first + start as u64, text, self.max_document_bytes);
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
        let max_line_bytes = self.kind.limits(self.max_document_bytes).document_bytes;
        let whole = from_utf8(bytes).ok();
        let mut start = 0;
        while start < bytes.len() {
            let rest = &bytes[start..];
            let end = start + memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let line = &bytes[start..end];
            let size = line.len() as u64;
            let text = match whole {
                _ if size > max_line_bytes => Err(Reason::TooLong { bytes: size }),
                Some(whole) => Ok(Cow::Borrowed(&whole[start..end])),
                None => self.utf8(line),
            };
            if !line.trim_ascii().is_empty() {
                let text = text.and_then(|line| match line {
                    Cow::Borrowed(line) => jsonl::text_of(line, field),
                    Cow::Owned(line) => Ok(Cow::Owned(jsonl::text_of(&line, field)?.into_owned())),
                });
                documents.add(first + start as u64, text, self.max_document_bytes);
            }
            start = end;
        }
    }

    fn utf8<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, str>, Reason> {
        match from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(_) if self.replace => Ok(String::from_utf8_lossy(bytes)),
            Err(error) => Err(Reason::NotUtf8 { byte: error.valid_up_to() as u64 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name, its bytes, the texts with replacements, and else the places that are not UTF-8.
    type Case<'c> = (&'c str, &'c [u8], &'c [&'c str], &'c [(u64, u64)]);

    #[test]
    fn what_is_not_utf8_is_rejected_or_replaced() {
        let cases: [Case<'_>; 4] = [
            ("a.txt", b"a\n\xffb\nc", &["a\n", "\u{fffd}b\n", "c"], &[(2, 0)]),
            (
                "a.txt",
                b"\xf0\x9f\x92|\xed\xa0\x80",
                &["\u{fffd}|\u{fffd}\u{fffd}\u{fffd}"],
                &[(0, 0)],
            ),
            (
                "a.jsonl",
                b"{\"text\": \"a\xc3\"}\n{\"text\": \"b\"}",
                &["a\u{fffd}", "b"],
                &[(0, 11)],
            ),
            ("a.jsonl", b"{\"text\": \"\\u00e9\"}\n \t\n", &["\u{e9}"], &[]),
        ];
        for (name, bytes, replaced, rejected) in cases {
            let kind = Kind::of(name, "line", "text");
            let block = Block { file: 0, at: 0, content: Content::Text(bytes.to_vec()) };
            let read = |replace| {
                let reading = Reading { kind: &kind, max_document_bytes: u64::MAX, replace };
                reading.documents(&block)
            };
            assert_eq!(read(true).texts, replaced);
            let rejects = read(false).rejects;
            let found = rejects.iter().map(|reject| (reject.at, reject.reason.clone()));
            let wanted = rejected.iter().map(|&(at, byte)| (at, Reason::NotUtf8 { byte }));
            assert_eq!(found.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
        }
    }
}
