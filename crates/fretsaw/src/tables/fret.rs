//! The `.fret` format: named arrays in one file, which is mapped and used in place.
//!
//! ```text
//! 0   magic           8 bytes, `FRETSAW` and 0x1A
//! 8   format version  u32
//! 12  byte order      u32, 0x01020304 as the writer's machine has it
//! 16  length          u64, of the whole file
//! 24  checksum        u64, XXH3-64 of the XXH3-64s of each MiB of what follows, with that of the
//!                     first 24 bytes as seed
//! 32  arrays          u64, how many
//! 40  for each: name  16 bytes, padded with zeros; start and length in bytes, u64 each
//! ... the arrays, each at a multiple of 64, zeros between
//! ```
//!
//! [`Reader::open`] looks at all of that before anything is used. That a file is whole says nothing
//! about its writer: whoever takes an array checks that what stands in it stays within bounds.
//!
//! Numbers stand as the machine has them, so that nothing is converted; a file from a machine of
//! the other byte order is refused.

mod mapped;

use std::path::Path;

use bytemuck::Pod;
use twox_hash::XxHash3_64;

use super::array::{Array, SharedBytes};
use crate::error::{LoadError, Problem};
pub use mapped::{in_memory, map, read};

/// What a file starts with.
pub const MAGIC: [u8; 8] = *b"FRETSAW\x1a";

/// To be raised whenever a table or its meaning changes.
pub const FORMAT: u32 = 2;

const BYTE_ORDER: u32 = 0x0102_0304;
const CHECKED_FROM: usize = 32;
/// Of so many bytes each there is a sum.
const PART: usize = 1 << 20;
/// From this size on two threads add up.
const SHARED_FROM: usize = 4 * PART;
const ENTRIES: usize = 40;
const NAME: usize = 16;
const ENTRY: usize = NAME + 16;
const ALIGN: usize = 64;

/// Puts arrays together into a file.
#[derive(Default)]
pub struct Writer {
    entries: Vec<(&'static str, Vec<u8>)>,
}

impl Writer {
    /// Adds an array; its name has up to 16 bytes and is not there yet.
    pub fn array<T: Pod>(&mut self, name: &'static str, values: &[T]) {
        debug_assert!(name.len() <= NAME && self.entries.iter().all(|entry| entry.0 != name));
        self.entries.push((name, bytemuck::cast_slice(values).to_vec()));
    }

    /// The content of the file.
    pub fn finish(self) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend_from_slice(&MAGIC);
        file.extend_from_slice(&FORMAT.to_ne_bytes());
        file.extend_from_slice(&BYTE_ORDER.to_ne_bytes());
        file.extend_from_slice(&[0; 16]);
        file.extend_from_slice(&(self.entries.len() as u64).to_ne_bytes());
        let mut start = (ENTRIES + self.entries.len() * ENTRY).next_multiple_of(ALIGN);
        for (name, bytes) in &self.entries {
            file.extend_from_slice(&padded(name));
            file.extend_from_slice(&(start as u64).to_ne_bytes());
            file.extend_from_slice(&(bytes.len() as u64).to_ne_bytes());
            start = (start + bytes.len()).next_multiple_of(ALIGN);
        }
        for (_, bytes) in &self.entries {
            file.resize(file.len().next_multiple_of(ALIGN), 0);
            file.extend_from_slice(bytes);
        }
        let len = (file.len() as u64).to_ne_bytes();
        file[16..24].copy_from_slice(&len);
        let sum = checksum(&file).to_ne_bytes();
        file[24..32].copy_from_slice(&sum);
        file
    }
}

/// The checksum of a file that is long enough to have one. Half of a large file is another thread's:
/// one alone does not get all that memory can give.
fn checksum(file: &[u8]) -> u64 {
    let seed = XxHash3_64::oneshot(&file[..24]);
    let content = &file[CHECKED_FROM..];
    let sums = |part: &[u8]| part.chunks(PART).map(XxHash3_64::oneshot).collect::<Vec<u64>>();
    let sums = if content.len() < SHARED_FROM {
        sums(content)
    } else {
        let (first, second) = content.split_at((content.len() / 2).next_multiple_of(PART));
        std::thread::scope(|scope| {
            let helper = std::thread::Builder::new().spawn_scoped(scope, || sums(second));
            let mut all = sums(first);
            // Where no thread can be had, this one does it all.
            all.extend(
                helper.map_or_else(|_| sums(second), |helper| helper.join().unwrap_or_default()),
            );
            all
        })
    };
    XxHash3_64::oneshot_with_seed(seed, bytemuck::cast_slice(&sums))
}

/// A file whose frame is sound.
pub struct Reader {
    bytes: SharedBytes,
    /// Name, start and end of each array.
    entries: Vec<([u8; NAME], usize, usize)>,
}

/// Makes the checksum of a file anew: for tests that change what it is over.
#[cfg(any(test, fuzzing))]
pub fn sign(file: &mut [u8]) {
    let sum = checksum(file).to_ne_bytes();
    file[24..32].copy_from_slice(&sum);
}

/// Whether a file's beginning is that of a compiled tokenizer.
pub fn is_fret(beginning: &[u8]) -> bool {
    beginning.starts_with(&MAGIC)
}

/// Whether the file at a path begins so; false where it can't be read.
pub fn is_fret_file(path: &Path) -> bool {
    use std::io::Read;
    let mut beginning = [0; MAGIC.len()];
    // Opening a pipe would wait for who writes into it.
    if !path.is_file() {
        return false;
    }
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && is_fret(&beginning)
}

/// A number of the header.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// A name as it stands in the file.
fn padded(name: &str) -> [u8; NAME] {
    let mut padded = [0; NAME];
    padded[..name.len()].copy_from_slice(name.as_bytes());
    padded
}

/// What is wrong with a compiled file.
fn damaged(what: &'static str) -> LoadError {
    LoadError::at("$", Problem::Damaged { what })
}

impl Reader {
    /// Checks the frame of a file: magic, version, byte order, length, checksum, every place.
    ///
    /// # Errors
    ///
    /// [`Problem::Damaged`] or [`Problem::OtherFormat`], by what is wrong.
    pub fn open(shared: SharedBytes) -> Result<Self, LoadError> {
        let bytes = (*shared).as_ref();
        let head = bytes.get(..ENTRIES).ok_or_else(|| damaged("is cut short"))?;
        if !is_fret(head) {
            return Err(damaged("does not start as a compiled tokenizer does"));
        }
        let half = |at: usize| head[at..at + 4].try_into().map(u32::from_ne_bytes);
        let (format, byte_order) = (half(8).unwrap_or(0), half(12).unwrap_or(0));
        if byte_order != BYTE_ORDER {
            return Err(damaged("was written on a machine of the other byte order"));
        }
        if format != FORMAT {
            return Err(LoadError::at("$", Problem::OtherFormat { found: format, known: FORMAT }));
        }
        if number(head, 16) != Some(bytes.len() as u64) {
            return Err(damaged("does not have the length that its header gives"));
        }
        if number(head, 24) != Some(checksum(bytes)) {
            return Err(damaged("does not have the checksum that its header gives"));
        }
        let count = number(head, 32).unwrap_or(0);
        let mut entries = Vec::new();
        for index in 0..count {
            let at = usize::try_from(index)
                .ok()
                .and_then(|index| index.checked_mul(ENTRY)?.checked_add(ENTRIES))
                .ok_or_else(|| damaged("lists more arrays than it has"))?;
            let entry = bytes.get(at..at.saturating_add(ENTRY));
            let entry = entry.ok_or_else(|| damaged("lists more arrays than it has"))?;
            let mut name = [0; NAME];
            name.copy_from_slice(&entry[..NAME]);
            let range = || {
                let start = usize::try_from(number(entry, NAME)?).ok()?;
                let end = start.checked_add(usize::try_from(number(entry, NAME + 8)?).ok()?)?;
                (end <= bytes.len()).then_some((start, end))
            };
            let (start, end) = range().ok_or_else(|| damaged("has an array beyond its end"))?;
            entries.push((name, start, end));
        }
        Ok(Self { bytes: shared, entries })
    }

    /// The array of a name.
    ///
    /// # Errors
    ///
    /// [`Problem::Damaged`] where there is none, or it is no array of such numbers.
    pub fn array<T: Pod>(&self, name: &'static str) -> Result<Array<T>, LoadError> {
        let found = self.entries.iter().find(|entry| entry.0 == padded(name));
        let &(_, start, end) = found.ok_or_else(|| damaged("lacks an array"))?;
        Array::shared(self.bytes.clone(), start, end)
            .ok_or_else(|| damaged("has an array that is not aligned"))
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &'static str) -> bool {
        self.entries.iter().any(|entry| entry.0 == padded(name))
    }

    /// An error of a table whose numbers are not those that a writer makes.
    pub fn broken(&self) -> LoadError {
        damaged("has a table that does not agree with itself")
    }
}

#[cfg(test)]
mod tests;
