//! A SentencePiece `.model` -> [`Spec`], as sentencepiece 0.2.3 loads it.
//!
//! The file is a protobuf message: pieces with scores and types, how the model was trained, and how
//! texts are normalized. What that library refuses is refused here as well, with the field's name; so
//! is what it takes but can't be kept apart in one table of tokens, and text that is not UTF-8.
//! Reading is linear in the file.

pub(super) mod proto;
#[cfg(test)]
mod tests;
mod write;

use std::collections::HashMap;
use std::sync::Arc;

use prost::Message;
use serde::{Deserialize, Serialize};

use super::{
    AddedToken, Decoder, DefaultSpecial, Defaults, LazyModel, Model, Normalizer, Spec, Vocab,
};
use crate::error::{LoadError, Problem};
pub use write::to_sentencepiece;

use proto::{ModelProto, NormalizerSpec, Piece, TrainerSpec};

/// How pieces are found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PieceSearch {
    /// The highest sum of scores.
    Unigram,
    /// Merges, the highest score first.
    Bpe,
    /// A piece for each word.
    Word,
    /// A piece for each character.
    Char,
}

/// What a piece is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PieceType {
    /// It is found by its score.
    Normal,
    /// It stands for what no other piece does.
    Unknown,
    /// No text yields it.
    Control,
    /// It is found wherever it stands.
    UserDefined,
    /// It is never found.
    Unused,
    /// It stands for a byte.
    Byte,
}

/// A model of SentencePiece: the piece `vocab[i]` has the score `scores[i]`, the type `types[i]` and the
/// id `i`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SentencePiece {
    /// How pieces are found.
    pub search: PieceSearch,
    /// Pieces; ids are places.
    pub vocab: Vocab,
    /// Scores: the order of merges, or logarithms of probabilities.
    pub scores: Vec<f32>,
    /// What each piece is there for.
    pub types: Vec<PieceType>,
    /// Whether unknown characters become pieces of their bytes (`<0x0A>`).
    pub byte_fallback: bool,
    /// The strings of the unknown piece, of those for start and end of a text, and of padding.
    pub names: [String; 4],
}

/// What SentencePiece does to a text before the model sees it, and to decoded text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextRules {
    /// The map of characters; empty for none.
    #[serde(with = "serde_bytes")]
    pub charsmap: Vec<u8>,
    /// Whether a space is put in front (or behind).
    pub add_dummy_prefix: bool,
    /// Whether spaces fall away at both ends, and all but one of several.
    pub remove_extra_whitespaces: bool,
    /// Whether a space becomes `▁`.
    pub escape_whitespaces: bool,
    /// Whether the space of `add_dummy_prefix` stands behind.
    pub treat_whitespace_as_suffix: bool,
    /// Texts that the map does not touch.
    pub symbols: Vec<String>,
}

impl Defaults {
    /// The defaults of sentencepiece.
    pub const SENTENCEPIECE: Defaults = Defaults {
        special: DefaultSpecial::None,
        skip_special_tokens: true,
        strict_ids: true,
        added_ids_as_given: true,
        skipped_tokens_separate: true,
    };
}

const NULL_PIECE: &[u8] = b"\0";

/// Whether a file that is no text may be a model: it starts with a field of one.
pub(super) fn looks_like_model(bytes: &[u8]) -> bool {
    // The first piece, its length in one or two bytes, and its string.
    matches!(bytes, [0x0A, 0..=0x7F, 0x0A, ..] | [0x0A, 0x80..=0xFF, 0..=0x7F, 0x0A, ..])
}

/// Reads the content of a `.model` file.
///
/// # Errors
///
/// [`LoadError::Invalid`] with the field that sentencepiece refuses as well;
/// [`LoadError::Unsupported`] where it does not, but can't be followed exactly.
pub fn from_sentencepiece(bytes: &[u8]) -> Result<Spec, LoadError> {
    let proto = ModelProto::decode(bytes).map_err(|error| {
        let found = format!("bytes that are none ({error})");
        LoadError::at("$", Problem::WrongType { found, expected: "a model of SentencePiece" })
    })?;
    from_proto(proto)
}

/// The tokenizer of a model's messages.
pub(super) fn from_proto(proto: ModelProto) -> Result<Spec, LoadError> {
    let trainer = proto.trainer_spec.unwrap_or_default();
    let normalizer = proto.normalizer_spec.unwrap_or_default();
    let model = model(&proto.pieces, &trainer)?;
    let symbols = model.pieces_of(PieceType::UserDefined).map(|(piece, _)| piece.to_owned());
    let suffix = trainer.treat_whitespace_as_suffix();
    let rules = rules(normalizer, suffix, symbols.collect());
    let denormalizer = proto.denormalizer_spec.map(|spec| self::rules(spec, false, Vec::new()));
    let control = model
        .pieces_of(PieceType::Control)
        .map(|(content, id)| AddedToken::plain(content, id, true));
    let unk_surface = match trainer.unk_surface {
        Some(surface) => text(surface, "trainer_spec.unk_surface")?,
        None => " \u{2047} ".to_owned(),
    };
    Ok(Spec {
        added_tokens: control.collect(),
        added_later: Vec::new(),
        decoder: Some(Decoder::SentencePiece {
            unk_surface,
            strips_first: rules.add_dummy_prefix || rules.remove_extra_whitespaces,
            strips_all: rules.remove_extra_whitespaces,
            denormalizer: denormalizer.filter(|rules| !rules.charsmap.is_empty()),
        }),
        normalizer: Some(Normalizer::SentencePiece(rules)),
        pre_tokenizer: None,
        model: Arc::new(LazyModel::Now(Model::SentencePiece(model))),
        post_processor: None,
        truncation: None,
        padding: None,
        chat_template: None,
        defaults: Defaults::SENTENCEPIECE,
    })
}

impl SentencePiece {
    /// Whether each piece has a score, a type, and its place as its id.
    pub fn is_whole(&self) -> bool {
        let len = self.vocab.len();
        let ids_are_places = (0..).zip(self.vocab.iter()).all(|(place, (_, id))| place == id);
        self.scores.len() == len && self.types.len() == len && ids_are_places
    }

    /// The pieces of a type with their ids.
    pub fn pieces_of(&self, wanted: PieceType) -> impl Iterator<Item = (&str, u32)> + '_ {
        let typed = self.vocab.iter().zip(&self.types);
        typed.filter(move |(_, found)| **found == wanted).map(|(entry, _)| entry)
    }
}

fn rules(spec: NormalizerSpec, suffix: bool, symbols: Vec<String>) -> TextRules {
    TextRules {
        add_dummy_prefix: spec.add_dummy_prefix.unwrap_or(true),
        remove_extra_whitespaces: spec.remove_extra_whitespaces.unwrap_or(true),
        escape_whitespaces: spec.escape_whitespaces.unwrap_or(true),
        charsmap: spec.precompiled_charsmap.unwrap_or_default(),
        treat_whitespace_as_suffix: suffix,
        symbols,
    }
}

fn text(bytes: Vec<u8>, path: &str) -> Result<String, LoadError> {
    String::from_utf8(bytes).map_err(|error| {
        let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
        LoadError::unsupported(path, format_args!("{shown:?}, which is not UTF-8"))
    })
}

fn model(pieces: &[Piece], trainer: &TrainerSpec) -> Result<SentencePiece, LoadError> {
    let search = match trainer.model_type {
        Some(2) => PieceSearch::Bpe,
        Some(3) => PieceSearch::Word,
        Some(4) => PieceSearch::Char,
        _ => PieceSearch::Unigram,
    };
    let byte_fallback = trainer.byte_fallback();
    let mut vocab = Vocab::new();
    let mut scores = Vec::with_capacity(pieces.len());
    let mut types = Vec::with_capacity(pieces.len());
    for (place, piece) in pieces.iter().enumerate() {
        let path = format!("pieces[{place}]");
        let bytes = piece.piece.clone().unwrap_or_default();
        let kind = match piece.r#type {
            _ if byte_fallback && bytes == NULL_PIECE => PieceType::Unused,
            Some(2) => PieceType::Unknown,
            Some(3) => PieceType::Control,
            Some(4) => PieceType::UserDefined,
            Some(5) => PieceType::Unused,
            Some(6) => PieceType::Byte,
            _ => PieceType::Normal,
        };
        check_piece(&bytes, kind, byte_fallback, &path)?;
        let score = piece.score();
        if search == PieceSearch::Unigram && !score.is_finite() {
            let (value, expected) = (score.to_string(), "a finite number");
            return Err(LoadError::at(
                format!("{path}.score"),
                Problem::OutOfRange { value, expected },
            ));
        }
        if !vocab.push(&text(bytes, &format!("{path}.piece"))?, place as u32) {
            let limit = u32::MAX as usize;
            return Err(LoadError::at(
                "pieces",
                Problem::TooMany { what: "bytes of tokens", limit },
            ));
        }
        scores.push(score);
        types.push(kind);
    }
    let name = |given: &Option<Vec<u8>>, usual: &str, path: &str| match given {
        Some(name) if !name.is_empty() => text(name.clone(), path),
        _ => Ok(usual.to_owned()),
    };
    let names = [
        name(&trainer.unk_piece, "<unk>", "trainer_spec.unk_piece")?,
        name(&trainer.bos_piece, "<s>", "trainer_spec.bos_piece")?,
        name(&trainer.eos_piece, "</s>", "trainer_spec.eos_piece")?,
        name(&trainer.pad_piece, "<pad>", "trainer_spec.pad_piece")?,
    ];
    let model = SentencePiece { search, vocab, scores, types, byte_fallback, names };
    check(&model)?;
    Ok(model)
}

/// What makes a piece wrong by itself.
fn check_piece(
    bytes: &[u8],
    kind: PieceType,
    byte_fallback: bool,
    path: &str,
) -> Result<(), LoadError> {
    const LIMIT_BYTES: usize = 8000;
    let fails = |value: String, expected| {
        Err(LoadError::at(format!("{path}.piece"), Problem::OutOfRange { value, expected }))
    };
    let shown = || format!("{:?}", String::from_utf8_lossy(bytes));
    if bytes.is_empty() {
        return fails("\"\"".to_owned(), "a piece, which must not be empty");
    }
    if bytes.len() >= LIMIT_BYTES {
        return fails(format!("a piece of {} bytes", bytes.len()), "shorter than 8000 bytes");
    }
    let is_unused_null = bytes == NULL_PIECE && kind == PieceType::Unused;
    if bytes.contains(&0) && !is_unused_null {
        return fails(shown(), "a piece, which must not contain a null character");
    }
    if kind == PieceType::Byte {
        if !byte_fallback {
            return fails(shown(), "allowed where `trainer_spec.byte_fallback` is false");
        }
        if byte_of(bytes).is_none() {
            return fails(shown(), "a byte piece from <0x00> to <0xFF>");
        }
    }
    Ok(())
}

/// The byte that a byte piece stands for.
fn byte_of(piece: &[u8]) -> Option<u8> {
    let digits = piece.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    let is_digit = |digit: &u8| matches!(digit, b'0'..=b'9' | b'A'..=b'F');
    let digits = std::str::from_utf8(digits).ok()?;
    (digits.len() == 2 && digits.bytes().all(|digit| is_digit(&digit)))
        .then(|| u8::from_str_radix(digits, 16).ok())?
}

/// What makes the pieces wrong together.
fn check(model: &SentencePiece) -> Result<(), LoadError> {
    let is_found = |kind: PieceType| {
        matches!(kind, PieceType::Normal | PieceType::UserDefined | PieceType::Unused)
    };
    let mut seen: HashMap<&str, PieceType> = HashMap::with_capacity(model.vocab.len());
    let (mut bytes, mut unknown) = ([false; 256], 0);
    for ((piece, id), &kind) in model.vocab.iter().zip(&model.types) {
        let path = || format!("pieces[{id}].piece");
        if piece.as_bytes() == NULL_PIECE {
            continue;
        }
        match seen.insert(piece, kind) {
            Some(other)
                if model.search != PieceSearch::Bpe && is_found(other) != is_found(kind) =>
            {
                let value = format_args!("{piece:?}, which stands there as {other:?} as well");
                return Err(LoadError::unsupported(path(), value));
            }
            Some(_) => {
                let token = piece.to_owned();
                return Err(LoadError::at(path(), Problem::DuplicateToken { token }));
            }
            None => {}
        }
        if kind == PieceType::Unknown {
            unknown += 1;
            if unknown > 1 {
                let (value, expected) = (format!("{piece:?}"), "the only unknown piece");
                return Err(LoadError::at(path(), Problem::OutOfRange { value, expected }));
            }
        }
        if let Some(byte) = byte_of(piece.as_bytes()).filter(|_| kind == PieceType::Byte) {
            bytes[usize::from(byte)] = true;
        }
    }
    let missing = |field| Err(LoadError::at("pieces", Problem::Missing { field }));
    if unknown == 0 && !model.byte_fallback {
        return missing("a piece of type UNKNOWN");
    }
    if model.byte_fallback && bytes.contains(&false) {
        return missing("a piece of type BYTE for each byte");
    }
    let mut kinds = model.types.iter();
    if model.search == PieceSearch::Unigram && !kinds.any(|&kind| is_found(kind)) {
        return missing("a piece of type NORMAL");
    }
    Ok(())
}
