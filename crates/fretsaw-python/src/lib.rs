//! The Python face of the fretsaw crate: one file a class, and no algorithms.

use pyo3::prelude::*;

mod arrow;
mod budget;
mod bulk;
mod cache;
mod capsules;
mod change;
mod chat;
mod compiled;
mod convert;
mod count;
mod encode;
mod encoding;
mod errors;
mod familiar;
mod files;
mod given;
mod growing;
mod hub;
mod inputs;
mod lists;
mod load;
mod memory;
mod padded;
mod pickle;
mod pieces;
mod policy;
mod released;
mod rows;
mod sources;
mod stream;
mod text;
mod tokenizer;
mod train;
mod watched;
mod wide;

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<tokenizer::Tokenizer>()?;
    module.add_class::<encoding::Encoding>()?;
    module.add_class::<padded::PaddedBatch>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<count::PieceCounter>()?;
    module.add_class::<count::PieceCounts>()?;
    module.add_class::<sources::TextBlocks>()?;
    module.add_class::<sources::TextBlock>()?;
    module.add_class::<budget::TextIndex>()?;
    module.add_class::<growing::GrowingText>()?;
    module.add_class::<arrow::ArrowLists>()?;
    module.add_class::<arrow::ArrowListStream>()?;
    module.add_class::<bulk::ShardJob>()?;
    module.add_class::<bulk::BlockEncoder>()?;
    module.add_function(wrap_pyfunction!(bulk::checksum, module)?)?;
    module.add_function(wrap_pyfunction!(cache::cache_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(cache::set_cache_limit, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
