//! Decoders as Hugging Face tokenizers 0.23.3 has them: each makes strings of strings, and what comes
//! out in the end is joined.

use fretsaw::spec::{Decoder, Pattern, PrependScheme};

use super::alphabet::unspell;

/// The text of some tokens; `None` where the oracle panics.
pub fn decode(decoder: Option<&Decoder>, tokens: Vec<String>) -> Option<String> {
    match decoder {
        // Without a decoder, tokens stand apart.
        None => Some(tokens.join(" ")),
        Some(decoder) => Some(step(decoder, tokens)?.concat()),
    }
}

fn step(decoder: &Decoder, tokens: Vec<String>) -> Option<Vec<String>> {
    let each = |change: &dyn Fn(usize, String) -> String| {
        Some(tokens.iter().cloned().enumerate().map(|(at, token)| change(at, token)).collect())
    };
    match decoder {
        Decoder::Sequence(decoders) => {
            decoders.iter().try_fold(tokens, |tokens, decoder| step(decoder, tokens))
        }
        Decoder::ByteLevel { .. } => {
            let bytes =
                tokens.into_iter().flat_map(|token| unspell(&token).unwrap_or(token.into_bytes()));
            Some(vec![String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()])
        }
        Decoder::Fuse => Some(vec![tokens.concat()]),
        Decoder::ByteFallback => Some(byte_fallback(tokens)),
        Decoder::Bpe { suffix } => {
            let last = tokens.len().checked_sub(1)?;
            each(&|at, token| token.replace(suffix, if at == last { "" } else { " " }))
        }
        Decoder::WordPiece { prefix, cleanup } => each(&|at, token| {
            let token = match token.strip_prefix(prefix) {
                _ if at == 0 => token,
                Some(rest) => rest.to_owned(),
                None => format!(" {token}"),
            };
            if *cleanup {
                tidy(&token)
            } else {
                token
            }
        }),
        Decoder::Metaspace { replacement, prepend_scheme, .. } => each(&|at, token| {
            let with = if at == 0 && *prepend_scheme != PrependScheme::Never { "" } else { " " };
            token.replace(*replacement, with)
        }),
        Decoder::Replace { pattern: Pattern::Literal(pattern), content } => {
            match pattern.is_empty() {
                true => None,
                false => each(&|_, token| token.replace(pattern, content)),
            }
        }
        Decoder::Strip { content, start, stop } => {
            tokens.into_iter().map(|token| strip(&token, *content, *start, *stop)).collect()
        }
        Decoder::Ctc { pad_token, word_delimiter_token, cleanup } => {
            let mut tokens = tokens;
            tokens.dedup();
            let change = |token: String| {
                let token = token.replace(pad_token, "");
                if *cleanup {
                    tidy(&token).replace(word_delimiter_token, " ")
                } else {
                    token
                }
            };
            Some(tokens.into_iter().map(change).filter(|token| !token.is_empty()).collect())
        }
        Decoder::Replace { .. } | Decoder::SentencePiece { .. } => None,
    }
}

fn tidy(token: &str) -> String {
    const RULES: [(&str, &str); 11] = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    RULES.iter().fold(token.to_owned(), |token, (from, to)| token.replace(from, to))
}

/// `None` where the oracle takes away more than there is.
fn strip(token: &str, content: char, start: usize, stop: usize) -> Option<String> {
    let chars: Vec<char> = token.chars().collect();
    let from = chars.iter().take(start).take_while(|&&c| c == content).count();
    let mut to = chars.len();
    for at in 0..stop {
        let index = chars.len().checked_sub(at + 1)?;
        if chars[index] != content {
            break;
        }
        to = index;
    }
    (from <= to).then(|| chars[from..to].iter().collect())
}

fn byte_fallback(tokens: Vec<String>) -> Vec<String> {
    let (mut made, mut bytes) = (Vec::new(), Vec::new());
    let flush = |bytes: &mut Vec<u8>, made: &mut Vec<String>| {
        let count = bytes.len();
        if count == 0 {
            return;
        }
        match String::from_utf8(std::mem::take(bytes)) {
            Ok(text) => made.push(text),
            // A token for each byte.
            Err(_) => made.extend(std::iter::repeat_n("\u{FFFD}".to_owned(), count)),
        }
    };
    for token in tokens {
        let digits = token.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
        let byte = digits
            .filter(|digits| digits.len() == 2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => bytes.push(byte),
            None => {
                flush(&mut bytes, &mut made);
                made.push(token);
            }
        }
    }
    flush(&mut bytes, &mut made);
    made
}
