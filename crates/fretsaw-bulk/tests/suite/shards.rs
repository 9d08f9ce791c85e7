//! Shards from documents: every checkpoint leads to the same shards, however blocks were cut.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use fretsaw_bulk::{
    Checkpoint, Closed, Encoded, Layout, Plan, Reason, Reject, ShardSink, Tally, Width,
};

/// Documents of 0 to 9 tokens in blocks of `per_block`, from one on; every eleventh is rejected.
fn blocks(from: u64, per_block: u64) -> Vec<Encoded> {
    const COUNT: u64 = 160;
    let mut blocks = Vec::new();
    let mut start = from;
    while start < COUNT {
        let end = (start + per_block).min(COUNT);
        let mut block = Encoded {
            file: 0,
            next: end,
            bytes: 0,
            tokens: Vec::new(),
            ends: Vec::new(),
            places: Vec::new(),
            hashes: Vec::new(),
            rejects: Vec::new(),
        };
        for number in start..end {
            let before = block.ends.len() as u32;
            if number % 11 == 3 {
                block.rejects.push(Reject { at: number, before, reason: Reason::NoField });
                continue;
            }
            let same = number % 7; // its tokens and its hash
            for _ in 0..number % 10 {
                block.tokens.extend((same as u16).to_le_bytes());
            }
            block.ends.push(block.tokens.len() as u64 / 2);
            block.places.push(number);
            block.hashes.push(u128::from(number % 10 * 7 + same));
        }
        blocks.push(block);
        start = end;
    }
    blocks
}

fn plan(folder: &Path) -> Plan {
    Plan {
        folder: folder.to_owned(),
        inputs: vec!["input".to_owned()],
        layout: Layout::Flat,
        width: Width::U16,
        shard_tokens: 60,
        pack: None,
        shuffle: None,
        dedup: false,
        strict: false,
    }
}

fn run(plan: Plan, from: Checkpoint, per_block: u64) -> Vec<Closed> {
    let tally = Arc::new(Mutex::new(Tally::default()));
    let mut sink = ShardSink::open(plan, from, tally.clone()).unwrap();
    if from.file == 0 {
        for block in blocks(from.at, per_block) {
            sink.take(&block).unwrap();
        }
    }
    sink.finish().unwrap();
    let closed = std::mem::take(&mut tally.lock().unwrap().closed);
    closed
}

/// All files of a folder that stay, with their content.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .filter(|(name, _)| !name.starts_with('.'))
        .collect();
    files.sort();
    files
}

#[test]
fn every_checkpoint_leads_to_the_same_shards() {
    let plans: [fn(&mut Plan); 6] = [
        |_| {},
        |plan| plan.pack = Some(16),
        |plan| plan.shuffle = Some((5, 37)),
        |plan| (plan.shuffle, plan.pack) = (Some((5, 37)), Some(16)),
        |plan| (plan.dedup, plan.shard_tokens) = (true, 20),
        |plan| (plan.dedup, plan.shuffle, plan.shard_tokens) = (true, Some((1, 10)), 20),
    ];
    for (number, change) in plans.iter().enumerate() {
        let whole = tempfile::tempdir().unwrap();
        let planned = |folder: &Path| {
            let mut plan = plan(folder);
            change(&mut plan);
            plan
        };
        let closed = run(planned(whole.path()), Checkpoint::default(), 200);
        let wanted = content(whole.path());
        assert!(closed.len() > 5, "{number}");
        for per_block in [1, 13] {
            let other = tempfile::tempdir().unwrap();
            run(planned(other.path()), Checkpoint::default(), per_block);
            assert_eq!(content(other.path()), wanted, "{number} {per_block}");
        }
        for (index, shard) in closed.iter().enumerate() {
            // All is as the job leaves it, but later shards are not there.
            for later in &closed[index + 1..] {
                for (name, _) in &later.files {
                    fs::remove_file(whole.path().join(name)).unwrap();
                }
            }
            let rest = run(planned(whole.path()), shard.next, 29);
            assert_eq!(rest, closed[index + 1..], "{number} {index}");
            assert_eq!(content(whole.path()), wanted, "{number} {index}");
        }
    }
}

#[test]
fn strict_stops_at_the_first_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { strict: true, ..plan(folder.path()) };
    let mut sink = ShardSink::open(plan, Checkpoint::default(), Arc::default()).unwrap();
    let error = sink.take(&blocks(0, 200)[0]).unwrap_err();
    assert_eq!(error.to_string(), "input at offset 3: the field is missing");
}

#[test]
fn blocks_go_to_other_machines_and_back() {
    let block = blocks(0, 200).remove(0);
    let bytes = block.to_bytes().unwrap();
    assert_eq!(Encoded::from_bytes(&bytes, 2).unwrap(), block);
    for end in 0..bytes.len() {
        assert!(Encoded::from_bytes(&bytes[..end], 2).is_err());
    }
    let wrong = Encoded { ends: vec![1], ..block };
    assert!(Encoded::from_bytes(&wrong.to_bytes().unwrap(), 2).is_err());
}
