//! Normalizing where all that moves text is that some of it falls away.
//!
//! A run of spaces that gives way to one, quotes of two characters that become one, white space at the
//! ends: what is left stands for the characters in its place, and only the places between are gone. With
//! these the spans of all bytes are known without a column of them.
//!
//! Cost: that of normalizing, and a range for each place where something is gone.

use std::borrow::Cow;

use crate::error::EncodeError;

use super::{on, strip, Normalizer, Notes, Step};

/// A normalized text, and the ranges of bytes of the original that nothing in it stands for, in order and
/// apart. All other bytes stand for those in their places.
pub type Losing<'t> = (Cow<'t, str>, Vec<(usize, usize)>);

/// What takes the place of a match stands for the last character of it: its spelling, and the text that
/// it has here.
struct Content<'c> {
    spelled: &'c str,
    read: &'c str,
}

impl Normalizer {
    /// Whether a step may take text away.
    pub fn may_lose(&self) -> bool {
        self.steps().any(|step| matches!(step, Step::Replace(_) | Step::Strip { .. }))
    }

    /// The normalized text, if nothing but its having lost parts moves it; one that may be borrowed.
    ///
    /// `space` is a character that a last step may write for a space, which the text keeps instead.
    pub fn normalize_losing<'t>(
        &self,
        text: &'t str,
        space: Option<char>,
    ) -> Result<Option<Losing<'t>>, EncodeError> {
        let mut current = Cow::Borrowed(text);
        let mut gone = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let lost = match &part.steps[..] {
                [Step::Replace(replace)] => {
                    let spelled = replace.content();
                    let is_last = at + 1 == self.parts.len();
                    let is_space = is_last && space.is_some_and(|c| spelled.chars().eq([c]));
                    let content = Content { spelled, read: if is_space { " " } else { spelled } };
                    let mut lost = Vec::new();
                    let mut fits = true;
                    for found in replace.matches(&current) {
                        let (start, end) = found?;
                        fits &= content.fits(&current[start..end]);
                        lost.push((start, end));
                    }
                    if !fits {
                        return Ok(None);
                    }
                    current = content.put(current, &mut lost);
                    lost
                }
                [Step::Strip { left, right }] => {
                    let kept = strip(&current, *left, *right);
                    let start = kept.as_ptr() as usize - current.as_ptr() as usize;
                    let ends = [(0, start), (start + kept.len(), current.len())];
                    current = on(current, |text| Ok(strip(text, *left, *right).into()))?;
                    ends.into_iter().filter(|(start, end)| start < end).collect()
                }
                _ => {
                    let mut noted = Notes::default();
                    current = on(current, |text| part.normalize(text, &mut noted))?;
                    if noted != Notes::default() {
                        return Ok(None);
                    }
                    Vec::new()
                }
            };
            lose(&mut gone, lost);
        }
        Ok(Some((current, gone)))
    }
}

impl Content<'_> {
    /// Whether it can stand for the last character of a match, or for nothing.
    fn fits(&self, matched: &str) -> bool {
        let last = matched.chars().next_back().map_or(0, char::len_utf8);
        let chars = self.spelled.chars().count();
        last > 0 && (chars == 0 || chars == 1 && self.read.len() == last)
    }

    /// Puts it in the places of matches, of which the ranges that fall away are left.
    fn put<'t>(&self, text: Cow<'t, str>, matches: &mut Vec<(usize, usize)>) -> Cow<'t, str> {
        let stays = |&(start, end): &(usize, usize)| text[start..end] == *self.read;
        if matches.iter().all(stays) {
            matches.clear();
            return text;
        }
        let mut made = String::with_capacity(text.len());
        let mut done = 0;
        for (start, end) in &mut *matches {
            made.push_str(&text[done..*start]);
            made.push_str(self.read);
            done = *end;
            *end -= self.read.len();
        }
        made.push_str(&text[done..]);
        matches.retain(|(start, end)| start < end);
        Cow::Owned(made)
    }
}

/// Adds ranges of a text that has lost some already.
fn lose(gone: &mut Vec<(usize, usize)>, lost: Vec<(usize, usize)>) {
    if lost.is_empty() {
        return;
    }
    let mut before = gone.clone().into_iter().peekable();
    let mut shift = 0;
    // Where the byte at a place of the text stood; places come in order.
    let mut origin = |at: usize| {
        while let Some((start, end)) = before.next_if(|&(start, _)| start <= at + shift) {
            shift += end - start;
        }
        at + shift
    };
    for (start, end) in lost {
        let first = origin(start);
        gone.push((first, origin(end - 1) + 1));
    }
    gone.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::with_capacity(gone.len());
    for &(start, end) in gone.iter() {
        match joined.last_mut() {
            Some(before) if start <= before.1 => before.1 = before.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    *gone = joined;
}

#[cfg(test)]
mod tests {
    use super::super::{identity, Form, PerChar, Replace};
    use super::*;
    use crate::draws::draws;
    use crate::pattern::Pattern;

    fn literal(text: &str, content: &str) -> Step {
        Step::Replace(Replace::new(Pattern::literal(text), content.into()))
    }

    fn spaces(content: &str) -> Step {
        Step::Replace(Replace::new(
            Pattern::of_runs(" {2,}", &[(32, 32)], 2, usize::MAX),
            content.into(),
        ))
    }

    fn strip(left: bool, right: bool) -> Step {
        Step::Strip { left, right }
    }

    #[test]
    fn what_is_left_stands_for_what_the_spans_say() {
        let quotes = || vec![literal("``", "\""), literal("''", "\""), spaces(" ")];
        let all = [
            quotes(),
            vec![strip(true, true), spaces(" "), literal("a ", "")],
            vec![spaces(" "), strip(false, true), Step::PerChar(PerChar::Lowercase), spaces(" ")],
            vec![spaces(" "), literal(" b", "c"), literal("cc", "c"), Step::Form(Form::Nfc)],
            vec![literal("é", "à"), literal("aà", "é"), spaces(" "), strip(true, false)],
        ];
        const CHARS: [&str; 10] = ["a", "b", "C", " ", " ", " ", "`", "'", "é", "漢"];
        let mut next = draws(1);
        let mut lost_some = 0;
        for steps in all {
            let normalizer = Normalizer::new(steps);
            for _ in 0..3_000 {
                let few = 1 + next(CHARS.len());
                let text: String = (0..next(30)).map(|_| CHARS[next(few)]).collect();
                let (known, spans) = normalizer.normalize_spans(&text, identity(&text)).unwrap();
                let losing = normalizer.normalize_losing(&text, None).unwrap();
                let Some((made, gone)) = losing else { continue };
                assert_eq!(made, known, "{text:?}");
                let is_gone = |at: usize| gone.iter().any(|&(start, end)| start <= at && at < end);
                let left: Vec<_> =
                    (0..).zip(identity(&text)).filter(|(at, _)| !is_gone(*at)).collect();
                let left: Vec<_> = left.into_iter().map(|(_, span)| span).collect();
                assert_eq!(left, spans, "{text:?} {gone:?}");
                assert!(gone.windows(2).all(|pair| pair[0].1 < pair[1].0));
                lost_some += usize::from(!gone.is_empty());
            }
        }
        assert!(lost_some > 3_000);
    }

    #[test]
    fn a_mark_may_be_written_for_a_space() {
        let normalizer = Normalizer::new(vec![strip(false, true), spaces("\u{2581}")]);
        let losing = |space| normalizer.normalize_losing("a   b c ", space).unwrap();
        assert_eq!(losing(Some('\u{2581}')), Some(("a b c".into(), vec![(1, 3), (7, 8)])));
        assert_eq!(losing(None), None);
        let first = Normalizer::new(vec![spaces("\u{2581}"), strip(false, true)]);
        assert_eq!(first.normalize_losing("a   b", Some('\u{2581}')).unwrap(), None);
    }
}
