//! Files made by hand, for what no training makes.

use prost::Message;

use super::proto::{ModelProto, NormalizerSpec, Piece, TrainerSpec};
use super::*;

fn piece(piece: &str, kind: i32) -> Piece {
    Piece { piece: Some(piece.as_bytes().to_vec()), score: Some(-1.0), r#type: Some(kind) }
}

fn file(pieces: &[(&str, i32)], trainer: TrainerSpec) -> Vec<u8> {
    let proto = ModelProto {
        pieces: pieces.iter().map(|(text, kind)| piece(text, *kind)).collect(),
        trainer_spec: Some(trainer),
        normalizer_spec: Some(NormalizerSpec::default()),
        denormalizer_spec: None,
    };
    proto.encode_to_vec()
}

#[test]
fn what_a_file_says() {
    let trainer = TrainerSpec {
        model_type: Some(2),
        treat_whitespace_as_suffix: Some(true),
        ..TrainerSpec::default()
    };
    let pieces = [("<unk>", 2), ("<s>", 3), ("a", 1), ("<sep>", 4), ("b", 5), ("c", 99)];
    let content = file(&pieces, trainer);
    assert!(looks_like_model(&content));
    let spec = from_sentencepiece(&content).unwrap();
    let Model::SentencePiece(model) = &**spec.model else { panic!("a model of SentencePiece") };
    use PieceType::{Control, Normal, Unknown, Unused, UserDefined};
    assert_eq!(model.search, PieceSearch::Bpe);
    assert_eq!(model.types, [Unknown, Control, Normal, UserDefined, Unused, Normal]);
    assert_eq!(model.names, ["<unk>", "<s>", "</s>", "<pad>"]);
    assert!(model.is_whole());
    let Some(Normalizer::SentencePiece(rules)) = &spec.normalizer else { panic!("its rules") };
    assert!(rules.add_dummy_prefix && rules.remove_extra_whitespaces && rules.escape_whitespaces);
    assert!(rules.treat_whitespace_as_suffix);
    assert_eq!(rules.symbols, ["<sep>"]);
    assert_eq!(spec.added_tokens.len(), 1);
    assert_eq!((spec.added_tokens[0].content.as_str(), spec.added_tokens[0].id), ("<s>", 1));
    assert_eq!(spec.defaults, Defaults::SENTENCEPIECE);
}

#[test]
fn what_is_refused_says_where() {
    let refused = |pieces: &[(&str, i32)], trainer: TrainerSpec| {
        from_sentencepiece(&file(pieces, trainer)).unwrap_err().to_string()
    };
    let bytes = || TrainerSpec { byte_fallback: Some(true), ..TrainerSpec::default() };
    for (pieces, trainer, message) in [
        (&[("a", 1)][..], TrainerSpec::default(), "`a piece of type UNKNOWN` is missing"),
        (&[("<unk>", 2)], TrainerSpec::default(), "`a piece of type NORMAL` is missing"),
        (&[("<unk>", 2), ("a", 1), ("a", 1)], TrainerSpec::default(), "pieces[2].piece"),
        (&[("<unk>", 2), ("a", 1), ("a", 3)], TrainerSpec::default(), "Normal as well"),
        (&[("<unk>", 2), ("<0x0>", 6)], bytes(), "pieces[1].piece"),
        (&[("<unk>", 2), ("<0xaB>", 6)], bytes(), "pieces[1].piece"),
        (&[("<unk>", 2), ("<0xAB>", 6)], bytes(), "BYTE for each byte"),
    ] {
        let found = refused(pieces, trainer);
        assert!(found.contains(message), "{found}");
    }
    let mut proto = ModelProto::default();
    proto.pieces.push(Piece { piece: Some(vec![0xFF]), ..piece("", 1) });
    let error = from_sentencepiece(&proto.encode_to_vec()).unwrap_err();
    assert!(matches!(&error, LoadError::Unsupported { field, .. } if field == "pieces[0].piece"));
    assert!(from_sentencepiece(b"\x0A\x7Fa").is_err());
    assert!(!looks_like_model(b"\nIQ== 0\n"));
}
