//! From counts to a whole tokenizer: the model of a spec is replaced by a trained one.
//!
//! What a trainer leaves alone (the unknown token, `byte_fallback` and such) stays as the spec's model
//! has it, and the trainer's special tokens become added tokens, as in Hugging Face tokenizers 0.23.3.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    BpeTrainer, Counts, LearnedBpe, ParityBpeTrainer, UnigramTrainer, Watch, WordLevelTrainer,
};
use crate::error::{LoadError, Problem, TrainError};
use crate::spec::{
    AddedToken, Bpe, LazyModel, MergeList, Merges, Model, Spec, Vocab, WordLevel, WordPiece,
};

/// What to train.
#[derive(Debug, Clone)]
pub enum Trainer {
    /// Byte-pair encoding.
    Bpe(BpeTrainer),
    /// WordPiece: the vocabulary of byte-pair encoding, matched longest first.
    WordPiece(BpeTrainer),
    /// Whole words.
    WordLevel(WordLevelTrainer),
    /// The most probable pieces.
    Unigram(UnigramTrainer),
}

/// The spec with a model that was trained on counted pieces, and with `special` as added tokens.
///
/// ```
/// use fretsaw::spec::from_json;
/// use fretsaw::train::{train, BpeTrainer, Counts, Trainer, Watch};
/// use fretsaw::{compile, Tokenizer};
///
/// let spec = from_json(br#"{"model": {"type": "BPE", "vocab": {}, "merges": []}}"#)?;
/// let counts: Counts = [("hug", 2), ("hugs", 1)].into_iter().collect();
/// let trained = train(spec, &counts, &Trainer::Bpe(BpeTrainer::default()), &[], Watch::nobody())?;
/// assert_eq!(compile(trained)?.encode("hugs")?, [6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`TrainError::Option`] where the spec's model is not of the trainer's kind, and what trainers say.
pub fn train(
    spec: Spec,
    counts: &Counts,
    trainer: &Trainer,
    special: &[AddedToken],
    watch: Watch<'_>,
) -> Result<Spec, TrainError> {
    let model = match (trainer, &**spec.model) {
        (Trainer::Bpe(trainer), Model::Bpe(model)) => {
            Model::Bpe(bpe(trainer, trainer.learn(counts, watch)?, model)?)
        }
        (Trainer::WordPiece(trainer), Model::WordPiece(model)) => {
            let tokens = trainer.learn(counts, watch)?.tokens;
            let prefix = trainer.continuing_subword_prefix.clone();
            Model::WordPiece(WordPiece {
                vocab: vocab(&tokens)?,
                unk_token: model.unk_token.clone(),
                continuing_subword_prefix: prefix.unwrap_or_else(|| "##".to_owned()),
                max_input_chars_per_word: model.max_input_chars_per_word,
            })
        }
        (Trainer::WordLevel(trainer), Model::WordLevel(model)) => Model::WordLevel(WordLevel {
            vocab: vocab(&trainer.learn(counts))?,
            unk_token: model.unk_token.clone(),
        }),
        (Trainer::Unigram(trainer), Model::Unigram(_)) => {
            Model::Unigram(trainer.learn(counts, watch)?)
        }
        (trainer, model) => return Err(other_kind(trainer, model)),
    };
    Ok(with_model(spec, model, special))
}

/// The same with byte-pair encoding that was trained on pieces of several languages.
///
/// # Errors
///
/// [`TrainError::Option`] where the spec's model is another one, and what the trainer says.
pub fn train_parity(
    spec: Spec,
    languages: &[Counts],
    dev: Option<&[Counts]>,
    trainer: &ParityBpeTrainer,
    special: &[AddedToken],
    watch: Watch<'_>,
) -> Result<Spec, TrainError> {
    let Model::Bpe(before) = &**spec.model else {
        return Err(other_kind(&Trainer::Bpe(BpeTrainer::default()), &spec.model));
    };
    let model = bpe(&trainer.bpe, trainer.learn(languages, dev, watch)?, before)?;
    Ok(with_model(spec, Model::Bpe(model), special))
}

/// The spec with another model, and with `special` as added tokens.
fn with_model(mut spec: Spec, model: Model, special: &[AddedToken]) -> Spec {
    spec.model = Arc::new(LazyModel::Now(model));
    for token in special.iter().filter(|token| !token.content.is_empty()) {
        match spec.added_tokens.iter_mut().find(|known| known.content == token.content) {
            Some(known) => *known = token.clone(),
            None => spec.added_tokens.push(token.clone()),
        }
    }
    // Those of the model go by their ids, and the others come behind it as they are.
    let ids: HashMap<&str, u32> = vocab_of(&spec.model).into_iter().flat_map(Vocab::iter).collect();
    spec.added_tokens.sort_by_key(|token| *ids.get(&*token.content).unwrap_or(&u32::MAX));
    spec.added_later = (0..spec.added_tokens.len()).collect();
    spec
}

/// The vocabulary of a kind of model that is trained.
fn vocab_of(model: &Model) -> Option<&Vocab> {
    match model {
        Model::Bpe(model) => Some(&model.vocab),
        Model::Unigram(model) => Some(&model.vocab),
        Model::WordPiece(model) => Some(&model.vocab),
        Model::WordLevel(model) => Some(&model.vocab),
        Model::SentencePiece(_) => None,
    }
}

fn other_kind(trainer: &Trainer, model: &Model) -> TrainError {
    let expected = match trainer {
        Trainer::Bpe(_) => "a BPE model, as the trainer needs",
        Trainer::WordPiece(_) => "a WordPiece model, as the trainer needs",
        Trainer::WordLevel(_) => "a WordLevel model, as the trainer needs",
        Trainer::Unigram(_) => "a Unigram model, as the trainer needs",
    };
    let value = match model {
        Model::Bpe(_) => "BPE",
        Model::Unigram(_) => "Unigram",
        Model::WordPiece(_) => "WordPiece",
        Model::WordLevel(_) => "WordLevel",
        Model::SentencePiece(_) => "SentencePiece",
    };
    TrainError::Option { name: "model", value: value.to_owned(), expected }
}

/// The model of learned tokens and merges, with the options of the one before.
fn bpe(trainer: &BpeTrainer, learned: LearnedBpe, before: &Bpe) -> Result<Bpe, LoadError> {
    let mut merges = MergeList::new();
    for (left, right) in &learned.merges {
        let (left, right) = (&learned.tokens[*left as usize], &learned.tokens[*right as usize]);
        if !merges.push(left, right) {
            return Err(too_long("model.merges"));
        }
    }
    Ok(Bpe {
        vocab: vocab(&learned.tokens)?,
        merges: Merges::Pairs(merges),
        dropout: before.dropout,
        unk_token: before.unk_token.clone(),
        continuing_subword_prefix: trainer.continuing_subword_prefix.clone(),
        end_of_word_suffix: trainer.end_of_word_suffix.clone(),
        fuse_unk: before.fuse_unk,
        byte_fallback: before.byte_fallback,
        ignore_merges: before.ignore_merges,
    })
}

/// Tokens with their places as ids; of one that stands twice the last place counts.
fn vocab(tokens: &[String]) -> Result<Vocab, LoadError> {
    let last: HashMap<&str, usize> =
        tokens.iter().enumerate().map(|(id, token)| (token.as_str(), id)).collect();
    let mut vocab = Vocab::new();
    for (id, token) in tokens.iter().enumerate() {
        if last.get(token.as_str()) == Some(&id) && !vocab.push(token, id as u32) {
            return Err(too_long("model.vocab"));
        }
    }
    Ok(vocab)
}

fn too_long(path: &'static str) -> LoadError {
    LoadError::at(path, Problem::TooMany { what: "bytes of tokens", limit: u32::MAX as usize })
}
