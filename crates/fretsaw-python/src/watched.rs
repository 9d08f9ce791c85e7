//! Long work on a thread of its own, while the calling one looks after signals and tells how far it is.
//!
//! The steps in which work can't ask whether to go on, such as sorting, may take seconds. So the caller
//! waits a tenth of a second at a time, and when a signal such as Ctrl-C or what it tells raises, it
//! leaves the work behind, which ends by itself as soon as it asks.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use fretsaw::train::Watch;
use pyo3::prelude::*;

const LOOK: Duration = Duration::from_millis(100);

/// How long work that had better be whole may go on after a signal.
const GRACE: Duration = Duration::from_millis(500);

/// Runs `work` on another thread; `tell(stage, done, total)` is called in this one.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    tell: Option<&Py<PyAny>>,
    work: impl FnOnce(Watch<'_>) -> T + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = channel();
    let worker = thread::spawn(move || {
        // When the caller has left, nobody receives any more.
        let ask =
            |stage: &'static str, done: u64, total: u64| send.send((stage, done, total)).is_ok();
        work(Watch::new(&ask))
    });
    loop {
        let (told, back) = py.detach(move || next(receive));
        receive = back;
        match (told, tell) {
            (Ok(told), Some(tell)) => _ = tell.call1(py, told)?,
            (Err(RecvTimeoutError::Disconnected), _) => {
                return Ok(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            _ => {}
        }
        py.check_signals()?;
    }
}

fn next<T>(receive: Receiver<T>) -> (Result<T, RecvTimeoutError>, Receiver<T>) {
    (receive.recv_timeout(LOOK), receive)
}

/// Runs work that borrows and asks often on another thread, to its end; returns what it did, and what
/// a signal raised meanwhile. After a signal it may go on for a moment, to be whole.
pub fn run_to_end<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Watch<'_>) -> T + Send,
) -> (T, PyResult<()>) {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        thread::scope(|scope| {
            let (ends, ended) = channel::<()>();
            let stop = &stop;
            let worker = scope.spawn(move || {
                let _ends = ends;
                work(Watch::new(&|_, _, _| !stop.load(Ordering::Relaxed)))
            });
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
            (worker.join().unwrap_or_else(|panic| resume_unwind(panic)), raised)
        })
    })
}
