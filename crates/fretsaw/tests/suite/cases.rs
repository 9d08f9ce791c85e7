//! The shared cases, `tests/cases/*.jsonl`: each runs here, or is in one of the lists below with the
//! reason; so none is passed over without being noticed.

use std::collections::BTreeMap;

use fretsaw::encoding::Columns;
use fretsaw::spec::{Direction, PadStrategy, Padding, Truncation, TruncationStrategy};
use fretsaw::{load_bytes, Input, MatchPolicy, Pipeline, Request, Settings, SpecialSet, Tokenizer};
use serde_json::{json, Value};

use crate::data::{gpt2, path};
use crate::stream::by_steps;

/// Run here for what this version gives: the text before a stop string.
const PARTLY: &[&str] = &["T02", "T06", "T08", "T10", "T12"];

/// Inputs that are no Rust string: a lone surrogate, `null`.
const NO_TEXT: &[&str] = &["Z06", "B02"];

/// Other file formats, built-in vocabularies, training and scenarios: nothing in this crate takes
/// them yet.
const NOT_HERE: &[&str] = &[
    "L27", "L43", "Y03", "Y04", "Y06", "Y07", "Y09", "Y12", "P01", "P05", "P12", "Z03", "Z05",
    "B06", "B10", "B13", "B19", "B23", "B24", "X05", "X06", "X12", "X13", "X14", "X15",
];

/// How many run in full.
const RUN: usize = 80;

/// What became of a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Run,
    Partly,
    NoText,
    NotHere,
}

struct Case {
    id: String,
    kind: String,
    json: Value,
}

/// All cases. A line with an unpaired surrogate is no JSON to Rust's parser, so that its input
/// becomes `null`.
fn cases() -> Vec<Case> {
    let folder = std::fs::read_dir(path("tests/cases")).unwrap();
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let mut json: Value = serde_json::from_str(line).unwrap_or_else(|_| {
                let start = line.find(r#""input": "#).unwrap();
                let end = line.find(r#", "options": "#).unwrap();
                let without = format!(r#"{}"input": null{}"#, &line[..start], &line[end..]);
                serde_json::from_str(&without).unwrap()
            });
            let mut take = |name: &str| json[name].take().as_str().unwrap().to_owned();
            cases.push(Case { id: take("id"), kind: take("kind"), json });
        }
    }
    cases
}

#[test]
fn shared_cases() {
    let mut outcomes: BTreeMap<Outcome, Vec<String>> = BTreeMap::new();
    for case in cases() {
        outcomes.entry(run(&case)).or_default().push(case.id);
    }
    let ran = outcomes.remove(&Outcome::Run).unwrap_or_default();
    let others =
        [(Outcome::Partly, PARTLY), (Outcome::NoText, NO_TEXT), (Outcome::NotHere, NOT_HERE)];
    let names = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
    let want = others.into_iter().map(|(outcome, ids)| (outcome, names(ids))).collect();
    assert_eq!(outcomes, want, "what does not run in full");
    assert_eq!(ran.len(), RUN, "{ran:?}");
}

fn run(case: &Case) -> Outcome {
    let Case { id, kind, json } = case;
    let (input, options) = (&json["input"], &json["options"]);
    let set = |name: &str| !options[name].is_null();
    match kind.as_str() {
        "load_ok" | "load_error" if set("format") => return Outcome::NotHere,
        "load_ok" | "load_error" => return load_case(case),
        "train" | "threads" | "roundtrip" => return Outcome::NotHere,
        _ if input.is_null() => return Outcome::NoText,
        _ => {}
    }
    let loaded;
    let tokenizer = match &json["tokenizer"] {
        Value::String(name) if name == "gpt2" => gpt2(),
        Value::String(_) => return Outcome::NotHere,
        file => match load_bytes(file.to_string().as_bytes()) {
            Ok(tokenizer) => {
                loaded = tokenizer;
                &loaded
            }
            Err(error) => panic!("{id}: {error}"),
        },
    };
    let expected = [&json["expected"], &json["hf_actual"]];
    match kind.as_str() {
        "encode" | "special" | "offsets" | "truncate" | "pad" => {
            let add_special_tokens = options["add_special_tokens"].as_bool().unwrap_or(true);
            let plain = options["encode_special_tokens"].as_bool().unwrap_or(false);
            let special = if plain { SpecialSet::Plain } else { SpecialSet::All };
            encode_case(case, tokenizer, &special, add_special_tokens);
            Outcome::Run
        }
        "decode" | "stream" => {
            let skip = options["skip_special_tokens"].as_bool().unwrap_or(true);
            let ids = ids_of(input);
            let text = tokenizer.decode_ids(&ids, skip).unwrap();
            assert_eq!(by_steps(tokenizer, &ids, skip), text, "{id}");
            let wanted: Vec<&str> =
                expected.iter().filter_map(|want| want["text"].as_str()).collect();
            if expected[0]["stopped_by"].is_string() {
                let stop = options["stop"][0].as_str().unwrap();
                assert_eq!(
                    text.split_once(stop).map(|(before, _)| before),
                    Some(wanted[0]),
                    "{id}"
                );
                return Outcome::Partly;
            }
            assert!(wanted.contains(&text.as_str()), "{id}: {text:?}, not {wanted:?}");
            Outcome::Run
        }
        "perf" => {
            let count = tokenizer.encode(&generate(input)).unwrap().len();
            assert_eq!(Some(count as u64), expected[0]["n_tokens"].as_u64(), "{id}");
            Outcome::Run
        }
        _ => panic!("{id}: unknown kind {kind}"),
    }
}

/// What a case gives to be encoded.
fn request<'a>(input: &'a Value, is_pretokenized: bool) -> Request<'a> {
    let sequence = |value: &'a Value| match value {
        Value::Array(words) if is_pretokenized => {
            Input::Words(words.iter().map(|word| word.as_str().unwrap()).collect())
        }
        text => Input::Text(text.as_str().unwrap()),
    };
    match &input["pair"] {
        Value::Null => Request { first: sequence(input), second: None },
        pair => Request { first: sequence(&input["text"]), second: Some(sequence(pair)) },
    }
}

/// Truncation and padding of a case.
fn settings(options: &Value) -> Settings {
    let number = |of: &Value, name: &str| of[name].as_u64().map(|number| number as usize);
    let direction = |of: &Value| match of["direction"].as_str() {
        Some("left") => Direction::Left,
        _ => Direction::Right,
    };
    let of = |name: &str| Some(&options[name]).filter(|of| of.is_object());
    Settings {
        truncation: of("truncation").map(|of| Truncation {
            direction: direction(of),
            max_length: number(of, "max_length").unwrap(),
            strategy: match of["strategy"].as_str() {
                Some("only_first") => TruncationStrategy::OnlyFirst,
                Some("only_second") => TruncationStrategy::OnlySecond,
                _ => TruncationStrategy::LongestFirst,
            },
            stride: number(of, "stride").unwrap_or(0),
        }),
        padding: of("padding").map(|of| Padding {
            strategy: number(of, "length").map_or(PadStrategy::BatchLongest, PadStrategy::Fixed),
            direction: direction(of),
            pad_to_multiple_of: number(of, "pad_to_multiple_of"),
            pad_id: number(of, "pad_id").unwrap_or(0) as u32,
            pad_type_id: 0,
            pad_token: of["pad_token"].as_str().unwrap_or("[PAD]").to_owned(),
        }),
        seed: None,
    }
}

/// Every column that the case has a value for.
fn check_columns(id: &str, tokenizer: &Pipeline, columns: &Columns, want: &Value) {
    let overflowing = columns.overflowing.iter();
    for (name, value) in want.as_object().unwrap() {
        let found = match name.as_str() {
            "ids" => json!(columns.ids),
            "tokens" => json!(tokenizer.names(columns).collect::<Vec<_>>()),
            "offsets" => json!(columns.offsets),
            "word_ids" => json!(columns.words),
            "type_ids" => json!(columns.type_ids),
            "sequence_ids" => json!(columns.sequence_ids()),
            "special_tokens_mask" => json!(columns.special_tokens_mask),
            "attention_mask" => json!(columns.attention_mask),
            "overflowing" => {
                let parts = value.as_array().unwrap();
                assert_eq!(columns.overflowing.len(), parts.len(), "{id}");
                overflowing.clone().zip(parts).for_each(|(part, want)| {
                    check_columns(id, tokenizer, part, want);
                });
                continue;
            }
            "n_tokens" => json!(columns.len()),
            other => panic!("{id}: unknown column {other}"),
        };
        assert_eq!(found, *value, "{id}: {name}");
    }
}

/// Encodes what a case gives and compares every column.
fn encode_case(case: &Case, tokenizer: &Pipeline, special: &SpecialSet, add_special_tokens: bool) {
    let (id, options) = (&case.id, &case.json["options"]);
    let settings = settings(options);
    let policy = MatchPolicy::new(special);
    let is_pretokenized = options["is_pretokenized"].as_bool().unwrap_or(false);
    let inputs: Vec<&Value> = match options["batch"].as_bool() {
        Some(true) => case.json["input"].as_array().unwrap().iter().collect(),
        _ => vec![&case.json["input"]],
    };
    let requests: Vec<_> = inputs.iter().map(|input| request(input, is_pretokenized)).collect();
    let encodings =
        tokenizer.encode_requests(&requests, special, add_special_tokens, &settings, 1).unwrap();
    let expected = &case.json["expected"];
    let wanted: Vec<&Value> = match expected["encodings"].as_array() {
        Some(encodings) => encodings.iter().collect(),
        None => vec![expected],
    };
    assert_eq!(encodings.len(), wanted.len(), "{id}");
    for ((request, encoding), want) in requests.iter().zip(&encodings).zip(wanted) {
        let longest = Some(encoding.ids.len());
        let columns =
            tokenizer.columns(request, policy, add_special_tokens, &settings, longest).unwrap();
        assert_eq!(columns.ids, encoding.ids, "{id}");
        check_columns(id, tokenizer, &columns, want);
        if let Input::Text(text) = request.first {
            if request.second.is_none() && !tokenizer.lacks_names(encoding) {
                let names: Vec<_> = tokenizer.names(&columns).collect();
                assert_eq!(tokenizer.tokens(encoding, text), names, "{id}");
            }
        }
    }
}

/// A file that must load as the oracle loads it, or that is refused.
fn load_case(case: &Case) -> Outcome {
    let Case { id, kind, json } = case;
    let bytes = match &json["input"] {
        Value::String(text) => text.clone().into_bytes(),
        Value::Object(file) if file.contains_key("bytes_hex") => {
            hex(file["bytes_hex"].as_str().unwrap())
        }
        file => file.to_string().into_bytes(),
    };
    let wanted = match json["expected"]["any_of"].as_array() {
        Some(any) => any.clone(),
        None => vec![json["expected"].clone()],
    };
    let tokenizer = match load_bytes(&bytes) {
        Ok(tokenizer) => tokenizer,
        Err(error) => {
            let refuses = wanted.iter().any(|want| want == "error" || want["error"] == true);
            assert!(refuses, "{id}: {error}");
            return Outcome::Run;
        }
    };
    let texts = json["options"]["probe"].as_array().cloned().unwrap_or_default();
    if kind == "load_error" {
        // What loads must fail where it is used.
        let fails = |text: &Value| tokenizer.encode(text.as_str().unwrap()).is_err();
        assert!(texts.iter().any(fails), "{id} loads");
        return Outcome::Run;
    }
    let id_lists = json["options"]["decode_probe"].as_array().cloned().unwrap_or_default();
    let got = serde_json::json!({
        "vocab_size": tokenizer.vocab(true).count(),
        "probe_ids": texts.iter().map(|text| tokenizer.encode(text.as_str().unwrap()).unwrap()).collect::<Vec<_>>(),
        "decode_probe": id_lists.iter().map(|ids| tokenizer.decode_ids(&ids_of(ids), false).unwrap()).collect::<Vec<_>>(),
    });
    let agrees = |want: &Value| {
        want.as_object().is_some_and(|want| want.iter().all(|(name, value)| got[name] == *value))
    };
    assert!(wanted.iter().any(agrees), "{id}: {got}");
    Outcome::Run
}

fn ids_of(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

/// A text that is written out or generated.
fn generate(input: &Value) -> String {
    match input {
        Value::String(text) => text.clone(),
        _ if input["repeat"].is_array() => {
            let count = input["repeat"][1].as_u64().unwrap() as usize;
            input["repeat"][0].as_str().unwrap().repeat(count)
        }
        _ => input["concat"].as_array().unwrap().iter().map(generate).collect(),
    }
}
