//! `scan`: each known split at every level against the scalar twin, and that against the pattern's own
//! engine; and pre-tokenizers that the scanner runs in place against their definition step by step.

use std::sync::OnceLock;

use fretsaw::fuzzed::{levels, Level, Split};
use fretsaw::spec::Pattern;
use fretsaw::{load_bytes, Pipeline, SpecialSet};
use serde_json::{json, Value};

use super::ids_at_every_level;
use crate::draw::Draw;
use crate::small::{byte_level, patterns};

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let at = draw.below(PATTERNS + STEPS);
    if at >= PATTERNS {
        let pipeline = PIPELINES[at - PATTERNS].get_or_init(|| pipeline(at - PATTERNS));
        let text = draw.text();
        let ids = ids_at_every_level(pipeline, &text, &SpecialSet::None);
        let pieces = pipeline.pre_tokenize(&text).expect("any text");
        // Every piece is unknown as a whole: one id each.
        assert_eq!(ids.map(|ids| ids.len()), Ok(pieces.len()), "{text:?} {pieces:?}");
        return Some(());
    }
    let split = SPLITS[at].get_or_init(|| split(at));
    let text = draw.text();
    let known = split.scanned(Level::Scalar, &text)?;
    assert_eq!(Ok(&known), split.searched(&text).as_ref(), "{:?} {text:?}", patterns_known()[at]);
    for level in levels() {
        assert_eq!(split.scanned(level, &text).as_ref(), Some(&known), "{level:?} {text:?}");
    }
    Some(())
}

const PATTERNS: usize = 14;
const STEPS: usize = 10;

/// Each made when first needed.
static SPLITS: [OnceLock<Split>; PATTERNS] = [const { OnceLock::new() }; PATTERNS];
static PIPELINES: [OnceLock<Pipeline>; STEPS] = [const { OnceLock::new() }; STEPS];

fn split(at: usize) -> Split {
    Split::new(&patterns_known()[at]).expect("a sound pattern")
}

/// Patterns that the scanner has a split for.
fn patterns_known() -> [Pattern; PATTERNS] {
    let onig = |text: &str| Pattern::Onig(text.to_owned());
    let [a, b, c, d, e, f, g] = patterns();
    [
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        onig(r"\p{N}{1,3}"),
        onig(r"[0-9][0-9][0-9]"),
        onig(r"\s+$"),
        onig(r"\s+"),
        onig(r"[一-龥぀-ゟ゠-ヿ]+"),
        onig(r" ?[^(\s|[.,!?…。，、।۔،])]+"),
        Pattern::Fancy(r"\p{N}{1,3}".to_owned()),
    ]
}

/// A tokenizer whose every piece is one unknown word.
fn pipeline(at: usize) -> Pipeline {
    let digits = |each: bool| json!({"type": "Digits", "individual_digits": each});
    let gpt2 = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    let metaspace = json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true});
    let all = |steps: &[&Value]| json!({"type": "Sequence", "pretokenizers": steps});
    let steps: [Value; STEPS] = [
        json!({"type": "WhitespaceSplit"}),
        json!({"type": "Whitespace"}),
        json!({"type": "BertPreTokenizer"}),
        json!({"type": "UnicodeScripts"}),
        json!({"type": "Punctuation", "behavior": "Isolated"}),
        digits(false),
        gpt2.clone(),
        all(&[&digits(true), &gpt2]),
        all(&[&digits(false), &byte_level()]),
        all(&[&json!({"type": "WhitespaceSplit"}), &metaspace]),
    ];
    let model = json!({"type": "WordLevel", "vocab": {"\u{10FFFD}": 0}, "unk_token": "\u{10FFFD}"});
    let json = json!({"pre_tokenizer": steps[at], "model": model});
    load_bytes(json.to_string().as_bytes()).expect("a sound file")
}
