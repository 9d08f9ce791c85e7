//! What can be fuzzed, by name.

mod bpe_merge;
mod compiled_file;
mod decode;
mod encode;
mod gguf;
mod regex_dialect;
mod roundtrip;
mod scan;
mod sentencepiece;
mod stream;
mod tiktoken;
mod tokenizer_json;
mod train;
mod unigram;
mod wordpiece;

use fretsaw::encoding::Columns;
use fretsaw::fuzzed::{at_level, levels, Level};
use fretsaw::{EncodeError, MatchPolicy, Pipeline, Request, Settings, SpecialSet};

use crate::draw::Draw;

/// Does one input; `None` where it is none for this target.
pub type Target = fn(&mut Draw<'_>) -> Option<()>;

/// Every target.
pub const ALL: [(&str, Target); 15] = [
    ("encode", encode::run),
    ("decode", decode::run),
    ("tokenizer_json", tokenizer_json::run),
    ("roundtrip", roundtrip::run),
    ("compiled_file", compiled_file::run),
    ("unigram", unigram::run),
    ("wordpiece", wordpiece::run),
    ("bpe_merge", bpe_merge::run),
    ("stream", stream::run),
    ("sentencepiece", sentencepiece::run),
    ("tiktoken", tiktoken::run),
    ("gguf", gguf::run),
    ("train", train::run),
    ("scan", scan::run),
    ("regex_dialect", regex_dialect::run),
];

/// The ids of a text, which are the same at every level and the second time.
fn ids_at_every_level(
    pipeline: &Pipeline,
    text: &str,
    special: &SpecialSet,
) -> Result<Vec<u32>, EncodeError> {
    let settings = seeded(pipeline);
    let encode = || pipeline.encode_with(text, MatchPolicy::new(special), true, &settings);
    let ids = |level| at_level(level, encode).map(|encoding| encoding.ids);
    let first = ids(Level::Scalar);
    for level in levels() {
        assert_eq!(ids(level), first, "{level:?} {text:?}");
    }
    first
}

/// The file's settings, and a seed for a model that makes random choices.
fn seeded(pipeline: &Pipeline) -> Settings {
    Settings { seed: Some(7), ..pipeline.file_settings() }
}

/// What holds of any tokenizer and text: levels agree; all that is known of ids is known of the very ids;
/// and whatever was encoded can be decoded without a panic.
fn check(pipeline: &Pipeline, text: &str) {
    each_way(pipeline, text, |ids, columns| match (ids, columns) {
        (Ok(ids), Ok(columns)) => {
            assert_eq!(columns.ids, *ids, "{text:?}");
            assert_eq!(columns.ids.len(), columns.offsets.len());
        }
        (ids, columns) => {
            assert_eq!(ids.is_err(), columns.is_err(), "{text:?} {ids:?} {columns:?}")
        }
    });
}

/// The same of a tokenizer from a file that may lie about its own tables: two ways to the ids need not
/// agree then.
fn survives(pipeline: &Pipeline, text: &str) {
    each_way(pipeline, text, |_, _| ());
}

/// Encodes with control tokens and without, with every level and by columns, and decodes what comes out.
fn each_way(
    pipeline: &Pipeline,
    text: &str,
    compare: impl Fn(&Result<Vec<u32>, EncodeError>, &Result<Columns, EncodeError>),
) {
    for special in [SpecialSet::All, SpecialSet::None] {
        let ids = ids_at_every_level(pipeline, text, &special);
        let request = Request::text(text);
        let policy = MatchPolicy::new(&special);
        let columns = pipeline.columns(&request, policy, true, &seeded(pipeline), None);
        compare(&ids, &columns);
        for skip in [false, true] {
            let _ = pipeline.decode_ids(ids.as_deref().unwrap_or_default(), skip);
        }
    }
}
