//! From a file, or its content, to a compiled tokenizer.

use std::path::Path;

use crate::compile::compile;
use crate::error::LoadError;
use crate::pipeline::Pipeline;
use crate::spec;

/// Loads a tokenizer.json, the pair vocab.json and merges.txt, or a folder that holds either.
pub fn load_file(path: &Path) -> Result<Pipeline, LoadError> {
    compile(spec::from_path(path)?)
}

/// Loads the content of a tokenizer.json.
pub fn load_bytes(bytes: &[u8]) -> Result<Pipeline, LoadError> {
    compile(spec::from_json(bytes)?)
}
