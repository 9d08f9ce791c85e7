//! Models of the pools of a process: none is lost, what one thread made another sees whole, results are
//! in order.

use fretsaw_loom::pool::map;
use fretsaw_loom::pool_of as pool;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::Arc;
use loom::thread;

#[test]
fn pools_that_are_made_at_once_are_whole_and_found_again() {
    loom::model(|| {
        let other = thread::spawn(|| pool(2).expect("made").current_num_threads());
        let own = pool(1).expect("made");
        assert_eq!(own.current_num_threads(), 1);
        assert_eq!(other.join().expect("ends"), 2);
        assert!(std::ptr::eq(own, pool(1).expect("there")), "a pool was lost");
    });
}

#[test]
fn two_threads_may_want_the_same_pool() {
    loom::model(|| {
        let wanted = || {
            let found = pool(1).expect("made");
            // Whoever made it, it is whole.
            assert_eq!(found.current_num_threads(), 1);
            std::ptr::from_ref(found) as usize
        };
        let other = thread::spawn(wanted);
        let own = wanted();
        let other = other.join().expect("ends");
        let found = pool(1).expect("there");
        assert_eq!(found.current_num_threads(), 1);
        assert!([own, other].contains(&(std::ptr::from_ref(found) as usize)));
    });
}

#[test]
fn results_are_in_order_and_each_part_is_done_once() {
    loom::model(|| {
        let done = Arc::new([0, 0, 0].map(AtomicUsize::new));
        let counted = done.clone();
        let results = map(2, 3, move |at| {
            counted[at].fetch_add(1, Ordering::Relaxed);
            at * 10
        });
        assert_eq!(results, [0, 10, 20]);
        for times in done.iter() {
            assert_eq!(times.load(Ordering::Relaxed), 1);
        }
    });
}
