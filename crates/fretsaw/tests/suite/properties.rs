//! Properties over random inputs, the same ones on every run.

use fretsaw::encoding::AddedSpan;
use fretsaw::{EncodeError, MatchPolicy, Pipeline, Settings, SpecialSet, StreamDecoder, Tokenizer};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::json;

use crate::data::{
    byte_level, byte_level_json, byte_vocabulary, gpt2, load, smollm2, special_token,
};
use crate::stream::by_steps;

fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(0x5EED),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Texts of words, white space, contractions, markers, and any character at all.
fn text() -> impl Strategy<Value = String> {
    let unit = prop_oneof![
        4 => "[a-zA-Z]{1,12}",
        2 => "[ \\n\\t\\r\u{A0}\u{3000}]{1,5}",
        2 => " [a-z]{1,8}",
        1 => "[0-9]{1,6}",
        1 => "'(s|t|re|ve|m|ll|d|S|x)",
        1 => "[!-/:-@]{1,4}",
        1 => Just("<|endoftext|>".to_owned()),
        1 => Just("<|im_start|>".to_owned()),
        1 => Just("<|im_".to_owned()),
        1 => "\\PC{1,8}",
        1 => any::<char>().prop_map(String::from),
        1 => ("[a-z ]", 1..200usize).prop_map(|(unit, count)| unit.repeat(count)),
    ];
    vec(unit, 0..30).prop_map(|units| units.concat())
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn decoding_gives_the_text_back(text in text(), anything in any::<String>()) {
        for text in [text, anything] {
            for special in [SpecialSet::all(), SpecialSet::none()] {
                let ids = gpt2().encode_with_special(&text, &special).unwrap();
                prop_assert_eq!(&gpt2().decode(&ids).unwrap(), &text);
                prop_assert_eq!(gpt2().decode_bytes(&ids).unwrap(), text.as_bytes());
            }
        }
    }

    #[test]
    fn a_second_encoding_equals_the_first(text in text()) {
        for tokenizer in [gpt2(), smollm2()] {
            prop_assert_eq!(tokenizer.encode(&text), tokenizer.encode(&text));
        }
    }

    #[test]
    fn no_special_id_where_none_is_allowed(text in text()) {
        for tokenizer in [gpt2(), smollm2()] {
            let ids = tokenizer.encode_with_special(&text, &SpecialSet::none()).unwrap();
            prop_assert!(!ids.iter().any(|&id| tokenizer.added_tokens().get(id).is_some_and(|token| token.special)));
        }
    }

    #[test]
    fn a_stream_equals_decoding_at_once(ids in vec(0..50_300u32, 0..60), few in vec(prop::sample::select(vec![447, 222, 47249, 50256, 64, 101, 140, 254]), 0..20)) {
        for ids in [ids, few] {
            for skip in [false, true] {
                let want = gpt2().decode_ids(&ids, skip).unwrap();
                prop_assert_eq!(by_steps(gpt2(), &ids, skip), want);
            }
            let known: Vec<u32> = ids.into_iter().filter(|&id| id < 50_257).collect();
            let mut stream = StreamDecoder::new(gpt2());
            let mut text = String::new();
            for &id in &known {
                text += &stream.push(id).unwrap();
                prop_assert!(stream.pending().len() <= 3);
            }
            text += &stream.finish().unwrap();
            prop_assert_eq!(text, gpt2().decode(&known).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn ids_do_not_depend_on_threads(texts in vec(text(), 1..60)) {
        // So often that the batch is long enough to be shared out.
        let texts: Vec<&String> = texts.iter().cycle().take(texts.len() * 40).collect();
        let want: Vec<Vec<u32>> = texts.iter().map(|text| gpt2().encode(text).unwrap()).collect();
        for threads in [0, 1, 2, 3, 4, 8] {
            let batch = gpt2().encode_batch(&texts, &SpecialSet::all(), true, &Settings::NONE, threads).unwrap();
            let got: Vec<Vec<u32>> = batch.into_iter().map(|encoding| encoding.ids).collect();
            prop_assert_eq!(&got, &want, "{} threads", threads);
        }
    }
}

/// An added token of the model below.
#[derive(Debug, Clone)]
struct Marker {
    content: String,
    single_word: bool,
    lstrip: bool,
    rstrip: bool,
    normalized: bool,
}

/// Added tokens by their definition: one stage for each kind, each the leftmost-longest of those
/// that may match, one after the other.
struct Naive<'a> {
    markers: &'a [Marker],
    special: &'a SpecialSet,
    trusted: Option<&'a [(usize, usize)]>,
}

/// A stretch of text and the marker that it is.
type Stretch = (usize, usize, Option<usize>);

impl Naive<'_> {
    /// The stretches of a text; `None` where a token lies inside white space that another took and
    /// so would end before it starts.
    fn cut(&self, text: &str) -> Option<Vec<Stretch>> {
        let mut stretches = Vec::new();
        for stretch in self.stage(text, (0, text.len()), false)? {
            match stretch {
                (start, end, None) => stretches.extend(self.stage(text, (start, end), true)?),
                marker => stretches.push(marker),
            }
        }
        Some(stretches)
    }

    fn stage(
        &self,
        text: &str,
        (from, to): (usize, usize),
        normalized: bool,
    ) -> Option<Vec<Stretch>> {
        let part = &text[from..to];
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let mut stretches = Vec::new();
        let (mut at, mut done) = (0, 0);
        while at < part.len() {
            let Some(index) = self.longest(part, from, at, normalized) else {
                at += 1;
                continue;
            };
            let marker = &self.markers[index];
            let (mut start, mut end) = (at, at + marker.content.len());
            at = end;
            let beside =
                word(part[..start].chars().next_back()) || word(part[end..].chars().next());
            if marker.single_word && beside {
                continue;
            }
            if marker.lstrip {
                start = part[..start].trim_end().len().max(done);
            }
            if marker.rstrip {
                end = part.len() - part[end..].trim_start().len();
            }
            if start > end {
                return None;
            }
            if done < start {
                stretches.push((from + done, from + start, None));
            }
            stretches.push((from + start, from + end, Some(index)));
            done = end;
        }
        stretches.push((from + done, to, None));
        stretches.retain(|&(start, end, _)| start < end);
        Some(stretches)
    }

    /// The longest marker of a stage that stands at `at` and may match there.
    fn longest(&self, part: &str, from: usize, at: usize, normalized: bool) -> Option<usize> {
        let may = |&index: &usize| {
            let marker = &self.markers[index];
            let (start, end) = (from + at, from + at + marker.content.len());
            let inside = |spans: &[(usize, usize)]| {
                spans.iter().any(|&(first, last)| first <= start && end <= last)
            };
            marker.normalized == normalized
                && part.as_bytes()[at..].starts_with(marker.content.as_bytes())
                && self.special.allows(&marker.content)
                && self.trusted.is_none_or(inside)
        };
        (0..self.markers.len()).filter(may).max_by_key(|&index| self.markers[index].content.len())
    }
}

/// Byte tokens, and `markers` behind them unless they are bytes themselves.
fn tokenizer_with(markers: &[Marker]) -> Pipeline {
    let mut json = byte_level_json(byte_level(true), byte_vocabulary().into(), json!([]));
    let added = markers.iter().enumerate().map(|(at, marker)| {
        let mut token = special_token(256 + at as u32, &marker.content);
        token["single_word"] = marker.single_word.into();
        token["lstrip"] = marker.lstrip.into();
        token["rstrip"] = marker.rstrip.into();
        token["normalized"] = marker.normalized.into();
        token
    });
    json["added_tokens"] = added.collect();
    load(&json)
}

fn markers() -> impl Strategy<Value = Vec<Marker>> {
    let flags = prop::array::uniform4(prop::bool::weighted(0.25));
    let marker = ("[ab<>é ]{1,4}", flags).prop_map(
        |(content, [single_word, lstrip, rstrip, normalized])| Marker {
            content,
            single_word,
            lstrip,
            rstrip,
            normalized,
        },
    );
    vec(marker, 1..6).prop_map(|mut markers| {
        markers.sort_by(|a, b| a.content.cmp(&b.content));
        markers.dedup_by(|a, b| a.content == b.content);
        markers
    })
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn added_tokens_equal_the_naive_model(
        markers in markers(),
        text in "[ab<>é \u{A0}_]{0,24}",
        chosen in prop::option::of(vec(any::<prop::sample::Index>(), 0..4)),
        spans in prop::option::of(vec((0..30usize, 0..30usize), 0..4)),
    ) {
        let tokenizer = tokenizer_with(&markers);
        let special = chosen.map_or(SpecialSet::All, |chosen| {
            let contents: Vec<&str> = chosen.iter().map(|at| at.get(&markers).content.as_str()).collect();
            SpecialSet::only(&contents)
        });
        // Spans end where characters do.
        let place = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap();
        let spans = spans.map(|spans| {
            spans.into_iter().map(|(a, b)| (place(a.min(b)), place(a.max(b)))).collect::<Vec<_>>()
        });
        let naive = Naive { markers: &markers, special: &special, trusted: spans.as_deref() };
        let policy = MatchPolicy { special: &special, trusted: spans.as_deref() };
        let Some(stretches) = naive.cut(&text) else {
            let got = tokenizer.encode_with(&text, policy, true, &Settings::NONE);
            let overlaps = matches!(got, Err(EncodeError::OverlappingAddedTokens { .. }));
            prop_assert!(overlaps, "{:?}", got);
            return Ok(());
        };
        // With spans the model makes no control ids: a byte that is a marker in the byte alphabet too,
        // which the space is not, leaves no trace.
        let is_marker = |byte: u8| {
            byte.is_ascii_graphic() && markers.iter().any(|marker| marker.content.as_bytes() == [byte])
        };
        let is_kept = |&byte: &u8| spans.is_none() || !is_marker(byte);
        let (mut ids, mut added) = (Vec::new(), Vec::new());
        for (start, end, marker) in stretches {
            match marker {
                Some(at) => {
                    added.push(AddedSpan { index: ids.len(), start, end });
                    ids.push(tokenizer.added_tokens().id_of(&markers[at].content).unwrap());
                }
                None => ids.extend(text[start..end].bytes().filter(is_kept).map(u32::from)),
            }
        }
        let got = tokenizer.encode_with(&text, policy, true, &Settings::NONE).unwrap();
        prop_assert_eq!(&got.ids, &ids);
        prop_assert_eq!(&got.added, &added);
    }
}
