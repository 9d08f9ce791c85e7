#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::io::Read;

use proptest::prelude::*;
use serde_json::{json, Value};

use super::normalizer;
use crate::error::{LoadError, Problem};
use crate::normalize::{identity, Normalizer};
use crate::spec;

fn try_compile(json: &Value) -> Result<Normalizer, LoadError> {
    let model = json!({"type": "BPE", "vocab": {}, "merges": []});
    let file = json!({"version": "1.0", "normalizer": json, "model": model});
    let spec = spec::from_json(file.to_string().as_bytes()).unwrap();
    normalizer(&spec.normalizer.unwrap(), "normalizer")
}

fn compile(json: &Value) -> Normalizer {
    try_compile(json).unwrap()
}

/// The normalized text and the span of each of its characters, in characters of the original.
fn in_characters(normalizer: &Normalizer, text: &str) -> Value {
    let plain = normalizer.normalize(text).ok();
    let aligned = normalizer.normalize_spans(text, identity(text)).ok();
    let aligned_text = aligned.as_ref().map(|(text, _)| text.as_str());
    assert_eq!(plain.as_deref(), aligned_text, "the two ways differ on {text:?}");
    let Some((normalized, spans)) = aligned else { return Value::Null };
    let chars = |bytes: u32| text[..bytes as usize].chars().count();
    let of_char = |(at, c): (usize, char)| {
        let (start, end) = spans[at];
        assert!(spans[at..at + c.len_utf8()].iter().all(|&span| span == (start, end)));
        [chars(start), chars(end)]
    };
    let spans: Vec<_> = normalized.char_indices().map(of_char).collect();
    json!([normalized, spans])
}

#[test]
fn golden() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/normalize.jsonl.gz");
    let mut lines = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).unwrap();
    assert_eq!(lines.lines().count(), 1530);
    for line in lines.lines() {
        let [json, text, want]: [Value; 3] = serde_json::from_str(line).unwrap();
        let got = in_characters(&compile(&json), text.as_str().unwrap());
        assert_eq!(got, want, "{json} of {text}");
    }
}

#[test]
fn what_can_not_be_compiled_is_named() {
    let sequence =
        |part: Value| json!({"type": "Sequence", "normalizers": [{"type": "NFC"}, part]});
    let regex = json!({"type": "Replace", "pattern": {"Regex": "("}, "content": ""});
    let error = try_compile(&sequence(regex)).err().unwrap();
    assert!(matches!(error, LoadError::Invalid { problem: Problem::OutOfRange { .. }, .. }));
    assert!(error.to_string().contains("`normalizer.normalizers[1].pattern.Regex`"), "{error}");
    let charsmap = spec::Normalizer::Precompiled { charsmap: vec![8, 0, 0, 0, 1] };
    let error = normalizer(&charsmap, "normalizer").err().unwrap();
    assert!(error.to_string().contains("`normalizer.precompiled_charsmap`"), "{error}");
}

/// A normalizer of one step or several, from the kinds that change little.
fn any_normalizer() -> impl Strategy<Value = Value> {
    const SIMPLE: [&str; 8] =
        ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"];
    let step = prop_oneof![
        8 => proptest::sample::select(&SIMPLE[..]).prop_map(|name| json!({"type": name})),
        1 => any::<(bool, bool)>().prop_map(|(left, right)| {
            json!({"type": "Strip", "strip_left": left, "strip_right": right})
        }),
        1 => any::<(bool, bool, Option<bool>, bool)>().prop_map(|(clean, chinese, accents, lower)| {
            json!({"type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": chinese,
                   "strip_accents": accents, "lowercase": lower})
        }),
        1 => ("[ aé]?", "[ ▁a]{0,2}").prop_map(|(from, to)| {
            json!({"type": "Replace", "pattern": {"String": from}, "content": to})
        }),
        1 => "[ ▁a]{0,2}".prop_map(|front| json!({"type": "Prepend", "prepend": front})),
    ];
    proptest::collection::vec(step, 1..4)
        .prop_map(|steps| json!({"type": "Sequence", "normalizers": steps}))
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn borrowed_or_owned_the_text_is_that_of_the_spans(
        json in any_normalizer(),
        text in "(\\PC|[ a-zA-Z\\n\u{300}\u{301}\u{323}\u{334}\u{1100}-\u{1175}가-갛é]){0,40}",
    ) {
        let normalizer = compile(&json);
        let plain = normalizer.normalize(&text);
        let aligned = normalizer.normalize_spans(&text, identity(&text));
        match (plain, aligned) {
            (Ok(plain), Ok((aligned, spans))) => {
                prop_assert_eq!(&plain, &aligned);
                prop_assert_eq!(spans.len(), aligned.len());
                prop_assert!(spans.iter().all(|&(start, end)| start <= end && end as usize <= text.len()));
                prop_assert!(matches!(plain, Cow::Owned(_)) || text.contains(&*plain));
            }
            (plain, aligned) => prop_assert_eq!(plain.err(), aligned.err()),
        }
    }
}
