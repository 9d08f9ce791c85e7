//! Models of the caches: no two threads have one cache, and the budget is kept and given back.

use fretsaw_loom::cache::{
    limit_bytes, set_limit_bytes, used_bytes, CachePool, PieceCache, Short, MAX_ID,
};
use fretsaw_loom::short_key;
use loom::model::Builder;
use loom::thread;

/// Runs a model in all orders with at most two preemptions, which is where such faults show.
fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 100_000;
    builder.check(run);
}

fn put(cache: &mut PieceCache, piece: &[u8], id: u32) {
    cache.insert_short(short_key(piece, 0, piece.len()), &[id & MAX_ID]);
}

fn id_of(cache: &PieceCache, piece: &[u8]) -> Option<u32> {
    let key = short_key(piece, 0, piece.len());
    match cache.short(key, cache.short_set(key.hash())) {
        Short::Inline(ids, 1) => Some(ids[0]),
        _ => None,
    }
}

#[test]
fn a_cache_is_lent_to_one_thread_at_a_time() {
    model(|| {
        let pool = CachePool::new();
        let mut first = pool.take();
        put(&mut first, b"kept", 7);
        pool.give_back(first);
        let theirs = pool.clone();
        let work = |pool: &CachePool, piece: &[u8], id: u32| {
            let mut cache = pool.take();
            // Lent to two threads, it would have the piece of the other.
            let known = id_of(&cache, b"kept").is_some();
            put(&mut cache, piece, id);
            assert_eq!(id_of(&cache, piece), Some(id));
            pool.give_back(cache);
            known
        };
        let other = thread::spawn(move || work(&theirs, b"one", 1));
        work(&pool, b"two", 2);
        other.join().expect("ends");
        drop(pool);
        assert_eq!(used_bytes(), 0, "what was reserved is given back");
    });
}

#[test]
fn the_budget_is_never_overdrawn() {
    model(|| {
        let pool = CachePool::new();
        let mut cache = pool.take();
        put(&mut cache, b"a", 1);
        let one = used_bytes();
        drop(cache);
        // There is room for one cache, and two threads want one each.
        set_limit_bytes(one + one / 2);
        let theirs = pool.clone();
        let work = |pool: &CachePool| {
            let mut cache = pool.take();
            put(&mut cache, b"a", 1);
            assert!(used_bytes() <= limit_bytes(), "{} bytes are used", used_bytes());
            pool.give_back(cache);
        };
        let other = thread::spawn(move || work(&theirs));
        work(&pool);
        other.join().expect("ends");
        drop(pool);
        assert_eq!(used_bytes(), 0, "what was reserved is given back");
    });
}

#[test]
fn idle_caches_of_another_pool_make_room() {
    model(|| {
        let (idle, busy) = (CachePool::new(), CachePool::new());
        let mut cache = idle.take();
        put(&mut cache, b"a", 1);
        set_limit_bytes(used_bytes());
        idle.give_back(cache);
        let other = {
            let idle = idle.clone();
            thread::spawn(move || {
                let cache = idle.take();
                idle.give_back(cache);
            })
        };
        let mut cache = busy.take();
        put(&mut cache, b"b", 2);
        assert!(used_bytes() <= limit_bytes());
        busy.give_back(cache);
        other.join().expect("ends");
        drop((idle, busy));
        assert_eq!(used_bytes(), 0, "what was reserved is given back");
    });
}
