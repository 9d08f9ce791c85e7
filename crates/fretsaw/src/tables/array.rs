//! An immutable array of plain numbers, owned or lying inside shared bytes such as a mapped file.

use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;

/// Bytes that several arrays share: a mapped file, or a file's content in memory.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// An immutable array of `T`, whoever owns it.
pub struct Array<T: Pod> {
    store: Store<T>,
}

enum Store<T> {
    Owned(Box<[T]>),
    Shared { bytes: SharedBytes, start: usize, end: usize },
}

impl<T: Pod> Array<T> {
    /// An array inside `bytes[start..end]`, or `None` where the range does not fit the bytes, or
    /// is not aligned and sized for `T`.
    pub fn shared(bytes: SharedBytes, start: usize, end: usize) -> Option<Self> {
        let slice = (*bytes).as_ref().get(start..end)?;
        bytemuck::try_cast_slice::<u8, T>(slice).ok()?;
        Some(Self { store: Store::Shared { bytes, start, end } })
    }

    /// The numbers. Hot loops take this once, not an element at a time.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        match &self.store {
            Store::Owned(owned) => owned,
            Store::Shared { bytes, start, end } => {
                bytemuck::cast_slice(&(**bytes).as_ref()[*start..*end])
            }
        }
    }
}

impl<T: Pod> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self { store: Store::Owned(values.into_boxed_slice()) }
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} items)", self.as_slice().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_and_shared_arrays_read_alike() {
        let numbers: Vec<u32> = (0..10).collect();
        let bytes: Vec<u8> = bytemuck::cast_slice(&numbers).to_vec();
        // A `Vec<u8>` may be unaligned for u32: an aligned backing is a `Vec<u32>` seen as bytes.
        struct Aligned(Vec<u32>);
        impl AsRef<[u8]> for Aligned {
            fn as_ref(&self) -> &[u8] {
                bytemuck::cast_slice(&self.0)
            }
        }
        let shared: SharedBytes = Arc::new(Aligned(numbers.clone()));
        let array = Array::<u32>::shared(shared.clone(), 8, 40).expect("aligned");
        assert_eq!(array.as_slice(), &numbers[2..]);
        assert_eq!(Array::from(numbers.clone()).as_slice(), &numbers[..]);
        assert!(Array::<u32>::shared(shared.clone(), 2, 10).is_none(), "unaligned");
        assert!(Array::<u32>::shared(shared.clone(), 8, 44).is_none(), "past the end");
        assert!(Array::<u32>::shared(shared, 8, 11).is_none(), "odd size");
        assert_eq!(bytes.len(), 40);
    }
}
