//! Every way to cut a piece at once: the tokens that end at each place of it.
//!
//! A place is a number of bytes from the start, where a character ends. The steps to a place are the
//! tokens that end there, longest first, and behind them the character before it as unknown where no
//! token is that character alone: the order in which the oracle finds them. They are not stored: from
//! the longest token that ends at a place, links lead to the others.
//!
//! Cost: to build, constant time a byte on average; 8 bytes of buffer a byte.
//!
//! Source: behaviour of `Lattice` in Hugging Face tokenizers 0.23.3.

use super::matches::{MatchView, Matcher, NO_MATCH};
use super::{is_continuation, Step};

/// What is known of a place.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The longest token that ends here.
    longest: u32,
    /// The bytes of the character that ends here; 0 inside a character.
    char_len: u32,
}

/// The steps to each place of a piece.
pub struct Lattice<'a> {
    view: MatchView<'a>,
    places: &'a [Place],
    unknown: Option<u32>,
    unknown_score: f64,
}

/// The steps to one place; the score of each is that of its token alone.
pub struct Steps<'a> {
    view: MatchView<'a>,
    next: u32,
    /// What is left of the character as unknown: its length, or 0.
    unknown_len: u32,
    unknown_score: f64,
}

impl<'a> Lattice<'a> {
    /// The lattice of a piece; `unknown` is the id of the unknown token.
    pub fn new(
        matcher: &'a Matcher,
        piece: &[u8],
        unknown: Option<u32>,
        unknown_score: f64,
        places: &'a mut Vec<Place>,
    ) -> Self {
        let view = matcher.view();
        places.clear();
        places.resize(piece.len() + 1, Place::default());
        let mut state = view.start();
        let mut char_start = 0;
        for (at, &byte) in piece.iter().enumerate() {
            state = view.step(state, byte);
            let end = at + 1;
            if !piece.get(end).is_some_and(|&next| is_continuation(next)) {
                let char_len = (end - char_start) as u32;
                places[end] = Place { longest: view.longest(state), char_len };
                char_start = end;
            }
        }
        Self { view, places, unknown, unknown_score }
    }

    /// The bytes of the piece.
    pub fn len(&self) -> usize {
        self.places.len() - 1
    }

    /// Where characters end, in order.
    pub fn ends(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.places.len()).filter(|&end| self.places[end].char_len > 0)
    }

    /// The steps to a place.
    #[inline]
    pub fn steps(&self, end: usize) -> Steps<'a> {
        let Place { longest, char_len } = self.places[end];
        let unknown_len = if self.unknown.is_some() { char_len } else { 0 };
        Steps { view: self.view, next: longest, unknown_len, unknown_score: self.unknown_score }
    }

    /// The id of a step.
    pub fn id(&self, step: Step) -> Option<u32> {
        match step.place {
            NO_MATCH => self.unknown,
            place => Some(self.view.id(place)),
        }
    }

    /// Whether a piece can be cut where there is no unknown token.
    pub fn can_be_cut(&self) -> bool {
        let mut reached = vec![false; self.places.len()];
        reached[0] = true;
        for end in self.ends() {
            reached[end] = self.steps(end).any(|step| reached[end - step.len as usize]);
        }
        reached[self.len()]
    }

    /// Whether, in addition, a token starts and a token ends wherever a character does.
    pub fn has_no_gap(&self) -> bool {
        let mut starts = vec![false; self.places.len()];
        let ends = self.ends().all(|end| {
            self.steps(end).for_each(|step| starts[end - step.len as usize] = true);
            self.steps(end).next().is_some()
        });
        ends && starts[0] && self.ends().all(|end| end == self.len() || starts[end])
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        if self.next != NO_MATCH {
            let place = self.next;
            let (score, len, next) = self.view.get(place);
            self.next = next;
            if len == self.unknown_len {
                // The character is a token.
                self.unknown_len = 0;
            }
            return Some(Step { score, len, place });
        }
        let len = std::mem::take(&mut self.unknown_len);
        (len > 0).then_some(Step { score: self.unknown_score, len, place: NO_MATCH })
    }
}
