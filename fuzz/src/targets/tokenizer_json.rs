//! `tokenizer_json`: JSON values with every component and wrong ones: refused, or a tokenizer that
//! encodes alike at every level and when saved and loaded again, as JSON and compiled.

use fretsaw::{load_bytes, MatchPolicy, SpecialSet};
use serde_json::{json, Map, Value};

use super::{check, seeded};
use crate::draw::Draw;

const KINDS: [&str; 44] = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Lowercase",
    "Strip",
    "StripAccents",
    "Replace",
    "Prepend",
    "BertNormalizer",
    "Nmt",
    "Precompiled",
    "ByteLevel",
    "Sequence",
    "BertPreTokenizer",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "Punctuation",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
    "BertProcessing",
    "RobertaProcessing",
    "TemplateProcessing",
    "BPEDecoder",
    "ByteFallback",
    "CTC",
    "Fuse",
    "WordPiece",
    "BPE",
    "Unigram",
    "WordLevel",
    "Bpe",
    "",
    "Isolated",
    "Removed",
    "MergedWithPrevious",
    "MergedWithNext",
    "Contiguous",
    "always",
    "first",
];
const FIELDS: [&str; 48] = [
    "type",
    "pattern",
    "behavior",
    "invert",
    "content",
    "prepend",
    "left",
    "right",
    "clean_text",
    "handle_chinese_chars",
    "strip_accents",
    "lowercase",
    "add_prefix_space",
    "trim_offsets",
    "use_regex",
    "delimiter",
    "individual_digits",
    "length",
    "replacement",
    "prepend_scheme",
    "split",
    "sep",
    "cls",
    "single",
    "pair",
    "special_tokens",
    "suffix",
    "pad_token",
    "word_delimiter_token",
    "cleanup",
    "start",
    "stop",
    "prefix",
    "vocab",
    "merges",
    "unk_token",
    "unk_id",
    "byte_fallback",
    "fuse_unk",
    "ignore_merges",
    "dropout",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "max_input_chars_per_word",
    "pretokenizers",
    "normalizers",
    "decoders",
    "processors",
];
const TEXTS: [&str; 22] = [
    "a", "b", "ab", " ", "", "\u{2581}", "Ġ", "##", "é", "<0x41>", "<s>", "[UNK]", "\\s+", "[ab]",
    "\\p{L}+", "a|b", "(", "$A", "Sequence", "\0", "the", "b ",
];

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    if draw.one_in(16) {
        let pipeline = load_bytes(draw.rest()).ok()?;
        check(&pipeline, "a ab <s>é");
        return Some(());
    }
    let mut json = json!({"model": model(draw)});
    for part in ["normalizer", "pre_tokenizer", "post_processor", "decoder"] {
        if draw.one_in(2) {
            json[part] = component(draw, part, 0);
        }
    }
    if draw.one_in(3) {
        json["added_tokens"] = draw.list(3, added_token).into();
    }
    if draw.one_in(8) {
        json["truncation"] = json!({"max_length": draw.below(6), "stride": draw.below(4), "strategy": "LongestFirst", "direction": "Right"});
    }
    if draw.one_in(8) {
        json["padding"] = json!({"strategy": {"Fixed": draw.below(6)}, "direction": "Left", "pad_id": 0, "pad_type_id": 0,
            "pad_token": "a", "pad_to_multiple_of": draw.below(3)});
    }
    // One value somewhere may be wrong.
    if draw.one_in(4) {
        let wrong = any_value(draw, 0);
        let part = draw
            .pick(&["normalizer", "pre_tokenizer", "post_processor", "decoder", "model"])
            .to_string();
        if let Some(Value::Object(fields)) = json.get_mut(&part) {
            fields.insert(draw.pick(&FIELDS).to_string(), wrong);
        }
    }
    let pipeline = load_bytes(json.to_string().as_bytes()).ok()?;
    let text = draw.short_text(30);
    check(&pipeline, &text);
    let settings = seeded(&pipeline);
    let encode = |pipeline: &fretsaw::Pipeline| {
        let special = SpecialSet::All;
        pipeline
            .encode_with(&text, MatchPolicy::new(&special), true, &settings)
            .map(|encoding| encoding.ids)
    };
    if let Ok(saved) = pipeline.to_json(&pipeline.file_settings()) {
        let again = load_bytes(&saved)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&saved)));
        assert_eq!(again.fingerprint(), pipeline.fingerprint(), "{json}");
        assert_eq!(encode(&again), encode(&pipeline), "{json} {text:?}");
    }
    let compiled = pipeline.to_fret(&pipeline.file_settings(), None).expect("a file");
    let again = load_bytes(&compiled).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(encode(&again), encode(&pipeline), "{json} {text:?}");
    Some(())
}

fn model(draw: &mut Draw<'_>) -> Value {
    let mut tokens = draw.list(12, |draw| draw.text_of(&TEXTS[..12], 2));
    tokens.sort_unstable();
    tokens.dedup();
    let vocab = || {
        tokens.iter().cloned().zip(0..).map(|(token, id)| (token, json!(id))).collect::<Map<_, _>>()
    };
    let text = |draw: &mut Draw<'_>| draw.pick(&TEXTS[..12]).to_string();
    let flag = |draw: &mut Draw<'_>| draw.one_in(2);
    match draw.below(4) {
        0 => {
            let merges = draw.list(8, |draw| [text(draw), text(draw)]);
            let mut json = json!({"type": "BPE", "vocab": vocab(), "merges": merges, "byte_fallback": flag(draw),
                "fuse_unk": flag(draw), "ignore_merges": flag(draw)});
            for field in ["unk_token", "continuing_subword_prefix", "end_of_word_suffix"] {
                if draw.one_in(4) {
                    json[field] = text(draw).into();
                }
            }
            if draw.one_in(8) {
                json["dropout"] = json!(0.5);
            }
            json
        }
        1 => {
            let scored: Vec<Value> =
                tokens.iter().map(|token| json!([token, -f64::from(draw.byte())])).collect();
            json!({"type": "Unigram", "vocab": scored, "unk_id": draw.below(4), "byte_fallback": flag(draw)})
        }
        2 => {
            json!({"type": "WordPiece", "vocab": vocab(), "unk_token": text(draw), "continuing_subword_prefix": text(draw),
            "max_input_chars_per_word": draw.below(20)})
        }
        _ => json!({"type": "WordLevel", "vocab": vocab(), "unk_token": text(draw)}),
    }
}

fn added_token(draw: &mut Draw<'_>) -> Value {
    let mut flag = || draw.one_in(2);
    json!({"single_word": flag(), "lstrip": flag(), "rstrip": flag(), "normalized": flag(), "special": flag(),
        "id": draw.below(16), "content": draw.text_of(&TEXTS, 2)})
}

/// A component that is mostly of the kind that the place wants.
fn component(draw: &mut Draw<'_>, part: &str, depth: usize) -> Value {
    let kinds: &[&str] = match part {
        _ if draw.one_in(32) => &KINDS,
        "normalizer" => &KINDS[..14],
        "pre_tokenizer" => &KINDS[12..24],
        "post_processor" => {
            &["ByteLevel", "Sequence", "BertProcessing", "RobertaProcessing", "TemplateProcessing"]
        }
        _ => &[
            "ByteLevel",
            "Sequence",
            "Metaspace",
            "Replace",
            "Strip",
            "BPEDecoder",
            "ByteFallback",
            "CTC",
            "Fuse",
            "WordPiece",
        ],
    };
    let kind = *draw.pick(kinds);
    let text = |draw: &mut Draw<'_>| draw.pick(&TEXTS).to_string();
    let flag = |draw: &mut Draw<'_>| draw.one_in(2);
    let behavior = |draw: &mut Draw<'_>| draw.pick(&KINDS[37..42]).to_string();
    let pattern = |draw: &mut Draw<'_>| match draw.one_in(2) {
        true => json!({"Regex": text(draw)}),
        false => json!({"String": text(draw)}),
    };
    let mut json = match kind {
        "Sequence" if depth < 2 => {
            let name = match part {
                "normalizer" => "normalizers",
                "pre_tokenizer" => "pretokenizers",
                "post_processor" => "processors",
                _ => "decoders",
            };
            let parts: Vec<Value> =
                (0..draw.below(4)).map(|_| component(draw, part, depth + 1)).collect();
            json!({name: parts})
        }
        "Strip" if part == "decoder" => {
            json!({"content": "a", "start": draw.below(3), "stop": draw.below(3)})
        }
        "Strip" => json!({"strip_left": flag(draw), "strip_right": flag(draw)}),
        "Replace" => json!({"pattern": pattern(draw), "content": text(draw)}),
        "Prepend" => json!({"prepend": text(draw)}),
        "BertNormalizer" => {
            json!({"clean_text": flag(draw), "handle_chinese_chars": flag(draw), "strip_accents": null, "lowercase": flag(draw)})
        }
        "ByteLevel" => {
            json!({"add_prefix_space": flag(draw), "trim_offsets": flag(draw), "use_regex": flag(draw)})
        }
        "CharDelimiterSplit" => json!({"delimiter": "b"}),
        "Digits" => json!({"individual_digits": flag(draw)}),
        "FixedLength" => json!({"length": 1 + draw.below(4)}),
        "Metaspace" => {
            json!({"replacement": "\u{2581}", "prepend_scheme": draw.pick(&["always", "first", "never"]), "split": flag(draw)})
        }
        "Punctuation" => json!({"behavior": behavior(draw)}),
        "Split" => {
            json!({"pattern": pattern(draw), "behavior": behavior(draw), "invert": flag(draw)})
        }
        "BertProcessing" => json!({"sep": ["b", 1], "cls": ["a", 0]}),
        "RobertaProcessing" => {
            json!({"sep": ["b", 1], "cls": ["a", 0], "trim_offsets": flag(draw), "add_prefix_space": flag(draw)})
        }
        "TemplateProcessing" => json!({
            "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": draw.below(2)}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}},
        }),
        "BPEDecoder" => json!({"suffix": text(draw)}),
        "CTC" => {
            json!({"pad_token": text(draw), "word_delimiter_token": text(draw), "cleanup": flag(draw)})
        }
        "WordPiece" => json!({"prefix": text(draw), "cleanup": flag(draw)}),
        _ => json!({}),
    };
    json["type"] = kind.into();
    json
}

fn any_value(draw: &mut Draw<'_>, depth: usize) -> Value {
    match draw.below(if depth < 3 { 8 } else { 6 }) {
        0 => Value::Null,
        1 => draw.one_in(2).into(),
        2 => draw.u32().into(),
        3 => (f64::from(draw.byte()) / -3.0).into(),
        4 => draw.pick(&TEXTS).to_string().into(),
        5 => draw.pick(&KINDS).to_string().into(),
        6 => draw.list(4, |draw| any_value(draw, depth + 1)).into(),
        _ => {
            let field =
                |draw: &mut Draw<'_>| (draw.pick(&FIELDS).to_string(), any_value(draw, depth + 1));
            draw.list(4, field).into_iter().collect::<Map<_, _>>().into()
        }
    }
}
