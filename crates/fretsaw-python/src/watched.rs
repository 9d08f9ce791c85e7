//! Long work on a thread of its own, while the calling one looks after signals and tells how far it is.
//!
//! The steps in which work can't ask whether to go on, such as sorting, may take seconds. So the caller
//! waits a tenth of a second at a time, and when a signal such as Ctrl-C or what it tells raises, it
//! leaves the work behind, which ends by itself as soon as it asks. Work whose state is kept is waited for
//! half a second, so that it can give it.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fretsaw::train::{Keep, Watch};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::errors;

const LOOK: Duration = Duration::from_millis(100);

/// How long work that had better be whole may go on after a signal.
const GRACE: Duration = Duration::from_millis(500);

/// Who looks after long work.
#[derive(Default)]
pub struct Watcher<'a> {
    /// `tell(stage, done, total)` is called now and then; what it raises ends the work.
    pub tell: Option<&'a Py<PyAny>>,
    /// Its method `is_due` says whether what was done is to be kept, which `keep` then gets as bytes.
    pub kept: Option<&'a Py<PyAny>>,
    /// What was kept, to go on from.
    pub from: Option<PyBackedBytes>,
}

/// What work sends to the thread that waits for it.
enum Sent {
    Stage(&'static str, u64, u64),
    State(Vec<u8>),
}

/// Runs `work` on another thread; what a watcher is told is told in this one.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    watcher: Watcher<'_>,
    work: impl FnOnce(Watch<'_>) -> T + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = channel();
    let is_due = |kept: &Py<PyAny>| kept.call_method0(py, "is_due")?.is_truthy(py);
    let (mut looked, mut is_asked) = (Instant::now(), watcher.kept.map_or(Ok(false), is_due)?);
    let (wanted, stop) = (Arc::new(AtomicBool::new(is_asked)), Arc::new(AtomicBool::new(false)));
    let (asked, stopped) = (wanted.clone(), stop.clone());
    let (keeps, from) = (watcher.kept.is_some(), watcher.from);
    let worker = thread::Builder::new().spawn(move || {
        // When the caller has left, nobody receives any more.
        let ask = |stage: &'static str, done: u64, total: u64| {
            send.send(Sent::Stage(stage, done, total)).is_ok() && !stopped.load(Ordering::Relaxed)
        };
        let give = |state: Vec<u8>| _ = send.send(Sent::State(state));
        let keep = Keep { wanted: &asked, give: &give, from: from.as_deref() };
        let watch = Watch::new(&ask);
        work(if keeps { watch.keeping(&keep) } else { watch })
    });
    let worker = worker.map_err(|error| errors::no_thread(&error))?;
    let raised = loop {
        let (sent, back) = py.detach(move || next(receive, LOOK));
        receive = back;
        let answered = match sent {
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(Sent::State(state)) => {
                is_asked = false;
                save(py, watcher.kept, &state)
            }
            Ok(Sent::Stage(stage, done, total)) => {
                watcher.tell.map_or(Ok(()), |tell| tell.call1(py, (stage, done, total)).map(|_| ()))
            }
        };
        if let Err(raised) = answered.and_then(|()| py.check_signals()) {
            break raised;
        }
        if let Some(kept) = watcher.kept.filter(|_| !is_asked && looked.elapsed() >= LOOK) {
            looked = Instant::now();
            is_asked = is_due(kept)?;
            wanted.store(is_asked, Ordering::Relaxed);
        }
    };
    if keeps {
        wanted.store(true, Ordering::Relaxed);
        stop.store(true, Ordering::Relaxed);
        if let Some(state) = py.detach(move || last_state(receive)) {
            save(py, watcher.kept, &state)?;
        }
    }
    Err(raised)
}

fn next<T>(receive: Receiver<T>, wait: Duration) -> (Result<T, RecvTimeoutError>, Receiver<T>) {
    (receive.recv_timeout(wait), receive)
}

/// What stopped work gives of what it has done, if it does so soon.
fn last_state(receive: Receiver<Sent>) -> Option<Vec<u8>> {
    let until = Instant::now() + GRACE;
    loop {
        match receive.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Sent::State(state)) => return Some(state),
            Ok(Sent::Stage(..)) => {}
            Err(_) => return None,
        }
    }
}

fn save(py: Python<'_>, kept: Option<&Py<PyAny>>, state: &[u8]) -> PyResult<()> {
    match kept {
        Some(kept) => kept.call_method1(py, "keep", (PyBytes::new(py, state),)).map(|_| ()),
        None => Ok(()),
    }
}

/// Runs work that borrows and asks often on another thread, to its end; returns what it did, and what
/// a signal raised meanwhile. After a signal it may go on for a moment, to be whole. `OSError` where no
/// thread can be had.
pub fn run_to_end<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Watch<'_>) -> T + Send,
) -> PyResult<(T, PyResult<()>)> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        thread::scope(|scope| {
            let (ends, ended) = channel::<()>();
            let stop = &stop;
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                let _ends = ends;
                work(Watch::new(&|_, _, _| !stop.load(Ordering::Relaxed)))
            });
            let worker = worker.map_err(|error| errors::no_thread(&error))?;
            let mut raised = Ok(());
            let mut since: Option<Instant> = None;
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                match since {
                    Some(since) if since.elapsed() > GRACE => stop.store(true, Ordering::Relaxed),
                    Some(_) => {}
                    None => {
                        raised = Python::attach(|py| py.check_signals());
                        since = raised.is_err().then(Instant::now);
                    }
                }
            }
            Ok((worker.join().unwrap_or_else(|panic| resume_unwind(panic)), raised))
        })
    })
}
