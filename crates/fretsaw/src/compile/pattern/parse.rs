//! The parser: what both dialects share and mean alike, and nothing else.

use super::sets::{category_ranges, complement, normalized, space_ranges, Ranges};
use super::Node;
use crate::unicode::{Category, Engine};

/// Whose syntax and classes a pattern has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Oniguruma's Ruby syntax.
    Onig,
    /// fancy-regex.
    Fancy,
}

/// Groups may nest this deep.
const DEEPEST: usize = 50;

/// The meaning of a pattern in its one form, or `None` where it is not known for certain.
pub fn parse(pattern: &str, dialect: Dialect) -> Option<Node> {
    let engine = match dialect {
        Dialect::Onig => Engine::Onig,
        Dialect::Fancy => Engine::Regex,
    };
    let mut parser = Parser { rest: pattern, dialect, engine, fold: false, depth: 0 };
    let node = parser.choice()?;
    parser.rest.is_empty().then(|| node.simplified())
}

struct Parser<'p> {
    rest: &'p str,
    dialect: Dialect,
    engine: Engine,
    /// Whether case is ignored.
    fold: bool,
    depth: usize,
}

impl Parser<'_> {
    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.strip_prefix(text);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn choice(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(Node::Choice(branches))
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let node = self.atom()?;
            nodes.push(self.quantified(node)?);
        }
        Some(Node::Sequence(nodes))
    }

    fn atom(&mut self) -> Option<Node> {
        if self.eat("(?:") {
            return self.group();
        }
        if self.eat("(?i:") {
            let outer = std::mem::replace(&mut self.fold, true);
            let node = self.group();
            self.fold = outer;
            return node;
        }
        if self.eat("(?!") {
            return self.group().map(|node| Node::NotAhead(Box::new(node)));
        }
        match self.next()? {
            '(' if !self.rest.starts_with('?') => self.group(),
            '[' => self.class().map(Node::Set),
            '$' => Some(Node::End),
            '\\' => self.escape().map(Node::Set),
            '.' | '^' | '*' | '+' | '?' | '{' | '}' | ']' | '(' | ')' => None,
            literal => self.literal(literal).map(Node::Set),
        }
    }

    fn group(&mut self) -> Option<Node> {
        let node = self.choice()?;
        self.eat(")").then_some(node)
    }

    /// A literal character, with its other case where case is ignored.
    fn literal(&self, literal: char) -> Option<Ranges> {
        let one = |c: char| (c as u32, c as u32);
        if !self.fold {
            return Some(vec![one(literal)]);
        }
        if !literal.is_ascii() {
            return None;
        }
        let mut members =
            vec![one(literal.to_ascii_lowercase()), one(literal.to_ascii_uppercase())];
        match literal.to_ascii_lowercase() {
            's' => members.push(one('\u{17F}')),
            'k' => members.push(one('\u{212A}')),
            _ => {}
        }
        Some(normalized(members))
    }

    /// What stands behind a backslash.
    fn escape(&mut self) -> Option<Ranges> {
        match self.next()? {
            's' => Some(space_ranges(self.engine)),
            'S' => Some(complement(&space_ranges(self.engine))),
            'p' => self.property(),
            'P' => self.property().map(|set| complement(&set)),
            'r' => self.literal('\r'),
            'n' => self.literal('\n'),
            't' => self.literal('\t'),
            literal if literal.is_ascii_punctuation() => self.literal(literal),
            _ => None,
        }
    }

    /// `{Lu}` and the like. Whether case folding changes a category is not asked.
    fn property(&mut self) -> Option<Ranges> {
        if self.fold || !self.eat("{") {
            return None;
        }
        let (name, rest) = self.rest.split_once('}')?;
        self.rest = rest;
        if !(1..=2).contains(&name.len()) || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return None;
        }
        let set = category_ranges(self.engine, |category: Category| {
            format!("{category:?}").starts_with(name)
        });
        (!set.is_empty()).then_some(set)
    }

    /// The rest of a class behind its bracket.
    fn class(&mut self) -> Option<Ranges> {
        let negated = self.eat("^");
        let mut members = Vec::new();
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            // Nested classes, `&&`, `[:alpha:]` and a leading `]` are left to the engines.
            if self.rest.starts_with(['[', ']'])
                || self.rest.starts_with("&&")
                || self.rest.is_empty()
            {
                return None;
            }
            first = false;
            members.extend(self.class_member()?);
        }
        self.eat("]");
        let members = normalized(members);
        Some(if negated { complement(&members) } else { members })
    }

    fn class_member(&mut self) -> Option<Ranges> {
        let low = self.class_character()?;
        if !self.rest.starts_with('-') || self.rest.starts_with("-]") {
            return Some(low);
        }
        self.eat("-");
        if self.rest.starts_with("&&") {
            return None;
        }
        let high = self.class_character()?;
        match (&low[..], &high[..]) {
            (&[(low, same)], &[(high, also)])
                if low == same && high == also && low <= high && !self.fold =>
            {
                Some(vec![(low, high)])
            }
            _ => None,
        }
    }

    fn class_character(&mut self) -> Option<Ranges> {
        match self.next()? {
            '\\' => self.escape(),
            '[' => None,
            literal => self.literal(literal),
        }
    }

    fn quantified(&mut self, node: Node) -> Option<Node> {
        let (min, max, braces) = match self.rest.chars().next() {
            Some('?') => (0, 1, false),
            Some('*') => (0, u32::MAX, false),
            Some('+') => (1, u32::MAX, false),
            Some('{') => {
                let (inside, rest) = self.rest[1..].split_once('}')?;
                let (min, max) = match inside.split_once(',') {
                    None => (times(inside)?, times(inside)?),
                    Some((min, "")) => (times(min)?, u32::MAX),
                    Some((min, max)) => (times(min)?, times(max)?),
                };
                self.rest = rest;
                (min, max, true)
            }
            _ => return Some(node),
        };
        if !braces {
            self.next();
        }
        if min > max || matches!(node, Node::NotAhead(_) | Node::End) {
            return None;
        }
        // Behind braces a plus repeats the whole in Ruby's syntax.
        let possessive = self.rest.starts_with('+');
        if self.rest.starts_with(['?', '*', '{'])
            || (possessive && braces && self.dialect == Dialect::Onig)
        {
            return None;
        }
        if possessive {
            self.next();
        }
        if self.rest.starts_with(['?', '*', '+', '{']) {
            return None;
        }
        Some(Node::Repeat { node: Box::new(node), min, max, possessive })
    }
}

/// How many times something is repeated: digits alone, and no more than engines take.
fn times(text: &str) -> Option<u32> {
    const MOST: u32 = 100_000;
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&times| digits && times <= MOST)
}
