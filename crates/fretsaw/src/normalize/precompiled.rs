//! placeholder
use super::spans::Change;
use crate::error::EncodeError;
use std::borrow::Cow;
pub struct Precompiled;
pub struct BrokenCharsmap;
impl std::fmt::Display for BrokenCharsmap { fn fmt(&self,_:&mut std::fmt::Formatter<'_>)->std::fmt::Result{Ok(())} }
impl Precompiled { pub fn new(_:&[u8])->Result<Self,BrokenCharsmap>{Ok(Self)}
    pub(super) fn normalize<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, EncodeError> { Ok(text.into()) }
    pub(super) fn changes(&self, _: &str) -> Result<Option<Vec<Change>>, EncodeError> { Ok(None) }
}
