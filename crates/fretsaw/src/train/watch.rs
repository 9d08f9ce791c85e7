//! Who watches a training: told how far it is, and asked whether it should go on.

use crate::error::TrainError;

/// Calls someone now and then with a stage, what is done of it and how much there is (0 where that
/// is not known). If the answer is false, training ends with [`TrainError::Stopped`].
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    ask: &'a (dyn Fn(&'static str, u64, u64) -> bool + Sync),
}

impl<'a> Watch<'a> {
    /// `ask(stage, done, total)` says whether to go on; it may be called from any thread.
    pub fn new(ask: &'a (dyn Fn(&'static str, u64, u64) -> bool + Sync)) -> Self {
        Self { ask }
    }

    /// Nobody watches.
    pub fn nobody() -> Watch<'static> {
        Watch { ask: &|_, _, _| true }
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
}
