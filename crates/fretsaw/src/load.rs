//! From a file, or its content, to a compiled tokenizer.

use std::io;
use std::path::{Path, PathBuf};

use crate::compile::{compile, from_fret, origin};
use crate::error::LoadError;
use crate::pipeline::Pipeline;
use crate::settings::Settings;
use crate::spec::{self, Spec};
use crate::tables::fret::{in_memory, is_fret, is_fret_file, map, read, Reader};
use crate::tables::SharedBytes;

/// Loads a file of any format but `.tiktoken`, whatever it is called, the pair vocab.json and
/// merges.txt, a folder that holds one of them, or a compiled file, which is mapped.
pub fn load_file(path: &Path) -> Result<Pipeline, LoadError> {
    if is_fret_file(path) {
        return load_fret(path, true);
    }
    compile(spec::from_path(path)?)
}

/// Loads a compiled file: mapped, or read into memory for those who can't rule out that somebody
/// cuts it short meanwhile.
pub fn load_fret(path: &Path, mapped: bool) -> Result<Pipeline, LoadError> {
    from_fret(&Reader::open(fret_bytes(path, mapped)?)?)
}

fn fret_bytes(path: &Path, mapped: bool) -> Result<SharedBytes, LoadError> {
    let bytes = spec::regular(path).and_then(|()| if mapped { map(path) } else { read(path) });
    bytes.map_err(|source| LoadError::Io { path: path.to_owned(), source })
}

/// Loads the content of a file of any format that one file holds whole.
pub fn load_bytes(bytes: &[u8]) -> Result<Pipeline, LoadError> {
    if is_fret(bytes) {
        return from_fret(&Reader::open(in_memory(bytes))?);
    }
    compile(spec::from_bytes(bytes)?)
}

/// What became of the compiled file beside a source.
#[derive(Debug)]
pub enum Sidecar {
    /// It was there, made by this version from the very content of the source.
    Used,
    /// It was made anew.
    Written,
    /// It was not there, or is stale, and could not be written.
    NotWritten { path: PathBuf, source: io::Error },
}

/// Loads what [`load_file`] loads, through a compiled file beside it, named after it with `.fret` at
/// the end: as long as the source's content is what that was made from, it is used instead.
///
/// ```no_run
/// use fretsaw::{load_file_cached, Sidecar};
///
/// # fn main() -> Result<(), fretsaw::LoadError> {
/// let (gpt2, sidecar) = load_file_cached("gpt2/tokenizer.json".as_ref())?;
/// if let Sidecar::NotWritten { path, source } = sidecar {
///     eprintln!("{}: {source}", path.display());
/// }
/// # Ok(())
/// # }
/// ```
pub fn load_file_cached(path: &Path) -> Result<(Pipeline, Sidecar), LoadError> {
    if is_fret_file(path) {
        return Ok((load_fret(path, true)?, Sidecar::Used));
    }
    load_cached(&spec::source_files(path)?, &[], true, || spec::from_path(path))
}

/// Loads the compiled file at `cache` if this version made it of the content with this digest.
/// Whatever is wrong with the file, it can be made anew.
pub fn load_fresh(cache: &Path, digest: [u8; 16], mapped: bool) -> Option<Pipeline> {
    let reader = fret_bytes(cache, mapped).and_then(Reader::open).ok()?;
    (origin(&reader) == Some(digest)).then(|| from_fret(&reader).ok())?
}

/// Loads the compiled file beside the first of `sources` if this version made it of the content of
/// all of them and of `more`; else makes the tokenizer and that file.
pub fn load_cached(
    sources: &[PathBuf],
    more: &[&[u8]],
    mapped: bool,
    make: impl FnOnce() -> Result<Spec, LoadError>,
) -> Result<(Pipeline, Sidecar), LoadError> {
    let mut cache = sources.first().cloned().unwrap_or_default().into_os_string();
    cache.push(".fret");
    let cache = Path::new(&cache);
    let digest = spec::digest(sources, more)?;
    if let Some(pipeline) = load_fresh(cache, digest, mapped) {
        return Ok((pipeline, Sidecar::Used));
    }
    let pipeline = compile(make()?)?;
    let settings: Settings = pipeline.file_settings();
    let file = pipeline.to_fret(&settings, Some(digest))?;
    // A source that changed while it was read is not what the digest says.
    let written = match spec::digest(sources, more)? == digest {
        true => spec::write_whole(cache, &file),
        false => Err(io::Error::other("the source changed while it was read")),
    };
    let sidecar = match written {
        Ok(()) => Sidecar::Written,
        Err(source) => Sidecar::NotWritten { path: cache.to_owned(), source },
    };
    Ok((pipeline, sidecar))
}
