//! The decoders of tokenizer.json.

use super::family::{bare_text, Family, Via};
use super::fields::{boolean, character, list, size, string, Fault, Fields, Repeats};
use super::json::Json;
use super::normalizer::replace;
use super::pre_tokenizer::{byte_level, metaspace, tagged_object, ByteLevel, Metaspace};
use crate::spec::Decoder;

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Bpe,
    ByteLevel,
    WordPiece,
    Metaspace,
    Ctc,
    Sequence,
    Replace,
    Fuse,
    Strip,
    ByteFallback,
}

/// All decoders.
pub(super) const FAMILY: Family<Kind, Decoder> = Family {
    kinds: &[
        ("BPEDecoder", Kind::Bpe),
        ("ByteLevel", Kind::ByteLevel),
        ("WordPiece", Kind::WordPiece),
        ("Metaspace", Kind::Metaspace),
        ("CTC", Kind::Ctc),
        ("Sequence", Kind::Sequence),
        ("Replace", Kind::Replace),
        ("Fuse", Kind::Fuse),
        ("Strip", Kind::Strip),
        ("ByteFallback", Kind::ByteFallback),
    ],
    tagged: true,
    read,
};

fn read(kind: Kind, json: &Json<'_>, via: Via) -> Result<Decoder, Fault> {
    match kind {
        Kind::Bpe => {
            let fields = Fields::of(json, &["suffix"], Repeats::LastWins)?;
            Ok(Decoder::Bpe { suffix: fields.need("suffix", string)? })
        }
        Kind::ByteLevel => {
            let ByteLevel { add_prefix_space, trim_offsets, use_regex } =
                byte_level(json, via, Repeats::LastWins)?;
            Ok(Decoder::ByteLevel { add_prefix_space, trim_offsets, use_regex })
        }
        Kind::WordPiece => {
            let fields = Fields::of(json, &["prefix", "cleanup"], Repeats::LastWins)?;
            Ok(Decoder::WordPiece {
                prefix: fields.need("prefix", string)?,
                cleanup: fields.need("cleanup", boolean)?,
            })
        }
        Kind::Metaspace => {
            let Metaspace { replacement, prepend_scheme, split } = metaspace(json, via)?;
            Ok(Decoder::Metaspace { replacement, prepend_scheme, split })
        }
        Kind::Ctc => ctc(json),
        Kind::Sequence => {
            let fields = tagged_object(json, via, "Sequence")?;
            fields
                .need("decoders", |json| list(json, |part| FAMILY.read_nested(part)))
                .map(Decoder::Sequence)
        }
        Kind::Replace => {
            replace(json).map(|(pattern, content)| Decoder::Replace { pattern, content })
        }
        Kind::Fuse => bare_text(json, via, "Fuse", Decoder::Fuse),
        Kind::Strip => strip(json),
        Kind::ByteFallback => bare_text(json, via, "ByteFallback", Decoder::ByteFallback),
    }
}

fn ctc(json: &Json<'_>) -> Result<Decoder, Fault> {
    let names = &["pad_token", "word_delimiter_token", "cleanup"];
    let fields = Fields::of(json, names, Repeats::LastWins)?;
    Ok(Decoder::Ctc {
        pad_token: fields.need("pad_token", string)?,
        word_delimiter_token: fields.need("word_delimiter_token", string)?,
        cleanup: fields.need("cleanup", boolean)?,
    })
}

fn strip(json: &Json<'_>) -> Result<Decoder, Fault> {
    let fields = Fields::of(json, &["content", "start", "stop"], Repeats::LastWins)?;
    Ok(Decoder::Strip {
        content: fields.need("content", character)?,
        start: fields.need("start", size)?,
        stop: fields.need("stop", size)?,
    })
}
