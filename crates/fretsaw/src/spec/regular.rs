//! What may be read as a file, and what may be replaced by one.
//!
//! A named pipe without a writer is waited for and a device such as /dev/zero never ends, so neither is
//! opened. Symbolic links are followed: what counts is what they lead to.

use std::fs::{self, FileType};
use std::io;
use std::path::Path;

/// Fails unless there is a regular file at the path, or a folder, which says so itself when it is read.
///
/// # Errors
///
/// Those of the file system, and `InvalidInput` that names what is there.
pub fn regular(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    match other(kind) {
        Some(what) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {what}, not a file; write what comes out of it to a file first"),
        )),
        None => Ok(()),
    }
}

/// Fails if there is something at the path that a file must not replace: a device or a pipe.
///
/// # Errors
///
/// `InvalidInput` that names what is there.
pub(super) fn replaceable(path: &Path) -> io::Result<()> {
    // Where nothing is there, or nothing can be told of it, writing says what is wrong.
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    match other(found.file_type()) {
        Some(what) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{what} is there, which is not replaced by a file; give another path"),
        )),
        None => Ok(()),
    }
}

/// What something that is neither a file nor a folder is.
fn other(kind: FileType) -> Option<&'static str> {
    if kind.is_file() || kind.is_dir() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a named pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some("a device")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_neither_read_nor_replaced() {
        let null = Path::new("/dev/null");
        assert!(regular(null).is_err_and(|error| error.to_string().contains("a device")));
        assert!(replaceable(null).is_err());
        let folder = tempfile::tempdir().expect("a folder");
        assert!(regular(folder.path()).is_ok());
        assert!(replaceable(&folder.path().join("new")).is_ok());
        assert!(regular(&folder.path().join("new")).is_err());
    }
}
