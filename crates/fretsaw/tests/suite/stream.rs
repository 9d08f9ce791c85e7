//! Decoding id by id.

use fretsaw::{ByteTokenizer, DecodeError, DecodeState, Pipeline, StreamDecoder, Tokenizer};

use crate::data::{golden_ids, golden_strings, gpt2, smollm2};

/// The chunks of a stream and what `finish` gives, with at most 3 bytes held back.
fn chunks<T: Tokenizer>(tokenizer: &T, ids: &[u32]) -> Vec<String> {
    let mut stream = StreamDecoder::new(tokenizer);
    let mut chunks = Vec::new();
    for &id in ids {
        chunks.push(stream.push(id).unwrap());
        assert!(stream.pending().len() <= 3, "{ids:?}");
    }
    chunks.push(stream.finish().unwrap());
    chunks
}

#[test]
fn stream_decoder_holds_back_partial_characters() {
    assert_eq!(chunks(gpt2(), &[47249, 222]), ["", "😀", ""]);
    assert_eq!(chunks(gpt2(), &[47249]), ["", "\u{FFFD}"]);
    assert_eq!(chunks(gpt2(), &[47249, 64]), ["", "\u{FFFD}a", ""]);
    let mut stream = StreamDecoder::new(gpt2());
    assert_eq!(stream.push(47249).unwrap(), "");
    assert_eq!(stream.pending(), [0xF0, 0x9F, 0x98]);
    assert_eq!(stream.push(222).unwrap(), "😀");
    assert!(stream.pending().is_empty());
    assert_eq!(
        chunks(&ByteTokenizer, &[0xC3, 0xA9, 0xFF, 0xE2, 0x82]),
        ["", "é", "\u{FFFD}", "", "", "\u{FFFD}"]
    );
    assert_eq!(chunks(&ByteTokenizer, &[0x61, 0x62]), ["a", "b", ""]);
}

#[test]
fn an_unknown_id_is_an_error_and_leaves_the_stream_as_it_was() {
    let mut stream = StreamDecoder::new(gpt2());
    assert_eq!(stream.push(47249).unwrap(), "");
    let error = DecodeError::UnknownId { id: 50_257, vocab_size: 50_257 };
    assert_eq!(stream.push(50_257), Err(error));
    assert_eq!(stream.push(222).unwrap(), "😀");
    // A finished stream starts from nothing.
    assert_eq!(stream.push(47249).unwrap(), "");
    assert_eq!(stream.finish().unwrap(), "\u{FFFD}");
    assert_eq!(stream.push(222).unwrap(), "\u{FFFD}");
}

#[test]
fn stream_equals_decode_on_golden() {
    for (tokenizer, name) in [(gpt2(), "gpt2"), (smollm2(), "smollm2")] {
        for (ids, text) in golden_ids(name).iter().zip(golden_strings()).step_by(5) {
            let want = tokenizer.decode(ids).unwrap();
            assert_eq!(chunks(tokenizer, ids).concat(), want, "{text:?}");
            for skip in [false, true] {
                let want = tokenizer.decode_ids(ids, skip).unwrap();
                assert_eq!(by_steps(tokenizer, ids, skip), want, "{text:?}");
            }
        }
    }
}

/// The text of a stream that passes over special tokens and unknown ids.
pub fn by_steps(tokenizer: &Pipeline, ids: &[u32], skip_special_tokens: bool) -> String {
    let (mut state, mut text) = (DecodeState::default(), String::new());
    for &id in ids {
        tokenizer.decode_ids_step(&mut state, id, skip_special_tokens, &mut text).unwrap();
    }
    state.finish(&mut text);
    text
}
