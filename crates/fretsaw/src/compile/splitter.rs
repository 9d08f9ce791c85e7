//! How the text is cut: by splits that the scanner knows where it knows them all, else step by
//! step.

use std::collections::HashSet;

use super::families::{
    digits_table, gpt2_cut, gpt2_table, is_clip, pattern_cut, punctuation_table, runs,
};
use super::pattern::{Dialect, Ranges};
use super::pre_tokenizer::steps;
use super::sentence_piece;
use crate::byte_level;
use crate::error::LoadError;
use crate::pipeline::{Normalizes, Plan};
use crate::pretokenize::{
    leave_bytes, needs_spans, stays_in_alphabet, Clip, Front, Marks, Seams, Splitter, Words, MARK,
};
use crate::scan::{Cut, Digits, Gpt2, Runs, LEAD, MEMBER};
use crate::spec::{
    Merges, Model, Normalizer, Pattern, PreTokenizer, PrependScheme, Spec, SplitBehavior,
};
use crate::unicode::is_rust_numeric;

const PATH: &str = "pre_tokenizer";

/// The plan for a pre-tokenizer and a model, behind a normalizer that acts or none; `known` are the
/// model's seams where they are known. Only byte-pair encoding has a way from bytes.
pub fn plan(
    spec: &Spec,
    normalized: bool,
    known: Option<Option<Seams>>,
) -> Result<Plan, LoadError> {
    if let Model::SentencePiece(model) = spec.model.options() {
        let seams = known.unwrap_or_else(|| sentence_piece::seams(model));
        let splitter = seams.map_or(Splitter::Whole, Splitter::Seams);
        return Ok(Plan {
            splitter,
            byte_level: false,
            normalizes: Normalizes::None,
            needs_spans: false,
        });
    }
    let seams = || known.unwrap_or_else(|| seams(&spec.model));
    let is_bpe = matches!(spec.model.options(), Model::Bpe(_));
    let mut flat = Vec::new();
    spec.pre_tokenizer.iter().for_each(|pre_tokenizer| flatten(pre_tokenizer, &mut flat));
    let of_text = |splitter, normalizes, needs_spans| {
        Ok(Plan { splitter, byte_level: false, normalizes, needs_spans })
    };
    let of_bytes = |splitter| {
        Ok(Plan { splitter, byte_level: true, normalizes: Normalizes::None, needs_spans: false })
    };
    if is_bpe && flat.iter().all(|part| finds_nothing(part, spec.normalizer.as_ref())) {
        let front = spec.normalizer.as_ref().and_then(marks_of_normalizer);
        return match (seams(), front) {
            (Some(seams), Some((front, normalizes))) => {
                of_text(Splitter::Marks(Marks::new(front, seams, false)), normalizes, false)
            }
            (Some(seams), None) => of_text(Splitter::Seams(seams), Normalizes::None, false),
            (None, _) => of_text(Splitter::Whole, Normalizes::None, false),
        };
    }
    let Some(pre_tokenizer) = &spec.pre_tokenizer else {
        return of_text(Splitter::Whole, Normalizes::None, false);
    };
    let byte_levels =
        flat.iter().filter(|step| matches!(step, PreTokenizer::ByteLevel { .. })).count();
    let from_bytes = is_bpe && byte_levels == 1;
    // What the scanner knows needs no steps, and none of it looks at spans or leaves the alphabet.
    let by_scanner =
        || gpt2(&flat).or_else(|| chain(&flat).map(Splitter::Chain)).or_else(|| clip(&flat));
    if let Some(splitter) = from_bytes.then(by_scanner).flatten() {
        return of_bytes(splitter);
    }
    let mut steps = steps(pre_tokenizer, PATH)?;
    let needs_spans = needs_spans(&steps, normalized);
    if !from_bytes || needs_spans || !stays_in_alphabet(&steps) {
        let seams = seams();
        let whole = || if normalized { Normalizes::None } else { Normalizes::All };
        let marks = marks_of_metaspace(&flat)
            .filter(|(_, split)| !needs_spans && (*split || seams.is_some()));
        if let Some((front, split)) = marks {
            let seams = seams.unwrap_or_else(Seams::none);
            return of_text(Splitter::Marks(Marks::new(front, seams, split)), whole(), false);
        }
        if let Some(words) = words(&flat).filter(|_| seams.is_none()) {
            return of_text(Splitter::Words(words), whole(), false);
        }
        let splitter = Splitter::Steps { steps, spelled: false, seams };
        return of_text(splitter, Normalizes::None, needs_spans);
    }
    let spelled = !leave_bytes(&mut steps);
    of_bytes(Splitter::Steps { steps, spelled, seams: None })
}

/// What a normalizer puts in front, if that is a mark or nothing and all else that it does is to make
/// marks of spaces; perhaps but for texts with another text in them that it replaces.
fn marks_of_normalizer(normalizer: &Normalizer) -> Option<(Front, Normalizes)> {
    let parts = match normalizer {
        Normalizer::Sequence(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let is_mark = |text: &str| text.chars().eq([MARK]);
    let replaces = |part: &Normalizer| {
        matches!(part, Normalizer::Replace { pattern: Pattern::Literal(space), content }
            if space == " " && is_mark(content))
    };
    let prepends =
        |part: &Normalizer| matches!(part, Normalizer::Prepend { prepend } if is_mark(prepend));
    match parts {
        [one] if replaces(one) => Some((Front::Nothing, Normalizes::All)),
        [first, second]
            if prepends(first) && replaces(second) || replaces(first) && prepends(second) =>
        {
            Some((Front::Normalizer, Normalizes::All))
        }
        [Normalizer::Replace { pattern: Pattern::Literal(replaced), .. }, second]
            if replaces(second) && !replaced.is_empty() =>
        {
            Some((Front::Nothing, Normalizes::Without(replaced.clone())))
        }
        _ => None,
    }
}

/// Words, if they and marks in front of them or punctuation between them are all that there is.
fn words(flat: &[&PreTokenizer]) -> Option<Words> {
    match *flat {
        [PreTokenizer::WhitespaceSplit, PreTokenizer::Metaspace {
            replacement: MARK,
            prepend_scheme: PrependScheme::Always,
            split,
        }] => Some(Words::marked(*split)),
        [PreTokenizer::Bert] => Some(Words::bert()),
        _ => None,
    }
}

/// What Metaspace puts in front and whether it cuts at marks, if it is all that there is.
fn marks_of_metaspace(flat: &[&PreTokenizer]) -> Option<(Front, bool)> {
    match *flat {
        [PreTokenizer::Metaspace { replacement: MARK, prepend_scheme, split }] => {
            Some((Front::Metaspace(*prepend_scheme), *split))
        }
        _ => None,
    }
}

/// Whether a split looks for a text that the normalizer has just replaced: it then leaves every text as
/// it is.
fn finds_nothing(part: &PreTokenizer, normalizer: Option<&Normalizer>) -> bool {
    let PreTokenizer::Split { pattern: Pattern::Literal(wanted), invert: false, .. } = part else {
        return false;
    };
    normalizer.is_some_and(|normalizer| leaves_none(normalizer, wanted))
}

/// Whether no text comes out of a normalizer with this one in it: one step replaces it, and what that
/// and the steps behind it write has no character in common with it. Then it can't come about again,
/// neither in what is written nor across it.
fn leaves_none(normalizer: &Normalizer, wanted: &str) -> bool {
    let steps = match normalizer {
        Normalizer::Sequence(steps) => steps.as_slice(),
        one => std::slice::from_ref(one),
    };
    let writes = |step: &Normalizer| match step {
        Normalizer::Replace { pattern: Pattern::Literal(pattern), content } => {
            let apart = !content.is_empty() && !content.contains(|c| wanted.contains(c));
            apart.then(|| pattern == wanted)
        }
        _ => None,
    };
    !wanted.is_empty()
        && steps
            .iter()
            .rposition(|step| writes(step) == Some(true))
            .is_some_and(|at| steps[at..].iter().all(|step| writes(step).is_some()))
}

/// Where pieces that are text can be cut before the model, if the model allows it.
///
/// Not where a merge that is put off waits for any other merge of the piece, where the first or last
/// character of a piece is spelled in another way, where a whole piece may be a token whatever the
/// merges, or where symbols that stand for other text than their own merge.
fn seams(model: &Model) -> Option<Seams> {
    let Model::Bpe(spec) = model else { return None };
    let set = |option: &Option<String>| option.as_ref().is_some_and(|text| !text.is_empty());
    let Merges::Pairs(merges) = &spec.merges else { return None };
    let spelled = set(&spec.continuing_subword_prefix) || set(&spec.end_of_word_suffix);
    let random = spec.dropout.is_some_and(|dropout| dropout != 0.0);
    if spelled || spec.ignore_merges || random {
        return None;
    }
    let tokens: HashSet<&str> = spec.vocab.iter().map(|(token, _)| token).collect();
    let bytes: HashSet<String> = (0..=255u8).map(|byte| format!("<{byte:#04X}>")).collect();
    let stands_for_other = |token: &str| {
        spec.unk_token.as_deref() == Some(token) || spec.byte_fallback && bytes.contains(token)
    };
    let mut seams = Seams::new();
    for (left, right) in merges.iter() {
        if stands_for_other(left) || stands_for_other(right) {
            return None;
        }
        seams.join(left.chars().next_back()?, right.chars().next()?);
    }
    let always_bytes =
        spec.byte_fallback && bytes.iter().all(|token| tokens.contains(token.as_str()));
    if !always_bytes {
        let kinds = || ('\0'..='\x7f').chain([MARK, '\u{80}']);
        let unknown = |&c: &char| !tokens.contains(c.encode_utf8(&mut [0; 4]) as &str);
        // Any of the others may be unknown.
        let unknown = || kinds().filter(|c| *c == '\u{80}' || unknown(c));
        // Unknown characters meet one another: they may become one token, and what is found to be
        // bytes comes before what is found to be unknown. Those that leave no trace let their
        // neighbours meet.
        let vanish = spec.unk_token.is_none();
        for before in unknown() {
            unknown().for_each(|behind| seams.join(before, behind));
            for other in kinds().filter(|_| vanish) {
                seams.join(before, other);
                seams.join(other, before);
            }
        }
    }
    Some(seams)
}

/// GPT-2's split, perhaps behind Digits: one pass of the mask scanner.
fn gpt2(flat: &[&PreTokenizer]) -> Option<Splitter> {
    let (digits, add_prefix_space) = match *flat {
        [PreTokenizer::ByteLevel { use_regex: true, add_prefix_space, .. }] => {
            (Digits::None, *add_prefix_space)
        }
        [PreTokenizer::Digits { individual_digits }, PreTokenizer::ByteLevel { use_regex: true, add_prefix_space: false, .. }] => {
            (if *individual_digits { Digits::Individual } else { Digits::Runs }, false)
        }
        _ => return None,
    };
    Some(Splitter::Gpt2 { family: Gpt2 { digits }, table: gpt2_table(), add_prefix_space })
}

/// CLIP's split, with GPT-2's behind it.
fn clip(flat: &[&PreTokenizer]) -> Option<Splitter> {
    match *flat {
        [PreTokenizer::Split { pattern, behavior: SplitBehavior::Removed, invert: true }, PreTokenizer::ByteLevel { use_regex: true, add_prefix_space: false, .. }]
            if is_clip(pattern) =>
        {
            Some(Splitter::Clip(Clip::new(gpt2_table())))
        }
        _ => None,
    }
}

/// Cuts for every pre-tokenizer of a list, if each just isolates what it finds.
fn chain(flat: &[&PreTokenizer]) -> Option<Vec<Cut>> {
    let mut cuts = Vec::new();
    let mut bytes = false;
    for &pre_tokenizer in flat {
        match pre_tokenizer {
            PreTokenizer::ByteLevel { add_prefix_space: false, use_regex, .. } => {
                cuts.extend(use_regex.then(gpt2_cut));
                bytes = true;
            }
            PreTokenizer::Digits { individual_digits } => {
                let runs = Runs { min: 1, max: if *individual_digits { 1 } else { usize::MAX } };
                cuts.push(if bytes {
                    let member = |c: char| if is_rust_numeric(c as u32) { MEMBER } else { 0 };
                    Cut::ByteRuns { runs, members: Box::new(byte_level::CHARS.map(member)) }
                } else {
                    Cut::runs(runs, digits_table())
                });
            }
            PreTokenizer::Punctuation { behavior } if !bytes => {
                let max = match behavior {
                    SplitBehavior::Isolated => 1,
                    SplitBehavior::Contiguous => usize::MAX,
                    _ => return None,
                };
                cuts.push(Cut::runs(Runs { min: 1, max }, punctuation_table()));
            }
            PreTokenizer::Split { pattern, behavior, invert } => {
                let cut = if bytes {
                    byte_cut(pattern).map(|cut| (cut, false))
                } else {
                    pattern_cut(pattern)
                };
                let (cut, matches_all) = cut?;
                // Where the pattern matches everything, removing the rest removes nothing.
                let isolates = *behavior == SplitBehavior::Isolated
                    || matches_all && *invert && *behavior == SplitBehavior::Removed;
                cuts.push(isolates.then_some(cut)?);
            }
            _ => return None,
        }
    }
    Some(cuts)
}

/// The cut of a pattern behind ByteLevel: it sees a character for each byte.
fn byte_cut(pattern: &Pattern) -> Option<Cut> {
    let Pattern::Onig(text) = pattern else { return None };
    let (runs, members, lead) = runs(text, Dialect::Onig)?;
    let within = |set: &Ranges, c: char| {
        set.iter().any(|&(first, last)| (first..=last).contains(&(c as u32)))
    };
    let bits = |c: char| {
        if within(&members, c) {
            MEMBER
        } else if within(&lead, c) {
            LEAD
        } else {
            0
        }
    };
    Some(Cut::ByteRuns { runs, members: Box::new(byte_level::CHARS.map(bits)) })
}

/// The parts of a pre-tokenizer in order.
fn flatten<'a>(pre_tokenizer: &'a PreTokenizer, flat: &mut Vec<&'a PreTokenizer>) {
    match pre_tokenizer {
        PreTokenizer::Sequence(parts) => parts.iter().for_each(|part| flatten(part, flat)),
        part => flat.push(part),
    }
}
