//! A path -> [`Spec`]: a folder of files, one file of a pair, or a file whose content says what it is.

mod companions;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::content::{from_file, has_model};
use super::regular::regular;
use super::{from_json, from_tekken, from_vocab_and_merges, from_word_list, Spec};
use crate::error::{LoadError, Problem};

const VOCAB: &str = "vocab.json";
const MERGES: &str = "merges.txt";
const WORDS: &str = "vocab.txt";
const TEKKEN: &str = "tekken.json";

/// Reads the tokenizer at `path`.
///
/// A folder holds `tokenizer.json`, or else `vocab.json` and `merges.txt`, or else `vocab.txt`, or else
/// `tekken.json`, or else one file whose name ends in `.model`, or else one in `.gguf` (of a model in
/// parts the first). To the first three, `tokenizer_config.json`, `special_tokens_map.json` and
/// `added_tokens.json` beside them add tokens, as transformers does. A file is what its content says,
/// unless its name ends in `vocab.json` or `merges.txt`: then the other one stands beside it, with the
/// same beginning of the name (`gpt2-vocab.json`, `gpt2-merges.txt`).
///
/// # Errors
///
/// [`LoadError::Io`] with the path of the file that can't be read, and what the readers say.
pub fn from_path(path: &Path) -> Result<Spec, LoadError> {
    if path.is_dir() {
        return from_folder(path);
    }
    match path.file_name().and_then(|name| name.to_str()) {
        Some(name) if name.ends_with(MERGES) => {
            let vocab = sibling(path, name, MERGES, VOCAB);
            from_vocab_and_merges(&read(&vocab)?, &read(path)?)
        }
        Some(name) if name.ends_with(VOCAB) => {
            let bytes = read(path)?;
            if has_model(&bytes) {
                return from_json(&bytes);
            }
            from_vocab_and_merges(&bytes, &read(&sibling(path, name, VOCAB, MERGES))?)
        }
        _ => from_file(path),
    }
}

/// The files that [`from_path`] reads for a path, as far as they are there; at least one.
pub fn source_files(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let files = if path.is_dir() {
        let whole = path.join("tokenizer.json");
        let pair = [path.join(VOCAB), path.join(MERGES)];
        let with_companions =
            |files: Vec<PathBuf>| files.into_iter().chain(companions::files(path)).collect();
        match whole.exists() {
            true => with_companions(vec![whole]),
            false if pair.iter().any(|path| path.exists()) => with_companions(pair.into()),
            false if path.join(WORDS).exists() => with_companions(vec![path.join(WORDS)]),
            false if path.join(TEKKEN).exists() => vec![path.join(TEKKEN)],
            false => vec![only_file(path)?.unwrap_or_else(|| path.join(TEKKEN))],
        }
    } else if name.ends_with(MERGES) {
        vec![sibling(path, name, MERGES, VOCAB), path.to_owned()]
    } else if name.ends_with(VOCAB) {
        let merges = sibling(path, name, VOCAB, MERGES);
        [path.to_owned()].into_iter().chain(merges.exists().then_some(merges)).collect()
    } else {
        vec![path.to_owned()]
    };
    // What from_path says of files that are not there is the better error.
    match files.iter().find(|file| !file.exists()) {
        Some(_) => from_path(path).map(|_| files),
        None => Ok(files),
    }
}

fn from_folder(folder: &Path) -> Result<Spec, LoadError> {
    let (whole, vocab, merges) =
        (folder.join("tokenizer.json"), folder.join(VOCAB), folder.join(MERGES));
    let (words, tekken) = (folder.join(WORDS), folder.join(TEKKEN));
    let with_companions = |mut spec: Spec| companions::add(&mut spec, folder).map(|()| spec);
    if whole.exists() {
        with_companions(from_json(&read(&whole)?)?)
    } else if vocab.exists() || merges.exists() {
        // One without the other is an error that names the missing file.
        with_companions(from_vocab_and_merges(&read(&vocab)?, &read(&merges)?)?)
    } else if words.exists() {
        with_companions(from_word_list(&read(&words)?, companions::word_rules(folder)?)?)
    } else if tekken.exists() {
        from_tekken(&read(&tekken)?)
    } else if let Some(file) = only_file(folder)? {
        from_file(&file)
    } else {
        let tried = "tokenizer.json, vocab.json with merges.txt, vocab.txt, tekken.json, a .model \
                     file, and a .gguf file";
        Err(LoadError::at(folder.display().to_string(), Problem::NoVocabulary { tried }))
    }
}

/// The one file of a folder that holds a vocabulary under any name: `.model`, or else `.gguf`.
///
/// # Errors
///
/// [`LoadError::Unsupported`] where there are several.
fn only_file(folder: &Path) -> Result<Option<PathBuf>, LoadError> {
    let unreadable = |source| LoadError::Io { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        files.push(entry.map_err(unreadable)?.path());
    }
    files.sort_unstable();
    let name = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for ending in [".model", ".gguf"] {
        let found: Vec<&PathBuf> =
            files.iter().filter(|file| name(file).ends_with(ending) && file.is_file()).collect();
        // The metadata of a model in parts is in the first.
        let first = found.iter().find(|file| name(file).contains("-00001-of-"));
        let of_one = |first: &PathBuf| {
            let parts = name(first).replace("-00001-of-", "\n");
            let (start, end) = parts.split_once('\n').unwrap_or_default();
            found.iter().all(|file| name(file).starts_with(start) && name(file).ends_with(end))
        };
        match (&found[..], first) {
            ([], _) => {}
            ([file], _) => return Ok(Some((*file).clone())),
            (_, Some(first)) if of_one(first) => return Ok(Some((*first).clone())),
            (several, _) => {
                let names: Vec<String> = several.iter().map(|file| name(file)).collect();
                let message = format!("several files: {}; name one", names.join(", "));
                return Err(LoadError::unsupported(folder.display().to_string(), message));
            }
        }
    }
    Ok(None)
}

/// The path with the end of its name exchanged.
fn sibling(path: &Path, name: &str, end: &str, other_end: &str) -> PathBuf {
    let beginning = name.strip_suffix(end).unwrap_or_default();
    path.with_file_name(format!("{beginning}{other_end}"))
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let content = regular(path).and_then(|()| fs::read(path));
    content.map_err(|source: io::Error| LoadError::Io { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
