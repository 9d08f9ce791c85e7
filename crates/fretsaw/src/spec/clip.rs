//! CLIP's `bpe_simple_vocab_16e6.txt` -> [`Spec`]: what the published tokenizer.json of CLIP says.
//!
//! Below a line with the version stand merges; those that the model was trained with are as many as
//! make 49,408 tokens with the bytes, the bytes at the end of a word, and two special tokens. Ids are
//! places in that order. Reading is linear in the file.
//!
//! Source: the list is cut as `SimpleTokenizer` of openai/CLIP cuts it; what is done to a text is that
//! of the published file, which leaves out the repairs (`ftfy`, HTML) of that class.

use std::sync::Arc;

use super::tiktoken::character;
use super::tokenizer_json::{split_merge, utf8};
use super::{
    AddedToken, Bpe, Decoder, Defaults, LazyModel, MergeList, Merges, Model, Normalizer, Pattern,
    PostProcessor, PreTokenizer, Spec, SplitBehavior, Vocab,
};
use crate::error::{LoadError, Place, Problem};

const END_OF_WORD: &str = "</w>";
const START: &str = "<|startoftext|>";
const END: &str = "<|endoftext|>";
const VERSION: &str = "#version: ";

/// How many merges count.
const MERGES: usize = 49_408 - 2 * 256 - 2;

/// How CLIP cuts its text.
pub const CLIP_WORDS: &str =
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";

/// Whether the first line names the file and its version, and the second is a merge.
pub(super) fn looks_like_clip(bytes: &[u8]) -> bool {
    const SHOWN_BYTES: usize = 1 << 10;
    let mut lines = bytes[..bytes.len().min(SHOWN_BYTES)].split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let is_named = first.windows(VERSION.len()).any(|part| part == VERSION.as_bytes());
    let second = lines.next().map(std::str::from_utf8);
    is_named && matches!(second, Some(Ok(merge)) if split_merge(merge).is_some())
}

/// Reads the list of merges.
///
/// # Errors
///
/// [`LoadError::Invalid`] with the line that is no merge, or where there are too few.
pub fn from_clip(bytes: &[u8]) -> Result<Spec, LoadError> {
    let text = utf8(bytes)?;
    let at = |line: usize, problem| LoadError::Invalid { place: Place::Line(line), problem };
    let mut merges = MergeList::new();
    for (index, line) in text.lines().enumerate().skip(1).take(MERGES) {
        let not_a_pair = || at(index + 1, Problem::MergeNotAPair { text: line.to_owned() });
        let (left, right) = split_merge(line).ok_or_else(not_a_pair)?;
        if !merges.push(left, right) {
            return Err(at(index + 1, too_long()));
        }
    }
    if merges.len() < MERGES {
        let value = format!("{} merges", merges.len());
        let problem = Problem::OutOfRange { value, expected: "48,894 merges or more" };
        return Err(LoadError::at("$", problem));
    }
    let (vocab, start, end) = vocab(&merges).ok_or_else(|| LoadError::at("$", too_long()))?;
    Ok(spec(vocab, merges, start, end))
}

fn too_long() -> Problem {
    Problem::TooMany { what: "bytes of merges", limit: u32::MAX as usize }
}

/// All tokens, and the ids of the last two, which are special.
fn vocab(merges: &MergeList) -> Option<(Vocab, u32, u32)> {
    let mut vocab = Vocab::new();
    let mut next = 0;
    let mut push = |token: &str| {
        next += 1;
        vocab.push(token, next - 1).then_some(next - 1)
    };
    // Bytes that stand for themselves come first.
    let stands_for_itself = |byte: &u8| character(*byte) == char::from(*byte);
    let bytes = (0..=255).filter(stands_for_itself);
    let bytes: Vec<u8> = bytes.chain((0..=255).filter(|byte| !stands_for_itself(byte))).collect();
    for end in ["", END_OF_WORD] {
        for &byte in &bytes {
            push(&format!("{}{end}", character(byte)))?;
        }
    }
    for (left, right) in merges.iter() {
        push(&format!("{left}{right}"))?;
    }
    let (start, end) = (push(START)?, push(END)?);
    Some((vocab, start, end))
}

fn spec(vocab: Vocab, merges: MergeList, start: u32, end: u32) -> Spec {
    let normalizer = Normalizer::Sequence(vec![
        Normalizer::Nfc,
        Normalizer::Replace { pattern: Pattern::Onig(r"\s+".into()), content: " ".into() },
        Normalizer::Lowercase,
    ]);
    let pre_tokenizer = PreTokenizer::Sequence(vec![
        PreTokenizer::Split {
            pattern: Pattern::Onig(CLIP_WORDS.into()),
            behavior: SplitBehavior::Removed,
            invert: true,
        },
        PreTokenizer::ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex: true },
    ]);
    Spec {
        added_tokens: vec![
            AddedToken { normalized: true, ..AddedToken::plain(START, start, true) },
            AddedToken::plain(END, end, true),
        ],
        added_later: Vec::new(),
        normalizer: Some(normalizer),
        pre_tokenizer: Some(pre_tokenizer),
        model: Arc::new(LazyModel::Now(Model::Bpe(Bpe {
            vocab,
            merges: Merges::Pairs(merges),
            dropout: None,
            unk_token: Some(END.into()),
            continuing_subword_prefix: Some(String::new()),
            end_of_word_suffix: Some(END_OF_WORD.into()),
            fuse_unk: false,
            byte_fallback: false,
            ignore_merges: false,
        }))),
        post_processor: Some(PostProcessor::Roberta {
            sep: (END.into(), end),
            cls: (START.into(), start),
            trim_offsets: false,
            add_prefix_space: false,
        }),
        decoder: Some(Decoder::ByteLevel {
            add_prefix_space: true,
            trim_offsets: true,
            use_regex: true,
        }),
        truncation: None,
        padding: None,
        chat_template: None,
        defaults: Defaults::HUGGING_FACE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "\"bpe_simple_vocab_16e6.txt#version: 0.2\n";

    #[test]
    fn the_first_merges_count() {
        // Any pairs do for the reader: whether they can merge is for the compiler to say.
        let mut text = HEAD.to_owned();
        (0..MERGES + 10).for_each(|at| text.push_str(&format!("a{at} b</w>\n")));
        assert!(looks_like_clip(text.as_bytes()));
        let spec = from_clip(text.as_bytes()).expect("merges");
        let Model::Bpe(model) = &**spec.model else { panic!("{:?}", spec.model) };
        assert_eq!((model.vocab.len(), model.vocab.get(0)), (49_408, Some(("!", 0))));
        assert_eq!(model.vocab.get(188), Some(("\u{100}", 188)));
        assert_eq!(model.vocab.get(256), Some(("!</w>", 256)));
        assert_eq!(model.vocab.get(512), Some(("a0b</w>", 512)));
        assert_eq!(spec.added_tokens[1].id, 49_407);
    }

    #[test]
    fn what_is_none() {
        assert!(!looks_like_clip(b"#version: 0.2\nab\n"));
        assert!(!looks_like_clip(b"a b\nc d\n"));
        for text in ["", HEAD, "\"x#version: 0.2\na b\nab\n"] {
            assert!(from_clip(text.as_bytes()).is_err(), "{text}");
        }
    }
}
