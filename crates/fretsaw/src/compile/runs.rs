//! From a SentencePiece model to the runs that its texts can be cut into before anything is done to them.
//!
//! What each character becomes is looked up in the map of characters; a key of several characters makes
//! each behind its first one that goes on with what stands before it. Which characters are neighbours in
//! a piece is read off the pieces. Cost: linear in pieces and map.

use std::collections::{HashMap, HashSet};

use crate::normalize;
use crate::pipeline::Parts;
use crate::prefixes::Prefixes;
use crate::pretokenize::{Role, Runs, RunsBuilder, MARK, UNKNOWN, UNSURE};
use crate::spec::{Model, Normalizer, PieceSearch, PieceType, SentencePiece, TextRules};

/// The runs of the texts of a compiled tokenizer, if it has any.
pub(crate) fn runs(parts: &Parts) -> Option<Runs> {
    let rules = parts.normalizer.as_ref()?.sentence_piece()?;
    match (&**parts.spec.model, &parts.spec.normalizer) {
        (Model::SentencePiece(model), Some(Normalizer::SentencePiece(text))) => {
            of_model(model, text, rules)
        }
        _ => None,
    }
}

/// The runs of a model's texts; `None` where what becomes of a part may depend on the rest.
///
/// That is so where an unused piece is taken apart, where words are looked up whole, where spaces stay
/// or the last of some counts, and where a map or symbols have spaces or are not whole.
fn of_model(
    model: &SentencePiece,
    text: &TextRules,
    rules: &normalize::SentencePiece,
) -> Option<Runs> {
    let searches = match model.search {
        PieceSearch::Unigram => true,
        PieceSearch::Bpe => !model.types.contains(&PieceType::Unused),
        PieceSearch::Word | PieceSearch::Char => false,
    };
    let keeps_spaces = !text.remove_extra_whitespaces;
    let spaces = text.escape_whitespaces && (keeps_spaces || !text.treat_whitespace_as_suffix);
    if !searches || !spaces || model.vocab.len() >= UNKNOWN as usize {
        return None;
    }
    let map = Map::new(rules)?;
    let is_space = |c: char| map.becomes(c).map_or(c == ' ', |made| made == " ");
    let apart = |symbol: &String| {
        symbol.chars().any(is_space) || symbol.starts_with(|c| map.behind.contains_key(&c))
    };
    if !is_space(' ') || map.ascii_grows || text.symbols.iter().any(apart) {
        return None;
    }
    let found = model.vocab.iter().zip(&model.types);
    let found = found
        .filter(|(_, kind)| matches!(kind, PieceType::Normal | PieceType::UserDefined))
        .map(|((piece, id), _)| (piece, id));
    let (mut alone, mut chars) = (HashMap::new(), HashSet::from([' ', MARK]));
    let mut pairs = HashSet::new();
    for (piece, id) in found {
        chars.extend(piece.chars());
        pairs.extend(piece.chars().zip(piece.chars().skip(1)));
        let mut of_piece = piece.chars();
        if let (Some(c), None) = (of_piece.next(), of_piece.next()) {
            alone.insert(c, id);
        }
    }
    chars.extend(map.alone.keys().chain(map.behind.keys()));
    chars.extend(text.symbols.iter().filter_map(|symbol| symbol.chars().next()));
    let symbols = Prefixes::new(text.symbols.iter().map(String::as_str));
    let mut builder = RunsBuilder::new(symbols, pairs.len());
    pairs.iter().for_each(|&(before, behind)| builder.join(before, behind));
    builder.grows_by(map.growth);
    for &c in &chars {
        builder.set(c, map.role(c, &alone, model.byte_fallback, keeps_spaces));
    }
    // A symbol of one character stays as it is, but for a mark where spaces at the end fall away: so do
    // marks, and how many there are is not to be said of one.
    for symbol in text.symbols.iter().filter(|symbol| keeps_spaces || is_solid(symbol)) {
        let mut of_symbol = symbol.chars();
        if let (Some(c), None) = (of_symbol.next(), of_symbol.next()) {
            let id = alone.get(&c).copied().unwrap_or(UNSURE);
            builder.set(c, Role::Plain { first: c, last: c, id });
        }
    }
    Some(builder.build())
}

/// A map of characters as far as it matters where a text is cut.
struct Map {
    /// What a character becomes.
    alone: HashMap<char, String>,
    /// The characters behind the first one of a key, and whether what becomes of every such key ends
    /// with something else than a space.
    behind: HashMap<char, bool>,
    /// How many characters come of a byte of a key at most.
    growth: usize,
    /// Whether more than one may come of a character of ASCII.
    ascii_grows: bool,
}

impl Map {
    /// The map of some rules; `None` where a key or a value is no text.
    fn new(rules: &normalize::SentencePiece) -> Option<Self> {
        let mut map =
            Map { alone: HashMap::new(), behind: HashMap::new(), growth: 1, ascii_grows: false };
        let Some(charsmap) = rules.charsmap() else { return Some(map) };
        let mut is_text = true;
        let is_whole = charsmap.each_char(|c, is_first, made| match made {
            Some(None) => is_text = false,
            made => map.learn(c, is_first, made.flatten()),
        });
        (is_text && is_whole).then_some(map)
    }

    /// Learns of a character of a key, which ends there if it is replaced.
    fn learn(&mut self, c: char, is_first: bool, made: Option<&str>) {
        // A key has at least as many bytes as its last character.
        let growth = made.map_or(1, |made| made.chars().count().div_ceil(c.len_utf8()));
        self.growth = self.growth.max(growth);
        self.ascii_grows |= c.is_ascii() && growth > 1;
        if !is_first {
            *self.behind.entry(c).or_insert(true) &= made.is_none_or(is_solid);
        } else if let Some(made) = made {
            self.alone.insert(c, made.to_owned());
        }
    }

    fn becomes(&self, c: char) -> Option<&str> {
        self.alone.get(&c).map(String::as_str)
    }

    fn role(
        &self,
        c: char,
        pieces: &HashMap<char, u32>,
        byte_fallback: bool,
        keeps_spaces: bool,
    ) -> Role {
        let mut own = [0; 4];
        let made = self.becomes(c).unwrap_or(c.encode_utf8(&mut own));
        if let Some(solid) = self.behind.get(&c) {
            return Role::Continues { solid: *solid && is_solid(made) };
        }
        let mut ends = (made.chars(), made.chars().rev());
        match (ends.0.next(), ends.1.next()) {
            _ if made == " " => Role::Space { ends: keeps_spaces },
            (Some(first), Some(last)) if is_solid(made) && !made.starts_with(' ') => {
                let id = match pieces.get(&first) {
                    _ if made.chars().count() > 1 => UNSURE,
                    Some(&id) => id,
                    // The bytes of an unknown character are those of what it becomes.
                    None if byte_fallback && first != c => UNSURE,
                    None => UNKNOWN,
                };
                Role::Plain { first, last, id }
            }
            _ => Role::Odd,
        }
    }
}

/// Whether a text ends, and with something else than a space.
fn is_solid(made: &str) -> bool {
    !made.is_empty() && !made.ends_with([' ', MARK])
}
