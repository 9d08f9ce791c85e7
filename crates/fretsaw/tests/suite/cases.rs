//! The shared cases, `tests/cases/*.jsonl`: each runs here, or is in one of the lists below with the
//! reason; so none is passed over without being noticed.

use std::collections::BTreeMap;

use fretsaw::{load_bytes, MatchPolicy, Pipeline, Settings, SpecialSet, Tokenizer};
use serde_json::Value;

use crate::data::{gpt2, path};
use crate::stream::by_steps;

/// Run here for what this version gives: ids without offsets, the text before a stop string.
const PARTLY: &[&str] = &[
    "C01", "C05", "C11", "C13", "E01", "E02c", "E02d", "E02e", "E04", "E05", "D02", "D03c", "D05",
    "D08", "D10b", "D13", "D14", "D16", "D17", "D18b0", "D18c0", "D22", "D23", "D24", "D30", "D33",
    "D34", "D38", "C08", "T02", "T06", "T08", "T10", "T12",
];

/// Inputs that are no Rust string: a lone surrogate, `null`.
const NO_TEXT: &[&str] = &["Z06", "B02"];

/// Other file formats, built-in vocabularies, training, truncation, padding, pre-tokenized input
/// and scenarios: nothing in this crate takes them yet.
const NOT_HERE: &[&str] = &[
    "L27", "L43", "E07", "D31", "Y03", "Y04", "Y06", "Y07", "Y09", "Y12", "P01", "P05", "P12",
    "C10", "Z03", "Z05", "B06", "B10", "B13", "B19", "B23", "B24", "X05", "X06", "X12", "X13",
    "X14", "X15", "K01", "K08a", "K10", "K12", "K13", "K14", "K15",
];

/// How many run in full.
const RUN: usize = 41;

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
        "train" | "truncate" | "pad" | "threads" | "roundtrip" => return Outcome::NotHere,
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
    if set("is_pretokenized") || input["pair"].is_string() {
        return Outcome::NotHere;
    }
    let expected = [&json["expected"], &json["hf_actual"]];
    match kind.as_str() {
        "encode" | "special" | "offsets" => {
            let add_special_tokens = options["add_special_tokens"].as_bool().unwrap_or(true);
            let plain = options["encode_special_tokens"].as_bool().unwrap_or(false);
            let special = if plain { SpecialSet::Plain } else { SpecialSet::All };
            encode_case(case, tokenizer, input.as_str().unwrap(), &special, add_special_tokens);
            match expected[0]["offsets"].is_null() {
                true => Outcome::Run,
                false => Outcome::Partly,
            }
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

/// Ids, and token strings where the case has them.
fn encode_case(
    case: &Case,
    tokenizer: &Pipeline,
    text: &str,
    special: &SpecialSet,
    add_special_tokens: bool,
) {
    let (id, want) = (&case.id, &case.json["expected"]);
    let policy = MatchPolicy::new(special);
    let encoding =
        tokenizer.encode_with(text, policy, add_special_tokens, &Settings::NONE).unwrap();
    if want["ids"].is_array() {
        assert_eq!(encoding.ids, ids_of(&want["ids"]), "{id}: {text:?}");
    }
    if let Some(offsets) = want["offsets"].as_array() {
        assert_eq!(encoding.ids.len(), offsets.len(), "{id}: {text:?}");
    }
    let len = encoding.ids.len();
    let encoding =
        tokenizer.with_names(text, policy, add_special_tokens, &Settings::NONE, len).unwrap();
    if let Some(tokens) = want["tokens"].as_array() {
        assert_eq!(tokenizer.tokens(&encoding, text), *tokens, "{id}: {text:?}");
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
