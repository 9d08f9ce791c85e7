//! What can go wrong with a whole job; bad rows alone are [`crate::Reject`]s.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::block::Reject;

/// Why a job can't go on.
#[derive(Debug)]
pub enum BulkError {
    /// A file can't be read or written.
    Io { path: PathBuf, source: io::Error },
    /// A row of an input can't be taken, and the job is to stop at the first such one.
    BadRow { input: Box<str>, reject: Reject },
    /// An encoded block that came from elsewhere is not one.
    Damaged,
    /// The system starts no thread more.
    NoThread { kind: io::ErrorKind },
    /// A thread of the job ended before its time.
    Ended,
}

impl BulkError {
    /// What to map an [`io::Error`] of this path with.
    pub fn io(path: &Path) -> impl Fn(io::Error) -> BulkError + '_ {
        move |source| BulkError::Io { path: path.to_owned(), source }
    }
}

impl fmt::Display for BulkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BulkError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            BulkError::BadRow { input, reject } => {
                write!(f, "{input} at offset {}: {}", reject.at, reject.reason)
            }
            BulkError::Damaged => write!(f, "an encoded block is damaged; encode it again"),
            BulkError::NoThread { kind } => write!(
                f,
                "cannot start a thread: {kind}; ask for fewer, or raise the limits of this process \
                 (ulimit -u, ulimit -v)"
            ),
            BulkError::Ended => write!(f, "a thread of the job ended before its time"),
        }
    }
}

impl std::error::Error for BulkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BulkError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
