//! The metadata of a GGUF file, as far as it is about the tokenizer.
//!
//! A file starts with its magic, its version, the number of tensors and that of key-value pairs;
//! then come the pairs. Of those, the ones under `tokenizer.` and the architecture's name are kept,
//! the rest is stepped over; nothing behind them is looked at. Versions 2 and 3, in either byte
//! order. Reading is linear in the pairs, whatever the tensors weigh.
//!
//! Source: the format's description in `docs/gguf.md` of ggml-org/ggml.

use std::collections::HashMap;
use std::io::{Read, Seek};

use super::source::Source;
use crate::error::{LoadError, Problem};

const MAGIC: &[u8; 4] = b"GGUF";

/// The key of the architecture's name.
const ARCHITECTURE: &str = "general.architecture";

/// What keys of tokenizers begin with.
const TOKENIZER: &str = "tokenizer.";

/// There may not be more pairs: a hole in a file has room for any number of them.
const PAIRS_LIMIT: u64 = 1 << 16;

/// Keys may not be longer.
const KEY_LIMIT: u64 = 65_535;

/// A value that is kept.
#[derive(Debug, PartialEq)]
enum Value {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Text(String),
    Texts(Vec<String>),
    Integers(Vec<i64>),
    Floats(Vec<f32>),
    Bytes(Vec<u8>),
}

/// Values by key.
#[derive(Debug, Default)]
pub struct Metadata {
    fields: HashMap<String, Value>,
}

/// Whether a file is of this format.
pub fn is_gguf(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

impl Metadata {
    /// Reads the metadata of a file of `len` bytes.
    pub fn read<R: Read + Seek>(inner: R, len: u64) -> Result<Self, LoadError> {
        let mut source = Source::new(inner, len);
        if &source.number::<4>()? != MAGIC {
            let (found, expected) = ("other bytes".to_owned(), "`GGUF`");
            return Err(Source::<R>::fails(0, Problem::WrongType { found, expected }));
        }
        let version = source.u32()?;
        let version = match version.swap_bytes() {
            swapped @ (2 | 3) => {
                source.set_big_endian();
                swapped
            }
            _ => version,
        };
        if !matches!(version, 2 | 3) {
            let (value, expected) = (format!("version {version}"), "version 2 or 3");
            return Err(Source::<R>::fails(4, Problem::OutOfRange { value, expected }));
        }
        let _tensors = source.u64()?;
        let pairs = source.u64()?;
        if pairs > PAIRS_LIMIT {
            let problem = Problem::TooMany { what: "pairs", limit: PAIRS_LIMIT as usize };
            return Err(Source::<R>::fails(source.at(), problem));
        }
        let mut fields = HashMap::new();
        for _ in 0..pairs {
            let key = key(&mut source)?;
            let kind = source.u32()?;
            if key != ARCHITECTURE && !key.starts_with(TOKENIZER) {
                skip(&mut source, kind)?;
                continue;
            }
            let at = source.at();
            let value = value(&mut source, kind)?;
            if fields.contains_key(&key) {
                let problem = Problem::OutOfRange { value: key, expected: "a key of its own" };
                return Err(Source::<R>::fails(at, problem));
            }
            fields.insert(key, value);
        }
        Ok(Self { fields })
    }

    /// The architecture's name.
    pub fn architecture(&self) -> Result<&str, LoadError> {
        self.text(ARCHITECTURE).map(Option::unwrap_or_default)
    }

    /// The string of a key.
    pub fn text(&self, key: &str) -> Result<Option<&str>, LoadError> {
        self.typed(key, "a string", |value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Whether a flag is set.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, LoadError> {
        self.typed(key, "true or false", |value| match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// The id of a token; a negative one is none.
    pub fn id(&self, key: &str, tokens: usize) -> Result<Option<u32>, LoadError> {
        let id = self.typed(key, "an integer", |value| match value {
            Value::Integer(value) => Some(*value),
            _ => None,
        })?;
        match id {
            None => Ok(None),
            // All bits set stand for none.
            Some(id) if id < 0 || id == i128::from(u32::MAX) => Ok(None),
            Some(id) => match u32::try_from(id).ok().filter(|id| (*id as usize) < tokens) {
                Some(id) => Ok(Some(id)),
                None => {
                    let (value, expected) = (id.to_string(), "the id of a token");
                    Err(LoadError::at(key, Problem::OutOfRange { value, expected }))
                }
            },
        }
    }

    /// A list of strings.
    pub fn texts(&self, key: &str) -> Result<Option<&[String]>, LoadError> {
        self.typed(key, "a list of strings", |value| match value {
            Value::Texts(texts) => Some(texts.as_slice()),
            _ => None,
        })
    }

    /// A list of integers.
    pub fn integers(&self, key: &str) -> Result<Option<&[i64]>, LoadError> {
        self.typed(key, "a list of integers", |value| match value {
            Value::Integers(numbers) => Some(numbers.as_slice()),
            _ => None,
        })
    }

    /// A list of numbers.
    pub fn floats(&self, key: &str) -> Result<Option<&[f32]>, LoadError> {
        self.typed(key, "a list of numbers", |value| match value {
            Value::Floats(numbers) => Some(numbers.as_slice()),
            _ => None,
        })
    }

    /// Bytes.
    pub fn bytes(&self, key: &str) -> Result<Option<&[u8]>, LoadError> {
        self.typed(key, "a list of bytes", |value| match value {
            Value::Bytes(bytes) => Some(bytes.as_slice()),
            _ => None,
        })
    }

    fn typed<'v, T>(
        &'v self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, LoadError> {
        let Some(value) = self.fields.get(key) else { return Ok(None) };
        let wrong = || {
            let found = value.name().to_owned();
            LoadError::at(key, Problem::WrongType { found, expected })
        };
        read(value).map(Some).ok_or_else(wrong)
    }
}

impl Value {
    /// What the value is, for errors.
    fn name(&self) -> &'static str {
        match self {
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Text(_) => "a string",
            Value::Texts(_) => "a list of strings",
            Value::Integers(_) => "a list of integers",
            Value::Floats(_) => "a list of numbers",
            Value::Bytes(_) => "a list of bytes",
        }
    }
}

fn key<R: Read + Seek>(source: &mut Source<R>) -> Result<String, LoadError> {
    let at = source.at();
    let len = source.u64()?;
    if len > KEY_LIMIT {
        let (value, expected) = (format!("{len} bytes"), "the length of a key");
        return Err(Source::<R>::fails(at, Problem::OutOfRange { value, expected }));
    }
    String::from_utf8(source.bytes(len)?).map_err(|error| {
        let byte_offset = error.utf8_error().valid_up_to();
        Source::<R>::fails(at + 8, Problem::NotUtf8 { byte_offset })
    })
}

const STRING: u32 = 8;
const LIST: u32 = 9;

/// How many bytes a number of a type has.
fn size<R: Read + Seek>(at: u64, kind: u32) -> Result<u64, LoadError> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => {
            let expected = "the type of a value";
            let problem = Problem::OutOfRange { value: kind.to_string(), expected };
            Err(Source::<R>::fails(at, problem))
        }
    }
}

/// Steps over a value.
fn skip<R: Read + Seek>(source: &mut Source<R>, kind: u32) -> Result<(), LoadError> {
    match kind {
        STRING => source.skip_string(),
        LIST => {
            let kind = source.u32()?;
            let count = source.u64()?;
            if kind == STRING {
                source.may_have(count, 8)?;
                return (0..count).try_for_each(|_| source.skip_string());
            }
            source.skip(count.saturating_mul(size::<R>(source.at(), kind)?))
        }
        _ => source.skip(size::<R>(source.at(), kind)?),
    }
}

fn value<R: Read + Seek>(source: &mut Source<R>, kind: u32) -> Result<Value, LoadError> {
    match kind {
        STRING => source.string().map(Value::Text),
        LIST => list(source),
        6 => source.u32().map(|bits| Value::Float(f32::from_bits(bits).into())),
        12 => source.u64().map(|bits| Value::Float(f64::from_bits(bits))),
        7 => source.number().map(|[byte]| Value::Bool(byte != 0)),
        10 => source.u64().map(|value| Value::Integer(value.into())),
        _ => integer(source, kind).map(|value| Value::Integer(value.into())),
    }
}

/// An integer that fits.
fn integer<R: Read + Seek>(source: &mut Source<R>, kind: u32) -> Result<i64, LoadError> {
    Ok(match kind {
        0 | 7 => source.number::<1>()?[0].into(),
        1 => i8::from_le_bytes(source.number()?).into(),
        2 => u16::from_le_bytes(source.number()?).into(),
        3 => i16::from_le_bytes(source.number()?).into(),
        4 => source.u32()?.into(),
        5 => i32::from_le_bytes(source.number()?).into(),
        11 => i64::from_le_bytes(source.number()?),
        // Ids and types are never so large.
        10 => i64::try_from(source.u64()?).unwrap_or(i64::MAX),
        _ => {
            size::<R>(source.at(), kind)?;
            0
        }
    })
}

fn list<R: Read + Seek>(source: &mut Source<R>) -> Result<Value, LoadError> {
    let at = source.at();
    let kind = source.u32()?;
    let count = source.u64()?;
    if kind == STRING {
        source.may_have(count, 8)?;
        return (0..count).map(|_| source.string()).collect::<Result<_, _>>().map(Value::Texts);
    }
    source.may_have(count, size::<R>(at, kind)?)?;
    match kind {
        0 | 1 => source.bytes(count).map(Value::Bytes),
        6 => {
            let floats = (0..count).map(|_| source.u32().map(f32::from_bits));
            floats.collect::<Result<_, _>>().map(Value::Floats)
        }
        12 => {
            let floats = (0..count).map(|_| source.u64().map(|bits| f64::from_bits(bits) as f32));
            floats.collect::<Result<_, _>>().map(Value::Floats)
        }
        _ => {
            let integers = (0..count).map(|_| integer(source, kind));
            integers.collect::<Result<_, _>>().map(Value::Integers)
        }
    }
}
