//! The best ways through a lattice, best first: a search from the end of the text (A*).
//!
//! A way from the end to some node is worth what it has so far plus the best that can come before it,
//! which is known. The most worthy goes on first; the first to reach the start are the best. Which of
//! two equal ones comes first the heap says, so its moves are those of the C++ library. Where the
//! heap grows too large only the best of it are kept, and where that happens too often the best way
//! is the only one.
//!
//! Cost: bounded by 500,000 partial ways.
//!
//! Source: `Lattice::NBest` of `unigram_model.cc` in sentencepiece 0.2.3, `std::push_heap` and
//! `std::pop_heap` of libstdc++ 12. Its limit of 30 seconds is not kept.

use super::lattice::{Lattice, FIRST, LAST};
use super::Found;

const MOST_WAITING: usize = 10_000;
const FEWEST_WAITING: usize = 512;
const MOST_NEW: usize = 100_000;
const MOST_ALL: usize = 500_000;
const MOST_SHRINKS: usize = 10;

const NONE: u32 = u32::MAX;

/// A way from a node to the end of the text.
#[derive(Clone, Copy)]
struct Way {
    node: u32,
    next: u32,
    /// What the whole text may be worth with it, and what it is worth itself.
    whole: f32,
    own: f32,
}

/// A heap of ways, the most worthy on top.
#[derive(Default)]
struct Agenda(Vec<(f32, u32)>);

impl Agenda {
    fn push(&mut self, way: (f32, u32)) {
        self.0.push(way);
        self.sift_up(self.0.len() - 1, way);
    }

    fn sift_up(&mut self, mut hole: usize, way: (f32, u32)) {
        while hole > 0 && self.0[(hole - 1) / 2].0 < way.0 {
            self.0[hole] = self.0[(hole - 1) / 2];
            hole = (hole - 1) / 2;
        }
        self.0[hole] = way;
    }

    fn pop(&mut self) -> Option<u32> {
        let last = self.0.pop()?;
        let Some(&top) = self.0.first() else { return Some(last.1) };
        let len = self.0.len();
        let mut hole = 0;
        // The hole goes down to a leaf by the larger children, then the last way up from there.
        while 2 * hole + 2 < len {
            let (left, right) = (2 * hole + 1, 2 * hole + 2);
            let larger = if self.0[right].0 < self.0[left].0 { left } else { right };
            self.0[hole] = self.0[larger];
            hole = larger;
        }
        if 2 * hole + 2 == len {
            self.0[hole] = self.0[2 * hole + 1];
            hole = 2 * hole + 1;
        }
        self.sift_up(hole, last);
        Some(top.1)
    }
}

/// The best `size` ways, at least two, and their sums.
pub fn nbest(lattice: &mut Lattice, size: usize) -> Vec<(Vec<Found>, f32)> {
    lattice.find_best();
    let fewest = FEWEST_WAITING.min(size * 10);
    let mut ways =
        vec![Way { node: LAST as u32, next: NONE, whole: lattice.nodes[LAST].best, own: 0.0 }];
    let mut agenda = Agenda::default();
    agenda.push((ways[0].whole, 0));
    let (mut all, mut most_ways, mut shrinks) = (1, MOST_NEW, 0);
    let mut found = Vec::new();
    while let Some(top) = agenda.pop() {
        let way = ways[top as usize];
        if way.node as usize == FIRST {
            found.push((pieces(lattice, &ways, way), way.whole));
            if found.len() == size {
                break;
            }
            continue;
        }
        let lefts = &lattice.end[lattice.nodes[way.node as usize].pos];
        for &left in lefts {
            let node = lattice.nodes[left];
            let (own, whole) = (node.score + way.own, node.best + way.own);
            agenda.push((whole, ways.len() as u32));
            ways.push(Way { node: left as u32, next: top, whole, own });
        }
        all += lefts.len();
        if all >= MOST_ALL || ways.len() >= MOST_ALL {
            return vec![lattice.best_way()];
        }
        let waiting = agenda.0.len();
        if waiting >= MOST_WAITING || waiting > fewest && ways.len() >= most_ways {
            if shrinks >= MOST_SHRINKS {
                return vec![lattice.best_way()];
            }
            shrinks += 1;
            (ways, agenda) = kept(&ways, agenda, fewest);
            most_ways = ways.len() + MOST_NEW;
        }
    }
    found
}

/// The pieces of a way from the start of the text on.
fn pieces(lattice: &Lattice, ways: &[Way], way: Way) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = way.next;
    while let Some(way) = ways.get(at as usize).filter(|way| way.next != NONE) {
        found.push(lattice.found(way.node as usize));
        at = way.next;
    }
    found
}

/// The best `size` of those that wait, and the ways that they go on with.
fn kept(ways: &[Way], mut agenda: Agenda, size: usize) -> (Vec<Way>, Agenda) {
    let mut moved = vec![NONE; ways.len()];
    let (mut kept, mut waiting) = (Vec::new(), Agenda::default());
    for _ in 0..size.min(agenda.0.len()) {
        let Some(top) = agenda.pop() else { break };
        // Those behind it come first, so that what a way goes on with has its place.
        let mut chain = Vec::new();
        let mut at = top;
        while at != NONE && moved[at as usize] == NONE {
            chain.push(at);
            at = ways[at as usize].next;
        }
        for at in chain.into_iter().rev() {
            let way = ways[at as usize];
            moved[at as usize] = kept.len() as u32;
            let next = if way.next == NONE { NONE } else { moved[way.next as usize] };
            kept.push(Way { next, ..way });
        }
        waiting.push((ways[top as usize].whole, moved[top as usize]));
    }
    (kept, waiting)
}
