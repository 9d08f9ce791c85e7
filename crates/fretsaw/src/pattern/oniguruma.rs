//! Oniguruma in its Ruby dialect, through the crate `onig`.
//!
//! The engine gives up a match after 10,000,000 steps (its default, with which the oracle fails
//! too); our own limit on all matches of a text comes on top. Its stack of alternatives, which is
//! unlimited by default, is held to [`STACK_ENTRIES`], some 1.5 GB: enough for an alternative at
//! every character of a text of ten million. A compiled expression is immutable and may be
//! searched by many threads at once; what a search writes is in its `Region` and `MatchParam`.

use ::onig::{MatchParam, Regex, Region, SearchOptions};

use super::Stopped;

/// How many alternatives a match may have open.
const STACK_ENTRIES: u32 = 1 << 25;

/// A compiled regular expression.
pub(super) struct Oniguruma(Regex);

impl Oniguruma {
    /// Compiles, or gives the engine's reason for refusing.
    pub(super) fn new(source: &str) -> Result<Self, String> {
        Regex::new(source).map(Self).map_err(|error| error.description().to_owned())
    }

    /// Something to search one text with.
    pub(super) fn search(&self) -> Search<'_> {
        Search { regex: &self.0, region: Region::new() }
    }
}

/// A regular expression and where its last match stands.
pub(super) struct Search<'p> {
    regex: &'p Regex,
    region: Region,
}

impl Search<'_> {
    /// The leftmost match that starts at `from` or later, in at most `steps` steps.
    pub(super) fn find(
        &mut self,
        text: &str,
        from: usize,
        steps: u64,
    ) -> Result<Option<(usize, usize)>, Stopped> {
        if i32::try_from(text.len()).is_err() {
            return Err(Stopped::Refused); // the engine counts bytes in a C int
        }
        self.region.clear();
        let found = self.regex.search_with_param(
            text,
            from,
            text.len(),
            SearchOptions::SEARCH_OPTION_NONE,
            Some(&mut self.region),
            limited(steps),
        );
        match found {
            Ok(None) => Ok(None),
            Ok(Some(_)) => Ok(self.region.pos(0)),
            Err(error) if error.code() == onig_sys::ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER => {
                Err(Stopped::OutOfSteps)
            }
            Err(_) => Err(Stopped::Refused),
        }
    }
}

/// Parameters of a search that may take `steps` steps.
fn limited(steps: u64) -> MatchParam {
    let mut param = MatchParam::default();
    param.set_match_stack_limit(STACK_ENTRIES);
    // SAFETY: the pointer is that of `param`, which is alive and not shared; the function stores a
    // number in what it points to. The crate has no safe function for this limit.
    unsafe {
        onig_sys::onig_set_retry_limit_in_search_of_match_param(
            param.as_raw(),
            steps as std::os::raw::c_ulong,
        );
    }
    param
}
