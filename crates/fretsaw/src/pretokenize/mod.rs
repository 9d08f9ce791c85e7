//! Pre-tokenizers: how a text is cut before the model sees it.
//!
//! [`Splitter`] is either a split family that the mask scanner knows, run over the text in place,
//! or a list of [`Step`]s, each applied to every piece of the step before. Both hand out pieces as
//! bytes of the text.

mod batches;
mod clip;
mod marks;
mod runs;
mod seams;
mod spelling;
mod steps;
mod words;

pub use crate::spec::MARK;
pub use clip::Clip;
pub use marks::{Front, Marks};
pub use runs::{Role, Run, Runs, RunsBuilder, UNKNOWN, UNSURE};
pub use seams::{has_mark, Seams};
pub use spelling::Spelling;
pub use steps::{leave_bytes, needs_spans, stays_in_alphabet, Pieces, Step};
pub use words::Words;

use crate::error::EncodeError;
use crate::scan::{best_level, scan, Between, Cut, Gpt2, Level};
use crate::unicode::ClassTable;

/// How a text is cut.
pub enum Splitter {
    /// GPT-2's split, perhaps behind Digits.
    Gpt2 { family: Gpt2, table: ClassTable, add_prefix_space: bool },
    /// Splits that each isolate what they find, the later ones in the pieces of the earlier.
    Chain(Vec<Cut>),
    /// There is no pre-tokenizer: a text is one piece.
    Whole,
    /// There is none, and the model can do parts of a text on their own.
    Seams(Seams),
    /// Spaces become marks: at the end of the normalizer, or in the one step that there is. Pieces
    /// keep the spaces.
    Marks(Marks),
    /// Words between white space, with a mark in front or cut at punctuation too. Pieces keep the white
    /// space.
    Words(Words),
    /// CLIP's words, numbers and signs. Pieces keep the white space, which stands for nothing.
    Clip(Clip),
    /// Any other list of steps; `spelled` where its pieces come out in the byte alphabet and are
    /// wanted as bytes. The model may be able to do parts of a piece on their own.
    Steps { steps: Vec<Step>, spelled: bool, seams: Option<Seams> },
}

/// Where a text comes from.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Whether it starts where the original text does.
    pub at_start: bool,
    /// Whether the normalizer was at work on it.
    pub normalized: bool,
}

impl Splitter {
    /// How pieces are spelled for the model.
    pub fn spelling(&self) -> Spelling {
        match self {
            Splitter::Marks(_) => Spelling::Marks,
            Splitter::Words(words) => words.spelling(),
            Splitter::Clip(_) => Spelling::Bare,
            _ => Spelling::Plain,
        }
    }

    /// Where the model's pieces can be cut, if they can.
    pub fn seams(&self) -> Option<&Seams> {
        match self {
            Splitter::Seams(seams) => Some(seams),
            Splitter::Marks(marks) => Some(marks.seams()),
            Splitter::Steps { seams, .. } => seams.as_ref(),
            _ => None,
        }
    }

    /// Where the model's pieces can be cut, if nothing else counts: then a text can be cut in one go with
    /// the added tokens in it.
    pub fn only_seams(&self) -> Option<&Seams> {
        match self {
            Splitter::Seams(seams) => Some(seams),
            Splitter::Marks(marks) if marks.are_alone() => Some(marks.seams()),
            _ => None,
        }
    }

    /// Whether the place between two characters is a piece's end in every text, and both sides are cut
    /// as they are on their own. Only splits of the scanner know such places.
    pub fn is_sure_cut(&self, before: char, behind: char) -> bool {
        match self {
            Splitter::Gpt2 { family, table, add_prefix_space } => {
                family.between(table, before, behind) == Between::Cut
                    && (!add_prefix_space || behind == ' ')
            }
            Splitter::Chain(cuts) => {
                let mut known = cuts.iter().map(|cut| cut.between(before, behind));
                let mut is_cut = false;
                known.all(|between| {
                    is_cut |= between == Between::Cut;
                    between != Between::Unknown
                }) && is_cut
            }
            _ => false,
        }
    }

    /// Whether there are places where [`Splitter::is_sure_cut`].
    pub fn has_sure_cuts(&self) -> bool {
        matches!(self, Splitter::Gpt2 { .. } | Splitter::Chain(_))
    }

    /// Cuts `text` and hands out pieces in batches: piece `i` of a batch is
    /// `bytes[boundaries[i]..boundaries[i + 1]]`, and none is empty.
    pub fn pieces(
        &self,
        text: &str,
        place: Place,
        mut batch: impl FnMut(&[u8], &[usize]) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        if text.is_empty() {
            return Ok(());
        }
        match self {
            Splitter::Gpt2 { family, table, add_prefix_space } => {
                let spaced;
                let text = if *add_prefix_space && !text.starts_with(' ') {
                    spaced = format!(" {text}");
                    &spaced
                } else {
                    text
                };
                scan(family, Some(table), level(), text, |boundaries| {
                    batch(text.as_bytes(), boundaries)
                })
            }
            Splitter::Whole => batch(text.as_bytes(), &[0, text.len()]),
            Splitter::Seams(seams) => {
                seams.pieces(text, |boundaries| batch(text.as_bytes(), boundaries))
            }
            Splitter::Marks(marks) => {
                let text = marks.fronted(text, place);
                let seams = marks.seams();
                seams.pieces(&text, |boundaries| batch(text.as_bytes(), boundaries))
            }
            Splitter::Words(words) => {
                words.pieces(text, |boundaries| batch(text.as_bytes(), boundaries))
            }
            Splitter::Clip(clip) => {
                clip.pieces(text, |boundaries| batch(text.as_bytes(), boundaries))
            }
            Splitter::Chain(cuts) => {
                chain(cuts, text, |boundaries| batch(text.as_bytes(), boundaries))
            }
            Splitter::Steps { steps, spelled, seams } => {
                let mut pieces = Pieces::new(text, place.at_start);
                for step in steps {
                    pieces.apply(step, level())?;
                }
                if let Some(seams) = seams {
                    pieces.cut_at_seams(seams);
                }
                pieces.hand_out(*spelled, batch)
            }
        }
    }
}

/// Applies each cut to the pieces of the one before, and hands out the pieces in the end.
fn chain<E>(
    cuts: &[Cut],
    text: &str,
    mut batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    if let [only] = cuts {
        return only.pieces(level(), text, batch);
    }
    let mut boundaries = vec![0, text.len()];
    let mut refined = Vec::new();
    for cut in cuts {
        cut.refine(level(), text, &boundaries, &mut refined);
        std::mem::swap(&mut boundaries, &mut refined);
    }
    batch(&boundaries)
}

/// The instructions to use: the best there are.
#[inline]
fn level() -> Level {
    best_level()
}
