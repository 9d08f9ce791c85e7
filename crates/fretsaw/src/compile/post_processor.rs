//! The post-processor of a spec, for single texts.
//!
//! Source: `processors/*.rs` of Hugging Face tokenizers 0.23.3. A template names its tokens by the
//! keys of its own list; processors of a sequence work on what the ones before made.

use crate::added_tokens::AddedTokens;
use crate::error::LoadError;
use crate::post_process::{Part, PostProcessor};
use crate::spec::{self, TemplatePiece, TemplateToken};
use crate::vocabulary::Vocabulary;

/// Compiles a post-processor.
pub fn post_processor(
    spec: Option<&spec::PostProcessor>,
    added: &AddedTokens,
    vocabulary: &Vocabulary,
) -> Result<PostProcessor, LoadError> {
    let mut single = Vec::new();
    if let Some(spec) = spec {
        append(spec, "post_processor".into(), &mut single)?;
    }
    for part in &mut single {
        if let Part::Special { ids, tokens } = part {
            let string = |id: &u32| {
                let added = added.get(*id).map(|token| token.pattern.as_str());
                added.or_else(|| vocabulary.token(*id)).unwrap_or("")
            };
            if ids.iter().map(string).eq(tokens.iter().map(String::as_str)) {
                tokens.clear();
            }
        }
    }
    Ok(PostProcessor { single })
}

/// Applies one processor to the parts that there are.
fn append(
    spec: &spec::PostProcessor,
    path: String,
    parts: &mut Vec<Part>,
) -> Result<(), LoadError> {
    let made = match spec {
        spec::PostProcessor::ByteLevel { .. } => return Ok(()),
        spec::PostProcessor::Sequence(processors) => {
            for (at, processor) in processors.iter().enumerate() {
                append(processor, format!("{path}.processors[{at}]"), parts)?;
            }
            return Ok(());
        }
        spec::PostProcessor::Bert { sep, cls } | spec::PostProcessor::Roberta { sep, cls, .. } => {
            let special = |(token, id): &(String, u32)| Part::Special {
                ids: vec![*id],
                tokens: vec![token.clone()],
            };
            vec![special(cls), Part::Text, special(sep)]
        }
        spec::PostProcessor::Template { single, special_tokens, .. } => {
            template(single, special_tokens, &path)?
        }
    };
    if !parts.is_empty() {
        return Err(LoadError::unsupported(path, "a second one that adds tokens"));
    }
    *parts = made;
    Ok(())
}

fn template(
    pieces: &[TemplatePiece],
    special_tokens: &[TemplateToken],
    path: &str,
) -> Result<Vec<Part>, LoadError> {
    let part = |(at, piece): (usize, &TemplatePiece)| match piece {
        TemplatePiece::Sequence { id: 0, .. } => Ok(Part::Text),
        TemplatePiece::Sequence { .. } => {
            Err(LoadError::unsupported(format!("{path}.single[{at}]"), "the second sequence"))
        }
        TemplatePiece::SpecialToken { id, .. } => {
            match special_tokens.iter().find(|token| token.id == *id) {
                Some(token) if token.ids.len() == token.tokens.len() => {
                    Ok(Part::Special { ids: token.ids.clone(), tokens: token.tokens.clone() })
                }
                Some(_) => {
                    let field = format!("{path}.special_tokens[{id:?}]");
                    Err(LoadError::unsupported(field, "of ids and tokens that differ in number"))
                }
                None => {
                    let value = format_args!("{id:?}, which special_tokens does not have");
                    Err(LoadError::unsupported(format!("{path}.single[{at}]"), value))
                }
            }
        }
    };
    pieces.iter().enumerate().map(part).collect()
}
