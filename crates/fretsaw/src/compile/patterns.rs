//! Patterns of normalizers and pre-tokenizers: by an engine, or as runs where that is what they mean.

use super::families::runs;
use super::pattern::Dialect;
use crate::error::LoadError;
use crate::pattern::Pattern;
use crate::spec;

/// The pattern of a component that stands at the JSON path `path`.
///
/// Fails where a regular expression is not one.
pub fn compiled_pattern(spec: &spec::Pattern, path: &str) -> Result<Pattern, LoadError> {
    // tokenizer.json says of which kind it is by a key of its own.
    let (path, text, found) = match spec {
        spec::Pattern::Literal(text) => (format!("{path}.pattern.String"), text, None),
        spec::Pattern::Onig(text) => {
            (format!("{path}.pattern.Regex"), text, runs(text, Dialect::Onig))
        }
        spec::Pattern::Fancy(text) => (format!("{path}.pattern"), text, runs(text, Dialect::Fancy)),
    };
    let compiled = Pattern::compile(spec, &path)?;
    Ok(match found {
        Some((runs, members, lead)) if lead.is_empty() => {
            Pattern::of_runs(text, &members, runs.min, runs.max)
        }
        _ => compiled,
    })
}
