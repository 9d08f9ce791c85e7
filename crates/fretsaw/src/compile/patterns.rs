//! Patterns of normalizers and pre-tokenizers: by an engine, or as runs where that is what they mean.

use super::families::runs;
use super::pattern::{parse, Dialect};
use crate::error::LoadError;
use crate::pattern::Pattern;
use crate::spec;

/// The pattern of a component that stands at the JSON path `path`.
///
/// Fails where a regular expression is not one.
pub fn compiled_pattern(spec: &spec::Pattern, path: &str) -> Result<Pattern, LoadError> {
    // tokenizer.json says of which kind it is by a key of its own.
    let (path, parsed) = match spec {
        spec::Pattern::Literal(_) => (format!("{path}.pattern.String"), None),
        spec::Pattern::Onig(text) => {
            (format!("{path}.pattern.Regex"), Some((text, parse(text, Dialect::Onig))))
        }
        spec::Pattern::Fancy(text) => {
            (format!("{path}.pattern"), Some((text, parse(text, Dialect::Fancy))))
        }
    };
    if let Some((text, Some(node))) = parsed {
        if let Some((runs, members, lead)) = runs(&node) {
            if lead.is_empty() {
                return Ok(Pattern::of_runs(text, &members, runs.min, runs.max));
            }
        }
    }
    Pattern::compile(spec, &path)
}
