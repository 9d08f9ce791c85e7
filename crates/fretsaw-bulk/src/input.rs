//! An input file: read, unpacked, and hashed as it is on disk.
//!
//! The hash is XXH3 of 128 bits over the packed bytes, all of them, also where reading begins in the middle:
//! what comes before is read and passed over, which costs far less than encoding it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::MultiGzDecoder;
use twox_hash::xxhash3_128::Hasher;

use crate::error::BulkError;

/// What is read at once.
const READ_BYTES: usize = 1 << 18;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    None,
    Gzip,
    Zstandard,
}

impl Packing {
    /// As the end of a file's name says.
    pub fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        match name.rsplit_once('.') {
            Some((_, "gz")) => Packing::Gzip,
            Some((_, "zst")) => Packing::Zstandard,
            _ => Packing::None,
        }
    }
}

/// What a file is told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    pub bytes: u64,
    pub xxh3_128: u128,
}

struct Tally {
    hasher: Hasher,
    bytes: u64,
}

/// A reader that hashes what it reads.
struct Hashed {
    reader: Box<dyn Read + Send>,
    tally: Arc<Mutex<Tally>>,
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.reader.read(buffer)?;
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.hasher.write(&buffer[..size]);
        tally.bytes += size as u64;
        Ok(size)
    }
}

enum Unpacked {
    As(Hashed),
    Gzip(Box<MultiGzDecoder<io::BufReader<Hashed>>>),
    Zstandard(Box<zstd::stream::read::Decoder<'static, io::BufReader<Hashed>>>),
}

impl Unpacked {
    fn reader(&mut self) -> &mut dyn Read {
        match self {
            Unpacked::As(reader) => reader,
            Unpacked::Gzip(reader) => reader,
            Unpacked::Zstandard(reader) => reader,
        }
    }

    /// What is read from underneath.
    fn packed(&mut self) -> &mut dyn Read {
        match self {
            Unpacked::As(reader) => reader,
            Unpacked::Gzip(reader) => reader.get_mut(),
            Unpacked::Zstandard(reader) => reader.get_mut(),
        }
    }
}

/// An open input.
pub struct Input {
    path: PathBuf,
    source: Unpacked,
    tally: Arc<Mutex<Tally>>,
}

impl Input {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, BulkError> {
        let file = opened(path)?;
        Self::new(Box::new(file), path)
    }

    /// Reads what something else opened; its name says how it is packed.
    pub fn new(reader: Box<dyn Read + Send>, path: &Path) -> Result<Self, BulkError> {
        let tally = Arc::new(Mutex::new(Tally { hasher: Hasher::new(), bytes: 0 }));
        let hashed = Hashed { reader, tally: tally.clone() };
        let buffered = |reader| io::BufReader::with_capacity(READ_BYTES, reader);
        let source = match Packing::of(&path.to_string_lossy()) {
            Packing::None => Unpacked::As(hashed),
            Packing::Gzip => Unpacked::Gzip(Box::new(MultiGzDecoder::new(buffered(hashed)))),
            Packing::Zstandard => {
                let decoder = zstd::stream::read::Decoder::with_buffer(buffered(hashed));
                Unpacked::Zstandard(Box::new(decoder.map_err(BulkError::io(path))?))
            }
        };
        Ok(Self { path: path.to_owned(), source, tally })
    }

    /// Reads and forgets so many bytes of the text.
    pub fn pass_over(&mut self, bytes: u64) -> Result<(), BulkError> {
        let mut passed = self.source.reader().take(bytes);
        let copied = io::copy(&mut passed, &mut io::sink()).map_err(BulkError::io(&self.path))?;
        match copied == bytes {
            true => Ok(()),
            false => Err(BulkError::io(&self.path)(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// Appends up to `bytes` more bytes; fewer only at the end.
    pub fn read(&mut self, bytes: usize, into: &mut Vec<u8>) -> Result<usize, BulkError> {
        let reserved = into.try_reserve(bytes).map_err(|_| io::ErrorKind::OutOfMemory.into());
        reserved.map_err(BulkError::io(&self.path))?;
        let read = self.source.reader().take(bytes as u64).read_to_end(into);
        read.map_err(BulkError::io(&self.path))
    }

    /// How much of the file was read, as it lies on disk.
    pub fn read_bytes(&self) -> u64 {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Size and hash of the file, at its end.
    pub fn digest(&mut self) -> Result<Digest, BulkError> {
        io::copy(self.source.packed(), &mut io::sink()).map_err(BulkError::io(&self.path))?;
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Digest { bytes: tally.bytes, xxh3_128: tally.hasher.finish_128() })
    }
}

/// Opens what is a file: a pipe or a device is refused.
fn opened(path: &Path) -> Result<File, BulkError> {
    let file = fretsaw::spec::regular(path).and_then(|()| File::open(path));
    file.map_err(BulkError::io(path))
}

/// Size and hash of a file.
pub fn file_checksum(path: &Path) -> Result<Digest, BulkError> {
    let mut file = opened(path)?;
    let mut buffer = vec![0; READ_BYTES];
    let (mut hasher, mut bytes) = (Hasher::new(), 0);
    loop {
        match file.read(&mut buffer).map_err(BulkError::io(path))? {
            0 => return Ok(Digest { bytes, xxh3_128: hasher.finish_128() }),
            size => {
                hasher.write(&buffer[..size]);
                bytes += size as u64;
            }
        }
    }
}
