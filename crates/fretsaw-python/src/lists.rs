//! Lists of ids and offsets from ready-made int objects, and ids from lists of ints.
//!
//! Making an int costs some 18 ns, raising the reference count of one that exists 1 ns. Ints of
//! ids below a limit are therefore made once for the process, when first needed, and live as long
//! as it. The safe twin is `PyList::new`, which a test compares with this.
//!
//! Ints of lists are read where they stand, by the layout of CPython's `longintrepr.h`, which is tried first.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
#[cfg(not(Py_GIL_DISABLED))]
use std::sync::OnceLock;

use pyo3::buffer::{Element, PyBuffer};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::memory::room_for;

/// Ids below this have ready-made ints: 2 MiB of pointers, touched only where used.
const READY: usize = 1 << 18;

static INTS: [AtomicPtr<ffi::PyObject>; READY] = [const { AtomicPtr::new(ptr::null_mut()) }; READY];

/// A list of ints equal to `ids`.
pub fn ids<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the interpreter is attached (`py`), and every item is a new reference or null with an
    // exception set.
    unsafe { list(py, ids, |&id| new_int_reference(id)) }
}

/// A list of ints, or `None`.
pub fn optional<'py>(py: Python<'py>, values: &[Option<u32>]) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: as in `ids`; `None` is a new reference too.
    unsafe {
        list(py, values, |value| match value {
            Some(value) => new_int_reference(*value),
            None => py.None().into_ptr(),
        })
    }
}

/// Ids that come from Python: any sequence of ints, a list without an iterator, an array of whole numbers
/// (NumPy's, `array.array`) by its buffer.
pub struct Ids(pub Vec<u32>);

impl<'a, 'py> FromPyObject<'a, 'py> for Ids {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        room_for(object.len().unwrap_or(0))?;
        let Ok(list) = object.cast_exact::<PyList>() else {
            return of_buffer(&object).map_or_else(|| object.extract(), Ok).map(Self);
        };
        match of_ints(&list) {
            Some(ids) => Ok(Self(ids)),
            None => list.iter().map(|item| item.extract()).collect::<PyResult<_>>().map(Self),
        }
    }
}

/// The ids of an array with one dimension; `None` where that can't be, which `extract` then explains.
fn of_buffer(object: &Bound<'_, PyAny>) -> Option<Vec<u32>> {
    fn read<T: Element + TryInto<u32>>(object: &Bound<'_, PyAny>) -> Option<Vec<u32>> {
        let buffer = PyBuffer::<T>::get(object).ok().filter(|buffer| buffer.dimensions() == 1)?;
        // PyO3 takes numbers in another byte order for this machine's.
        if matches!(buffer.format().to_bytes(), [b'<' | b'>' | b'!', ..]) {
            return None;
        }
        let numbers = buffer.to_vec(object.py()).ok()?;
        numbers.into_iter().map(|number| number.try_into().ok()).collect()
    }
    // What has no buffer says so at once.
    // SAFETY: the interpreter is attached and the object lives.
    if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
        return None;
    }
    let kinds = [read::<u32>, read::<i64>, read::<i32>, read::<u64>, read::<u16>];
    kinds.into_iter().find_map(|read| read(object))
}

/// The ids of a list of nothing but ints from 0 to `u32::MAX`, without a reference to each. Its twin is
/// `extract` of every item, which also says what is wrong with the others.
#[cfg(not(Py_GIL_DISABLED))]
fn of_ints(list: &Bound<'_, PyList>) -> Option<Vec<u32>> {
    let len = list.len();
    let mut ids = Vec::with_capacity(len);
    let is_known = layout_is_known();
    for at in 0..len {
        // SAFETY: the interpreter is attached and nothing here runs Python code or lets another thread
        // in, so that the list keeps its length and the borrowed item lives: `PyLong_AsLong` of an exact
        // int only reads it, and so does `one_digit`, whose layout was tried.
        let id = unsafe {
            let item = ffi::PyList_GET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t);
            if ffi::PyLong_CheckExact(item) == 0 {
                return None;
            }
            if let (true, Some(id)) = (is_known, one_digit(item)) {
                ids.push(id);
                continue;
            }
            ffi::PyLong_AsLong(item)
        };
        // -1 is an error too, of an int that is too large: it is found again by the twin.
        let Ok(id) = u32::try_from(id) else {
            drop(PyErr::take(list.py()));
            return None;
        };
        ids.push(id);
    }
    Some(ids)
}

/// The value of an exact int that is not negative and has one digit of 30 bits, read where CPython keeps it,
/// which takes a quarter of the time of a call; its twin is `PyLong_AsLong`.
///
/// # Safety
/// The calling thread must be attached to the interpreter, the int must live, and its layout be the one that
/// [`layout_is_known`] tries.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
unsafe fn one_digit(int: *mut ffi::PyObject) -> Option<u32> {
    // SAFETY: as this function's. Up to 3.11 an int is an object of variable size, which is the number of its
    // digits with the sign, and its digits; from 3.12 on a word with that number above three bits, the lower
    // two for the sign (2 if negative), takes the place of the size.
    unsafe {
        #[cfg(not(Py_3_12))]
        let (count, digits) = (ffi::Py_SIZE(int), size_of::<ffi::PyVarObject>());
        #[cfg(Py_3_12)]
        let (count, digits) = {
            let head = size_of::<ffi::PyObject>();
            let tag = int.byte_add(head).cast::<usize>().read();
            (if tag & 3 == 2 { -1 } else { (tag >> 3) as isize }, head + size_of::<usize>())
        };
        match count {
            0 => Some(0),
            1 => Some(int.byte_add(digits).cast::<u32>().read()),
            _ => None,
        }
    }
}

/// Whether ints are laid out as [`one_digit`] reads them: tried with some, once.
#[cfg(not(Py_GIL_DISABLED))]
fn layout_is_known() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    const SOME: [(i64, Option<u32>); 7] = [
        (0, Some(0)),
        (1, Some(1)),
        (70_000, Some(70_000)),
        ((1 << 30) - 1, Some((1 << 30) - 1)),
        (1 << 30, None),
        (1 << 40, None),
        (-1, None),
    ];
    *KNOWN.get_or_init(|| {
        SOME.iter().all(|&(value, expected)| {
            // SAFETY: only called while the interpreter is attached; an int is larger than what is read of
            // it in any layout, and is let go of once.
            unsafe {
                let int = ffi::PyLong_FromLongLong(value);
                let read = if int.is_null() { None } else { one_digit(int) };
                ffi::Py_XDECREF(int);
                read == expected
            }
        })
    })
}

/// Without a lock for the whole interpreter another thread could change the list meanwhile.
#[cfg(Py_GIL_DISABLED)]
fn of_ints(_list: &Bound<'_, PyList>) -> Option<Vec<u32>> {
    None
}

/// A list of pairs of ints.
pub fn pairs<'py>(py: Python<'py>, pairs: &[(u32, u32)]) -> PyResult<Bound<'py, PyList>> {
    let new_tuple = match py.version_info() < UNTRACKED_BEFORE {
        true => untracked_pair,
        false => plain_pair,
    };
    // SAFETY: as in `ids`; the ints are new references, which the tuple takes over.
    unsafe {
        let _paused = Paused::new(py);
        list(py, pairs, |&(first, second)| {
            let first = new_int_reference(first);
            if first.is_null() {
                return first;
            }
            let second = new_int_reference(second);
            if second.is_null() {
                ffi::Py_DECREF(first);
                return second;
            }
            let tuple = new_tuple();
            if tuple.is_null() {
                ffi::Py_DECREF(first);
                ffi::Py_DECREF(second);
                return tuple;
            }
            ffi::PyTuple_SET_ITEM(tuple, 0, first);
            ffi::PyTuple_SET_ITEM(tuple, 1, second);
            tuple
        })
    }
}

/// From this version on tuples have more fields, and may be collected without a lock.
const UNTRACKED_BEFORE: (u8, u8) = (3, 13);

/// A new tuple for two ints, which the collector does not know: ints hold nothing. Null with an
/// exception set where there is no memory for it.
///
/// # Safety
/// The calling thread must be attached to the interpreter, whose version must be one before
/// [`UNTRACKED_BEFORE`]; the caller must set both items before anyone sees the tuple.
unsafe fn untracked_pair() -> *mut ffi::PyObject {
    // SAFETY: as this function's. A tuple is its head and its items, and both are set.
    unsafe { ffi::PyObject_GC_NewVar(&raw mut ffi::PyTuple_Type, 2) }
}

/// The same for any version: its twin.
///
/// # Safety
/// The calling thread must be attached to the interpreter.
unsafe fn plain_pair() -> *mut ffi::PyObject {
    // SAFETY: as this function's.
    unsafe { ffi::PyTuple_New(2) }
}

/// The garbage collector, kept from running for as long as this lives: of objects that refer to none
/// it would find nothing, each time that so many were made.
struct Paused<'py> {
    _py: Python<'py>,
    was_on: bool,
}

impl<'py> Paused<'py> {
    fn new(py: Python<'py>) -> Self {
        // Without a lock for the whole interpreter the collector is not this thread's alone.
        let paused = if cfg!(Py_GIL_DISABLED) {
            0
        } else {
            // SAFETY: the interpreter is attached (`py`).
            unsafe { ffi::PyGC_Disable() }
        };
        Self { _py: py, was_on: paused == 1 }
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if self.was_on {
            // SAFETY: the interpreter is still attached, for as long as `_py` lives.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}

/// A list of what `item` makes of each value.
///
/// # Safety
/// `item` must give a new reference, or null with an exception set.
#[inline]
unsafe fn list<'py, T>(
    py: Python<'py>,
    values: &[T],
    item: impl Fn(&T) -> *mut ffi::PyObject,
) -> PyResult<Bound<'py, PyList>> {
    let len = ffi::Py_ssize_t::try_from(values.len())?;
    // SAFETY: the interpreter is attached (`py`). The new list is filled at every place before
    // anyone sees it; on failure it is dropped with null items, which CPython allows.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(len))?;
        for (at, value) in values.iter().enumerate() {
            let item = item(value);
            if item.is_null() {
                return Err(PyErr::fetch(py));
            }
            ffi::PyList_SET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t, item);
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
