//! UTF-8 of strings that Python holds as wide units, made with the interpreter released.
//!
//! Python keeps a string with characters beyond ASCII as units of one, two or four bytes. Its own
//! conversion holds the interpreter, takes some 5 ns for a Chinese character and leaves the UTF-8 with the
//! string for as long as that lives. This one reads the units in place, at about 1 ns each, while other
//! threads run, and leaves nothing behind. Its twin is `PyString::to_str`, which a test compares with it
//! over all of Unicode.
//!
//! Source: PEP 393 for the units, RFC 3629 for UTF-8.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyStringData};

use crate::released::RELEASE_BYTES;

/// How many units are looked at together for being ASCII.
const BLOCK: usize = 16;

/// From so many units on it pays to release the interpreter for them.
const MANY: usize = RELEASE_BYTES / 2;

/// The units of a string that has no UTF-8 yet.
#[derive(Clone, Copy)]
pub struct Wide<'a>(PyStringData<'a>);

impl<'a> Wide<'a> {
    /// `None` for a string whose UTF-8 is at hand: `to_str` gives it at no cost.
    pub fn new(string: &'a Bound<'_, PyString>) -> Option<Self> {
        if cfg!(target_endian = "big") || has_utf8(string) {
            return None;
        }
        // SAFETY: little-endian, where the layout that this reads is known.
        unsafe { string.data() }.ok().map(Self)
    }

    fn len(self) -> usize {
        match self.0 {
            PyStringData::Ucs1(units) => units.len(),
            PyStringData::Ucs2(units) => units.len(),
            PyStringData::Ucs4(units) => units.len(),
        }
    }

    fn encoded(self) -> Option<String> {
        match self.0 {
            PyStringData::Ucs1(units) => encoded(units),
            PyStringData::Ucs2(units) => encoded(units),
            PyStringData::Ucs4(units) => encoded(units),
        }
    }
}

/// The UTF-8 of strings, made with the interpreter released, unless they are short together. `None` where
/// `to_str` is left to make it, or to say which surrogate can't be written.
///
/// A string never changes and lives as long as its units are borrowed, so that these can be read meanwhile.
pub fn utf8(py: Python<'_>, strings: &[Option<Wide<'_>>]) -> Vec<Option<String>> {
    let len: usize = strings.iter().flatten().map(|wide| wide.len()).sum();
    match len < MANY {
        true => vec![None; strings.len()],
        false => py.detach(|| strings.iter().map(|wide| wide.and_then(Wide::encoded)).collect()),
    }
}

/// Whether a string's UTF-8 is at hand: it is ASCII, or was asked for before.
fn has_utf8(string: &Bound<'_, PyString>) -> bool {
    let object = string.as_ptr();
    if is_ascii(string) {
        return true;
    }
    if cfg!(Py_GIL_DISABLED) {
        // Another thread may be writing it.
        return false;
    }
    // SAFETY: a string that isn't ASCII has this head, compact or not, and is read under the interpreter's
    // lock.
    unsafe { !(*object.cast::<ffi::PyCompactUnicodeObject>()).utf8.is_null() }
}

/// Whether a string is ASCII, as it says itself.
#[cfg(not(Py_3_14))]
fn is_ascii(string: &Bound<'_, PyString>) -> bool {
    // SAFETY: the interpreter is attached, and the object is a string.
    unsafe { ffi::PyUnicode_IS_ASCII(string.as_ptr()) != 0 }
}

/// The same where what a string says is not to be read: by its units.
#[cfg(Py_3_14)]
fn is_ascii(string: &Bound<'_, PyString>) -> bool {
    // SAFETY: the layout that this reads is known where the order of bytes is little-endian, which
    // `Wide::new` asks first.
    matches!(unsafe { string.data() }, Ok(PyStringData::Ucs1(units)) if units.is_ascii())
}

/// UTF-8 of units that are scalar values; `None` where one is a surrogate.
fn encoded<U: Copy + Into<u32>>(units: &[U]) -> Option<String> {
    let mut bytes = Vec::with_capacity(units.len() * size_of::<U>().min(3) + 4 * BLOCK);
    for block in units.chunks(BLOCK) {
        let mut spelled = [0; 4 * BLOCK];
        let mut len = 0;
        if block.iter().fold(0, |all, &unit| all | unit.into()) < 0x80 {
            for (byte, &unit) in spelled.iter_mut().zip(block) {
                *byte = unit.into() as u8;
            }
            len = block.len();
        } else {
            for &unit in block {
                let (word, more) = spelled_unit(unit.into())?;
                spelled[len..len + 4].copy_from_slice(&word.to_le_bytes());
                len += more;
            }
        }
        bytes.extend_from_slice(&spelled[..len]);
    }
    // SAFETY: `spelled_unit` spells scalar values alone, each as UTF-8 does, and ASCII is itself.
    Some(unsafe { String::from_utf8_unchecked(bytes) })
}

/// The bytes of a scalar value in UTF-8, the first one lowest, and how many they are.
#[inline(always)]
fn spelled_unit(unit: u32) -> Option<(u32, usize)> {
    let tail = |shift: u32| unit >> shift & 0x3F | 0x80;
    match unit {
        0..0x80 => Some((unit, 1)),
        0x80..0x800 => Some((unit >> 6 | 0xC0 | tail(0) << 8, 2)),
        0xD800..0xE000 => None,
        0x800..0x1_0000 => Some((unit >> 12 | 0xE0 | tail(6) << 8 | tail(0) << 16, 3)),
        0x1_0000..0x11_0000 => {
            Some((unit >> 18 | 0xF0 | tail(12) << 8 | tail(6) << 16 | tail(0) << 24, 4))
        }
        _ => None,
    }
}
