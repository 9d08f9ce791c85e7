//! Random numbers for the models that choose: the same on every machine, from a seed.
//!
//! Source: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).

/// A generator of random numbers.
#[derive(Debug, Clone, Default)]
pub struct Random(u64);

impl Random {
    /// The numbers that follow from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number from 0 up to 1, in steps of 2^-24.
    pub fn fraction(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// The place of a weight, each as often as its share of the sum.
    ///
    /// `None` where the weights are no distribution: one is negative or not a number, all are 0, or
    /// the sum is infinite.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let sum = |sum: f64, weight: &f64| (*weight >= 0.0).then_some(sum + weight);
        let total = weights.iter().try_fold(0.0, sum)?;
        if total == 0.0 || total == f64::INFINITY {
            return None;
        }
        let drawn = (self.next() >> 11) as f64 / (1u64 << 53) as f64 * total;
        let mut so_far = 0.0;
        let passed = weights.iter().position(|weight| {
            so_far += weight;
            drawn < so_far
        });
        // A tiny sum may be rounded up to itself; the last weight that is not 0 is where it ends.
        passed.or_else(|| weights.iter().rposition(|&weight| weight > 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_met_as_often_as_they_should() {
        let mut random = Random::new(3);
        let mut counts = [0; 4];
        for _ in 0..40_000 {
            counts[random.weighted(&[1.0, 0.0, 2.0, 1.0]).unwrap_or(1)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((9_500..10_500).contains(&counts[0]), "{counts:?}");
        assert!((19_500..20_500).contains(&counts[2]), "{counts:?}");
    }

    #[test]
    fn what_is_no_distribution_gives_nothing() {
        let mut random = Random::new(3);
        for weights in [&[][..], &[0.0, 0.0], &[1.0, f64::NAN], &[1.0, -1.0], &[f64::INFINITY, 1.0]]
        {
            assert_eq!(random.weighted(weights), None, "{weights:?}");
        }
        let tiny = f64::from_bits(1);
        assert!((0..100).all(|_| random.weighted(&[0.0, tiny, 0.0]) == Some(1)));
    }
}
