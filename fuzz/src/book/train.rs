//! Training byte-pair encoding, from the description in `fretsaw.reference`: as long as there is room,
//! the pair with the highest count (the smallest ids among equals) becomes a rule and a token and is
//! merged from the left in each word that it was queued with. Counts are kept, not taken again, with
//! the habits of Hugging Face tokenizers 0.23.3 that this brings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

type Pair = (u32, u32);

/// Tokens in the order of ids, and merges in rank order.
pub fn learn(
    words: &[(&str, u64)],
    vocab_size: usize,
    min_frequency: u64,
) -> (Vec<String>, Vec<Pair>) {
    let alphabet: BTreeSet<char> = words.iter().flat_map(|(word, _)| word.chars()).collect();
    let mut tokens: Vec<String> = alphabet.iter().map(char::to_string).collect();
    let id = |c: char| alphabet.iter().position(|&known| known == c).unwrap_or(0) as u32;
    let mut rows: Vec<Vec<u32>> =
        words.iter().map(|(word, _)| word.chars().map(id).collect()).collect();
    let mut counts: HashMap<Pair, i64> = HashMap::new();
    let mut places: BTreeMap<Pair, BTreeSet<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for pair in row.windows(2) {
            *counts.entry((pair[0], pair[1])).or_default() += words[at].1 as i64;
            places.entry((pair[0], pair[1])).or_default().insert(at);
        }
    }
    let mut queue = Vec::new();
    enqueue(&mut queue, &counts, std::mem::take(&mut places));
    let mut rules: Vec<Pair> = Vec::new();
    while tokens.len() < vocab_size {
        // The highest count, then the smallest pair, then the oldest.
        let first = queue.iter().enumerate().min_by_key(|(_, (count, pair, _))| (-count, *pair));
        let Some((at, _)) = first else { break };
        let (count, pair, at_words) = queue.remove(at);
        let now = counts.get(&pair).copied().unwrap_or(0);
        if count != now {
            queue.push((now, pair, at_words));
            continue;
        }
        if now < 1 || (now as u64) < min_frequency {
            break;
        }
        let merged = [pair.0, pair.1].map(|id| tokens[id as usize].clone()).concat();
        let known = tokens.iter().position(|token| *token == merged);
        let merged_id = known.unwrap_or(tokens.len()) as u32;
        if known.is_none() {
            tokens.push(merged);
        }
        rules.retain(|rule| *rule != pair);
        rules.push(pair);
        for at in at_words {
            for (changed, change) in merge(&mut rows[at], pair, merged_id) {
                *counts.entry(changed).or_default() += change * words[at].1 as i64;
                if change > 0 {
                    places.entry(changed).or_default().insert(at);
                }
            }
        }
        enqueue(&mut queue, &counts, std::mem::take(&mut places));
    }
    (tokens, rules)
}

type Queue = Vec<(i64, Pair, BTreeSet<usize>)>;

fn enqueue(
    queue: &mut Queue,
    counts: &HashMap<Pair, i64>,
    places: BTreeMap<Pair, BTreeSet<usize>>,
) {
    for (pair, at_words) in places {
        let count = counts.get(&pair).copied().unwrap_or(0);
        if count > 0 {
            queue.push((count, pair, at_words));
        }
    }
}

/// Merges a pair in a row; returns the pairs that vanish and those that appear.
fn merge(row: &mut Vec<u32>, pair: Pair, merged: u32) -> Vec<(Pair, i64)> {
    let (mut changes, mut at) = (Vec::new(), 0);
    while at + 1 < row.len() {
        if (row[at], row[at + 1]) == pair {
            row[at] = merged;
            row.remove(at + 1);
            if at > 0 {
                changes.push(((row[at - 1], pair.0), -1));
                changes.push(((row[at - 1], merged), 1));
            }
            if at + 1 < row.len() {
                changes.push(((pair.1, row[at + 1]), -1));
                changes.push(((merged, row[at + 1]), 1));
            }
        }
        at += 1;
    }
    changes
}
