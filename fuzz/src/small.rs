//! Tokenizers that are quick to make: the first merges of GPT-2 behind each of the split families.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fretsaw::fuzzed::Split;
use fretsaw::spec::{AddedToken, Pattern};
use fretsaw::{load_bytes, Pipeline};
use serde_json::{json, Value};

use crate::book::alphabet::alphabet;
use crate::book::merge::Merges;
use crate::draw::Draw;

/// Merges of GPT-2's `merges.txt`, the first 1500.
const MERGES: &str = include_str!("../merges.txt");

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const CL100K: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK: &str = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";
const R50K: &str =
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
const CL100K_TIKTOKEN: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";

/// The four families of splits, and patterns of tiktoken's dialect.
pub fn patterns() -> [Pattern; 7] {
    let onig = |text: &str| Pattern::Onig(text.to_owned());
    let fancy = |text: &str| Pattern::Fancy(text.to_owned());
    [
        onig(GPT2),
        onig(CL100K),
        onig(O200K),
        onig(DEEPSEEK),
        fancy(R50K),
        fancy(CL100K_TIKTOKEN),
        fancy(O200K),
    ]
}

/// A tokenizer, and what the books need to do the same.
pub struct Family {
    pub split: Split,
    pub pipeline: Pipeline,
    pub merges: Merges,
    pub added: Vec<AddedToken>,
}

/// The merges as pairs.
pub fn merge_list() -> Vec<(String, String)> {
    let pair =
        |line: &str| line.split_once(' ').map(|(left, right)| (left.to_owned(), right.to_owned()));
    MERGES.lines().filter_map(pair).collect()
}

/// One of the families of tokenizer.json, which have the first four patterns; made when first needed.
pub fn any_family(draw: &mut Draw<'_>) -> &'static Family {
    static FAMILIES: [OnceLock<Family>; 4] = [const { OnceLock::new() }; 4];
    let at = draw.below(FAMILIES.len());
    FAMILIES[at].get_or_init(|| family(&patterns()[at]))
}

fn family(pattern: &Pattern) -> Family {
    let merges = merge_list();
    let mut vocab: Vec<String> = alphabet().iter().map(char::to_string).collect();
    vocab.extend(merges.iter().map(|(left, right)| format!("{left}{right}")));
    let flags = [
        ("<|endoftext|>", [true, false, false, false, false]),
        ("<|", [true, false, false, false, false]),
        ("<s>", [true, false, true, false, false]),
        ("<mark>", [false, false, false, true, false]),
        ("the", [false, true, false, false, true]),
        ("hello", [false, true, false, true, true]),
        ("\u{3000}漢", [false, false, true, true, true]),
    ];
    let token =
        |(content, [special, single_word, lstrip, rstrip, normalized]): (&str, [bool; 5]), id| {
            let plain = AddedToken::plain(content, id, special);
            AddedToken { single_word, lstrip, rstrip, normalized, ..plain }
        };
    // One that the model has as well has the model's id; the others come behind, in order.
    let mut next = vocab.len() as u32;
    let mut id_of = |content: &str| match vocab.iter().position(|known| known == content) {
        Some(id) => id as u32,
        None => {
            next += 1;
            next - 1
        }
    };
    let added: Vec<AddedToken> =
        flags.into_iter().map(|flags| token(flags, id_of(flags.0))).collect();
    let json = json!({
        "added_tokens": added,
        "pre_tokenizer": pre_tokenizer(pattern),
        "decoder": byte_level(),
        "model": {
            "type": "BPE",
            "vocab": vocab.into_iter().zip(0..).collect::<BTreeMap<String, u32>>(),
            "merges": merges,
        },
    });
    let pipeline = load_bytes(json.to_string().as_bytes()).expect("a sound file");
    let split = Split::new(pattern).expect("a sound pattern");
    Family { split, pipeline, merges: Merges::new(&merges), added }
}

/// ByteLevel without its own regular expression.
pub fn byte_level() -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false})
}

fn pre_tokenizer(pattern: &Pattern) -> Value {
    let (Pattern::Onig(text) | Pattern::Fancy(text) | Pattern::Literal(text)) = pattern;
    let split = json!({"type": "Split", "pattern": {"Regex": text}, "behavior": "Isolated", "invert": false});
    json!({"type": "Sequence", "pretokenizers": [split, byte_level()]})
}
