//! The merge loop: lowest rank first, leftmost among equals.

use fretsaw::model::bpe::merge::{merge_heap, merge_small, rescan, MergeScratch, SMALL};
use fretsaw::tables::MergeTable;
use fretsaw::Tokenizer;
use serde_json::{json, Map, Value};

use crate::data::{alphabet, byte_level, byte_level_json, gpt2, load, Random};

/// The byte tokens in the order of their characters, so that `g` is 70, `s` 82 and `Ġ` 220, and
/// `tokens` behind them.
fn vocabulary_by_character(tokens: &[&str]) -> Value {
    let mut letters = alphabet().to_vec();
    letters.sort_unstable();
    let all = letters.into_iter().map(String::from).chain(tokens.iter().map(|&token| token.into()));
    Value::Object(all.zip(0..).map(|(token, id): (String, u32)| (token, json!(id))).collect())
}

/// The ids of `symbols` by each route that takes so many.
fn by_every_route(merges: &MergeTable, symbols: &[u32]) -> Vec<Vec<u32>> {
    let (mut rescanned, mut heaped) = (symbols.to_vec(), symbols.to_vec());
    rescan(merges.view(), &mut rescanned);
    merge_heap(merges.view(), &mut heaped, &mut MergeScratch::default());
    let mut all = vec![rescanned, heaped];
    if symbols.len() <= SMALL {
        let mut few = [0; SMALL];
        few[..symbols.len()].copy_from_slice(symbols);
        let len = merge_small(merges.view(), &mut few, symbols.len());
        all.push(few[..len].to_vec());
    }
    all
}

#[test]
fn hand_example_merges_from_the_heap() {
    let vocab = vocabulary_by_character(&["ug", "hug", "pug"]);
    let merges = json!([["u", "g"], ["h", "ug"], ["p", "ug"]]);
    let tokenizer = load(&byte_level_json(byte_level(true), vocab, merges));
    assert_eq!(tokenizer.encode("hugs pug").unwrap(), [257, 82, 220, 258]);
    assert_eq!(tokenizer.encode("hugs").unwrap(), [257, 82]);
    assert_eq!(tokenizer.encode("ugug").unwrap(), [256, 256]);

    let (a, aa, aaaa) = (64, 256, 257);
    let vocab = vocabulary_by_character(&["aa", "aaaa"]);
    let merges = json!([["a", "a"], ["aa", "aa"]]);
    let tokenizer = load(&byte_level_json(byte_level(true), vocab, merges));
    let table = MergeTable::build(&[[a, a, 0, aa], [aa, aa, 1, aaaa]]);
    let runs = [
        (1, vec![a]),
        (2, vec![aa]),
        (3, vec![aa, a]),
        (4, vec![aaaa]),
        (5, vec![aaaa, a]),
        (6, vec![aaaa, aa]),
        (7, vec![aaaa, aa, a]),
        (39, [vec![aaaa; 9], vec![aa, a]].concat()),
    ];
    for (count, want) in runs {
        assert_eq!(tokenizer.encode(&"a".repeat(count)).unwrap(), want, "{count}");
        for got in by_every_route(&table, &vec![a; count]) {
            assert_eq!(got, want, "{count}");
        }
    }
}

/// Random vocabularies of strings, where different pairs may make one token and a pair may be
/// there twice: every route gives what the definition over strings gives.
#[test]
fn every_route_equals_naive_bpe_over_strings() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..150 {
        let mut tokens: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let mut merges: Vec<(String, String)> = Vec::new();
        for _ in 0..random.below(40) {
            let (left, right) = (random.pick(&tokens).clone(), random.pick(&tokens).clone());
            if left.len() + right.len() <= 12 {
                let joined = format!("{left}{right}");
                if !tokens.contains(&joined) {
                    tokens.push(joined);
                }
                merges.push((left, right));
            }
        }
        let id = |token: &str| tokens.iter().position(|known| known == token).unwrap() as u32;
        let ranked = merges.iter().zip(0..);
        let listed: Vec<[u32; 4]> =
            ranked.map(|((l, r), rank)| [id(l), id(r), rank, id(&format!("{l}{r}"))]).collect();
        let table = MergeTable::build(&listed);
        let vocab: Map<String, Value> =
            tokens.iter().map(|token| (token.clone(), json!(id(token)))).collect();
        let tokenizer = load(&byte_level_json(byte_level(false), vocab.into(), json!(merges)));
        for _ in 0..20 {
            let len = 1 + random.below(60);
            let text: String = (0..len).map(|_| *random.pick(&['a', 'b', 'c'])).collect();
            let want: Vec<u32> = naive(&merges, &text).iter().map(|token| id(token)).collect();
            let symbols: Vec<u32> = text.chars().map(|c| id(&c.to_string())).collect();
            for got in by_every_route(&table, &symbols) {
                assert_eq!(got, want, "round {round}: {text} {merges:?}");
            }
            assert_eq!(tokenizer.encode(&text).unwrap(), want, "round {round}: {text} {merges:?}");
        }
    }
}

/// Byte-pair encoding from its definition; a pair that is there twice has its last rank.
fn naive(merges: &[(String, String)], text: &str) -> Vec<String> {
    let mut symbols: Vec<String> = text.chars().map(String::from).collect();
    loop {
        let rank =
            |pair: &[String]| merges.iter().rposition(|(l, r)| *l == pair[0] && *r == pair[1]);
        let ranked =
            symbols.windows(2).enumerate().filter_map(|(at, pair)| Some((rank(pair)?, at)));
        let Some((_, at)) = ranked.min() else { return symbols };
        let right = symbols.remove(at + 1);
        symbols[at].push_str(&right);
    }
}

#[test]
fn vocab_and_merge_tables() {
    let gpt2 = gpt2();
    assert_eq!(gpt2.vocab_size(), 50_257);
    assert_eq!(gpt2.vocabulary().len(), 50_257);
    assert_eq!(gpt2.vocab(true).count(), 50_257);
    let fretsaw::spec::Model::Bpe(bpe) = &**gpt2.spec().model else { panic!("GPT-2 is a BPE") };
    let fretsaw::spec::Merges::Pairs(pairs) = &bpe.merges else { panic!("merges are pairs") };
    assert_eq!(pairs.len(), 50_000);
    assert_eq!(pairs.iter().next(), Some(("Ġ", "t")));
    // The first merge makes the first id behind the bytes.
    assert_eq!((gpt2.token_to_id("Ġt"), gpt2.id_to_token(256)), (Some(256), Some("Ġt")));
    assert_eq!(gpt2.token_bytes(256), Some(" t".as_bytes()));
    assert_eq!(
        (gpt2.token_to_id("Ġ"), gpt2.token_to_id("!"), gpt2.token_to_id("no such token")),
        (Some(220), Some(0), None)
    );
    assert_eq!(
        (gpt2.token_bytes(50_256), gpt2.token_bytes(50_257)),
        (Some("<|endoftext|>".as_bytes()), None)
    );
    for (token, id) in gpt2.vocab(true) {
        assert_eq!((gpt2.token_to_id(token), gpt2.id_to_token(id)), (Some(id), Some(token)));
    }
}
