//! The parts around the model.

use std::collections::BTreeMap;

use super::tree::{object, tagged, Tree};
use crate::error::LoadError;
use crate::spec::tokenizer_json::base64;
use crate::spec::{
    Decoder, Normalizer, Pattern, PostProcessor, PreTokenizer, PrependScheme, SplitBehavior,
    TemplatePiece, TemplateToken,
};

/// Why a part of SentencePiece has no place in a tokenizer.json.
pub(super) const SENTENCEPIECE: &str =
    "of a SentencePiece model, which a tokenizer.json has no part for";

type Written<'s> = Result<Tree<'s>, LoadError>;

/// A normalizer; `path` is where in the document it stands.
pub(super) fn normalizer<'s>(part: &'s Normalizer, path: &str) -> Written<'s> {
    Ok(match part {
        Normalizer::Nfc => tagged("NFC", []),
        Normalizer::Nfd => tagged("NFD", []),
        Normalizer::Nfkc => tagged("NFKC", []),
        Normalizer::Nfkd => tagged("NFKD", []),
        Normalizer::Lowercase => tagged("Lowercase", []),
        Normalizer::Strip { left, right } => {
            tagged("Strip", [("strip_left", (*left).into()), ("strip_right", (*right).into())])
        }
        Normalizer::StripAccents => tagged("StripAccents", []),
        Normalizer::Replace { pattern, content } => replace(pattern, content, path)?,
        Normalizer::Prepend { prepend } => {
            tagged("Prepend", [("prepend", prepend.as_str().into())])
        }
        Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => tagged(
            "BertNormalizer",
            [
                ("clean_text", (*clean_text).into()),
                ("handle_chinese_chars", (*handle_chinese_chars).into()),
                ("strip_accents", (*strip_accents).into()),
                ("lowercase", (*lowercase).into()),
            ],
        ),
        Normalizer::Nmt => tagged("Nmt", []),
        Normalizer::Precompiled { charsmap } => {
            tagged("Precompiled", [("precompiled_charsmap", Tree::Made(base64::encode(charsmap)))])
        }
        Normalizer::ByteLevel => tagged("ByteLevel", []),
        Normalizer::Sequence(parts) => sequence("normalizers", parts, normalizer, path)?,
        Normalizer::SentencePiece(_) => return Err(LoadError::unsupported(path, SENTENCEPIECE)),
    })
}

/// A pre-tokenizer; `path` is where in the document it stands.
pub(super) fn pre_tokenizer<'s>(part: &'s PreTokenizer, path: &str) -> Written<'s> {
    Ok(match part {
        PreTokenizer::Bert => tagged("BertPreTokenizer", []),
        PreTokenizer::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
            byte_level(*add_prefix_space, *trim_offsets, *use_regex)
        }
        PreTokenizer::CharDelimiterSplit { delimiter } => {
            tagged("CharDelimiterSplit", [("delimiter", (*delimiter).into())])
        }
        PreTokenizer::Digits { individual_digits } => {
            tagged("Digits", [("individual_digits", (*individual_digits).into())])
        }
        PreTokenizer::FixedLength { length } => {
            tagged("FixedLength", [("length", (*length).into())])
        }
        PreTokenizer::Metaspace { replacement, prepend_scheme, split } => {
            metaspace(*replacement, *prepend_scheme, *split)
        }
        PreTokenizer::Punctuation { behavior } => {
            tagged("Punctuation", [("behavior", split_behavior(*behavior))])
        }
        PreTokenizer::Split { pattern: what, behavior, invert } => tagged(
            "Split",
            [
                ("pattern", pattern(what, path)?),
                ("behavior", split_behavior(*behavior)),
                ("invert", (*invert).into()),
            ],
        ),
        PreTokenizer::UnicodeScripts => tagged("UnicodeScripts", []),
        PreTokenizer::Whitespace => tagged("Whitespace", []),
        PreTokenizer::WhitespaceSplit => tagged("WhitespaceSplit", []),
        PreTokenizer::Sequence(parts) => sequence("pretokenizers", parts, pre_tokenizer, path)?,
    })
}

/// A post-processor; `path` is where in the document it stands.
pub(super) fn post_processor<'s>(part: &'s PostProcessor, path: &str) -> Written<'s> {
    Ok(match part {
        PostProcessor::Bert { sep, cls } => {
            tagged("BertProcessing", [("sep", token(sep)), ("cls", token(cls))])
        }
        PostProcessor::Roberta { sep, cls, trim_offsets, add_prefix_space } => tagged(
            "RobertaProcessing",
            [
                ("sep", token(sep)),
                ("cls", token(cls)),
                ("trim_offsets", (*trim_offsets).into()),
                ("add_prefix_space", (*add_prefix_space).into()),
            ],
        ),
        PostProcessor::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
            byte_level(*add_prefix_space, *trim_offsets, *use_regex)
        }
        PostProcessor::Template { single, pair, special_tokens } => tagged(
            "TemplateProcessing",
            [
                ("single", template(single, "single", path)?),
                ("pair", template(pair, "pair", path)?),
                ("special_tokens", template_tokens(special_tokens)),
            ],
        ),
        PostProcessor::Sequence(parts) => sequence("processors", parts, post_processor, path)?,
    })
}

/// A decoder; `path` is where in the document it stands.
pub(super) fn decoder<'s>(part: &'s Decoder, path: &str) -> Written<'s> {
    Ok(match part {
        Decoder::Bpe { suffix } => tagged("BPEDecoder", [("suffix", suffix.as_str().into())]),
        Decoder::ByteFallback => tagged("ByteFallback", []),
        Decoder::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
            byte_level(*add_prefix_space, *trim_offsets, *use_regex)
        }
        Decoder::Ctc { pad_token, word_delimiter_token, cleanup } => tagged(
            "CTC",
            [
                ("pad_token", pad_token.as_str().into()),
                ("word_delimiter_token", word_delimiter_token.as_str().into()),
                ("cleanup", (*cleanup).into()),
            ],
        ),
        Decoder::Fuse => tagged("Fuse", []),
        Decoder::Metaspace { replacement, prepend_scheme, split } => {
            metaspace(*replacement, *prepend_scheme, *split)
        }
        Decoder::Replace { pattern, content } => replace(pattern, content, path)?,
        Decoder::Strip { content, start, stop } => tagged(
            "Strip",
            [("content", (*content).into()), ("start", (*start).into()), ("stop", (*stop).into())],
        ),
        Decoder::WordPiece { prefix, cleanup } => tagged(
            "WordPiece",
            [("prefix", prefix.as_str().into()), ("cleanup", (*cleanup).into())],
        ),
        Decoder::Sequence(parts) => sequence("decoders", parts, decoder, path)?,
        Decoder::SentencePiece { .. } => return Err(LoadError::unsupported(path, SENTENCEPIECE)),
    })
}

fn sequence<'s, T>(
    field: &'static str,
    parts: &'s [T],
    write: impl Fn(&'s T, &str) -> Written<'s>,
    path: &str,
) -> Written<'s> {
    let parts: Result<Vec<_>, _> = parts
        .iter()
        .enumerate()
        .map(|(place, part)| write(part, &format!("{path}.{field}[{place}]")))
        .collect();
    Ok(tagged("Sequence", [(field, Tree::Array(parts?))]))
}

fn pattern<'s>(pattern: &'s Pattern, path: &str) -> Written<'s> {
    match pattern {
        Pattern::Literal(text) => Ok(object([("String", text.as_str().into())])),
        Pattern::Onig(text) => Ok(object([("Regex", text.as_str().into())])),
        Pattern::Fancy(_) => {
            Err(LoadError::unsupported(format!("{path}.pattern"), "in the dialect of fancy-regex"))
        }
    }
}

fn replace<'s>(what: &'s Pattern, content: &'s str, path: &str) -> Written<'s> {
    Ok(tagged("Replace", [("pattern", pattern(what, path)?), ("content", content.into())]))
}

fn byte_level<'s>(add_prefix_space: bool, trim_offsets: bool, use_regex: bool) -> Tree<'s> {
    tagged(
        "ByteLevel",
        [
            ("add_prefix_space", add_prefix_space.into()),
            ("trim_offsets", trim_offsets.into()),
            ("use_regex", use_regex.into()),
        ],
    )
}

fn metaspace<'s>(replacement: char, prepend_scheme: PrependScheme, split: bool) -> Tree<'s> {
    let prepend_scheme = match prepend_scheme {
        PrependScheme::First => "first",
        PrependScheme::Never => "never",
        PrependScheme::Always => "always",
    };
    tagged(
        "Metaspace",
        [
            ("replacement", replacement.into()),
            ("prepend_scheme", prepend_scheme.into()),
            ("split", split.into()),
        ],
    )
}

fn split_behavior<'s>(behavior: SplitBehavior) -> Tree<'s> {
    match behavior {
        SplitBehavior::Removed => "Removed",
        SplitBehavior::Isolated => "Isolated",
        SplitBehavior::MergedWithPrevious => "MergedWithPrevious",
        SplitBehavior::MergedWithNext => "MergedWithNext",
        SplitBehavior::Contiguous => "Contiguous",
    }
    .into()
}

fn token((token, id): &(String, u32)) -> Tree<'_> {
    Tree::Array(vec![token.as_str().into(), (*id).into()])
}

fn template<'s>(pieces: &'s [TemplatePiece], field: &str, path: &str) -> Written<'s> {
    let pieces: Result<Vec<_>, _> = pieces
        .iter()
        .enumerate()
        .map(|(place, piece)| {
            let (kind, id, type_id) = match piece {
                TemplatePiece::Sequence { id: 0, type_id } => ("Sequence", "A", type_id),
                TemplatePiece::Sequence { id: 1, type_id } => ("Sequence", "B", type_id),
                TemplatePiece::Sequence { id, .. } => {
                    let field = format!("{path}.{field}[{place}].Sequence.id");
                    return Err(LoadError::unsupported(field, id));
                }
                TemplatePiece::SpecialToken { id, type_id } => {
                    ("SpecialToken", id.as_str(), type_id)
                }
            };
            let fields = object([("id", id.into()), ("type_id", (*type_id).into())]);
            Ok(object([(kind, fields)]))
        })
        .collect();
    Ok(Tree::Array(pieces?))
}

/// The tokens of a template in the order of their names; a repeated name has the last.
fn template_tokens(tokens: &[TemplateToken]) -> Tree<'_> {
    let by_name: BTreeMap<&str, &TemplateToken> =
        tokens.iter().map(|token| (token.id.as_str(), token)).collect();
    Tree::Object(by_name.into_iter().map(|(name, token)| (name, template_token(token))).collect())
}

fn template_token(token: &TemplateToken) -> Tree<'_> {
    object([
        ("id", token.id.as_str().into()),
        ("ids", Tree::Array(token.ids.iter().map(|id| (*id).into()).collect())),
        ("tokens", Tree::Array(token.tokens.iter().map(|text| text.as_str().into()).collect())),
    ])
}
