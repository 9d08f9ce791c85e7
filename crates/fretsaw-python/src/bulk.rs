//! Corpora: `ShardJob`, which reads files and writes shards, and `BlockEncoder`, its part for other machines.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fretsaw_bulk::{
    Block, BlockEncoder as Encoder, Blocks, BulkError, Checkpoint, Closed, Content, Digest,
    Encoded, Flow, Kind, Layout, Limits, Plan, ShardSink, Tally, Width,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::capsules;
use crate::errors;
use crate::inputs::input;
use crate::policy;
use crate::rows::{rows, Damaged};
use crate::tokenizer::Tokenizer;

/// The largest document where nothing else is said.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// How documents are encoded.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Encoding<'py> {
    #[pyo3(default)]
    special: Option<Bound<'py, PyAny>>,
    add_special_tokens: bool,
    #[pyo3(default)]
    prepend: Option<u32>,
    #[pyo3(default)]
    append: Option<u32>,
    #[pyo3(default)]
    dedup: bool,
    #[pyo3(default = MAX_DOCUMENT_BYTES)]
    max_document_bytes: u64,
}

impl Encoding<'_> {
    fn encoder(&self, tokenizer: &Tokenizer, width: Width) -> PyResult<Encoder> {
        let now = tokenizer.now();
        Ok(Encoder {
            special: policy::special(self.special.as_ref(), &now)?,
            pipeline: now.pipeline.clone(),
            add_special_tokens: self.add_special_tokens,
            prepend: self.prepend,
            append: self.append,
            width,
            hashes: self.dedup,
            max_document_bytes: self.max_document_bytes,
        })
    }
}

/// Where shards go.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Shards {
    folder: PathBuf,
    inputs: Vec<String>,
    #[pyo3(default = "bin".to_owned())]
    layout: String,
    #[pyo3(default = 4)]
    token_bytes: usize,
    #[pyo3(default = u64::MAX)]
    shard_tokens: u64,
    #[pyo3(default)]
    pack: Option<u64>,
    #[pyo3(default)]
    shuffle: Option<(u64, u32)>,
    #[pyo3(default)]
    dedup: bool,
    #[pyo3(default)]
    strict: bool,
}

fn width(token_bytes: usize) -> Width {
    if token_bytes == 2 {
        Width::U16
    } else {
        Width::U32
    }
}

impl Shards {
    fn plan(self) -> PyResult<Plan> {
        Ok(Plan {
            layout: match self.layout.as_str() {
                "bin" => Layout::Flat,
                "npy" => Layout::Npy,
                "megatron" => Layout::Megatron,
                _ => return Err(PyValueError::new_err("a layout is bin, npy or megatron")),
            },
            width: width(self.token_bytes),
            folder: self.folder,
            inputs: self.inputs,
            shard_tokens: self.shard_tokens,
            pack: self.pack,
            shuffle: self.shuffle,
            dedup: self.dedup,
            strict: self.strict,
        })
    }
}

/// A job that writes shards: inputs are opened and read block by block, until there are no more.
///
/// Threads do the work in between; what goes wrong there is raised by the next call.
///
///     >>> import tempfile, fretsaw
///     >>> from fretsaw._native import ShardJob
///     >>> folder = tempfile.TemporaryDirectory()
///     >>> encoding = {"add_special_tokens": False}
///     >>> job = ShardJob(fretsaw.get("gpt2"), encoding, {"folder": folder.name, "inputs": []})
///     >>> job.finish()
///     >>> job.closed()
///     []
#[pyclass(module = "fretsaw._native", frozen)]
pub struct ShardJob {
    max_document_bytes: u64,
    token_bytes: usize,
    tally: Arc<Mutex<Tally>>,
    running: Mutex<Running>,
}

struct Running {
    flow: Option<Flow>,
    open: Option<(Blocks, Arc<Kind>)>,
}

#[pymethods]
impl ShardJob {
    #[new]
    #[pyo3(signature = (tokenizer, encoding, shards, workers = 1, checkpoint = [0; 10]))]
    fn new(
        py: Python<'_>,
        tokenizer: &Tokenizer,
        encoding: Encoding<'_>,
        shards: Shards,
        workers: usize,
        checkpoint: [u64; 10],
    ) -> PyResult<Self> {
        let token_bytes = shards.token_bytes;
        let encoder = encoding.encoder(tokenizer, width(token_bytes))?;
        let tally = Arc::new(Mutex::new(Tally::default()));
        let sink = ShardSink::open(shards.plan()?, checkpoint_of(checkpoint), tally.clone());
        let mut sink = sink.map_err(|error| errors::bulk(py, error))?;
        let flow = Flow::start(Arc::new(encoder), workers, move |block| match block {
            Some(block) => sink.take(&block),
            None => sink.finish(),
        });
        let flow = flow.map_err(|error| errors::bulk(py, error))?;
        let max_document_bytes = encoding.max_document_bytes;
        let running = Mutex::new(Running { flow: Some(flow), open: None });
        Ok(Self { max_document_bytes, token_bytes, tally, running })
    }

    /// Opens an input of text or jsonl at a byte of its text; `opened` reads it if it is no local file.
    #[pyo3(signature = (file, path, by, field, at, opened = None))]
    #[allow(clippy::too_many_arguments)]
    fn open(
        &self,
        py: Python<'_>,
        file: u32,
        path: PathBuf,
        by: &str,
        field: &str,
        at: u64,
        opened: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let kind = Kind::of(&path.to_string_lossy(), by, field);
        let limits = kind.limits(self.max_document_bytes);
        let blocks = py.detach(|| {
            let input = input(&path, opened)?;
            Blocks::new(input, file, &kind.cutting(), limits, at)
        });
        let blocks = blocks.map_err(|error| errors::bulk(py, error))?;
        self.running().open = Some((blocks, Arc::new(kind)));
        Ok(())
    }

    /// Reads a block of the open input and sends it on its way; at the end gives size and hash of the
    /// input, which is closed then.
    fn step(&self, py: Python<'_>) -> PyResult<Option<(u64, String)>> {
        let digest = py.detach(|| {
            let mut running = self.running();
            let Running { flow, open } = &mut *running;
            let (Some(flow), Some((blocks, kind))) = (flow, &mut *open) else {
                return Err(BulkError::Ended);
            };
            if let Some(block) = blocks.next_block()? {
                flow.push(block, kind)?;
                return Ok(None);
            }
            let digest = blocks.digest()?;
            *open = None;
            Ok(Some(digest))
        });
        let digest = digest.map_err(|error| errors::bulk(py, error))?;
        Ok(digest.map(shown))
    }

    /// Sends rows of a column, an Arrow array of text, the first of which is this one of the input.
    fn rows(
        &self,
        py: Python<'_>,
        file: u32,
        first: u64,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let kind = Arc::new(kind_of_rows());
        for block in blocks_of_rows(py, file, first, array)? {
            self.pushed(py, |flow| flow.push(block, &kind))?;
        }
        Ok(())
    }

    /// Sends a block that a `BlockEncoder` made.
    fn encoded(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        self.pushed(py, |flow| flow.push_encoded(Encoded::from_bytes(block, self.token_bytes)?))
    }

    /// Waits until everything is written.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let flow = self.running().flow.take();
        let finished = py.detach(|| flow.map_or(Err(BulkError::Ended), Flow::finish));
        finished.map_err(|error| errors::bulk(py, error))
    }

    /// Ends the threads and leaves what is not written behind.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| drop(self.running().flow.take()));
    }

    /// What was done so far: bytes read of the open input, as it lies on disk, bytes of text, documents,
    /// tokens, rejected, duplicates, tokens left out.
    fn progress(&self) -> [u64; 7] {
        let read = self.running().open.as_ref().map_or(0, |(blocks, _)| blocks.read_bytes());
        let tally = self.tally();
        let Tally { bytes, documents, tokens, rejected, duplicates, left_out, .. } = *tally;
        [read, bytes, documents, tokens, rejected, duplicates, left_out]
    }

    /// The shards that became whole since the last call.
    fn closed<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let closed = std::mem::take(&mut self.tally().closed);
        closed.iter().map(|shard| described(py, shard)).collect()
    }
}

impl ShardJob {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pushed(
        &self,
        py: Python<'_>,
        push: impl FnOnce(&mut Flow) -> Result<(), BulkError> + Send,
    ) -> PyResult<()> {
        let pushed = py.detach(|| match &mut self.running().flow {
            Some(flow) => push(flow),
            None => Err(BulkError::Ended),
        });
        pushed.map_err(|error| errors::bulk(py, error))
    }
}

/// Encodes parts of inputs, on any machine, for `ShardJob.encoded`.
///
///     >>> import fretsaw
///     >>> from fretsaw._native import BlockEncoder
///     >>> encoder = BlockEncoder(fretsaw.get("gpt2"), {"add_special_tokens": False}, 2)
#[pyclass(module = "fretsaw._native", frozen)]
pub struct BlockEncoder {
    encoder: Encoder,
}

#[pymethods]
impl BlockEncoder {
    #[new]
    fn new(tokenizer: &Tokenizer, encoding: Encoding<'_>, token_bytes: usize) -> PyResult<Self> {
        Ok(Self { encoder: encoding.encoder(tokenizer, width(token_bytes))? })
    }

    /// The blocks of the documents that begin in a range of bytes of an input.
    #[pyo3(signature = (file, path, by, field, start, end, opened = None))]
    #[allow(clippy::too_many_arguments)]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        file: u32,
        path: PathBuf,
        by: &str,
        field: &str,
        start: u64,
        end: u64,
        opened: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let kind = Kind::of(&path.to_string_lossy(), by, field);
        let limits = kind.limits(self.encoder.max_document_bytes);
        let encoded = py.detach(|| {
            let input = input(&path, opened)?;
            let range = (start, end);
            let mut blocks = Blocks::of_range(input, file, &kind.cutting(), limits, range)?;
            let mut encoded = Vec::new();
            while let Some(block) = blocks.next_block()? {
                encoded.push(self.encoder.encode(&block, &kind).to_bytes()?);
            }
            Ok(encoded)
        });
        let encoded = encoded.map_err(|error| errors::bulk(py, error))?;
        Ok(encoded.iter().map(|block| PyBytes::new(py, block)).collect())
    }

    /// The blocks of rows of a column, as `ShardJob.rows` takes them.
    fn encode_rows<'py>(
        &self,
        py: Python<'py>,
        file: u32,
        first: u64,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let blocks = blocks_of_rows(py, file, first, array)?;
        let encode = |block: &Block| self.encoder.encode(block, &kind_of_rows()).to_bytes();
        let encoded = py.detach(|| blocks.iter().map(encode).collect::<Result<Vec<_>, _>>());
        let encoded = encoded.map_err(|error| errors::bulk(py, error))?;
        Ok(encoded.iter().map(|block| PyBytes::new(py, block)).collect())
    }
}

/// Rows as blocks of about the size of those of text.
pub fn blocks_of_rows(
    py: Python<'_>,
    file: u32,
    first: u64,
    array: &Bound<'_, PyAny>,
) -> PyResult<Vec<Block>> {
    let array = capsules::array(array)?;
    let cut = || {
        let mut blocks = Vec::new();
        let mut rest = &rows(&array)?[..];
        let mut at = first;
        while !rest.is_empty() {
            let (count, bytes) = fitting(rest);
            let (part, behind) = rest.split_at(count);
            blocks.push(block_of_rows(file, at, part, bytes));
            (at, rest) = (at + count as u64, behind);
        }
        Ok(blocks)
    };
    py.detach(cut).map_err(|error: Damaged| PyValueError::new_err(error.to_string()))
}

/// How many of the rows go into a block, at least one, and how many bytes they have.
fn fitting(rows: &[Option<&[u8]>]) -> (usize, usize) {
    let mut bytes = 0;
    for (count, row) in rows.iter().enumerate() {
        let size = row.map_or(0, <[u8]>::len);
        if count > 0 && bytes + size > Limits::BLOCK_BYTES {
            return (count, bytes);
        }
        bytes += size;
    }
    (rows.len(), bytes)
}

fn block_of_rows(file: u32, at: u64, rows: &[Option<&[u8]>], size: usize) -> Block {
    let mut bytes = Vec::with_capacity(size);
    let mut ends = Vec::with_capacity(rows.len());
    let mut absent = Vec::new();
    for (row, text) in (0..).zip(rows) {
        match text {
            Some(text) => bytes.extend_from_slice(text),
            None => absent.push(row),
        }
        ends.push(bytes.len() as u64);
    }
    Block { file, at, content: Content::Rows { bytes, ends, absent } }
}

/// Rows are documents as they are.
pub fn kind_of_rows() -> Kind {
    Kind::of("", "file", "")
}

/// Size and hash of a file; `opened` reads it if it is no local file.
#[pyfunction]
#[pyo3(signature = (path, opened = None))]
pub fn checksum(
    py: Python<'_>,
    path: PathBuf,
    opened: Option<Py<PyAny>>,
) -> PyResult<(u64, String)> {
    let digest = py.detach(|| input(&path, opened)?.digest());
    digest.map(shown).map_err(|error| errors::bulk(py, error))
}

fn shown(digest: Digest) -> (u64, String) {
    (digest.bytes, format!("{:032x}", digest.xxh3_128))
}

fn described<'py>(py: Python<'py>, shard: &Closed) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("shard", shard.shard)?;
    described.set_item("documents", shard.documents)?;
    described.set_item("tokens", shard.tokens)?;
    described.set_item("continues", shard.continues)?;
    described.set_item("left_out", shard.left_out)?;
    let files = shard.files.iter().map(|(name, digest)| {
        let file = PyDict::new(py);
        let (bytes, hash) = shown(*digest);
        file.set_item("name", name)?;
        file.set_item("bytes", bytes)?;
        file.set_item("xxh3_128", hash)?;
        Ok(file)
    });
    described.set_item("files", files.collect::<PyResult<Vec<_>>>()?)?;
    described.set_item("next", numbers_of(&shard.next))?;
    Ok(described)
}

fn checkpoint_of(numbers: [u64; 10]) -> Checkpoint {
    let [shard, file, at, window, skip_documents, skip_tokens, duplicates, unique, rejected, rejected_bytes] =
        numbers;
    Checkpoint {
        shard,
        file: file as u32,
        at,
        window,
        skip_documents,
        skip_tokens,
        duplicates,
        unique,
        rejected,
        rejected_bytes,
    }
}

fn numbers_of(checkpoint: &Checkpoint) -> [u64; 10] {
    [
        checkpoint.shard,
        u64::from(checkpoint.file),
        checkpoint.at,
        checkpoint.window,
        checkpoint.skip_documents,
        checkpoint.skip_tokens,
        checkpoint.duplicates,
        checkpoint.unique,
        checkpoint.rejected,
        checkpoint.rejected_bytes,
    ]
}
