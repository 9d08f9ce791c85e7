//! What a merge changes: pairs that vanish and pairs that appear, added up by the symbol that stands
//! beside, so that a hash is taken once for each pair and not once for each place.

/// What happened beside one symbol.
#[derive(Debug, Default, Clone, Copy)]
pub struct Beside {
    /// By how much the count of the old pair falls.
    pub gone: i64,
    /// By how much the count of the new pair rises.
    pub come: i64,
    /// How many words have the new pair.
    pub words: u32,
    /// The last of them, plus one.
    last: u32,
    /// Where the next of them is to be noted, plus one; 0 where they are not.
    place: usize,
}

/// One side of the merged symbol: for each symbol that stands there what happened.
#[derive(Debug, Default)]
pub struct Side {
    beside: Vec<Beside>,
    touched: Vec<u32>,
    /// The new pairs, as the symbols beside, with the words that have them, in order of the words.
    events: Vec<(u32, u32)>,
}

impl Side {
    /// Makes room for this many symbols.
    pub fn grow(&mut self, symbols: usize) {
        if self.beside.len() < symbols {
            self.beside.resize(symbols.next_power_of_two(), Beside::default());
        }
    }

    #[inline]
    fn touch(&mut self, symbol: u32) -> &mut Beside {
        let beside = &mut self.beside[symbol as usize];
        if beside.gone == 0 && beside.last == 0 {
            self.touched.push(symbol);
        }
        beside
    }

    /// The old pair with `symbol` vanishes somewhere.
    #[inline]
    pub fn gone(&mut self, symbol: u32, count: i64) {
        let beside = self.touch(symbol);
        beside.gone = beside.gone.saturating_add(count);
    }

    /// The new pair with `symbol` appears in a word.
    #[inline]
    pub fn come(&mut self, symbol: u32, count: i64, word: u32) {
        let beside = self.touch(symbol);
        beside.come = beside.come.saturating_add(count);
        if beside.last != word + 1 {
            beside.last = word + 1;
            beside.words += 1;
            self.events.push((symbol, word));
        }
    }

    /// The symbols beside which something happened, in the order in which it did.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// What happened beside a symbol.
    pub fn of(&self, symbol: u32) -> Beside {
        self.beside[symbol as usize]
    }

    /// The words that have the new pair with `symbol` are to be noted from `place` on.
    pub fn note_at(&mut self, symbol: u32, place: usize) {
        self.beside[symbol as usize].place = place + 1;
    }

    /// Notes words where they are to be noted, and forgets everything.
    pub fn hand_out(&mut self, places: &mut [u32]) {
        for (symbol, word) in self.events.drain(..) {
            let place = &mut self.beside[symbol as usize].place;
            if *place > 0 {
                places[*place - 1] = word;
                *place += 1;
            }
        }
        for symbol in self.touched.drain(..) {
            self.beside[symbol as usize] = Beside::default();
        }
    }
}
