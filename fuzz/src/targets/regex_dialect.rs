//! `regex_dialect`: what the parser says that a pattern means, run as a search over its tree, against the
//! engine of the dialect; and the scanner's split where it has one.

use fretsaw::fuzzed::{levels, parse, Dialect, Split};
use fretsaw::spec::Pattern;

use crate::book::pattern::Search;
use crate::draw::Draw;

/// What patterns are made of.
const ATOMS: [&str; 44] = [
    "a",
    "b",
    "s",
    "'",
    " ",
    "\\s",
    "\\S",
    "\\d",
    "\\w",
    "\\p{L}",
    "\\p{N}",
    "\\P{L}",
    "\\p{Lu}",
    "\\p{M}",
    "[ab]",
    "[^ab]",
    "[a-z]",
    "[^\\s\\p{L}\\p{N}]",
    "[^\\r\\n\\p{L}\\p{N}]",
    "[\\r\\n]",
    "\\r",
    "\\n",
    "$",
    "(?:",
    "(?i:",
    "(?!",
    "(",
    ")",
    ")",
    "|",
    "?",
    "*",
    "+",
    "++",
    "?+",
    "*+",
    "{1,3}",
    "{2}",
    "{1,3}+",
    "[A-Za-z]",
    "\\h",
    "\\p{P}",
    "[\\p{L}&&[a-c]]",
    "é",
];

/// What texts are made of: no character that other ones stand for together without regard to case.
const UNITS: [&str; 24] = [
    "a", "b", "A", "B", "s", "S", "z", "1", "2", "23", " ", "  ", "\n", "\r\n", "\t", "'", "'s",
    ".", "é", "É", "\u{301}", "漢", "\u{A0}", "\u{17F}",
];

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let dialect = *draw.pick(&[Dialect::Onig, Dialect::Fancy]);
    let text = draw.text_of(&UNITS, 12);
    let mut source = draw.text_of(&ATOMS, 24);
    // Groups that were opened are closed.
    let open = source.matches('(').count().saturating_sub(source.matches(')').count());
    source.push_str(&")".repeat(open));
    let node = parse(&source, dialect)?;
    let pattern = match dialect {
        Dialect::Onig => Pattern::Onig(source.clone()),
        Dialect::Fancy => Pattern::Fancy(source.clone()),
    };
    // The engine has its limits, and there a file is refused.
    let split = Split::new(&pattern).ok()?;
    let ends = split.searched(&text).ok()?;
    if let Ok(found) = Search::new(&text, dialect).ends(&node) {
        assert_eq!(found, ends, "{source:?} {text:?} {node:?}");
    }
    for level in levels() {
        if let Some(found) = split.scanned(level, &text) {
            assert_eq!(found, ends, "{level:?} {source:?} {text:?}");
        }
    }
    Some(())
}
