//! `tl-tok`: encodes a file of texts, or measures how fast that goes. The last line of standard
//! output is one JSON object; bad input ends with exit code 2 and one line on standard error.

mod bench;
mod encode;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use fretsaw::{load_file, ByteTokenizer, Pipeline, Tokenizer};

#[derive(Parser)]
#[command(
    name = "tl-tok",
    version,
    about = "Encode text with a tokenizer file, or measure how fast that goes"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Encode texts and report how many tokens they are.
    ///
    /// Ends with one JSON line: command, tokenizer, texts, bytes (of the texts, without line
    /// ends), tokens, seconds (of encoding alone), and ids_sha256: the SHA-256 of all ids in
    /// order, each as 4 bytes, little-endian.
    Encode {
        /// A tokenizer.json, a folder with one (or with vocab.json and merges.txt), or `byte`.
        #[arg(long, value_name = "F")]
        tokenizer: PathBuf,
        /// A UTF-8 file with one text per line; a line ends at a line feed, which is not part of
        /// the text. Added tokens in a text match.
        #[arg(long = "in", value_name = "TEXTS")]
        texts: PathBuf,
        /// Where the ids go: one line per text, with a space between two ids.
        #[arg(long = "out", value_name = "IDS")]
        ids: Option<PathBuf>,
    },
    /// Measure how fast a file is encoded.
    ///
    /// The file is cut after line feeds into texts of about 64 KiB, which are encoded as a batch.
    /// Ends with one JSON line: command, tokenizer, bytes, tokens, threads, mb_per_s (10^6 bytes
    /// a second, the median of at least five passes after the first), cold_mb_per_s (the first
    /// pass of a freshly loaded tokenizer), and heap_over_rescan_10k_chars: how many times faster
    /// the heap is than the rescan, that is the time of the rescan divided by the time of the heap, when the
    /// merges of one piece of 10,000 letters are made. The rescan looks for the best pair anew after each merge (quadratic), the
    /// heap keeps all pairs in order; both give the same ids. It is null where no letters merge.
    Bench {
        /// A tokenizer.json, a folder with one (or with vocab.json and merges.txt), or `byte`.
        #[arg(long, value_name = "F")]
        tokenizer: PathBuf,
        /// A UTF-8 file.
        #[arg(long = "in", value_name = "FILE")]
        file: PathBuf,
        /// How many threads encode; 0 means as many as this process may use CPUs.
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
}

/// A loaded tokenizer.
enum Loaded {
    Byte,
    Pipeline(Box<Pipeline>),
}

impl Loaded {
    /// Loads `byte` or a file.
    fn load(path: &Path) -> Result<Self, String> {
        if path.as_os_str() == "byte" {
            return Ok(Loaded::Byte);
        }
        let pipeline = load_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Loaded::Pipeline(Box::new(pipeline)))
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        match self {
            Loaded::Byte => &ByteTokenizer,
            Loaded::Pipeline(pipeline) => pipeline.as_ref(),
        }
    }
}

/// The content of a UTF-8 file; an error names the line where it is not.
fn read_text(path: &Path) -> Result<String, String> {
    let bytes =
        fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
        format!("{}: line {line} is not UTF-8 (byte offset {})", path.display(), valid.len())
    })
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Encode { tokenizer, texts, ids } => {
            encode::run(&tokenizer, &texts, ids.as_deref())
        }
        Command::Bench { tokenizer, file, threads } => bench::run(&tokenizer, &file, threads),
    };
    match result {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("tl-tok: {message}");
            ExitCode::from(2)
        }
    }
}
