//! A thread pool of our own for each process id.
//!
//! Threads do not survive `fork`: a child that waited for its parent's would wait for ever, and
//! so would one that waited for a lock which another thread of its parent held. Pools are
//! therefore kept in a list that only grows, without a lock, and one that another process made is
//! passed over. Pools live as long as the process.

use std::ptr;

use crate::sync::{
    shared, AtomicPtr, AtomicUsize, Mutex, Ordering, PoisonError, ThreadPool, ThreadPoolBuilder,
};

struct Node {
    process_id: u32,
    threads: usize,
    pool: ThreadPool,
    next: Option<&'static Node>,
}

shared!(static POOLS: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut()));
shared!(static RUNNING: AtomicUsize = AtomicUsize::new(0));

/// The most threads of a pool: results don't depend on their number, and a wrong one should not
/// fill the machine.
pub const MAX_THREADS: usize = 256;

/// How many threads a caller means: 0 stands for the CPUs that this process may use.
pub fn threads_meant(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        given => given.min(MAX_THREADS),
    }
}

/// Whether helpers are at work, or were when the process was forked: who asks them for more has to wait for
/// what they do.
pub fn is_busy() -> bool {
    RUNNING.load(Ordering::Relaxed) > 0
}

/// A call that has helpers, for as long as it runs.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The results of `work(0)` to `work(parts - 1)`, in order, on `threads` threads (0: as many as
/// CPUs): the calling one, which begins at once, and helpers that take parts as they wake.
pub fn map<R: Send>(threads: usize, parts: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let threads = threads_meant(threads);
    let helpers = match pool(threads - 1) {
        Some(pool) if parts > 1 => pool,
        _ => return (0..parts).map(work).collect(),
    };
    let _running = Running::new();
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = (0..parts).map(|_| Mutex::new(None)).collect();
    let take_parts = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(place) = results.get(at) else { break };
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(work(at));
    };
    helpers.in_place_scope(|scope| {
        for _ in 1..threads.min(parts) {
            scope.spawn(|_| take_parts());
        }
        take_parts();
    });
    let done = |place: Mutex<Option<R>>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(done).collect()
}

/// The newest node, if there is one.
fn newest() -> Option<&'static Node> {
    // SAFETY: a pointer in the list is null or comes from `Box::leak`, and is never freed.
    unsafe { POOLS.load(Ordering::Acquire).as_ref() }
}

/// The pool of this many helpers in this process, made on first use; none where none are wanted
/// or none can be started.
pub(crate) fn pool(threads: usize) -> Option<&'static ThreadPool> {
    if threads == 0 {
        return None;
    }
    let process_id = std::process::id();
    let mut node = newest();
    while let Some(found) = node {
        if (found.process_id, found.threads) == (process_id, threads) {
            return Some(&found.pool);
        }
        node = found.next;
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("fretsaw-{index}"))
        .build()
        .ok()?;
    let node = Box::leak(Box::new(Node { process_id, threads, pool, next: newest() }));
    loop {
        let expected = node.next.map_or(ptr::null_mut(), |next| ptr::from_ref(next).cast_mut());
        // Where another thread was faster, both pools stay in the list; that happens once.
        if POOLS.compare_exchange(expected, node, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return Some(&node.pool);
        }
        node.next = newest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_are_found_again_and_have_their_size() {
        let first = pool(3).expect("threads can be started");
        assert!(ptr::eq(first, pool(3).expect("there")));
        assert!(!ptr::eq(first, pool(2).expect("threads can be started")));
        assert_eq!(first.current_num_threads(), 3);
        assert!(pool(0).is_none());
        assert_eq!(threads_meant(usize::MAX), MAX_THREADS);
        assert!(threads_meant(0) >= 1);
    }

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [0, 1, 2, 7] {
            for parts in [0, 1, 2, 100] {
                let wanted: Vec<usize> = (0..parts).map(|at| at * at).collect();
                assert_eq!(map(threads, parts, |at| at * at), wanted, "{threads} {parts}");
            }
        }
    }
}
