//! Tests of the writer: the texts are as Hugging Face tokenizers writes them.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;

use super::to_json;
use crate::error::LoadError;
use crate::spec::{
    from_json, Bpe, LazyModel, MergeList, Merges, Model, Normalizer, Pattern, PreTokenizer, Spec,
    SplitBehavior, Unigram, Vocab,
};

const MODEL: &str = r#"{"type":"WordLevel","vocab":{"a":0,"u":1},"unk_token":"u"}"#;

/// A document in which all fields but some stand as in an empty one.
fn document(given: &[(&str, &str)]) -> String {
    let fields = [
        ("version", "\"1.0\""),
        ("truncation", "null"),
        ("padding", "null"),
        ("added_tokens", "[]"),
        ("normalizer", "null"),
        ("pre_tokenizer", "null"),
        ("post_processor", "null"),
        ("decoder", "null"),
        ("model", MODEL),
    ];
    let fields = fields.map(|(name, default)| {
        let value = given.iter().find(|(given, _)| *given == name).map_or(default, |(_, v)| v);
        format!("\"{name}\":{value}")
    });
    format!("{{{}}}", fields.join(","))
}

fn write(spec: &Spec) -> String {
    String::from_utf8(to_json(spec).unwrap_or_else(|error| panic!("{error}"))).unwrap()
}

fn read(text: &str) -> Spec {
    from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Texts that must come out as they went in.
fn unchanged(field: &str, values: &[&str]) {
    for value in values {
        let text = document(&[(field, value)]);
        let spec = read(&text);
        let written = write(&spec);
        assert_eq!(written, text);
        assert_eq!(read(&written), spec);
    }
}

#[test]
fn normalizers() {
    unchanged(
        "normalizer",
        &[
            "null",
            r#"{"type":"NFC"}"#,
            r#"{"type":"NFD"}"#,
            r#"{"type":"NFKC"}"#,
            r#"{"type":"NFKD"}"#,
            r#"{"type":"Lowercase"}"#,
            r#"{"type":"Strip","strip_left":true,"strip_right":false}"#,
            r#"{"type":"StripAccents"}"#,
            r#"{"type":"Replace","pattern":{"String":"a"},"content":"b"}"#,
            r#"{"type":"Replace","pattern":{"Regex":"\\s\"\n\u0001"},"content":"é"}"#,
            r#"{"type":"Prepend","prepend":"▁"}"#,
            r#"{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":false,"strip_accents":null,"lowercase":true}"#,
            r#"{"type":"BertNormalizer","clean_text":false,"handle_chinese_chars":true,"strip_accents":false,"lowercase":false}"#,
            r#"{"type":"Nmt"}"#,
            r#"{"type":"Precompiled","precompiled_charsmap":"BAAAAAECAwRhAGI="}"#,
            r#"{"type":"ByteLevel"}"#,
            r#"{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Sequence","normalizers":[]}]}"#,
        ],
    );
}

#[test]
fn pre_tokenizers() {
    unchanged(
        "pre_tokenizer",
        &[
            r#"{"type":"BertPreTokenizer"}"#,
            r#"{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":false,"use_regex":false}"#,
            r#"{"type":"CharDelimiterSplit","delimiter":"é"}"#,
            r#"{"type":"Digits","individual_digits":true}"#,
            r#"{"type":"FixedLength","length":3}"#,
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":false}"#,
            r#"{"type":"Metaspace","replacement":"_","prepend_scheme":"never","split":true}"#,
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}"#,
            r#"{"type":"Punctuation","behavior":"Removed"}"#,
            r#"{"type":"Punctuation","behavior":"Isolated"}"#,
            r#"{"type":"Punctuation","behavior":"MergedWithPrevious"}"#,
            r#"{"type":"Punctuation","behavior":"Contiguous"}"#,
            r#"{"type":"Split","pattern":{"String":"a"},"behavior":"Isolated","invert":false}"#,
            r#"{"type":"Split","pattern":{"Regex":"a+"},"behavior":"MergedWithNext","invert":true}"#,
            r#"{"type":"UnicodeScripts"}"#,
            r#"{"type":"Whitespace"}"#,
            r#"{"type":"WhitespaceSplit"}"#,
            r#"{"type":"Sequence","pretokenizers":[{"type":"Whitespace"}]}"#,
        ],
    );
}

#[test]
fn post_processors() {
    unchanged(
        "post_processor",
        &[
            r#"{"type":"BertProcessing","sep":["s",1],"cls":["c",2]}"#,
            r#"{"type":"RobertaProcessing","sep":["s",1],"cls":["c",2],"trim_offsets":true,"add_prefix_space":false}"#,
            r#"{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true}"#,
            r#"{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"a","type_id":0}},{"Sequence":{"id":"A","type_id":3}}],"pair":[{"Sequence":{"id":"A","type_id":0}},{"Sequence":{"id":"B","type_id":1}}],"special_tokens":{"a":{"id":"a","ids":[0,7],"tokens":["a","x"]},"b":{"id":"b","ids":[],"tokens":[]}}}"#,
            r#"{"type":"Sequence","processors":[{"type":"BertProcessing","sep":["s",1],"cls":["c",2]}]}"#,
        ],
    );
}

#[test]
fn decoders() {
    unchanged(
        "decoder",
        &[
            r#"{"type":"BPEDecoder","suffix":"</w>"}"#,
            r#"{"type":"ByteFallback"}"#,
            r#"{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":false}"#,
            r#"{"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true}"#,
            r#"{"type":"Fuse"}"#,
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":false}"#,
            r#"{"type":"Replace","pattern":{"String":"▁"},"content":" "}"#,
            r#"{"type":"Strip","content":" ","start":1,"stop":2}"#,
            r###"{"type":"WordPiece","prefix":"##","cleanup":false}"###,
            r#"{"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"ByteFallback"}]}"#,
        ],
    );
}

#[test]
fn settings_and_added_tokens() {
    unchanged(
        "truncation",
        &[
            r#"{"direction":"Right","max_length":5,"strategy":"LongestFirst","stride":0}"#,
            r#"{"direction":"Left","max_length":0,"strategy":"OnlyFirst","stride":2}"#,
            r#"{"direction":"Left","max_length":9,"strategy":"OnlySecond","stride":2}"#,
        ],
    );
    unchanged(
        "padding",
        &[
            r#"{"strategy":{"Fixed":3},"direction":"Right","pad_to_multiple_of":2,"pad_id":1,"pad_type_id":4,"pad_token":"[PAD]"}"#,
            r#"{"strategy":"BatchLongest","direction":"Left","pad_to_multiple_of":null,"pad_id":0,"pad_type_id":0,"pad_token":""}"#,
        ],
    );
    // In the order of the file, from which ids are derived, not in that of the ids.
    unchanged(
        "added_tokens",
        &[
            r#"[{"id":9,"content":"<s>","single_word":false,"lstrip":true,"rstrip":false,"normalized":false,"special":true},{"id":2,"content":"t","single_word":true,"lstrip":false,"rstrip":true,"normalized":true,"special":false}]"#,
        ],
    );
}

#[test]
fn models() {
    unchanged(
        "model",
        &[
            MODEL,
            r#"{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":true,"vocab":{"a":0,"b":1,"a b":7},"merges":[["a","b"],["a b","a"]]}"#,
            r###"{"type":"BPE","dropout":0.1,"unk_token":"","continuing_subword_prefix":"##","end_of_word_suffix":"</w>","fuse_unk":true,"byte_fallback":true,"ignore_merges":false,"vocab":{},"merges":[]}"###,
            r#"{"type":"Unigram","unk_id":0,"vocab":[["a",-1.5],["",0.0],["a",-1e-20],["d",1e+20],["e",-0.0]],"byte_fallback":true}"#,
            r#"{"type":"Unigram","unk_id":null,"vocab":[],"byte_fallback":false}"#,
            r###"{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"a":0}}"###,
        ],
    );
}

#[test]
fn a_vocabulary_is_written_in_the_order_of_its_ids() {
    let model = |vocab: &str| format!(r#"{{"type":"WordLevel","vocab":{vocab},"unk_token":"u"}}"#);
    // The last entry of a token counts, and must do so afterwards.
    let spec = read(&document(&[("model", &model(r#"{"c":5,"a":9,"b":2,"a":3,"d":2}"#))]));
    let expected = document(&[("model", &model(r#"{"b":2,"d":2,"a":3,"c":5}"#))]);
    assert_eq!(write(&spec), expected);
}

fn unigram(scores: Vec<f64>) -> Spec {
    let mut vocab = Vocab::new();
    for id in 0..scores.len() {
        assert!(vocab.push(&id.to_string(), u32::try_from(id).unwrap()));
    }
    let (alpha, nbest_size) = (None, None);
    let model = Unigram { vocab, scores, unk_id: None, byte_fallback: false, alpha, nbest_size };
    Spec { model: Arc::new(LazyModel::Now(Model::Unigram(model))), ..read(&document(&[])) }
}

fn assert_scores_survive(scores: Vec<f64>) {
    let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
    let Model::Unigram(model) = (**read(&write(&unigram(scores.clone()))).model).clone() else {
        panic!("another model")
    };
    assert_eq!(bits(&model.scores), bits(&scores));
}

/// What the reader makes of the shortest decimal.
fn misread(score: f64) -> f64 {
    serde_json::from_str(&serde_json::to_string(&score).unwrap()).unwrap()
}

#[test]
fn scores_whose_shortest_decimal_is_misread() {
    let scores = (0..20_000)
        .map(|step| -2.0 - f64::from(step) * 0.000_731_234_567_89)
        .filter(|score| misread(*score) != *score)
        .collect::<Vec<_>>();
    let Model::Unigram(model) = (**read(&write(&unigram(scores.clone()))).model).clone() else {
        panic!("another model")
    };
    let lost = scores.iter().zip(&model.scores).filter(|(score, read)| score != read).count();
    assert!(scores.len() > 1000 && lost < scores.len() / 20, "{lost} of {}", scores.len());
    assert_scores_survive(model.scores);
    assert_scores_survive(vec![f64::from(0.1f32), 1e22, 1e23, 123e-9, f64::EPSILON]);
}

#[test]
fn a_score_that_no_decimal_reads_back_as_is_written_as_ever() {
    let score = 3.616_376_693_570_544_4;
    let text = write(&unigram(vec![score]));
    assert!(text.contains(r#"["0",3.6163766935705444]"#), "{text}");
    assert_ne!(misread(score), score);
    assert_scores_survive(vec![misread(score)]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // Log-probabilities, that is; for a number of another size the search may end without a decimal
    // that reads back, as for one that was never read.
    #[test]
    fn any_score_that_was_read_survives(
        scores in prop::collection::vec(-50.0..50.0f64, 0..100),
        digits in any::<u64>(),
        exponent in -20..-15,
    ) {
        let given = serde_json::from_str::<f64>(&format!("{digits}e{exponent}")).unwrap();
        assert_scores_survive(scores.into_iter().map(misread).chain([given]).collect());
    }

    #[test]
    fn any_dropout_survives(dropout in 0.0..=1.0f32) {
        let vocab = Vocab::new();
        let model = bpe(vocab, Merges::Pairs(MergeList::new()), Some(dropout));
        let Model::Bpe(read) = (**read(&write(&model)).model).clone() else { panic!("another model") };
        prop_assert_eq!(read.dropout, Some(dropout));
    }
}

fn bpe(vocab: Vocab, merges: Merges, dropout: Option<f32>) -> Spec {
    let model = Bpe {
        vocab,
        merges,
        dropout,
        unk_token: None,
        continuing_subword_prefix: None,
        end_of_word_suffix: None,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
    };
    Spec { model: Arc::new(LazyModel::Now(Model::Bpe(model))), ..read(&document(&[])) }
}

#[test]
fn what_the_format_cannot_express_is_refused() {
    let empty = || read(&document(&[]));
    let split = PreTokenizer::Split {
        pattern: Pattern::Fancy("a".to_owned()),
        behavior: SplitBehavior::Isolated,
        invert: false,
    };
    let replace =
        Normalizer::Replace { pattern: Pattern::Fancy("a".to_owned()), content: String::new() };
    let in_sequence = PreTokenizer::Sequence(vec![PreTokenizer::Whitespace, split]);
    let pairs = || Merges::Pairs(MergeList::new());
    let cases = [
        (bpe(Vocab::new(), Merges::ByJoinedBytes, None), "model.merges"),
        (bpe(Vocab::new(), pairs(), Some(1.5)), "model.dropout"),
        (bpe(Vocab::new(), pairs(), Some(f32::NAN)), "model.dropout"),
        (
            Spec { pre_tokenizer: Some(in_sequence), ..empty() },
            "pre_tokenizer.pretokenizers[1].pattern",
        ),
        (Spec { normalizer: Some(replace), ..empty() }, "normalizer.pattern"),
        (unigram(vec![0.0, f64::NEG_INFINITY]), "model.vocab[1][1]"),
        (unigram(vec![f64::NAN]), "model.vocab[0][1]"),
    ];
    for (spec, expected) in cases {
        match to_json(&spec) {
            Err(LoadError::Unsupported { field, .. }) => assert_eq!(field, expected),
            other => panic!("{other:?}"),
        }
    }
}
