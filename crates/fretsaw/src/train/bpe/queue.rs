//! The queue of pairs: the highest count first, then the smallest pair, then the older entry.
//!
//! Most pairs are rare and never come up. Only entries with a count of at least `floor` are in a
//! heap; the others wait in no order until the heap is empty, and then the floor falls by half.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::BinaryHeap;

use super::pairs::Pair;

/// A count, a pair, and the number of the entry.
type Queued = (u64, Reverse<Pair>, Reverse<u32>);

/// Entries by the counts that they had when they were put in.
#[derive(Default)]
pub struct Queue {
    heap: BinaryHeap<Queued>,
    floor: u64,
    waiting: Vec<Queued>,
}

impl Queue {
    /// A queue that is going to be filled: everything waits.
    pub fn new() -> Self {
        Queue::with_floor(u64::MAX)
    }

    /// A queue in which entries below a count wait.
    pub fn with_floor(floor: u64) -> Self {
        Queue { floor, ..Queue::default() }
    }

    /// Entries below this wait.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// All entries that are in, in no order.
    pub fn entries(&self) -> Vec<(u64, Pair, u32)> {
        let all = self.heap.iter().chain(&self.waiting);
        all.map(|&(count, Reverse(pair), Reverse(entry))| (count, pair, entry)).collect()
    }

    /// Puts an entry in.
    pub fn push(&mut self, count: u64, pair: Pair, entry: u32) {
        let queued = (count, Reverse(pair), Reverse(entry));
        if count >= self.floor {
            self.heap.push(queued);
        } else {
            self.waiting.push(queued);
        }
    }

    /// Takes the first entry whose count is still what `now` says of its pair; those before it are
    /// put back with the count that they have now.
    pub fn pop(&mut self, now: impl Fn(Pair) -> u64) -> Option<(u64, Pair, u32)> {
        loop {
            let Some(mut top) = self.heap.peek_mut() else {
                if self.waiting.is_empty() {
                    return None;
                }
                self.lower_floor();
                continue;
            };
            let (count, Reverse(pair), Reverse(entry)) = *top;
            let now = now(pair);
            if now == count {
                PeekMut::pop(top);
                return Some((count, pair, entry));
            }
            if now >= self.floor {
                top.0 = now;
            } else {
                PeekMut::pop(top);
                self.waiting.push((now, Reverse(pair), Reverse(entry)));
            }
        }
    }

    fn lower_floor(&mut self) {
        let most = self.waiting.iter().map(|queued| queued.0).max().unwrap_or_default();
        let floor = most / 2;
        let mut heap = Vec::new();
        self.waiting.retain(|queued| {
            let waits = queued.0 < floor;
            if !waits {
                heap.push(*queued);
            }
            waits
        });
        self.floor = floor;
        self.heap = heap.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_out_in_order_with_counts_of_now() {
        let mut queue = Queue::new();
        for (count, pair, entry) in [(1, 5, 0), (9, 4, 1), (9, 3, 2), (0, 1, 3), (8, 9, 4)] {
            queue.push(count, pair, entry);
        }
        // The count of pair 9 has fallen since.
        let now = |pair: Pair| [0, 0, 0, 9, 9, 1, 0, 0, 0, 1][pair as usize];
        let mut order = Vec::new();
        while let Some((_, pair, _)) = queue.pop(now) {
            order.push(pair);
            if pair == 4 {
                queue.push(9, 3, 7);
            }
        }
        assert_eq!(order, [3, 4, 3, 5, 9, 1]);
    }
}
