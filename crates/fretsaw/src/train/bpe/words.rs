//! Words as rows of symbols in one flat array.

/// Where the symbols of a word are, and how often it was seen.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    pub start: usize,
    pub len: u32,
    pub count: i64,
}

/// Distinct words of two symbols or more; merging shortens them in place.
#[derive(Debug, Default)]
pub struct Words {
    pub symbols: Vec<u32>,
    /// How many characters each symbol stands for, where lengths matter.
    pub lens: Option<Vec<u32>>,
    pub words: Vec<Word>,
    /// The symbols of all words, of short ones too, each as often as it was seen. Where merging is to
    /// know it, it keeps it up to date.
    pub length: i64,
}

impl Words {
    /// Appends a word; one of fewer than two symbols has no pairs and is left out.
    pub fn push(&mut self, symbols: &[u32], count: u64) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.length = self.length.saturating_add(count.saturating_mul(symbols.len() as i64));
        if symbols.len() < 2 {
            return;
        }
        let start = self.symbols.len();
        self.symbols.extend_from_slice(symbols);
        if let Some(lens) = &mut self.lens {
            lens.resize(self.symbols.len(), 1);
        }
        self.words.push(Word { start, len: symbols.len() as u32, count });
    }

    /// The symbols of a word.
    pub fn symbols_of(&self, word: usize) -> &[u32] {
        let Word { start, len, .. } = self.words[word];
        &self.symbols[start..start + len as usize]
    }
}
