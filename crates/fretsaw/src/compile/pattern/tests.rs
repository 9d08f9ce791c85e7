use super::*;

fn onig(pattern: &str) -> Option<Node> {
    parse(pattern, Dialect::Onig)
}

#[test]
fn rewritten_patterns_have_one_form() {
    for (one, other) in [
        (r"[\p{L}]", r"\p{L}"),
        (r"(?:\p{L}+)", r"\p{L}{1,}"),
        (r"\p{L}", r"[\p{Lo}\p{Lm}\p{Lt}\p{Ll}\p{Lu}]"),
        (r"[^\s\p{L}]", r"[^\p{L}\s]"),
        ("[\\r\\n]", "[\n\r]"),
        (r"'s|'t|'re", r"'(?:[st]|re)"),
        (r"(?i:'s|'re)", r"'(?i:re|s)"),
        (r"a?", r"a{0,1}"),
        (r"\P{L}", r"[^\p{L}]"),
        (r"(a|b)c", r"[ab]c"),
    ] {
        assert!(onig(one).is_some(), "{one}");
        assert_eq!(onig(one), onig(other), "{one} {other}");
    }
}

#[test]
fn patterns_that_differ_stay_apart() {
    for (one, other) in [
        (r"\p{N}{1,3}", r"\p{N}{1,2}"),
        (r"(?i:'s)", r"'[sS]"),
        (r"'s|\p{L}", r"\p{L}|'s"),
        (r"a|ab", r"ab|a"),
        (r"\s+(?!\S)", r"\s+(?!\s)"),
        (r"\p{L}+", r"\p{L}++"),
        (r"\p{L}+", r"\p{L}*"),
    ] {
        assert!(onig(one).is_some() && onig(other).is_some(), "{one} {other}");
        assert_ne!(onig(one), onig(other), "{one} {other}");
    }
}

#[test]
fn what_is_not_known_for_certain_is_left_to_the_engines() {
    for pattern in [
        r"a{1,3}+",
        r"a+?",
        r"[[a]]",
        r"[a&&b]",
        r"\h",
        r"\w",
        r".",
        r"^a",
        r"(?<=a)b",
        r"\pL",
        r"\p{^L}",
        r"(?i:\p{Lu})",
        r"(?i:é)",
        r"(",
        r"a)",
        r"[",
        r"[]a]",
        r"\p{Han}",
        r"(?=a)",
        r"a**",
        r"\1",
        r"[z-a]",
    ] {
        assert_eq!(onig(pattern), None, "{pattern}");
    }
    assert_eq!(parse(&"(".repeat(100_000), Dialect::Fancy), None);
    assert!(parse(r"\p{N}{1,3}+", Dialect::Fancy).is_some());
}
