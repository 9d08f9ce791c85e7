//! Tests of the reader: what all of them share.

#![allow(clippy::unwrap_used)]

mod components;
mod faults;
mod models;

use super::from_json;
use crate::spec::Spec;

const MODEL: &str = r#"{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}"#;

/// A document with one more field.
fn with(field: &str, value: &str) -> String {
    format!(r#"{{"version":"1.0","{field}":{value},"model":{MODEL}}}"#)
}

fn with_model(model: &str) -> String {
    format!(r#"{{"model":{model}}}"#)
}

fn load(text: &str) -> Spec {
    from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
