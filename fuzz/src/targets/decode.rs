//! `decode`: any ids under any decoder, special tokens kept or skipped, against the oracle's decoders
//! written again; and step by step.

use std::sync::Arc;

use fretsaw::spec::{
    AddedToken, Decoder, LazyModel, Model, Pattern, PrependScheme, Vocab, WordLevel,
};
use fretsaw::{compile, DecodeState, Pipeline};

use crate::book::decoders::decode;
use crate::draw::Draw;

const UNITS: [&str; 32] = [
    "a", "b", "the", "é", "Ã", "©", "Ġ", "Ċ", "\u{143}", "\u{2581}", "<0x41>", "<0xC3>", "<0xA9>",
    "<0xff>", "<0x+1>", "##", " ", ".", " .", "!", "n't", " n't", "'s", " do not", "</w>", "|",
    "<pad>", "😀", "ð", "Ł", "\u{FFFD}", "",
];

/// The strings of ids 0 and on; behind them come two added tokens, the first of which is special.
pub struct Tokens {
    pub strings: Vec<String>,
    pub special: u32,
}

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let decoder = (!draw.one_in(16)).then(|| any_decoder(draw, 0));
    let (pipeline, tokens) = tokenizer(draw, decoder.clone())?;
    let ids = draw.list(40, |draw| draw.below(tokens.strings.len() + 2) as u32);
    for skip in [false, true] {
        let kept = ids.iter().filter(|&&id| !(skip && id == tokens.special));
        let strings: Vec<String> =
            kept.filter_map(|&id| tokens.strings.get(id as usize).cloned()).collect();
        let whole = pipeline.decode_ids(&ids, skip);
        if let Some(known) = decode(decoder.as_ref(), strings) {
            assert_eq!(whole.as_deref(), Ok(&*known), "{decoder:?} {ids:?} {:?}", tokens.strings);
        }
        assert_eq!(
            by_steps(&pipeline, &ids, skip),
            whole.ok(),
            "{decoder:?} {ids:?} {:?}",
            tokens.strings
        );
    }
    Some(())
}

/// What a stream gives, all chunks together.
pub fn by_steps(pipeline: &Pipeline, ids: &[u32], skip: bool) -> Option<String> {
    let (mut state, mut text) = (DecodeState::default(), String::new());
    for &id in ids {
        pipeline.decode_ids_step(&mut state, id, skip, &mut text).ok()?;
    }
    pipeline.decode_ids_finish(&mut state, &mut text).ok()?;
    Some(text)
}

/// A tokenizer of some strings with this decoder.
pub fn tokenizer(draw: &mut Draw<'_>, decoder: Option<Decoder>) -> Option<(Pipeline, Tokens)> {
    let mut strings: Vec<String> = Vec::new();
    for string in draw.list(24, |draw| draw.text_of(&UNITS, 4)) {
        if !strings.contains(&string) {
            strings.push(string);
        }
    }
    let mut vocab = Vocab::new();
    assert!(strings.iter().zip(0..).all(|(string, id)| vocab.push(string, id)));
    let special = strings.len() as u32;
    let added = [
        AddedToken::plain("<|special|>", special, true),
        AddedToken::plain("Ġ<added>", special + 1, false),
    ];
    strings.extend(added.iter().map(|token| token.content.clone()));
    let mut spec = fretsaw::spec::from_json(
        br#"{"model": {"type": "WordLevel", "vocab": {}, "unk_token": ""}}"#,
    )
    .ok()?;
    spec.model =
        Arc::new(LazyModel::Now(Model::WordLevel(WordLevel { vocab, unk_token: String::new() })));
    spec.added_tokens = added.to_vec();
    spec.decoder = decoder;
    Some((compile(spec).ok()?, Tokens { strings, special }))
}

/// Some decoder, or several.
pub fn any_decoder(draw: &mut Draw<'_>, depth: usize) -> Decoder {
    let text = |draw: &mut Draw<'_>| draw.text_of(&UNITS, 2);
    let flag = |draw: &mut Draw<'_>| draw.one_in(2);
    match draw.below(if depth < 2 { 10 } else { 9 }) {
        0 => Decoder::ByteLevel {
            add_prefix_space: flag(draw),
            trim_offsets: flag(draw),
            use_regex: flag(draw),
        },
        1 => Decoder::ByteFallback,
        2 => Decoder::Fuse,
        3 => Decoder::Bpe { suffix: text(draw) },
        4 => Decoder::WordPiece { prefix: text(draw), cleanup: flag(draw) },
        5 => Decoder::Metaspace {
            replacement: *draw.pick(&['\u{2581}', 'a', ' ']),
            prepend_scheme: *draw.pick(&[
                PrependScheme::Always,
                PrependScheme::Never,
                PrependScheme::First,
            ]),
            split: flag(draw),
        },
        6 => Decoder::Replace { pattern: Pattern::Literal(text(draw)), content: text(draw) },
        7 => Decoder::Strip {
            content: *draw.pick(&[' ', 'a', '\u{2581}']),
            start: draw.below(3),
            stop: draw.below(3),
        },
        8 => Decoder::Ctc {
            pad_token: text(draw),
            word_delimiter_token: text(draw),
            cleanup: flag(draw),
        },
        _ => {
            let count = 1 + draw.below(4);
            Decoder::Sequence((0..count).map(|_| any_decoder(draw, depth + 1)).collect())
        }
    }
}
