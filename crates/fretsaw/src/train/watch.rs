//! Who watches a training: told how far it is, asked whether it should go on, and given what was learned
//! so far where it is to be kept.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::TrainError;

/// Calls someone now and then with a stage, what is done of it and how much there is (0 where that
/// is not known). If the answer is false, training ends with [`TrainError::Stopped`].
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    ask: &'a (dyn Fn(&'static str, u64, u64) -> bool + Sync),
    keep: Option<&'a Keep<'a>>,
}

/// What was learned of late, for a training that is to go on elsewhere: bytes that a trainer makes and
/// reads, on the same counts and with the same options.
pub struct Keep<'a> {
    /// Set by who wants the state; reset by the trainer, which gives it as soon as it can.
    pub wanted: &'a AtomicBool,
    /// Is given the state.
    pub give: &'a (dyn Fn(Vec<u8>) + Sync),
    /// The state to go on from.
    pub from: Option<&'a [u8]>,
}

impl<'a> Watch<'a> {
    /// `ask(stage, done, total)` says whether to go on; it may be called from any thread.
    pub fn new(ask: &'a (dyn Fn(&'static str, u64, u64) -> bool + Sync)) -> Self {
        Self { ask, keep: None }
    }

    /// The same with what is learned kept, and gone on from.
    #[must_use]
    pub fn keeping(self, keep: &'a Keep<'a>) -> Self {
        Self { keep: Some(keep), ..self }
    }

    /// Nobody watches.
    pub fn nobody() -> Watch<'static> {
        Watch { ask: &|_, _, _| true, keep: None }
    }

    /// Tells how far a stage is.
    ///
    /// # Errors
    ///
    /// [`TrainError::Stopped`] if training should end.
    pub fn tell(&self, stage: &'static str, done: u64, total: u64) -> Result<(), TrainError> {
        if (self.ask)(stage, done, total) {
            Ok(())
        } else {
            Err(TrainError::Stopped)
        }
    }

    /// The state to go on from, if there is one.
    pub(super) fn from(&self) -> Option<&'a [u8]> {
        self.keep.and_then(|keep| keep.from)
    }

    /// Whether states are kept at all.
    pub(super) fn keeps(&self) -> bool {
        self.keep.is_some()
    }

    /// Gives the state of a training that could go on from here, if it is wanted.
    pub(super) fn keep(&self, state: impl FnOnce() -> Vec<u8>) {
        let Some(keep) = self.keep else { return };
        if keep.wanted.load(Ordering::Relaxed) && keep.wanted.swap(false, Ordering::Relaxed) {
            (keep.give)(state());
        }
    }
}

/// What `learn` learns, and all states that it could be gone on from.
#[cfg(test)]
pub(super) fn every_state<T>(learn: impl FnOnce(Watch<'_>) -> T) -> (T, Vec<Vec<u8>>) {
    let wanted = AtomicBool::new(true);
    let states = std::sync::Mutex::new(Vec::new());
    let give = |state| {
        states.lock().unwrap().push(state);
        wanted.store(true, Ordering::Relaxed);
    };
    let keep = Keep { wanted: &wanted, give: &give, from: None };
    let learned = learn(Watch::nobody().keeping(&keep));
    (learned, states.into_inner().unwrap())
}
