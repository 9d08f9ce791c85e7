//! From a pre-tokenizer to the steps that do it, in order.

use crate::error::LoadError;
use crate::pretokenize::Step;
use crate::spec::PreTokenizer;

use super::families::gpt2_table;
use super::patterns::compiled_pattern;

/// The steps of a pre-tokenizer that stands at the JSON path `path`; sequences are flattened.
///
/// Fails where a regular expression is not one, and where the oracle would break on any text.
pub fn steps(pre_tokenizer: &PreTokenizer, path: &str) -> Result<Vec<Step>, LoadError> {
    let mut steps = Vec::new();
    flatten(pre_tokenizer, path, &mut steps)?;
    Ok(steps)
}

fn flatten(
    pre_tokenizer: &PreTokenizer,
    path: &str,
    steps: &mut Vec<Step>,
) -> Result<(), LoadError> {
    let step = match pre_tokenizer {
        PreTokenizer::Sequence(parts) => {
            return parts.iter().enumerate().try_for_each(|(at, part)| {
                flatten(part, &format!("{path}.pretokenizers[{at}]"), steps)
            });
        }
        PreTokenizer::Bert => {
            steps.push(Step::WhitespaceSplit);
            Step::BertPunctuation
        }
        PreTokenizer::ByteLevel { add_prefix_space, use_regex, .. } => Step::ByteLevel {
            add_prefix_space: *add_prefix_space,
            split: use_regex.then(gpt2_table),
            spell: true,
        },
        PreTokenizer::CharDelimiterSplit { delimiter } => {
            Step::CharDelimiterSplit { delimiter: *delimiter }
        }
        PreTokenizer::Digits { individual_digits } => {
            Step::Digits { individual: *individual_digits }
        }
        PreTokenizer::FixedLength { length: 0 } => {
            return Err(LoadError::unsupported(format!("{path}.length"), 0));
        }
        PreTokenizer::FixedLength { length } => Step::FixedLength { chars: *length },
        PreTokenizer::Metaspace { replacement, prepend_scheme, split } => Step::Metaspace {
            replacement: *replacement,
            prepend_scheme: *prepend_scheme,
            split: *split,
        },
        PreTokenizer::Punctuation { behavior } => Step::Punctuation { behavior: *behavior },
        PreTokenizer::Split { pattern, behavior, invert } => Step::Split {
            pattern: compiled_pattern(pattern, path)?,
            behavior: *behavior,
            invert: *invert,
        },
        PreTokenizer::UnicodeScripts => Step::UnicodeScripts,
        PreTokenizer::Whitespace => Step::Whitespace,
        PreTokenizer::WhitespaceSplit => Step::WhitespaceSplit,
    };
    steps.push(step);
    Ok(())
}
