//! `tl-tok bench`: how fast a file is encoded, and what the heap is worth.

use std::path::Path;
use std::time::{Duration, Instant};

use fretsaw::model::bpe::merge::{merge_heap, rescan, MergeScratch};
use fretsaw::spec::{Merges, Model};
use fretsaw::tables::MergeTable;
use fretsaw::{Pipeline, Settings};
use serde::Serialize;

use crate::{read_text, Loaded};

/// Passes after the first; more until this much time is spent, so that short files count too.
const WARM_PASSES: usize = 5;
const WARM_TIME: Duration = Duration::from_millis(200);
/// Texts of a batch are about this long.
const TEXT_BYTES: usize = 1 << 16;
const PIECE_CHARS: usize = 10_000;

#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    tokenizer: &'a Path,
    bytes: usize,
    tokens: usize,
    threads: usize,
    mb_per_s: f64,
    cold_mb_per_s: f64,
    heap_over_rescan_10k_chars: Option<f64>,
}

/// Measures and returns the JSON line.
pub fn run(tokenizer_path: &Path, file_path: &Path, threads: usize) -> Result<String, String> {
    let file = read_text(file_path)?;
    if file.is_empty() {
        return Err(format!("{}: is empty, there is nothing to measure", file_path.display()));
    }
    let loaded = Loaded::load(tokenizer_path)?;
    let threads = fretsaw::pool::threads_meant(threads);
    let texts = texts(&file);
    let (cold, tokens) = pass(&loaded, &texts, threads)?;
    let mut warm = Vec::new();
    while warm.len() < WARM_PASSES || warm.iter().sum::<Duration>() < WARM_TIME {
        let (time, again) = pass(&loaded, &texts, threads)?;
        assert_eq!(again, tokens, "each pass gives the same ids");
        warm.push(time);
    }
    let heap_over_rescan_10k_chars = match &loaded {
        Loaded::Byte => None,
        Loaded::Pipeline(pipeline) => heap_over_rescan(pipeline),
    };
    let mb_per_s = |time: Duration| file.len() as f64 / 1e6 / time.as_secs_f64();
    let report = Report {
        command: "bench",
        tokenizer: tokenizer_path,
        bytes: file.len(),
        tokens,
        threads,
        mb_per_s: mb_per_s(median(warm)),
        cold_mb_per_s: mb_per_s(cold),
        heap_over_rescan_10k_chars,
    };
    serde_json::to_string(&report).map_err(|error| error.to_string())
}

/// The file, cut after line feeds.
fn texts(file: &str) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let wanted = rest.as_bytes().iter().skip(TEXT_BYTES - 1).position(|&byte| byte == b'\n');
        let (text, behind) = rest.split_at(wanted.map_or(rest.len(), |at| at + TEXT_BYTES));
        texts.push(text);
        rest = behind;
    }
    texts
}

/// Encodes all texts once; the time and the number of ids.
fn pass(loaded: &Loaded, texts: &[&str], threads: usize) -> Result<(Duration, usize), String> {
    let start = Instant::now();
    let tokens = match loaded {
        Loaded::Pipeline(pipeline) => {
            let batch = pipeline.encode_batch(
                texts,
                &pipeline.default_special(),
                true,
                &Settings::NONE,
                threads,
            );
            let batch = batch.map_err(|(text, error)| format!("text {text}: {error}"))?;
            batch.iter().map(|encoding| encoding.ids.len()).sum()
        }
        Loaded::Byte => {
            let count = |text: &&str| loaded.tokenizer().encode(text).map(|ids| ids.len());
            texts.iter().map(count).sum::<Result<usize, _>>().map_err(|error| error.to_string())?
        }
    };
    Ok((start.elapsed(), tokens))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The time of the rescan divided by that of the heap on one piece of 10,000 letters; `None` where
/// no two letters of it merge.
fn heap_over_rescan(pipeline: &Pipeline) -> Option<f64> {
    let Model::Bpe(bpe) = &**pipeline.spec().model else { return None };
    let Merges::Pairs(pairs) = &bpe.merges else { return None };
    let id = |token: &str| pipeline.vocabulary().id(token.as_bytes());
    let merge = |((left, right), rank): ((&str, &str), u32)| {
        Some([id(left)?, id(right)?, rank, id(&format!("{left}{right}"))?])
    };
    let merges = MergeTable::build(&pairs.iter().zip(0..).map(merge).collect::<Option<Vec<_>>>()?);
    let letters = ('a'..='z')
        .map(|letter| id(letter.encode_utf8(&mut [0; 4])))
        .collect::<Option<Vec<_>>>()?;
    let mut state = 1u32;
    let symbols: Vec<u32> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        letters[(state >> 16) as usize % letters.len()]
    })
    .take(PIECE_CHARS)
    .collect();

    let start = Instant::now();
    let mut by_rescan = symbols.clone();
    rescan(merges.view(), &mut by_rescan);
    let rescan_time = start.elapsed();
    if by_rescan.len() == symbols.len() {
        return None;
    }
    let mut scratch = MergeScratch::default();
    let heap_times = std::iter::repeat_with(|| {
        let start = Instant::now();
        let mut by_heap = symbols.clone();
        merge_heap(merges.view(), &mut by_heap, &mut scratch);
        let time = start.elapsed();
        assert_eq!(by_heap, by_rescan, "the heap gives the ids of the rescan");
        time
    });
    Some(rescan_time.as_secs_f64() / median(heap_times.take(WARM_PASSES).collect()).as_secs_f64())
}
