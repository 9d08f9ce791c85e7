//! Boundaries in batches, without a branch that can't be foretold.

/// As many boundaries are handed out at once; the buffer of a short text, which has fewer, is small.
const BATCH: usize = 66;
const SHORT_BATCH: usize = 18;
const SHORT: usize = 64;

/// Hands out the pieces of a text of `end` bytes that is not empty, as batches of boundaries: 0, the
/// places that `step` says are ones, and `end`. Places ascend and are neither 0 nor `end`.
#[inline]
pub fn in_batches<E>(
    end: usize,
    step: impl FnMut() -> Option<(usize, bool)>,
    batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    match end {
        ..SHORT => in_batches_of::<SHORT_BATCH, E>(end, step, batch),
        _ => in_batches_of::<BATCH, E>(end, step, batch),
    }
}

/// The same with at most `MOST` boundaries, not fewer than three, in a batch.
#[inline]
fn in_batches_of<const MOST: usize, E>(
    end: usize,
    mut step: impl FnMut() -> Option<(usize, bool)>,
    mut batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    let mut boundaries = [0; MOST];
    let mut count = 1;
    while let Some((place, counts)) = step() {
        // Written always and kept where it counts.
        boundaries[count] = place;
        count += usize::from(counts);
        if count == MOST - 1 {
            batch(&boundaries[..count])?;
            boundaries[0] = boundaries[count - 1];
            count = 1;
        }
    }
    boundaries[count] = end;
    batch(&boundaries[..=count])
}
