//! Numbers for tests that draw their inputs: the same in each run, so that a failure comes back.

/// Numbers below what is asked for, from a linear congruence; a state is where they start.
pub fn draws(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    }
}
