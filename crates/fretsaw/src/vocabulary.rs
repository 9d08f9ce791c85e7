//! A model's own tokens: id -> string and string -> id, as the vocabulary file spells them.

use hashbrown::HashMap;

use crate::error::{LoadError, Problem};
use crate::spec::Vocab;
use crate::tables::{TokenIndex, TokenTable};

/// Ids are below this: tables by id stay within 64 MiB whatever a file says.
pub const ID_LIMIT: u32 = 1 << 24;

/// Token strings both ways.
#[derive(Debug)]
pub struct Vocabulary {
    strings: TokenTable,
    index: TokenIndex,
    len: usize,
}

impl Vocabulary {
    /// Builds the tables from a vocabulary at JSON path `path`, without the ids that `left_out`
    /// names.
    ///
    /// A token that stands twice has the last id, as in the oracle. Two tokens with one id are
    /// refused: which of them the id means differs from run to run there.
    pub fn build(
        vocab: &Vocab,
        path: &str,
        left_out: impl Fn(u32) -> bool,
    ) -> Result<Self, LoadError> {
        check_limit(vocab, path)?;
        let mut ids: HashMap<&str, u32> = HashMap::with_capacity(vocab.len());
        ids.extend(vocab.iter());
        let table_len = ids.values().max().map_or(0, |&id| id as usize + 1);
        let mut seen = vec![0u64; table_len.div_ceil(64)];
        for (&token, &id) in &ids {
            let (word, bit) = (&mut seen[id as usize / 64], 1 << (id % 64));
            if *word & bit != 0 {
                return Err(one_id_twice(path, &ids, token, id));
            }
            *word |= bit;
        }
        ids.retain(|_, id| !left_out(*id));
        let by_id = ids.iter().map(|(&token, &id)| (id, token.as_bytes()));
        let strings = TokenTable::build(table_len, by_id).ok_or_else(|| too_long(path))?;
        let index = TokenIndex::build(&strings, ids.values().copied());
        Ok(Self { strings, index, len: ids.len() })
    }

    /// Builds the tables from a list, in which a token may stand twice: both ids are its, and the
    /// last one is found by it.
    pub fn build_list(
        vocab: &Vocab,
        path: &str,
        left_out: impl Fn(u32) -> bool,
    ) -> Result<Self, LoadError> {
        check_limit(vocab, path)?;
        let kept = || vocab.iter().filter(|&(_, id)| !left_out(id));
        let mut last: HashMap<&str, u32> = HashMap::with_capacity(vocab.len());
        last.extend(kept());
        let table_len = vocab.iter().map(|(_, id)| id as usize + 1).max().unwrap_or(0);
        let by_id = kept().map(|(token, id)| (id, token.as_bytes()));
        let strings = TokenTable::build(table_len, by_id).ok_or_else(|| too_long(path))?;
        let index = TokenIndex::build(&strings, last.values().copied());
        Ok(Self { strings, index, len: vocab.len() })
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One past the largest id.
    pub fn id_end(&self) -> u32 {
        self.strings.len() as u32
    }

    /// The id of a token string.
    #[inline]
    pub fn id(&self, token: &[u8]) -> Option<u32> {
        self.index.get(&self.strings, token)
    }

    /// The token string of an id.
    #[inline]
    pub fn token(&self, id: u32) -> Option<&str> {
        self.strings.get(id).and_then(|token| std::str::from_utf8(token).ok())
    }

    /// Token strings with their ids, in id order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> + '_ {
        self.strings.iter().map(|(id, token)| (std::str::from_utf8(token).unwrap_or(""), id))
    }
}

/// Refuses ids that tables by id have no room for.
fn check_limit(vocab: &Vocab, path: &str) -> Result<(), LoadError> {
    match vocab.iter().find(|&(_, id)| id >= ID_LIMIT) {
        Some((token, id)) => Err(above_limit(format!("{path}[{token:?}]"), id)),
        None => Ok(()),
    }
}

/// The error of an id that tables by id have no room for.
pub fn above_limit(field: String, id: u32) -> LoadError {
    LoadError::unsupported(field, format_args!("{id}, above the limit {ID_LIMIT}"))
}

/// The error of tokens that are too long all together.
pub fn too_long(path: &str) -> LoadError {
    LoadError::at(path, Problem::TooMany { what: "bytes of tokens", limit: u32::MAX as usize })
}

/// The error of two tokens that have one id, of which `token` is one.
fn one_id_twice(path: &str, ids: &HashMap<&str, u32>, token: &str, id: u32) -> LoadError {
    let mut owners: Vec<&str> =
        ids.iter().filter(|&(_, &other)| other == id).map(|(&token, _)| token).collect();
    owners.sort_unstable();
    let (first, second) = (owners[0], owners.get(1).copied().unwrap_or(token));
    LoadError::unsupported(
        format!("{path}[{second:?}]"),
        format_args!("{id}, which is the id of {first:?} as well"),
    )
}
