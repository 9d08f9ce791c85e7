//! A `.tiktoken` file -> [`Spec`], as tiktoken 0.14.0 reads it.
//!
//! Each line is a token in base64, white space and its rank; empty lines don't count, a token that
//! stands twice has its last rank. The file has neither pattern nor special tokens: tiktoken keeps
//! those in its source, so the caller gives them. What the pattern does not match is dropped, which
//! a split that is inverted and removed expresses. Any pair whose joined bytes are a token merges.
//! Ranks need not be dense, and not every byte needs a token. Reading is linear in the file.
//!
//! Two special tokens may have one id, as in o200k_harmony: both encode to it, and it decodes to the
//! first (in tiktoken to the one that a hash table happens to keep; the first in o200k_harmony). A
//! special token with the id of a rank, which tiktoken takes, is refused.

mod base64;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::content::plain;
use super::{
    AddedToken, Bpe, Decoder, Defaults, LazyModel, Merges, Model, Pattern, PreTokenizer, Spec,
    SplitBehavior, Vocab,
};
use crate::error::{LoadError, Place, Problem};

pub(super) use base64::decode as decode_base64;

/// Reads the lines of a `.tiktoken` file, packed with gzip or not.
///
/// `pattern` is fancy-regex, `special_tokens` are strings and their ids.
///
/// # Errors
///
/// [`LoadError::Invalid`] with the line that tiktoken would refuse as well, and what
/// [`from_ranks`] says.
pub fn from_tiktoken(
    ranks: &[u8],
    pattern: &str,
    special_tokens: &[(String, u32)],
) -> Result<Spec, LoadError> {
    let ranks = plain(ranks)?;
    let lines = lines(&ranks)?;
    let mut last: HashMap<&[u8], &Line> = HashMap::with_capacity(lines.len());
    for line in &lines {
        last.insert(&line.token, line);
    }
    let mut owners: HashMap<u32, usize> = HashMap::with_capacity(last.len());
    for line in lines.iter().filter(|line| last[line.token.as_slice()].number == line.number) {
        if let Some(other) = owners.insert(line.rank, line.number) {
            let found = format!("{}, which line {other} has as well", line.rank);
            return Err(line.fails(Problem::WrongType { found, expected: "a rank of its own" }));
        }
    }
    from_ranks(lines.iter().map(|line| (&line.token[..], line.rank)), pattern, special_tokens)
}

/// Makes a tokenizer from tokens and their ranks, of which the last counts where a token stands
/// twice.
///
/// # Errors
///
/// [`LoadError::Invalid`] where there are no ranks, or a special token is empty or there twice;
/// [`LoadError::Unsupported`] where a special token has the id of a rank.
pub fn from_ranks<'a>(
    ranks: impl IntoIterator<Item = (&'a [u8], u32)>,
    pattern: &str,
    special_tokens: &[(String, u32)],
) -> Result<Spec, LoadError> {
    let mut vocab = Vocab::new();
    let mut spelled = String::new();
    for (token, rank) in ranks {
        spelled.clear();
        spelled.extend(token.iter().map(|&byte| character(byte)));
        if !vocab.push(&spelled, rank) {
            let limit = u32::MAX as usize;
            return Err(LoadError::at(
                "ranks",
                Problem::TooMany { what: "bytes of tokens", limit },
            ));
        }
    }
    if vocab.is_empty() {
        return Err(LoadError::at("ranks", Problem::NoVocabulary { tried: "tokens with ranks" }));
    }
    check_special_tokens(special_tokens, &vocab)?;
    Ok(spec(vocab, pattern, special_tokens, Defaults::TIKTOKEN))
}

/// The tokenizer that tiktoken makes of these parts.
pub(super) fn spec(
    vocab: Vocab,
    pattern: &str,
    special_tokens: &[(String, u32)],
    defaults: Defaults,
) -> Spec {
    let added_tokens =
        special_tokens.iter().map(|(content, id)| AddedToken::plain(content, *id, true));
    let split = PreTokenizer::Split {
        pattern: Pattern::Fancy(pattern.to_owned()),
        behavior: SplitBehavior::Removed,
        invert: true,
    };
    let bytes =
        PreTokenizer::ByteLevel { add_prefix_space: false, trim_offsets: false, use_regex: false };
    Spec {
        added_tokens: added_tokens.collect(),
        added_later: Vec::new(),
        normalizer: None,
        pre_tokenizer: Some(PreTokenizer::Sequence(vec![split, bytes])),
        model: Arc::new(LazyModel::Now(Model::Bpe(Bpe {
            vocab,
            merges: Merges::ByJoinedBytes,
            dropout: None,
            unk_token: None,
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            fuse_unk: false,
            byte_fallback: false,
            ignore_merges: true,
        }))),
        post_processor: None,
        decoder: Some(Decoder::ByteLevel {
            add_prefix_space: false,
            trim_offsets: false,
            use_regex: false,
        }),
        truncation: None,
        padding: None,
        chat_template: None,
        defaults,
    }
}

fn check_special_tokens(special_tokens: &[(String, u32)], vocab: &Vocab) -> Result<(), LoadError> {
    let mut contents = HashSet::new();
    let mut owners = HashMap::new();
    for (content, id) in special_tokens {
        let place = || format!("special_tokens[{content:?}]");
        if content.is_empty() {
            return Err(LoadError::at(place(), Problem::EmptyAddedToken));
        }
        if !contents.insert(content) {
            let content = content.clone();
            return Err(LoadError::at(place(), Problem::DuplicateAddedToken { content }));
        }
        owners.insert(*id, content);
    }
    let clash =
        vocab.iter().find_map(|(token, rank)| owners.get(&rank).map(|own| (own, token, rank)));
    match clash {
        Some((content, token, rank)) => {
            let value = format!("{rank}, which is the rank of the token {token:?} as well");
            Err(LoadError::unsupported(format!("special_tokens[{content:?}]"), value))
        }
        None => Ok(()),
    }
}

/// What stands for a byte in tokens that are written as text: GPT-2's alphabet.
pub(super) fn character(byte: u8) -> char {
    match byte {
        b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF => char::from(byte),
        // The other 68 bytes, in their order, from U+0100 onward.
        0x00..=0x20 => shifted(byte, 0x100),
        0x7F..=0xA0 => shifted(byte, 0x100 + 0x21 - 0x7F),
        0xAD => '\u{143}',
    }
}

fn shifted(byte: u8, by: u32) -> char {
    char::from_u32(u32::from(byte) + by).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Whether a file without pattern looks like ranks: its first line that is not empty can be read.
pub(super) fn looks_like_ranks(bytes: &[u8]) -> bool {
    let first = numbered_lines(bytes).find(|(_, line)| !line.is_empty());
    first.is_some_and(|(number, line)| read_line(number, line).is_ok())
}

/// A line that was read.
struct Line {
    token: Vec<u8>,
    rank: u32,
    /// Counted from 1.
    number: usize,
}

impl Line {
    fn fails(&self, problem: Problem) -> LoadError {
        LoadError::Invalid { place: Place::Line(self.number), problem }
    }
}

fn lines(bytes: &[u8]) -> Result<Vec<Line>, LoadError> {
    numbered_lines(bytes)
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| {
            read_line(number, line)
                .map_err(|problem| LoadError::Invalid { place: Place::Line(number), problem })
        })
        .collect()
}

/// Lines end as Python's `bytes.splitlines` sees it: at `\n`, `\r` or both.
fn numbered_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut rest = bytes;
    let mut number = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        number += 1;
        let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let (line, end) = rest.split_at(len);
        let end_len = if end.starts_with(b"\r\n") { 2 } else { end.len().min(1) };
        rest = &end[end_len..];
        Some((number, line))
    })
}

fn read_line(number: usize, line: &[u8]) -> Result<Line, Problem> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0B;
    let mut fields = line.split(is_space).filter(|field| !field.is_empty());
    let (Some(token), Some(rank), None) = (fields.next(), fields.next(), fields.next()) else {
        return Err(wrong(line, "a token in base64, a space and its rank"));
    };
    let token = decode_base64(token).ok_or_else(|| wrong(token, "a token in base64"))?;
    let rank = match read_integer(rank) {
        Some(value) => u32::try_from(value).map_err(|_| Problem::OutOfRange {
            value: String::from_utf8_lossy(rank).into_owned(),
            expected: "a rank from 0 to 4294967295",
        })?,
        None => return Err(wrong(rank, "a rank")),
    };
    Ok(Line { token, rank, number })
}

fn wrong(found: &[u8], expected: &'static str) -> Problem {
    const SHOWN_BYTES: usize = 80;
    let shown = &found[..found.len().min(SHOWN_BYTES)];
    let found = format!("{:?}", String::from_utf8_lossy(shown));
    Problem::WrongType { found, expected }
}

/// An integer as Python's `int` reads it: a sign, and single underscores between digits; what
/// passes 2^58 stays there.
fn read_integer(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    let mut value = 0i64;
    for group in digits.split(|byte| *byte == b'_') {
        if group.is_empty() || !group.iter().all(u8::is_ascii_digit) {
            return None;
        }
        for digit in group {
            value = (value * 10 + i64::from(digit - b'0')).min(1 << 58);
        }
    }
    Some(sign * value)
}
