//! Documents in order in, shards out: which documents are taken, in which order, and where shards end.
//!
//! Each document goes through three steps: one that was there before is left out (`dedup`), windows of
//! documents are shuffled, and shards are filled. A shard ends before the document that would make it larger
//! than `shard_tokens`; packed, shards are whole rows and documents go on in the next shard. All of this
//! follows from the documents alone. A shard is told together with the place in the input from which the
//! next one is made, so a job can go on there.
//!
//! Memory: one window of tokens, the offsets of at most two shards, and for `dedup` a hash of 16 bytes for
//! each document in a table that is between half and seven eighths full.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{sync_channel, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde::Serialize;

use crate::block::{Encoded, Reject};
use crate::encode::Width;
use crate::error::BulkError;
use crate::flow::started;
use crate::order::shuffled;
use crate::shard::{Closed, Layout, ShardWriter};

/// The most documents in a shard, so that its index has a limit.
const MAX_SHARD_DOCUMENTS: u64 = 1 << 23;

/// The most bytes of tokens in a window.
const MAX_WINDOW_BYTES: usize = 128 << 20;

/// Where rejected documents are listed.
const REJECTED: &str = "rejected.jsonl";

/// Where hashes are kept while a job runs.
const HASHES: &str = ".hashes";

/// What is made of documents.
#[derive(Debug, Clone)]
pub struct Plan {
    pub folder: PathBuf,
    /// The inputs as they are called in the list of rejected documents.
    pub inputs: Vec<String>,
    pub layout: Layout,
    pub width: Width,
    /// The most tokens in a shard.
    pub shard_tokens: u64,
    /// The length of rows.
    pub pack: Option<u64>,
    /// A seed, and how many documents are in a window.
    pub shuffle: Option<(u64, u32)>,
    /// Whether documents that were there before are left out.
    pub dedup: bool,
    /// Whether the first rejected document ends the job.
    pub strict: bool,
}

/// From where a shard is made: a place in the input, and what was done before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checkpoint {
    pub shard: u64,
    /// The input, and the place in it of the first document of the window.
    pub file: u32,
    pub at: u64,
    pub window: u64,
    /// What earlier shards have of the window: whole documents, then tokens of the next.
    pub skip_documents: u64,
    pub skip_tokens: u64,
    pub duplicates: u64,
    pub unique: u64,
    pub rejected: u64,
    /// How long the list of rejected documents is.
    pub rejected_bytes: u64,
}

/// What was done so far.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Bytes of text.
    pub bytes: u64,
    pub documents: u64,
    pub tokens: u64,
    pub rejected: u64,
    pub duplicates: u64,
    /// Tokens behind the last whole row, where that is not in a shard.
    pub left_out: u64,
    /// Shards that are whole, since they were last asked for.
    pub closed: Vec<Closed>,
}

/// A hash is its own.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| hash << 8 | u64::from(byte));
    }

    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }
}

struct Seen {
    hashes: HashSet<u128, BuildHasherDefault<Itself>>,
    file: BufWriter<File>,
}

/// Documents that wait to be shuffled.
#[derive(Default)]
struct Window {
    tokens: Vec<u8>,
    ends: Vec<usize>,
    begin: Checkpoint,
}

/// Where documents go.
pub struct ShardSink {
    plan: Plan,
    /// As the next shard would begin after what was read so far.
    now: Checkpoint,
    skip_documents: u64,
    skip_tokens: u64,
    window: Window,
    seen: Option<Seen>,
    rejected: BufWriter<File>,
    shard: Option<ShardWriter>,
    closing: Option<SyncSender<(ShardWriter, Checkpoint)>>,
    closer: Option<JoinHandle<Result<(), BulkError>>>,
    tally: Arc<Mutex<Tally>>,
}

#[derive(Serialize)]
struct RejectLine<'r> {
    file: &'r str,
    offset: u64,
    reason: &'r str,
    detail: String,
}

impl ShardSink {
    /// Goes on from a checkpoint; the first job begins at the default one.
    pub fn open(plan: Plan, from: Checkpoint, tally: Arc<Mutex<Tally>>) -> Result<Self, BulkError> {
        let rejected = opened(&plan.folder.join(REJECTED), from.rejected_bytes)?;
        let seen = match plan.dedup {
            true => Some(Seen::open(&plan.folder.join(HASHES), from.unique)?),
            false => None,
        };
        let (closing, to_close) = sync_channel::<(ShardWriter, Checkpoint)>(0);
        let told = tally.clone();
        let closer = started(move || {
            for (shard, next) in to_close {
                let closed = shard.close(next)?;
                told.lock().unwrap_or_else(PoisonError::into_inner).closed.push(closed);
            }
            Ok(())
        })?;
        let now = Checkpoint { skip_documents: 0, skip_tokens: 0, ..from };
        Ok(Self {
            plan,
            now,
            skip_documents: from.skip_documents,
            skip_tokens: from.skip_tokens,
            window: Window::default(),
            seen,
            rejected: BufWriter::new(rejected),
            shard: None,
            closing: Some(closing),
            closer: Some(closer),
            tally,
        })
    }

    /// Takes the documents of a block.
    pub fn take(&mut self, block: &Encoded) -> Result<(), BulkError> {
        let width = self.plan.width.bytes();
        let mut rejects = block.rejects.iter().peekable();
        let mut start = 0;
        self.now.file = block.file;
        for (index, &end) in block.ends.iter().enumerate() {
            while let Some(reject) = rejects.next_if(|reject| reject.before as usize <= index) {
                self.reject(block.file, reject)?;
            }
            let end = end as usize * width;
            self.now.at = block.places[index];
            self.document(&block.tokens[start..end], block.hashes.get(index).copied())?;
            start = end;
        }
        for reject in rejects {
            self.reject(block.file, reject)?;
        }
        self.now.at = block.next;
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.bytes += block.bytes;
        tally.documents += block.ends.len() as u64;
        tally.tokens += block.ends.last().copied().unwrap_or(0);
        tally.rejected += block.rejects.len() as u64;
        tally.duplicates = self.now.duplicates;
        Ok(())
    }

    /// Writes what is left, and waits until it is on disk.
    pub fn finish(&mut self) -> Result<(), BulkError> {
        self.empty_window()?;
        self.now = Checkpoint { file: self.plan.inputs.len() as u32, at: 0, ..self.now };
        let left_out = match (self.plan.pack, &mut self.shard) {
            (Some(row), Some(shard)) => shard.cut_to_rows(row)?,
            _ => 0,
        };
        match self.shard.take_if(|shard| shard.documents() == 0) {
            Some(empty) => {
                self.tally.lock().unwrap_or_else(PoisonError::into_inner).left_out = left_out;
                empty.discard()?;
            }
            None => self.close_shard(self.now)?,
        }
        self.sync_lists()?;
        self.closing = None;
        self.wait_for_closer()
    }

    fn document(&mut self, tokens: &[u8], hash: Option<u128>) -> Result<(), BulkError> {
        let begin = self.now;
        if let (Some(seen), Some(hash)) = (&mut self.seen, hash) {
            if !seen.hashes.insert(hash) {
                self.now.duplicates += 1;
                return Ok(());
            }
            let path = self.plan.folder.join(HASHES);
            seen.file.write_all(&hash.to_be_bytes()).map_err(BulkError::io(&path))?;
            self.now.unique += 1;
        }
        let Some((_, documents)) = self.plan.shuffle else { return self.emit(tokens, begin) };
        if self.window.ends.is_empty() {
            self.window.begin = begin;
        }
        self.window.tokens.extend_from_slice(tokens);
        self.window.ends.push(self.window.tokens.len());
        let full = self.window.ends.len() >= documents as usize;
        if full || self.window.tokens.len() >= MAX_WINDOW_BYTES {
            self.empty_window()?;
        }
        Ok(())
    }

    fn empty_window(&mut self) -> Result<(), BulkError> {
        let Some((seed, _)) = self.plan.shuffle else { return Ok(()) };
        let Window { mut tokens, mut ends, begin } = std::mem::take(&mut self.window);
        if ends.is_empty() {
            return Ok(());
        }
        for (done, place) in shuffled(seed, begin.window, ends.len() as u32).iter().enumerate() {
            let place = *place as usize;
            let start = place.checked_sub(1).map_or(0, |before| ends[before]);
            let begin = Checkpoint { skip_documents: done as u64, ..begin };
            self.emit(&tokens[start..ends[place]], begin)?;
        }
        tokens.clear();
        ends.clear();
        self.window = Window { tokens, ends, begin };
        self.now.window += 1;
        Ok(())
    }

    /// Puts a document into the shard; `begin` is from where it can be had again.
    fn emit(&mut self, document: &[u8], begin: Checkpoint) -> Result<(), BulkError> {
        if self.skip_documents > 0 {
            self.skip_documents -= 1;
            return Ok(());
        }
        let width = self.plan.width.bytes();
        let total = (document.len() / width) as u64;
        let mut done = std::mem::take(&mut self.skip_tokens).min(total);
        loop {
            let rest = &document[done as usize * width..];
            let room = self.room();
            if total - done <= room {
                return self.open_shard()?.add(rest, done > 0);
            }
            if self.plan.pack.is_some() && room > 0 {
                self.open_shard()?.add(&rest[..room as usize * width], done > 0)?;
                done += room;
            }
            self.close_shard(Checkpoint { skip_tokens: done, ..begin })?;
        }
    }

    /// How many tokens of a document go into the shard: whole documents where they are not packed.
    fn room(&self) -> u64 {
        let (tokens, documents) =
            self.shard.as_ref().map_or((0, 0), |shard| (shard.tokens(), shard.documents()));
        match self.plan.pack {
            Some(row) => (self.plan.shard_tokens / row).max(1) * row - tokens,
            None if documents == 0 => u64::MAX,
            None if documents >= MAX_SHARD_DOCUMENTS => 0,
            None => self.plan.shard_tokens.saturating_sub(tokens),
        }
    }

    fn open_shard(&mut self) -> Result<&mut ShardWriter, BulkError> {
        let shard = match self.shard.take() {
            Some(shard) => shard,
            None => {
                let Plan { folder, layout, width, .. } = &self.plan;
                ShardWriter::create(folder, self.now.shard, *layout, *width)?
            }
        };
        Ok(self.shard.insert(shard))
    }

    /// Has the shard brought to disk by the thread for that; `next` is from where the next one is made.
    fn close_shard(&mut self, next: Checkpoint) -> Result<(), BulkError> {
        let Some(shard) = self.shard.take() else { return Ok(()) };
        self.now.shard += 1;
        self.sync_lists()?;
        let next = Checkpoint { shard: self.now.shard, ..next };
        if self.closing.as_ref().is_some_and(|closing| closing.send((shard, next)).is_ok()) {
            return Ok(());
        }
        self.wait_for_closer().and(Err(BulkError::Ended))
    }

    fn wait_for_closer(&mut self) -> Result<(), BulkError> {
        match self.closer.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended,
            _ => Err(BulkError::Ended),
        }
    }

    fn reject(&mut self, file: u32, reject: &Reject) -> Result<(), BulkError> {
        let name = self.plan.inputs.get(file as usize).map_or("", String::as_str);
        if self.plan.strict {
            return Err(BulkError::BadRow { input: name.into(), reject: reject.clone() });
        }
        let (reason, detail) = (reject.reason.code(), reject.reason.to_string());
        let line = RejectLine { file: name, offset: reject.at, reason, detail };
        let mut line = serde_json::to_vec(&line).map_err(|_| BulkError::Ended)?;
        line.push(b'\n');
        let path = self.plan.folder.join(REJECTED);
        self.rejected.write_all(&line).map_err(BulkError::io(&path))?;
        self.now.rejected += 1;
        self.now.rejected_bytes += line.len() as u64;
        Ok(())
    }

    /// Brings the lists beside the shards to disk.
    fn sync_lists(&mut self) -> Result<(), BulkError> {
        let path = self.plan.folder.join(REJECTED);
        self.rejected.flush().map_err(BulkError::io(&path))?;
        self.rejected.get_ref().sync_data().map_err(BulkError::io(&path))?;
        if let Some(seen) = &mut self.seen {
            let path = self.plan.folder.join(HASHES);
            seen.file.flush().map_err(BulkError::io(&path))?;
            seen.file.get_ref().sync_data().map_err(BulkError::io(&path))?;
        }
        Ok(())
    }
}

impl Drop for ShardSink {
    /// A shard in closing is let end; one that is not whole stays under its name with a dot.
    fn drop(&mut self) {
        self.closing = None;
        _ = self.closer.take().map(JoinHandle::join);
    }
}

impl Seen {
    fn open(path: &Path, count: u64) -> Result<Self, BulkError> {
        let mut file = opened(path, count * 16)?;
        let mut hashes = HashSet::default();
        hashes.reserve(count as usize);
        let mut read = std::io::BufReader::new(&mut file);
        let mut hash = [0; 16];
        std::io::Seek::rewind(&mut read).map_err(BulkError::io(path))?;
        for _ in 0..count {
            read.read_exact(&mut hash).map_err(BulkError::io(path))?;
            hashes.insert(u128::from_be_bytes(hash));
        }
        Ok(Self { hashes, file: BufWriter::new(opened(path, count * 16)?) })
    }
}

/// A list that is written on behind its first `bytes` bytes.
fn opened(path: &Path, bytes: u64) -> Result<File, BulkError> {
    let open = || {
        // Nobody's file elsewhere is cut short.
        if path.is_symlink() {
            let message = "a symbolic link is there, which is not followed; remove it";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        let options = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        options.set_len(bytes)?;
        Ok(options)
    };
    open().map_err(BulkError::io(path))
}
