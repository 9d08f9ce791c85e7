//! What training reads of files: blocks of whole documents, which `PieceCounter` counts.
//!
//! A thread reads ahead, so that unpacking and counting go on at the same time.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use fretsaw_bulk::{
    Block, Blocks, BulkError, Content, Documents, Input, Kind, Limits, Reading, Reason, Reject,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::bulk::{blocks_of_rows, kind_of_rows};
use crate::errors;

/// How many blocks are read ahead.
const AHEAD: usize = 1;

/// The next block, or nothing at the end.
type Next = Result<Option<Block>, BulkError>;

/// How long to wait for a block before signals are looked after.
const LOOK: Duration = Duration::from_millis(100);

/// The blocks of a file of text or jsonl, unpacked where its name says that it is packed.
///
///     >>> import tempfile
///     >>> from pathlib import Path
///     >>> from fretsaw._native import TextBlocks
///     >>> folder = tempfile.TemporaryDirectory()
///     >>> path = Path(folder.name) / "a.jsonl"
///     >>> path.write_text('{"text": "Hello"}')
///     17
///     >>> [block.texts() for block in TextBlocks(path, "line", "text")]
///     [['Hello']]
#[pyclass(module = "fretsaw._native", frozen)]
pub struct TextBlocks {
    /// What comes next; nothing behind the last one or an error.
    blocks: Mutex<Option<Receiver<Next>>>,
    of: Arc<Of>,
}

/// What all blocks of a file are read by.
struct Of {
    path: PathBuf,
    kind: Kind,
    replace: bool,
}

#[pymethods]
impl TextBlocks {
    /// Blocks of about `block_bytes`; with `plain` it is text whatever its name.
    #[new]
    #[pyo3(signature = (path, by, field, replace = false, plain = false, block_bytes = 1 << 20))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        by: &str,
        field: &str,
        replace: bool,
        plain: bool,
        block_bytes: usize,
    ) -> PyResult<Self> {
        let name = if plain { "".into() } else { path.to_string_lossy() };
        let kind = Kind::of(&name, by, field);
        let limits = Limits { block_bytes, ..kind.limits(u64::MAX) };
        let opened = || Blocks::new(Input::open(&path)?, 0, &kind.cutting(), limits, 0);
        let mut blocks = py.detach(opened).map_err(|error| errors::bulk(py, error))?;
        let (send, receive) = sync_channel(AHEAD);
        // It ends at the end of the file, or when nobody receives any more.
        let reading = thread::Builder::new().spawn(move || loop {
            let next = blocks.next_block();
            let is_last = !matches!(next, Ok(Some(_)));
            if send.send(next).is_err() || is_last {
                return;
            }
        });
        reading.map_err(|error| errors::no_thread(&error))?;
        let of = Arc::new(Of { path, kind, replace });
        Ok(Self { blocks: Mutex::new(Some(receive)), of })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<TextBlock>> {
        let next = loop {
            let waited = py.detach(|| {
                let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
                let next = match blocks.as_ref().map(|blocks| blocks.recv_timeout(LOOK)) {
                    None => Ok(None),
                    Some(Err(RecvTimeoutError::Timeout)) => return None,
                    Some(Err(RecvTimeoutError::Disconnected)) => Err(BulkError::Ended),
                    Some(Ok(next)) => next,
                };
                if !matches!(next, Ok(Some(_))) {
                    *blocks = None;
                }
                Some(next)
            });
            match waited {
                Some(next) => break next,
                None => py.check_signals()?,
            }
        };
        let next = next.map_err(|error| errors::bulk(py, error))?;
        Ok(next.map(|block| TextBlock { block, of: self.of.clone() }))
    }
}

/// A block of whole documents, from `TextBlocks` or of rows of a table.
///
///     >>> import pyarrow
///     >>> from fretsaw._native import TextBlock
///     >>> [block.texts() for block in TextBlock.of_rows("a.parquet", 0, pyarrow.array(["a", "b"]))]
///     [['a', 'b']]
#[pyclass(module = "fretsaw._native", frozen)]
pub struct TextBlock {
    block: Block,
    of: Arc<Of>,
}

#[pymethods]
impl TextBlock {
    /// The rows of an Arrow array of text; `first` is the number of the first.
    #[staticmethod]
    #[pyo3(signature = (path, first, array, replace = false))]
    fn of_rows(
        py: Python<'_>,
        path: PathBuf,
        first: u64,
        array: &Bound<'_, PyAny>,
        replace: bool,
    ) -> PyResult<Vec<Self>> {
        let of = Arc::new(Of { path, kind: kind_of_rows(), replace });
        let blocks = blocks_of_rows(py, 0, first, array)?;
        Ok(blocks.into_iter().map(|block| Self { block, of: of.clone() }).collect())
    }

    /// How many bytes it has.
    #[getter]
    fn size(&self) -> usize {
        self.block.size()
    }

    /// Its documents as `str`; `TrainError` where one can't be taken.
    fn texts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.documents(py)?.texts)
    }
}

impl TextBlock {
    /// How many bytes it has.
    pub fn size_bytes(&self) -> usize {
        self.block.size()
    }

    /// Its documents; rows without text are passed over.
    pub fn documents(&self, py: Python<'_>) -> PyResult<Documents<'_>> {
        let Of { path, kind, replace } = &*self.of;
        let reading = Reading { kind, max_document_bytes: u64::MAX, replace: *replace };
        let documents = py.detach(|| reading.documents(&self.block));
        let is_rows = matches!(self.block.content, Content::Rows { .. });
        let is_absent = |reject: &Reject| is_rows && reject.reason == Reason::NotAString;
        match documents.rejects.iter().find(|reject| !is_absent(reject)) {
            None => Ok(documents),
            Some(reject) if is_rows => {
                let message = format!("row {} of {}: {}", reject.at, path.display(), reject.reason);
                Err(errors::train_message(py, message))
            }
            Some(reject) => Err(errors::train_message(py, refused(path, kind, reject))),
        }
    }
}

/// Why a document of text or jsonl is refused, by its place in the file.
fn refused(path: &Path, kind: &Kind, Reject { at, reason, .. }: &Reject) -> String {
    let path = path.display();
    match (reason, kind) {
        (Reason::NotUtf8 { byte }, _) => format!(
            "{path} is not UTF-8 at byte offset {}; mend the file or pass errors='replace'",
            at + byte
        ),
        (Reason::NotJson { byte }, _) => {
            format!("{path} is not JSON at byte offset {}; each line has to be", at + byte)
        }
        (_, Kind::Jsonl { field }) => {
            format!("the line at byte offset {at} of {path} has no text under '{field}'")
        }
        (reason, Kind::Text(_)) => format!("{path} at byte offset {at}: {reason}"),
    }
}
