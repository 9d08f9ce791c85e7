//! Where documents begin and end never depends on how a stream was read.

use std::io::{Cursor, Write};
use std::path::Path;

use fretsaw_bulk::{Block, Blocks, Content, Cutting, Input, Limits};

const TEXTS: [&str; 8] =
    ["", "\n", "one line", "a\nb\n\nccc\r\nd", "aaaaaaa", "x--y---z----", "ends\n", "a--b\n--c--"];

fn blocks_of(name: &str, bytes: Vec<u8>, cutting: &Cutting, limits: Limits, from: u64) -> Blocks {
    let input = Input::new(Box::new(Cursor::new(bytes)), Path::new(name)).unwrap();
    Blocks::new(input, 0, cutting, limits, from).unwrap()
}

fn all(mut blocks: Blocks) -> Vec<Block> {
    let mut found = Vec::new();
    while let Some(block) = blocks.next_block().unwrap() {
        assert_eq!(block.at, found.last().map_or(block.at, Block::next));
        found.push(block);
    }
    found
}

/// Documents with their places, as a whole text is cut.
fn documents(text: &str, cutting: &Cutting) -> Vec<(u64, String)> {
    let mut at = 0;
    let parts: Vec<(&str, usize)> = match cutting {
        Cutting::File => vec![(text, 0)],
        Cutting::Line => text.split_inclusive('\n').map(|part| (part, 0)).collect(),
        Cutting::At(separator) => {
            let separator = std::str::from_utf8(separator).unwrap();
            text.split(separator).map(|part| (part, separator.len())).collect()
        }
    };
    let place = |(part, outside): (&str, usize)| {
        let place = (at, part.to_owned());
        at += (part.len() + outside) as u64;
        (!part.is_empty()).then_some(place)
    };
    parts.into_iter().filter_map(place).collect()
}

/// Documents of blocks.
fn cut(blocks: &[Block], cutting: &Cutting) -> Vec<(u64, String)> {
    let of_block = |block: &Block| match &block.content {
        Content::Text(bytes) => {
            let text = String::from_utf8(bytes.clone()).unwrap();
            let found = documents(&text, cutting).into_iter();
            found.map(|(at, text)| (block.at + at, text)).collect::<Vec<_>>()
        }
        Content::TooLong { bytes, .. } => vec![(block.at, format!("{bytes} bytes"))],
        Content::Rows { .. } => Vec::new(),
    };
    blocks.iter().flat_map(of_block).collect()
}

fn cuttings() -> Vec<Cutting> {
    let separators = ["--", "aa", "-y", "9--"];
    let at = separators.map(|separator| Cutting::At(separator.into()));
    [Cutting::Line, Cutting::File].into_iter().chain(at).collect()
}

/// Texts that are larger than what is read at once, too.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = TEXTS.iter().map(|&text| text.to_owned()).collect();
    let long: String = (0..40_000).map(|n| format!("{n}{}", ["\n", "--", "aaa"][n % 3])).collect();
    texts.extend([long, "a".repeat(200_001), format!("{}--x", "-".repeat(65_537))]);
    texts
}

#[test]
fn documents_are_those_of_the_whole_text() {
    for text in texts() {
        for cutting in cuttings() {
            for block_bytes in [1, 70_000, 1 << 20] {
                let limits = Limits { block_bytes, document_bytes: u64::MAX };
                let blocks = blocks_of("a", text.clone().into(), &cutting, limits, 0);
                let wanted = documents(&text, &cutting);
                assert_eq!(cut(&all(blocks), &cutting), wanted, "{cutting:?} {block_bytes}");
            }
        }
    }
}

#[test]
fn reading_goes_on_at_any_document() {
    let text: String = (0..300).map(|n| format!("{n}--")).collect();
    let cutting = Cutting::At(b"--".to_vec());
    let wanted = documents(&text, &cutting);
    for (index, (at, _)) in wanted.iter().enumerate() {
        let limits = Limits { block_bytes: 64, document_bytes: u64::MAX };
        let blocks = all(blocks_of("a", text.clone().into(), &cutting, limits, *at));
        assert_eq!(cut(&blocks, &cutting), wanted[index..]);
    }
}

#[test]
fn ranges_share_the_documents_among_them() {
    for text in texts() {
        for cutting in [Cutting::Line, Cutting::At(b"--".to_vec())] {
            let size = text.len() as u64;
            for step in [1, 7, 50_000, 1 << 20] {
                if size / step > 500 {
                    continue;
                }
                let mut found = Vec::new();
                for start in (0..size.max(1)).step_by(step as usize) {
                    let reader = Box::new(Cursor::new(text.clone().into_bytes()));
                    let input = Input::new(reader, Path::new("a")).unwrap();
                    let limits = Limits { block_bytes: 1000, document_bytes: u64::MAX };
                    let range = (start, start + step);
                    let blocks = Blocks::of_range(input, 0, &cutting, limits, range).unwrap();
                    found.extend(cut(&all(blocks), &cutting));
                }
                let overlapping = text.contains("---");
                if cutting == Cutting::Line || !overlapping {
                    assert_eq!(found, documents(&text, &cutting), "{cutting:?} {step}");
                }
            }
        }
    }
}

#[test]
fn long_documents_are_counted_not_kept() {
    let text = format!("short\n{}\nshort again\n{}", "x".repeat(300_000), "y".repeat(200_000));
    let limits = Limits { block_bytes: 1000, document_bytes: 100 };
    let blocks = all(blocks_of("a", text.into(), &Cutting::Line, limits, 0));
    let largest = blocks.iter().map(Block::size).max().unwrap();
    assert!(largest < 100_000, "{largest}");
    let found = cut(&blocks, &Cutting::Line);
    let wanted = [
        (0, "short\n".to_owned()),
        (6, "300001 bytes".to_owned()),
        (300_007, "short again\n".to_owned()),
        (300_019, "200000 bytes".to_owned()),
    ];
    assert_eq!(found, wanted);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn packed_files_are_read_member_by_member_and_hashed_as_they_lie() {
    let text: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    let (first, second) = text.as_bytes().split_at(100_000);
    let zstd = |bytes| zstd::stream::encode_all(Cursor::new(bytes), 1).unwrap();
    let limits = Limits { block_bytes: 4096, document_bytes: u64::MAX };
    let (mut gz, mut zst) = (gzip(first), zstd(first));
    gz.extend(gzip(second));
    zst.extend(zstd(second));
    for (name, packed) in [("a.txt.gz", gz), ("a.txt.ZST", zst)] {
        let mut blocks = blocks_of(name, packed.clone(), &Cutting::Line, limits, 0);
        let mut found = String::new();
        while let Some(block) = blocks.next_block().unwrap() {
            let Content::Text(bytes) = block.content else { panic!("no document is long") };
            found += std::str::from_utf8(&bytes).unwrap();
        }
        assert!(found == text, "{name}");
        let plain = blocks_of("plain", packed.clone(), &Cutting::File, limits, 0).digest().unwrap();
        assert_eq!(blocks.digest().unwrap(), plain, "{name}");
        for end in [1, packed.len() / 2, packed.len() - 1] {
            let mut broken = blocks_of(name, packed[..end].to_vec(), &Cutting::Line, limits, 0);
            let failed = loop {
                match broken.next_block() {
                    Ok(Some(_)) => {}
                    Ok(None) => break false,
                    Err(_) => break true,
                }
            };
            assert!(failed, "{name} cut at {end}");
        }
    }
}
