//! The bytes of a GGUF file's metadata, read in order.
//!
//! Numbers, strings and lists come from a buffered reader; what nobody asks for is stepped over without
//! being read. Every length is compared with what is left of the file before anything is allocated
//! or read, and a list of strings has a limit besides, because a hole in a file costs nothing.

use std::io::{BufReader, ErrorKind, Read, Seek};

use crate::error::{LoadError, Place, Problem};

/// No list of strings or numbers that is kept may have more entries.
const ENTRIES_LIMIT: u64 = 1 << 22;

/// No string may be longer: templates and tokens are not.
const STRING_LIMIT: u64 = 1 << 24;

/// All that is kept of a file may not be more than this.
const KEPT_LIMIT: u64 = 1 << 30;

/// A reader that knows where it is.
pub struct Source<R> {
    inner: BufReader<R>,
    at: u64,
    len: u64,
    kept: u64,
    is_big_endian: bool,
}

impl<R: Read + Seek> Source<R> {
    /// A reader of `len` bytes.
    pub fn new(inner: R, len: u64) -> Self {
        Self { inner: BufReader::new(inner), at: 0, len, kept: 0, is_big_endian: false }
    }

    /// Makes numbers big-endian from here on.
    pub fn set_big_endian(&mut self) {
        self.is_big_endian = true;
    }

    /// Where the next byte stands.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// An error at a place of the file.
    pub fn fails(at: u64, problem: Problem) -> LoadError {
        LoadError::Invalid { place: Place::Byte(at), problem }
    }

    /// An error where the file ends too early.
    fn ends(&self, expected: &'static str) -> LoadError {
        let found = "the end of the file".to_owned();
        Self::fails(self.at, Problem::WrongType { found, expected })
    }

    fn fill(&mut self, bytes: &mut [u8], expected: &'static str) -> Result<(), LoadError> {
        match self.inner.read_exact(bytes) {
            Ok(()) => {
                self.at += bytes.len() as u64;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(self.ends(expected)),
            Err(error) => {
                let found = format!("bytes that can't be read ({error})");
                Err(Self::fails(self.at, Problem::WrongType { found, expected }))
            }
        }
    }

    /// A number of `N` bytes, its first byte the lowest.
    pub fn number<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, "a number")?;
        if self.is_big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// A number without sign of four bytes.
    pub fn u32(&mut self) -> Result<u32, LoadError> {
        self.number().map(u32::from_le_bytes)
    }

    /// A number without sign of eight bytes.
    pub fn u64(&mut self) -> Result<u64, LoadError> {
        self.number().map(u64::from_le_bytes)
    }

    /// Steps over bytes.
    pub fn skip(&mut self, bytes: u64) -> Result<(), LoadError> {
        self.has(bytes, 1)?;
        let by = i64::try_from(bytes).map_err(|_| self.ends("what is stepped over"))?;
        self.inner.seek_relative(by).map_err(|_| self.ends("what is stepped over"))?;
        self.at += bytes;
        Ok(())
    }

    /// Whether so many things of at least that size may still come.
    fn has(&self, count: u64, size: u64) -> Result<(), LoadError> {
        let left = self.len.saturating_sub(self.at);
        if count <= left / size {
            return Ok(());
        }
        let value = count.to_string();
        let expected = "a length that the rest of the file has room for";
        Err(Self::fails(self.at, Problem::OutOfRange { value, expected }))
    }

    /// Whether so many entries of a list may be kept, or strings be stepped over.
    pub fn may_have(&self, count: u64, size: u64) -> Result<(), LoadError> {
        self.has(count, size)?;
        if count > ENTRIES_LIMIT {
            let (what, limit) = ("entries of a list", ENTRIES_LIMIT as usize);
            return Err(Self::fails(self.at, Problem::TooMany { what, limit }));
        }
        Ok(())
    }

    /// Bytes that are kept.
    pub fn bytes(&mut self, len: u64) -> Result<Vec<u8>, LoadError> {
        self.has(len, 1)?;
        self.kept += len;
        if len > STRING_LIMIT || self.kept > KEPT_LIMIT {
            let (what, limit) = ("bytes of strings", STRING_LIMIT.min(KEPT_LIMIT) as usize);
            return Err(Self::fails(self.at, Problem::TooMany { what, limit }));
        }
        let mut bytes = vec![0; len as usize];
        self.fill(&mut bytes, "a string")?;
        Ok(bytes)
    }

    /// A string, its length in front.
    pub fn string(&mut self) -> Result<String, LoadError> {
        let len = self.u64()?;
        let at = self.at;
        String::from_utf8(self.bytes(len)?).map_err(|error| {
            let byte_offset = error.utf8_error().valid_up_to();
            Self::fails(at + byte_offset as u64, Problem::NotUtf8 { byte_offset })
        })
    }

    /// Steps over a string.
    pub fn skip_string(&mut self) -> Result<(), LoadError> {
        let len = self.u64()?;
        self.skip(len)
    }
}
