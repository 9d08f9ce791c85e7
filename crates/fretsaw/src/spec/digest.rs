//! A digest of what a tokenizer is made from, to see whether it changed.
//!
//! XXH3-128 over the content of files and other bytes, each with its length behind it. It is meant
//! for changes, not against somebody who makes two contents with one digest: whoever can write the
//! source can write the file beside it as well. A file is read in parts of 1 MiB.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use twox_hash::XxHash3_128;

use super::regular::regular;
use crate::error::LoadError;

const PART: usize = 1 << 20;

/// The digest of the content of files, in order, and then of `more`.
///
/// # Errors
///
/// [`LoadError::Io`] where a file can't be read.
pub fn digest(files: &[PathBuf], more: &[&[u8]]) -> Result<[u8; 16], LoadError> {
    let mut hasher = XxHash3_128::new();
    for path in files {
        let len = add_file(&mut hasher, path)
            .map_err(|source| LoadError::Io { path: path.clone(), source })?;
        hasher.write(&len.to_le_bytes());
    }
    for bytes in more {
        hasher.write(bytes);
        hasher.write(&(bytes.len() as u64).to_le_bytes());
    }
    Ok(hasher.finish_128().to_le_bytes())
}

/// Feeds a file's content to the hasher; its length.
fn add_file(hasher: &mut XxHash3_128, path: &PathBuf) -> io::Result<u64> {
    regular(path)?;
    let mut file = File::open(path)?;
    let mut part = vec![0; PART];
    let mut len = 0;
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok(len),
            Ok(read) => {
                hasher.write(&part[..read]);
                len += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_every_length_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, content: &[u8]| std::fs::write(path(name), content);
        write("a", &[1; PART + 5]).expect("written");
        write("b", &[1; PART + 4]).expect("written");
        let of = |files: &[&str], more: &[&[u8]]| {
            let files: Vec<PathBuf> = files.iter().map(|name| path(name)).collect();
            digest(&files, more).expect("there")
        };
        assert_eq!(of(&["a"], &[]), of(&["a"], &[]));
        let all = [
            of(&["a"], &[]),
            of(&["b"], &[]),
            of(&["a", "b"], &[]),
            of(&["b", "a"], &[]),
            of(&["a"], &[b""]),
            of(&["a"], &[b"x"]),
            of(&["a"], &[b"", b"x"]),
            of(&["a"], &[b"x", b""]),
        ];
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert!(digest(&[path("none")], &[]).is_err());
    }
}
