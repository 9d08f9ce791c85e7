//! A model's own tokens: id -> string and string -> id, as the vocabulary file spells them.

use hashbrown::HashMap;

use crate::error::{LoadError, Problem};
use crate::spec::Vocab;
use crate::tables::fret::{Reader, Writer};
use crate::tables::{Array, Repeated, TokenIndex, TokenTable, INDEX_LIMIT};

/// Ids are below this: tables by id stay within 64 MiB whatever a file says.
pub const ID_LIMIT: u32 = INDEX_LIMIT;

/// Token strings both ways.
#[derive(Debug)]
pub struct Vocabulary {
    strings: TokenTable,
    index: TokenIndex,
    /// Ids whose string is found to be another id's.
    overruled: Array<u32>,
    len: usize,
}

/// The names of the tables in a compiled file.
const STRINGS: [&str; 3] = ["string.bytes", "string.offsets", "string.present"];
const INDEX: [&str; 2] = ["index.slots", "index.seed"];
const OVERRULED: &str = "index.overruled";
const LEN: &str = "vocabulary.len";

impl Vocabulary {
    /// Builds the tables from a vocabulary at JSON path `path`.
    ///
    /// A token that stands twice has the last id, as in the oracle. Two tokens with one id are
    /// refused: which of them the id means differs from run to run there.
    pub fn build(vocab: &Vocab, path: &str) -> Result<Self, LoadError> {
        let table_len = table_len(vocab, path)?;
        let mut seen = vec![0u64; table_len.div_ceil(64)];
        let mut is_new = |id: u32| {
            let (word, bit) = (&mut seen[id as usize / 64], 1 << (id % 64));
            let new = *word & bit == 0;
            *word |= bit;
            new
        };
        if vocab.iter().all(|(_, id)| is_new(id)) {
            let ids: Vec<u32> = vocab.iter().map(|(_, id)| id).collect();
            let strings = table(table_len, vocab.iter(), path)?;
            if let Ok(index) = TokenIndex::build(&strings, &ids) {
                return Ok(Self { strings, index, overruled: vec![].into(), len: ids.len() });
            }
        }
        Self::of_last(vocab, path, table_len)
    }

    /// Builds the tables from a vocabulary in which something stands twice.
    fn of_last(vocab: &Vocab, path: &str, table_len: usize) -> Result<Self, LoadError> {
        let ids: HashMap<&str, u32> = vocab.iter().collect();
        let mut owners: HashMap<u32, &str> = HashMap::with_capacity(ids.len());
        for (&token, &id) in &ids {
            if owners.insert(id, token).is_some() {
                return Err(one_id_twice(path, &ids, token, id));
            }
        }
        let strings = table(table_len, ids.iter().map(|(&token, &id)| (token, id)), path)?;
        Ok(Self::of_strings(strings, ids.into_values().collect(), owners.len()))
    }

    /// Builds the tables from a list, in which a token may stand twice: both ids are its, and the
    /// last one is found by it.
    pub fn build_list(vocab: &Vocab, path: &str) -> Result<Self, LoadError> {
        let strings = table(table_len(vocab, path)?, vocab.iter(), path)?;
        Ok(Self::of_strings(strings, vocab.iter().map(|(_, id)| id).collect(), vocab.len()))
    }

    /// The vocabulary without the ids that `left_out` names.
    pub fn without(&self, left_out: impl Fn(u32) -> bool) -> Self {
        let kept = || self.strings.iter().filter(|&(id, _)| !left_out(id));
        let ids: Vec<u32> = kept().map(|(id, _)| id).collect();
        // It is a part of what fits.
        let strings = TokenTable::build(self.strings.len(), kept());
        let len = ids.len();
        Self::of_strings(strings.unwrap_or_else(TokenTable::empty), ids, len)
    }

    /// The tables of some ids' strings; of ids with the same string the last one is found by it.
    fn of_strings(strings: TokenTable, mut ids: Vec<u32>, len: usize) -> Self {
        let mut overruled = Vec::new();
        let index = match TokenIndex::build(&strings, &ids) {
            Ok(index) => index,
            Err(Repeated) => {
                let string = |id: u32| strings.get(id).unwrap_or_default();
                let last: HashMap<&[u8], u32> = ids.iter().map(|&id| (string(id), id)).collect();
                let (found, others) = ids.iter().partition(|&&id| last[string(id)] == id);
                (ids, overruled) = (found, others);
                match TokenIndex::build(&strings, &ids) {
                    Ok(index) => index,
                    Err(Repeated) => unreachable!("keys of a hash table differ"),
                }
            }
        };
        Self { strings, index, overruled: overruled.into(), len }
    }

    /// Writes the tables.
    pub fn store(&self, writer: &mut Writer) {
        self.strings.store(writer, STRINGS);
        self.index.store(writer, INDEX);
        writer.array(OVERRULED, self.overruled.as_slice());
        writer.array(LEN, &[self.len as u64]);
    }

    /// The tables that were written, in place.
    pub fn stored(reader: &Reader) -> Result<Self, LoadError> {
        let len: Array<u64> = reader.array(LEN)?;
        let strings = TokenTable::stored(reader, STRINGS)?;
        let &[len] = len.as_slice() else { return Err(reader.broken()) };
        let len = usize::try_from(len).ok().filter(|&len| len <= strings.len());
        Ok(Self {
            strings,
            index: TokenIndex::stored(reader, INDEX)?,
            overruled: reader.array(OVERRULED)?,
            len: len.ok_or_else(|| reader.broken())?,
        })
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
        self.strings.get(id).map(text)
    }

    /// Id -> token string.
    #[inline]
    pub fn strings(&self) -> &TokenTable {
        &self.strings
    }

    /// Ids whose string is found to be another id's: entries of a list that stand there twice.
    pub fn overruled(&self) -> &[u32] {
        self.overruled.as_slice()
    }

    /// Token strings with their ids, in id order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> + '_ {
        self.strings.iter().map(|(id, token)| (text(token), id))
    }
}

/// One past the largest id; refuses ids that tables by id have no room for.
fn table_len(vocab: &Vocab, path: &str) -> Result<usize, LoadError> {
    match vocab.iter().find(|&(_, id)| id >= ID_LIMIT) {
        Some((token, id)) => Err(above_limit(format!("{path}[{token:?}]"), id)),
        None => Ok(vocab.iter().map(|(_, id)| id as usize + 1).max().unwrap_or(0)),
    }
}

/// Id -> string of some tokens.
fn table<'a>(
    table_len: usize,
    tokens: impl Iterator<Item = (&'a str, u32)>,
    path: &str,
) -> Result<TokenTable, LoadError> {
    let by_id = tokens.map(|(token, id)| (id, token.as_bytes()));
    TokenTable::build(table_len, by_id).ok_or_else(|| too_long(path))
}

/// A token that came as text.
fn text(token: &[u8]) -> &str {
    std::str::from_utf8(token).unwrap_or_default()
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
