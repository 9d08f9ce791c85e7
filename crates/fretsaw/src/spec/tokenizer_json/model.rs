//! The models of tokenizer.json.
//!
//! Everything here lets the last of repeated fields win, except for `type`: if it is repeated or
//! unknown, the oracle finds no model that fits. Without a `type` it takes the first of BPE,
//! WordPiece, WordLevel, Unigram whose fields fit.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem;

use super::fields::{
    boolean, float, id, list, pair, size, string, text, unit_variant, Fault, Fields, Repeats,
};
use super::json::{is_version_line, split_merge, Json};
use crate::error::Problem;
use crate::spec::{Bpe, MergeList, Merges, Model, Unigram, Vocab, WordLevel, WordPiece};

#[derive(Clone, Copy)]
enum Kind {
    Bpe,
    WordPiece,
    WordLevel,
    Unigram,
}

/// Reads the model, taking the big lists out of the tree.
pub(super) fn model(json: &mut Json<'_>) -> Result<Model, Fault> {
    let Json::Object(entries) = json else {
        return Err(Fault::wrong_type(json, "an object"));
    };
    let types = entries.iter().filter(|(key, _)| key == "type").count();
    let tag = entries.iter().rev().find(|(key, _)| key == "type").map(|(_, value)| value);
    match (types, tag) {
        (1, Some(tag)) => match unit_variant(tag, Repeats::Refused).and_then(kind_of) {
            Some(kind) => read(kind, json),
            None => Err(Fault::unknown(tag).under("type")),
        },
        (0, _) => untyped(json),
        _ => {
            let problem = Problem::TooMany { what: "entries of this name", limit: 1 };
            Err(Fault::from(problem).under("type"))
        }
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    match name {
        "BPE" => Some(Kind::Bpe),
        "WordPiece" => Some(Kind::WordPiece),
        "WordLevel" => Some(Kind::WordLevel),
        "Unigram" => Some(Kind::Unigram),
        _ => None,
    }
}

/// Reads a model without `type`. The fault of a failure is that of the likeliest kind.
fn untyped(json: &mut Json<'_>) -> Result<Model, Fault> {
    let fields = Fields::of_object(json, Repeats::LastWins)?;
    let likeliest = if fields.find("merges")?.is_some() {
        0
    } else if fields.find("max_input_chars_per_word")?.is_some() {
        1
    } else if let Some(Json::Array(_) | Json::Scored(..)) = fields.find("vocab")? {
        3
    } else {
        2
    };
    let mut faults = Vec::with_capacity(4);
    for kind in [Kind::Bpe, Kind::WordPiece, Kind::WordLevel, Kind::Unigram] {
        match read(kind, json) {
            Ok(model) => return Ok(model),
            Err(fault) => faults.push(fault),
        }
    }
    Err(faults.swap_remove(likeliest))
}

fn read(kind: Kind, json: &mut Json<'_>) -> Result<Model, Fault> {
    match kind {
        Kind::Bpe => bpe(json).map(Model::Bpe),
        Kind::WordPiece => word_piece(json).map(Model::WordPiece),
        Kind::WordLevel => word_level(json).map(Model::WordLevel),
        Kind::Unigram => unigram(json).map(Model::Unigram),
    }
}

// The vocabulary is taken last in each of these, so that a kind that does not fit leaves it.

fn bpe(json: &mut Json<'_>) -> Result<Bpe, Fault> {
    let fields = Fields::of_object(json, Repeats::LastWins)?;
    let mut bpe = Bpe {
        vocab: Vocab::new(),
        merges: Merges::Pairs(MergeList::new()),
        dropout: fields.option("dropout", dropout)?,
        unk_token: fields.option("unk_token", string)?,
        continuing_subword_prefix: fields.option("continuing_subword_prefix", string)?,
        end_of_word_suffix: fields.option("end_of_word_suffix", string)?,
        fuse_unk: fields.option("fuse_unk", boolean)?.unwrap_or(false),
        byte_fallback: fields.option("byte_fallback", boolean)?.unwrap_or(false),
        ignore_merges: fields.option("ignore_merges", boolean)?.unwrap_or(false),
    };
    fields.need("vocab", |_| Ok(()))?;
    bpe.merges = Merges::Pairs(take(json, "merges", take_merges)?);
    bpe.vocab = take(json, "vocab", take_vocab)?;
    Ok(bpe)
}

fn dropout(json: &Json<'_>) -> Result<f32, Fault> {
    let dropout = float(json)? as f32;
    if (0.0..=1.0).contains(&dropout) {
        Ok(dropout)
    } else {
        Err(Fault::out_of_range(json, "a probability from 0 to 1"))
    }
}

fn word_piece(json: &mut Json<'_>) -> Result<WordPiece, Fault> {
    let fields = Fields::of_object(json, Repeats::LastWins)?;
    Ok(WordPiece {
        unk_token: fields.need("unk_token", string)?,
        continuing_subword_prefix: fields.need("continuing_subword_prefix", string)?,
        max_input_chars_per_word: fields.need("max_input_chars_per_word", size)?,
        vocab: take(json, "vocab", take_vocab)?,
    })
}

fn word_level(json: &mut Json<'_>) -> Result<WordLevel, Fault> {
    let fields = Fields::of_object(json, Repeats::LastWins)?;
    Ok(WordLevel {
        unk_token: fields.need("unk_token", string)?,
        vocab: take(json, "vocab", take_vocab)?,
    })
}

fn unigram(json: &mut Json<'_>) -> Result<Unigram, Fault> {
    let fields = Fields::of_object(json, Repeats::LastWins)?;
    let unk_id = fields.option("unk_id", size)?;
    let byte_fallback = fields.or("byte_fallback", false, boolean)?;
    let (vocab, scores) = take(json, "vocab", take_scored)?;
    if let Some(unk_id) = unk_id.filter(|unk_id| *unk_id >= vocab.len()) {
        let expected = "the index of an entry of the vocabulary";
        let problem = Problem::OutOfRange { value: unk_id.to_string(), expected };
        return Err(Fault::from(problem).under("unk_id"));
    }
    // The oracle passes over `alpha` and `nbest_size` like any field that it does not know.
    Ok(Unigram { vocab, scores, unk_id, byte_fallback, alpha: None, nbest_size: None })
}

/// Reads the last entry `name` with the right to empty it.
fn take<'j, T>(
    json: &mut Json<'j>,
    name: &'static str,
    read: impl FnOnce(&mut Json<'j>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let Json::Object(entries) = json else {
        return Err(Fault::wrong_type(json, "an object"));
    };
    match entries.iter_mut().rev().find(|(key, _)| key == name) {
        Some((_, value)) => read(value).map_err(|fault| fault.under(name)),
        None => Err(Problem::Missing { field: name }.into()),
    }
}

fn too_long(what: &'static str) -> Fault {
    Problem::TooMany { what, limit: u32::MAX as usize }.into()
}

fn take_vocab(json: &mut Json<'_>) -> Result<Vocab, Fault> {
    match json {
        Json::Vocab(vocab) => Ok(mem::take(vocab)),
        Json::Object(entries) => vocab_of(entries),
        other => Err(Fault::wrong_type(other, "an object of tokens and ids")),
    }
}

/// The vocabulary of a file that has no compact form: it is broken, or an entry that is broken
/// stands again later, and then only that one counts.
fn vocab_of(entries: &[(Cow<'_, str>, Json<'_>)]) -> Result<Vocab, Fault> {
    let mut vocab = Vocab::new();
    let mut last: Option<HashMap<&str, usize>> = None;
    for (index, (token, value)) in entries.iter().enumerate() {
        let id = match id(value) {
            Ok(id) => id,
            Err(fault) => {
                let last = last.get_or_insert_with(|| {
                    entries.iter().enumerate().map(|(i, (token, _))| (token.as_ref(), i)).collect()
                });
                if last.get(token.as_ref()).is_some_and(|last| *last > index) {
                    continue;
                }
                return Err(fault.under(token));
            }
        };
        if !vocab.push(token, id) {
            return Err(too_long("bytes of tokens"));
        }
    }
    Ok(vocab)
}

fn take_scored(json: &mut Json<'_>) -> Result<(Vocab, Vec<f64>), Fault> {
    match json {
        Json::Scored(vocab, scores) => Ok((mem::take(vocab), mem::take(scores))),
        Json::Array(_) => {
            let (mut vocab, mut scores) = (Vocab::new(), Vec::new());
            list(json, |entry| {
                let (token, score) = pair(entry, "a token and its score")?;
                let token = text(token).map_err(|fault| fault.inside(0))?;
                let score = float(score).map_err(|fault| fault.inside(1))?;
                match u32::try_from(scores.len()) {
                    Ok(id) if vocab.push(token, id) => scores.push(score),
                    _ => return Err(too_long("bytes of tokens")),
                }
                Ok(())
            })?;
            Ok((vocab, scores))
        }
        other => Err(Fault::wrong_type(other, "an array of tokens with scores")),
    }
}

fn take_merges(json: &mut Json<'_>) -> Result<MergeList, Fault> {
    match json {
        Json::Merges(merges) => Ok(mem::take(merges)),
        Json::Array(elements) => {
            let as_text = matches!(elements.first(), Some(Json::Text(_)));
            let mut merges = MergeList::new();
            list(json, |merge| push_merge(&mut merges, merge, as_text))?;
            Ok(merges)
        }
        other => Err(Fault::wrong_type(other, "an array of merges")),
    }
}

fn push_merge(merges: &mut MergeList, json: &Json<'_>, as_text: bool) -> Result<(), Fault> {
    let (left, right) = if as_text {
        let line = text(json)?;
        if is_version_line(line) {
            return Ok(());
        }
        split_merge(line).ok_or_else(|| Problem::MergeNotAPair { text: line.to_owned() })?
    } else {
        let (left, right) = pair(json, "a pair of tokens")?;
        (
            text(left).map_err(|fault| fault.inside(0))?,
            text(right).map_err(|fault| fault.inside(1))?,
        )
    };
    if merges.push(left, right) {
        Ok(())
    } else {
        Err(too_long("bytes of merges"))
    }
}
