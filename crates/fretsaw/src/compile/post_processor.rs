//! The post-processor of a spec, for single texts and pairs.
//!
//! In the oracle a processor turns a list of encodings, one for a text, into another list, and what
//! the last one leaves is joined. A template leaves each of its parts as one, so that a processor
//! behind it sees several, of which the first is to it the text and the others are its pair. Here
//! processors are run once, at load, over parts that stand for encodings.
//!
//! Source: `processors/*.rs` of Hugging Face tokenizers 0.23.3.

use crate::added_tokens::AddedTokens;
use crate::error::LoadError;
use crate::post_process::{Arrangement, Part, PostProcessor};
use crate::spec::{self, TemplatePiece, TemplateToken};
use crate::vocabulary::Vocabulary;

/// What stands for one encoding.
type Parts = Vec<Part>;

/// Compiles a post-processor.
///
/// Fails where it can't be used for a single text.
pub fn post_processor(
    spec: Option<&spec::PostProcessor>,
    added: &AddedTokens,
    vocabulary: &Vocabulary,
) -> Result<PostProcessor, LoadError> {
    let arrangement = |texts: usize| {
        let made = |add_special_tokens| {
            let mut list: Vec<Parts> = (0..texts).map(|at| vec![Part::Text(at)]).collect();
            if let Some(spec) = spec {
                list = run(spec, "post_processor", list, add_special_tokens)?;
            }
            let mut parts: Parts = list.into_iter().flatten().collect();
            parts.iter_mut().for_each(|part| forget_usual_names(part, added, vocabulary));
            Ok::<_, LoadError>(parts)
        };
        (made(true), made(false), spec.map_or(0, |spec| added_tokens(spec, texts > 1)))
    };
    let (with_special, bare, added) = arrangement(1);
    let (with_special, bare) = (Some(with_special?), Some(bare?));
    let single = Arrangement { with_special, bare, added };
    let (with_special, bare, added) = arrangement(2);
    let pair = Arrangement { with_special: with_special.ok(), bare: bare.ok(), added };
    Ok(PostProcessor { single, pair })
}

/// Leaves out the token strings that the ids have anyway.
fn forget_usual_names(part: &mut Part, added: &AddedTokens, vocabulary: &Vocabulary) {
    let Part::Special { ids, tokens } = part else { return };
    let string = |id: &u32| {
        let added = || added.get(*id).map(|token| token.spelling.as_str());
        vocabulary.token(*id).or_else(added).unwrap_or("")
    };
    if ids.iter().map(string).eq(tokens.iter().map(String::as_str)) {
        tokens.clear();
    }
}

/// How many tokens the oracle takes a processor to add to a text or a pair.
fn added_tokens(spec: &spec::PostProcessor, is_pair: bool) -> usize {
    match spec {
        spec::PostProcessor::ByteLevel { .. } => 0,
        spec::PostProcessor::Bert { .. } => 2 + usize::from(is_pair),
        spec::PostProcessor::Roberta { .. } => 2 + 2 * usize::from(is_pair),
        spec::PostProcessor::Sequence(processors) => {
            processors.iter().map(|spec| added_tokens(spec, is_pair)).sum()
        }
        spec::PostProcessor::Template { single, pair, special_tokens } => {
            let ids = |piece: &TemplatePiece| match piece {
                TemplatePiece::Sequence { .. } => 0,
                TemplatePiece::SpecialToken { id, .. } => {
                    let token = special_tokens.iter().find(|token| token.id == *id);
                    token.map_or(0, |token| token.ids.len())
                }
            };
            if is_pair { pair } else { single }.iter().map(ids).sum()
        }
    }
}

/// What a processor makes of a list of encodings.
fn run(
    spec: &spec::PostProcessor,
    path: &str,
    list: Vec<Parts>,
    add_special_tokens: bool,
) -> Result<Vec<Parts>, LoadError> {
    match spec {
        spec::PostProcessor::ByteLevel { .. } => Ok(list),
        spec::PostProcessor::Sequence(processors) => {
            let mut list = list;
            for (at, processor) in processors.iter().enumerate() {
                let path = format!("{path}.processors[{at}]");
                list = run(processor, &path, list, add_special_tokens)?;
            }
            Ok(list)
        }
        spec::PostProcessor::Bert { .. } | spec::PostProcessor::Roberta { .. }
            if !add_special_tokens =>
        {
            Ok(list)
        }
        spec::PostProcessor::Bert { sep, cls } => Ok(around(list, cls, sep, false)),
        spec::PostProcessor::Roberta { sep, cls, .. } => Ok(around(list, cls, sep, true)),
        spec::PostProcessor::Template { single, pair, special_tokens } => {
            let (pieces, key) = match list.len() {
                1 => (single, "single"),
                2 => (pair, "pair"),
                _ => return Err(LoadError::unsupported(path, "a template behind another one")),
            };
            let path = format!("{path}.{key}");
            template(pieces, special_tokens, &path, &list, add_special_tokens)
        }
    }
}

/// The first encoding between two tokens, the others each before one, and with `twice` behind one.
fn around(list: Vec<Parts>, cls: &(String, u32), sep: &(String, u32), twice: bool) -> Vec<Parts> {
    let special =
        |(token, id): &(String, u32)| Part::Special { ids: vec![*id], tokens: vec![token.clone()] };
    let wrapped = list.into_iter().enumerate().map(|(at, parts)| {
        let front = match at {
            0 => Some(special(cls)),
            _ => twice.then(|| special(sep)),
        };
        front.into_iter().chain(parts).chain([special(sep)]).collect()
    });
    wrapped.collect()
}

fn template(
    pieces: &[TemplatePiece],
    special_tokens: &[TemplateToken],
    path: &str,
    list: &[Parts],
    add_special_tokens: bool,
) -> Result<Vec<Parts>, LoadError> {
    let mut made = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            TemplatePiece::Sequence { id, .. } => {
                let missing =
                    || LoadError::unsupported(format!("{path}[{at}]"), "the second sequence");
                made.push(list.get(usize::from(*id)).ok_or_else(missing)?.clone());
            }
            TemplatePiece::SpecialToken { id, .. } => {
                let token = special_token(id, special_tokens, path, at)?;
                made.extend(add_special_tokens.then(|| vec![token]));
            }
        }
    }
    Ok(made)
}

fn special_token(
    id: &str,
    special_tokens: &[TemplateToken],
    path: &str,
    at: usize,
) -> Result<Part, LoadError> {
    match special_tokens.iter().find(|token| token.id == id) {
        Some(token) if token.ids.len() == token.tokens.len() => {
            Ok(Part::Special { ids: token.ids.clone(), tokens: token.tokens.clone() })
        }
        Some(_) => {
            let field = format!("{path}.special_tokens[{id:?}]");
            Err(LoadError::unsupported(field, "of ids and tokens that differ in number"))
        }
        None => {
            let value = format_args!("{id:?}, which special_tokens does not have");
            Err(LoadError::unsupported(format!("{path}[{at}]"), value))
        }
    }
}
