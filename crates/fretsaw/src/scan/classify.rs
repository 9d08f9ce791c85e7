//! ASCII classes of 64 bytes as bit masks, and the places of a mask's bits: routines for AVX-512 and
//! AVX2 and their scalar twin.
//!
//! The class of an ASCII byte is the AND of two 16-entry tables, one by its low and one by its
//! high half (Mula & Lemire's way with `pshufb`). Non-ASCII bytes get no class here.

/// Masks of one block; bit `i` speaks of byte `i`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AsciiMasks {
    pub letter: u64,
    pub digit: u64,
    /// White space: TAB, LF, VT, FF, CR, space.
    pub space: u64,
    /// U+0020 alone.
    pub blank: u64,
    pub apostrophe: u64,
    /// Bytes below 0x20, and 0x7F.
    pub control: u64,
    /// Bytes of 0x80 and above.
    pub non_ascii: u64,
    /// UTF-8 continuation bytes.
    pub continuation: u64,
    /// CR and LF.
    pub newline: u64,
    /// `A` to `Z`.
    pub upper: u64,
}

/// Which instructions the scanner uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Plain Rust, on every platform.
    Scalar,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The fastest level that this CPU has. A build with `--cfg fretsaw_portable` has none but the
/// scalar one: it is what other platforms run, and what instructions are counted on.
#[inline]
pub fn best_level() -> Level {
    #[cfg(fuzzing)]
    if let Some(level) = forced::get() {
        return level;
    }
    #[cfg(all(target_arch = "x86_64", not(fretsaw_portable)))]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
    {
        let more = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2");
        return if more { Level::Avx512 } else { Level::Avx2 };
    }
    Level::Scalar
}

/// A level that fuzzers run everything at instead of the best.
#[cfg(fuzzing)]
mod forced {
    use std::cell::Cell;

    use super::Level;

    thread_local! {
        static LEVEL: Cell<Option<Level>> = const { Cell::new(None) };
    }

    pub fn get() -> Option<Level> {
        LEVEL.get()
    }

    /// Runs `work` at a level on this thread.
    pub fn at_level<T>(level: Level, work: impl FnOnce() -> T) -> T {
        let before = LEVEL.replace(Some(level));
        let result = work();
        LEVEL.set(before);
        result
    }
}
#[cfg(fuzzing)]
pub use forced::at_level;

/// Every level that this CPU has.
#[cfg(any(test, fuzzing))]
pub fn levels() -> Vec<Level> {
    match best_level() {
        Level::Scalar => vec![Level::Scalar],
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => vec![Level::Scalar, Level::Avx2],
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => vec![Level::Scalar, Level::Avx2, Level::Avx512],
    }
}

const UPPER_HALF: u8 = 1 << 0; // 0x41..0x4F, 0x61..0x6F
const LOWER_HALF: u8 = 1 << 1; // 0x50..0x5A, 0x70..0x7A
const DIGIT: u8 = 1 << 2;
const CONTROL_SPACE: u8 = 1 << 3; // 0x09..0x0D
const BLANK: u8 = 1 << 4;
const APOSTROPHE: u8 = 1 << 5;
const CONTROL: u8 = 1 << 6; // 0x00..0x1F
const DELETE: u8 = 1 << 7; // 0x7F

const BY_LOW: [u8; 16] = {
    let mut table = [CONTROL; 16];
    let mut low = 0;
    while low < 16 {
        if low >= 1 {
            table[low] |= UPPER_HALF;
        }
        if low <= 0xA {
            table[low] |= LOWER_HALF;
        }
        if low <= 9 {
            table[low] |= DIGIT;
        }
        if low >= 9 && low <= 0xD {
            table[low] |= CONTROL_SPACE;
        }
        low += 1;
    }
    table[0] |= BLANK;
    table[7] |= APOSTROPHE;
    table[0xF] |= DELETE;
    table
};

const BY_HIGH: [u8; 16] = [
    CONTROL_SPACE | CONTROL,
    CONTROL,
    BLANK | APOSTROPHE,
    DIGIT,
    UPPER_HALF,
    LOWER_HALF,
    UPPER_HALF,
    LOWER_HALF | DELETE,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
];

/// The bit that a letter in lower case has and one in upper case has not.
#[cfg(target_arch = "x86_64")]
const LOWER_CASE: u8 = 0x20;

/// A way to classify a block. Implemented by the scalar twin and by each SIMD level.
pub trait Classify {
    /// The masks of one block.
    fn classify(block: &[u8; 64]) -> AsciiMasks;

    /// Writes the places of a mask's bits, counted from `base`, in order; returns how many there are.
    /// What stands behind them may change.
    #[inline(always)]
    fn places(mut mask: u64, base: usize, places: &mut [usize; 64]) -> usize {
        let count = mask.count_ones() as usize;
        for place in places.iter_mut().take(count) {
            *place = base + mask.trailing_zeros() as usize;
            mask &= mask.wrapping_sub(1);
        }
        count
    }
}

/// The twin that every other routine is compared with.
pub struct Scalar;

impl Classify for Scalar {
    #[inline(always)]
    fn classify(block: &[u8; 64]) -> AsciiMasks {
        let mut masks = AsciiMasks::default();
        for (at, &byte) in block.iter().enumerate() {
            let class = BY_LOW[usize::from(byte & 15)] & BY_HIGH[usize::from(byte >> 4)];
            let bit = |on: bool| u64::from(on) << at;
            masks.letter |= bit(class & (UPPER_HALF | LOWER_HALF) != 0);
            masks.digit |= bit(class & DIGIT != 0);
            masks.space |= bit(class & (CONTROL_SPACE | BLANK) != 0);
            masks.blank |= bit(class & BLANK != 0);
            masks.apostrophe |= bit(class & APOSTROPHE != 0);
            masks.control |= bit(class & (CONTROL | DELETE) != 0);
            masks.non_ascii |= bit(byte >= 0x80);
            masks.continuation |= bit(byte & 0xC0 == 0x80);
            masks.newline |= bit(matches!(byte, b'\r' | b'\n'));
            masks.upper |= bit(byte.is_ascii_uppercase());
        }
        masks
    }
}

/// 256-bit vectors.
#[cfg(target_arch = "x86_64")]
pub struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Classify for Avx2 {
    #[inline(always)]
    fn classify(block: &[u8; 64]) -> AsciiMasks {
        // SAFETY: this type is used only behind `best_level`, which saw AVX2, or by tests that
        // ask the CPU first; the loads stay inside the block.
        unsafe { classify_avx2(block) }
    }
}

/// # Safety
/// The CPU must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn classify_avx2(block: &[u8; 64]) -> AsciiMasks {
    use std::arch::x86_64::*;
    // SAFETY: both loads read 32 of the block's 64 bytes, both table loads 16 of 16 bytes.
    let (halves, by_low, by_high) = unsafe {
        (
            [
                _mm256_loadu_si256(block.as_ptr().cast()),
                _mm256_loadu_si256(block.as_ptr().add(32).cast()),
            ],
            _mm256_broadcastsi128_si256(_mm_loadu_si128(BY_LOW.as_ptr().cast())),
            _mm256_broadcastsi128_si256(_mm_loadu_si128(BY_HIGH.as_ptr().cast())),
        )
    };
    let nibble = _mm256_set1_epi8(15);
    let mut masks = AsciiMasks::default();
    for (half, bytes) in halves.into_iter().enumerate() {
        let low = _mm256_and_si256(bytes, nibble);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
        let class =
            _mm256_and_si256(_mm256_shuffle_epi8(by_low, low), _mm256_shuffle_epi8(by_high, high));
        // A class bit moved to the top of its byte is what `movemask` collects.
        let blank = _mm256_movemask_epi8(_mm256_slli_epi16::<3>(class)) as u32;
        let control = _mm256_movemask_epi8(_mm256_slli_epi16::<4>(class)) as u32;
        let letters = _mm256_or_si256(_mm256_slli_epi16::<7>(class), _mm256_slli_epi16::<6>(class));
        let put = |mask: u32| u64::from(mask) << (32 * half);
        masks.letter |= put(_mm256_movemask_epi8(letters) as u32);
        masks.digit |= put(_mm256_movemask_epi8(_mm256_slli_epi16::<5>(class)) as u32);
        masks.space |= put(blank | control);
        masks.blank |= put(blank);
        masks.apostrophe |= put(_mm256_movemask_epi8(_mm256_slli_epi16::<2>(class)) as u32);
        let controls = _mm256_or_si256(_mm256_slli_epi16::<1>(class), class);
        masks.control |= put(_mm256_movemask_epi8(controls) as u32);
        masks.non_ascii |= put(_mm256_movemask_epi8(bytes) as u32);
        // As signed numbers, continuation bytes are those below -64.
        let continuation = _mm256_cmpgt_epi8(_mm256_set1_epi8(-64), bytes);
        masks.continuation |= put(_mm256_movemask_epi8(continuation) as u32);
        let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
        let newline = _mm256_or_si256(is(b'\n'), is(b'\r'));
        masks.newline |= put(_mm256_movemask_epi8(newline) as u32);
        // Lower case has the bit that is moved to the top.
        let lower = _mm256_movemask_epi8(_mm256_slli_epi16::<2>(bytes)) as u32;
        masks.upper |= put(_mm256_movemask_epi8(letters) as u32 & !lower);
    }
    masks
}

/// 512-bit vectors.
#[cfg(target_arch = "x86_64")]
pub struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Classify for Avx512 {
    #[inline(always)]
    fn classify(block: &[u8; 64]) -> AsciiMasks {
        // SAFETY: this type is used only behind `best_level`, which saw the instructions, or by tests
        // that ask it first; the loads stay inside the block.
        unsafe { classify_avx512(block) }
    }

    #[inline(always)]
    fn places(mask: u64, base: usize, places: &mut [usize; 64]) -> usize {
        // SAFETY: as in `classify`; nothing is written but `places`.
        unsafe { places_avx512(mask, base, places) }
    }
}

/// # Safety
/// The CPU must have AVX-512 F and BW.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
unsafe fn classify_avx512(block: &[u8; 64]) -> AsciiMasks {
    use std::arch::x86_64::*;
    // SAFETY: the first load reads the block's 64 bytes, the others 16 of 16 bytes.
    let (bytes, by_low, by_high) = unsafe {
        (
            _mm512_loadu_si512(block.as_ptr().cast()),
            _mm512_broadcast_i32x4(_mm_loadu_si128(BY_LOW.as_ptr().cast())),
            _mm512_broadcast_i32x4(_mm_loadu_si128(BY_HIGH.as_ptr().cast())),
        )
    };
    let nibble = _mm512_set1_epi8(15);
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibble);
    let class = _mm512_and_si512(
        _mm512_shuffle_epi8(by_low, _mm512_and_si512(bytes, nibble)),
        _mm512_shuffle_epi8(by_high, high),
    );
    let any = |bits: u8| _mm512_test_epi8_mask(class, _mm512_set1_epi8(bits as i8));
    let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
    let letter = any(UPPER_HALF | LOWER_HALF);
    AsciiMasks {
        letter,
        digit: any(DIGIT),
        space: any(CONTROL_SPACE | BLANK),
        blank: any(BLANK),
        apostrophe: any(APOSTROPHE),
        control: any(CONTROL | DELETE),
        non_ascii: _mm512_movepi8_mask(bytes),
        // As signed numbers, continuation bytes are those below -64.
        continuation: _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64)),
        newline: is(b'\n') | is(b'\r'),
        upper: letter & !_mm512_test_epi8_mask(bytes, _mm512_set1_epi8(LOWER_CASE as i8)),
    }
}

/// # Safety
/// The CPU must have AVX-512 F, BW and VBMI2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
unsafe fn places_avx512(mask: u64, base: usize, places: &mut [usize; 64]) -> usize {
    use std::arch::x86_64::*;
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut at = 0;
        while at < 64 {
            numbers[at] = at as u8;
            at += 1;
        }
        numbers
    };
    let mut bits = [0u8; 64];
    // SAFETY: a load and a store of 64 bytes in arrays of 64.
    unsafe {
        let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
        let packed = _mm512_maskz_compress_epi8(mask, numbers);
        _mm512_storeu_si512(bits.as_mut_ptr().cast(), packed);
    }
    let count = mask.count_ones() as usize;
    let base = _mm512_set1_epi64(base as i64);
    let eights = places.chunks_exact_mut(8).zip(bits.chunks_exact(8));
    for (out, eight) in eights.take(count.div_ceil(8)) {
        // SAFETY: 8 bytes of 8 are read, and 8 places of 64 bits of 8 are written.
        unsafe {
            let eight = _mm512_cvtepu8_epi64(_mm_loadl_epi64(eight.as_ptr().cast()));
            _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_add_epi64(eight, base));
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scalar_twin_knows_ascii() {
        for byte in 0..=255u8 {
            let masks = Scalar::classify(&[byte; 64]);
            let all = |on: bool| if on { u64::MAX } else { 0 };
            assert_eq!(masks.letter, all(byte.is_ascii_alphabetic()), "{byte:#x}");
            assert_eq!(masks.digit, all(byte.is_ascii_digit()), "{byte:#x}");
            assert_eq!(masks.space, all(matches!(byte, 9..=13 | 32)), "{byte:#x}");
            assert_eq!(masks.blank, all(byte == b' '), "{byte:#x}");
            assert_eq!(masks.apostrophe, all(byte == b'\''), "{byte:#x}");
            assert_eq!(masks.control, all(byte.is_ascii_control()), "{byte:#x}");
            assert_eq!(masks.non_ascii, all(byte >= 128), "{byte:#x}");
            assert_eq!(masks.continuation, all((128..192).contains(&byte)), "{byte:#x}");
            assert_eq!(masks.newline, all(matches!(byte, 10 | 13)), "{byte:#x}");
            assert_eq!(masks.upper, all(byte.is_ascii_uppercase()), "{byte:#x}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_equal_their_scalar_twin() {
        for level in levels() {
            let classify = match level {
                Level::Scalar => Scalar::classify,
                Level::Avx2 => Avx2::classify,
                Level::Avx512 => Avx512::classify,
            };
            for byte in 0..=255u8 {
                for at in 0..64 {
                    let mut block = [b'x'; 64];
                    block[at] = byte;
                    block[(at * 7 + 3) % 64] = byte.wrapping_add(77);
                    let known = Scalar::classify(&block);
                    assert_eq!(classify(&block), known, "{level:?}: {byte:#x} at {at}");
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn places_are_those_of_the_bits() {
        let wide = levels().contains(&Level::Avx512);
        let random = (0..500u64).map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ at << 40);
        let single = (0..64).map(|at| 1 << at);
        let first = (0..64).map(|at| (1 << at) - 1);
        for mask in random.chain(single).chain(first).chain([0, u64::MAX]) {
            let known: Vec<usize> =
                (0..64).filter(|at| mask >> at & 1 == 1).map(|at| 1000 + at).collect();
            let mut places = [0; 64];
            let count = Scalar::places(mask, 1000, &mut places);
            assert_eq!(places[..count], known, "{mask:#x}");
            if wide {
                let count = Avx512::places(mask, 1000, &mut places);
                assert_eq!(places[..count], known, "{mask:#x}");
            }
        }
    }
}
