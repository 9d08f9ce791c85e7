//! A model of a spec that may be put together only when someone looks into it.
//!
//! A tokenizer that comes from a compiled file has its tables at once; vocabulary and merges as plain
//! data are needed to save it, to change it or to look into it, and made then.

use std::fmt;
use std::ops::Deref;

use super::Model;
use once_cell::race::OnceBox;

/// Puts the whole model together.
pub type Make = Box<dyn Fn() -> Model + Send + Sync>;

/// A model, at once or when first needed; dereferences to it.
pub enum LazyModel {
    /// The model.
    Now(Model),
    /// A model that is put together when first needed.
    Later {
        /// The model without vocabulary, merges and scores.
        options: Model,
        /// Puts it together.
        make: Make,
        /// It, once it was.
        whole: OnceBox<Model>,
    },
}

impl LazyModel {
    /// The model's options; vocabulary, merges and scores may be missing.
    pub fn options(&self) -> &Model {
        match self {
            LazyModel::Now(model) => model,
            LazyModel::Later { options, .. } => options,
        }
    }
}

impl Deref for LazyModel {
    type Target = Model;

    fn deref(&self) -> &Model {
        match self {
            LazyModel::Now(model) => model,
            LazyModel::Later { make, whole, .. } => whole.get_or_init(|| Box::new(make())),
        }
    }
}

impl PartialEq for LazyModel {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for LazyModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
