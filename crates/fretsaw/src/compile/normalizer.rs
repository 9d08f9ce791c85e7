//! From a normalizer to the steps that do it, in order.

use super::patterns::compiled_pattern;
use crate::error::{LoadError, Problem};
use crate::normalize::{
    Charsmap, Form, Normalizer, PerChar, Precompiled, Replace, SentencePiece, Spaces, Step,
};
use crate::prefixes::Prefixes;
use crate::spec;

/// The normalizer that stands at the JSON path `path`; sequences are flattened.
///
/// Fails where a regular expression or a character map is not one.
pub fn normalizer(spec: &spec::Normalizer, path: &str) -> Result<Normalizer, LoadError> {
    let mut steps = Vec::new();
    flatten(spec, path, &mut steps)?;
    Ok(Normalizer::new(steps))
}

fn flatten(spec: &spec::Normalizer, path: &str, steps: &mut Vec<Step>) -> Result<(), LoadError> {
    match spec {
        spec::Normalizer::Nfc => steps.push(Step::Form(Form::Nfc)),
        spec::Normalizer::Nfd => steps.push(Step::Form(Form::Nfd)),
        spec::Normalizer::Nfkc => steps.push(Step::Form(Form::Nfkc)),
        spec::Normalizer::Nfkd => steps.push(Step::Form(Form::Nfkd)),
        spec::Normalizer::Lowercase => steps.push(Step::PerChar(PerChar::Lowercase)),
        spec::Normalizer::Strip { left, right } => {
            steps.push(Step::Strip { left: *left, right: *right });
        }
        spec::Normalizer::StripAccents => steps.push(Step::PerChar(PerChar::StripAccents)),
        spec::Normalizer::Replace { pattern, content } => {
            let pattern = compiled_pattern(pattern, path)?;
            steps.push(Step::Replace(Replace::new(pattern, content.clone())));
        }
        spec::Normalizer::Prepend { prepend } => steps.push(Step::Prepend(prepend.clone())),
        spec::Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
            let strip_accents = strip_accents.unwrap_or(*lowercase);
            steps.extend(bert(*clean_text, *handle_chinese_chars, strip_accents, *lowercase));
        }
        spec::Normalizer::Nmt => {
            steps.extend([PerChar::NmtRemove, PerChar::NmtSpaces].map(Step::PerChar));
        }
        spec::Normalizer::Precompiled { charsmap } => {
            let map = Precompiled::new(charsmap).map_err(|broken| {
                let problem = Problem::OutOfRange {
                    value: format!("a map of {} bytes ({broken})", charsmap.len()),
                    expected: "a character map of SentencePiece",
                };
                LoadError::at(format!("{path}.precompiled_charsmap"), problem)
            })?;
            steps.push(Step::Precompiled(map));
        }
        spec::Normalizer::SentencePiece(rules) => {
            let path = format!("{path}_spec.precompiled_charsmap");
            steps.push(Step::SentencePiece(sentence_piece(rules, &path)?));
        }
        spec::Normalizer::ByteLevel => steps.push(Step::PerChar(PerChar::ByteLevel)),
        spec::Normalizer::Sequence(parts) => {
            for (at, part) in parts.iter().enumerate() {
                flatten(part, &format!("{path}.normalizers[{at}]"), steps)?;
            }
        }
    }
    Ok(())
}

/// The rules of SentencePiece, whose map stands at a path.
pub fn sentence_piece(rules: &spec::TextRules, path: &str) -> Result<SentencePiece, LoadError> {
    let charsmap = (!rules.charsmap.is_empty()).then(|| Charsmap::new(&rules.charsmap));
    let charsmap = charsmap.transpose().map_err(|broken| {
        let value = format!("a map of {} bytes ({broken})", rules.charsmap.len());
        let expected = "a character map of SentencePiece";
        LoadError::at(path, Problem::OutOfRange { value, expected })
    })?;
    let spaces = Spaces {
        add_dummy_prefix: rules.add_dummy_prefix,
        remove_extra: rules.remove_extra_whitespaces,
        space: if rules.escape_whitespaces { spec::MARK_TEXT } else { " " },
        as_suffix: rules.treat_whitespace_as_suffix,
    };
    let symbols = Prefixes::new(rules.symbols.iter().map(String::as_str));
    Ok(SentencePiece::new(charsmap, symbols, spaces))
}

/// The parts of `BertNormalizer`, in the order in which it does them.
fn bert(
    clean_text: bool,
    chinese: bool,
    strip_accents: bool,
    lowercase: bool,
) -> impl Iterator<Item = Step> {
    let when = |wanted: bool, steps: Vec<Step>| if wanted { steps } else { Vec::new() };
    let clean = vec![Step::PerChar(PerChar::BertRemove), Step::PerChar(PerChar::BertSpaces)];
    let accents = vec![Step::Form(Form::Nfd), Step::PerChar(PerChar::BertAccents)];
    let parts = [
        when(clean_text, clean),
        when(chinese, vec![Step::PerChar(PerChar::BertChinese)]),
        when(strip_accents, accents),
        when(lowercase, vec![Step::PerChar(PerChar::Lowercase)]),
    ];
    parts.into_iter().flatten()
}

#[cfg(test)]
mod tests;
