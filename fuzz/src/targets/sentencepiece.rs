//! `sentencepiece`: random models against the book for the two searches, and any model against itself at
//! every level; and any bytes as a file.

use fretsaw::spec::{from_sentencepiece, PieceSearch};
use fretsaw::{compile, SpecialSet};
use prost::Message;

use super::{check, ids_at_every_level};
use crate::book::sentence_piece::{Model, Rules, Scored};
use crate::draw::Draw;

const UNITS: [&str; 12] =
    ["a", "b", "ab", "é", "日", "\u{2581}", "\u{2581}a", "aa", "t", "th", "the", "."];
const TEXTS: [&str; 14] =
    ["a", "b", "ab", "é", "日", " ", "  ", "\u{2581}", "aa", "t", "the", ".", "\n", "😀"];

#[derive(Clone, PartialEq, Message)]
struct ModelProto {
    #[prost(message, repeated, tag = "1")]
    pieces: Vec<Piece>,
    #[prost(message, optional, tag = "2")]
    trainer: Option<Trainer>,
    #[prost(message, optional, tag = "3")]
    normalizer: Option<Normalizer>,
}

#[derive(Clone, PartialEq, Message)]
struct Piece {
    #[prost(string, tag = "1")]
    piece: String,
    #[prost(float, tag = "2")]
    score: f32,
    #[prost(int32, tag = "3")]
    kind: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Trainer {
    #[prost(int32, optional, tag = "3")]
    model_type: Option<i32>,
    #[prost(bool, optional, tag = "24")]
    as_suffix: Option<bool>,
    #[prost(bool, optional, tag = "35")]
    byte_fallback: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
struct Normalizer {
    #[prost(bytes = "vec", optional, tag = "2")]
    charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3")]
    add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4")]
    remove_extra_whitespaces: Option<bool>,
    #[prost(bool, optional, tag = "5")]
    escape_whitespaces: Option<bool>,
}

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    if draw.one_in(8) {
        let pipeline = compile(from_sentencepiece(draw.rest()).ok()?).ok()?;
        check(&pipeline, "a b  the\u{2581} 😀 日");
        return Some(());
    }
    let flag = |draw: &mut Draw<'_>| !draw.one_in(2);
    let rules = Rules {
        add_dummy_prefix: flag(draw),
        remove_extra_whitespaces: flag(draw),
        escape_whitespaces: flag(draw),
        as_suffix: draw.one_in(4),
    };
    let search = *draw.pick(&[1, 2, 1, 2, 3, 4]);
    let is_plain = !draw.one_in(3);
    let byte_fallback = draw.one_in(4);
    let mut scored: Vec<Scored> = Vec::new();
    for _ in 0..draw.below(30) {
        let piece = draw.text_of(&UNITS, 4);
        let score = match draw.one_in(2) {
            true => -f32::from(draw.byte()) / 8.0,
            false => -(scored.len() as f32),
        };
        if !piece.is_empty() && !scored.iter().any(|(known, _)| *known == piece) {
            scored.push((piece, score));
        }
    }
    let mut pieces = vec![Piece { piece: "<unk>".to_owned(), score: 0.0, kind: 2 }];
    for (piece, score) in &scored {
        let kind = if is_plain { 1 } else { *draw.pick(&[1, 1, 1, 4, 5, 3]) };
        pieces.push(Piece { piece: piece.clone(), score: *score, kind });
    }
    if byte_fallback {
        let byte = |byte| Piece { piece: format!("<0x{byte:02X}>"), score: 0.0, kind: 6 };
        pieces.extend((0..=255).map(byte));
    }
    let proto = ModelProto {
        pieces,
        trainer: Some(Trainer {
            model_type: Some(search),
            as_suffix: Some(rules.as_suffix),
            byte_fallback: Some(byte_fallback),
        }),
        normalizer: Some(Normalizer {
            charsmap: None,
            add_dummy_prefix: Some(rules.add_dummy_prefix),
            remove_extra_whitespaces: Some(rules.remove_extra_whitespaces),
            escape_whitespaces: Some(rules.escape_whitespaces),
        }),
    };
    let text = draw.text_of(&TEXTS, 60);
    let pipeline = compile(from_sentencepiece(&proto.encode_to_vec()).ok()?).ok()?;
    let ids = ids_at_every_level(&pipeline, &text, &SpecialSet::None).expect("any text");
    let whole = pipeline.pieces(&text).expect("any text").expect("a model of pieces");
    let whole: Vec<u32> = whole.iter().map(|piece| piece.id).collect();
    assert_eq!(ids, whole, "{text:?} {proto:?}");
    check(&pipeline, &text);
    let searched = pipeline.sentence_piece()?.search;
    if is_plain && !byte_fallback && matches!(searched, PieceSearch::Bpe | PieceSearch::Unigram) {
        let model = Model { pieces: &scored };
        let normalized = rules.normalize(&text);
        let found = match searched {
            PieceSearch::Bpe => model.merged(&normalized),
            _ => model.best(&normalized),
        };
        assert_eq!(ids, model.ids(&found), "{text:?} {proto:?} {found:?}");
    }
    Some(())
}
