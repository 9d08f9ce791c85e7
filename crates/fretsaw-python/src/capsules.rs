//! Arrow arrays out of capsules and into them: all of the PyCapsule interface that is unsafe.
//!
//! By the interface, a capsule of one of its names points to a structure of that kind, which is valid as
//! long as the capsule is, and whose buffers are where it says. That can only be believed, as all who take
//! such capsules do. There is no safe twin; the tests compare with what pyarrow, Polars and DuckDB read and
//! write.
//!
//! Source: "The Arrow PyCapsule Interface" and "The Arrow C stream interface",
//! arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html.

use std::ffi::{c_char, c_int, CStr};
use std::vec::IntoIter;

use arrow_array::ffi::{from_ffi_and_data_type, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{make_array, Array, ArrayRef, ListArray};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// `EINVAL`, for what went wrong in a callback.
const FAILED: c_int = 22;

/// The array of an object that has `__arrow_c_array__`.
pub fn array(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);
    let (schema, array): Capsules<'_> = object.call_method0("__arrow_c_array__")?.extract()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names point to such structures, and both outlive this function.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    if array.is_released() {
        return Err(PyValueError::new_err("this Arrow array was taken before"));
    }
    let kind = DataType::try_from(schema).map_err(unknown)?;
    imported(array, kind).map_err(unknown)
}

/// The stream of an object that has `__arrow_c_stream__`.
pub fn stream(object: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let capsule = object.call_method0("__arrow_c_stream__")?.extract::<Bound<'_, PyCapsule>>()?;
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name points to such a structure, and outlives this function.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let Some(get_schema) = stream.get_schema() else {
        return Err(PyValueError::new_err("this Arrow stream was taken before"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the callback is this stream's own.
    let code = unsafe { get_schema(&mut stream, &mut schema) };
    if code != 0 {
        return Err(PyValueError::new_err(failure(&mut stream, code).to_string()));
    }
    let kind = DataType::try_from(&schema).map_err(unknown)?;
    Ok(Stream { stream, kind })
}

/// Arrays, one after the other.
pub struct Stream {
    stream: FFI_ArrowArrayStream,
    kind: DataType,
}

impl Stream {
    pub fn kind(&self) -> &DataType {
        &self.kind
    }
}

impl Iterator for Stream {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let get_next = self.stream.get_next()?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the callback is this stream's own.
        let code = unsafe { get_next(&mut self.stream, &mut array) };
        if code != 0 {
            return Some(Err(failure(&mut self.stream, code)));
        }
        (!array.is_released()).then(|| imported(array, self.kind.clone()))
    }
}

fn imported(array: FFI_ArrowArray, kind: DataType) -> Result<ArrayRef, ArrowError> {
    // SAFETY: who gave the array says that it is of this type, with buffers that fit.
    unsafe { from_ffi_and_data_type(array, kind) }.map(make_array)
}

/// What a stream says about the call that failed.
fn failure(stream: &mut FFI_ArrowArrayStream, code: c_int) -> ArrowError {
    let said = stream.get_last_error().and_then(|get_last_error| {
        // SAFETY: the callback is this stream's own.
        let text = unsafe { get_last_error(stream) };
        // SAFETY: it gives nothing or a text that ends in zero and is valid until the next call.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    });
    let said = said.unwrap_or_else(|| format!("error {code}"));
    ArrowError::CDataInterface(format!("an Arrow stream failed: {said}"))
}

fn unknown(error: ArrowError) -> PyErr {
    PyTypeError::new_err(error.to_string())
}

/// The capsule of a type.
pub fn schema_capsule<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(field).map_err(unknown)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// The capsule of an array's content.
pub fn array_capsule<'py>(py: Python<'py>, lists: &ListArray) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArray::new(&lists.to_data()), ARRAY)
}

/// What a stream has yet to give.
struct Chunks {
    field: Field,
    rest: IntoIter<ListArray>,
}

/// The capsule of a stream of arrays.
pub fn stream_capsule<'py>(
    py: Python<'py>,
    field: Field,
    chunks: Vec<ListArray>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let chunks = Box::into_raw(Box::new(Chunks { field, rest: chunks.into_iter() }));
    // SAFETY: all callbacks take the private data for the `Chunks` that it is; `release` frees them and
    // leaves a stream that is released.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release),
            chunks.cast(),
        )
    };
    PyCapsule::new_with_value(py, stream, STREAM)
}

unsafe extern "C" fn get_schema(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: a stream that is not released has its `Chunks`, and one caller at a time.
    let chunks = unsafe { &*(*stream).private_data().cast::<Chunks>() };
    let Ok(schema) = FFI_ArrowSchema::try_from(&chunks.field) else { return FAILED };
    // SAFETY: the caller gives a place to write to.
    unsafe { out.write(schema) };
    0
}

unsafe extern "C" fn get_next(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowArray,
) -> c_int {
    // SAFETY: as in `get_schema`.
    let chunks = unsafe { &mut *(*stream).private_data().cast::<Chunks>() };
    let next = chunks.rest.next();
    let next =
        next.map_or_else(FFI_ArrowArray::empty, |lists| FFI_ArrowArray::new(&lists.into_data()));
    // SAFETY: the caller gives a place to write to.
    unsafe { out.write(next) };
    0
}

unsafe extern "C" fn get_last_error(_stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    std::ptr::null()
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the `Chunks` were boxed, and a stream is released once: what is left has no callbacks.
    unsafe {
        drop(Box::from_raw((*stream).private_data().cast::<Chunks>()));
        stream.write(FFI_ArrowArrayStream::empty());
    }
}
