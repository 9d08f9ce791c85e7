//! The post-processors of tokenizer.json.
//!
//! The oracle never goes by `type` here: the first kind whose fields fit is taken. So a
//! `BertProcessing` with the two further fields of a `RobertaProcessing` is one.

use super::family::{check_tag, Family, Via};
use super::fields::{boolean, id, list, one_of, pair, string, variant, Fault, Fields, Repeats};
use super::json::Json;
use super::pre_tokenizer::{byte_level, ByteLevel};
use crate::spec::{PostProcessor, TemplatePiece, TemplateToken};

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Roberta,
    Bert,
    ByteLevel,
    Template,
    Sequence,
}

/// All post-processors.
pub(super) const FAMILY: Family<Kind, PostProcessor> = Family {
    kinds: &[
        ("RobertaProcessing", Kind::Roberta),
        ("BertProcessing", Kind::Bert),
        ("ByteLevel", Kind::ByteLevel),
        ("TemplateProcessing", Kind::Template),
        ("Sequence", Kind::Sequence),
    ],
    tagged: false,
    read,
};

fn read(kind: Kind, json: &Json<'_>, via: Via) -> Result<PostProcessor, Fault> {
    match kind {
        Kind::Roberta => {
            let names = &["sep", "cls", "trim_offsets", "add_prefix_space"];
            let fields = Fields::of(json, names, Repeats::Refused)?;
            Ok(PostProcessor::Roberta {
                sep: fields.need("sep", token)?,
                cls: fields.need("cls", token)?,
                trim_offsets: fields.need("trim_offsets", boolean)?,
                add_prefix_space: fields.need("add_prefix_space", boolean)?,
            })
        }
        Kind::Bert => {
            let fields = Fields::of(json, &["sep", "cls"], Repeats::Refused)?;
            Ok(PostProcessor::Bert {
                sep: fields.need("sep", token)?,
                cls: fields.need("cls", token)?,
            })
        }
        Kind::ByteLevel => {
            let ByteLevel { add_prefix_space, trim_offsets, use_regex } =
                byte_level(json, via, Repeats::Refused)?;
            Ok(PostProcessor::ByteLevel { add_prefix_space, trim_offsets, use_regex })
        }
        Kind::Template => template(json),
        Kind::Sequence => {
            let fields = Fields::of_object(json, Repeats::Refused)?;
            check_tag(&fields, "Sequence")?;
            fields
                .need("processors", |json| list(json, |part| FAMILY.read_nested(part)))
                .map(PostProcessor::Sequence)
        }
    }
}

/// `["token", id]`.
fn token(json: &Json<'_>) -> Result<(String, u32), Fault> {
    let (token, number) = pair(json, "a token and its id")?;
    Ok((
        string(token).map_err(|fault| fault.inside(0))?,
        id(number).map_err(|fault| fault.inside(1))?,
    ))
}

fn template(json: &Json<'_>) -> Result<PostProcessor, Fault> {
    let fields = Fields::of(json, &["single", "pair", "special_tokens"], Repeats::Refused)?;
    Ok(PostProcessor::Template {
        single: fields.need("single", |json| list(json, piece))?,
        pair: fields.need("pair", |json| list(json, piece))?,
        special_tokens: fields.need("special_tokens", special_tokens)?,
    })
}

/// `{"Sequence": {"id": "A", "type_id": 0}}` or `{"SpecialToken": {"id": "[CLS]", "type_id": 0}}`.
fn piece(json: &Json<'_>) -> Result<TemplatePiece, Fault> {
    const NAMES: &[&str] = &["id", "type_id"];
    match variant(json, Repeats::Refused) {
        Some(("Sequence", Some(content))) => Fields::of(content, NAMES, Repeats::Refused)
            .and_then(|fields| {
                Ok(TemplatePiece::Sequence {
                    id: fields.need("id", |json| {
                        one_of(json, Repeats::Refused, &[("A", 0), ("B", 1)], "one of A, B")
                    })?,
                    type_id: fields.need("type_id", id)?,
                })
            })
            .map_err(|fault| fault.under("Sequence")),
        Some(("SpecialToken", Some(content))) => Fields::of(content, NAMES, Repeats::Refused)
            .and_then(|fields| {
                Ok(TemplatePiece::SpecialToken {
                    id: fields.need("id", string)?,
                    type_id: fields.need("type_id", id)?,
                })
            })
            .map_err(|fault| fault.under("SpecialToken")),
        _ => Err(Fault::wrong_type(json, "{\"Sequence\": …} or {\"SpecialToken\": …}")),
    }
}

/// The tokens of a template by the names under which they stand; a repeated name has the last.
/// The `id` inside a token is a string that must be there and is never looked at.
fn special_tokens(json: &Json<'_>) -> Result<Vec<TemplateToken>, Fault> {
    let Json::Object(entries) = json else {
        return Err(Fault::wrong_type(json, "an object"));
    };
    let mut by_name = std::collections::BTreeMap::new();
    for (name, value) in entries {
        let token = special_token(name, value).map_err(|fault| fault.under(name))?;
        by_name.insert(name.as_ref(), token);
    }
    Ok(by_name.into_values().collect())
}

fn special_token(name: &str, json: &Json<'_>) -> Result<TemplateToken, Fault> {
    let fields = Fields::of(json, &["id", "ids", "tokens"], Repeats::Refused)?;
    fields.need("id", string)?;
    Ok(TemplateToken {
        id: name.to_owned(),
        ids: fields.need("ids", |json| list(json, id))?,
        tokens: fields.need("tokens", |json| list(json, string))?,
    })
}
