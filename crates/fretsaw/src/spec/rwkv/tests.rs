use super::*;

fn file(lines: &[&str]) -> Vec<u8> {
    let mut text: String =
        (0..=255u8).map(|byte| format!("{} b'\\x{byte:02x}' 1\n", u32::from(byte) + 1)).collect();
    lines.iter().for_each(|line| text.extend([line, "\n"]));
    text.into_bytes()
}

#[test]
fn ids_and_tokens() {
    let bytes = file(&["257 'ab' 2", "", "258 'it\\'s' 4", "300 '\u{e9}' 2", "301 '  ' 2"]);
    assert!(looks_like_rwkv(&bytes));
    let spec = from_rwkv(&bytes).expect("a vocabulary");
    let Model::WordPiece(model) = &**spec.model else { panic!("{:?}", spec.model) };
    let last: Vec<_> = model.vocab.iter().skip(256).collect();
    assert_eq!(last, [("ab", 257), ("it's", 258), ("\u{c3}\u{a9}", 300), ("\u{120}\u{120}", 301)]);
}

#[test]
fn what_is_none() {
    for line in ["257 'ab' 3", "257 'a' 1", "1 'ab' 2", "x 'ab' 2", "257 ab 2", "257 '' 0", "257"] {
        let found = from_rwkv(&file(&[line]));
        assert!(
            matches!(found, Err(LoadError::Invalid { place: Place::Line(257), .. })),
            "{line}: {found:?}"
        );
    }
    assert!(from_rwkv(b"1 'a' 1\n").is_err());
    assert!(from_rwkv(b"").is_err());
    assert!(from_rwkv(b"1 'a\xff' 2").is_err());
}
