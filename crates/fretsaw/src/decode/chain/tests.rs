use std::io::Read;

use serde_json::{json, Value};

use super::{Chain, ChainState};
use crate::error::EncodeError;
use crate::spec;

/// The chain of a decoder as tokenizer.json writes it.
fn chain(decoder: &Value) -> Chain {
    let file = json!({
        "version": "1.0",
        "added_tokens": [],
        "decoder": decoder,
        "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"},
    });
    let spec = spec::from_json(file.to_string().as_bytes()).expect("a tokenizer.json");
    Chain::compile(spec.decoder.as_ref(), "decoder").expect("a decoder")
}

fn sequence(decoders: &[Value]) -> Chain {
    chain(&json!({"type": "Sequence", "decoders": decoders}))
}

fn literal(pattern: &str, content: &str) -> Value {
    json!({"type": "Replace", "pattern": {"String": pattern}, "content": content})
}

fn bare(kind: &str) -> Value {
    json!({"type": kind})
}

fn strip(start: usize, stop: usize) -> Value {
    json!({"type": "Strip", "content": " ", "start": start, "stop": stop})
}

fn byte_level() -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true})
}

/// What each push and then `finish` append, or that one fails.
fn try_chunks(chain: &Chain, tokens: &[&str]) -> Result<Vec<String>, EncodeError> {
    let mut state = ChainState::default();
    let mut chunks = Vec::new();
    for token in tokens {
        let mut out = String::new();
        chain.push(token, &mut state, &mut out)?;
        chunks.push(out);
    }
    let mut rest = String::new();
    chain.finish(&mut state, &mut rest)?;
    chunks.push(rest);
    Ok(chunks)
}

fn chunks(chain: &Chain, tokens: &[&str]) -> Vec<String> {
    try_chunks(chain, tokens).expect("settled")
}

fn try_whole(chain: &Chain, tokens: &[&str]) -> Result<String, EncodeError> {
    let mut out = String::new();
    chain.decode(tokens.iter().copied(), &mut out)?;
    Ok(out)
}

fn whole(chain: &Chain, tokens: &[&str]) -> String {
    try_whole(chain, tokens).expect("decoded")
}

/// Tokens and their text.
type Case = (Vec<String>, Option<String>);

/// Lines of `[decoder, [[tokens, text], ...]]`; the text is null where the oracle panics.
fn check(lines: &str) -> (usize, usize) {
    let (mut rows, mut panics) = (0, 0);
    for line in lines.lines() {
        let (decoder, cases): (Value, Vec<Case>) = serde_json::from_str(line).expect("a row");
        let chain = chain(&decoder);
        for (tokens, text) in cases {
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let got = try_whole(&chain, &tokens).ok();
            assert_eq!(got, text, "{decoder} {tokens:?}");
            let chunks = try_chunks(&chain, &tokens).map(|chunks| chunks.concat()).ok();
            assert_eq!(chunks, text, "{decoder} {tokens:?} by token");
            rows += 1;
            panics += usize::from(text.is_none());
        }
    }
    (rows, panics)
}

#[test]
fn texts_are_the_oracles() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/decode.jsonl.gz");
    let file = std::fs::File::open(path).expect("the golden file");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("gzip");
    let (rows, panics) = check(&lines);
    assert!(rows >= 600 && panics < rows / 10, "{rows} rows, {panics} without text");
}

#[test]
fn text_comes_as_soon_as_it_is_settled() {
    let llama = sequence(&[literal("▁", " "), bare("ByteFallback"), bare("Fuse"), strip(1, 0)]);
    let tokens = ["▁Hi", "▁you", "<0xC3>", "<0xA9>", "!", "<0xFF>", "<0x41>"];
    assert_eq!(chunks(&llama, &tokens), ["Hi", " you", "", "", "é!", "\u{FFFD}", "\u{FFFD}", ""]);

    let both = sequence(&[bare("Fuse"), strip(1, 2)]);
    let tokens = [" ", " a", " ", "  ", "b ", " "];
    assert_eq!(chunks(&both, &tokens), ["", " a", "", " ", "  b", "", ""]);

    let partial = sequence(&[bare("Fuse"), literal("aab", "-")]);
    let tokens = ["xa", "a", "a", "b", "aa", "c", "aa"];
    assert_eq!(chunks(&partial, &tokens), ["x", "", "a", "-", "", "aac", "", "aa"]);

    let twice = sequence(&[byte_level(), byte_level()]);
    let tokens = ["ab", "Ã©", "c", "d e", "Ã©"];
    assert_eq!(chunks(&twice, &tokens), ["ab", "", "", "écd e", "é", ""]);

    let bpe = chain(&json!({"type": "BPEDecoder", "suffix": "</w>"}));
    assert_eq!(chunks(&bpe, &["lo", "w</w>", "er</w>"]), ["lo", "w", " er", ""]);

    let word_piece = json!({"type": "WordPiece", "prefix": "##", "cleanup": true});
    let cleaned = sequence(&[bare("Fuse"), word_piece]);
    let tokens = ["I do", " not", " '", "s", " '", " x", " .", " "];
    let want = ["I", " don't", "", "'s", "", "'x", ".", "", " "];
    assert_eq!(chunks(&cleaned, &tokens), want);
}

#[test]
fn state_is_small_and_as_new_after_the_end() {
    assert!(std::mem::size_of::<ChainState>() < 1024);
    let decoders = [literal("a", "b"), bare("Fuse"), literal("bc", "d"), bare("ByteFallback")];
    let chain = sequence(&[&decoders[..]; 4].concat());
    let mut state = ChainState::default();
    for _ in 0..2 {
        let mut out = String::new();
        chain.push("a", &mut state, &mut out).expect("settled");
        assert_eq!(out, "");
        chain.finish(&mut state, &mut out).expect("settled");
        assert_eq!(out, "b");
    }
}

#[test]
fn what_the_oracle_can_not_do() {
    let strip = chain(&json!({"type": "Strip", "content": "é", "start": 2, "stop": 3}));
    assert_eq!(whole(&strip, &["ééééé", "éééééé", "a"]), "éa");
    for short in ["", "é", "ééé", "éééé"] {
        let error = EncodeError::NormalizerFails { normalizer: "Strip" };
        assert_eq!(try_whole(&strip, &["a", short]), Err(error.clone()), "{short:?}");
        assert_eq!(try_chunks(&strip, &["a", short]), Err(error), "{short:?}");
    }
    let most = usize::MAX;
    let strip = chain(&json!({"type": "Strip", "content": "é", "start": most, "stop": most}));
    assert_eq!(whole(&strip, &["éaé"]), "a");

    let too_many = spec::Decoder::Sequence(vec![spec::Decoder::Fuse; super::lower::MAX_STEPS + 1]);
    assert!(Chain::compile(Some(&too_many), "decoder").is_err());
    let most = spec::Decoder::Sequence(vec![spec::Decoder::Fuse; super::lower::MAX_STEPS]);
    let most = Chain::compile(Some(&most), "decoder").expect("not too many");
    assert_eq!(chunks(&most, &["a", "b"]), ["a", "b", ""]);
}

#[test]
fn an_error_leaves_the_state_as_new() {
    let regex = json!({"type": "Replace", "pattern": {"Regex": "(a|aa)+$"}, "content": "-"});
    let chain = sequence(&[literal("x", "y"), regex, bare("Fuse"), literal("-y", "z")]);
    let mut state = ChainState::default();
    let mut out = String::new();
    chain.push("aaa", &mut state, &mut out).expect("settled");
    let stubborn = format!("b{}c", "a".repeat(60));
    let error = chain.push(&stubborn, &mut state, &mut out).expect_err("too many steps");
    assert!(matches!(error, EncodeError::StepLimit { .. }));
    let mut whole = String::new();
    assert_eq!(chain.decode(["aaa", &stubborn, "x"], &mut whole), Err(error));
    out.clear();
    chain.push("x", &mut state, &mut out).expect("settled");
    chain.finish(&mut state, &mut out).expect("settled");
    assert_eq!(out, "y");
}
