//! Texts beyond what 32 bits can say. They are pages that nobody writes to, so they take no memory.

use memmap2::MmapOptions;
use serde_json::json;

use crate::error::EncodeError;
use crate::model::ModelScratch;
use crate::{load_bytes, Encoding, MatchPolicy, Pipeline, Request, Settings, SpecialSet};

const BYTES: usize = (1 << 32) + 1;

fn tokenizer(model: serde_json::Value) -> Pipeline {
    load_bytes(json!({ "model": model }).to_string().as_bytes()).expect("a sound file")
}

#[test]
fn places_beyond_4_gib_are_an_error_and_no_other_places() {
    let pages = MmapOptions::new().len(BYTES).no_reserve_swap().map_anon().expect("address space");
    let text = std::str::from_utf8(&pages).expect("zeros are ASCII");
    let model = json!({"type": "WordLevel", "vocab": {"u": 0}, "unk_token": "u"});
    let pipeline = tokenizer(model);
    let policy = MatchPolicy::new(&SpecialSet::None);
    let too_long = EncodeError::TextTooLong { bytes: BYTES };
    let request = Request::text(text);
    let columns = pipeline.columns(&request, policy, true, &Settings::NONE, None);
    assert_eq!(columns, Err(too_long.clone()));
    assert_eq!(pipeline.pre_tokenize(text), Err(too_long));
    assert_eq!(pipeline.offsets(text, &Encoding::default(), policy, true, &Settings::NONE), None);
}

#[test]
fn a_piece_beyond_4_gib_is_an_error() {
    let pages = MmapOptions::new().len(BYTES).no_reserve_swap().map_anon().expect("address space");
    let models = [
        json!({"type": "Unigram", "vocab": [["u", 0.0]], "unk_id": 0}),
        json!({"type": "WordPiece", "vocab": {"u": 0}, "unk_token": "u", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100}),
    ];
    for model in models {
        let pipeline = tokenizer(model);
        let mut ids = Vec::new();
        let mut scratch = ModelScratch::default();
        let done = pipeline.parts.model.model.encode_piece(&pages, &mut scratch, &mut ids);
        assert_eq!(done, Err(EncodeError::PieceTooLong { bytes: BYTES }));
    }
}
