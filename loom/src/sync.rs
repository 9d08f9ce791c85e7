//! Loom's primitives under the names of `crates/fretsaw/src/sync.rs`, and a pool in the place of rayon's.

use std::mem::transmute;
use std::sync::Mutex as Plain;

use loom::cell::UnsafeCell;
use loom::thread::{self, JoinHandle};

pub use loom::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
pub use loom::sync::{Mutex, MutexGuard};
pub use loom::thread_local;
pub use std::sync::PoisonError;

/// A static that each run of a model finds new.
macro_rules! shared {
    ($(#[$about:meta])* static $name:ident: $kind:ty = $value:expr) => {
        loom::lazy_static! {
            $(#[$about])*
            static ref $name: $kind = $value;
        }
    };
}
pub(crate) use shared;

/// Makes a [`ThreadPool`].
pub struct ThreadPoolBuilder {
    threads: usize,
}

impl ThreadPoolBuilder {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { threads: 0 }
    }

    pub fn num_threads(self, threads: usize) -> Self {
        Self { threads }
    }

    pub fn thread_name(self, _name: impl FnMut(usize) -> String) -> Self {
        self
    }

    pub fn build(self) -> Result<ThreadPool, ()> {
        Ok(ThreadPool { threads: UnsafeCell::new(self.threads) })
    }
}

/// What it knows is written when it is made. Loom fails a model in which another thread reads it
/// without having been told of that.
pub struct ThreadPool {
    threads: UnsafeCell<usize>,
}

// SAFETY: it is never written again, and loom sees that it is not read before.
unsafe impl Sync for ThreadPool {}

impl ThreadPool {
    pub fn current_num_threads(&self) -> usize {
        // SAFETY: nobody writes what is read.
        self.threads.with(|threads| unsafe { *threads })
    }

    /// Runs work in this thread, and what that spawns in threads that have ended when it returns.
    pub fn in_place_scope<'scope, R>(&self, work: impl FnOnce(&Scope<'scope>) -> R) -> R {
        assert!(self.current_num_threads() > 0);
        let scope = Scope { begun: Plain::default(), life: std::marker::PhantomData };
        let done = work(&scope);
        for thread in scope.begun.into_inner().expect("no thread panics with it") {
            thread.join().expect("the model's thread ends");
        }
        done
    }
}

/// Where work is spawned.
pub struct Scope<'scope> {
    begun: Plain<Vec<JoinHandle<()>>>,
    life: std::marker::PhantomData<&'scope mut &'scope ()>,
}

impl<'scope> Scope<'scope> {
    pub fn spawn(&self, work: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        let scope = Scope { begun: Plain::default(), life: std::marker::PhantomData };
        let work: Box<dyn FnOnce() + Send + 'scope> = Box::new(move || work(&scope));
        // SAFETY: `in_place_scope` waits for the thread, and what is borrowed outlives that.
        let work: Box<dyn FnOnce() + Send + 'static> = unsafe { transmute(work) };
        self.begun.lock().expect("no thread panics with it").push(thread::spawn(work));
    }
}
