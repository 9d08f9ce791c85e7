//! Unigram, WordPiece and WordLevel against the oracle: `tests/golden/models.jsonl.gz`, made by
//! `scripts/golden_models.py`.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{json, Value};

use super::{Random, Unigram, UnigramScratch, WordLevel, WordPiece, WordPieceScratch};
use crate::error::EncodeError;
use crate::spec::{self, Vocab};
use crate::vocabulary::Vocabulary;

enum Any {
    Unigram(Unigram, UnigramScratch),
    WordPiece(WordPiece, WordPieceScratch),
    WordLevel(WordLevel),
}

type Spans = Vec<(u32, u32)>;

impl Any {
    fn new(model: &Value) -> Self {
        let file = json!({ "version": "1.0", "model": model, "added_tokens": [] }).to_string();
        let whole = |vocab: &Vocab| Vocabulary::build(vocab, "model.vocab").unwrap();
        match &**spec::from_json(file.as_bytes()).unwrap().model {
            spec::Model::Unigram(spec) => {
                let model = Unigram::new(whole(&spec.vocab), spec).unwrap();
                Any::Unigram(model, UnigramScratch::default())
            }
            spec::Model::WordPiece(spec) => {
                let model = WordPiece::new(whole(&spec.vocab), spec).unwrap();
                Any::WordPiece(model, WordPieceScratch::default())
            }
            spec::Model::WordLevel(spec) => {
                Any::WordLevel(WordLevel::new(whole(&spec.vocab), &spec.unk_token))
            }
            spec::Model::Bpe(_) | spec::Model::SentencePiece(_) => panic!("none in this file"),
        }
    }

    fn plain(&mut self, piece: &[u8], ids: &mut Vec<u32>) -> Result<(), EncodeError> {
        match self {
            Any::Unigram(model, scratch) => {
                model.encode_piece(piece, scratch, &mut Random::default(), ids)
            }
            Any::WordPiece(model, scratch) => model.encode_piece(piece, scratch, ids),
            Any::WordLevel(model) => model.encode_piece(piece, ids),
        }
    }

    fn spanned(
        &mut self,
        piece: &[u8],
        ids: &mut Vec<u32>,
        spans: &mut Spans,
    ) -> Result<(), EncodeError> {
        match self {
            Any::Unigram(model, scratch) => {
                model.each_token(piece, scratch, &mut Random::default(), |id, start, end, _| {
                    ids.push(id);
                    spans.push((start as u32, end as u32));
                })
            }
            Any::WordPiece(model, scratch) => model.encode_with_spans(piece, scratch, ids, spans),
            Any::WordLevel(model) => model.encode_with_spans(piece, ids, spans),
        }
    }
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as u32).collect()
}

fn check_row(model: &mut Any, row: &[Value], line: usize) {
    let piece = row[0].as_str().unwrap();
    // What is there already stays.
    let (mut ids, mut spanned_ids, mut spans) = (vec![7, 8], vec![7, 8], vec![(9, 9)]);
    let plain = model.plain(piece.as_bytes(), &mut ids);
    let spanned = model.spanned(piece.as_bytes(), &mut spanned_ids, &mut spans);
    assert_eq!(plain, spanned, "line {line}, {piece:?}");
    if row[1].is_null() {
        let error = plain.expect_err(piece);
        assert!(matches!(error, EncodeError::UnknownTokenMissing { .. }), "line {line}, {piece:?}");
        assert_eq!((&ids[..], &spans[..]), (&[7, 8][..], &[(9, 9)][..]), "line {line}, {piece:?}");
        return;
    }
    assert_eq!(plain, Ok(()), "line {line}, {piece:?}");
    let flat: Vec<u32> = spans[1..].iter().flat_map(|&(start, end)| [start, end]).collect();
    assert_eq!(ids[2..], numbers(&row[1]), "line {line}, {piece:?}");
    assert_eq!(spanned_ids, ids, "line {line}, {piece:?}");
    assert_eq!(flat, numbers(&row[2]), "line {line}, {piece:?}");
}

#[test]
fn models_are_the_oracles() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/models.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let mut rows = 0;
    for (line, entry) in text.lines().enumerate() {
        let entry: Value = serde_json::from_str(entry).unwrap();
        let mut model = Any::new(&entry["model"]);
        for row in entry["rows"].as_array().unwrap() {
            check_row(&mut model, row.as_array().unwrap(), line + 1);
            rows += 1;
        }
    }
    assert!(rows >= 2000, "only {rows} rows");
}
