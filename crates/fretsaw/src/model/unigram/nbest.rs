//! One of the best ways to cut a piece, by chance.
//!
//! The best ways are found from the end of the piece, by A*: the rest of a way is worth as much as the
//! best way to its start, which is known. Of so many ways one is chosen with a weight of
//! exp(`alpha` * score). Where all weights are 0, as on long pieces, it is the best one.
//!
//! Ways of equal score are common (the same tokens in another order), and of those that still fit the
//! oracle takes what its queue has on top. So this queue is of the same kind: a heap with four
//! branches, in which a newcomer rises above its equals.
//!
//! Cost: time and memory in proportion to `nbest_size` times the bytes of the piece where scores differ.
//! Where many ways have the same score but for rounding the search takes longer: with more than
//! [`MOST_OPEN`] open ends only the best few go on, as in the oracle, and nodes that no way needs any
//! more are dropped once they may be most of all. A limit of steps, and one of nodes of 32 bytes, ends a
//! search with an error that would go on and on.
//!
//! Source: Nagata 1994 (<https://aclanthology.org/C94-1032>); behaviour of `Unigram` with `nbest_size`
//! in Hugging Face tokenizers 0.23.3 and of `QuaternaryHeap` in dary_heap 0.3.9.

use super::lattice::Lattice;
use super::matches::NO_MATCH;
use super::Step;
use crate::error::EncodeError;
use crate::model::random::Random;

/// With more open ends than this, only the best go on.
const MOST_OPEN: usize = 100_000;

/// Longer searches are given up.
const MOST_STEPS: usize = 1 << 28;
const MOST_NODES: usize = 1 << 26;

/// How many at most go on then, and how many for each way that is wanted.
const GO_ON: (usize, usize) = (512, 10);

/// Chooses one of the `count` best ways.
///
/// # Errors
///
/// [`EncodeError::NoDistribution`] where the oracle panics over the weights,
/// [`EncodeError::TooManyWays`] at the limits.
pub fn sample_best(
    lattice: &Lattice<'_>,
    count: usize,
    alpha: f64,
    sums: &mut Vec<f64>,
    random: &mut Random,
    best: &mut [Step],
) -> Result<(), EncodeError> {
    best_sums(lattice, sums);
    if count == 1 {
        best_way(lattice, sums, best);
        return Ok(());
    }
    let (nodes, open) = (Vec::new(), Queue::default());
    let mut search = Search { lattice, sums, nodes, open, kept: 0 };
    let piece_bytes = lattice.len();
    let too_many = EncodeError::TooManyWays { piece_bytes, nbest_size: count };
    let ways = search.best_ways(count).ok_or(too_many)?;
    let score = |&way: &u32| search.way(way).map(|(_, step)| step.score).sum::<f64>();
    let weights: Vec<f64> = ways.iter().map(|way| (alpha * score(way)).exp()).collect();
    if weights.iter().sum::<f64>() == f64::INFINITY {
        return Err(EncodeError::NoDistribution { piece_bytes });
    }
    match ways.get(random.weighted(&weights).unwrap_or(0)) {
        Some(&way) => search.way(way).for_each(|(end, step)| best[end] = step),
        None => best_way(lattice, sums, best),
    }
    Ok(())
}

/// The sum of the best way to each place.
fn best_sums(lattice: &Lattice<'_>, sums: &mut Vec<f64>) {
    sums.clear();
    sums.resize(lattice.len() + 1, 0.0);
    for end in lattice.ends() {
        let through = |step: Step| sums[end - step.len as usize] + step.score;
        let more = |one: f64, other: f64| if other > one { other } else { one };
        sums[end] = lattice.steps(end).map(through).reduce(more).unwrap_or(0.0);
    }
}

/// Writes the steps of the best way. Of equal ways it is the one whose last step is found first; the
/// oracle compares sums with the step behind, whose rounding can make them equal.
fn best_way(lattice: &Lattice<'_>, sums: &[f64], best: &mut [Step]) {
    let mut end = lattice.len();
    let mut behind = 0.0;
    while end > 0 {
        let mut found: Option<(f64, Step)> = None;
        for step in lattice.steps(end) {
            let sum = sums[end - step.len as usize] + step.score + behind;
            if found.is_none_or(|(most, _)| sum > most) {
                found = Some((sum, step));
            }
        }
        let Some((_, step)) = found else { return };
        best[end] = step;
        behind = step.score;
        end -= step.len as usize;
    }
}

/// A step of a way that begins somewhere and goes on to the end of the piece.
#[derive(Clone, Copy)]
struct Node {
    step: Step,
    /// Where the step starts; [`WHOLE`] for a way that is whole, in front of its first step.
    start: u32,
    /// The node behind; that of the end of the piece is its own.
    next: u32,
    /// The sum of the steps from here on.
    sum: f64,
}

/// In front of the first step.
const WHOLE: u32 = u32::MAX;

struct Search<'a> {
    lattice: &'a Lattice<'a>,
    /// The sum of the best way to each place.
    sums: &'a [f64],
    /// Each stands behind its `next`.
    nodes: Vec<Node>,
    open: Queue,
    /// How many nodes there were when those that nothing needs were last dropped.
    kept: usize,
}

impl Search<'_> {
    /// The nodes of the best ways, best first; `None` where it would take too long.
    fn best_ways(&mut self, count: usize) -> Option<Vec<u32>> {
        let step = Step { score: 0.0, len: 0, place: NO_MATCH };
        self.nodes.push(Node { step, start: self.lattice.len() as u32, next: 0, sum: 0.0 });
        self.open.push((0.0, 0));
        let mut ways = Vec::new();
        let mut steps = 0;
        while let Some((_, top)) = self.open.pop() {
            steps += 1;
            if steps > MOST_STEPS || self.nodes.len() > MOST_NODES {
                return None;
            }
            let Node { start, sum, .. } = self.nodes[top as usize];
            match start {
                WHOLE => {
                    ways.push(top);
                    if ways.len() == count {
                        break;
                    }
                    continue;
                }
                0 => self.put(step, WHOLE, top, (sum, sum)),
                end => {
                    for step in self.lattice.steps(end as usize) {
                        let start = end - step.len;
                        let whole = self.sums[start as usize] + step.score + sum;
                        self.put(step, start, top, (whole, step.score + sum));
                    }
                }
            }
            if self.open.len() > MOST_OPEN {
                self.keep_best(GO_ON.0.min(count.saturating_mul(GO_ON.1)), &mut ways);
            }
        }
        Some(ways)
    }

    /// Opens an end: what its way is worth at best, and the sum of its steps so far.
    fn put(&mut self, step: Step, start: u32, next: u32, (whole, sum): (f64, f64)) {
        self.open.push((whole, self.nodes.len() as u32));
        self.nodes.push(Node { step, start, next, sum });
    }

    /// Closes all but the best open ends. Nodes that are then in no way are dropped when they may be
    /// most of all, so that it costs little.
    fn keep_best(&mut self, count: usize, ways: &mut [u32]) {
        let mut kept: Vec<(f64, u32)> = (0..count).filter_map(|_| self.open.pop()).collect();
        if self.nodes.len() > 2 * (self.kept + MOST_OPEN) {
            self.drop_nodes(&mut kept, ways);
            self.kept = self.nodes.len();
        }
        self.open = Queue::default();
        kept.into_iter().for_each(|entry| self.open.push(entry));
    }

    /// Drops the nodes that are in no open way and in none of `ways`.
    fn drop_nodes(&mut self, open: &mut [(f64, u32)], ways: &mut [u32]) {
        let mut needed = vec![false; self.nodes.len()];
        needed[0] = true;
        for &node in open.iter().map(|(_, node)| node).chain(ways.iter()) {
            let mut node = node as usize;
            while !needed[node] {
                needed[node] = true;
                node = self.nodes[node].next as usize;
            }
        }
        // A node's `next` comes before it, so that its new place is known.
        let mut places = vec![0; self.nodes.len()];
        let mut count = 0;
        for old in (0..self.nodes.len()).filter(|&old| needed[old]) {
            let node = self.nodes[old];
            self.nodes[count] = Node { next: places[node.next as usize], ..node };
            places[old] = count as u32;
            count += 1;
        }
        self.nodes.truncate(count);
        ways.iter_mut().for_each(|way| *way = places[*way as usize]);
        open.iter_mut().for_each(|(_, node)| *node = places[*node as usize]);
    }

    /// The steps of a whole way, first to last, each with where it ends.
    fn way(&self, whole: u32) -> impl Iterator<Item = (usize, Step)> + '_ {
        let mut at = self.nodes[whole as usize].next;
        std::iter::from_fn(move || {
            let node = self.nodes[at as usize];
            let end = (node.start + node.step.len) as usize;
            (at != 0).then(|| {
                at = node.next;
                (end, node.step)
            })
        })
    }
}

/// A heap with four branches, the greatest on top, a newcomer above its equals.
#[derive(Default)]
struct Queue(Vec<(f64, u32)>);

const BRANCHES: usize = 4;

impl Queue {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, entry: (f64, u32)) {
        self.0.push(entry);
        self.rise(self.0.len() - 1);
    }

    /// Takes the top; what was last sinks along the greatest branches to the ground and rises again.
    fn pop(&mut self) -> Option<(f64, u32)> {
        let last = self.0.pop()?;
        let Some(top) = self.0.first_mut() else { return Some(last) };
        let top = std::mem::replace(top, last);
        let mut at = 0;
        loop {
            let first = BRANCHES * at + 1;
            if first >= self.0.len() {
                break;
            }
            let mut greatest = first;
            for branch in first + 1..self.0.len().min(first + BRANCHES) {
                if self.0[greatest].0 < self.0[branch].0 {
                    greatest = branch;
                }
            }
            self.0.swap(at, greatest);
            at = greatest;
        }
        self.rise(at);
        Some(top)
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / BRANCHES;
            if self.0[at].0 < self.0[parent].0 {
                break;
            }
            self.0.swap(at, parent);
            at = parent;
        }
    }
}
