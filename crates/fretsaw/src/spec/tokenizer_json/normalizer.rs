//! The normalizers of tokenizer.json.

use super::base64;
use super::family::{bare, Family, Via};
use super::fields::{boolean, list, string, text, Fault, Fields, Repeats};
use super::json::Json;
use super::pre_tokenizer::pattern;
use crate::spec::{Normalizer, Pattern};

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Bert,
    Strip,
    StripAccents,
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    Sequence,
    Lowercase,
    Nmt,
    Precompiled,
    Replace,
    Prepend,
    ByteLevel,
}

/// All normalizers.
pub(super) const FAMILY: Family<Kind, Normalizer> = Family {
    kinds: &[
        ("Bert", Kind::Bert),
        ("Strip", Kind::Strip),
        ("StripAccents", Kind::StripAccents),
        ("NFC", Kind::Nfc),
        ("NFD", Kind::Nfd),
        ("NFKC", Kind::Nfkc),
        ("NFKD", Kind::Nfkd),
        ("Sequence", Kind::Sequence),
        ("Lowercase", Kind::Lowercase),
        ("Nmt", Kind::Nmt),
        ("Precompiled", Kind::Precompiled),
        ("Replace", Kind::Replace),
        ("Prepend", Kind::Prepend),
        ("ByteLevel", Kind::ByteLevel),
    ],
    tagged: true,
    read,
};

fn read(kind: Kind, json: &Json<'_>, via: Via) -> Result<Normalizer, Fault> {
    match kind {
        Kind::Bert => bert(json, via),
        Kind::Strip => strip(json, via),
        Kind::StripAccents => bare(json, via, "StripAccents", Normalizer::StripAccents),
        Kind::Nfc => bare(json, via, "NFC", Normalizer::Nfc),
        Kind::Nfd => bare(json, via, "NFD", Normalizer::Nfd),
        Kind::Nfkc => bare(json, via, "NFKC", Normalizer::Nfkc),
        Kind::Nfkd => bare(json, via, "NFKD", Normalizer::Nfkd),
        Kind::Sequence => sequence(json, via),
        Kind::Lowercase => bare(json, via, "Lowercase", Normalizer::Lowercase),
        Kind::Nmt => bare(json, via, "Nmt", Normalizer::Nmt),
        Kind::Precompiled => precompiled(json, via),
        Kind::Replace => {
            replace(json).map(|(pattern, content)| Normalizer::Replace { pattern, content })
        }
        Kind::Prepend => prepend(json),
        Kind::ByteLevel => bare(json, via, "ByteLevel", Normalizer::ByteLevel),
    }
}

fn bert(json: &Json<'_>, _via: Via) -> Result<Normalizer, Fault> {
    const NAMES: &[&str] = &["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"];
    let fields = Fields::of(json, NAMES, Repeats::LastWins)?;
    Ok(Normalizer::Bert {
        clean_text: fields.need("clean_text", boolean)?,
        handle_chinese_chars: fields.need("handle_chinese_chars", boolean)?,
        strip_accents: fields.option("strip_accents", boolean)?,
        lowercase: fields.need("lowercase", boolean)?,
    })
}

fn strip(json: &Json<'_>, _via: Via) -> Result<Normalizer, Fault> {
    let fields = Fields::of(json, &["strip_left", "strip_right"], Repeats::LastWins)?;
    Ok(Normalizer::Strip {
        left: fields.need("strip_left", boolean)?,
        right: fields.need("strip_right", boolean)?,
    })
}

fn sequence(json: &Json<'_>, _via: Via) -> Result<Normalizer, Fault> {
    let fields = Fields::of(json, &["normalizers"], Repeats::LastWins)?;
    let parts = fields.need("normalizers", |json| list(json, |part| FAMILY.read_nested(part)))?;
    Ok(Normalizer::Sequence(parts))
}

/// What to look for and what to put in its place; the decoder of this name has the same fields.
pub(super) fn replace(json: &Json<'_>) -> Result<(Pattern, String), Fault> {
    let fields = Fields::of(json, &["pattern", "content"], Repeats::LastWins)?;
    Ok((fields.need("pattern", pattern)?, fields.need("content", string)?))
}

fn prepend(json: &Json<'_>) -> Result<Normalizer, Fault> {
    let fields = Fields::of(json, &["prepend"], Repeats::LastWins)?;
    Ok(Normalizer::Prepend { prepend: fields.need("prepend", string)? })
}

fn precompiled(json: &Json<'_>, via: Via) -> Result<Normalizer, Fault> {
    if via == Via::Trial {
        // The oracle wants to borrow the string here and never can.
        return Err(Fault::wrong_type(json, "another normalizer"));
    }
    let fields = Fields::of_object(json, Repeats::LastWins)?;
    let charsmap = fields.need("precompiled_charsmap", |json| {
        base64::decode(text(json)?)
            .filter(|bytes| is_charsmap(bytes))
            .ok_or_else(|| Fault::out_of_range(json, "a character map in base64"))
    })?;
    Ok(Normalizer::Precompiled { charsmap })
}

/// Whether the bytes are the size of a trie, the trie, and UTF-8 text.
fn is_charsmap(bytes: &[u8]) -> bool {
    let Some((size, rest)) = bytes.split_first_chunk::<4>() else {
        return false;
    };
    let whole_units = u32::from_le_bytes(*size) / 4 * 4;
    usize::try_from(whole_units)
        .ok()
        .and_then(|end| rest.get(end..))
        .is_some_and(|replacements| std::str::from_utf8(replacements).is_ok())
}
