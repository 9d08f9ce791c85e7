//! Post-processors at work on whole encodings: special tokens around them, offsets trimmed, types set.
//!
//! A processor turns a list of encodings, one for each text, into another list; what the last one
//! leaves is joined. What overflowed is treated like the encoding that it overflowed from.
//!
//! Source: `processors/*.rs` and `pre_tokenizers/byte_level.rs` of Hugging Face tokenizers 0.23.3.

use std::sync::Arc;

use crate::byte_level;
use crate::encoding::{Columns, Offsets};
use crate::error::EncodeError;
use crate::spec::{PostProcessor, TemplatePiece, TemplateToken};
use crate::unicode::is_rust_whitespace;

/// The token string of an id, where nothing says otherwise.
pub type Name<'a> = &'a dyn Fn(u32) -> &'a str;

/// One encoding of those of a text or a pair, as a processor leaves it.
///
/// Fails where a template does not go with the number of encodings.
pub fn process(
    processor: Option<&PostProcessor>,
    mut encodings: Vec<Columns>,
    add_special_tokens: bool,
    name: Name<'_>,
) -> Result<Columns, EncodeError> {
    let Some(processor) = processor else {
        if encodings.len() > 1 {
            encodings.iter_mut().enumerate().for_each(|(at, one)| one.set_sequence_id(at));
        }
        return Ok(joined(encodings));
    };
    for (at, encoding) in encodings.iter_mut().enumerate() {
        encoding.set_sequence_id(at);
        encoding.overflowing.iter_mut().for_each(|part| part.set_sequence_id(at));
        encoding.set_type_id(at as u32);
    }
    Ok(joined(run(processor, encodings, add_special_tokens, name)?))
}

/// One encoding is left as it is, what it does not say included.
fn joined(mut encodings: Vec<Columns>) -> Columns {
    match encodings.len() {
        1 => encodings.remove(0),
        _ => Columns::join(encodings, false),
    }
}

fn run(
    processor: &PostProcessor,
    mut encodings: Vec<Columns>,
    add_special_tokens: bool,
    name: Name<'_>,
) -> Result<Vec<Columns>, EncodeError> {
    match processor {
        PostProcessor::Sequence(processors) => {
            for processor in processors {
                encodings = run(processor, encodings, add_special_tokens, name)?;
            }
        }
        PostProcessor::ByteLevel { trim_offsets, add_prefix_space, .. } => {
            if *trim_offsets {
                trim_all(&mut encodings, *add_prefix_space, name);
            }
            encodings.iter_mut().enumerate().for_each(|(at, one)| one.set_sequence_id(at));
        }
        PostProcessor::Bert { sep, cls } => {
            if add_special_tokens {
                encodings = around(encodings, cls, sep, false);
            }
        }
        PostProcessor::Roberta { sep, cls, trim_offsets, add_prefix_space } => {
            if *trim_offsets {
                trim_all(&mut encodings, *add_prefix_space, name);
            }
            // All types are 0, the second text's too.
            encodings.iter_mut().for_each(|one| one.set_type_id(0));
            if add_special_tokens {
                encodings = around(encodings, cls, sep, true);
            }
        }
        PostProcessor::Template { single, pair, special_tokens } => {
            let pieces = match encodings.len() {
                1 => single,
                2 => pair,
                _ => return Err(EncodeError::Template { encodings: encodings.len() }),
            };
            return template(pieces, special_tokens, encodings, add_special_tokens);
        }
    }
    Ok(encodings)
}

/// Takes the white space at the ends of tokens off their offsets.
fn trim_all(encodings: &mut [Columns], add_prefix_space: bool, name: Name<'_>) {
    for encoding in encodings {
        trim(encoding, add_prefix_space, name);
        encoding.overflowing.iter_mut().for_each(|part| trim(part, add_prefix_space, name));
    }
}

fn trim(encoding: &mut Columns, add_prefix_space: bool, name: Name<'_>) {
    let Columns { ids, names, offsets, .. } = encoding;
    let tokens = ids.iter().zip(names.iter());
    let tokens = tokens.map(|(&id, own)| own.as_deref().unwrap_or_else(|| name(id)));
    trim_offsets(tokens.map(Spaces::of), offsets, add_prefix_space);
}

/// How much white space a token has at its ends, in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spaces {
    leading: u32,
    trailing: u32,
}

impl Spaces {
    /// The white space of a token string, be it spelled in the byte alphabet or not.
    pub fn of(token: &str) -> Self {
        let count = |chars: &mut dyn Iterator<Item = char>| {
            chars.take_while(|&c| is_space(c)).count() as u32
        };
        Self { leading: count(&mut token.chars()), trailing: count(&mut token.chars().rev()) }
    }
}

/// Takes the white space at the ends of tokens, of which the first one is the first of a text, off
/// their offsets; `add_prefix_space` if a space at the start of the text was put there.
pub fn trim_offsets(
    spaces: impl Iterator<Item = Spaces>,
    offsets: &mut [Offsets],
    add_prefix_space: bool,
) {
    for (at, (Spaces { mut leading, trailing }, offsets)) in spaces.zip(offsets).enumerate() {
        if leading > 0 {
            let is_first = at == 0 || offsets.0 == 0;
            if is_first && add_prefix_space && leading == 1 {
                // The space is one that was put there.
                leading = 0;
            }
            offsets.0 = (offsets.0 + leading).min(offsets.1);
        }
        if trailing > 0 && offsets.1 >= trailing {
            offsets.1 = (offsets.1 - trailing).max(offsets.0);
        }
    }
}

/// The values of `add_prefix_space` of the processors that trim offsets, if all of them come before
/// those that may add a token.
pub fn trims(processor: Option<&PostProcessor>) -> Option<Vec<bool>> {
    let processors = match processor {
        None => return Some(Vec::new()),
        Some(PostProcessor::Sequence(processors)) => processors.as_slice(),
        Some(one) => std::slice::from_ref(one),
    };
    let (mut trims, mut added) = (Vec::new(), false);
    for processor in processors {
        let (trim, adds) = match processor {
            PostProcessor::ByteLevel { trim_offsets, add_prefix_space, .. } => {
                (trim_offsets.then_some(*add_prefix_space), false)
            }
            PostProcessor::Roberta { trim_offsets, add_prefix_space, .. } => {
                (trim_offsets.then_some(*add_prefix_space), true)
            }
            PostProcessor::Bert { .. } | PostProcessor::Template { .. } => (None, true),
            PostProcessor::Sequence(_) => return None,
        };
        if added && trim.is_some() {
            return None;
        }
        trims.extend(trim);
        added |= adds;
    }
    Some(trims)
}

/// White space, or a space in the byte alphabet.
fn is_space(c: char) -> bool {
    c == byte_level::CHARS[usize::from(b' ')] || is_rust_whitespace(c as u32)
}

/// The first encoding between two tokens, the others each before one, and with `twice` behind one.
/// `twice` also makes the types of what overflows 0.
fn around(
    encodings: Vec<Columns>,
    cls: &(String, u32),
    sep: &(String, u32),
    twice: bool,
) -> Vec<Columns> {
    let wrapped = encodings.into_iter().enumerate().map(|(at, mut encoding)| {
        let (front, sequence) = match at {
            0 => (Some(cls), 0),
            _ => (twice.then_some(sep), 1),
        };
        let wrap = |inner: Columns| {
            let type_id = if twice { 0 } else { sequence as u32 };
            let special = |(token, id): &(String, u32)| {
                Columns::special(&[*id], vec![Some(Arc::from(token.as_str()))], type_id)
            };
            let mut inner = Columns { overflowing: Vec::new(), ..inner };
            inner.sequence_ranges.clear();
            inner.set_sequence_id(sequence);
            inner.special_tokens_mask.fill(0);
            inner.attention_mask.fill(1);
            let parts = front.map(special).into_iter().chain([inner, special(sep)]);
            Columns::join(parts, false)
        };
        let overflowing = std::mem::take(&mut encoding.overflowing);
        let mut whole = wrap(encoding);
        let parts = overflowing.into_iter().map(|mut part| {
            if twice {
                part.set_type_id(0);
            }
            wrap(part)
        });
        whole.overflowing = parts.collect();
        whole
    });
    wrapped.collect()
}

fn template(
    pieces: &[TemplatePiece],
    special_tokens: &[TemplateToken],
    mut encodings: Vec<Columns>,
    add_special_tokens: bool,
) -> Result<Vec<Columns>, EncodeError> {
    let mut made = Vec::new();
    let count = encodings.len();
    for piece in pieces {
        match piece {
            TemplatePiece::Sequence { id, type_id } => {
                let at = usize::from(*id);
                let encoding =
                    encodings.get_mut(at).ok_or(EncodeError::Template { encodings: count })?;
                encoding.set_type_id(*type_id);
                encoding.set_sequence_id(at);
                made.push(encoding.clone());
            }
            TemplatePiece::SpecialToken { .. } if !add_special_tokens => {}
            TemplatePiece::SpecialToken { id, type_id } => {
                let token = special_tokens.iter().find(|token| token.id == *id);
                let token = token.ok_or(EncodeError::Template { encodings: count })?;
                let names = token.tokens.iter().map(|token| Some(Arc::from(token.as_str())));
                made.push(Columns::special(&token.ids, names.collect(), *type_id));
            }
        }
    }
    Ok(made)
}
