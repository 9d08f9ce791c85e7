//! Blocks through several threads, and out again in the order in which they came in.
//!
//! The caller pushes blocks, workers encode them, and one thread hands them on in order. A push waits while
//! the blocks between reading and handing on hold more than a limit, so memory is bounded whatever is
//! slowest. The first error ends everything; who pushes is told of it.
//!
//! Cost: two channel operations and one lock for each block.

use std::collections::BTreeMap;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::block::{Block, Encoded};
use crate::documents::Kind;
use crate::encode::BlockEncoder;
use crate::error::BulkError;

/// What blocks between reading and handing on may hold for each worker, and one more: text, of which the
/// ids take about as much again. Larger blocks may be as many as that.
const FLIGHT_BYTES_A_WORKER: usize = 1 << 20;

/// What all of them may hold, however many workers there are and however large a block is.
const MAX_FLIGHT_BYTES: usize = 128 << 20;

/// What a block takes beside its text.
const BLOCK_COST: usize = 1 << 12;

type Numbered<T> = (u64, usize, T);

/// A block with what its input holds.
type Read = (Block, Arc<Kind>);

/// What all threads know.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    in_flight: usize,
    blocks: usize,
    error: Option<BulkError>,
    /// Nothing is handed on any more.
    over: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that a thread without which nothing goes on is gone: `always`, or only where it panicked.
struct Over {
    shared: Arc<Shared>,
    always: bool,
}

impl Drop for Over {
    fn drop(&mut self) {
        if self.always || thread::panicking() {
            self.shared.state().over = true;
            self.shared.changed.notify_all();
        }
    }
}

/// Blocks on their way.
pub struct Flow {
    shared: Arc<Shared>,
    blocks: Option<Sender<Numbered<Read>>>,
    ready: Option<Sender<Numbered<Encoded>>>,
    threads: Vec<JoinHandle<()>>,
    pushed: u64,
    workers: usize,
}

impl Flow {
    /// Starts the threads; `hand_on` gets the blocks in order, and `None` after the last. Where not all
    /// can be started, those that were end again.
    pub fn start(
        encoder: Arc<BlockEncoder>,
        workers: usize,
        hand_on: impl FnMut(Option<Encoded>) -> Result<(), BulkError> + Send + 'static,
    ) -> Result<Self, BulkError> {
        let workers = workers.max(1);
        let shared = Arc::new(Shared::default());
        let (blocks, received) = channel();
        let (ready, encoded) = channel();
        let received = Arc::new(Mutex::new(received));
        let mut threads = Vec::with_capacity(workers + 1);
        for _ in 0..workers {
            let (encoder, received, ready) = (encoder.clone(), received.clone(), ready.clone());
            let over = Over { shared: shared.clone(), always: false };
            threads.push(started(move || {
                let _over = over;
                work(&encoder, &received, &ready);
            })?);
        }
        let over = Over { shared: shared.clone(), always: true };
        threads.push(started(move || in_order(&over.shared, &encoded, hand_on))?);
        let (blocks, ready) = (Some(blocks), Some(ready));
        Ok(Self { shared, blocks, ready, threads, pushed: 0, workers })
    }

    /// Gives a block to the workers; waits while too much is on its way.
    pub fn push(&mut self, block: Block, kind: &Arc<Kind>) -> Result<(), BulkError> {
        let cost = self.wait_for(block.size())?;
        let sender = self.blocks.as_ref().ok_or(BulkError::Ended)?;
        sender.send((self.pushed, cost, (block, kind.clone()))).map_err(|_| BulkError::Ended)?;
        self.pushed += 1;
        Ok(())
    }

    /// Gives on a block that was encoded elsewhere.
    pub fn push_encoded(&mut self, block: Encoded) -> Result<(), BulkError> {
        let cost = self.wait_for(block.tokens.len())?;
        let sender = self.ready.as_ref().ok_or(BulkError::Ended)?;
        sender.send((self.pushed, cost, block)).map_err(|_| BulkError::Ended)?;
        self.pushed += 1;
        Ok(())
    }

    /// Waits until everything is handed on.
    pub fn finish(mut self) -> Result<(), BulkError> {
        self.close();
        match self.shared.state().error.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Ends the threads; whether all did well.
    fn close(&mut self) {
        self.blocks = None;
        self.ready = None;
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                self.shared.state().error.get_or_insert(BulkError::Ended);
            }
        }
    }

    fn wait_for(&self, bytes: usize) -> Result<usize, BulkError> {
        let cost = bytes + BLOCK_COST;
        let mut state = self.shared.state();
        while !state.over && self.is_full(&state, cost) {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.over {
            return Err(state.error.take().unwrap_or(BulkError::Ended));
        }
        state.in_flight += cost;
        state.blocks += 1;
        Ok(cost)
    }

    /// Whether a block has to wait; one alone never has to.
    fn is_full(&self, state: &State, cost: usize) -> bool {
        let bytes = state.in_flight + cost;
        let enough = FLIGHT_BYTES_A_WORKER.saturating_mul(self.workers + 1).min(MAX_FLIGHT_BYTES);
        state.blocks > 0
            && (bytes > MAX_FLIGHT_BYTES || bytes > enough && state.blocks > self.workers)
    }
}

impl Drop for Flow {
    /// A flow that is dropped before its end leaves what is on its way behind.
    fn drop(&mut self) {
        self.shared.state().over = true;
        self.close();
    }
}

/// A thread that does this, or the error that there can be none.
pub fn started<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, BulkError> {
    let thread = thread::Builder::new().spawn(work);
    thread.map_err(|error| BulkError::NoThread { kind: error.kind() })
}

type Queue = Mutex<Receiver<Numbered<Read>>>;

fn work(encoder: &BlockEncoder, received: &Queue, ready: &Sender<Numbered<Encoded>>) {
    loop {
        let next = received.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, cost, (block, kind))) = next else { return };
        if ready.send((number, cost, encoder.encode(&block, &kind))).is_err() {
            return;
        }
    }
}

fn in_order(
    shared: &Shared,
    encoded: &Receiver<Numbered<Encoded>>,
    mut hand_on: impl FnMut(Option<Encoded>) -> Result<(), BulkError>,
) {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    while let Ok((number, cost, block)) = encoded.recv() {
        waiting.insert(number, (cost, block));
        while let Some((cost, block)) = waiting.remove(&next) {
            next += 1;
            if shared.state().over {
                return;
            }
            if let Err(error) = hand_on(Some(block)) {
                shared.state().error = Some(error);
                return;
            }
            let mut state = shared.state();
            state.in_flight -= cost;
            state.blocks -= 1;
            drop(state);
            shared.changed.notify_all();
        }
    }
    if shared.state().over {
        return;
    }
    let ended = if waiting.is_empty() { hand_on(None) } else { Err(BulkError::Ended) };
    if let Err(error) = ended {
        shared.state().error.get_or_insert(error);
    }
}
