//! One shard: tokens one after the other in a file, and where each document ends in another.
//!
//! A shard is written under a name that begins with a dot. When it is whole it is brought to disk, hashed
//! as it lies there, and renamed. All numbers are little-endian.
//!
//! Layouts: plain tokens (`.bin`) or NumPy's format (`.npy`), both with the offsets of documents in a
//! `.docs.npy` of int64; and Megatron-LM's pair of `.bin` and `.idx`, as its `IndexedDataset` reads it:
//! magic, version 1, type of tokens, number of sequences, number of documents + 1, lengths (int32), byte
//! offsets (int64), first sequence of each document (int64).

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::encode::Width;
use crate::error::BulkError;
use crate::input::{file_checksum, Digest};
use crate::sink::Checkpoint;

/// What is written at once.
const WRITE_BYTES: usize = 1 << 20;

/// Of a token file in NumPy's format; there is room for the largest number.
const NPY_HEADER_BYTES: usize = 128;

const MEGATRON_MAGIC: &[u8; 9] = b"MMIDIDX\0\0";

/// How shards are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Flat,
    Npy,
    Megatron,
}

/// A whole shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    pub shard: u64,
    pub documents: u64,
    pub tokens: u64,
    /// Whether the first document is the rest of the last one of the shard before.
    pub continues: bool,
    /// Tokens behind its last whole row.
    pub left_out: u64,
    /// The files with size and hash: tokens, then index.
    pub files: [(String, Digest); 2],
    /// From where the next shard is made.
    pub next: Checkpoint,
}

/// A shard that is being written.
pub struct ShardWriter {
    folder: PathBuf,
    shard: u64,
    layout: Layout,
    width: Width,
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    /// Where each document ends, in tokens.
    ends: Vec<u64>,
    tokens: u64,
    continues: bool,
    left_out: u64,
}

impl ShardWriter {
    pub fn create(
        folder: &Path,
        shard: u64,
        layout: Layout,
        width: Width,
    ) -> Result<Self, BulkError> {
        let path = folder.join(format!(".shard-{shard:05}.part"));
        let file = File::create(&path).map_err(BulkError::io(&path))?;
        let header = if layout == Layout::Npy { NPY_HEADER_BYTES } else { 0 };
        Ok(Self {
            folder: folder.to_owned(),
            shard,
            layout,
            width,
            path,
            file,
            buffer: vec![0; header],
            ends: Vec::new(),
            tokens: 0,
            continues: false,
            left_out: 0,
        })
    }

    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    pub fn documents(&self) -> u64 {
        self.ends.len() as u64
    }

    /// Appends a document, or the rest of one that the shard before has the begin of.
    pub fn add(&mut self, document: &[u8], continues: bool) -> Result<(), BulkError> {
        self.continues |= continues;
        self.buffer.extend_from_slice(document);
        self.tokens += (document.len() / self.width.bytes()) as u64;
        self.ends.push(self.tokens);
        if self.buffer.len() >= WRITE_BYTES {
            self.write()?;
        }
        Ok(())
    }

    /// Leaves out what is behind the last whole row; returns how many tokens that was.
    pub fn cut_to_rows(&mut self, row: u64) -> Result<u64, BulkError> {
        let kept = self.tokens - self.tokens % row;
        let left_out = self.tokens - kept;
        if left_out == 0 {
            return Ok(0);
        }
        self.write()?;
        let header = if self.layout == Layout::Npy { NPY_HEADER_BYTES as u64 } else { 0 };
        let size = header + kept * self.width.bytes() as u64;
        let cut = self.file.set_len(size).and_then(|()| self.file.seek(SeekFrom::End(0)));
        cut.map_err(BulkError::io(&self.path))?;
        self.tokens = kept;
        self.left_out = left_out;
        let whole = self.ends.partition_point(|&end| end < kept);
        self.ends.truncate(if kept == 0 { 0 } else { whole + 1 });
        if let Some(last) = self.ends.last_mut() {
            *last = kept;
        }
        Ok(left_out)
    }

    /// Brings the shard to disk and gives it its name.
    pub fn close(mut self, next: Checkpoint) -> Result<Closed, BulkError> {
        self.write()?;
        if self.layout == Layout::Npy {
            let header = npy_header(self.tokens, self.width.bytes(), 'u', NPY_HEADER_BYTES);
            let begin = self.file.seek(SeekFrom::Start(0));
            begin.and_then(|_| self.file.write_all(&header)).map_err(BulkError::io(&self.path))?;
        }
        self.file.sync_all().map_err(BulkError::io(&self.path))?;
        let (ending, index_ending, index) = match self.layout {
            Layout::Flat => ("bin", "docs.npy", self.offsets()),
            Layout::Npy => ("npy", "docs.npy", self.offsets()),
            Layout::Megatron => ("bin", "idx", self.megatron_index()),
        };
        let index_path = self.folder.join(format!(".shard-{:05}.index.part", self.shard));
        let written = File::create(&index_path).and_then(|mut file| {
            file.write_all(&index)?;
            file.sync_all()
        });
        written.map_err(BulkError::io(&index_path))?;
        let names =
            [ending, index_ending].map(|ending| format!("shard-{:05}.{ending}", self.shard));
        let digests = [file_checksum(&self.path)?, file_checksum(&index_path)?];
        for (from, name) in [&self.path, &index_path].into_iter().zip(&names) {
            fs::rename(from, self.folder.join(name)).map_err(BulkError::io(from))?;
        }
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(BulkError::io(&self.folder))?;
        let [tokens_name, index_name] = names;
        Ok(Closed {
            shard: self.shard,
            documents: self.ends.len() as u64,
            tokens: self.tokens,
            continues: self.continues,
            left_out: self.left_out,
            files: [(tokens_name, digests[0]), (index_name, digests[1])],
            next,
        })
    }

    /// Removes a shard that came to nothing.
    pub fn discard(self) -> Result<(), BulkError> {
        fs::remove_file(&self.path).map_err(BulkError::io(&self.path))
    }

    fn write(&mut self) -> Result<(), BulkError> {
        self.file.write_all(&self.buffer).map_err(BulkError::io(&self.path))?;
        self.buffer.clear();
        Ok(())
    }

    /// Where documents begin and end, in NumPy's format.
    fn offsets(&self) -> Vec<u8> {
        let mut index = npy_header(self.documents() + 1, 8, 'i', 0);
        let offsets = std::iter::once(&0).chain(&self.ends);
        index.extend(offsets.flat_map(|end| end.to_le_bytes()));
        index
    }

    fn megatron_index(&self) -> Vec<u8> {
        let width = self.width.bytes() as u64;
        // Its numbers for uint16 and int32.
        let kind = match self.width {
            Width::U16 => 8u8,
            Width::U32 => 4,
        };
        let documents = self.documents();
        let starts = || std::iter::once(&0).chain(&self.ends).zip(&self.ends);
        let mut index = MEGATRON_MAGIC.to_vec();
        index.extend(1u64.to_le_bytes());
        index.push(kind);
        index.extend(documents.to_le_bytes());
        index.extend((documents + 1).to_le_bytes());
        index.extend(starts().flat_map(|(start, end)| ((end - start) as u32).to_le_bytes()));
        index.extend(starts().flat_map(|(start, _)| (start * width).to_le_bytes()));
        index.extend((0..=documents).flat_map(u64::to_le_bytes));
        index
    }
}

/// The header of a one-dimensional array, filled up to `size` bytes or to a multiple of 64.
fn npy_header(count: u64, width: usize, kind: char, size: usize) -> Vec<u8> {
    let text =
        format!("{{'descr': '<{kind}{width}', 'fortran_order': False, 'shape': ({count},), }}");
    let size = size.max((10 + text.len() + 1).next_multiple_of(64));
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(((size - 10) as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header.resize(size - 1, b' ');
    header.push(b'\n');
    header
}
