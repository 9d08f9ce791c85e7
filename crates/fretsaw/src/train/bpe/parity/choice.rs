//! Which language the next merge is for.

use std::collections::VecDeque;

use super::Window;

/// How much each language needs a merge: the first of the highest is chosen.
pub enum Scores {
    /// Lengths in tokens.
    Lengths(Vec<i64>),
    /// Negative rates of compression, in proportion to what they are to be.
    Rates(Vec<f64>),
}

impl Scores {
    /// The first of the highest among those that may be; the very first where none may.
    fn best(&self, may: impl Fn(usize) -> bool) -> usize {
        match self {
            Scores::Lengths(lengths) => first_highest(lengths, i64::MIN, may),
            Scores::Rates(rates) => first_highest(rates, f64::NEG_INFINITY, may),
        }
    }
}

fn first_highest<T: PartialOrd + Copy>(
    scores: &[T],
    least: T,
    may: impl Fn(usize) -> bool,
) -> usize {
    let mut best = (0, least);
    for (at, &score) in scores.iter().enumerate() {
        if may(at) && score > best.1 {
            best = (at, score);
        }
    }
    best.0
}

/// What was chosen of late, and which languages have no pairs left.
pub struct Choice {
    window: Option<Window>,
    chosen: VecDeque<usize>,
    /// How often each language is in `chosen`.
    times: Vec<usize>,
    exhausted: Vec<bool>,
    /// How often in a row a language was chosen that was exhausted already.
    in_vain: usize,
}

impl Choice {
    pub fn new(window: Option<Window>, languages: usize) -> Self {
        Choice {
            window,
            chosen: VecDeque::new(),
            times: vec![0; languages],
            exhausted: vec![false; languages],
            in_vain: 0,
        }
    }

    /// The next language; it may be one that is exhausted where no other may be chosen.
    pub fn next(&mut self, scores: &Scores) -> usize {
        let Some(window) = self.window else { return scores.best(|at| !self.exhausted[at]) };
        let at = self.next_in_window(scores, window);
        self.chosen.push_back(at);
        self.times[at] += 1;
        if self.chosen.len() > window.size {
            if let Some(oldest) = self.chosen.pop_front() {
                self.times[oldest] -= 1;
            }
        }
        at
    }

    fn next_in_window(&self, scores: &Scores, window: Window) -> usize {
        let share = window.alpha / self.times.len() as f64;
        let mut passed_over = vec![false; self.times.len()];
        loop {
            let best = scores.best(|at| !passed_over[at] && !self.exhausted[at]);
            if self.times[best] as f64 / window.size as f64 <= share || passed_over[best] {
                return best;
            }
            passed_over[best] = true;
            if passed_over.iter().all(|&passed| passed) {
                return best;
            }
        }
    }

    /// The chosen language had a pair.
    pub fn succeeded(&mut self) {
        self.in_vain = 0;
    }

    /// The chosen language had no pair that is frequent enough.
    pub fn failed(&mut self, language: usize) {
        if self.exhausted[language] {
            self.in_vain += 1;
        }
        self.exhausted[language] = true;
    }

    /// Whether all languages are exhausted, or no choice would ever help: without a window choices stay
    /// the same, with one all others have left it after so many.
    pub fn is_over(&self) -> bool {
        let patience = self.window.map_or(0, |window| window.size.saturating_add(self.times.len()));
        self.in_vain > patience || self.exhausted.iter().all(|&exhausted| exhausted)
    }
}
