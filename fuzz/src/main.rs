//! Differential fuzzers, all in one program: `FRETSAW_FUZZ` names the target that runs.
//!
//! Each target makes something of the bytes it gets (a text, a vocabulary, a file), does it by the
//! library and once more by the book or another way, and panics where the two differ. The books, in
//! [`book`], are the definitions as loops, and share no code with the library.
//!
//! `scripts/fuzz.py` builds and runs them; libFuzzer's own options may follow its `--`.

#![no_main]

mod book;
mod draw;
mod small;
mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_target, Corpus};

/// The target that was asked for.
fn target() -> targets::Target {
    static TARGET: OnceLock<targets::Target> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let name = std::env::var("FRETSAW_FUZZ").unwrap_or_default();
        let names = || targets::ALL.map(|(name, _)| name).join(", ");
        let found = targets::ALL.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("FRETSAW_FUZZ must be one of {}", names())).1
    })
}

fuzz_target!(|data: &[u8]| -> Corpus {
    match target()(&mut draw::Draw::new(data)) {
        Some(()) => Corpus::Keep,
        None => Corpus::Reject,
    }
});
