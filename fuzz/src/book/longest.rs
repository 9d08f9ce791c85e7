//! WordPiece: the longest token that the rest of a word starts with, again and again; a word that does
//! not go up in tokens is unknown as a whole.

use std::collections::HashMap;

/// The ids of a word; `None` where the unknown token is needed and is not there.
pub fn longest_first(
    vocab: &HashMap<String, u32>,
    prefix: &str,
    unknown: &str,
    max_chars: usize,
    word: &str,
) -> Option<Vec<u32>> {
    let unknown = vocab.get(unknown).map(|&id| vec![id]);
    if word.chars().count() > max_chars {
        return unknown;
    }
    let (mut ids, mut start) = (Vec::new(), 0);
    while start < word.len() {
        let prefix = if start > 0 { prefix } else { "" };
        let mut ends = (start + 1..=word.len()).rev().filter(|&end| word.is_char_boundary(end));
        let found =
            ends.find_map(|end| Some((*vocab.get(&[prefix, &word[start..end]].concat())?, end)));
        let Some((id, end)) = found else { return unknown };
        ids.push(id);
        start = end;
    }
    Some(ids)
}
