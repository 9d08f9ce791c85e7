//! Lists of ids from ready-made int objects.
//!
//! Making an int costs some 18 ns, raising the reference count of one that exists 1 ns. Ints of
//! ids below a limit are therefore made once for the process, when first needed, and live as long
//! as it. The safe twin is `PyList::new`, which a test compares with this.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Ids below this have ready-made ints: 2 MiB of pointers, touched only where used.
const READY: usize = 1 << 18;

static INTS: [AtomicPtr<ffi::PyObject>; READY] = [const { AtomicPtr::new(ptr::null_mut()) }; READY];

/// A list of ints equal to `ids`.
pub fn ids<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let len = ffi::Py_ssize_t::try_from(ids.len())?;
    // SAFETY: the interpreter is attached (`py`). The new list is filled at every place before
    // anyone sees it; on failure it is dropped with null items, which CPython allows.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(len))?;
        for (at, &id) in ids.iter().enumerate() {
            let int = new_int_reference(id);
            if int.is_null() {
                return Err(PyErr::fetch(py));
            }
            ffi::PyList_SET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t, int);
        }
        Ok(list.cast_into_unchecked())
    }
}

/// A new reference to the int of an id, or null with an exception set.
///
/// # Safety
/// The calling thread must be attached to the interpreter.
#[inline]
unsafe fn new_int_reference(id: u32) -> *mut ffi::PyObject {
    let Some(place) = INTS.get(id as usize) else {
        // SAFETY: as this function's.
        return unsafe { ffi::PyLong_FromUnsignedLong(id.into()) };
    };
    let mut int = place.load(Ordering::Acquire);
    if int.is_null() {
        // SAFETY: as this function's. The table keeps this reference for ever.
        int = unsafe { ffi::PyLong_FromUnsignedLong(id.into()) };
        if int.is_null() {
            return int;
        }
        place.store(int, Ordering::Release);
    }
    // SAFETY: the int is alive, since the table never lets go of it.
    unsafe { ffi::Py_INCREF(int) };
    int
}
