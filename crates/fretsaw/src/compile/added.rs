//! Added tokens get their ids from the vocabulary, not from the file.
//!
//! Source: `AddedVocabulary::add_tokens` of Hugging Face tokenizers 0.23.3.

use std::collections::{HashMap, HashSet};

use crate::added_tokens::{Added, AddedTokens};
use crate::error::{LoadError, Problem};
use crate::normalize::Normalizer;
use crate::spec::Spec;
use crate::tables::TokenTable;
use crate::vocabulary::{Vocabulary, ID_LIMIT};

/// The added tokens with the ids that the oracle gives them.
///
/// A token of the model keeps its id there; a new one gets the next free id behind the
/// vocabulary. Of two entries with one content the last one's flags count, except that once
/// special is always special.
///
/// Formats whose added tokens bring their ids keep those.
pub fn assign_ids(
    spec: &Spec,
    normalizer: Option<&Normalizer>,
    vocabulary: &Vocabulary,
) -> Result<Vec<Added>, LoadError> {
    let mut by_content: HashMap<&str, usize> = HashMap::new();
    let mut made: Vec<Added> = Vec::new();
    let mut next_id = vocabulary.len() as u32;
    for (at, token) in spec.added_tokens.iter().enumerate() {
        if spec.added_later.contains(&at) {
            let end = made.iter().map(|token| token.id + 1).max().unwrap_or(0);
            next_id = end.max(vocabulary.len() as u32);
        }
        if token.content.is_empty() {
            continue;
        }
        let earlier = by_content.get(token.content.as_str()).copied();
        let given = spec.defaults.added_ids_as_given.then_some(token.id);
        let known = given
            .or_else(|| earlier.map(|at| made[at].id))
            .or_else(|| vocabulary.id(token.content.as_bytes()));
        let id = known.unwrap_or_else(|| {
            next_id += 1;
            next_id - 1
        });
        let added = Added {
            id,
            content: token.content.clone(),
            pattern: pattern(&token.content, normalizer.filter(|_| token.normalized))?,
            single_word: token.single_word,
            lstrip: token.lstrip,
            rstrip: token.rstrip,
            normalized: token.normalized,
            special: token.special || earlier.is_some_and(|at| made[at].special),
        };
        match earlier {
            Some(at) => made[at] = added,
            None => {
                by_content.insert(&token.content, made.len());
                made.push(added);
            }
        }
    }
    if let Some(token) = made.iter().find(|token| token.id >= ID_LIMIT) {
        let field = format!("added_tokens[{:?}].id", token.content);
        let value = format_args!("{}, above the limit {ID_LIMIT}", token.id);
        return Err(LoadError::unsupported(field, value));
    }
    if spec.defaults.added_ids_as_given {
        distinct_patterns(&made)?;
        return Ok(made);
    }
    // Where a new token's id is one that the vocabulary, having gaps, uses behind its length, two
    // tokens can share it; the oracle then matches the last.
    let mut seen = HashSet::new();
    let mut kept: Vec<Added> =
        made.into_iter().rev().filter(|token| seen.insert(token.id)).collect();
    kept.reverse();
    distinct_patterns(&kept)?;
    Ok(kept)
}

/// The text that a token is searched by.
fn pattern(content: &str, normalizer: Option<&Normalizer>) -> Result<String, LoadError> {
    let Some(normalizer) = normalizer else { return Ok(content.to_owned()) };
    match normalizer.normalize(content) {
        Ok(text) if text.is_empty() => Err(LoadError::at("added_tokens", Problem::EmptyAddedToken)),
        Ok(text) => Ok(text.into_owned()),
        Err(error) => Err(LoadError::unsupported(format!("added_tokens[{content:?}]"), error)),
    }
}

/// Refuses two tokens that match the same text in the same stage, as the oracle does.
fn distinct_patterns(tokens: &[Added]) -> Result<(), LoadError> {
    let mut seen = HashSet::new();
    match tokens.iter().find(|token| !seen.insert((token.normalized, token.pattern.as_str()))) {
        Some(token) => {
            let problem = Problem::DuplicateAddedToken { content: token.content.clone() };
            Err(LoadError::at("added_tokens", problem))
        }
        None => Ok(()),
    }
}

/// One bit an id: whether `skip_special_tokens` leaves it out.
///
/// Hugging Face asks whether the token's string, as decoding sees it, is that of a special token;
/// where added tokens bring their ids, those ids count.
pub fn skipped(added: &AddedTokens, strings: &TokenTable, by_id: bool) -> Vec<u64> {
    if by_id {
        let mut bits = vec![0; strings.len().div_ceil(64)];
        for token in added.tokens().iter().filter(|token| token.special) {
            bits[token.id as usize / 64] |= 1 << (token.id % 64);
        }
        return bits;
    }
    let special: HashSet<&[u8]> = added
        .tokens()
        .iter()
        .filter(|token| token.special)
        .map(|token| token.content.as_bytes())
        .collect();
    let mut bits = vec![0; strings.len().div_ceil(64)];
    if !special.is_empty() {
        for (id, _) in strings.iter().filter(|(_, token)| special.contains(token)) {
            bits[id as usize / 64] |= 1 << (id % 64);
        }
    }
    bits
}
