//! A file's bytes: mapped, or read into memory.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::{Mmap, MmapOptions};

use super::SharedBytes;

/// Maps a file. Whoever cuts it short while it is mapped ends the process; where that can't be ruled
/// out, [`read`] is the way.
pub fn map(path: &Path) -> io::Result<SharedBytes> {
    let file = File::open(path)?;
    // SAFETY: the mapping is private and read only. That the file is not changed in place is what
    // the documentation asks for: it is replaced by renaming alone, and a mapping keeps the old one.
    let mapped: Mmap = unsafe { MmapOptions::new().populate().map_copy_read_only(&file)? };
    Ok(Arc::new(mapped))
}

/// Reads a file into memory, aligned as a mapping would be for every table.
pub fn read(path: &Path) -> io::Result<SharedBytes> {
    Ok(Arc::new(Aligned::from(std::fs::read(path)?)))
}

/// Bytes that begin at a multiple of 16.
struct Aligned {
    words: Vec<u128>,
    len: usize,
}

impl From<Vec<u8>> for Aligned {
    fn from(bytes: Vec<u8>) -> Self {
        let mut words = vec![0u128; bytes.len().div_ceil(16)];
        bytemuck::cast_slice_mut::<u128, u8>(&mut words)[..bytes.len()].copy_from_slice(&bytes);
        Self { words, len: bytes.len() }
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

/// Bytes in memory as a file's content.
pub fn in_memory(bytes: &[u8]) -> SharedBytes {
    Arc::new(Aligned::from(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_and_read_bytes_are_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        for content in [&b""[..], b"a", &[7; 100_000]] {
            std::fs::write(&path, content).expect("written");
            let read = read(&path).expect("read");
            assert_eq!((*read).as_ref(), content);
            assert_eq!((*map(&path).expect("mapped")).as_ref(), content);
            assert_eq!((*in_memory(content)).as_ref(), content);
            assert_eq!((*read).as_ref().as_ptr() as usize % 16, 0);
        }
        assert!(map(&folder.path().join("none")).is_err());
    }
}
