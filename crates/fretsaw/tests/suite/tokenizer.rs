//! Whole tokenizers: bytes, added tokens, many texts at once.

use fretsaw::{
    ByteTokenizer, DecodeError, EncodeError, MatchPolicy, Settings, SpecialSet, Tokenizer,
};

use serde_json::json;

use crate::data::{
    byte_level, byte_level_json, byte_vocabulary, golden_strings, gpt2, load, smollm2,
    special_token,
};

#[test]
fn byte_tokenizer_is_the_identity() {
    let all: Vec<u32> = (0..256).collect();
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(ByteTokenizer.vocab_size(), 256);
    assert_eq!(ByteTokenizer.decode_bytes(&all).unwrap(), bytes);
    for id in 0..=255u8 {
        assert_eq!(ByteTokenizer.token_bytes(u32::from(id)), Some(&[id][..]));
    }
    for id in [256, 257, 65_536, u32::MAX] {
        assert_eq!(ByteTokenizer.token_bytes(id), None);
        assert_eq!(
            ByteTokenizer.decode(&[id]),
            Err(DecodeError::UnknownId { id, vocab_size: 256 })
        );
    }
    assert_eq!(ByteTokenizer.encode("é\0😀").unwrap(), [0xC3, 0xA9, 0, 0xF0, 0x9F, 0x98, 0x80]);
    assert!(ByteTokenizer.encode("").unwrap().is_empty());
    assert_eq!(ByteTokenizer.decode(&[0xFF]).unwrap(), "\u{FFFD}");
    assert_eq!(ByteTokenizer.decode(&[0x61, 0xE2, 0x82, 0x62]).unwrap(), "a\u{FFFD}b");
    for text in golden_strings().iter().take(500) {
        let ids = ByteTokenizer.encode(text).unwrap();
        assert_eq!(ByteTokenizer.decode(&ids).unwrap(), *text);
    }
}

#[test]
fn added_tokens_are_matched_first() {
    let tokenizer = smollm2();
    let (start, end) = (1, 2);
    let text = "<|im_start|>user\nHi<|im_end|>\n";
    let ids = tokenizer.encode(text).unwrap();
    assert_eq!((ids[0], ids[ids.len() - 2]), (start, end));
    assert_eq!(tokenizer.decode(&ids).unwrap(), text);
    assert_eq!(tokenizer.decode_ids(&ids, true).unwrap(), "user\nHi\n");
    let pieces = ["user\nHi", "\n"].map(|piece| tokenizer.encode(piece).unwrap());
    assert_eq!(ids, [&[start], &pieces[0][..], &[end], &pieces[1][..]].concat());

    let none = tokenizer.encode_with_special(text, &SpecialSet::none()).unwrap();
    assert!(!none.contains(&start) && !none.contains(&end), "{none:?}");
    assert_eq!(tokenizer.decode(&none).unwrap(), text);

    let only = tokenizer.encode_with_special(text, &SpecialSet::only(&["<|im_end|>"])).unwrap();
    assert!(!only.contains(&start) && only.contains(&end), "{only:?}");
    assert_eq!(tokenizer.decode(&only).unwrap(), text);

    let error = tokenizer.encode_with_special(text, &SpecialSet::Error).unwrap_err();
    assert_eq!(
        error,
        EncodeError::SpecialTokenInText { token: "<|im_start|>".into(), byte_offset: 0 }
    );
    assert_eq!(gpt2().encode("<|endoftext|>").unwrap(), [50_256]);
    assert_eq!(gpt2().encode("<|endoftext").unwrap(), [27, 91, 437, 1659, 5239]);
    let forged = gpt2().encode_with_special("<|endoftext|>", &SpecialSet::none()).unwrap();
    assert_eq!(forged, [27, 91, 437, 1659, 5239, 91, 29]);
}

/// A vocabulary that can spell its special token out of merges, or has it as a whole piece.
#[test]
fn no_text_yields_a_special_token_where_none_is_allowed() {
    for ignore_merges in [false, true] {
        let mut vocab = byte_vocabulary();
        for (token, id) in [("<s", 256), ("<s>", 257), ("x<s>", 258)] {
            vocab.insert(token.into(), id.into());
        }
        let merges = json!([["<", "s"], ["<s", ">"], ["x", "<s>"]]);
        let mut json = byte_level_json(byte_level(false), vocab.into(), merges);
        json["added_tokens"] = json!([special_token(257, "<s>")]);
        json["model"]["ignore_merges"] = ignore_merges.into();
        let tokenizer = load(&json);
        assert_eq!(tokenizer.encode("<s>").unwrap(), [257]);
        assert_eq!(tokenizer.encode("x<s>").unwrap(), [u32::from(b'x'), 257]);
        for text in ["<s>", "a<s>", "<s><s>", "x<s>"] {
            let ids = tokenizer.encode_with_special(text, &SpecialSet::none()).unwrap();
            assert!(!ids.contains(&257), "{text}: {ids:?}");
            assert_eq!(tokenizer.decode(&ids).unwrap(), text);
        }
        let none = tokenizer.encode_with_special("<s>", &SpecialSet::none()).unwrap();
        assert_eq!(none, [256, u32::from(b'>')]);
    }
}

/// The filter acts in the search: an overlap that is not trusted hides none that is.
#[test]
fn trusted_spans_limit_where_tokens_match() {
    let mut json = byte_level_json(byte_level(true), byte_vocabulary().into(), json!([]));
    json["added_tokens"] =
        json!([special_token(256, "<a>"), special_token(257, "x<a"), special_token(258, "<a><b>")]);
    let tokenizer = load(&json);
    let all = SpecialSet::all();
    let ids = |text: &str, spans: &[(usize, usize)]| {
        let policy = MatchPolicy { special: &all, trusted: Some(spans) };
        tokenizer.encode_with(text, policy, true, &Settings::NONE).unwrap().ids
    };
    let byte = |byte: u8| u32::from(byte);
    assert_eq!(ids("x<a>", &[]), b"x<a>".map(byte));
    assert_eq!(ids("x<a>", &[(0, 4)]), [257, byte(b'>')], "leftmost");
    assert_eq!(ids("x<a>", &[(1, 4)]), [byte(b'x'), 256]);
    assert_eq!(ids("x<a>", &[(2, 4)]), b"x<a>".map(byte));
    assert_eq!(ids("<a><b>", &[(0, 6)]), [258], "longest");
    assert_eq!(ids("<a><b>", &[(0, 5)]), [256, byte(b'<'), byte(b'b'), byte(b'>')]);
    assert_eq!(ids("<a><b>", &[(0, 2), (2, 6)]), b"<a><b>".map(byte), "wholly inside one span");
}

/// White space that `rstrip` took may hold a token of white space: nothing is left of that one.
#[test]
fn an_added_token_inside_taken_white_space_is_none() {
    let mut json = byte_level_json(byte_level(true), byte_vocabulary().into(), json!([]));
    json["added_tokens"] = json!([special_token(256, " ")]);
    for flag in ["lstrip", "rstrip"] {
        json["added_tokens"][0][flag] = true.into();
    }
    let tokenizer = load(&json);
    let (a, b) = (u32::from(b'a'), u32::from(b'b'));
    assert_eq!(tokenizer.encode("a b").unwrap(), [a, 256, b]);
    assert_eq!(tokenizer.encode("a   b").unwrap(), [a, 256, b]);
    assert_eq!(tokenizer.encode("   ").unwrap(), [256]);
}

/// A space is put in front of text, not of nothing.
#[test]
fn an_empty_text_has_no_ids() {
    let mut json = byte_level_json(byte_level(true), byte_vocabulary().into(), json!([]));
    json["pre_tokenizer"]["add_prefix_space"] = true.into();
    let tokenizer = load(&json);
    assert!(tokenizer.encode("").unwrap().is_empty());
    assert_eq!(tokenizer.encode("a").unwrap(), [32, 97]);
    assert_eq!(tokenizer.encode(" a").unwrap(), [32, 97]);
    assert_eq!(tokenizer.encode("\u{A0}").unwrap(), [32, 0xC2, 0xA0]);
}

/// 997 texts, together long enough that they are shared out among threads.
fn many_texts() -> Vec<String> {
    let texts: Vec<String> =
        golden_strings().chunks_exact(10).take(997).map(|few| few.concat()).collect();
    assert_eq!(texts.len(), 997);
    assert!(texts.iter().map(String::len).sum::<usize>() > 200_000);
    texts
}

const THREADS: [usize; 6] = [0, 1, 2, 3, 4, 8];

#[test]
fn encode_batch_equals_serial_encode() {
    let texts = many_texts();
    for tokenizer in [gpt2(), smollm2()] {
        for special in [SpecialSet::all(), SpecialSet::none()] {
            let encode = |text: &String| tokenizer.encode_with_special(text, &special).unwrap();
            let want: Vec<Vec<u32>> = texts.iter().map(encode).collect();
            let starts = want.iter().scan(0, |end, ids| {
                *end += ids.len() as i64;
                Some(*end)
            });
            let want_flat = (want.concat(), [0].into_iter().chain(starts).collect::<Vec<i64>>());
            for threads in THREADS {
                let got = tokenizer
                    .encode_batch(&texts, &special, true, &Settings::NONE, threads)
                    .unwrap();
                let got: Vec<Vec<u32>> = got.into_iter().map(|encoding| encoding.ids).collect();
                assert!(got == want, "{threads} threads");
                let flat = tokenizer
                    .encode_batch_flat(&texts, &special, true, &Settings::NONE, threads)
                    .unwrap();
                assert!(flat == want_flat, "{threads} threads");
            }
        }
    }
    for threads in THREADS {
        assert_eq!(
            gpt2()
                .encode_batch::<&str>(&[], &SpecialSet::all(), true, &Settings::NONE, threads)
                .unwrap(),
            []
        );
        let empty = gpt2()
            .encode_batch_flat(&["", ""], &SpecialSet::all(), true, &Settings::NONE, threads)
            .unwrap();
        assert_eq!(empty, (vec![], vec![0, 0, 0]));
    }
}

#[test]
fn decode_batch_equals_serial_decode() {
    let encode = |text: &String| gpt2().encode(text).unwrap();
    let batch: Vec<Vec<u32>> = many_texts().iter().map(encode).collect();
    for skip in [false, true] {
        let decode = |ids: &Vec<u32>| gpt2().decode_ids(ids, skip).unwrap();
        let want: Vec<String> = batch.iter().map(decode).collect();
        for threads in THREADS {
            assert!(gpt2().decode_batch(&batch, skip, threads).unwrap() == want, "{threads}");
        }
    }
}

/// Of several errors the first text's is returned, whatever the threads.
#[test]
fn a_batch_reports_its_first_error() {
    let fine = "fine ".repeat(100);
    let mut texts = vec![fine.as_str(); 200];
    (texts[70], texts[72], texts[150]) = ("a<|endoftext|>", "<|endoftext|>", "<|endoftext|>");
    let error = EncodeError::SpecialTokenInText { token: "<|endoftext|>".into(), byte_offset: 1 };
    for threads in THREADS {
        let batch = gpt2().encode_batch(&texts, &SpecialSet::Error, true, &Settings::NONE, threads);
        assert_eq!(batch.unwrap_err(), (70, error.clone()));
        let flat =
            gpt2().encode_batch_flat(&texts, &SpecialSet::Error, true, &Settings::NONE, threads);
        assert_eq!(flat.unwrap_err(), (70, error.clone()));
    }
}
