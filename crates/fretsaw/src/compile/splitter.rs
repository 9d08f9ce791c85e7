//! How the text is cut: by splits that the scanner knows where it knows them all, else step by
//! step.

use super::families::{digits_table, gpt2_cut, gpt2_table, pattern_cut, punctuation_table, runs};
use super::pattern::{parse, Dialect, Ranges};
use super::pre_tokenizer::steps;
use crate::byte_level;
use crate::error::LoadError;
use crate::pretokenize::{leave_bytes, needs_spans, stays_in_alphabet, Splitter};
use crate::scan::{Cut, Digits, Gpt2, Runs, LEAD, MEMBER};
use crate::spec::{Pattern, PreTokenizer, SplitBehavior};
use crate::unicode::is_rust_numeric;

const PATH: &str = "pre_tokenizer";

/// The splitter of a byte-level pre-tokenizer.
pub fn splitter(pre_tokenizer: Option<&PreTokenizer>) -> Result<Splitter, LoadError> {
    let Some(pre_tokenizer) = pre_tokenizer else {
        return Err(LoadError::unsupported(PATH, "null"));
    };
    let mut flat = Vec::new();
    flatten(pre_tokenizer, &mut flat);
    match flat.iter().filter(|step| matches!(step, PreTokenizer::ByteLevel { .. })).count() {
        1 => {}
        0 => return Err(LoadError::unsupported(PATH, "without ByteLevel")),
        _ => return Err(LoadError::unsupported(PATH, "with two ByteLevel")),
    }
    if let Some(gpt2) = gpt2(&flat) {
        return Ok(gpt2);
    }
    if let Some(cuts) = chain(&flat) {
        return Ok(Splitter::Chain(cuts));
    }
    let mut steps = steps(pre_tokenizer, PATH)?;
    if needs_spans(&steps) {
        return Err(LoadError::unsupported(PATH, "a Metaspace behind other steps"));
    }
    if leave_bytes(&mut steps) {
        return Ok(Splitter::Steps { steps, spelled: false });
    }
    if !stays_in_alphabet(&steps) {
        return Err(LoadError::unsupported(PATH, "with other characters behind ByteLevel"));
    }
    Ok(Splitter::Steps { steps, spelled: true })
}

/// GPT-2's split, perhaps behind Digits: one pass of the mask scanner.
fn gpt2(flat: &[&PreTokenizer]) -> Option<Splitter> {
    let (digits, add_prefix_space) = match *flat {
        [PreTokenizer::ByteLevel { use_regex: true, add_prefix_space, .. }] => {
            (Digits::None, *add_prefix_space)
        }
        [PreTokenizer::Digits { individual_digits }, PreTokenizer::ByteLevel { use_regex: true, add_prefix_space: false, .. }] => {
            (if *individual_digits { Digits::Individual } else { Digits::Runs }, false)
        }
        _ => return None,
    };
    Some(Splitter::Gpt2 { family: Gpt2 { digits }, table: gpt2_table(), add_prefix_space })
}

/// Cuts for every pre-tokenizer of a list, if each just isolates what it finds.
fn chain(flat: &[&PreTokenizer]) -> Option<Vec<Cut>> {
    let mut cuts = Vec::new();
    let mut bytes = false;
    for &pre_tokenizer in flat {
        match pre_tokenizer {
            PreTokenizer::ByteLevel { add_prefix_space: false, use_regex, .. } => {
                cuts.extend(use_regex.then(gpt2_cut));
                bytes = true;
            }
            PreTokenizer::Digits { individual_digits } => {
                let runs = Runs { min: 1, max: if *individual_digits { 1 } else { usize::MAX } };
                cuts.push(if bytes {
                    let member = |c: char| if is_rust_numeric(c as u32) { MEMBER } else { 0 };
                    Cut::ByteRuns { runs, members: Box::new(byte_level::CHARS.map(member)) }
                } else {
                    Cut::Runs { runs, table: digits_table() }
                });
            }
            PreTokenizer::Punctuation { behavior } if !bytes => {
                let max = match behavior {
                    SplitBehavior::Isolated => 1,
                    SplitBehavior::Contiguous => usize::MAX,
                    _ => return None,
                };
                cuts.push(Cut::Runs { runs: Runs { min: 1, max }, table: punctuation_table() });
            }
            PreTokenizer::Split { pattern, behavior, invert } => {
                let cut = if bytes {
                    byte_cut(pattern).map(|cut| (cut, false))
                } else {
                    pattern_cut(pattern)
                };
                let (cut, matches_all) = cut?;
                // Where the pattern matches everything, removing the rest removes nothing.
                let isolates = *behavior == SplitBehavior::Isolated
                    || matches_all && *invert && *behavior == SplitBehavior::Removed;
                cuts.push(isolates.then_some(cut)?);
            }
            _ => return None,
        }
    }
    Some(cuts)
}

/// The cut of a pattern behind ByteLevel: it sees a character for each byte.
fn byte_cut(pattern: &Pattern) -> Option<Cut> {
    let Pattern::Onig(text) = pattern else { return None };
    let (runs, members, lead) = runs(&parse(text, Dialect::Onig)?)?;
    let within = |set: &Ranges, c: char| {
        set.iter().any(|&(first, last)| (first..=last).contains(&(c as u32)))
    };
    let bits = |c: char| {
        if within(&members, c) {
            MEMBER
        } else if within(&lead, c) {
            LEAD
        } else {
            0
        }
    };
    Some(Cut::ByteRuns { runs, members: Box::new(byte_level::CHARS.map(bits)) })
}

/// The parts of a pre-tokenizer in order.
fn flatten<'a>(pre_tokenizer: &'a PreTokenizer, flat: &mut Vec<&'a PreTokenizer>) {
    match pre_tokenizer {
        PreTokenizer::Sequence(parts) => parts.iter().for_each(|part| flatten(part, flat)),
        part => flat.push(part),
    }
}
