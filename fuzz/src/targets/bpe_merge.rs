//! `bpe_merge`: random merges, by each route: looking again and again, a small array, a heap, and what
//! the compiled model takes, against the book over strings.

use fretsaw::model::bpe::merge::{merge_heap, merge_small, rescan, MergeScratch, SMALL};
use fretsaw::tables::MergeTable;
use fretsaw::{load_bytes, Tokenizer};
use serde_json::json;

use crate::book::alphabet::{alphabet, spell};
use crate::book::merge::Merges;
use crate::draw::Draw;
use crate::small::byte_level;

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    // The backtracking route needs every byte to be a token.
    let all_bytes = draw.one_in(2);
    let letters = ["a", "b", "c"];
    let mut tokens: Vec<String> = match all_bytes {
        true => alphabet().iter().map(char::to_string).collect(),
        false => letters.map(str::to_owned).to_vec(),
    };
    let mut made: Vec<String> = letters.map(str::to_owned).to_vec();
    let mut merges: Vec<(String, String)> = Vec::new();
    for _ in 0..draw.below(48) {
        let (left, right) = (draw.pick(&made).clone(), draw.pick(&made).clone());
        if left.len() + right.len() > 24 || draw.is_empty() {
            continue;
        }
        let joined = format!("{left}{right}");
        if !made.contains(&joined) {
            made.push(joined.clone());
            tokens.push(joined);
        }
        merges.push((left, right));
    }
    let id = |token: &str| tokens.iter().position(|known| known == token).unwrap_or(0) as u32;
    let ignore_merges = draw.one_in(4);
    let json = json!({
        "pre_tokenizer": byte_level(),
        "model": {
            "type": "BPE",
            "vocab": tokens.iter().map(|token| (token.clone(), json!(id(token)))).collect::<serde_json::Map<_, _>>(),
            "merges": merges,
            "ignore_merges": ignore_merges,
        },
    });
    let pipeline = load_bytes(json.to_string().as_bytes()).expect("a sound file");
    let text = draw.text_of(&letters, 80);
    let known: Vec<u32> =
        Merges::new(&merges).apply(&spell(text.as_bytes())).iter().map(|token| id(token)).collect();
    let whole = tokens.iter().any(|token| *token == text) && ignore_merges;
    let wanted = if whole { vec![id(&text)] } else { known.clone() };
    assert_eq!(pipeline.encode(&text), Ok(wanted), "{text} {merges:?}");

    let ranked = merges.iter().zip(0..);
    let listed: Vec<[u32; 4]> = ranked
        .map(|((left, right), rank)| [id(left), id(right), rank, id(&format!("{left}{right}"))])
        .collect();
    let table = MergeTable::build(&listed);
    let symbols: Vec<u32> = text.chars().map(|c| id(&c.to_string())).collect();
    let (mut rescanned, mut heaped) = (symbols.clone(), symbols.clone());
    rescan(table.view(), &mut rescanned);
    merge_heap(table.view(), &mut heaped, &mut MergeScratch::default());
    assert_eq!(rescanned, known, "{text} {merges:?}");
    assert_eq!(heaped, known, "{text} {merges:?}");
    if symbols.len() <= SMALL {
        let mut few = [0; SMALL];
        few[..symbols.len()].copy_from_slice(&symbols);
        let len = merge_small(table.view(), &mut few, symbols.len());
        assert_eq!(few[..len], known, "{text} {merges:?}");
    }
    Some(())
}
