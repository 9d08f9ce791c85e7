//! What the components around the model may look like.

use super::{load, with};
use crate::spec::{
    Decoder, Normalizer, Pattern, PostProcessor, PreTokenizer, PrependScheme, SplitBehavior,
    TemplatePiece, TemplateToken,
};

#[test]
fn normalizers() {
    let bert = |strip_accents| Normalizer::Bert {
        clean_text: true,
        handle_chinese_chars: false,
        strip_accents,
        lowercase: true,
    };
    let replace = |pattern| Normalizer::Replace { pattern, content: "b".to_owned() };
    let cases = [
        (r#"{"type":"NFC"}"#, Normalizer::Nfc),
        (r#"{"type":"NFD"}"#, Normalizer::Nfd),
        (r#"{"type":"NFKC"}"#, Normalizer::Nfkc),
        (r#"{"type":"NFKD","more":1}"#, Normalizer::Nfkd),
        (r#"{"type":"Lowercase"}"#, Normalizer::Lowercase),
        (r#"{"type":"StripAccents"}"#, Normalizer::StripAccents),
        (r#"{"type":"Nmt"}"#, Normalizer::Nmt),
        (r#"{"type":"ByteLevel"}"#, Normalizer::ByteLevel),
        (r#"{"type":{"NFC":null}}"#, Normalizer::Nfc),
        (r#"["NFC"]"#, Normalizer::Nfc),
        (
            r#"{"type":"Strip","strip_left":true,"strip_right":false}"#,
            Normalizer::Strip { left: true, right: false },
        ),
        // A field that stands twice counts as the last says.
        (
            r#"{"type":"Strip","strip_left":7,"strip_right":false,"strip_left":true}"#,
            Normalizer::Strip { left: true, right: false },
        ),
        // The kinds that do not look at their type.
        (
            r#"{"type":"Other","strip_left":true,"strip_right":false}"#,
            Normalizer::Strip { left: true, right: false },
        ),
        (r#"[true,false]"#, Normalizer::Strip { left: true, right: false }),
        (r#"{"prepend":"_"}"#, Normalizer::Prepend { prepend: "_".to_owned() }),
        (
            r#"{"type":"Bert","clean_text":true,"handle_chinese_chars":false,"lowercase":true}"#,
            bert(None),
        ),
        (
            r#"{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":false,
                "strip_accents":false,"lowercase":true}"#,
            bert(Some(false)),
        ),
        (
            r#"{"type":"Replace","pattern":{"String":"a"},"content":"b"}"#,
            replace(Pattern::Literal("a".to_owned())),
        ),
        (
            r#"{"type":"Replace","pattern":{"Regex":"a+"},"content":"b"}"#,
            replace(Pattern::Onig("a+".to_owned())),
        ),
        (
            r#"{"type":"Precompiled","precompiled_charsmap":"AAAAAGE="}"#,
            Normalizer::Precompiled { charsmap: vec![0, 0, 0, 0, b'a'] },
        ),
        (
            r#"{"type":"Sequence","normalizers":[{"type":"NFC"},["Nmt"]]}"#,
            Normalizer::Sequence(vec![Normalizer::Nfc, Normalizer::Nmt]),
        ),
    ];
    for (text, normalizer) in cases {
        assert_eq!(load(&with("normalizer", text)).normalizer, Some(normalizer), "{text}");
    }
    assert_eq!(load(&with("normalizer", "null")).normalizer, None);
}

#[test]
fn pre_tokenizers() {
    let metaspace =
        |prepend_scheme, split| PreTokenizer::Metaspace {
            replacement: '▁', prepend_scheme, split
        };
    let cases = [
        (r#"{"type":"BertPreTokenizer"}"#, PreTokenizer::Bert),
        (r#"{"type":"Whitespace"}"#, PreTokenizer::Whitespace),
        (r#"{"type":"WhitespaceSplit"}"#, PreTokenizer::WhitespaceSplit),
        (r#"{"type":"UnicodeScripts"}"#, PreTokenizer::UnicodeScripts),
        (
            r#"{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":false}"#,
            PreTokenizer::ByteLevel {
                add_prefix_space: true,
                trim_offsets: false,
                use_regex: true,
            },
        ),
        (
            r#"{"type":"CharDelimiterSplit","delimiter":"é"}"#,
            PreTokenizer::CharDelimiterSplit { delimiter: 'é' },
        ),
        (
            r#"{"type":"Digits","individual_digits":true}"#,
            PreTokenizer::Digits { individual_digits: true },
        ),
        (r#"{"type":"FixedLength"}"#, PreTokenizer::FixedLength { length: 5 }),
        (r#"{"type":"FixedLength","length":3}"#, PreTokenizer::FixedLength { length: 3 }),
        (r#"{"type":"Metaspace","replacement":"▁"}"#, metaspace(PrependScheme::Always, true)),
        (
            r#"{"type":"Metaspace","replacement":"▁","add_prefix_space":true,"str_rep":"▁"}"#,
            metaspace(PrependScheme::Always, true),
        ),
        (
            r#"{"type":"Metaspace","replacement":"▁","add_prefix_space":true,
                "prepend_scheme":"first","split":false}"#,
            metaspace(PrependScheme::First, false),
        ),
        (
            r#"{"type":"Metaspace","replacement":"▁","add_prefix_space":false,
                "prepend_scheme":"never","split":null}"#,
            metaspace(PrependScheme::Never, true),
        ),
        (r#"["Metaspace","▁",null,"first",false,null]"#, metaspace(PrependScheme::First, false)),
        (
            r#"{"type":"Punctuation"}"#,
            PreTokenizer::Punctuation { behavior: SplitBehavior::Isolated },
        ),
        (
            r#"{"type":"Punctuation","behavior":{"Contiguous":null}}"#,
            PreTokenizer::Punctuation { behavior: SplitBehavior::Contiguous },
        ),
        (
            r#"{"type":"Split","pattern":{"Regex":"a"},"behavior":"MergedWithNext","invert":true}"#,
            PreTokenizer::Split {
                pattern: Pattern::Onig("a".to_owned()),
                behavior: SplitBehavior::MergedWithNext,
                invert: true,
            },
        ),
        (
            r#"{"type":"Sequence","pretokenizers":[{"type":"Whitespace"}]}"#,
            PreTokenizer::Sequence(vec![PreTokenizer::Whitespace]),
        ),
    ];
    for (text, pre_tokenizer) in cases {
        assert_eq!(load(&with("pre_tokenizer", text)).pre_tokenizer, Some(pre_tokenizer), "{text}");
    }
}

#[test]
fn post_processors() {
    let token = |text: &str, id| (text.to_owned(), id);
    let roberta = PostProcessor::Roberta {
        sep: token("b", 2),
        cls: token("a", 1),
        trim_offsets: true,
        add_prefix_space: false,
    };
    let cases = [
        (
            r#"{"type":"BertProcessing","sep":["b",2],"cls":["a",1]}"#,
            PostProcessor::Bert { sep: token("b", 2), cls: token("a", 1) },
        ),
        (
            r#"{"type":"RobertaProcessing","sep":["b",2],"cls":["a",1],"trim_offsets":true,
                "add_prefix_space":false}"#,
            roberta.clone(),
        ),
        // The fields decide, not the type.
        (
            r#"{"type":"BertProcessing","sep":["b",2],"cls":["a",1],"trim_offsets":true,
                "add_prefix_space":false}"#,
            roberta,
        ),
        (
            r#"{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":false}"#,
            PostProcessor::ByteLevel {
                add_prefix_space: true,
                trim_offsets: false,
                use_regex: true,
            },
        ),
        (
            r#"{"type":"TemplateProcessing",
                "single":[{"SpecialToken":{"id":"S","type_id":3}},
                          {"Sequence":{"id":"A","type_id":0}}],
                "pair":[{"Sequence":["B",1]}],
                "special_tokens":{"T":{"id":"x","ids":[],"tokens":[]},
                                  "S":{"id":"y","ids":[7,8],"tokens":["p","q"]}}}"#,
            PostProcessor::Template {
                single: vec![
                    TemplatePiece::SpecialToken { id: "S".to_owned(), type_id: 3 },
                    TemplatePiece::Sequence { id: 0, type_id: 0 },
                ],
                pair: vec![TemplatePiece::Sequence { id: 1, type_id: 1 }],
                special_tokens: vec![
                    TemplateToken {
                        id: "S".to_owned(),
                        ids: vec![7, 8],
                        tokens: vec!["p".to_owned(), "q".to_owned()],
                    },
                    TemplateToken { id: "T".to_owned(), ids: vec![], tokens: vec![] },
                ],
            },
        ),
        (r#"{"type":"Sequence","processors":[]}"#, PostProcessor::Sequence(vec![])),
    ];
    for (text, post_processor) in cases {
        assert_eq!(
            load(&with("post_processor", text)).post_processor,
            Some(post_processor),
            "{text}"
        );
    }
}

#[test]
fn decoders() {
    let suffix = Decoder::Bpe { suffix: "</w>".to_owned() };
    let cases = [
        (r#"{"type":"BPEDecoder","suffix":"</w>"}"#, suffix.clone()),
        (r#"{"suffix":"</w>"}"#, suffix),
        (r#"{"type":"ByteFallback"}"#, Decoder::ByteFallback),
        (r#"{"type":"Fuse"}"#, Decoder::Fuse),
        // The first kind whose fields fit: a suffix is a string.
        (r#"["Fuse"]"#, Decoder::Bpe { suffix: "Fuse".to_owned() }),
        (
            r#"{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":false}"#,
            Decoder::ByteLevel { add_prefix_space: true, trim_offsets: true, use_regex: false },
        ),
        (
            r#"{"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true}"#,
            Decoder::Ctc {
                pad_token: "<pad>".to_owned(),
                word_delimiter_token: "|".to_owned(),
                cleanup: true,
            },
        ),
        (
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"never"}"#,
            Decoder::Metaspace {
                replacement: '▁',
                prepend_scheme: PrependScheme::Never,
                split: true,
            },
        ),
        (
            r#"{"type":"Replace","pattern":{"String":"▁"},"content":" "}"#,
            Decoder::Replace {
                pattern: Pattern::Literal("▁".to_owned()), content: " ".to_owned()
            },
        ),
        (
            r#"{"type":"Strip","content":" ","start":1,"stop":0}"#,
            Decoder::Strip { content: ' ', start: 1, stop: 0 },
        ),
        (
            r###"{"type":"WordPiece","prefix":"##","cleanup":false}"###,
            Decoder::WordPiece { prefix: "##".to_owned(), cleanup: false },
        ),
        (
            r#"{"type":"Sequence","decoders":[{"type":"Fuse"}]}"#,
            Decoder::Sequence(vec![Decoder::Fuse]),
        ),
    ];
    for (text, decoder) in cases {
        assert_eq!(load(&with("decoder", text)).decoder, Some(decoder), "{text}");
    }
}
