//! The program as it is called.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A folder of the test's own with GPT-2's tokenizer.json in it.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/gpt2.json.gz");
    let mut json = Vec::new();
    GzDecoder::new(fs::File::open(fixture).unwrap()).read_to_end(&mut json).unwrap();
    fs::write(folder.join("tokenizer.json"), json).unwrap();
    folder
}

fn tl_tok(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tl-tok")).args(arguments).output().unwrap()
}

/// The JSON object of the last line.
fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(stdout.lines().last().unwrap()).unwrap()
}

fn keys(report: &Value) -> Vec<&str> {
    report.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The fields of a report, in any order.
fn has_keys(report: &Value, want: &[&str]) {
    let mut want = want.to_vec();
    want.sort_unstable();
    let mut keys = keys(report);
    keys.sort_unstable();
    assert_eq!(keys, want);
}

#[test]
fn encode_writes_ids_and_ends_with_a_report() {
    let folder = folder("encode");
    let (texts, out) = (folder.join("texts.txt"), folder.join("ids.txt"));
    fs::write(&texts, "Hello world\n\né<|endoftext|>\n last").unwrap();
    let paths = [&folder, &texts, &out].map(|path| path.to_str().unwrap());
    let report =
        report(&tl_tok(&["encode", "--tokenizer", paths[0], "--in", paths[1], "--out", paths[2]]));
    assert_eq!(fs::read_to_string(&out).unwrap(), "15496 995\n\n2634 50256\n938\n");
    has_keys(
        &report,
        &["command", "tokenizer", "texts", "bytes", "tokens", "seconds", "ids_sha256"],
    );
    let ids = [15496u32, 995, 2634, 50256, 938].map(u32::to_le_bytes).concat();
    assert_eq!(report["ids_sha256"], format!("{:x}", Sha256::digest(ids)));
    assert_eq!((&report["command"], &report["tokenizer"]), (&"encode".into(), &paths[0].into()));
    assert_eq!([&report["texts"], &report["bytes"], &report["tokens"]], [4, 11 + 15 + 5, 5]);
    assert!(report["seconds"].as_f64().unwrap() >= 0.0);

    let report = self::report(&tl_tok(&["encode", "--tokenizer", "byte", "--in", paths[1]]));
    assert_eq!((&report["bytes"], &report["tokens"]), (&31.into(), &31.into()));
}

#[test]
fn bench_ends_with_a_report() {
    let folder = folder("bench");
    let file = folder.join("file.txt");
    fs::write(&file, "Some words, and more of them: 123.\n".repeat(4000)).unwrap();
    let json = folder.join("tokenizer.json");
    let paths = [&json, &file].map(|path| path.to_str().unwrap());
    for (threads, extra) in [(1, &[][..]), (2, &["--threads", "2"])] {
        let arguments = ["bench", "--tokenizer", paths[0], "--in", paths[1]];
        let report = report(&tl_tok(&[&arguments, extra].concat()));
        has_keys(
            &report,
            &[
                "command",
                "tokenizer",
                "bytes",
                "tokens",
                "threads",
                "mb_per_s",
                "cold_mb_per_s",
                "heap_over_rescan_10k_chars",
            ],
        );
        assert_eq!([&report["bytes"], &report["threads"]], [35 * 4000, threads]);
        assert_eq!(report["tokens"], 11 * 4000);
        for rate in ["mb_per_s", "cold_mb_per_s", "heap_over_rescan_10k_chars"] {
            assert!(report[rate].as_f64().unwrap() > 0.0, "{report}");
        }
    }
    let report = report(&tl_tok(&["bench", "--tokenizer", "byte", "--in", paths[1]]));
    assert!(report["heap_over_rescan_10k_chars"].is_null());
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let folder = folder("bad");
    let [texts, refused, ill_formed, empty] =
        ["texts.txt", "refused.json", "ill-formed.txt", "empty.txt"]
            .map(|name| folder.join(name).to_str().unwrap().to_owned());
    fs::write(&texts, "a\n").unwrap();
    let json = fs::read_to_string(folder.join("tokenizer.json")).unwrap();
    let mut json: Value = serde_json::from_str(&json).unwrap();
    json["model"]["vocab"]["a"] = (1 << 24).into();
    fs::write(&refused, json.to_string()).unwrap();
    fs::write(&ill_formed, b"fine\nalso\nno\xFFt\n").unwrap();
    fs::write(&empty, "").unwrap();
    let cases = [
        (["encode", "no-such-file.json", &texts], "no-such-file.json"),
        (["encode", &refused, &texts], "`model.vocab"),
        (["encode", "byte", "no-such-texts.txt"], "no-such-texts.txt"),
        (["encode", "byte", &ill_formed], "line 3"),
        (["bench", "byte", &ill_formed], "line 3"),
        (["bench", "byte", &empty], "is empty"),
    ];
    for ([command, tokenizer, input], want) in cases {
        let output = tl_tok(&[command, "--tokenizer", tokenizer, "--in", input]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command} {tokenizer} {input}");
        assert!(output.stdout.is_empty());
        assert!(message.contains(want) && message.lines().count() == 1, "{message}");
    }
    assert_eq!(tl_tok(&["encode"]).status.code(), Some(2));
}
