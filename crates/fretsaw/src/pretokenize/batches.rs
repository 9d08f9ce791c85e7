//! Boundaries in batches, without a branch that can't be foretold.

/// As many pieces are handed out at once; the buffer of a short text is small.
const BATCH: usize = 64;

/// Hands out the pieces of a text of `end` bytes that is not empty, as batches of boundaries: 0, the
/// places that `step` says are ones, and `end`. Places ascend and are neither 0 nor `end`.
#[inline]
pub fn in_batches<E>(
    end: usize,
    mut step: impl FnMut() -> Option<(usize, bool)>,
    mut batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    let mut boundaries = [0; BATCH + 2];
    let mut count = 1;
    while let Some((place, counts)) = step() {
        // Written always and kept where it counts.
        boundaries[count] = place;
        count += usize::from(counts);
        if count > BATCH {
            batch(&boundaries[..count])?;
            boundaries[0] = boundaries[count - 1];
            count = 1;
        }
    }
    boundaries[count] = end;
    batch(&boundaries[..=count])
}
