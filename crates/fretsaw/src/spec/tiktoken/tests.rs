//! Which lines are taken, and what is refused. The accepted ones are those that tiktoken 0.14.0
//! takes.

#![allow(clippy::unwrap_used)]

use super::*;

fn vocab(ranks: &[u8]) -> Result<Vec<(String, u32)>, LoadError> {
    match &**from_tiktoken(ranks, ".", &[])?.model {
        Model::Bpe(bpe) => Ok(bpe.vocab.iter().map(|(t, id)| (t.to_owned(), id)).collect()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_that_are_read() {
    type Case<'a> = (&'a [u8], &'a [(&'a str, u32)]);
    let cases: &[Case<'_>] = &[
        (b"YQ== 0\n\nYg== 1\nYWI= 7\n", &[("a", 0), ("b", 1), ("ab", 7)]),
        (b"YQ== 0\r\n\r\nYg== 1\rYw== 2", &[("a", 0), ("b", 1), ("c", 2)]),
        (b" YQ==\t\x0b0 \nYg== +1_0\n", &[("a", 0), ("b", 10)]),
        (b"YQ== 1\nYQ== 0\nYg== 1\n", &[("a", 1), ("a", 0), ("b", 1)]),
        (b"\xef\xbb\xbfIA== 5\nAA== -0\nrQ== 4294967295", &[("Ġ", 5), ("Ā", 0), ("Ń", u32::MAX)]),
    ];
    for (ranks, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|(t, id)| ((*t).to_owned(), *id)).collect();
        assert_eq!(vocab(ranks).unwrap(), expected, "{:?}", String::from_utf8_lossy(ranks));
    }
}

#[test]
fn faults_have_their_line() {
    let cases: &[(&[u8], usize)] = &[
        (b"YQ== 0\nYg==\nYw== 2\n", 2),
        (b"YQ== 0\r\n\r\nYg== x1\n", 3),
        (b"YQ== 0\n \nYg== 1\n", 2),
        (b"YQ= 0\n", 1),
        (b"YQ== 0 0\n", 1),
        (b"YQ== -1\n", 1),
        (b"YQ== 4294967296\n", 1),
        (b"YQ== 99999999999999999999999999\n", 1),
        (b"YQ== 1__0\n", 1),
        (b"YQ== _1\n", 1),
        (b"YQ== +\n", 1),
        (b"YQ== 0\nYg== 1\nYw== 0\n", 3),
    ];
    for (ranks, line) in cases {
        match vocab(ranks) {
            Err(LoadError::Invalid { place: Place::Line(found), .. }) => {
                assert_eq!(found, *line, "{:?}", String::from_utf8_lossy(ranks));
            }
            other => panic!("{:?}: {other:?}", String::from_utf8_lossy(ranks)),
        }
    }
    for ranks in [b"".as_slice(), b"\n\n"] {
        assert!(matches!(
            vocab(ranks),
            Err(LoadError::Invalid { problem: Problem::NoVocabulary { .. }, .. })
        ));
    }
}

#[test]
fn special_tokens_have_their_own_ids() {
    let with = |tokens: &[(&str, u32)]| {
        let tokens: Vec<_> = tokens.iter().map(|(t, id)| ((*t).to_owned(), *id)).collect();
        from_tiktoken(b"YQ== 0\nYg== 1\n", ".", &tokens)
    };
    let spec = with(&[("<e>", 9), ("a", 5)]).unwrap();
    let tokens: Vec<_> = spec.added_tokens.iter().map(|t| (t.content.as_str(), t.id)).collect();
    assert_eq!(tokens, [("<e>", 9), ("a", 5)]);
    assert!(spec.added_tokens.iter().all(|token| token.special && !token.normalized));
    assert_eq!(spec.defaults, Defaults::TIKTOKEN);
    assert_eq!(with(&[("<e>", 7), ("<f>", 7)]).unwrap().added_tokens.len(), 2);
    assert!(matches!(with(&[("<e>", 1)]), Err(LoadError::Unsupported { .. })));
    for tokens in [&[("", 7)][..], &[("<e>", 7), ("<e>", 8)]] {
        assert!(matches!(with(tokens), Err(LoadError::Invalid { .. })), "{tokens:?}");
    }
}

#[test]
fn bytes_are_spelled_in_gpt2s_alphabet() {
    let mut seen = HashSet::new();
    assert!((0..=255).all(|byte| seen.insert(character(byte))), "all differ");
    let others: Vec<char> = (0..=255).map(character).filter(|c| u32::from(*c) > 0xFF).collect();
    assert!(others.iter().copied().eq('\u{100}'..='\u{143}'), "in byte order");
    assert_eq!([0, 0x20, 0x7F, 0xA0, 0xAD].map(character), ['Ā', 'Ġ', 'ġ', 'ł', 'Ń']);
}
