//! The messages of a SentencePiece model, as far as they matter for what a model does.
//!
//! Source: `sentencepiece_model.proto` of sentencepiece 0.2.3: field numbers and defaults. Fields that
//! training alone reads are passed over. Texts are bytes here: proto2 does not check that they are
//! UTF-8, so the reader does.

use prost::Message;

/// The whole file.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    #[prost(message, repeated, tag = "1")]
    pub pieces: Vec<Piece>,
    #[prost(message, optional, tag = "2")]
    pub trainer_spec: Option<TrainerSpec>,
    #[prost(message, optional, tag = "3")]
    pub normalizer_spec: Option<NormalizerSpec>,
    #[prost(message, optional, tag = "5")]
    pub denormalizer_spec: Option<NormalizerSpec>,
}

/// One entry of the vocabulary.
#[derive(Clone, PartialEq, Message)]
pub struct Piece {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub piece: Option<Vec<u8>>,
    #[prost(float, optional, tag = "2")]
    pub score: Option<f32>,
    #[prost(int32, optional, tag = "3")]
    pub r#type: Option<i32>,
}

/// What the model was trained with; some of it says how it works.
#[derive(Clone, PartialEq, Message)]
pub struct TrainerSpec {
    #[prost(int32, optional, tag = "3")]
    pub model_type: Option<i32>,
    #[prost(bool, optional, tag = "24")]
    pub treat_whitespace_as_suffix: Option<bool>,
    #[prost(bool, optional, tag = "35")]
    pub byte_fallback: Option<bool>,
    #[prost(bytes = "vec", optional, tag = "44")]
    pub unk_surface: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "45")]
    pub unk_piece: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "46")]
    pub bos_piece: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "47")]
    pub eos_piece: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "48")]
    pub pad_piece: Option<Vec<u8>>,
}

/// What happens to a text before the model sees it, or to decoded text.
#[derive(Clone, PartialEq, Message)]
pub struct NormalizerSpec {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub name: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub precompiled_charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3")]
    pub add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4")]
    pub remove_extra_whitespaces: Option<bool>,
    #[prost(bool, optional, tag = "5")]
    pub escape_whitespaces: Option<bool>,
}
