//! [`Spec`] -> tokenizer.json, with the layout that Hugging Face tokenizers 0.23.3 writes.
//!
//! What is written reads back as the same `Spec`, here and there, except for what the format has
//! no place for: the order of a vocabulary (ids ascend), entries that a later one of the same token
//! overrules, `alpha` and `nbest_size` of a Unigram model (the oracle drops them as well), and
//! [`Spec::defaults`] (a reader takes those of the format). A `Spec` with scores
//! that no file can hold to the last bit (see `number.rs`) becomes one that is written exactly by
//! being written and read once.

mod component;
mod number;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::regular::replaceable;
use super::{
    AddedToken, Bpe, Direction, Merges, Model, PadStrategy, Padding, Spec, Truncation,
    TruncationStrategy, Unigram, Vocab,
};
use crate::error::{LoadError, Problem};
use number::Exact;
use tree::{object, tagged, Tree};

/// Writes a tokenizer.json.
///
/// # Errors
///
/// [`LoadError::Unsupported`] with the JSON path of what the format cannot express: merges that
/// are not a list, a pattern in the dialect of fancy-regex, a number that is not finite.
pub fn to_json(spec: &Spec) -> Result<Vec<u8>, LoadError> {
    written(&document(spec)?)
}

/// One part of a tokenizer as the JSON that stands for it in a tokenizer.json: `role` is its key
/// there.
///
/// # Errors
///
/// As [`to_json`], and for a key that no part has.
pub fn component_to_json(spec: &Spec, role: &str) -> Result<Vec<u8>, LoadError> {
    let tree = match role {
        "model" => model(&spec.model)?,
        _ => part(spec, role)?,
    };
    written(&tree)
}

/// Writes a file beside its place and moves it there: it is replaced at once, or left as it was.
///
/// # Errors
///
/// Those of the file system; a device or a pipe is not replaced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    replaceable(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    // As any new file, not for its owner alone.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn written(tree: &Tree<'_>) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Exact);
    tree.serialize(&mut serializer).map_err(|error| LoadError::unsupported("$", error))?;
    Ok(bytes)
}

/// A part around the model; null where there is none.
fn part<'a>(spec: &'a Spec, role: &str) -> Result<Tree<'a>, LoadError> {
    let tree = match role {
        "normalizer" => spec.normalizer.as_ref().map(|part| component::normalizer(part, role)),
        "pre_tokenizer" => {
            spec.pre_tokenizer.as_ref().map(|part| component::pre_tokenizer(part, role))
        }
        "post_processor" => {
            spec.post_processor.as_ref().map(|part| component::post_processor(part, role))
        }
        "decoder" => spec.decoder.as_ref().map(|part| component::decoder(part, role)),
        other => return Err(LoadError::unsupported(other, "no part of a tokenizer")),
    };
    Ok(tree.transpose()?.into())
}

fn document(spec: &Spec) -> Result<Tree<'_>, LoadError> {
    Ok(object([
        ("version", "1.0".into()),
        ("truncation", spec.truncation.as_ref().map(truncation).into()),
        ("padding", spec.padding.as_ref().map(padding).into()),
        ("added_tokens", Tree::Array(spec.added_tokens.iter().map(added_token).collect())),
        ("normalizer", part(spec, "normalizer")?),
        ("pre_tokenizer", part(spec, "pre_tokenizer")?),
        ("post_processor", part(spec, "post_processor")?),
        ("decoder", part(spec, "decoder")?),
        ("model", model(&spec.model)?),
    ]))
}

fn direction(direction: Direction) -> Tree<'static> {
    match direction {
        Direction::Left => "Left".into(),
        Direction::Right => "Right".into(),
    }
}

fn truncation(truncation: &Truncation) -> Tree<'_> {
    let strategy = match truncation.strategy {
        TruncationStrategy::LongestFirst => "LongestFirst",
        TruncationStrategy::OnlyFirst => "OnlyFirst",
        TruncationStrategy::OnlySecond => "OnlySecond",
    };
    object([
        ("direction", direction(truncation.direction)),
        ("max_length", truncation.max_length.into()),
        ("strategy", strategy.into()),
        ("stride", truncation.stride.into()),
    ])
}

fn padding(padding: &Padding) -> Tree<'_> {
    let strategy = match padding.strategy {
        PadStrategy::BatchLongest => "BatchLongest".into(),
        PadStrategy::Fixed(length) => object([("Fixed", length.into())]),
    };
    object([
        ("strategy", strategy),
        ("direction", direction(padding.direction)),
        ("pad_to_multiple_of", padding.pad_to_multiple_of.into()),
        ("pad_id", padding.pad_id.into()),
        ("pad_type_id", padding.pad_type_id.into()),
        ("pad_token", padding.pad_token.as_str().into()),
    ])
}

fn added_token(token: &AddedToken) -> Tree<'_> {
    object([
        ("id", token.id.into()),
        ("content", token.content.as_str().into()),
        ("single_word", token.single_word.into()),
        ("lstrip", token.lstrip.into()),
        ("rstrip", token.rstrip.into()),
        ("normalized", token.normalized.into()),
        ("special", token.special.into()),
    ])
}

fn model(model: &Model) -> Result<Tree<'_>, LoadError> {
    match model {
        Model::Bpe(model) => bpe(model),
        Model::Unigram(model) => unigram(model),
        Model::WordPiece(model) => Ok(tagged(
            "WordPiece",
            [
                ("unk_token", model.unk_token.as_str().into()),
                ("continuing_subword_prefix", model.continuing_subword_prefix.as_str().into()),
                ("max_input_chars_per_word", model.max_input_chars_per_word.into()),
                ("vocab", by_id(&model.vocab)),
            ],
        )),
        Model::WordLevel(model) => Ok(tagged(
            "WordLevel",
            [("vocab", by_id(&model.vocab)), ("unk_token", model.unk_token.as_str().into())],
        )),
        Model::SentencePiece(_) => Err(LoadError::unsupported("model", component::SENTENCEPIECE)),
    }
}

fn bpe(model: &Bpe) -> Result<Tree<'_>, LoadError> {
    let merges = match &model.merges {
        Merges::Pairs(merges) => Tree::Merges(merges),
        Merges::ByJoinedBytes => {
            return Err(LoadError::unsupported("model.merges", "implied by the vocabulary"));
        }
    };
    if let Some(dropout) = model.dropout.filter(|dropout| !(0.0..=1.0).contains(dropout)) {
        return Err(LoadError::unsupported("model.dropout", dropout));
    }
    Ok(tagged(
        "BPE",
        [
            ("dropout", model.dropout.map(Tree::Float).into()),
            ("unk_token", model.unk_token.as_deref().into()),
            ("continuing_subword_prefix", model.continuing_subword_prefix.as_deref().into()),
            ("end_of_word_suffix", model.end_of_word_suffix.as_deref().into()),
            ("fuse_unk", model.fuse_unk.into()),
            ("byte_fallback", model.byte_fallback.into()),
            ("ignore_merges", model.ignore_merges.into()),
            ("vocab", by_id(&model.vocab)),
            ("merges", merges),
        ],
    ))
}

fn unigram(model: &Unigram) -> Result<Tree<'_>, LoadError> {
    if model.vocab.len() != model.scores.len() {
        let value = format!("{} tokens with {} scores", model.vocab.len(), model.scores.len());
        let expected = "a score for each token";
        return Err(LoadError::at("model.vocab", Problem::OutOfRange { value, expected }));
    }
    if let Some(place) = model.scores.iter().position(|score| !score.is_finite()) {
        let field = format!("model.vocab[{place}][1]");
        return Err(LoadError::unsupported(field, model.scores[place]));
    }
    Ok(tagged(
        "Unigram",
        [
            ("unk_id", model.unk_id.into()),
            ("vocab", Tree::Scored(&model.vocab, &model.scores)),
            ("byte_fallback", model.byte_fallback.into()),
        ],
    ))
}

/// The content of a `vocab.json`.
pub(super) fn vocab_json(vocab: &Vocab) -> Result<Vec<u8>, LoadError> {
    written(&by_id(vocab))
}

/// A vocabulary in the order of its ids. Of a token that stands twice only the last entry is
/// left, because in another order it might be no longer the last.
fn by_id(vocab: &Vocab) -> Tree<'_> {
    let last: HashMap<&str, usize> =
        vocab.iter().enumerate().map(|(place, (token, _))| (token, place)).collect();
    let mut entries: Vec<(&str, u32)> = vocab
        .iter()
        .enumerate()
        .filter(|(place, (token, _))| last.get(token) == Some(place))
        .map(|(_, entry)| entry)
        .collect();
    entries.sort_by_key(|(_, id)| *id);
    Tree::Vocab(entries)
}
