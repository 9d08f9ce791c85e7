//! Sets of code points as sorted ranges that don't touch, both ends in them.

use crate::unicode::{each_kind_run, kind, Category, Engine};
use once_cell::race::OnceBox;

/// A set of code points.
pub type Ranges = Vec<(u32, u32)>;

const LAST: u32 = 0x10FFFF;

/// Sorted and joined.
pub fn normalized(mut ranges: Ranges) -> Ranges {
    ranges.sort_unstable();
    let mut joined: Ranges = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match joined.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// Every code point that is not in a normalized set.
pub fn complement(ranges: &Ranges) -> Ranges {
    let mut rest = Vec::with_capacity(ranges.len() + 1);
    let mut next = 0;
    for &(first, last) in ranges {
        if next < first {
            rest.push((next, first - 1));
        }
        next = last + 1;
    }
    if next <= LAST {
        rest.push((next, LAST));
    }
    rest
}

/// Whether two normalized sets have a member in common.
pub fn intersects(one: &Ranges, other: &Ranges) -> bool {
    let (mut at, mut beside) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(at), other.get(beside)) {
        if a.0 <= b.1 && b.0 <= a.1 {
            return true;
        }
        if a.1 < b.1 {
            at += 1;
        } else {
            beside += 1;
        }
    }
    false
}

/// Code points whose category in an engine `chosen` picks.
pub fn category_ranges(engine: Engine, chosen: impl Fn(Category) -> bool) -> Ranges {
    let chosen = Category::ALL.map(chosen);
    let runs = runs(engine).iter().filter(|run| chosen[run.2 as usize]);
    normalized(runs.map(|run| (run.0, run.1)).collect())
}

/// The engine's `\s`.
pub fn space_ranges(engine: Engine) -> Ranges {
    let spaces = (0..=0x3000).filter(|&code_point| kind(code_point).is_space(engine));
    normalized(spaces.map(|code_point| (code_point, code_point)).collect())
}

/// All code points as runs of one category, found once a process.
fn runs(engine: Engine) -> &'static [(u32, u32, Category)] {
    static RUNS: [OnceBox<Vec<(u32, u32, Category)>>; 2] = [const { OnceBox::new() }; 2];
    let place = match engine {
        Engine::Onig => 0,
        Engine::Regex => 1,
    };
    RUNS[place].get_or_init(|| {
        let mut runs: Vec<(u32, u32, Category)> = Vec::new();
        each_kind_run(|first, last, kind| {
            let category = kind.category(engine);
            match runs.last_mut() {
                Some(run) if run.2 == category => run.1 = last,
                _ => runs.push((first, last, category)),
            }
        });
        Box::new(runs)
    })
}
