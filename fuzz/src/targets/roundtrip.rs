//! `roundtrip`: any text comes back from its ids; what is counted, cut and chunked is what is encoded;
//! and however a batch is shared out, its ids are those of its texts.

use fretsaw::{Boundary, Budget, MatchPolicy, Settings, SpecialSet, Tokenizer};

use crate::draw::Draw;
use crate::small::any_family;

pub fn run(draw: &mut Draw<'_>) -> Option<()> {
    let pipeline = &any_family(draw).pipeline;
    let special = SpecialSet::None;
    let (max_tokens, overlap, threads) = (draw.below(40), draw.below(10), 1 + draw.below(2));
    let text = draw.text();
    let ids = pipeline.encode_with_special(&text, &special).expect("any text");
    assert_eq!(pipeline.decode(&ids).as_deref(), Ok(&*text));
    assert_eq!(pipeline.decode_bytes(&ids).as_deref(), Ok(text.as_bytes()));
    let count = pipeline.count(&text, MatchPolicy::new(&special), true, None);
    assert_eq!(count, Ok(ids.len()));
    let budget = Budget { special: &special, max_tokens, add_special_tokens: true };
    assert_eq!(pipeline.fits(&text, budget), Ok(ids.len() <= max_tokens));
    for direction in [fretsaw::spec::Direction::Left, fretsaw::spec::Direction::Right] {
        let (kept, count) =
            pipeline.fitting(&text, direction, budget).expect("nothing fits always");
        let own = pipeline.encode_with_special(&text[kept.clone()], &special).expect("any text");
        assert!(own.len() == count && count <= max_tokens, "{text:?} {kept:?}");
        assert!(kept.len() == text.len() || ids.len() > max_tokens);
    }
    if let Ok(chunks) = pipeline.chunks(&text, overlap.min(max_tokens / 2), Boundary::Token, budget)
    {
        let mut done = 0;
        for chunk in chunks {
            assert!(chunk.start <= done && chunk.end > done, "{text:?} {chunk:?}");
            let own =
                pipeline.encode_with_special(&text[chunk.clone()], &special).expect("any text");
            assert!(own.len() <= max_tokens);
            done = chunk.end;
        }
        assert_eq!(done, text.len());
    }
    let texts = [&*text, "", &text[..text.floor_char_boundary(text.len() / 2)], &text];
    let batch =
        pipeline.encode_batch(&texts, &special, true, &Settings::NONE, threads).expect("any texts");
    for (text, encoding) in texts.iter().zip(batch) {
        assert_eq!(Ok(encoding.ids), pipeline.encode_with_special(text, &special));
    }
    Some(())
}
