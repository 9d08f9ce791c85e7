//! From decoders to steps.
//!
//! Behind `Fuse` and `ByteLevel` there is one token at the most, and it comes in pieces. What a
//! decoder does there takes other steps than between tokens: no token but the first is ever there,
//! and none is waited for.

use crate::error::{LoadError, Problem};
use crate::pattern::Pattern;
use crate::spec::{self, Decoder, PrependScheme};

use super::literal::{Between, Literal};
use super::regex::Regex;
use super::strip::Strip;
use super::words::{Metaspace, Prefix, Suffix, CLEANUP};
use super::Step;

/// A chain may have so many steps: each one calls the next.
pub const MAX_STEPS: usize = 500;

/// The steps of a decoder that stands at the JSON path `path`.
pub fn steps(decoder: &Decoder, path: &str) -> Result<Vec<Step>, LoadError> {
    let mut lowering = Lowering { steps: Vec::new(), one_token: false };
    lowering.add(decoder, path)?;
    Ok(lowering.steps)
}

struct Lowering {
    steps: Vec<Step>,
    /// Whether there is one token at the most from here on.
    one_token: bool,
}

impl Lowering {
    fn add(&mut self, decoder: &Decoder, path: &str) -> Result<(), LoadError> {
        match decoder {
            Decoder::Bpe { suffix } if self.one_token => self.replace(suffix, ""),
            Decoder::Bpe { suffix } => {
                self.steps.push(Step::Suffix(Suffix { suffix: suffix.clone() }));
            }
            Decoder::ByteFallback => self.steps.push(Step::ByteFallback),
            Decoder::ByteLevel { .. } => {
                self.steps.push(Step::ByteLevel);
                self.one_token = true;
            }
            Decoder::Ctc { pad_token, word_delimiter_token, cleanup } => {
                self.ctc(pad_token, word_delimiter_token, *cleanup);
            }
            Decoder::Fuse => {
                self.steps.push(Step::Fuse);
                self.one_token = true;
            }
            Decoder::Metaspace { replacement, prepend_scheme, .. } => {
                let drop_first = *prepend_scheme != PrependScheme::Never;
                self.steps.push(Step::Metaspace(Metaspace { mark: *replacement, drop_first }));
            }
            Decoder::Replace { pattern, content } => self.pattern(pattern, content, path)?,
            Decoder::Strip { content, start, stop } => {
                let strip = Strip { content: *content, start: *start, stop: *stop };
                self.steps.push(Step::Strip(strip));
            }
            Decoder::WordPiece { prefix, cleanup } => {
                if !self.one_token {
                    self.steps.push(Step::Prefix(Prefix { prefix: prefix.clone() }));
                }
                if *cleanup {
                    self.cleanup();
                }
            }
            Decoder::Sequence(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    self.add(part, &format!("{path}.decoders[{number}]"))?;
                }
            }
            Decoder::SentencePiece { .. } => {
                return Err(LoadError::unsupported(path, "SentencePiece's as a part of another"));
            }
        }
        if self.steps.len() > MAX_STEPS {
            let problem = Problem::TooMany { what: "steps of decoders", limit: MAX_STEPS };
            return Err(LoadError::at(path, problem));
        }
        Ok(())
    }

    /// A literal that is replaced in each token; an empty one is in no text.
    fn replace(&mut self, pattern: &str, content: &str) {
        self.steps.extend(Literal::new(pattern, content).map(Step::Literal));
    }

    fn pattern(
        &mut self,
        pattern: &spec::Pattern,
        content: &str,
        path: &str,
    ) -> Result<(), LoadError> {
        let step = match pattern {
            spec::Pattern::Literal(text) => match Literal::new(text, content) {
                Some(literal) => Step::Literal(literal),
                None => Step::Between(Between::new(content, false)),
            },
            regex => {
                let regex = Pattern::compile(regex, &format!("{path}.pattern"))?;
                Step::Regex(Regex::new(regex, content))
            }
        };
        self.steps.push(step);
        Ok(())
    }

    fn ctc(&mut self, pad_token: &str, word_delimiter_token: &str, cleanup: bool) {
        if !self.one_token {
            self.steps.push(Step::Dedup);
        }
        self.replace(pad_token, "");
        if cleanup {
            self.cleanup();
            if word_delimiter_token.is_empty() {
                self.steps.push(Step::Between(Between::new(" ", true)));
            } else {
                self.replace(word_delimiter_token, " ");
            }
        }
        self.steps.push(Step::DropEmpty);
    }

    fn cleanup(&mut self) {
        if !self.one_token {
            self.steps.push(Step::Cleanup);
            return;
        }
        for (pattern, content) in CLEANUP {
            self.replace(pattern, content);
        }
    }
}
