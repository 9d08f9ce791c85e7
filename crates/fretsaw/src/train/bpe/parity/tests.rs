use super::*;

fn trainer(num_merges: usize) -> ParityBpeTrainer {
    ParityBpeTrainer {
        bpe: BpeTrainer::default(),
        num_merges,
        total_symbols: false,
        global_merges: 0,
        ratio: None,
        window: None,
    }
}

fn learn(
    trainer: &ParityBpeTrainer,
    languages: &[&[(&str, u64)]],
    dev: Option<&[&[(&str, u64)]]>,
) -> Vec<String> {
    let counts = |words: &&[(&str, u64)]| words.iter().copied().collect::<Counts>();
    let languages: Vec<Counts> = languages.iter().map(counts).collect();
    let dev: Option<Vec<Counts>> = dev.map(|dev| dev.iter().map(counts).collect());
    let learned =
        trainer.learn(&languages, dev.as_deref(), Watch::nobody()).expect("sound options");
    let token = |id: u32| learned.tokens[id as usize].clone();
    learned
        .merges
        .iter()
        .map(|&(left, right)| format!("{} {}", token(left), token(right)))
        .collect()
}

#[test]
fn the_longest_language_is_merged_and_the_greatest_pair_of_equals() {
    let languages: &[&[_]] = &[&[("ab", 9), ("ad", 9)], &[("xy", 5)]];
    assert_eq!(learn(&trainer(9), languages, None), ["a d", "a b", "x y"]);
    // By another text the second one is the longest.
    let dev: &[&[_]] = &[&[("ab", 1)], &[("xyxy", 2)]];
    assert_eq!(learn(&trainer(9), languages, Some(dev)), ["x y", "a d", "a b"]);
}

#[test]
fn ratios_windows_and_common_merges() {
    let languages: &[&[_]] = &[&[("aabb", 10)], &[("ccdd", 10)]];
    let with = |ratio: [f64; 2], window| ParityBpeTrainer {
        ratio: Some(ratio.to_vec()),
        window,
        ..trainer(4)
    };
    assert_eq!(learn(&with([1.0, 2.0], None), languages, None), ["d d", "c dd", "b b", "c cdd"]);
    let window = Some(Window { size: 2, alpha: 1.0 });
    assert_eq!(learn(&with([1.0, 9.0], window), languages, None)[2], "b b");
    let together = ParityBpeTrainer { global_merges: 4, ..trainer(4) };
    let languages: &[&[_]] = &[&[("abab", 10), ("xyxy", 5)], &[("abab", 5), ("xyxy", 10)]];
    assert_eq!(learn(&together, languages, None), ["x y", "a b", "xy xy", "ab ab"]);
}

#[test]
fn training_ends_where_nothing_is_left_to_choose() {
    for alpha in [1e-9, 0.5, 1.0, 2.0] {
        for size in [1, 2, 100] {
            let window = Some(Window { size, alpha });
            let trainer = ParityBpeTrainer { window, ..trainer(100) };
            let languages: &[&[_]] = &[&[("abcabc", 10)], &[("a", 3)], &[], &[("xyz", 1)]];
            assert_eq!(learn(&trainer, languages, None).len(), 5, "{alpha} {size}");
            let ratio = Some(vec![1.0; 4]);
            learn(&ParityBpeTrainer { ratio, ..trainer }, languages, None);
        }
    }
}

#[test]
fn options_are_checked() {
    let refused = |trainer: ParityBpeTrainer, languages: usize, dev: Option<usize>| {
        let counts = |number: usize| vec![Counts::default(); number];
        let dev = dev.map(counts);
        let learned = trainer.learn(&counts(languages), dev.as_deref(), Watch::nobody());
        assert!(matches!(learned, Err(TrainError::Option { .. })), "{trainer:?}");
    };
    refused(trainer(1), 0, None);
    refused(trainer(1), 2, Some(1));
    for ratio in [vec![1.0], vec![1.0, 0.0], vec![f64::NAN, 1.0]] {
        refused(ParityBpeTrainer { ratio: Some(ratio), ..trainer(1) }, 2, None);
    }
    for window in [Window { size: 0, alpha: 1.0 }, Window { size: 1, alpha: f64::INFINITY }] {
        refused(ParityBpeTrainer { window: Some(window), ..trainer(1) }, 2, None);
    }
}
