//! Chat templates: Jinja, as Hugging Face's tokenizers use it.

use std::borrow::Cow;

use minijinja::{Environment, ErrorKind, context};

use super::Error;

/// Steps a template may take: thousands of times what a published one needs for a long conversation.
const FUEL: u64 = 10_000_000;

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message<'m> {
    /// `system`, `user` or `assistant`.
    pub role: Cow<'m, str>,
    /// What was said.
    pub content: Cow<'m, str>,
}

impl<'m> Message<'m> {
    /// A turn of the user.
    pub fn user(content: impl Into<Cow<'m, str>>) -> Message<'m> {
        Message { role: "user".into(), content: content.into() }
    }

    /// A turn of the assistant.
    pub fn assistant(content: impl Into<Cow<'m, str>>) -> Message<'m> {
        Message { role: "assistant".into(), content: content.into() }
    }

    /// What the model is told first.
    pub fn system(content: impl Into<Cow<'m, str>>) -> Message<'m> {
        Message { role: "system".into(), content: content.into() }
    }
}

/// Writes the conversation up to where the assistant speaks.
pub(super) fn render(
    template: &str,
    messages: &[Message<'_>],
    bos: &str,
    eos: &str,
) -> Result<String, Error> {
    let mut environment = Environment::new();
    // What the reference sets: blocks leave no lines behind.
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_function("raise_exception", |message: String| -> Result<String, minijinja::Error> {
        Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
    });
    environment
        .template_from_str(template)
        .and_then(|template| {
            template.render(context! {
                messages => messages,
                add_generation_prompt => true,
                bos_token => bos,
                eos_token => eos,
                tools => None::<String>,
            })
        })
        .map_err(|error| Error::Template(error.to_string()))
}
