//! The rows of an Arrow array of text as bytes, in place.
//!
//! An array that comes from elsewhere is believed as to where its buffers are, which the interface asks for,
//! but not as to what is in them: a place outside of the text is an error, and whether text is UTF-8 is for
//! the caller to find out.
//!
//! Cost: linear in the rows, 16 bytes a row.

use std::fmt;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{AnyDictionaryArray, Array, GenericByteArray, GenericByteViewArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

/// The bytes of each row, nothing where it is null.
pub type Rows<'a> = Vec<Option<&'a [u8]>>;

/// An array whose parts don't fit together.
#[derive(Debug)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the offsets of an Arrow array don't fit its bytes")
    }
}

/// Whether [`rows`] has an array of this type: text, one column of it, or nothing but nulls.
pub fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Null => true,
        DataType::Dictionary(_, values) => is_text(values),
        DataType::Struct(fields) => fields.len() == 1 && is_text(fields[0].data_type()),
        _ => false,
    }
}

/// The rows of an array of text; of any other they are null.
pub fn rows(array: &dyn Array) -> Result<Rows<'_>, Damaged> {
    match array.data_type() {
        DataType::Utf8 => placed(array.as_string::<i32>()),
        DataType::LargeUtf8 => placed(array.as_string::<i64>()),
        DataType::Binary => placed(array.as_binary::<i32>()),
        DataType::LargeBinary => placed(array.as_binary::<i64>()),
        DataType::Utf8View => Ok(viewed(array.as_string_view())),
        DataType::BinaryView => Ok(viewed(array.as_binary_view())),
        DataType::Dictionary(..) => by_key(array.as_any_dictionary()),
        DataType::Struct(_) if array.as_struct().num_columns() == 1 => {
            let mut found = rows(array.as_struct().column(0))?;
            for (row, bytes) in found.iter_mut().enumerate() {
                *bytes = bytes.filter(|_| !array.is_null(row));
            }
            Ok(found)
        }
        _ => Ok(vec![None; array.len()]),
    }
}

fn placed<T: ByteArrayType>(array: &GenericByteArray<T>) -> Result<Rows<'_>, Damaged> {
    let bytes = array.value_data();
    let row = |(row, ends): (usize, &[T::Offset])| {
        if array.is_null(row) {
            return Ok(None);
        }
        bytes.get(ends[0].as_usize()..ends[1].as_usize()).map(Some).ok_or(Damaged)
    };
    array.value_offsets().windows(2).enumerate().map(row).collect()
}

fn viewed<T: ByteViewType>(array: &GenericByteViewArray<T>) -> Rows<'_> {
    let row = |row| (!array.is_null(row)).then(|| array.value(row).as_ref());
    (0..array.len()).map(row).collect()
}

/// Of a dictionary: each row is a place among its values.
fn by_key(array: &dyn AnyDictionaryArray) -> Result<Rows<'_>, Damaged> {
    let values = rows(array.values().as_ref())?;
    if values.is_empty() {
        return Ok(vec![None; array.len()]);
    }
    let keys = array.normalized_keys();
    let row = |(row, key): (usize, usize)| match array.is_null(row) {
        true => None,
        false => values.get(key).copied().flatten(),
    };
    Ok(keys.into_iter().enumerate().map(row).collect())
}
