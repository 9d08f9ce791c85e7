//! The pre-tokenizers of tokenizer.json, and the parts that other components share with them.

use super::family::{bare, check_tag, Family, Via};
use super::fields::{
    boolean, character, list, one_of, size, string, variant, Fault, Fields, Repeats,
};
use super::json::Json;
use crate::spec::{Pattern, PreTokenizer, PrependScheme, SplitBehavior};

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Bert,
    ByteLevel,
    CharDelimiterSplit,
    Metaspace,
    Whitespace,
    Sequence,
    Split,
    Punctuation,
    WhitespaceSplit,
    Digits,
    UnicodeScripts,
    FixedLength,
}

/// All pre-tokenizers.
pub(super) const FAMILY: Family<Kind, PreTokenizer> = Family {
    kinds: &[
        ("BertPreTokenizer", Kind::Bert),
        ("ByteLevel", Kind::ByteLevel),
        ("CharDelimiterSplit", Kind::CharDelimiterSplit),
        ("Metaspace", Kind::Metaspace),
        ("Whitespace", Kind::Whitespace),
        ("Sequence", Kind::Sequence),
        ("Split", Kind::Split),
        ("Punctuation", Kind::Punctuation),
        ("WhitespaceSplit", Kind::WhitespaceSplit),
        ("Digits", Kind::Digits),
        ("UnicodeScripts", Kind::UnicodeScripts),
        ("FixedLength", Kind::FixedLength),
    ],
    tagged: true,
    read,
};

fn read(kind: Kind, json: &Json<'_>, via: Via) -> Result<PreTokenizer, Fault> {
    match kind {
        Kind::Bert => bare(json, via, "BertPreTokenizer", PreTokenizer::Bert),
        Kind::ByteLevel => {
            let ByteLevel { add_prefix_space, trim_offsets, use_regex } =
                byte_level(json, via, Repeats::LastWins)?;
            Ok(PreTokenizer::ByteLevel { add_prefix_space, trim_offsets, use_regex })
        }
        Kind::CharDelimiterSplit => {
            let fields = tagged_object(json, via, "CharDelimiterSplit")?;
            let delimiter = fields.need("delimiter", character)?;
            Ok(PreTokenizer::CharDelimiterSplit { delimiter })
        }
        Kind::Metaspace => {
            let Metaspace { replacement, prepend_scheme, split } = metaspace(json, via)?;
            Ok(PreTokenizer::Metaspace { replacement, prepend_scheme, split })
        }
        Kind::Whitespace => bare(json, via, "Whitespace", PreTokenizer::Whitespace),
        Kind::Sequence => {
            let fields = tagged_object(json, via, "Sequence")?;
            fields
                .need("pretokenizers", |json| list(json, |part| FAMILY.read_nested(part)))
                .map(PreTokenizer::Sequence)
        }
        Kind::Split => split(json, via),
        Kind::Punctuation => {
            let fields = tagged_object(json, via, "Punctuation")?;
            let behavior = fields.or("behavior", SplitBehavior::Isolated, split_behavior)?;
            Ok(PreTokenizer::Punctuation { behavior })
        }
        Kind::WhitespaceSplit => bare(json, via, "WhitespaceSplit", PreTokenizer::WhitespaceSplit),
        Kind::Digits => {
            let fields = tagged_object(json, via, "Digits")?;
            let individual_digits = fields.need("individual_digits", boolean)?;
            Ok(PreTokenizer::Digits { individual_digits })
        }
        Kind::UnicodeScripts => bare(json, via, "UnicodeScripts", PreTokenizer::UnicodeScripts),
        Kind::FixedLength => {
            let fields = tagged_object(json, via, "FixedLength")?;
            Ok(PreTokenizer::FixedLength { length: fields.or("length", 5, size)? })
        }
    }
}

/// The fields of a kind that looks at its `type` and is never written as an array.
pub(super) fn tagged_object<'j>(
    json: &'j Json<'j>,
    via: Via,
    name: &'static str,
) -> Result<Fields<'j>, Fault> {
    let fields = Fields::of_object(json, Repeats::LastWins)?;
    if via == Via::Trial {
        check_tag(&fields, name)?;
    }
    Ok(fields)
}

fn split(json: &Json<'_>, via: Via) -> Result<PreTokenizer, Fault> {
    let names = &["type", "pattern", "behavior", "invert"];
    let fields = Fields::of(json, names, Repeats::LastWins)?;
    if via == Via::Trial {
        check_tag(&fields, "Split")?;
    }
    Ok(PreTokenizer::Split {
        pattern: fields.need("pattern", pattern)?,
        behavior: fields.need("behavior", split_behavior)?,
        invert: fields.need("invert", boolean)?,
    })
}

fn split_behavior(json: &Json<'_>) -> Result<SplitBehavior, Fault> {
    let names = [
        ("Removed", SplitBehavior::Removed),
        ("Isolated", SplitBehavior::Isolated),
        ("MergedWithPrevious", SplitBehavior::MergedWithPrevious),
        ("MergedWithNext", SplitBehavior::MergedWithNext),
        ("Contiguous", SplitBehavior::Contiguous),
    ];
    one_of(
        json,
        Repeats::LastWins,
        &names,
        "one of Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous",
    )
}

/// `{"String": text}` or `{"Regex": text}`.
pub(super) fn pattern(json: &Json<'_>) -> Result<Pattern, Fault> {
    match variant(json, Repeats::LastWins) {
        Some(("String", Some(text))) => {
            string(text).map(Pattern::Literal).map_err(|fault| fault.under("String"))
        }
        Some(("Regex", Some(text))) => {
            string(text).map(Pattern::Onig).map_err(|fault| fault.under("Regex"))
        }
        _ => Err(Fault::wrong_type(json, "{\"String\": …} or {\"Regex\": …}")),
    }
}

/// The fields of the three components of this name.
pub(super) struct ByteLevel {
    pub add_prefix_space: bool,
    pub trim_offsets: bool,
    pub use_regex: bool,
}

pub(super) fn byte_level(json: &Json<'_>, via: Via, repeats: Repeats) -> Result<ByteLevel, Fault> {
    let fields = Fields::of_object(json, repeats)?;
    if via == Via::Trial {
        check_tag(&fields, "ByteLevel")?;
    }
    Ok(ByteLevel {
        add_prefix_space: fields.need("add_prefix_space", boolean)?,
        trim_offsets: fields.need("trim_offsets", boolean)?,
        use_regex: fields.or("use_regex", true, boolean)?,
    })
}

/// The fields of the two components of this name.
pub(super) struct Metaspace {
    pub replacement: char,
    pub prepend_scheme: PrependScheme,
    pub split: bool,
}

pub(super) fn metaspace(json: &Json<'_>, via: Via) -> Result<Metaspace, Fault> {
    const NAMES: &[&str] =
        &["type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"];
    let fields = Fields::of(json, NAMES, Repeats::LastWins)?;
    if via == Via::Trial {
        check_tag(&fields, "Metaspace")?;
    }
    let replacement = fields.need("replacement", character)?;
    let add_prefix_space = fields.option("add_prefix_space", boolean)?;
    let prepend_scheme = fields.or("prepend_scheme", PrependScheme::Always, scheme)?;
    let split = fields.option("split", boolean)?.unwrap_or(true);
    // An older spelling of `replacement`, still checked but not used.
    fields.option("str_rep", string)?;
    // The older `add_prefix_space` may only repeat what the scheme says. The oracle's default for
    // the scheme is "always", so that `false` alone contradicts it.
    if add_prefix_space == Some(false) && prepend_scheme != PrependScheme::Never {
        let problem = crate::error::Problem::OutOfRange {
            value: "false".to_owned(),
            expected: "possible unless `prepend_scheme` is \"never\"",
        };
        return Err(Fault::from(problem).under("add_prefix_space"));
    }
    Ok(Metaspace { replacement, prepend_scheme, split })
}

fn scheme(json: &Json<'_>) -> Result<PrependScheme, Fault> {
    let names = [
        ("first", PrependScheme::First),
        ("never", PrependScheme::Never),
        ("always", PrependScheme::Always),
    ];
    one_of(json, Repeats::LastWins, &names, "one of first, never, always")
}
