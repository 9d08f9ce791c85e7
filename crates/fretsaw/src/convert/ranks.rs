//! Ranks of tiktoken -> a tokenizer.json's byte-pair encoding.
//!
//! Every pair whose joined bytes are a token becomes a merge, in the order of the tokens' ranks. Among
//! pairs that make one token the order can matter in two cases: where two of them want the same symbol,
//! which takes a text that repeats itself, and where a part of the token has a higher rank than the
//! token. The pair with the longer left part comes first, since repetitions are cut from the left; texts
//! of such pairs show whether it makes no difference.
//!
//! The pattern has to be one whose meaning is known, so that it can be written for the other engine.
//! Each engine has its own version of Unicode: characters that are younger than the older one's may be
//! cut in another way.

use std::collections::HashSet;
use std::sync::Arc;

use crate::byte_level;
use crate::compile::{hugging_face_pattern, joined_merges};
use crate::error::{LoadError, Problem};
use crate::spec::{
    AddedToken, Bpe, Defaults, LazyModel, MergeList, Merges, Model, Pattern, PreTokenizer, Spec,
    SplitBehavior, Vocab,
};

/// The same tokenizer with merges as a list, and texts whose ids show whether it is.
pub fn to_pairs(spec: &Spec) -> Result<(Spec, Vec<String>), LoadError> {
    let Model::Bpe(model) = &**spec.model else {
        return Err(LoadError::unsupported("model", "not byte-pair encoding"));
    };
    let Some((pattern, special)) = spec.ranks() else {
        return Err(LoadError::unsupported("model.merges", "a list already"));
    };
    let Some(split) = hugging_face_pattern(&Pattern::Fancy(pattern.to_owned())) else {
        let value = format_args!("{pattern:?}, which has no known counterpart in the other engine");
        return Err(LoadError::unsupported("pattern", value));
    };
    let mut vocab = model.vocab.clone();
    let own: HashSet<&str> = model.vocab.iter().map(|(token, _)| token).collect();
    for (content, id) in &special {
        // Only as a token of the model does it keep its id.
        if own.contains(content.as_str()) {
            let value = format_args!("{id}, but its string is spelled by another token");
            return Err(LoadError::unsupported(format!("special_tokens[{content:?}]"), value));
        }
        push(&mut vocab, content, *id)?;
    }
    let flags = (false, true, false);
    let bytes = PreTokenizer::ByteLevel {
        add_prefix_space: flags.0,
        trim_offsets: flags.1,
        use_regex: flags.2,
    };
    let split = PreTokenizer::Split {
        pattern: Pattern::Onig(split),
        behavior: SplitBehavior::Isolated,
        invert: false,
    };
    let (merges, doubtful) = merges(&model.vocab)?;
    let added = |token: &AddedToken| AddedToken { special: true, ..token.clone() };
    let same = Spec {
        added_tokens: spec.added_tokens.iter().map(added).collect(),
        pre_tokenizer: Some(PreTokenizer::Sequence(vec![split, bytes])),
        model: Arc::new(LazyModel::Now(Model::Bpe(Bpe {
            merges: Merges::Pairs(merges),
            vocab,
            ..model.clone()
        }))),
        defaults: Defaults::HUGGING_FACE,
        ..spec.clone()
    };
    Ok((same, doubtful))
}

fn push(vocab: &mut Vocab, token: &str, id: u32) -> Result<(), LoadError> {
    if vocab.push(token, id) {
        return Ok(());
    }
    let limit = u32::MAX as usize;
    Err(LoadError::at("model.vocab", Problem::TooMany { what: "bytes of tokens", limit }))
}

/// All merges of a vocabulary of ranks, and texts of those whose order might matter.
fn merges(vocab: &Vocab) -> Result<(MergeList, Vec<String>), LoadError> {
    let size = vocab.iter().map(|(_, id)| id as usize + 1).max().unwrap_or(0);
    let mut tokens = vec![""; size];
    vocab.iter().for_each(|(token, id)| tokens[id as usize] = token);
    let mut merges = joined_merges(vocab.iter());
    let left_len = |left: u32| std::cmp::Reverse(tokens[left as usize].len());
    merges.sort_by_key(|&[left, _, rank, _]| (rank, left_len(left)));
    let mut list = MergeList::new();
    for [left, right, ..] in &merges {
        if !list.push(tokens[*left as usize], tokens[*right as usize]) {
            let limit = u32::MAX as usize;
            let problem = Problem::TooMany { what: "bytes of merges", limit };
            return Err(LoadError::at("model.merges", problem));
        }
    }
    let doubtful = doubtful(&merges).into_iter().flat_map(|[left, right]| {
        let [left, right] = [left, right].map(|id| tokens[id as usize]);
        texts(left, right)
    });
    Ok((list, doubtful.collect()))
}

/// The pairs whose order among those of their rank might matter.
fn doubtful(merges: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for group in merges.chunk_by(|a, b| a[2] == b[2]).filter(|group| group.len() > 1) {
        let lefts: HashSet<u32> = group.iter().map(|merge| merge[0]).collect();
        let is_doubtful = |merge: &&[u32; 4]| {
            let [left, right, rank, _] = **merge;
            left >= rank || right >= rank || left != right && lefts.contains(&right)
        };
        found.extend(group.iter().filter(is_doubtful).map(|&[left, right, ..]| [left, right]));
    }
    found
}

/// Texts in which a pair stands beside itself and beside its parts, as far as they are text.
fn texts(left: &str, right: &str) -> impl Iterator<Item = String> {
    let bytes = |parts: &[&str]| -> Option<String> {
        let spelled = parts.concat();
        let bytes: Option<Vec<u8>> = spelled.chars().map(byte_level::byte_of).collect();
        String::from_utf8(bytes?).ok()
    };
    let (one, two) = (left, right);
    let texts = [
        bytes(&[one, two]),
        bytes(&[one, one, two]),
        bytes(&[one, two, two]),
        bytes(&[one, two, one]),
        bytes(&[two, one, two]),
        bytes(&[one, two, one, two, one, two]),
        bytes(&["a", one, two, one, two, "a"]),
    ];
    texts.into_iter().flatten()
}
