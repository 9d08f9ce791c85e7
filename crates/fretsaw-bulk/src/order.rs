//! The order of documents within a window: a shuffle that follows from a seed, the same on every machine.
//!
//! Fisher and Yates's shuffle with SplitMix64 (Steele, Lea and Flood 2014), started from the seed and the
//! number of the window. Cost: linear.

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number below `limit`: the high half of a product, biased by less than one in 2^32.
    fn below(&mut self, limit: u32) -> usize {
        (((self.next() >> 32) * u64::from(limit)) >> 32) as usize
    }
}

/// The places 0 to `count` - 1 in the order of a window.
pub fn shuffled(seed: u64, window: u64, count: u32) -> Vec<u32> {
    let mut random = Random(seed);
    random.0 = random.next() ^ window;
    let mut places: Vec<u32> = (0..count).collect();
    for last in (1..count).rev() {
        places.swap(last as usize, random.below(last + 1));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::shuffled;

    #[test]
    fn every_place_stands_once_and_windows_differ() {
        for count in [0, 1, 2, 1000] {
            let mut places = shuffled(7, 0, count);
            places.sort_unstable();
            assert_eq!(places, (0..count).collect::<Vec<_>>());
        }
        assert_eq!(shuffled(7, 3, 100), shuffled(7, 3, 100));
        assert_ne!(shuffled(7, 3, 100), shuffled(7, 4, 100));
        assert_ne!(shuffled(7, 3, 100), shuffled(8, 3, 100));
    }

    #[test]
    fn orders_are_about_equally_frequent() {
        let mut counts = std::collections::BTreeMap::new();
        for window in 0..6000 {
            *counts.entry(shuffled(1, window, 3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|&count| (850..1150).contains(&count)), "{counts:?}");
    }
}
