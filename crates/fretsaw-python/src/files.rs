//! `Tokenizer.encode_files`: files in, two arrays out.
//!
//! The first block tells about how large the arrays become; so much is reserved at once, of which only what
//! is filled takes memory, and given back at the end. So no id is held twice but those of blocks on their way.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fretsaw::pool::threads_meant;
use fretsaw_bulk::{BlockEncoder, Blocks, BulkError, Encoded, Flow, Input, Kind, Packing, Width};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::errors;
use crate::policy;
use crate::tokenizer::Tokenizer;

/// The largest document: as many bytes as a piece may have.
const MAX_DOCUMENT_BYTES: u64 = u32::MAX as u64;

/// One path, or several.
#[derive(FromPyObject)]
enum Paths {
    Several(Vec<PathBuf>),
    One(PathBuf),
}

/// What the blocks are put into.
struct Rows {
    ids: Vec<u32>,
    row_offsets: Vec<i64>,
    /// How many bytes of text all files have, as far as that is known.
    all_bytes: u64,
}

impl Rows {
    fn new(all_bytes: u64) -> Self {
        Self { ids: Vec::new(), row_offsets: vec![0], all_bytes }
    }

    /// Reserves what all blocks together take if they are like this one, and a little more.
    fn reserve_for_all(&mut self, first: &Encoded) {
        let blocks = self.all_bytes as f64 * 1.1 / first.bytes.max(1) as f64;
        let like = |count: usize| (count as f64 * blocks) as usize;
        // Where that can't be had, the arrays grow as they are filled.
        _ = self.ids.try_reserve_exact(like(first.tokens.len() / 4));
        _ = self.row_offsets.try_reserve_exact(like(first.ends.len()));
    }

    fn add(&mut self, block: &Encoded) {
        if self.ids.is_empty() {
            self.reserve_for_all(block);
        }
        let base = self.ids.len() as i64;
        let words = block.tokens.as_chunks::<4>().0;
        self.ids.extend(words.iter().map(|&word| u32::from_le_bytes(word)));
        self.row_offsets.extend(block.ends.iter().map(|&end| base + end as i64));
    }
}

/// How much text a file has, if it is not packed.
fn text_bytes(path: &Path) -> u64 {
    let size = || path.metadata().map_or(0, |file| file.len());
    match Packing::of(&path.to_string_lossy()) {
        Packing::None => size(),
        Packing::Gzip | Packing::Zstandard => 0,
    }
}

type Arrays<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

#[pymethods]
impl Tokenizer {
    /// Encodes the documents of files into two arrays: all ids as `uint32`, and where each document
    /// starts among them as `int64`, one more than there are documents.
    #[pyo3(signature = (paths, *, separator = None, field = "text", add_special_tokens = true, special = None, threads = 0))]
    #[allow(clippy::too_many_arguments)]
    fn encode_files<'py>(
        &self,
        py: Python<'py>,
        paths: Paths,
        separator: Option<&str>,
        field: &str,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<Arrays<'py>> {
        let now = self.now();
        let encoder = Arc::new(BlockEncoder {
            special: policy::special(special, &now)?,
            pipeline: now.pipeline.clone(),
            add_special_tokens,
            prepend: None,
            append: None,
            width: Width::U32,
            hashes: false,
            max_document_bytes: MAX_DOCUMENT_BYTES,
        });
        let paths = match paths {
            Paths::One(path) => vec![path],
            Paths::Several(paths) => paths,
        };
        let all_bytes = paths.iter().map(|path| text_bytes(path)).sum();
        let rows = Arc::new(Mutex::new(Rows::new(all_bytes)));
        let (taken, names) = (rows.clone(), paths.clone());
        let started = Flow::start(encoder, threads_meant(threads), move |block| {
            let Some(block) = block else { return Ok(()) };
            if let Some(reject) = block.rejects.first() {
                let input = names[block.file as usize].display().to_string().into();
                return Err(BulkError::BadRow { input, reject: reject.clone() });
            }
            taken.lock().unwrap_or_else(PoisonError::into_inner).add(&block);
            Ok(())
        });
        let mut flow = started.map_err(|error| failed(py, error))?;
        for (file, path) in (0..).zip(&paths) {
            let kind = Arc::new(Kind::of(&path.to_string_lossy(), separator.unwrap_or(""), field));
            let open = || {
                let limits = kind.limits(MAX_DOCUMENT_BYTES);
                Blocks::new(Input::open(path)?, file, &kind.cutting(), limits, 0)
            };
            let mut blocks = open().map_err(|error| failed(py, error))?;
            let mut step = || -> Result<bool, BulkError> {
                let Some(block) = blocks.next_block()? else { return Ok(false) };
                flow.push(block, &kind)?;
                Ok(true)
            };
            while py.detach(&mut step).map_err(|error| failed(py, error))? {
                py.check_signals()?;
            }
        }
        py.detach(|| flow.finish()).map_err(|error| failed(py, error))?;
        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        let Rows { mut ids, mut row_offsets, .. } = std::mem::replace(&mut *rows, Rows::new(0));
        ids.shrink_to_fit();
        row_offsets.shrink_to_fit();
        Ok((ids.into_pyarray(py), row_offsets.into_pyarray(py)))
    }
}

/// A document that can't be encoded is an `EncodeError`.
fn failed(py: Python<'_>, error: BulkError) -> PyErr {
    match error {
        BulkError::BadRow { .. } => errors::encode_message(py, error.to_string()),
        error => errors::bulk(py, error),
    }
}
