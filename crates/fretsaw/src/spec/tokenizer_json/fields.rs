//! Readers of JSON values that know where they are when something is wrong.
//!
//! Nothing is tracked while all goes well: a [`Fault`] collects its path on the way up.
//! The readers accept what the derived deserializers of the oracle accept, which includes
//! structs written as arrays of their fields and unit variants written as `{"Name": null}`.

use std::borrow::Cow;

use super::json::Json;
use crate::error::{LoadError, Problem};

/// One step of a JSON path.
enum Step {
    Key(String),
    Index(usize),
}

/// What is wrong.
enum Cause {
    Invalid(Problem),
    /// Sound, but a value that nobody knows.
    Unknown(String),
}

/// What is wrong, and the path to it from the inside out.
pub(super) struct Fault {
    steps: Vec<Step>,
    cause: Cause,
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Fault { steps: Vec::new(), cause: Cause::Invalid(problem) }
    }
}

impl Fault {
    /// A value of the wrong type.
    pub(super) fn wrong_type(json: &Json<'_>, expected: &'static str) -> Self {
        Problem::WrongType { found: json.describe(), expected }.into()
    }

    /// A value of the right type that is not among those allowed.
    pub(super) fn out_of_range(json: &Json<'_>, expected: &'static str) -> Self {
        Problem::OutOfRange { value: json.describe(), expected }.into()
    }

    /// A kind of component that nobody knows.
    pub(super) fn unknown(json: &Json<'_>) -> Self {
        Fault { steps: Vec::new(), cause: Cause::Unknown(json.describe()) }
    }

    /// The same fault, one level further up, in the entry `key`.
    pub(super) fn under(mut self, key: &str) -> Self {
        self.steps.push(Step::Key(key.to_owned()));
        self
    }

    /// The same fault, one level further up, in element `index`.
    pub(super) fn inside(mut self, index: usize) -> Self {
        self.steps.push(Step::Index(index));
        self
    }

    /// The finished error.
    pub(super) fn into_error(self) -> LoadError {
        let mut path = String::new();
        for step in self.steps.iter().rev() {
            match step {
                Step::Index(index) => path.push_str(&format!("[{index}]")),
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
            }
        }
        if path.is_empty() {
            path.push('$');
        }
        match self.cause {
            Cause::Invalid(problem) => LoadError::at(path, problem),
            Cause::Unknown(value) => LoadError::unsupported(path, value),
        }
    }
}

/// What a field that stands twice means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeats {
    /// The last one counts; nobody looks at the others.
    LastWins,
    /// It is an error.
    Refused,
}

/// The fields of a struct, by name or by place.
pub(super) struct Fields<'j> {
    source: Source<'j>,
    pub(super) repeats: Repeats,
}

enum Source<'j> {
    Object(&'j [(Cow<'j, str>, Json<'j>)]),
    Array(&'static [&'static str], &'j [Json<'j>]),
}

impl<'j> Fields<'j> {
    /// The fields of an object.
    pub(super) fn of_object(json: &'j Json<'j>, repeats: Repeats) -> Result<Self, Fault> {
        match json {
            Json::Object(entries) => Ok(Fields { source: Source::Object(entries), repeats }),
            other => Err(Fault::wrong_type(other, "an object")),
        }
    }

    /// The fields of an object, or of an array that has them in the order of `names`.
    pub(super) fn of(
        json: &'j Json<'j>,
        names: &'static [&'static str],
        repeats: Repeats,
    ) -> Result<Self, Fault> {
        match json {
            Json::Array(elements) if elements.len() <= names.len() => {
                Ok(Fields { source: Source::Array(names, elements), repeats })
            }
            Json::Array(_) => Err(Fault::wrong_type(json, "an array with an element a field")),
            _ => Fields::of_object(json, repeats),
        }
    }

    /// The value of a field, if it is there.
    pub(super) fn find(&self, name: &'static str) -> Result<Option<&'j Json<'j>>, Fault> {
        match self.source {
            Source::Array(names, elements) => {
                Ok(names.iter().position(|n| *n == name).and_then(|place| elements.get(place)))
            }
            Source::Object(entries) => {
                let mut found = entries.iter().rev().filter(|(key, _)| key == name);
                let last = found.next().map(|(_, value)| value);
                if self.repeats == Repeats::Refused && found.next().is_some() {
                    let problem = Problem::TooMany { what: "entries of this name", limit: 1 };
                    return Err(Fault::from(problem).under(name));
                }
                Ok(last)
            }
        }
    }

    /// A field that must be there.
    pub(super) fn need<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'j Json<'j>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        match self.find(name)? {
            Some(value) => read(value).map_err(|fault| fault.under(name)),
            None => Err(Problem::Missing { field: name }.into()),
        }
    }

    /// A field with a default; `null` is not a way to ask for it.
    pub(super) fn or<T>(
        &self,
        name: &'static str,
        default: T,
        read: impl FnOnce(&'j Json<'j>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        match self.find(name)? {
            Some(value) => read(value).map_err(|fault| fault.under(name)),
            None => Ok(default),
        }
    }

    /// A field that may be `null` or, in an object, be left out.
    pub(super) fn option<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'j Json<'j>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        match (self.find(name)?, &self.source) {
            (None, Source::Array(..)) => Err(Problem::Missing { field: name }.into()),
            (None | Some(Json::Null), _) => Ok(None),
            (Some(value), _) => read(value).map(Some).map_err(|fault| fault.under(name)),
        }
    }
}

pub(super) fn boolean(json: &Json<'_>) -> Result<bool, Fault> {
    match json {
        Json::Bool(value) => Ok(*value),
        other => Err(Fault::wrong_type(other, "true or false")),
    }
}

pub(super) fn size(json: &Json<'_>) -> Result<usize, Fault> {
    match json {
        Json::Unsigned(value) => usize::try_from(*value)
            .map_err(|_| Fault::out_of_range(json, "a size that this machine can address")),
        Json::Signed(_) => Err(Fault::out_of_range(json, "an integer from 0")),
        other => Err(Fault::wrong_type(other, "an integer from 0")),
    }
}

pub(super) fn id(json: &Json<'_>) -> Result<u32, Fault> {
    const EXPECTED: &str = "an integer from 0 to 4294967295";
    match json {
        Json::Unsigned(value) => {
            u32::try_from(*value).map_err(|_| Fault::out_of_range(json, EXPECTED))
        }
        Json::Signed(_) => Err(Fault::out_of_range(json, EXPECTED)),
        other => Err(Fault::wrong_type(other, EXPECTED)),
    }
}

pub(super) fn float(json: &Json<'_>) -> Result<f64, Fault> {
    match json {
        Json::Unsigned(value) => Ok(*value as f64),
        Json::Signed(value) => Ok(*value as f64),
        Json::Float(value) => Ok(*value),
        other => Err(Fault::wrong_type(other, "a number")),
    }
}

pub(super) fn text<'j>(json: &'j Json<'_>) -> Result<&'j str, Fault> {
    match json {
        Json::Text(value) => Ok(value),
        other => Err(Fault::wrong_type(other, "a string")),
    }
}

pub(super) fn string(json: &Json<'_>) -> Result<String, Fault> {
    text(json).map(str::to_owned)
}

pub(super) fn character(json: &Json<'_>) -> Result<char, Fault> {
    let mut chars = text(json)?.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(Fault::out_of_range(json, "a single character")),
    }
}

pub(super) fn list<'j, T>(
    json: &'j Json<'j>,
    mut read: impl FnMut(&'j Json<'j>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    match json {
        Json::Array(elements) => elements
            .iter()
            .enumerate()
            .map(|(index, element)| read(element).map_err(|fault| fault.inside(index)))
            .collect(),
        other => Err(Fault::wrong_type(other, "an array")),
    }
}

/// The elements of an array of exactly two.
pub(super) fn pair<'j>(
    json: &'j Json<'j>,
    expected: &'static str,
) -> Result<(&'j Json<'j>, &'j Json<'j>), Fault> {
    match json {
        Json::Array(elements) => match elements.as_slice() {
            [first, second] => Ok((first, second)),
            _ => Err(Fault::out_of_range(json, expected)),
        },
        other => Err(Fault::wrong_type(other, expected)),
    }
}

/// The name and content of a variant: `"Name"`, or `{"Name": content}`.
pub(super) fn variant<'j>(
    json: &'j Json<'j>,
    repeats: Repeats,
) -> Option<(&'j str, Option<&'j Json<'j>>)> {
    match json {
        Json::Text(name) => Some((name, None)),
        Json::Object(entries) => {
            let (name, content) = entries.last()?;
            let single = match repeats {
                Repeats::LastWins => entries.iter().all(|(other, _)| other == name),
                Repeats::Refused => entries.len() == 1,
            };
            single.then_some((name, Some(content)))
        }
        _ => None,
    }
}

/// The name of a variant without content.
pub(super) fn unit_variant<'j>(json: &'j Json<'j>, repeats: Repeats) -> Option<&'j str> {
    match variant(json, repeats)? {
        (name, None | Some(Json::Null)) => Some(name),
        _ => None,
    }
}

/// One of a few names.
pub(super) fn one_of<T: Copy>(
    json: &Json<'_>,
    repeats: Repeats,
    names: &[(&str, T)],
    expected: &'static str,
) -> Result<T, Fault> {
    let name = unit_variant(json, repeats);
    match names.iter().find(|(candidate, _)| name == Some(candidate)) {
        Some((_, value)) => Ok(*value),
        None if matches!(json, Json::Text(_)) => Err(Fault::out_of_range(json, expected)),
        None => Err(Fault::wrong_type(json, expected)),
    }
}
