//! Numbers as bytes and back, for states that are saved: 4 or 8 bytes each, the lowest first.
//!
//! Reading never trusts a length: every number has to be there. Cost: linear in the bytes.

/// Bytes that are read from the front.
pub struct Saved<'b> {
    rest: &'b [u8],
}

impl<'b> Saved<'b> {
    /// All of them are still to be read.
    pub fn new(rest: &'b [u8]) -> Self {
        Self { rest }
    }

    /// The next 4 bytes.
    pub fn narrow(&mut self) -> Option<u32> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*number))
    }

    /// The next 8 bytes.
    pub fn wide(&mut self) -> Option<u64> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*number))
    }

    /// The next 8 bytes as a size of something whose parts take `each` bytes or more of what is left.
    pub fn size(&mut self, each: usize) -> Option<usize> {
        let size = usize::try_from(self.wide()?).ok()?;
        (size <= self.rest.len() / each.max(1)).then_some(size)
    }

    /// So many of the next bytes.
    pub fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    /// So many of the next numbers of 4 bytes.
    pub fn narrows(&mut self, len: usize) -> Option<Vec<u32>> {
        let (numbers, _) = self.bytes(len.checked_mul(4)?)?.as_chunks();
        Some(numbers.iter().copied().map(u32::from_le_bytes).collect())
    }

    /// So many of the next numbers of 8 bytes.
    pub fn wides(&mut self, len: usize) -> Option<Vec<u64>> {
        let (numbers, _) = self.bytes(len.checked_mul(8)?)?.as_chunks();
        Some(numbers.iter().copied().map(u64::from_le_bytes).collect())
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is left.
    pub fn rest(self) -> &'b [u8] {
        self.rest
    }

    /// Nothing if something is left.
    pub fn end(self) -> Option<()> {
        self.is_empty().then_some(())
    }
}

/// Appends numbers of 4 bytes.
pub fn put_narrow(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
}

/// Appends numbers of 8 bytes.
pub fn put_wide(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = u64>) {
    bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
}
