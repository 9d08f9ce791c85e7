//! Patterns that are looked for in text: a literal, or a regular expression in its own dialect.
//!
//! A [`Pattern`] finds its matches from left to right, none overlapping, exactly as the iterator
//! of the format's engine does. An empty match counts, also at the end of the text, unless it
//! touches the end of the match before; an empty text has no matches at all. Nothing is copied,
//! and each search goes on in the whole text, so that look-behind and `\b` see what stands before.
//!
//! Engines: a literal and runs of a set of characters are searched in linear time. `Onig` is Oniguruma
//! in its Ruby dialect, `Fancy` is fancy-regex; both backtrack, so both have a step limit (see
//! [`budget`]) that ends in [`EncodeError::StepLimit`]. A pattern may be used by many threads at once.
//!
//! Source: `find_matches` in Hugging Face tokenizers 0.23.3 (a literal there is a quoted regular
//! expression, which finds the same), `find_iter` of onig 6.5.3 and of fancy-regex 0.19.0.

mod budget;
mod fancy;
mod oniguruma;
mod runs;

use memchr::memmem;

use crate::error::{EncodeError, LoadError, Problem};
use crate::spec;

use budget::Budget;
use fancy::Fancy;
use oniguruma::Oniguruma;
use runs::Runs;

/// A compiled pattern.
pub struct Pattern {
    /// As the file writes it, for messages.
    source: String,
    engine: Engine,
}

enum Engine {
    /// A text that is not empty.
    Literal(Box<memmem::Finder<'static>>),
    /// The empty text, which matches between any two characters.
    Empty,
    Runs(Runs),
    Oniguruma(Oniguruma),
    Fancy(Fancy),
}

/// One search of an engine ended without an answer.
enum Stopped {
    /// It took more steps than it was given; more may help.
    OutOfSteps,
    /// It went beyond what the engine ever does: more would not help.
    Refused,
}

impl Pattern {
    /// Compiles a pattern that stands at the JSON path `path`.
    ///
    /// A regular expression that the engine refuses is `Invalid`, one that can't be run exactly
    /// here `Unsupported`.
    pub fn compile(pattern: &spec::Pattern, path: &str) -> Result<Self, LoadError> {
        let refused = |source: &str, reason: String| {
            let problem = Problem::OutOfRange {
                value: format!("{source:?} ({reason})"),
                expected: "a regular expression that the format's engine accepts",
            };
            LoadError::at(path, problem)
        };
        let (source, engine) = match pattern {
            spec::Pattern::Literal(text) => return Ok(Self::literal(text)),
            spec::Pattern::Onig(source) => {
                let engine = Oniguruma::new(source).map_err(|reason| refused(source, reason))?;
                (source, Engine::Oniguruma(engine))
            }
            spec::Pattern::Fancy(source) => {
                if source.contains(r"\G") {
                    return Err(LoadError::unsupported(path, format!("{source:?} with \\G")));
                }
                let engine = Fancy::new(source).map_err(|reason| refused(source, reason))?;
                (source, Engine::Fancy(engine))
            }
        };
        Ok(Self { source: source.clone(), engine })
    }

    /// A text.
    pub fn literal(text: &str) -> Self {
        let finder = || memmem::Finder::new(text.as_bytes()).into_owned();
        let engine = match text.is_empty() {
            true => Engine::Empty,
            false => Engine::Literal(Box::new(finder())),
        };
        Self { source: text.to_owned(), engine }
    }

    /// A regular expression that means `min` to `max` characters of a set in a row, as many as there
    /// are: ranges in order, with both ends in them.
    pub fn of_runs(source: &str, members: &[(u32, u32)], min: usize, max: usize) -> Self {
        let engine = Engine::Runs(Runs::new(members, min, max));
        Self { source: source.to_owned(), engine }
    }

    /// The pattern as the file writes it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The byte of a pattern that is one character of ASCII.
    pub fn as_byte(&self) -> Option<u8> {
        match (&self.engine, self.source.as_bytes()) {
            (Engine::Literal(_), &[byte]) => Some(byte),
            _ => None,
        }
    }

    /// The matches in `text` as byte ranges, from left to right.
    ///
    /// With `\K` in a look-behind a match may start before the end of the match before, as in the
    /// engine. The iterator ends after an error.
    pub fn find_iter<'p, 't>(&'p self, text: &'t str) -> Matches<'p, 't> {
        self.find_within(text, Budget::new(text.len()))
    }

    /// The same, but that matches which are just `than` may be left out.
    pub fn find_other<'p, 't>(&'p self, text: &'t str, than: &str) -> Matches<'p, 't> {
        let mut matches = self.find_iter(text);
        if let (Finder::Runs { runs, alone, .. }, &[byte]) = (&mut matches.finder, than.as_bytes())
        {
            *alone = Some(byte).filter(|_| runs.takes_all());
        }
        matches
    }

    fn find_within<'p, 't>(&'p self, text: &'t str, budget: Budget) -> Matches<'p, 't> {
        let finder = match &self.engine {
            _ if text.is_empty() => Finder::Done,
            Engine::Literal(finder) => Finder::Literal { finder, text: text.as_bytes(), at: 0 },
            Engine::Empty => Finder::Empty(text.match_indices("")),
            Engine::Runs(runs) => Finder::Runs { runs, text, at: 0, alone: None },
            Engine::Oniguruma(engine) => {
                let search = Search::Oniguruma(engine.search());
                Finder::Engine(Progress { search, text, at: 0, last_end: None, budget })
            }
            Engine::Fancy(engine) => {
                let search = Search::Fancy(engine);
                Finder::Engine(Progress { search, text, at: 0, last_end: None, budget })
            }
        };
        Matches { source: &self.source, finder }
    }
}

/// The matches of a pattern in a text.
pub struct Matches<'p, 't> {
    source: &'p str,
    finder: Finder<'p, 't>,
}

enum Finder<'p, 't> {
    Done,
    Literal {
        finder: &'p memmem::Finder<'static>,
        text: &'t [u8],
        at: usize,
    },
    Empty(std::str::MatchIndices<'t, &'static str>),
    /// Not those of the one byte `alone`.
    Runs {
        runs: &'p Runs,
        text: &'t str,
        at: usize,
        alone: Option<u8>,
    },
    Engine(Progress<'p, 't>),
}

impl Iterator for Matches<'_, '_> {
    type Item = Result<(usize, usize), EncodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let stopped_at = match &mut self.finder {
            Finder::Done => return None,
            Finder::Literal { finder, text, at } => {
                let start = *at + finder.find(&text[*at..])?;
                *at = start + self.source.len();
                return Some(Ok((start, *at)));
            }
            Finder::Runs { runs, text, at, alone } => {
                let (start, end) = match alone {
                    Some(byte) => runs.find_other(text, *at, *byte)?,
                    None => runs.find(text, *at)?,
                };
                *at = end;
                return Some(Ok((start, end)));
            }
            Finder::Empty(found) => return found.next().map(|(start, _)| Ok((start, start))),
            Finder::Engine(progress) => match progress.next() {
                Ok(found) => return found.map(Ok),
                Err(_) => progress.at,
            },
        };
        self.finder = Finder::Done;
        Some(Err(EncodeError::StepLimit {
            pattern: self.source.to_owned(),
            byte_offset: stopped_at,
        }))
    }
}

/// How far the search for the matches of one text has come.
struct Progress<'p, 't> {
    search: Search<'p>,
    text: &'t str,
    /// Where the next search starts; past the end of the text when there is nothing left.
    at: usize,
    /// Where the match before ended.
    last_end: Option<usize>,
    budget: Budget,
}

/// What one engine needs while it searches one text.
enum Search<'p> {
    Oniguruma(oniguruma::Search<'p>),
    Fancy(&'p Fancy),
}

impl Search<'_> {
    /// The leftmost match that starts at `from` or later.
    fn find(
        &mut self,
        text: &str,
        from: usize,
        steps: u64,
    ) -> Result<Option<(usize, usize)>, Stopped> {
        match self {
            Search::Oniguruma(search) => search.find(text, from, steps),
            Search::Fancy(engine) => engine.find(text, from, steps),
        }
    }
}

impl Progress<'_, '_> {
    fn next(&mut self) -> Result<Option<(usize, usize)>, Stopped> {
        while self.at <= self.text.len() {
            let (text, at) = (self.text, self.at);
            let search = &mut self.search;
            let found = self.budget.spend(|steps| search.find(text, at, steps))?;
            let Some((start, end)) = found else { break };
            if start == end && self.last_end == Some(end) {
                // An empty match that touches the match before does not count.
                self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            // The engine's own iterator would find such a match for ever; none is known to do this.
            if end < at || (end == at && self.last_end == Some(end)) {
                return Err(Stopped::Refused);
            }
            (self.at, self.last_end) = (end, Some(end));
            return Ok(Some((start, end)));
        }
        self.at = self.text.len() + 1;
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
