//! [`Spec`] -> bytes that are equal when two tokenizers are the same by construction.
//!
//! Every value has a fixed width or its length in front, every alternative a number, so that no
//! two different specs have the same bytes. The order of entries of a vocabulary does not count,
//! nor do entries that a later one of the same token overrules, nor merges that a later one of the
//! same pair does; merges stand in rank order.

use std::collections::HashMap;

use super::{
    AddedToken, Bpe, Decoder, DefaultSpecial, Direction, Merges, Model, Normalizer, PadStrategy,
    Padding, Pattern, PostProcessor, PreTokenizer, PrependScheme, SentencePiece, Spec,
    SplitBehavior, TemplatePiece, TemplateToken, TextRules, Truncation, TruncationStrategy,
    Unigram, Vocab, WordLevel, WordPiece,
};

/// The first bytes, to be changed with the form.
const FORM: &[u8] = b"fretsaw spec 1\n";

impl Spec {
    /// A serialization of all that influences outputs, independent of the order of vocabulary
    /// entries in the file and of the file's formatting. Its SHA-256 is the fingerprint.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Out(FORM.to_vec());
        out.list(&self.added_tokens, Out::added_token);
        out.list(&self.added_later, |out, &at| out.size(at));
        out.option(self.normalizer.as_ref(), Out::normalizer);
        out.option(self.pre_tokenizer.as_ref(), Out::pre_tokenizer);
        match &**self.model {
            Model::Bpe(model) => out.bpe(model),
            Model::Unigram(model) => out.unigram(model),
            Model::WordPiece(model) => out.word_piece(model),
            Model::WordLevel(model) => out.word_level(model),
            Model::SentencePiece(model) => out.sentence_piece(model),
        }
        out.option(self.post_processor.as_ref(), Out::post_processor);
        out.option(self.decoder.as_ref(), Out::decoder);
        out.option(self.truncation.as_ref(), Out::truncation);
        out.option(self.padding.as_ref(), Out::padding);
        out.tag(match self.defaults.special {
            DefaultSpecial::All => 0,
            DefaultSpecial::Error => 1,
            DefaultSpecial::None => 2,
        });
        out.flag(self.defaults.skip_special_tokens);
        out.flag(self.defaults.strict_ids);
        out.flag(self.defaults.added_ids_as_given);
        out.flag(self.defaults.skipped_tokens_separate);
        out.0
    }
}

/// The bytes so far.
struct Out(Vec<u8>);

impl Out {
    fn tag(&mut self, tag: u8) {
        self.0.push(tag);
    }

    fn flag(&mut self, flag: bool) {
        self.tag(u8::from(flag));
    }

    fn flags(&mut self, flags: &[bool]) {
        flags.iter().for_each(|flag| self.flag(*flag));
    }

    fn id(&mut self, id: u32) {
        self.0.extend_from_slice(&id.to_le_bytes());
    }

    fn size(&mut self, size: usize) {
        self.0.extend_from_slice(&(size as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn character(&mut self, c: char) {
        self.id(u32::from(c));
    }

    fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn list<T>(&mut self, values: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.size(values.len());
        values.iter().for_each(|value| write(self, value));
    }

    fn added_token(&mut self, token: &AddedToken) {
        self.id(token.id);
        self.text(&token.content);
        self.flags(&[token.single_word, token.lstrip, token.rstrip]);
        self.flags(&[token.normalized, token.special]);
    }

    fn vocab(&mut self, vocab: &Vocab) {
        let mut entries: Vec<(&str, u32)> = vocab.iter().collect();
        // Stable, so that of repeated tokens the last stays last; it is the one that counts.
        entries.sort_by(|a, b| a.0.cmp(b.0));
        entries.reverse();
        entries.dedup_by(|later, earlier| later.0 == earlier.0);
        entries.reverse();
        self.list(&entries, |out, (token, id)| {
            out.text(token);
            out.id(*id);
        });
    }

    fn bpe(&mut self, model: &Bpe) {
        self.tag(0);
        self.vocab(&model.vocab);
        match &model.merges {
            Merges::Pairs(merges) => {
                self.tag(0);
                // Of a pair that stands twice the last one counts.
                let last: HashMap<(&str, &str), usize> = merges.iter().zip(0..).collect();
                self.size(last.len());
                for (pair, _) in merges.iter().zip(0..).filter(|(pair, rank)| last[pair] == *rank) {
                    self.text(pair.0);
                    self.text(pair.1);
                }
            }
            Merges::ByJoinedBytes => self.tag(1),
        }
        self.option(model.dropout, |out, dropout| out.id(dropout.to_bits()));
        for text in [&model.unk_token, &model.continuing_subword_prefix, &model.end_of_word_suffix]
        {
            self.option(text.as_deref(), Out::text);
        }
        self.flags(&[model.fuse_unk, model.byte_fallback, model.ignore_merges]);
    }

    fn unigram(&mut self, model: &Unigram) {
        self.tag(1);
        // The id of an entry is its place, so the order is part of the model.
        self.size(model.vocab.len());
        for (token, id) in model.vocab.iter() {
            self.text(token);
            self.id(id);
        }
        self.list(&model.scores, |out, score| out.0.extend_from_slice(&score.to_le_bytes()));
        self.option(model.unk_id, Out::size);
        // A model that chooses by chance has a number of its own here.
        match model.alpha.filter(|&alpha| alpha != 0.0) {
            None => self.flag(model.byte_fallback),
            Some(alpha) => {
                self.tag(2 + u8::from(model.byte_fallback));
                self.0.extend_from_slice(&alpha.to_le_bytes());
                self.size(model.nbest_size.unwrap_or(0));
            }
        }
    }

    fn word_piece(&mut self, model: &WordPiece) {
        self.tag(2);
        self.vocab(&model.vocab);
        self.text(&model.unk_token);
        self.text(&model.continuing_subword_prefix);
        self.size(model.max_input_chars_per_word);
    }

    fn word_level(&mut self, model: &WordLevel) {
        self.tag(3);
        self.vocab(&model.vocab);
        self.text(&model.unk_token);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        let (tag, text) = match pattern {
            Pattern::Literal(text) => (0, text),
            Pattern::Onig(text) => (1, text),
            Pattern::Fancy(text) => (2, text),
        };
        self.tag(tag);
        self.text(text);
    }

    fn normalizer(&mut self, normalizer: &Normalizer) {
        match normalizer {
            Normalizer::Nfc => self.tag(0),
            Normalizer::Nfd => self.tag(1),
            Normalizer::Nfkc => self.tag(2),
            Normalizer::Nfkd => self.tag(3),
            Normalizer::Lowercase => self.tag(4),
            Normalizer::Strip { left, right } => {
                self.tag(5);
                self.flags(&[*left, *right]);
            }
            Normalizer::StripAccents => self.tag(6),
            Normalizer::Replace { pattern, content } => {
                self.tag(7);
                self.pattern(pattern);
                self.text(content);
            }
            Normalizer::Prepend { prepend } => {
                self.tag(8);
                self.text(prepend);
            }
            Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
                self.tag(9);
                self.flags(&[*clean_text, *handle_chinese_chars, *lowercase]);
                self.option(*strip_accents, Out::flag);
            }
            Normalizer::Nmt => self.tag(10),
            Normalizer::Precompiled { charsmap } => {
                self.tag(11);
                self.bytes(charsmap);
            }
            Normalizer::ByteLevel => self.tag(12),
            Normalizer::Sequence(parts) => {
                self.tag(13);
                self.list(parts, Out::normalizer);
            }
            Normalizer::SentencePiece(rules) => {
                self.tag(14);
                self.text_rules(rules);
            }
        }
    }

    fn text_rules(&mut self, rules: &TextRules) {
        self.bytes(&rules.charsmap);
        self.flags(&[rules.add_dummy_prefix, rules.remove_extra_whitespaces]);
        self.flags(&[rules.escape_whitespaces, rules.treat_whitespace_as_suffix]);
        self.list(&rules.symbols, |out, symbol| out.text(symbol));
    }

    fn sentence_piece(&mut self, model: &SentencePiece) {
        self.tag(4);
        self.tag(model.search as u8);
        self.size(model.vocab.len());
        for ((piece, _), (score, kind)) in
            model.vocab.iter().zip(model.scores.iter().zip(&model.types))
        {
            self.text(piece);
            self.id(score.to_bits());
            self.tag(*kind as u8);
        }
        self.flag(model.byte_fallback);
        model.names.iter().for_each(|name| self.text(name));
    }

    fn behavior(&mut self, behavior: SplitBehavior) {
        self.tag(match behavior {
            SplitBehavior::Removed => 0,
            SplitBehavior::Isolated => 1,
            SplitBehavior::MergedWithPrevious => 2,
            SplitBehavior::MergedWithNext => 3,
            SplitBehavior::Contiguous => 4,
        });
    }

    fn metaspace(&mut self, replacement: char, prepend_scheme: PrependScheme, split: bool) {
        self.character(replacement);
        self.tag(match prepend_scheme {
            PrependScheme::First => 0,
            PrependScheme::Never => 1,
            PrependScheme::Always => 2,
        });
        self.flag(split);
    }

    fn pre_tokenizer(&mut self, pre_tokenizer: &PreTokenizer) {
        match pre_tokenizer {
            PreTokenizer::Bert => self.tag(0),
            PreTokenizer::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
                self.tag(1);
                self.flags(&[*add_prefix_space, *trim_offsets, *use_regex]);
            }
            PreTokenizer::CharDelimiterSplit { delimiter } => {
                self.tag(2);
                self.character(*delimiter);
            }
            PreTokenizer::Digits { individual_digits } => {
                self.tag(3);
                self.flag(*individual_digits);
            }
            PreTokenizer::FixedLength { length } => {
                self.tag(4);
                self.size(*length);
            }
            PreTokenizer::Metaspace { replacement, prepend_scheme, split } => {
                self.tag(5);
                self.metaspace(*replacement, *prepend_scheme, *split);
            }
            PreTokenizer::Punctuation { behavior } => {
                self.tag(6);
                self.behavior(*behavior);
            }
            PreTokenizer::Split { pattern, behavior, invert } => {
                self.tag(7);
                self.pattern(pattern);
                self.behavior(*behavior);
                self.flag(*invert);
            }
            PreTokenizer::UnicodeScripts => self.tag(8),
            PreTokenizer::Whitespace => self.tag(9),
            PreTokenizer::WhitespaceSplit => self.tag(10),
            PreTokenizer::Sequence(parts) => {
                self.tag(11);
                self.list(parts, Out::pre_tokenizer);
            }
        }
    }

    fn piece(&mut self, piece: &TemplatePiece) {
        match piece {
            TemplatePiece::Sequence { id, type_id } => {
                self.tag(0);
                self.tag(*id);
                self.id(*type_id);
            }
            TemplatePiece::SpecialToken { id, type_id } => {
                self.tag(1);
                self.text(id);
                self.id(*type_id);
            }
        }
    }

    fn special_token(&mut self, token: &TemplateToken) {
        self.text(&token.id);
        self.list(&token.ids, |out, id| out.id(*id));
        self.list(&token.tokens, |out, token| out.text(token));
    }

    fn post_processor(&mut self, post_processor: &PostProcessor) {
        match post_processor {
            PostProcessor::Bert { sep, cls } => {
                self.tag(0);
                self.token_and_id(sep);
                self.token_and_id(cls);
            }
            PostProcessor::Roberta { sep, cls, trim_offsets, add_prefix_space } => {
                self.tag(1);
                self.token_and_id(sep);
                self.token_and_id(cls);
                self.flags(&[*trim_offsets, *add_prefix_space]);
            }
            PostProcessor::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
                self.tag(2);
                self.flags(&[*add_prefix_space, *trim_offsets, *use_regex]);
            }
            PostProcessor::Template { single, pair, special_tokens } => {
                self.tag(3);
                self.list(single, Out::piece);
                self.list(pair, Out::piece);
                self.list(special_tokens, Out::special_token);
            }
            PostProcessor::Sequence(parts) => {
                self.tag(4);
                self.list(parts, Out::post_processor);
            }
        }
    }

    fn token_and_id(&mut self, token: &(String, u32)) {
        self.text(&token.0);
        self.id(token.1);
    }

    fn decoder(&mut self, decoder: &Decoder) {
        match decoder {
            Decoder::Bpe { suffix } => {
                self.tag(0);
                self.text(suffix);
            }
            Decoder::ByteFallback => self.tag(1),
            Decoder::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
                self.tag(2);
                self.flags(&[*add_prefix_space, *trim_offsets, *use_regex]);
            }
            Decoder::Ctc { pad_token, word_delimiter_token, cleanup } => {
                self.tag(3);
                self.text(pad_token);
                self.text(word_delimiter_token);
                self.flag(*cleanup);
            }
            Decoder::Fuse => self.tag(4),
            Decoder::Metaspace { replacement, prepend_scheme, split } => {
                self.tag(5);
                self.metaspace(*replacement, *prepend_scheme, *split);
            }
            Decoder::Replace { pattern, content } => {
                self.tag(6);
                self.pattern(pattern);
                self.text(content);
            }
            Decoder::Strip { content, start, stop } => {
                self.tag(7);
                self.character(*content);
                self.size(*start);
                self.size(*stop);
            }
            Decoder::WordPiece { prefix, cleanup } => {
                self.tag(8);
                self.text(prefix);
                self.flag(*cleanup);
            }
            Decoder::Sequence(parts) => {
                self.tag(9);
                self.list(parts, Out::decoder);
            }
            Decoder::SentencePiece { unk_surface, strips_first, strips_all, denormalizer } => {
                self.tag(10);
                self.text(unk_surface);
                self.flags(&[*strips_first, *strips_all]);
                self.option(denormalizer.as_ref(), Out::text_rules);
            }
        }
    }

    fn direction(&mut self, direction: Direction) {
        self.flag(direction == Direction::Right);
    }

    fn truncation(&mut self, truncation: &Truncation) {
        self.direction(truncation.direction);
        self.size(truncation.max_length);
        self.tag(match truncation.strategy {
            TruncationStrategy::LongestFirst => 0,
            TruncationStrategy::OnlyFirst => 1,
            TruncationStrategy::OnlySecond => 2,
        });
        self.size(truncation.stride);
    }

    fn padding(&mut self, padding: &Padding) {
        let fixed = match padding.strategy {
            PadStrategy::BatchLongest => None,
            PadStrategy::Fixed(length) => Some(length),
        };
        self.option(fixed, Out::size);
        self.direction(padding.direction);
        self.option(padding.pad_to_multiple_of, Out::size);
        self.id(padding.pad_id);
        self.id(padding.pad_type_id);
        self.text(&padding.pad_token);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::spec::from_json;

    fn canonical(text: &str) -> Vec<u8> {
        from_json(text.as_bytes()).unwrap().canonical()
    }

    #[test]
    fn order_and_formatting_do_not_count() {
        let one = r#"{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}}"#;
        for other in [
            r#"{"model":{"merges":[["a","b"]],"vocab":{"ab":2,"b":1,"a":0}},"version":"1.0"}"#,
            r#"{ "model": {"vocab":{"a":5,"a":0,"b":1,"ab":2},"merges":["a b"]}}"#,
        ] {
            assert_eq!(canonical(one), canonical(other), "{other}");
        }
    }

    #[test]
    fn all_that_influences_outputs_counts() {
        let model = r#""model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b","b a"]}"#;
        let texts = [
            format!("{{{model}}}"),
            format!("{{{}}}", model.replace(r#""a b","b a""#, r#""b a","a b""#)),
            format!("{{{}}}", model.replace(r#""a b""#, r#""ab ""#)),
            format!("{{{}}}", model.replace(r#""b":1"#, r#""b":2"#)),
            format!("{{{}}}", model.replace(r#""type":"BPE","#, r#""unk_token":"","#)),
            format!("{{{}}}", model.replace(r#""type":"BPE","#, r#""end_of_word_suffix":"","#)),
            format!(r#"{{{model},"normalizer":{{"type":"NFC"}}}}"#),
            format!(r#"{{{model},"normalizer":{{"type":"Sequence","normalizers":[]}}}}"#),
            format!(r#"{{{model},"pre_tokenizer":{{"type":"Whitespace"}}}}"#),
            format!(r#"{{{model},"decoder":{{"type":"Fuse"}}}}"#),
        ];
        let mut all: Vec<Vec<u8>> = texts.iter().map(|text| canonical(text)).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), texts.len());
    }

    #[test]
    fn sampling_counts_only_where_there_is_any() {
        let text = br#"{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",0]]}}"#;
        let with = |alpha, nbest_size| {
            let mut spec = from_json(text).unwrap();
            spec.set_sampling(alpha, nbest_size);
            spec.canonical()
        };
        assert_eq!(with(Some(0.0), Some(7)), with(None, None));
        assert_eq!(with(Some(0.5), None), with(Some(0.5), Some(0)));
        let mut all = [with(None, None), with(Some(0.5), None), with(Some(0.25), None)].to_vec();
        all.push(with(Some(0.5), Some(2)));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
    }
}
