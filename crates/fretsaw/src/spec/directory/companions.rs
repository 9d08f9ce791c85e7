//! What stands beside tokenizer.json in a folder of Hugging Face, and adds tokens to it.
//!
//! tokenizer_config.json names special tokens and may list added ones (`added_tokens_decoder`); in older
//! folders special_tokens_map.json and added_tokens.json do. Loading the folder adds, in this order:
//! the listed tokens by their ids, the named special tokens (`bos_token`, `eos_token`, ...), and the extra
//! ones. One that is there with the same fields is passed over, one with other fields replaces it, a
//! new one gets the next free id, whatever id the list gives it.
//!
//! Source: `PreTrainedTokenizerBase._from_pretrained` and `TokenizersBackend.__init__` of transformers
//! 5.24.0. What else these files say (templates, lengths, sides) is not about ids.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::super::tokenizer_json::{syntax_error, utf8, Json};
use super::read;
use crate::error::{LoadError, Problem};
use crate::spec::{AddedToken, Spec, WordRules};

const CONFIG: &str = "tokenizer_config.json";
const SPECIAL_MAP: &str = "special_tokens_map.json";
const ADDED: &str = "added_tokens.json";

/// The special tokens that have a name everywhere.
const NAMED: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/// The files that are looked at, as far as they are there.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let names = [CONFIG, SPECIAL_MAP, ADDED];
    names.iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect()
}

/// Adds the tokens of these files.
pub(super) fn add(spec: &mut Spec, folder: &Path) -> Result<(), LoadError> {
    let found = Found::read(folder)?;
    let tokens = found.tokens(spec);
    let mut later = Vec::new();
    for token in tokens {
        let known = later.iter().rev().chain(spec.added_tokens.iter().rev());
        let known = known.into_iter().find(|known: &&AddedToken| known.content == token.content);
        let same =
            known.is_some_and(|known| AddedToken { id: known.id, ..token.clone() } == *known);
        if !same && !token.content.is_empty() {
            later.push(token);
        }
    }
    if !later.is_empty() {
        spec.added_later.push(spec.added_tokens.len());
        spec.added_tokens.extend(later);
    }
    Ok(())
}

/// What tokenizer_config.json says of the words of a `vocab.txt`.
pub(super) fn word_rules(folder: &Path) -> Result<WordRules, LoadError> {
    let mut rules = WordRules::default();
    read_object(&folder.join(CONFIG), |entries| {
        for (name, value) in entries {
            match (name, value) {
                ("do_lower_case", Json::Bool(value)) => rules.lowercase = *value,
                ("strip_accents", Json::Bool(value)) => rules.strip_accents = Some(*value),
                ("tokenize_chinese_chars", Json::Bool(value)) => {
                    rules.handle_chinese_chars = *value;
                }
                _ => {}
            }
        }
    })?;
    Ok(rules)
}

/// What the files say.
#[derive(Default)]
struct Found {
    /// Added tokens by id.
    listed: Vec<(u64, AddedToken)>,
    /// Special tokens by name, in their order.
    named: Vec<(String, Stated)>,
    extra: Vec<Stated>,
    /// Whether the list is that of added_tokens.json.
    is_older: bool,
}

/// A token that is special.
struct Stated {
    token: AddedToken,
    /// Whether added_tokens.json is read with it in mind: not if tokenizer_config.json spells its
    /// fields out.
    is_known: bool,
}

impl Found {
    fn read(folder: &Path) -> Result<Self, LoadError> {
        let mut found = Self::default();
        let mut has_list = false;
        let mut has_extra = false;
        read_object(&folder.join(CONFIG), |entries| {
            for (name, value) in entries {
                match (name, value) {
                    ("added_tokens_decoder", Json::Object(tokens)) => {
                        has_list = true;
                        for (id, token) in tokens {
                            let id = id.parse().ok().zip(token_of(token, false));
                            found.listed.extend(id);
                        }
                    }
                    // The old name counts where the new one says nothing.
                    ("extra_special_tokens" | "additional_special_tokens", Json::Array(tokens))
                        if name == "extra_special_tokens" && !tokens.is_empty() || !has_extra =>
                    {
                        has_extra = !tokens.is_empty();
                        found.extra = all(tokens);
                    }
                    ("extra_special_tokens", Json::Object(tokens)) => {
                        for (name, token) in tokens {
                            found.name(name, token);
                        }
                    }
                    (name, token) if name.ends_with("_token") => found.name(name, token),
                    _ => {}
                }
            }
        })?;
        if !has_list {
            found.read_older(folder)?;
        }
        Ok(found)
    }

    fn read_older(&mut self, folder: &Path) -> Result<(), LoadError> {
        let mut by_old_name = Vec::new();
        read_object(&folder.join(SPECIAL_MAP), |entries| {
            for (name, value) in entries {
                match (name, value) {
                    ("extra_special_tokens", Json::Array(tokens)) => {
                        let more = all(tokens).into_iter();
                        self.extra.extend(more.map(|more| Stated { is_known: true, ..more }));
                    }
                    ("additional_special_tokens", Json::Array(tokens)) => by_old_name = all(tokens),
                    (name, token) if name.ends_with("_token") => {
                        self.name(name, token);
                        let named = self.named.iter_mut().find(|(known, _)| known == name);
                        if let Some((_, Stated { token, is_known })) = named {
                            (token.special, *is_known) = (true, true);
                        }
                    }
                    _ => {}
                }
            }
        })?;
        self.is_older = true;
        let mut listed = Vec::new();
        read_object(&folder.join(ADDED), |entries| {
            for (content, id) in entries {
                let Json::Unsigned(id) = id else { continue };
                let named = self.named.iter().filter(|(name, _)| NAMED.contains(&name.as_str()));
                let specials = named.map(|(_, stated)| stated).chain(&self.extra);
                let mut specials = specials.filter(|stated| stated.is_known);
                let special = specials.any(|stated| stated.token.content == content);
                listed.push((*id, AddedToken::plain(content, 0, special)));
            }
        })?;
        self.listed.extend(listed);
        if self.extra.is_empty() {
            self.extra = by_old_name;
        }
        Ok(())
    }

    fn name(&mut self, name: &str, token: &Json<'_>) {
        let Some(stated) = stated(token) else { return };
        match self.named.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = stated,
            None => self.named.push((name.to_owned(), stated)),
        }
    }

    /// All tokens in the order in which they are added.
    fn tokens(mut self, spec: &Spec) -> Vec<AddedToken> {
        if self.is_older {
            // The file's own tokens are in the list then, and overrule it.
            let own = spec.added_tokens.iter().map(|token| (u64::from(token.id), token.clone()));
            let own: Vec<_> = own.collect();
            self.listed.retain(|(id, _)| own.iter().all(|(known, _)| known != id));
            self.listed.extend(own);
        }
        self.listed.sort_by_key(|(id, _)| *id);
        let place =
            |name: &str| NAMED.iter().position(|known| *known == name).unwrap_or(NAMED.len());
        self.named.sort_by_key(|(name, _)| place(name));
        let mut tokens: Vec<AddedToken> = self.listed.into_iter().map(|(_, token)| token).collect();
        let named: Vec<AddedToken> =
            self.named.into_iter().map(|(_, stated)| stated.token).collect();
        // Of two that are no listed ones but have the same content the last one stands.
        let there = spec.added_tokens.iter().chain(&tokens);
        let there: HashSet<String> = there.map(|token| token.content.clone()).collect();
        let stated = named.iter().chain(self.extra.iter().map(|stated| &stated.token));
        tokens.extend(stated.filter(|token| !there.contains(&token.content)).cloned());
        for token in &mut tokens {
            token.special |= named.iter().any(|named| named.content == token.content);
        }
        tokens
    }
}

/// Hands the entries of a file's object over, if there is the file.
fn read_object(
    path: &Path,
    mut take: impl FnMut(&mut dyn Iterator<Item = (&str, &Json<'_>)>),
) -> Result<(), LoadError> {
    if !path.exists() {
        return Ok(());
    }
    let bytes = read(path)?;
    let text = utf8(&bytes)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Json::deserialize(&mut deserializer).and_then(|json| {
        deserializer.end()?;
        Ok(json)
    });
    match parsed.map_err(|error| syntax_error(text, &error))? {
        Json::Object(entries) => {
            take(&mut entries.iter().map(|(name, value)| (name.as_ref(), value)));
            Ok(())
        }
        _ => {
            let problem = Problem::Missing { field: "an object" };
            Err(LoadError::at(path.display().to_string(), problem))
        }
    }
}

/// A token as a string, or as an object with its fields.
fn token_of(json: &Json<'_>, special: bool) -> Option<AddedToken> {
    match json {
        Json::Text(content) => Some(AddedToken::plain(content, 0, special)),
        Json::Object(fields) => {
            let field = |wanted: &str| {
                fields.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value)
            };
            let flag = |name: &str| match field(name) {
                Some(Json::Bool(value)) => Some(*value),
                _ => None,
            };
            let Some(Json::Text(content)) = field("content") else { return None };
            let special = flag("special").unwrap_or(special);
            Some(AddedToken {
                single_word: flag("single_word").unwrap_or(false),
                lstrip: flag("lstrip").unwrap_or(false),
                rstrip: flag("rstrip").unwrap_or(false),
                normalized: flag("normalized").unwrap_or(!special),
                ..AddedToken::plain(content, 0, special)
            })
        }
        _ => None,
    }
}

fn all(tokens: &[Json<'_>]) -> Vec<Stated> {
    tokens.iter().filter_map(stated).collect()
}

fn stated(json: &Json<'_>) -> Option<Stated> {
    let is_known = matches!(json, Json::Text(_));
    token_of(json, true).map(|token| Stated { token, is_known })
}

#[cfg(test)]
mod tests;
