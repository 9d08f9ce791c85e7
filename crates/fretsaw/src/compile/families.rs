//! Patterns that are known: the scanner has a split for each.

use std::collections::HashMap;

use super::pattern::{intersects, parse, space_ranges, Dialect, Node, Ranges};
use crate::scan::{
    modern_class as bits, Contractions, Cut, Digits, Gpt2, Modern, Runs, Words, LEAD, LETTER,
    MEMBER, NUMBER, NUMERIC, SPACE,
};
use crate::spec::{Pattern, CLIP_WORDS};
use crate::unicode::{Category, ClassTable, Engine, Property};
use once_cell::race::OnceBox;

/// A known split of the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Gpt2,
    Modern(Modern),
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const R50K: &str =
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
const CL100K: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CL100K_POSSESSIVE: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";
const QWEN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK: &str = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

const PLAIN: Modern = Modern {
    words: Words::Letters,
    contractions: Contractions::Apart,
    numbers: 3,
    slashes: false,
    whole_tail: false,
};
const CASED: Modern = Modern {
    words: Words::Cased,
    contractions: Contractions::Attached,
    numbers: 3,
    slashes: true,
    whole_tail: false,
};

/// Each pattern with the dialects that give it this meaning.
const KNOWN: [(&str, &[Dialect], Family); 8] = [
    (GPT2, &[Dialect::Onig, Dialect::Fancy], Family::Gpt2),
    (R50K, &[Dialect::Fancy], Family::Gpt2),
    (CL100K, &[Dialect::Onig, Dialect::Fancy], Family::Modern(PLAIN)),
    (CL100K_POSSESSIVE, &[Dialect::Fancy], Family::Modern(Modern { whole_tail: true, ..PLAIN })),
    (QWEN, &[Dialect::Onig, Dialect::Fancy], Family::Modern(Modern { numbers: 1, ..PLAIN })),
    (O200K, &[Dialect::Onig, Dialect::Fancy], Family::Modern(CASED)),
    (
        TEKKEN,
        &[Dialect::Onig, Dialect::Fancy],
        Family::Modern(Modern { contractions: Contractions::None, numbers: 1, ..CASED }),
    ),
    (
        DEEPSEEK,
        &[Dialect::Onig],
        Family::Modern(Modern {
            words: Words::DeepSeek,
            contractions: Contractions::None,
            numbers: 0,
            ..PLAIN
        }),
    ),
];

fn known(node: &Node, dialect: Dialect) -> Option<Family> {
    static KNOWN_NODES: OnceBox<HashMap<(Node, Dialect), Family>> = OnceBox::new();
    let nodes = KNOWN_NODES.get_or_init(|| {
        let parsed = KNOWN.iter().flat_map(|&(pattern, dialects, family)| {
            dialects
                .iter()
                .filter_map(move |&dialect| Some(((parse(pattern, dialect)?, dialect), family)))
        });
        Box::new(parsed.collect())
    });
    nodes.get(&(node.clone(), dialect)).copied()
}

/// The cut that isolates what a pattern matches, where it is known, and whether the pattern
/// matches every text from end to end.
pub fn pattern_cut(pattern: &Pattern) -> Option<(Cut, bool)> {
    let (text, dialect) = match pattern {
        Pattern::Onig(text) => (text, Dialect::Onig),
        Pattern::Fancy(text) => (text, Dialect::Fancy),
        Pattern::Literal(_) => return None,
    };
    // As it is usually written it need not be read.
    let same = |known: &&(&str, &[Dialect], Family)| known.0 == text && known.1.contains(&dialect);
    if let Some(&(_, _, family)) = KNOWN.iter().find(same) {
        return Some(family_cut(family, dialect));
    }
    let node = parse(text, dialect)?;
    if let Some(family) = known(&node, dialect) {
        return Some(family_cut(family, dialect));
    }
    match runs(text, dialect) {
        Some((runs, members, lead)) => {
            let table = ClassTable::from_sets(&[(MEMBER, members), (LEAD, lead)])?;
            Some((Cut::runs(runs, table), false))
        }
        None => trailing_space(&node, dialect),
    }
}

/// A pattern of fancy-regex as Oniguruma has it, where its meaning is known.
pub fn hugging_face_pattern(pattern: &Pattern) -> Option<String> {
    const LINES: &str = r"|\s*[\r\n]+|";
    let Pattern::Fancy(text) = pattern else { return None };
    let family = known(&parse(text, Dialect::Fancy)?, Dialect::Fancy)?;
    let (wanted, whole_tail) = match family {
        Family::Modern(modern) => {
            (Family::Modern(Modern { whole_tail: false, ..modern }), modern.whole_tail)
        }
        Family::Gpt2 => (family, false),
    };
    let is_it = |(_, dialects, family): &&(&str, &[Dialect], Family)| {
        *family == wanted && dialects.contains(&Dialect::Onig)
    };
    let (text, ..) = KNOWN.iter().find(is_it)?;
    match whole_tail {
        // White space at the end of a text is one piece, whatever lines it has.
        true => Some(text.replacen(LINES, &format!(r"|\s+\z{LINES}"), 1)),
        false => Some((*text).to_owned()),
    }
}

fn family_cut(family: Family, dialect: Dialect) -> (Cut, bool) {
    match family {
        Family::Gpt2 => (gpt2_cut(), true),
        Family::Modern(family) => {
            let engine = if dialect == Dialect::Onig { Engine::Onig } else { Engine::Regex };
            let table = modern_table(engine, family.words);
            (Cut::Modern { family, table }, family.words != Words::DeepSeek)
        }
    }
}

/// Whether a pattern is CLIP's.
pub fn is_clip(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Onig(text) if text == CLIP_WORDS)
}

/// `lead? member+` and its relatives: how many members, which, and what may lead them.
///
/// Not of a text with options: without regard to case, neighbours may stand for one character.
pub fn runs(text: &str, dialect: Dialect) -> Option<(Runs, Ranges, Ranges)> {
    runs_of_node(&parse(text, dialect)?).filter(|_| !text.contains("(?"))
}

fn runs_of_node(node: &Node) -> Option<(Runs, Ranges, Ranges)> {
    let one = |node: &Node| match node {
        Node::Set(set) => Some((Runs { min: 1, max: 1 }, set.clone())),
        Node::Repeat { node, min, max, possessive: false } if *min > 0 => match &**node {
            Node::Set(set) => {
                let max = if *max == u32::MAX { usize::MAX } else { *max as usize };
                Some((Runs { min: *min as usize, max }, set.clone()))
            }
            _ => None,
        },
        _ => None,
    };
    if let Some((runs, members)) = one(node) {
        return Some((runs, members, vec![]));
    }
    let Node::Sequence(nodes) = node else { return None };
    let first = nodes.first()?;
    if nodes.iter().all(|node| matches!(node, Node::Set(_)) && node == first) {
        let (_, members) = one(first)?;
        return Some((Runs { min: nodes.len(), max: nodes.len() }, members, vec![]));
    }
    match &nodes[..] {
        [Node::Repeat { node, min: 0, max: 1, possessive: false }, run] => {
            let Node::Set(lead) = &**node else { return None };
            let (runs, members) = one(run)?;
            // What is both is a member: in a run without limits that makes no difference.
            let unlimited = runs == Runs { min: 1, max: usize::MAX };
            let apart = unlimited || !intersects(lead, &members);
            apart.then_some((runs, members, lead.clone()))
        }
        _ => None,
    }
}

/// `\s+$` in Ruby's syntax, where `$` is the end of any line.
fn trailing_space(node: &Node, dialect: Dialect) -> Option<(Cut, bool)> {
    if dialect != Dialect::Onig || *node != parse(r"\s+$", dialect)? {
        return None;
    }
    let table = ClassTable::from_sets(&[(MEMBER, space_ranges(Engine::Onig))])?;
    Some((Cut::TrailingSpace { table }, false))
}

/// GPT-2's split on its own.
pub fn gpt2_cut() -> Cut {
    Cut::Gpt2 { family: Gpt2 { digits: Digits::None }, table: gpt2_table() }
}

/// The classes of GPT-2's split, and Digits' own. Both engines have the same.
pub fn gpt2_table() -> ClassTable {
    ClassTable::from_kinds(|kind| {
        let category = kind.category(Engine::Onig);
        let bit = |on: bool, bit: u8| if on { bit } else { 0 };
        bit(category.is_letter(), LETTER)
            | bit(category.is_number(), NUMBER)
            | bit(kind.is_space(Engine::Onig), SPACE)
            | bit(kind.has(Property::RustNumeric), NUMERIC)
    })
}

fn modern_table(engine: Engine, words: Words) -> ClassTable {
    use Category::{Ll, Lm, Lo, Lt, Lu};
    ClassTable::from_kinds(|kind| {
        let category = kind.category(engine);
        let (letter, number, mark) =
            (category.is_letter(), category.is_number(), category.is_mark());
        let sign = category.is_punctuation() || category.is_symbol();
        let space = kind.is_space(engine);
        let bit = |on: bool, bit: u8| if on { bit } else { 0 };
        let shared = bit(number, bits::NUMBER) | bit(space, bits::SPACE);
        shared
            | match words {
                Words::DeepSeek => {
                    bit(letter || mark, bits::LETTER)
                        | bit(sign, bits::OTHER)
                        | bit(!(letter || sign), bits::PREFIX)
                }
                Words::Letters | Words::Cased => {
                    bit(letter, bits::LETTER)
                        | bit(mark || matches!(category, Lu | Lt | Lm | Lo), bits::UPPER)
                        | bit(mark || matches!(category, Ll | Lm | Lo), bits::LOWER)
                        | bit(!(space || letter || number), bits::OTHER)
                        | bit(!(letter || number), bits::PREFIX)
                }
            }
    })
}

/// The classes of a Digits pre-tokenizer.
pub fn digits_table() -> ClassTable {
    ClassTable::from_kinds(|kind| if kind.has(Property::RustNumeric) { MEMBER } else { 0 })
}

/// The classes of a Punctuation pre-tokenizer.
pub fn punctuation_table() -> ClassTable {
    ClassTable::from_kinds(|kind| if kind.has(Property::Punctuation) { MEMBER } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::draws;
    use crate::pattern::Pattern as Compiled;
    use crate::scan::{boundaries_of, levels};

    /// Every kind of character that a split tells apart, in one to four bytes, and what contractions are
    /// made of.
    const PARTS: [&str; 46] = [
        "a",
        "b",
        "s",
        "S",
        "T",
        "X",
        "ll",
        "lL",
        "re",
        "\u{17F}",
        "é",
        "É",
        "ß",
        "я",
        "Я",
        "ǅ",
        "漢",
        "の",
        "ー",
        "ʰ",
        "\u{301}",
        "\u{20DD}",
        "\u{E0100}",
        "1",
        "2",
        "²",
        "Ⅷ",
        "٣",
        "𝟗",
        " ",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\u{85}",
        "\u{A0}",
        "\u{3000}",
        "\u{2028}",
        ".",
        "/",
        "'",
        "-",
        "\u{1}",
        "€",
        "\u{1F600}",
    ];

    /// What an engine's matches and the text between them are, as boundaries.
    fn by_engine(engine: &Compiled, text: &str) -> Vec<usize> {
        let mut boundaries = vec![0];
        for found in engine.find_iter(text) {
            let (start, end) = found.unwrap();
            if boundaries.last() != Some(&start) {
                boundaries.push(start);
            }
            boundaries.push(end);
        }
        if boundaries.last() != Some(&text.len()) {
            boundaries.push(text.len());
        }
        boundaries
    }

    fn compare(cut: &Cut, engine: &Compiled, text: &str) {
        let known = by_engine(engine, text);
        for level in levels() {
            let all = boundaries_of(|keep| cut.pieces(level, text, keep));
            if all != known {
                let spelled = |all: &[usize]| -> Vec<String> {
                    all.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
                };
                panic!("{level:?}: {:?}, not {:?}", spelled(&all), spelled(&known));
            }
        }
    }

    #[test]
    fn known_splits_cut_as_their_patterns_do() {
        let mut next = draws(1);
        for (text, dialects, _) in KNOWN {
            let pattern = match dialects[0] {
                Dialect::Onig => Pattern::Onig(text.into()),
                Dialect::Fancy => Pattern::Fancy(text.into()),
            };
            let (cut, _) = pattern_cut(&pattern).unwrap();
            let engine = Compiled::compile(&pattern, "p").unwrap();
            for round in 0..3_000 {
                let few: Vec<&str> = (0..1 + next(8)).map(|_| PARTS[next(PARTS.len())]).collect();
                let len = 1 + next(if round % 3 == 0 { 300 } else { 90 });
                let text: String = match round % 7 {
                    0 => (0..len).map(|_| PARTS[next(PARTS.len())]).collect(),
                    // Long runs, over blocks' ends.
                    1 => {
                        (0..1 + len / 60).map(|_| few[next(few.len())].repeat(next(150))).collect()
                    }
                    _ => (0..len).map(|_| few[next(few.len())]).collect(),
                };
                if !text.is_empty() {
                    compare(&cut, &engine, &text);
                }
            }
        }
    }
}
