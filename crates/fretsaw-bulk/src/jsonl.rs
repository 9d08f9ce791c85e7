//! The text of one field of a JSON object, without building the rest.
//!
//! serde_json reads the line; other values are checked and passed over. A text without escapes is taken
//! where it stands. Of a field that stands twice the last counts, as in Python.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::block::Reason;

/// The text under a field of a line.
pub fn text_of<'l>(line: &'l str, field: &str) -> Result<Cow<'l, str>, Reason> {
    let mut json = serde_json::Deserializer::from_str(line);
    let found = Wanted::Line { field }.deserialize(&mut json).and_then(|found| {
        json.end()?;
        Ok(found)
    });
    match found {
        Ok(found) => found,
        Err(error) => Err(Reason::NotJson { byte: error.column().saturating_sub(1) as u64 }),
    }
}

type Found<'l> = Result<Cow<'l, str>, Reason>;

/// What is read: a whole line, of which a field is wanted, or the value of that field.
enum Wanted<'f> {
    Line { field: &'f str },
    Value,
}

/// A key: whether it is the field.
struct Key<'f> {
    field: &'f str,
}

impl Wanted<'_> {
    /// What is told of anything else.
    fn other<'l, E>(&self) -> Result<Found<'l>, E> {
        Ok(Err(match self {
            Wanted::Line { .. } => Reason::NotAnObject,
            Wanted::Value => Reason::NotAString,
        }))
    }
}

impl<'de> DeserializeSeed<'de> for Wanted<'_> {
    type Value = Found<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Found<'de>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Found<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Found<'de>, A::Error> {
        let Wanted::Line { field } = self else {
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return self.other();
        };
        let mut found = Err(Reason::NoField);
        while let Some(is_it) = entries.next_key_seed(Key { field })? {
            if is_it {
                found = entries.next_value_seed(Wanted::Value)?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Found<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        self.other()
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Found<'de>, E> {
        match self {
            Wanted::Value => Ok(Ok(Cow::Borrowed(text))),
            line => line.other(),
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Found<'de>, E> {
        match self {
            Wanted::Value => Ok(Ok(Cow::Owned(text.to_owned()))),
            line => line.other(),
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found<'de>, E> {
        self.other()
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found<'de>, E> {
        self.other()
    }

    fn visit_u64<E>(self, _: u64) -> Result<Found<'de>, E> {
        self.other()
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found<'de>, E> {
        self.other()
    }

    fn visit_unit<E>(self) -> Result<Found<'de>, E> {
        self.other()
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_found_and_everything_else_has_a_reason() {
        let deep = format!(r#"{{"a": {}{}, "text": "x"}}"#, "[".repeat(5000), "]".repeat(5000));
        let cases: [(&str, Found<'_>); 13] = [
            (r#"{"text": "a b"}"#, Ok("a b".into())),
            (r#" {"n": [1, {"text": "no"}], "text": "\u00e9\n"} "#, Ok("é\n".into())),
            (r#"{"text": "a", "text": "b"}"#, Ok("b".into())),
            (r#"{"\u0074ext": "escaped key"}"#, Ok("escaped key".into())),
            (&deep, Ok("x".into())),
            (r#"{"n": 1e999, "text": ""}"#, Ok("".into())),
            (r#"{"texts": "a"}"#, Err(Reason::NoField)),
            (r#"{"text": ["a", [1]]}"#, Err(Reason::NotAString)),
            (r#"{"text": {"a": 1}}"#, Err(Reason::NotAString)),
            (r#"{"text": null}"#, Err(Reason::NotAString)),
            (r#"["text"]"#, Err(Reason::NotAnObject)),
            ("\"text\"", Err(Reason::NotAnObject)),
            ("12", Err(Reason::NotAnObject)),
        ];
        for (line, wanted) in cases {
            assert_eq!(text_of(line, "text"), wanted, "{}", &line[..line.len().min(60)]);
        }
    }

    #[test]
    fn what_is_not_json_is_told_by_its_place() {
        for line in [r#"{"text": "a"} x"#, r#"{"text": "a""#, r#"{"text": "\ud800"}"#, "{'a': 1}"] {
            let reason = text_of(line, "text");
            assert!(matches!(reason, Err(Reason::NotJson { .. })), "{line}: {reason:?}");
        }
        assert_eq!(text_of(r#"{"text": x"#, "text"), Err(Reason::NotJson { byte: 9 }));
    }
}
