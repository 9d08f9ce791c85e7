//! How texts are cut for the names in `tokenizer.ggml.pre`.
//!
//! Each name stands for the pre-tokenizer of some model's published tokenizer.json, and its normalizer
//! where it has one; that is what is here, so that ids are those of that file. Where no such file
//! is known, it is what llama.cpp does by that name.
//!
//! Source: names, and which of them are the same, from `llama-vocab.cpp` of ggml-org/llama.cpp
//! (November 2025 and later); patterns from the published files.

use crate::spec::{Normalizer, Pattern, PreTokenizer, SplitBehavior};

/// What a name stands for.
pub struct Pre {
    pub normalizer: Option<Normalizer>,
    pub pre_tokenizer: PreTokenizer,
    /// Whether a piece that is a token is that token without merging.
    pub ignore_merges: bool,
    /// Whether texts start with the token for it, if the file does not say.
    pub add_bos: bool,
}

const LLAMA_3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN_2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN_35: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT_4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const BLOOM: &str = r" ?[^(\s|[.,!?…。，、।۔،])]+";
const SEED_CODER: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+";
const BAILING: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+";
const KIMI_K2: &str = r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT_2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

const DEEPSEEK_LLM: [&str; 5] = [
    r"[\r\n]",
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+",
    r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
    r"\s+$",
    r"[一-龥ࠀ-一가-퟿]+",
];
const DEEPSEEK_CODER: [&str; 4] = [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"[一-龥ࠀ-一가-퟿]+"];
const DEEPSEEK_3: [&str; 3] = [
    r"\p{N}{1,3}",
    r"[一-龥぀-ゟ゠-ヿ]+",
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##,
];
/// Three digits at a time from the right.
const THOUSANDS_AYA: &str = r"\d{1,3}(?=(?:\d{3})*\b)";
/// The same for any number that is not part of a longer one.
const THOUSANDS: &str = r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))";
const AFMOE: [&str; 3] =
    [THOUSANDS, r"[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+", DEEPSEEK_3[2]];
const EXAONE_MOE: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+";
const YOUTU: [&str; 2] = [
    "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
];
/// What llama.cpp does where a file names nothing.
const DEFAULT: [&str; 4] = [r"[\p{P}\$\+<=>\^~\|]+", GPT_2, r"\p{N}+", "[0-9][0-9][0-9]"];
const SUPER_BPE: [&str; 2] = [r"\p{N}+", r"(?=(\d{3})+(?!\d))"];
const CHAMELEON: [&str; 3] =
    ["<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )"];

/// Models whose architecture says how their texts are cut, for files older than the key.
const ARCHITECTURES: [(&str, &str); 5] = [
    ("gptneox", "olmo"),
    ("gpt2", "gpt-2"),
    ("mpt", "mpt"),
    ("falcon", "falcon"),
    ("bloom", "bloom"),
];

/// The name for a file that has none.
pub fn name_for(architecture: &str) -> &'static str {
    let known = ARCHITECTURES.iter().find(|(name, _)| *name == architecture);
    known.map_or("default", |(_, pre)| pre)
}

/// What a name stands for; `None` for an unknown one.
pub fn pre(name: &str) -> Option<Pre> {
    let pre_tokenizer = match name {
        "default" => splits(&DEFAULT, &[]),
        "llama3" | "llama-v3" | "llama-bpe" | "falcon3" | "falcon-h1" | "pixtral" | "midm-2.0"
        | "lfm2" | "jina-v5-nano" | "dbrx" | "smaug-bpe" | "glm4" | "chatglm-bpe" => {
            splits(&[LLAMA_3], &[])
        }
        "qwen2" | "deepseek-r1-qwen" | "kormo" | "f2llmv2" | "megrez" | "stablelm2" | "hunyuan"
        | "grok-2" | "solar-open" => splits(&[QWEN_2], &[]),
        "qwen35" => splits(&[QWEN_35], &[]),
        "tekken" => splits(&[TEKKEN], &[]),
        "gpt-4o" | "llama4" | "minimax-m2" | "kanana2" | "talkie" => splits(&[GPT_4O], &[]),
        "tiny_aya" | "cohere2moe" => splits(&[THOUSANDS_AYA, GPT_4O], &[]),
        "exaone-moe" => splits(&[EXAONE_MOE], &[]),
        "youtu" => splits(&YOUTU, &[]),
        "afmoe" => splits(&AFMOE, &[]),
        "kimi-k2" => splits(&[KIMI_K2], &[]),
        "seed-coder" => splits(&[SEED_CODER], &[]),
        "bailingmoe" | "bailingmoe2" | "llada-moe" => splits(&[BAILING], &[]),
        "poro-chat" | "bloom" | "gpt3-finnish" => splits(&[BLOOM], &[]),
        "viking" => splits(&[BLOOM], &[individual_digits()]),
        "superbpe" => splits(&SUPER_BPE, &[]),
        "deepseek-llm" => splits(&DEEPSEEK_LLM, &[individual_digits()]),
        "deepseek-coder" => splits(&DEEPSEEK_CODER, &[individual_digits()]),
        "deepseek-v3" | "hunyuan-dense" | "joyai-llm" => splits(&DEEPSEEK_3, &[]),
        "falcon" => falcon(),
        "chameleon" => chameleon(),
        "starcoder" | "refact" | "command-r" | "smollm" | "codeshell" | "exaone" | "minerva-7b" => {
            PreTokenizer::Sequence(vec![individual_digits(), byte_level(true)])
        }
        "gpt-2" | "phi-2" | "jina-es" | "jina-de" | "gigachat" | "jina-v2-es" | "jina-v2-de"
        | "a.x-4.0" | "mellum" | "jina-v1-en" | "jina-v2-code" | "roberta-bpe" | "mpt" | "olmo"
        | "jais" | "trillion" | "granite-docling" | "exaone4" | "modern-bert" => byte_level(true),
        _ => return None,
    };
    let composed = matches!(
        name,
        "qwen2"
            | "qwen35"
            | "deepseek-r1-qwen"
            | "megrez"
            | "command-r"
            | "mpt"
            | "olmo"
            | "modern-bert"
    );
    let merged_first = matches!(
        name,
        "llama3"
            | "llama-v3"
            | "llama-bpe"
            | "falcon3"
            | "falcon-h1"
            | "pixtral"
            | "midm-2.0"
            | "lfm2"
            | "jina-v5-nano"
            | "tekken"
    );
    let whole_first = merged_first || name == "youtu";
    Some(Pre {
        normalizer: composed.then_some(Normalizer::Nfc),
        pre_tokenizer,
        ignore_merges: whole_first,
        add_bos: merged_first || name == "chameleon",
    })
}

/// What matches each pattern stands alone; then come others, then bytes.
fn splits(patterns: &[&str], others: &[PreTokenizer]) -> PreTokenizer {
    let split = |pattern: &&str| isolated(pattern);
    let patterns = patterns.iter().map(split).chain(others.iter().cloned());
    PreTokenizer::Sequence(patterns.chain([byte_level(false)]).collect())
}

fn isolated(pattern: &str) -> PreTokenizer {
    PreTokenizer::Split {
        pattern: Pattern::Onig(pattern.to_owned()),
        behavior: SplitBehavior::Isolated,
        invert: false,
    }
}

fn byte_level(use_regex: bool) -> PreTokenizer {
    PreTokenizer::ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex }
}

fn individual_digits() -> PreTokenizer {
    PreTokenizer::Digits { individual_digits: true }
}

fn falcon() -> PreTokenizer {
    PreTokenizer::Sequence(vec![
        PreTokenizer::Punctuation { behavior: SplitBehavior::Contiguous },
        byte_level(true),
        PreTokenizer::Digits { individual_digits: false },
        isolated("[0-9][0-9][0-9]"),
    ])
}

fn chameleon() -> PreTokenizer {
    let mut parts: Vec<PreTokenizer> = CHAMELEON.iter().map(|pattern| isolated(pattern)).collect();
    parts.push(individual_digits());
    parts.push(PreTokenizer::Punctuation { behavior: SplitBehavior::Isolated });
    parts.push(byte_level(true));
    PreTokenizer::Sequence(parts)
}
