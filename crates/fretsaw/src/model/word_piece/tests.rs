//! Against a twin that does what the oracle does, slowly; what the oracle itself says stands in
//! `model/golden_tests.rs`.

use super::*;
use crate::draws::draws;
use crate::spec::Vocab;

fn model(tokens: &[String], prefix: &str, max_chars: usize) -> WordPiece {
    let mut vocab = Vocab::new();
    for (id, token) in tokens.iter().enumerate() {
        assert!(vocab.push(token, id as u32));
    }
    let spec = spec::WordPiece {
        vocab,
        unk_token: "[UNK]".to_owned(),
        continuing_subword_prefix: prefix.to_owned(),
        max_input_chars_per_word: max_chars,
    };
    WordPiece::new(Vocabulary::build(&spec.vocab, "vocab").unwrap(), &spec).unwrap()
}

fn owned(tokens: &[&str]) -> Vec<String> {
    tokens.iter().map(|&token| token.to_owned()).collect()
}

/// Ids and spans.
type Tokens = (Vec<u32>, Vec<(u32, u32)>);

fn encode(model: &WordPiece, word: &str) -> Result<Tokens, EncodeError> {
    let (mut ids, mut spans) = (Vec::new(), Vec::new());
    let mut scratch = WordPieceScratch::default();
    model.encode_with_spans(word.as_bytes(), &mut scratch, &mut ids, &mut spans)?;
    Ok((ids, spans))
}

/// Longest match by looking up every beginning of the rest.
fn naive(model: &WordPiece, prefix: &str, word: &str) -> Option<Vec<u32>> {
    let unknown = model.vocabulary.id(b"[UNK]");
    if word.chars().count() > model.max_chars {
        return unknown.map(|id| vec![id]);
    }
    let (mut ids, mut start) = (Vec::new(), 0);
    while start < word.len() {
        let ends = (start + 1..=word.len()).rev().filter(|&end| word.is_char_boundary(end));
        let spelled = |end| [if start > 0 { prefix } else { "" }, &word[start..end]].concat();
        let found = ends
            .into_iter()
            .find_map(|end| Some((model.vocabulary.id(spelled(end).as_bytes())?, end)));
        let Some((id, end)) = found else { return unknown.map(|id| vec![id]) };
        ids.push(id);
        start = end;
    }
    Some(ids)
}

#[test]
fn random_vocabularies_and_words() {
    let chars = ["a", "b", "#", "é", "日"];
    let mut random = draws(1);
    for round in 0..3000 {
        let prefix = ["##", "#", "", "a", "é", "ab"][round % 6];
        let letters = 2 + random(4);
        let mut tokens: Vec<String> = (0..1 + random(30))
            .map(|_| {
                let text: String = (0..1 + random(7)).map(|_| chars[random(letters)]).collect();
                if random(5) < 3 {
                    prefix.to_owned() + &text
                } else {
                    text
                }
            })
            .collect();
        tokens.extend((random(4) > 0).then(|| "[UNK]".to_owned()));
        tokens.extend((random(4) == 0).then(|| prefix.to_owned()));
        tokens.sort_unstable();
        tokens.dedup();
        let model = model(&tokens, prefix, [100, 100, 6][round % 3]);
        for _ in 0..12 {
            let word: String = (0..random(14)).map(|_| chars[random(letters)]).collect();
            let (want, got) = (naive(&model, prefix, &word), encode(&model, &word));
            match want {
                Some(want) => assert_eq!(got.unwrap().0, want, "{word:?} {prefix:?} {tokens:?}"),
                None => assert!(got.is_err(), "{word:?} {prefix:?} {tokens:?}"),
            }
        }
    }
}

#[test]
fn prefixes_by_hand() {
    let tokens = owned(&["[UNK]", "##ing", "go", "##", "####", "i", "#", "##g"]);
    let model = model(&tokens, "##", 100);
    for (word, ids, spans) in [
        ("going", vec![2, 1], vec![(0, 2), (2, 5)]),
        // A word is looked up as it is, at its start.
        ("##ing", vec![1], vec![(0, 5)]),
        ("##", vec![3], vec![(0, 2)]),
        // `####` as a continuing token stands for `##`.
        ("go##", vec![2, 4], vec![(0, 2), (2, 4)]),
        ("go##g", vec![2, 4, 7], vec![(0, 2), (2, 4), (4, 5)]),
        ("ig", vec![5, 7], vec![(0, 1), (1, 2)]),
        ("goi", vec![0], vec![(0, 3)]),
        ("", vec![], vec![]),
    ] {
        assert_eq!(encode(&model, word).unwrap(), (ids, spans), "{word:?}");
    }
}

#[test]
fn too_long_words_and_missing_unknown_tokens() {
    let model = model(&owned(&["é", "##é"]), "##", 3);
    assert_eq!(encode(&model, "ééé").unwrap().0, [0, 1, 1]);
    let error = EncodeError::UnknownTokenMissing { token: "[UNK]".to_owned() };
    assert_eq!(encode(&model, "éééé"), Err(error.clone()));
    assert_eq!(encode(&model, "éx"), Err(error));
}

#[test]
fn long_tokens_and_long_words_take_linear_time() {
    let long = "a".repeat(300_000);
    let tokens = owned(&["[UNK]", "a", "##a", &format!("{long}x"), &format!("##{long}y")]);
    let model = model(&tokens, "##", usize::MAX);
    let word = "a".repeat(1_000_000);
    let ids = encode(&model, &word).unwrap().0;
    assert_eq!(ids.len(), word.len());
    assert_eq!((ids[0], ids[1]), (1, 2));
    assert_eq!(encode(&model, &format!("{word}y")).unwrap().0.len(), word.len() - 300_000 + 1);
    assert_eq!(encode(&model, &format!("{word}x")).unwrap().0, [0]);
}

#[test]
fn any_bytes_are_fine() {
    let model = model(&owned(&["[UNK]", "a", "##é"]), "##", 100);
    let mut random = draws(2);
    for _ in 0..2000 {
        let piece: Vec<u8> = (0..random(6)).map(|_| b"a\xC3\xA9\xFF"[random(4)]).collect();
        let mut ids = Vec::new();
        model.encode_piece(&piece, &mut WordPieceScratch::default(), &mut ids).unwrap();
    }
}
