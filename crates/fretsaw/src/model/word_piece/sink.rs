//! Where tokens go: ids alone, or ids with lengths.

/// Takes tokens in order.
pub trait Sink {
    fn push(&mut self, id: u32, len: u32);
    fn len(&self) -> usize;
    fn truncate(&mut self, len: usize);
    /// Turns round the order of the tokens from `from` on.
    fn reverse(&mut self, from: usize);
}

impl Sink for Vec<u32> {
    #[inline]
    fn push(&mut self, id: u32, _: u32) {
        Vec::push(self, id);
    }

    #[inline]
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn truncate(&mut self, len: usize) {
        Vec::truncate(self, len);
    }

    fn reverse(&mut self, from: usize) {
        self[from..].reverse();
    }
}

/// Ids with the lengths of their texts in bytes.
pub struct Spanned<'a> {
    pub ids: &'a mut Vec<u32>,
    /// As many as tokens that were pushed here.
    pub lens: &'a mut Vec<u32>,
}

impl Sink for Spanned<'_> {
    fn push(&mut self, id: u32, len: u32) {
        self.ids.push(id);
        self.lens.push(len);
    }

    fn len(&self) -> usize {
        self.lens.len()
    }

    fn truncate(&mut self, len: usize) {
        self.ids.truncate(self.ids.len() - (self.lens.len() - len));
        self.lens.truncate(len);
    }

    fn reverse(&mut self, from: usize) {
        let ids_from = self.ids.len() - (self.lens.len() - from);
        self.ids[ids_from..].reverse();
        self.lens[from..].reverse();
    }
}
