//! GPT-2's byte alphabet from its definition: printable bytes stand for themselves, the others for
//! U+0100 and on, in order.

use std::sync::OnceLock;

/// The character of each byte.
pub fn alphabet() -> &'static [char] {
    static ALPHABET: OnceLock<Vec<char>> = OnceLock::new();
    ALPHABET.get_or_init(|| {
        let printable = |byte: u32| matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
        let mut others = 0x100..;
        let mut letter = |byte| if printable(byte) { byte } else { others.next().unwrap_or(0) };
        (0..256).filter_map(|byte| char::from_u32(letter(byte))).collect()
    })
}

/// Bytes in the alphabet.
pub fn spell(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| alphabet()[usize::from(byte)]).collect()
}

/// What a token's characters stand for if all are of the alphabet.
pub fn unspell(token: &str) -> Option<Vec<u8>> {
    let byte = |c: char| alphabet().iter().position(|&known| known == c).map(|at| at as u8);
    token.chars().map(byte).collect()
}
