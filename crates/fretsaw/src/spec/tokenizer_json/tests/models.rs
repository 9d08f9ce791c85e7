//! What models, settings and added tokens may look like.

use super::{load, with, with_model};
use crate::spec::{Direction, Merges, Model, PadStrategy, TruncationStrategy};

#[test]
fn settings_and_added_tokens() {
    let text = r#"{"max_length":5,"strategy":"OnlyFirst","stride":2,"more":"\ud800"}"#;
    let truncation = load(&with("truncation", text)).truncation.unwrap();
    assert_eq!(truncation.direction, Direction::Right);
    assert_eq!(truncation.strategy, TruncationStrategy::OnlyFirst);
    assert_eq!((truncation.max_length, truncation.stride), (5, 2));

    let text = r#"{"strategy":{"Fixed":9},"direction":"Left","pad_id":1,"pad_type_id":2,
                   "pad_token":"p"}"#;
    let padding = load(&with("padding", text)).padding.unwrap();
    assert_eq!(padding.strategy, PadStrategy::Fixed(9));
    assert_eq!((padding.direction, padding.pad_to_multiple_of), (Direction::Left, None));

    let text = r#"[{"id":9,"content":"<s>","single_word":false,"lstrip":true,"rstrip":false,
                    "normalized":false,"special":true,"more":0}]"#;
    let token = load(&with("added_tokens", text)).added_tokens.remove(0);
    assert_eq!((token.id, token.content.as_str()), (9, "<s>"));
    assert!(token.lstrip && token.special && !token.rstrip);
}

#[test]
fn bpe_models() {
    let merges = |text: &str| {
        let Model::Bpe(bpe) = (**load(&with_model(text)).model).clone() else { panic!("{text}") };
        let Merges::Pairs(merges) = bpe.merges else { panic!("{text}") };
        merges.iter().map(|(a, b)| format!("{a}+{b}")).collect::<Vec<_>>()
    };
    let cases: &[(&str, &[&str])] = &[
        (r##"["a b","#version: 0.2","b a"]"##, &["a+b", "b+a"]),
        (r#"[["a","b"],["a b","c"]]"#, &["a+b", "a b+c"]),
        (r##"["a ", "#versionless"]"##, &["a+"]),
        (r"[]", &[]),
    ];
    for (list, expected) in cases {
        // With a type, without one, and with the type last.
        for model in [
            format!(r#"{{"type":"BPE","vocab":{{"a":0}},"merges":{list}}}"#),
            format!(r#"{{"merges":{list},"vocab":{{"a":0}}}}"#),
            format!(r#"{{"merges":{list},"vocab":{{"a":0}},"more":[{{}}],"type":"BPE"}}"#),
        ] {
            assert_eq!(merges(&model), *expected, "{model}");
        }
    }
    let text = r#"{"type":"BPE","vocab":{"\u0061":0},"merges":[],"dropout":1,"fuse_unk":null,
                   "unk_token":"a","ignore_merges":true}"#;
    let Model::Bpe(bpe) = (**load(&with_model(text)).model).clone() else { panic!() };
    assert_eq!(bpe.dropout, Some(1.0));
    assert_eq!(bpe.unk_token.as_deref(), Some("a"));
    assert_eq!(bpe.vocab.get(0), Some(("a", 0)));
    assert!(bpe.ignore_merges && !bpe.fuse_unk && !bpe.byte_fallback);
}

#[test]
fn other_models() {
    let unigram = r#"{"unk_id":1,"vocab":[["a",-1.5],["b",0]]}"#;
    let Model::Unigram(unigram) = (**load(&with_model(unigram)).model).clone() else { panic!() };
    assert_eq!((unigram.unk_id, unigram.byte_fallback), (Some(1), false));
    assert_eq!(unigram.scores, [-1.5, 0.0]);
    assert_eq!(unigram.vocab.get(1), Some(("b", 1)));

    let text = r###"{"unk_token":"u","continuing_subword_prefix":"##",
                     "max_input_chars_per_word":9,"vocab":{"u":5}}"###;
    let Model::WordPiece(model) = (**load(&with_model(text)).model).clone() else { panic!() };
    assert_eq!((model.unk_token.as_str(), model.max_input_chars_per_word), ("u", 9));
    assert_eq!(model.vocab.get(0), Some(("u", 5)));

    // Without one of WordPiece's fields it is a WordLevel model.
    let text = r###"{"unk_token":"u","continuing_subword_prefix":"##","vocab":{"u":5}}"###;
    assert!(matches!(**load(&with_model(text)).model, Model::WordLevel(_)));
}

/// The oracle reads decimals with serde_json's fast algorithm, which is not always the nearest
/// float. Its feature `float_roundtrip`, on anywhere in the build, would change scores.
#[test]
fn scores_are_read_as_the_oracle_reads_them() {
    let text = r#"{"type":"Unigram","vocab":[["a",-9.030416488647461],["b",2]]}"#;
    let Model::Unigram(unigram) = (**load(&with_model(text)).model).clone() else { panic!() };
    let bits: Vec<u64> = unigram.scores.iter().map(|score| score.to_bits()).collect();
    assert_eq!(bits, [0xc022_0f92_bfff_ffff, 2f64.to_bits()]);
    assert_eq!("-9.030416488647461".parse::<f64>().map(f64::to_bits), Ok(0xc022_0f92_c000_0000));
}

#[test]
fn the_last_of_repeated_entries_counts() {
    for text in [
        r#"{"type":"WordLevel","unk_token":"u","vocab":{"u":"x","u":1}}"#,
        r#"{"type":"WordLevel","unk_token":"u","vocab":7,"vocab":{"u":1}}"#,
    ] {
        let Model::WordLevel(model) = (**load(&with_model(text)).model).clone() else { panic!() };
        assert_eq!(model.vocab.iter().collect::<Vec<_>>(), [("u", 1)]);
    }
}
