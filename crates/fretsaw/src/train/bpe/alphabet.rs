//! The first tokens (special tokens, alphabet, symbols with a prefix or suffix), and words spelled
//! in them.
//!
//! Which characters the oracle drops among equally rare ones, and in which order it meets symbols
//! with a prefix or suffix, differs from run to run there. Here, of characters that were seen equally
//! often those with the higher code point are dropped first, and such symbols have ids in the order
//! of their bytes.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::words::Words;
use super::{BpeTrainer, Tokens};
use crate::error::TrainError;
use crate::train::{Counts, Watch};

/// A character and whether it stands first and last in its word.
pub(super) type Placed = (char, bool, bool);

impl BpeTrainer {
    /// Fills `tokens` with the first tokens and spells the words.
    pub(super) fn start(
        &self,
        counts: &Counts,
        tokens: &mut Tokens,
        watch: Watch<'_>,
    ) -> Result<Words, TrainError> {
        self.first_tokens(&[counts], tokens)?;
        watch.tell("words", 0, counts.len() as u64)?;
        let ids = self.symbol_ids(&[counts], tokens)?;
        Ok(self.spell(counts, &ids))
    }

    /// Special tokens and the alphabet of all words.
    pub(super) fn first_tokens(
        &self,
        counts: &[&Counts],
        tokens: &mut Tokens,
    ) -> Result<(), TrainError> {
        for token in &self.special_tokens {
            tokens.id(token)?;
        }
        for c in self.alphabet(counts) {
            tokens.id(c.encode_utf8(&mut [0; 4]))?;
        }
        Ok(())
    }

    /// The ids of the symbols that words are spelled in; symbols with affixes become tokens.
    pub(super) fn symbol_ids(
        &self,
        counts: &[&Counts],
        tokens: &mut Tokens,
    ) -> Result<SymbolIds, TrainError> {
        if self.continuing_subword_prefix.is_none() && self.end_of_word_suffix.is_none() {
            return Ok(SymbolIds::Chars(CharIds::new(tokens)));
        }
        Ok(SymbolIds::Placed(self.affixed(counts, tokens)?))
    }

    /// The characters to keep, in the order of their code points.
    fn alphabet(&self, counts: &[&Counts]) -> Vec<char> {
        let mut seen = CharCounts::default();
        for (word, count) in counts.iter().flat_map(|counts| counts.iter()) {
            word.chars().for_each(|c| seen.add(c, count));
        }
        let mut seen = seen.into_map();
        let total: f64 = seen.values().map(|&count| count as f64).sum();
        for &c in &self.initial_alphabet {
            seen.insert(c, u64::MAX);
        }
        let mut kept: Vec<(char, u64)> = seen.into_iter().collect();
        kept.sort_unstable_by_key(|&(c, count)| (std::cmp::Reverse(count), c));
        if self.character_coverage < 1.0 {
            let mut reached = 0.0;
            kept.retain(|&(_, count)| {
                let is_wanted = count == u64::MAX || reached < self.character_coverage * total;
                reached += if count == u64::MAX { 0.0 } else { count as f64 };
                is_wanted
            });
        }
        kept.truncate(self.limit_alphabet.unwrap_or(usize::MAX));
        let mut kept: Vec<char> = kept.into_iter().map(|(c, _)| c).collect();
        kept.sort_unstable();
        kept
    }

    /// The symbols of characters by where they stand in words, which get ids if they have none.
    fn affixed(
        &self,
        counts: &[&Counts],
        tokens: &mut Tokens,
    ) -> Result<HashMap<Placed, u32>, TrainError> {
        let mut places: HashSet<Placed> = HashSet::new();
        for (word, _) in counts.iter().flat_map(|counts| counts.iter()) {
            places.extend(placed(word));
        }
        places.retain(|(c, _, _)| tokens.ids.contains_key(c.encode_utf8(&mut [0; 4]) as &str));
        let symbols: HashMap<Placed, String> =
            places.into_iter().map(|placed| (placed, self.symbol(placed))).collect();
        let mut left: BTreeSet<&str> = symbols.values().map(String::as_str).collect();
        for symbol in &self.affixed_order {
            if left.remove(symbol.as_str()) {
                tokens.id(symbol)?;
            }
        }
        for symbol in left {
            tokens.id(symbol)?;
        }
        symbols.iter().map(|(&placed, symbol)| Ok((placed, tokens.id(symbol)?))).collect()
    }

    fn symbol(&self, (c, first, last): Placed) -> String {
        let mut symbol = String::new();
        if let Some(prefix) = self.continuing_subword_prefix.as_deref().filter(|_| !first) {
            symbol.push_str(prefix);
        }
        symbol.push(c);
        if let Some(suffix) = self.end_of_word_suffix.as_deref().filter(|_| last) {
            symbol.push_str(suffix);
        }
        symbol
    }

    /// Words as symbols; characters without one are left out, and their neighbours meet.
    pub(super) fn spell(&self, counts: &Counts, ids: &SymbolIds) -> Words {
        match ids {
            SymbolIds::Chars(ids) => self.spell_by(counts, |(c, _, _)| ids.get(c)),
            SymbolIds::Placed(ids) => self.spell_by(counts, |placed| ids.get(&placed).copied()),
        }
    }

    fn spell_by(&self, counts: &Counts, id: impl Fn(Placed) -> Option<u32>) -> Words {
        let lens = self.max_token_length.map(|_| Vec::new());
        let mut words = Words { lens, ..Words::default() };
        let mut symbols = Vec::new();
        for (word, count) in counts.iter() {
            symbols.clear();
            symbols.extend(placed(word).filter_map(&id));
            words.push(&symbols, count);
        }
        words
    }

    /// Words as symbols that are tokens already; words with another one are left out.
    pub(super) fn spell_known(&self, counts: &Counts, ids: &SymbolIds, tokens: &Tokens) -> Words {
        let id = |placed: Placed| match ids {
            SymbolIds::Chars(ids) => ids.get(placed.0),
            SymbolIds::Placed(_) => {
                tokens.ids.get(placed.0.encode_utf8(&mut [0; 4]) as &str)?;
                tokens.ids.get(&self.symbol(placed)).copied()
            }
        };
        let mut words = Words::default();
        for (word, count) in counts.iter() {
            if let Some(symbols) = placed(word).map(id).collect::<Option<Vec<u32>>>() {
                words.push(&symbols, count);
            }
        }
        words
    }
}

/// The ids of symbols: of characters, or where there are affixes by where they stand.
pub(super) enum SymbolIds {
    Chars(CharIds),
    Placed(HashMap<Placed, u32>),
}

fn placed(word: &str) -> impl Iterator<Item = Placed> + '_ {
    let end = word.len();
    word.char_indices().map(move |(at, c)| (c, at == 0, at + c.len_utf8() == end))
}

/// How many characters have a place in a flat table: all that the byte alphabet has, and more.
const FLAT: usize = 0x800;

/// Counts of characters.
struct CharCounts {
    flat: Vec<u64>,
    others: HashMap<char, u64>,
}

impl Default for CharCounts {
    fn default() -> Self {
        Self { flat: vec![0; FLAT], others: HashMap::new() }
    }
}

impl CharCounts {
    #[inline]
    fn add(&mut self, c: char, count: u64) {
        let sum = match self.flat.get_mut(c as usize) {
            Some(sum) => sum,
            None => self.others.entry(c).or_default(),
        };
        *sum = sum.saturating_add(count);
    }

    fn into_map(self) -> HashMap<char, u64> {
        let mut all = self.others;
        let flat = (0u32..).zip(self.flat).filter(|(_, count)| *count > 0);
        all.extend(flat.filter_map(|(c, count)| Some((char::from_u32(c)?, count))));
        all
    }
}

/// The ids of tokens that are single characters.
pub(super) struct CharIds {
    flat: Vec<Option<u32>>,
    others: HashMap<char, u32>,
}

impl CharIds {
    fn new(tokens: &Tokens) -> Self {
        let mut ids = CharIds { flat: vec![None; FLAT], others: HashMap::new() };
        for (token, id) in tokens.strings.iter().zip(0..) {
            let mut chars = token.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else { continue };
            match ids.flat.get_mut(c as usize) {
                Some(place) => *place = Some(id),
                None => {
                    ids.others.insert(c, id);
                }
            }
        }
        ids
    }

    #[inline]
    fn get(&self, c: char) -> Option<u32> {
        match self.flat.get(c as usize) {
            Some(id) => *id,
            None => self.others.get(&c).copied(),
        }
    }
}
