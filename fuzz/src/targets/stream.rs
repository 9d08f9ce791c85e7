//! `stream`: ids one by one through any decoder, looking for stops and markers, against decoding all and
//! looking at every place of the text.

use fretsaw::{DecodeState, Found, Stops};

use super::decode::{any_decoder, tokenizer};
use crate::draw::Draw;

const UNITS: [&str; 10] = ["a", "b", "ab", "é", "<", " ", ".", "the", "\u{FFFD}", "😀"];

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let decoder = any_decoder(draw, 0);
    let (pipeline, tokens) = tokenizer(draw, Some(decoder.clone()))?;
    let stop = draw.list(3, |draw| draw.text_of(&UNITS, 3));
    let markers = draw.list(3, |draw| draw.text_of(&UNITS, 3));
    let is_sound = stop.iter().chain(&markers).all(|string| !string.is_empty());
    let Some(stops) = Stops::new(&stop, &markers) else {
        assert!(!is_sound);
        return None;
    };
    assert!(is_sound);
    let ids = draw.list(40, |draw| draw.below(tokens.strings.len() + 2) as u32);
    let whole = pipeline.decode_ids(&ids, false).ok()?;

    let (mut state, mut search) = (DecodeState::default(), stops.search());
    let (mut out, mut found) = (String::new(), Vec::new());
    for step in ids.iter().map(Some).chain([None]) {
        let mut chunk = String::new();
        match step {
            Some(&id) => pipeline.decode_ids_step(&mut state, id, false, &mut chunk).ok()?,
            None => pipeline.decode_ids_finish(&mut state, &mut chunk).ok()?,
        }
        let mut rest = &chunk[..];
        while let Some((what, read)) = stops.read(&mut search, rest, &mut out) {
            found.push(what);
            if let Found::Stop(_) = what {
                assert_eq!(
                    (out, found),
                    by_looking(&whole, &stop, &markers),
                    "{whole:?} {stop:?} {markers:?}"
                );
                return Some(());
            }
            rest = &rest[read..];
        }
    }
    out.push_str(stops.held(search));
    assert_eq!(
        (out, found),
        by_looking(&whole, &stop, &markers),
        "{decoder:?} {whole:?} {stop:?} {markers:?}"
    );
    Some(())
}

/// The text without markers up to the first stop, and what was found: at each place the longest string
/// that ends there, stops before markers, none of which reaches into a match before.
fn by_looking(text: &str, stop: &[String], markers: &[String]) -> (String, Vec<Found>) {
    let (mut out, mut found, mut start) = (String::new(), Vec::new(), 0);
    let stops = stop.iter().enumerate().map(|(at, string)| (string, Found::Stop(at)));
    let all: Vec<_> = stops
        .chain(markers.iter().enumerate().map(|(at, string)| (string, Found::Marker(at))))
        .collect();
    for end in 0..=text.len() {
        let read = &text.as_bytes()[start..end];
        let here =
            all.iter().enumerate().filter(|(_, (string, _))| read.ends_with(string.as_bytes()));
        let longest = here.max_by_key(|(at, (string, _))| (string.len(), usize::MAX - at));
        if let Some((_, (string, what))) = longest {
            out.push_str(&text[start..end - string.len()]);
            found.push(*what);
            start = end;
            if let Found::Stop(_) = what {
                return (out, found);
            }
        }
    }
    out.push_str(&text[start..]);
    (out, found)
}
