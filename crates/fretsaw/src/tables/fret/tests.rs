use super::*;

fn file() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.array("bytes", b"abc");
    writer.array("empty", &[0u64; 0]);
    writer.array("a.name.as.long!!", &[[1u32, 2, 3], [4, 5, 6]]);
    writer.finish()
}

fn open(bytes: &[u8]) -> Result<Reader, LoadError> {
    Reader::open(in_memory(bytes))
}

/// The file with its checksum made anew.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    sign(&mut bytes);
    bytes
}

#[test]
fn arrays_come_back() {
    let reader = open(&file()).expect("sound");
    assert_eq!(reader.array::<u8>("bytes").expect("there").as_slice(), b"abc");
    assert!(reader.array::<u64>("empty").expect("there").as_slice().is_empty());
    let numbers = reader.array::<[u32; 3]>("a.name.as.long!!").expect("there");
    assert_eq!(numbers.as_slice(), [[1, 2, 3], [4, 5, 6]]);
    assert!(reader.array::<u8>("other").is_err());
    assert!(reader.array::<u32>("bytes").is_err(), "three bytes are no u32s");
}

#[test]
fn every_cut_and_every_flipped_bit_is_seen() {
    let whole = file();
    for len in 0..whole.len() {
        assert!(open(&whole[..len]).is_err(), "cut to {len}");
    }
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(open(&flipped).is_err(), "bit {bit}");
    }
    let longer = [&whole[..], b"\0"].concat();
    assert!(open(&longer).is_err());
}

#[test]
fn what_is_wrong_is_named() {
    let whole = file();
    let message = |bytes: &[u8]| match open(bytes) {
        Err(error) => error.to_string(),
        Ok(_) => "sound".to_owned(),
    };
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        signed(bytes)
    };
    for (bytes, expected) in [
        (whole[..7].to_vec(), "cut short"),
        (changed(0, b"X"), "does not start as"),
        (changed(8, &(FORMAT + 1).to_ne_bytes()), "format 3"),
        (changed(12, &BYTE_ORDER.swap_bytes().to_ne_bytes()), "byte order"),
        (changed(16, &1u64.to_ne_bytes()), "length"),
        ([&whole[..], b"\0"].concat(), "length"),
        (changed(32, &u64::MAX.to_ne_bytes()), "beyond its end"),
        (changed(ENTRIES + NAME, &u64::MAX.to_ne_bytes()), "beyond its end"),
        (changed(ENTRIES + NAME + 8, &u64::MAX.to_ne_bytes()), "beyond its end"),
    ] {
        assert!(message(&bytes).contains(expected), "{expected}: {}", message(&bytes));
    }
    let moved = open(&changed(ENTRIES + 2 * ENTRY + NAME, &65u64.to_ne_bytes())).expect("framed");
    assert!(moved.array::<[u32; 3]>("a.name.as.long!!").is_err(), "not aligned");
}

#[test]
fn a_large_file_is_summed_alike_by_two_threads() {
    for len in [SHARED_FROM - 1, SHARED_FROM, SHARED_FROM + 3 * PART / 2] {
        let bytes: Vec<u8> = (0..len + CHECKED_FROM).map(|at| (at % 251) as u8).collect();
        let sums: Vec<u64> = bytes[CHECKED_FROM..].chunks(PART).map(XxHash3_64::oneshot).collect();
        let seed = XxHash3_64::oneshot(&bytes[..24]);
        let alone = XxHash3_64::oneshot_with_seed(seed, bytemuck::cast_slice(&sums));
        assert_eq!(checksum(&bytes), alone, "{len}");
    }
}
