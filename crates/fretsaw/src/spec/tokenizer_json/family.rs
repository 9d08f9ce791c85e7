//! How the kind of a component is found: by its `type`, or by what its fields fit.
//!
//! The oracle goes by `type` if that is there once and known. Else it tries every kind in a fixed
//! order and takes the first whose fields fit, and a good part of the kinds do not look at `type`
//! then. So `{"type": "Anything", "suffix": "</w>"}` is a BPE decoder to it.

use super::fields::{text, unit_variant, Fault, Fields, Repeats};
use super::json::Json;
use crate::error::Problem;

/// How a kind was arrived at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// By its `type`.
    Tag,
    /// By trial.
    Trial,
}

/// A closed set of components that stand in the same place.
pub(super) struct Family<K: 'static, T> {
    /// The kinds and their `type`, in the order of trial.
    pub kinds: &'static [(&'static str, K)],
    /// Whether `type` is looked at before the trial.
    pub tagged: bool,
    /// Reads a component of a kind.
    pub read: fn(K, &Json<'_>, Via) -> Result<T, Fault>,
}

impl<K: Copy, T> Family<K, T> {
    /// Reads a component that stands at the top of the document.
    pub(super) fn read_top(&self, json: &Json<'_>) -> Result<T, Fault> {
        // A repeated `type` makes the oracle go by trial; further down it has lost track of
        // repeated fields.
        match json {
            Json::Object(entries) if entries.iter().filter(|(k, _)| k == "type").count() > 1 => {
                self.read_by_trial(json)
            }
            _ => self.read_nested(json),
        }
    }

    /// Reads a component that stands inside another one.
    pub(super) fn read_nested(&self, json: &Json<'_>) -> Result<T, Fault> {
        let tag = type_of(json).and_then(|tag| unit_variant(tag, Repeats::LastWins));
        match self.kinds.iter().find(|(name, _)| self.tagged && tag == Some(name)) {
            Some((_, kind)) => (self.read)(*kind, json, Via::Tag),
            None => self.read_by_trial(json),
        }
    }

    /// Reads a component as the first kind that fits. The fault of a failure is that of the kind
    /// that `type` names. No kind is read twice, so that nested failures stay linear.
    fn read_by_trial(&self, json: &Json<'_>) -> Result<T, Fault> {
        let tag = type_of(json);
        let tag_name = tag.and_then(|tag| unit_variant(tag, Repeats::LastWins));
        let mut likeliest = None;
        for (name, kind) in self.kinds {
            match (self.read)(*kind, json, Via::Trial) {
                Ok(component) => return Ok(component),
                Err(fault) if tag_name == Some(name) => likeliest = Some(fault),
                Err(_) => {}
            }
        }
        Err(match (likeliest, tag, json) {
            (Some(fault), _, _) => fault,
            (None, Some(tag), _) => Fault::unknown(tag).under("type"),
            (None, None, Json::Object(_)) => Problem::Missing { field: "type" }.into(),
            (None, None, other) => Fault::wrong_type(other, "an object with a `type`"),
        })
    }
}

/// The last `type` of an object.
fn type_of<'j>(json: &'j Json<'j>) -> Option<&'j Json<'j>> {
    match json {
        Json::Object(entries) => entries.iter().rev().find(|(k, _)| k == "type").map(|(_, v)| v),
        _ => None,
    }
}

/// Checks a field `type` for kinds that look at it.
pub(super) fn check_tag(fields: &Fields<'_>, name: &'static str) -> Result<(), Fault> {
    fields.need("type", |json| match unit_variant(json, fields.repeats) {
        Some(found) if found == name => Ok(()),
        _ => Err(Fault::out_of_range(json, "the type of this component")),
    })
}

/// Reads a component that is nothing but its `type`.
pub(super) fn bare<T>(
    json: &Json<'_>,
    via: Via,
    name: &'static str,
    component: T,
) -> Result<T, Fault> {
    if via == Via::Trial {
        check_tag(&Fields::of(json, &["type"], Repeats::LastWins)?, name)?;
    }
    Ok(component)
}

/// The same for the kinds whose `type` must be a string.
pub(super) fn bare_text<T>(
    json: &Json<'_>,
    via: Via,
    name: &'static str,
    component: T,
) -> Result<T, Fault> {
    if via == Via::Trial {
        Fields::of(json, &["type"], Repeats::LastWins)?.need("type", |json| {
            if text(json)? == name {
                Ok(())
            } else {
                Err(Fault::out_of_range(json, "the type of this component"))
            }
        })?;
    }
    Ok(component)
}
