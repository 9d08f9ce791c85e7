//! Chat templates of `fretsaw.Tokenizer`: kept here, rendered by `fretsaw._chat`.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::tokenizer::{Snapshot, Tokenizer};

/// The chat template of a folder with the special tokens that it may name, as JSON, if it has one.
pub fn of_folder(py: Python<'_>, path: &Path) -> PyResult<Option<Arc<str>>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let read = py.import("fretsaw._chat")?.call_method1("read", (path.as_os_str(),))?;
    Ok(read.extract::<Option<String>>()?.map(Arc::from))
}

#[pymethods]
impl Tokenizer {
    /// Messages as the prompt that a chat template makes of them.
    #[pyo3(signature = (messages, *, tools = None, documents = None, add_generation_prompt = false, chat_template = None, trust_template_output = false, **variables))]
    #[allow(clippy::too_many_arguments)]
    fn render_chat<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        tools: Option<&Bound<'py, PyAny>>,
        documents: Option<&Bound<'py, PyAny>>,
        add_generation_prompt: bool,
        chat_template: Option<&str>,
        trust_template_output: bool,
        variables: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let now = self.now();
        let none = PyDict::new(py);
        let own = now.pipeline.spec().chat_template.as_ref();
        let own = own.map(|chat| (chat.source.as_str(), chat.tokens.as_slice()));
        let given = (
            (now.chat.as_deref(), own),
            messages,
            tools,
            documents,
            add_generation_prompt,
            chat_template,
            trust_template_output,
            variables.unwrap_or(&none),
        );
        py.import("fretsaw._chat")?.call_method1("render", given)
    }

    /// The same tokenizer with a chat template as `fretsaw._chat.read` gives it.
    fn _with_chat(&self, chat: &str) -> Self {
        Snapshot { chat: Some(chat.into()), ..self.now().as_ref().clone() }.into()
    }
}
