//! Added tokens get their ids from the vocabulary, not from the file.
//!
//! Source: `AddedVocabulary::add_tokens` of Hugging Face tokenizers 0.23.3, whose maps are kept as
//! they are there: content to id, id to token, id to normalized spelling, and the contents that were
//! ever special. A later token may take over the id of an earlier one.

use std::collections::{HashMap, HashSet};

use crate::added_tokens::{Added, AddedTokens};
use crate::decode::unspell;
use crate::error::{LoadError, Problem};
use crate::normalize::Normalizer;
use crate::spec::{AddedToken, Spec};
use crate::vocabulary::{above_limit, Vocabulary, ID_LIMIT};

/// The added tokens of a spec, with the ids that the oracle gives them.
pub fn added_tokens(
    spec: &Spec,
    normalizer: Option<&Normalizer>,
    vocabulary: &Vocabulary,
) -> Result<AddedTokens, LoadError> {
    let (tokens, names) = if spec.defaults.added_ids_as_given {
        as_given(spec, vocabulary.id_end())
    } else {
        derived(spec, normalizer, vocabulary)?
    };
    if let Some((content, id)) = names.iter().find(|(_, id)| *id >= ID_LIMIT) {
        return Err(above_limit(format!("added_tokens[{content:?}].id"), *id));
    }
    distinct_patterns(&tokens)?;
    AddedTokens::new(tokens, names)
}

/// Tokens, and the id of every content.
type Tokens = (Vec<Added>, Vec<(String, u32)>);

/// Formats whose added tokens bring their ids keep those. One that came later has the id of the one
/// with its content, whose place it takes, or else the next id behind all others.
fn as_given(spec: &Spec, vocabulary_end: u32) -> Tokens {
    let later = spec.added_later.first().copied().unwrap_or(spec.added_tokens.len());
    let as_it_is = |token: &AddedToken, id| added(token, id, token.content.clone(), token.special);
    let is_there = |token: &&AddedToken| !token.content.is_empty();
    let (first, later) = spec.added_tokens.split_at(later);
    let mut tokens: Vec<Added> =
        first.iter().filter(is_there).map(|token| as_it_is(token, token.id)).collect();
    let ends = tokens.iter().map(|token| token.id.saturating_add(1));
    let mut next_id = ends.fold(vocabulary_end, u32::max);
    let mut places: HashMap<String, usize> =
        tokens.iter().enumerate().map(|(at, token)| (token.content.clone(), at)).collect();
    for token in later.iter().filter(is_there) {
        match places.get(&token.content) {
            Some(&at) => {
                let control = tokens[at].control || token.special;
                tokens[at] = Added { control, ..as_it_is(token, tokens[at].id) };
            }
            None => {
                places.insert(token.content.clone(), tokens.len());
                tokens.push(as_it_is(token, next_id));
                next_id = next_id.saturating_add(1);
            }
        }
    }
    let names = tokens.iter().map(|token| (token.content.clone(), token.id)).collect();
    (tokens, names)
}

/// A token of the model keeps its id there; a new one gets the next free id, which is looked for
/// behind the vocabulary, and behind the added tokens where more are added later.
fn derived(
    spec: &Spec,
    normalizer: Option<&Normalizer>,
    vocabulary: &Vocabulary,
) -> Result<Tokens, LoadError> {
    let mut ids: HashMap<&str, u32> = HashMap::new();
    // When a token came in counts: of two with one id the last one stands.
    let mut owners: HashMap<u32, usize> = HashMap::new();
    let mut spellings: HashMap<u32, String> = HashMap::new();
    let mut control: HashSet<&str> = HashSet::new();
    let mut next_id = vocabulary.len() as u32;
    for (at, token) in spec.added_tokens.iter().enumerate() {
        if spec.added_later.binary_search(&at).is_ok() {
            let end = owners.keys().map(|id| id + 1).max().unwrap_or(0);
            next_id = end.max(vocabulary.len() as u32);
        }
        let content = token.content.as_str();
        if content.is_empty() {
            continue;
        }
        let known = ids.get(content).copied();
        let same = |id: &u32| {
            let owner = owners.get(id).map(|&at| &spec.added_tokens[at]);
            owner.is_some_and(|owner| AddedToken { id: owner.id, ..token.clone() } == *owner)
        };
        if known.as_ref().is_some_and(same) {
            continue;
        }
        let id = known.or_else(|| vocabulary.id(content.as_bytes())).unwrap_or_else(|| {
            next_id += 1;
            next_id - 1
        });
        if let Some(normalizer) = normalizer.filter(|_| token.normalized) {
            let spelling = normalizer.normalize(content).map_err(|error| {
                LoadError::unsupported(format!("added_tokens[{content:?}]"), error)
            })?;
            if spelling != content {
                spellings.insert(id, spelling.into_owned());
            }
        }
        ids.insert(content, id);
        owners.insert(id, at);
        if token.special {
            control.insert(content);
        }
    }
    let mut order: Vec<(usize, u32)> = owners.into_iter().map(|(id, at)| (at, id)).collect();
    order.sort_unstable();
    let tokens = order.into_iter().map(|(at, id)| {
        let token = &spec.added_tokens[at];
        let spelling = spellings.remove(&id).unwrap_or_else(|| token.content.clone());
        added(token, id, spelling, control.contains(token.content.as_str()))
    });
    let tokens = tokens.collect();
    Ok((tokens, ids.into_iter().map(|(content, id)| (content.to_owned(), id)).collect()))
}

fn added(token: &AddedToken, id: u32, spelling: String, control: bool) -> Added {
    Added {
        id,
        content: token.content.clone(),
        pattern: if token.normalized { spelling.clone() } else { token.content.clone() },
        spelling,
        single_word: token.single_word,
        lstrip: token.lstrip,
        rstrip: token.rstrip,
        normalized: token.normalized,
        special: token.special,
        control,
    }
}

/// Refuses two tokens that match the same text in the same stage: which one does differs in the
/// oracle from run to run; and one that matches no text, over which it panics in some texts.
fn distinct_patterns(tokens: &[Added]) -> Result<(), LoadError> {
    if let Some(token) = tokens.iter().find(|token| token.pattern.is_empty()) {
        let field = format!("added_tokens[{:?}]", token.content);
        return Err(LoadError::unsupported(field, "an added token that is empty when normalized"));
    }
    let mut seen = HashSet::new();
    let mut found = tokens.iter();
    match found.find(|token| !seen.insert((token.normalized, token.pattern.as_str()))) {
        Some(token) if tokens.iter().filter(|other| other.content == token.content).count() > 1 => {
            let problem = Problem::DuplicateAddedToken { content: token.content.clone() };
            Err(LoadError::at("added_tokens", problem))
        }
        Some(token) => Err(LoadError::unsupported(
            format!("added_tokens[{:?}]", token.content),
            "one of two added tokens that are the same when normalized",
        )),
        None => Ok(()),
    }
}

/// The string of each added token as decoding sees it: its normalized spelling, or the bytes that
/// this spells.
pub fn strings(added: &AddedTokens, as_bytes: bool) -> Vec<(u32, Vec<u8>)> {
    let string = |token: &Added| {
        let mut bytes = Vec::new();
        if as_bytes {
            unspell(token.spelling.as_bytes(), &mut bytes);
        } else {
            bytes.extend_from_slice(token.spelling.as_bytes());
        }
        (token.id, bytes)
    };
    added.tokens().iter().map(string).collect()
}

/// One bit an id: whether `skip_special_tokens` leaves it out.
///
/// Hugging Face asks whether the token's string, as decoding sees it, is that of a token that was
/// ever special; where added tokens bring their ids, those ids count.
pub fn skipped(added: &AddedTokens, vocabulary: &Vocabulary, by_id: bool) -> Vec<u64> {
    let control = || added.tokens().iter().filter(|token| token.control);
    let mut skipped: Vec<u32> = Vec::new();
    if by_id {
        skipped.extend(control().map(|token| token.id));
    } else {
        let contents: HashSet<&str> = control().map(|token| token.content.as_str()).collect();
        let of_model = contents.iter().filter_map(|content| vocabulary.id(content.as_bytes()));
        let overruled = vocabulary.overruled().iter().copied();
        let overruled = overruled
            .filter(|&id| vocabulary.token(id).is_some_and(|token| contents.contains(token)));
        skipped.extend(of_model.chain(overruled).filter(|&id| added.get(id).is_none()));
        // Of tokens that share an id the first one stands.
        let of_added = added.tokens().iter().filter_map(|token| added.get(token.id));
        let of_added = of_added.filter(|token| contents.contains(token.spelling.as_str()));
        skipped.extend(of_added.map(|token| token.id));
    }
    let mut bits = vec![0u64; skipped.iter().map(|id| *id as usize / 64 + 1).max().unwrap_or(0)];
    skipped.iter().for_each(|id| bits[*id as usize / 64] |= 1 << (id % 64));
    bits
}
