//! A thread pool of our own for each process id.
//!
//! Threads do not survive `fork`: a child that waited for its parent's would wait for ever, and
//! so would one that waited for a lock which another thread of its parent held. Pools are
//! therefore kept in a list that only grows, without a lock, and one that another process made is
//! passed over. Pools live as long as the process.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

struct Node {
    process_id: u32,
    threads: usize,
    pool: ThreadPool,
    next: Option<&'static Node>,
}

static POOLS: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

/// The most threads of a pool: results don't depend on their number, and a wrong one should not
/// fill the machine.
pub const MAX_THREADS: usize = 256;

/// How many threads `0` means: the CPUs that this process may use.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` on a pool of `threads` threads (0: as many as CPUs); on the calling thread where
/// one is asked for or none can be started.
pub fn install<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let threads = if threads == 0 { available_threads() } else { threads.min(MAX_THREADS) };
    match pool(threads) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The newest node, if there is one.
fn newest() -> Option<&'static Node> {
    // SAFETY: a pointer in the list is null or comes from `Box::leak`, and is never freed.
    unsafe { POOLS.load(Ordering::Acquire).as_ref() }
}

/// The pool of this size in this process, made on first use.
fn pool(threads: usize) -> Option<&'static ThreadPool> {
    if threads <= 1 {
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
        assert_eq!(install(3, rayon::current_num_threads), 3);
        assert!(pool(1).is_none());
        assert_eq!(install(1, || 7), 7);
        assert_eq!(install(usize::MAX, rayon::current_num_threads), MAX_THREADS);
    }
}
