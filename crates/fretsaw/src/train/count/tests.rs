use super::*;
use crate::spec::from_json;

fn counted(json: &str, texts: &[&str], threads: usize) -> Counts {
    limited(json, texts, threads, Limits::default())
}

fn limited(json: &str, texts: &[&str], threads: usize, limits: Limits) -> Counts {
    let spec = from_json(json.as_bytes()).expect("a sound file");
    let counter = Counter::new(&spec, threads, limits).expect("known stages");
    counter.count(texts, Watch::nobody()).expect("texts that can be cut");
    counter.finish()
}

fn file(rest: &str) -> String {
    format!(r#"{{"model": {{"type": "BPE", "vocab": {{}}, "merges": []}}{rest}}}"#)
}

const BYTE_LEVEL: &str = r#", "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false,
    "trim_offsets": true, "use_regex": true}"#;

#[test]
fn pieces_are_spelled_as_the_model_reads_them() {
    let counts = counted(&file(BYTE_LEVEL), &["a b", "é b ", ""], 1);
    let expected = [("a", 1), ("\u{c3}\u{a9}", 1), ("\u{120}", 1), ("\u{120}b", 2)];
    assert_eq!(counts.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn added_tokens_count_as_they_stand() {
    let added = r#", "added_tokens": [{"id": 0, "content": "é b", "single_word": false,
        "lstrip": false, "rstrip": false, "normalized": false, "special": true}]"#;
    let counts = counted(&file(&format!("{BYTE_LEVEL}{added}")), &["a é b", "b"], 1);
    let expected = [("a", 1), ("b", 1), ("é b", 1), ("\u{120}", 1)];
    assert_eq!(counts.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn pieces_of_every_length() {
    for len in [1, 2, 14, 15, 16, 17, 40] {
        let piece = "x".repeat(len);
        let counts = counted(&file(""), &[&piece, &format!("{piece}\0"), &piece], 1);
        let expected = [(piece.as_str(), 2), (&format!("{piece}\0"), 1)];
        assert_eq!(counts.iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn threads_and_order_show_nowhere() {
    let texts: Vec<String> =
        (0..40_000).map(|number| format!("word{} and {}\n", number % 977, number)).collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let one = counted(&file(BYTE_LEVEL), &texts, 1);
    for threads in [2, 3, 8] {
        assert_eq!(counted(&file(BYTE_LEVEL), &texts, threads), one);
    }
    texts.reverse();
    assert_eq!(counted(&file(BYTE_LEVEL), &texts, 2), one);
}

/// Enough text for several rounds, with words of very different counts.
fn rounds() -> Vec<String> {
    let number = |at: usize| at.wrapping_mul(2_654_435_761) % (1 + at % 5000);
    let line = |at: usize| (0..400).map(|word| format!("w{} ", number(at * 400 + word))).collect();
    (0..25_000).map(line).collect()
}

#[test]
fn a_limit_drops_rare_pieces_whatever_the_threads_and_blocks() {
    let texts = rounds();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert!(texts.iter().map(|text| text.len()).sum::<usize>() > 2 * BYTES_A_ROUND);
    let all = counted(&file(BYTE_LEVEL), &texts, 2);
    let limits = Limits { max_distinct: Some(1000), ..Limits::default() };
    let one = limited(&file(BYTE_LEVEL), &texts, 1, limits);
    assert!(one.len() <= 1000 && one.len() > 500, "{}", one.len());
    let of = |counts: &Counts, wanted: &str| {
        counts.iter().find(|(piece, _)| *piece == wanted).map(|(_, count)| count)
    };
    for (piece, count) in one.iter() {
        assert!(of(&all, piece).is_some_and(|exact| exact >= count));
    }
    let spec = from_json(file(BYTE_LEVEL).as_bytes()).expect("a sound file");
    for block in [1, 997] {
        let counter = Counter::new(&spec, 3, limits).expect("known stages");
        for texts in texts.chunks(block) {
            counter.count(texts, Watch::nobody()).expect("texts that can be cut");
        }
        assert_eq!(counter.finish(), one);
    }
}

#[test]
fn equally_rare_pieces_fare_alike() {
    let limits = Limits { max_distinct: Some(2), ..Limits::default() };
    let counts = limited(&file(BYTE_LEVEL), &["aa b c a", "aa"], 1, limits);
    assert_eq!(counts.iter().collect::<Vec<_>>(), [("aa", 2)]);
    let limits = Limits { max_distinct: Some(0), ..Limits::default() };
    assert!(limited(&file(BYTE_LEVEL), &["a b"], 2, limits).is_empty());
}

#[test]
fn long_pieces_are_cut_into_characters() {
    let limits = Limits { max_chars: Some(2), ..Limits::default() };
    let counts = limited(&file(""), &["aééb\u{1F999}", "\u{1F999}"], 1, limits);
    let expected = [("aé", 1), ("éb", 1), ("\u{1F999}", 2)];
    assert_eq!(counts.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn counting_goes_on_from_a_state() {
    let texts: Vec<String> = (0..3000).map(|at| format!("{at} {} x", at % 7)).collect();
    let added = r#", "added_tokens": [{"id": 0, "content": "x", "single_word": false,
        "lstrip": false, "rstrip": false, "normalized": false, "special": true}]"#;
    let spec = from_json(file(&format!("{BYTE_LEVEL}{added}")).as_bytes()).expect("a sound file");
    for limits in [Limits::default(), Limits { max_distinct: Some(10), max_chars: Some(3) }] {
        let new = |threads| Counter::new(&spec, threads, limits).expect("known stages");
        let whole = new(2);
        whole.count(&texts, Watch::nobody()).expect("texts that can be cut");
        let first = new(1);
        first.count(&texts[..1700], Watch::nobody()).expect("texts that can be cut");
        let second = new(3);
        second.restore(&first.state()).expect("a sound state");
        second.count(&texts[1700..], Watch::nobody()).expect("texts that can be cut");
        assert_eq!(second.finish(), whole.finish());
    }
}

#[test]
fn damaged_states_are_refused() {
    let spec = from_json(file("").as_bytes()).expect("a sound file");
    let counter = Counter::new(&spec, 1, Limits::default()).expect("known stages");
    counter.count(&["some words"], Watch::nobody()).expect("texts that can be cut");
    let state = counter.state();
    for len in (0..state.len()).filter(|&len| len != 8) {
        assert!(counter.restore(&state[..len]).is_err(), "{len}");
    }
    for (at, byte) in [(8, 2), (9, 0), (17, 200), (24, 255)] {
        let mut changed = state.clone();
        changed[at] = byte;
        assert!(counter.restore(&changed).is_err(), "{at}");
    }
}

#[test]
fn counting_stops_inside_a_text() {
    let spec = from_json(file(BYTE_LEVEL).as_bytes()).expect("a sound file");
    let counter = Counter::new(&spec, 2, Limits::default()).expect("known stages");
    let text = "word ".repeat(1 << 20);
    let asked = AtomicUsize::new(0);
    let ask = |_: &'static str, _, _| asked.fetch_add(1, Ordering::Relaxed) < 3;
    let stopped = counter.count(&[text], Watch::new(&ask));
    assert!(matches!(stopped, Err(TrainError::Stopped)));
    assert!(asked.into_inner() < 8);
}
