//! Decimals that read back as the number they stand for.
//!
//! Readers of tokenizer.json use serde_json without `float_roundtrip`: it rounds the digits to a
//! `f64`, then divides by a power of ten and rounds again, so that the shortest decimal of a number
//! may read back as its neighbour. Where that is so, another decimal is written: one whose digits
//! the two roundings take to the number itself. That exists for every number that the reader ever
//! gave; of others, about one in six hundred has none, and it is written as the oracle writes it, to
//! be read as its neighbour.

use std::io;

use serde_json::ser::{CompactFormatter, Formatter};

/// The compact layout, with floating-point numbers that the default reader reads back exactly.
pub(super) struct Exact;

impl Formatter for Exact {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if !reads_back(&serde_json::to_string(&value)?, value) {
            if let Some(decimal) = longer(value) {
                return writer.write_all(decimal.as_bytes());
            }
        }
        CompactFormatter.write_f64(writer, value)
    }

    fn write_f32<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        let shortest = serde_json::to_string(&value)?;
        match serde_json::from_str::<f64>(&shortest) {
            Ok(read) if read as f32 == value => CompactFormatter.write_f32(writer, value),
            _ => self.write_f64(writer, value.into()),
        }
    }
}

fn reads_back(decimal: &str, value: f64) -> bool {
    serde_json::from_str::<f64>(decimal).is_ok_and(|read| read.to_bits() == value.to_bits())
}

/// The first decimal near `value` that reads back as `value`.
///
/// With 15 digits or fewer the shortest decimal would have done, except far from 1, where the power
/// of ten is rounded as well.
fn longer(value: f64) -> Option<String> {
    [16, 17, 18, 15, 19].into_iter().chain((0..15).rev()).find_map(|places| {
        let scientific = format!("{:.places$e}", value.abs());
        let (digits, exponent) = scientific.split_once('e')?;
        let digits: u64 = digits.replace('.', "").parse().ok()?;
        let exponent: i32 = exponent.parse().ok()?;
        // Only digits that differ as `f64` can make a difference.
        let step = ((digits >> 53) + 1).next_power_of_two();
        (0..=2u64)
            .flat_map(|far| [digits.checked_add(far * step), digits.checked_sub(far * step)])
            .flatten()
            .map(|digits| render(value.is_sign_negative(), digits, exponent, places))
            .find(|decimal| reads_back(decimal, value))
    })
}

/// `digits`, of which `places` stand behind the point, times ten to the `exponent`. The point is
/// moved into or in front of the digits where that makes the exponent go away.
fn render(negative: bool, digits: u64, exponent: i32, places: usize) -> String {
    let sign = if negative { "-" } else { "" };
    let behind = i64::try_from(places).map_or(0, |places| places - i64::from(exponent));
    match usize::try_from(behind) {
        Ok(behind @ 1..=24) => {
            let padded = format!("{digits:0width$}", width = behind + 1);
            let (whole, fraction) = padded.split_at(padded.len() - behind);
            format!("{sign}{whole}.{fraction}")
        }
        _ => format!("{sign}{digits}e{}", -behind),
    }
}
