//! A stream of text cut into blocks of whole documents.
//!
//! A block is filled to about a quarter of a mebibyte, which stays in a processor's own cache while it is
//! encoded, and ends behind the last separator in it; what is left begins the next one. A separator that
//! may overlap with itself is looked for from the left, document by document, so that where documents end
//! never depends on how the stream was read; of any other the last is the same from both sides. A document
//! over the limit is not kept, only counted.
//!
//! Cost: linear in the text; each byte is searched once at most.

use memchr::memmem::{Finder, FinderRev};
use memchr::{memchr, memrchr};

use crate::block::{Block, Content};
use crate::error::BulkError;
use crate::input::{Digest, Input};

/// What ends a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cutting {
    /// The end of a line, which belongs to the document.
    Line,
    /// The end of the file.
    File,
    /// This, which belongs to no document; it is not empty.
    At(Vec<u8>),
}

/// How much is taken at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// About how large a block is.
    pub block_bytes: usize,
    /// The largest document, its separator included.
    pub document_bytes: u64,
}

impl Limits {
    pub const BLOCK_BYTES: usize = 1 << 18;
}

/// The blocks of an input.
pub struct Blocks {
    input: Input,
    file: u32,
    finder: Option<Finder<'static>>,
    /// The same from the right, for a separator that can't overlap with itself.
    from_right: Option<FinderRev<'static>>,
    /// How much of a separator belongs to no document.
    outside: u64,
    limits: Limits,
    /// Where `rest` begins in the text.
    at: u64,
    /// No document begins here or behind.
    until: u64,
    /// The begin of the next block.
    rest: Vec<u8>,
    /// How much of `rest` is known to have no end of a document.
    searched: usize,
    ended: bool,
}

impl Blocks {
    /// The blocks from byte `from` of the text on, at which a document begins.
    pub fn new(
        mut input: Input,
        file: u32,
        cutting: &Cutting,
        limits: Limits,
        from: u64,
    ) -> Result<Self, BulkError> {
        input.pass_over(from)?;
        let finder = match cutting {
            Cutting::Line => Some(Finder::new(b"\n")),
            Cutting::File => None,
            Cutting::At(separator) => Some(Finder::new(separator)),
        };
        let finder = finder.map(Finder::into_owned);
        let from_right = finder.as_ref().map(Finder::needle).filter(|&needle| !overlaps(needle));
        let from_right = from_right.map(|needle| FinderRev::new(needle).into_owned());
        let outside = match cutting {
            Cutting::At(separator) => separator.len() as u64,
            Cutting::Line | Cutting::File => 0,
        };
        Ok(Self {
            input,
            file,
            finder,
            from_right,
            outside,
            limits,
            at: from,
            until: u64::MAX,
            rest: Vec::new(),
            searched: 0,
            ended: false,
        })
    }

    /// The documents that begin in a range of bytes, for separators that can't overlap with themselves.
    pub fn of_range(
        input: Input,
        file: u32,
        cutting: &Cutting,
        limits: Limits,
        (start, end): (u64, u64),
    ) -> Result<Self, BulkError> {
        let width = match cutting {
            Cutting::At(separator) => separator.len() as u64,
            Cutting::Line => 1,
            Cutting::File => 0,
        };
        let from = start.saturating_sub(width);
        let mut blocks = Self::new(input, file, cutting, limits, from)?;
        blocks.until = end;
        // The first document of the range begins behind the first separator that ends in it.
        if start > 0 && !blocks.skip_document()? {
            blocks.ended = true;
        }
        Ok(blocks)
    }

    /// The next block; nothing at the end.
    pub fn next_block(&mut self) -> Result<Option<Block>, BulkError> {
        loop {
            if self.at >= self.until {
                return Ok(None);
            }
            let fresh = self.rest.len();
            if !self.ended {
                let block_bytes = self.limits.block_bytes;
                let wanted = block_bytes.saturating_sub(fresh).max(block_bytes.min(1 << 16)).max(1);
                self.ended = self.input.read(wanted, &mut self.rest)? < wanted;
            }
            let end = match self.last_end() {
                Some(end) => end,
                None if self.ended => self.rest.len(),
                None if self.rest.len() as u64 > self.limits.document_bytes => {
                    return self.pass_over_document().map(Some);
                }
                None => continue,
            };
            if end == 0 {
                return Ok(None);
            }
            return Ok(Some(self.take(end)));
        }
    }

    /// How much of the file was read, as it lies on disk.
    pub fn read_bytes(&self) -> u64 {
        self.input.read_bytes()
    }

    /// Size and hash of the whole file.
    pub fn digest(&mut self) -> Result<Digest, BulkError> {
        self.input.digest()
    }

    /// A block of the first `end` bytes of `rest`.
    fn take(&mut self, end: usize) -> Block {
        let mut next = Vec::with_capacity(self.limits.block_bytes.max(self.rest.len() - end));
        next.extend_from_slice(&self.rest[end..]);
        self.rest.truncate(end);
        let bytes = std::mem::replace(&mut self.rest, next);
        let block = Block { file: self.file, at: self.at, content: Content::Text(bytes) };
        self.at = block.next();
        // After the last separator there is none.
        self.searched = self.overlap_kept();
        block
    }

    /// Bytes at the end of `rest` in which a separator may begin that is not whole.
    fn overlap_kept(&self) -> usize {
        let width = self.finder.as_ref().map_or(1, |finder| finder.needle().len());
        (self.rest.len() + 1).saturating_sub(width)
    }

    /// Where the last document that is whole ends in `rest`, or the last that begins before `until`.
    fn last_end(&mut self) -> Option<usize> {
        let finder = self.finder.as_ref()?;
        let room = self.until - self.at;
        let width = finder.needle().len();
        let fresh = &self.rest[self.searched..];
        let found = if room < self.rest.len() as u64 {
            // The range ends here: the first separator that ends at its end or behind.
            let ends = finder.find_iter(fresh).map(|at| self.searched + at + width);
            let mut last = None;
            for end in ends {
                last = Some(end);
                if end as u64 >= room {
                    break;
                }
            }
            last
        } else if width == 1 {
            memrchr(finder.needle()[0], fresh).map(|at| self.searched + at + 1)
        } else if let Some(finder) = &self.from_right {
            finder.rfind(fresh).map(|at| self.searched + at + width)
        } else {
            finder.find_iter(fresh).last().map(|at| self.searched + at + width)
        };
        if found.is_none() {
            self.searched = self.overlap_kept();
        }
        found
    }

    /// Passes over a document that is longer than the limit and may not be whole yet.
    fn pass_over_document(&mut self) -> Result<Block, BulkError> {
        let at = self.at;
        let found = self.skip_document()?;
        let whole = self.at - at;
        let bytes = whole - if found { self.outside } else { 0 };
        Ok(Block { file: self.file, at, content: Content::TooLong { bytes, whole } })
    }

    /// Forgets everything up to the next end of a document; whether there is one.
    fn skip_document(&mut self) -> Result<bool, BulkError> {
        loop {
            let found = match &self.finder {
                Some(finder) if finder.needle().len() == 1 => {
                    memchr(finder.needle()[0], &self.rest).map(|at| at + 1)
                }
                Some(finder) => finder.find(&self.rest).map(|at| at + finder.needle().len()),
                None => None,
            };
            let kept = self.finder.as_ref().map_or(0, |finder| finder.needle().len() - 1);
            let passed = match found {
                Some(end) => end,
                None if self.ended => self.rest.len(),
                None => self.rest.len().saturating_sub(kept),
            };
            self.at += passed as u64;
            self.rest.drain(..passed);
            if found.is_some() || self.ended {
                self.searched = 0;
                return Ok(found.is_some());
            }
            let wanted = self.limits.block_bytes;
            self.ended = self.input.read(wanted, &mut self.rest)? < wanted;
        }
    }
}

/// Whether an end of a separator is a begin of it too.
fn overlaps(separator: &[u8]) -> bool {
    (1..separator.len()).any(|shift| separator.starts_with(&separator[shift..]))
}
