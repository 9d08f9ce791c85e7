//! A BPE model of SentencePiece -> a tokenizer.json's byte-pair encoding.
//!
//! Every pair of pieces whose joined text is a piece becomes a merge, in the order of the pieces'
//! scores, as Hugging Face's own converters do it. Spaces become `▁` by the normalizer, which puts one in
//! front as well where the model does. What the search or the normalizer of SentencePiece can do
//! beyond that is refused by name: those of a Unigram model look at a text in ways that no
//! tokenizer.json can say.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{LoadError, Problem};
use crate::spec::{
    AddedToken, Bpe, Decoder, Defaults, LazyModel, MergeList, Merges, Model, Normalizer, Pattern,
    PieceSearch, PieceType, SentencePiece, Spec, TextRules, MARK_TEXT,
};

/// Pieces of equal scores are tried in runs of their character up to this length.
const LONGEST_RUN: usize = 256;

/// The same tokenizer with merges as a list, and texts whose ids show whether it is.
pub fn to_pairs(spec: &Spec, model: &SentencePiece) -> Result<(Spec, Vec<String>), LoadError> {
    let Some(Normalizer::SentencePiece(rules)) = &spec.normalizer else {
        return Err(LoadError::unsupported("normalizer", "not that of a SentencePiece model"));
    };
    check(model, rules, &spec.decoder)?;
    let (merges, doubtful) = merges(model)?;
    let unknown = model.pieces_of(PieceType::Unknown).next();
    let mut added: Vec<AddedToken> = spec.added_tokens.clone();
    added.extend(unknown.map(|(content, id)| AddedToken::plain(content, id, true)));
    // User-defined pieces are found in normalized text.
    let defined = model.pieces_of(PieceType::UserDefined);
    added.extend(defined.map(|(content, id)| AddedToken::plain(content, id, false)));
    added.sort_by_key(|token| token.id);
    let same = Spec {
        added_tokens: added,
        normalizer: Some(normalizer(rules)),
        model: Arc::new(LazyModel::Now(Model::Bpe(Bpe {
            vocab: model.vocab.clone(),
            merges: Merges::Pairs(merges),
            dropout: None,
            unk_token: unknown.map(|(content, _)| content.to_owned()),
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            fuse_unk: true,
            byte_fallback: model.byte_fallback,
            ignore_merges: false,
        }))),
        decoder: Some(decoder(rules)),
        defaults: Defaults::HUGGING_FACE,
        ..spec.clone()
    };
    Ok((same, doubtful))
}

/// What a tokenizer.json can't say.
fn check(
    model: &SentencePiece,
    rules: &TextRules,
    decoder: &Option<Decoder>,
) -> Result<(), LoadError> {
    let refuse = |field: &str, value: &str| Err(LoadError::unsupported(field, value));
    let value = match model.search {
        PieceSearch::Bpe => None,
        // Ways are often this close: a run of one character has two of the same scores in turn.
        PieceSearch::Unigram => Some(
            "UNIGRAM: its scores are added in 32 bits through the whole text; those of a \
             tokenizer.json in 64 bits and word by word, which chooses others where two ways are close",
        ),
        PieceSearch::Word => Some("WORD, which no tokenizer.json has"),
        PieceSearch::Char => Some("CHAR, which no tokenizer.json has"),
    };
    if let Some(value) = value {
        return refuse("trainer_spec.model_type", value);
    }
    if !rules.charsmap.is_empty() {
        return refuse("normalizer_spec.precompiled_charsmap", "a map of characters");
    }
    if rules.remove_extra_whitespaces {
        return refuse("normalizer_spec.remove_extra_whitespaces", "true");
    }
    if !rules.escape_whitespaces {
        return refuse("normalizer_spec.escape_whitespaces", "false");
    }
    if rules.treat_whitespace_as_suffix {
        return refuse("trainer_spec.treat_whitespace_as_suffix", "true");
    }
    if rules.add_dummy_prefix && model.pieces_of(PieceType::UserDefined).next().is_some() {
        let value = "true beside user-defined pieces, which would get that prefix as well";
        return refuse("normalizer_spec.add_dummy_prefix", value);
    }
    if matches!(decoder, Some(Decoder::SentencePiece { denormalizer: Some(_), .. })) {
        return refuse("denormalizer_spec.precompiled_charsmap", "a map of characters");
    }
    Ok(())
}

/// All merges, the highest score first, and texts of those whose order might matter.
fn merges(model: &SentencePiece) -> Result<(MergeList, Vec<String>), LoadError> {
    let is_found = |kind: PieceType| {
        matches!(kind, PieceType::Normal | PieceType::UserDefined | PieceType::Unused)
    };
    let entries = model.vocab.iter().zip(&model.types).filter(|(_, kind)| is_found(**kind));
    let ids: HashMap<&str, u32> = entries.map(|(entry, _)| entry).collect();
    let mut ranked: Vec<(f32, &str, usize)> = Vec::new();
    for ((piece, id), &kind) in model.vocab.iter().zip(&model.types) {
        if !is_found(kind) {
            continue;
        }
        let splits = piece
            .char_indices()
            .skip(1)
            .map(|(at, _)| at)
            .filter(|&at| ids.contains_key(&piece[..at]) && ids.contains_key(&piece[at..]));
        let score = model.scores[id as usize];
        let before = ranked.len();
        ranked.extend(splits.map(|at| (score, piece, at)));
        // What an unused piece is taken apart into again, no list of merges says.
        if kind == PieceType::Unused && ranked.len() > before {
            let value = "UNUSED, though other pieces make it";
            return Err(LoadError::unsupported(format!("pieces[{id}].type"), value));
        }
    }
    // The longer left part first: of equal scores the leftmost pair comes first there, so that runs
    // grow from the left.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.cmp(&a.2)).then(a.1.cmp(b.1)));
    let mut runs: Vec<char> = Vec::new();
    for pair in ranked.windows(2) {
        let ((score, first, _), (other, second, _)) = (pair[0], pair[1]);
        if score != other || first == second {
            continue;
        }
        match (run_of(first), run_of(second)) {
            // The leftmost of them comes first there, whichever it is.
            (Some(one), Some(two)) if one == two => runs.push(one),
            _ => {
                let value = format_args!("{score}, which is the score of {second:?} as well");
                let field = format!("pieces[{}].score", ids[first]);
                return Err(LoadError::unsupported(field, value));
            }
        }
    }
    runs.sort_unstable();
    runs.dedup();
    let texts = runs.into_iter().flat_map(|c| {
        (1..=LONGEST_RUN).flat_map(move |len| {
            let run: String = std::iter::repeat_n(c, len).collect();
            [format!("a{run}"), format!("{run}a"), run]
        })
    });
    let mut merges = MergeList::new();
    for (_, piece, at) in ranked {
        if !merges.push(&piece[..at], &piece[at..]) {
            let limit = u32::MAX as usize;
            let problem = Problem::TooMany { what: "bytes of merges", limit };
            return Err(LoadError::at("pieces", problem));
        }
    }
    Ok((merges, texts.collect()))
}

/// The one character that a piece has, if there is no other.
fn run_of(piece: &str) -> Option<char> {
    let first = piece.chars().next()?;
    piece.chars().all(|c| c == first).then_some(first)
}

fn normalizer(rules: &TextRules) -> Normalizer {
    let replace = Normalizer::Replace {
        pattern: Pattern::Literal(" ".to_owned()),
        content: MARK_TEXT.to_owned(),
    };
    match rules.add_dummy_prefix {
        true => {
            let prepend = Normalizer::Prepend { prepend: MARK_TEXT.to_owned() };
            Normalizer::Sequence(vec![prepend, replace])
        }
        false => replace,
    }
}

fn decoder(rules: &TextRules) -> Decoder {
    let mut parts = vec![
        Decoder::Replace {
            pattern: Pattern::Literal(MARK_TEXT.to_owned()),
            content: " ".to_owned(),
        },
        Decoder::ByteFallback,
        Decoder::Fuse,
    ];
    if rules.add_dummy_prefix {
        parts.push(Decoder::Strip { content: ' ', start: 1, stop: 0 });
    }
    Decoder::Sequence(parts)
}
