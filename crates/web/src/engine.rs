//! A language model in an instance: it arrives in pieces, and writes a text step by step, so that whoever drives it can
//! stop between two tokens. Requests and answers are JSON.

use std::ops::ControlFlow;

use lacuna::complete::{Arriving, End, Error, Event, Generation, Logprob, Model, Session};
use lacuna::json::ApiError;
use serde_json::{Value, json};

use crate::BUILD;
use crate::request::{self, Input, Request};

/// Ids of a prompt that are read in one step, which cannot be stopped: at three hundred ids a second it takes a tenth of
/// a second.
const PIECE: usize = 32;

/// The bytes of an answer, or the error that answers in its place.
pub type Outcome = Result<Vec<u8>, ApiError>;

/// What an engine asks of the memory it lives in.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Whether so many bytes can be had now: what cannot be had ends an instance, so it is asked for beforehand.
    pub can_have: fn(usize) -> bool,
    /// One piece of so many bytes is allocated next.
    pub make_room: fn(usize),
}

/// An instance: empty, with a part of a model, or with a model.
#[derive(Debug)]
pub struct Engine {
    memory: Memory,
    arriving: Option<Arriving>,
    ready: Option<Ready>,
}

#[derive(Debug)]
struct Ready {
    model: &'static Model<'static>,
    session: Session<'static, 'static>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    generation: Generation<'static>,
    digest: Option<u64>,
}

impl Engine {
    /// Waits for a model of `size` bytes, where that is known.
    pub fn new(size: Option<u64>, memory: Memory) -> Engine {
        Engine { memory, arriving: Some(Arriving::with_room(size, memory.make_room)), ready: None }
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// What is no model, or has no room here.
    pub fn take(&mut self, bytes: &[u8]) -> Outcome {
        let arriving = self.arriving.as_mut().ok_or_else(loaded)?;
        arriving.take(bytes).map(|()| Vec::new()).map_err(unusable)
    }

    /// The file has come whole: `{"version", "build", "name", "architecture", "context", "vocabulary", "template"}`.
    ///
    /// # Errors
    /// A file that is cut short, or not what a language model needs.
    pub fn finish(&mut self) -> Outcome {
        let image = self.arriving.take().ok_or_else(loaded)?.finish().map_err(unusable)?;
        // An instance has one model for its whole life.
        let (model, keys) = Model::from_image(image).map_err(unusable)?;
        let model: &'static Model<'static> = Box::leak(Box::new(model));
        let config = model.decoder().config();
        let text = |key: &str| keys.str(key).ok();
        let answer = json!({
            "version": lacuna::VERSION,
            "build": BUILD,
            "name": text("general.name"),
            "architecture": text("general.architecture"),
            "context": config.context,
            "vocabulary": config.vocabulary,
            "template": model.has_template(),
        });
        self.ready = Some(Ready { model, session: Session::new(model), running: None });
        Ok(answer.to_string().into_bytes())
    }

    /// Begins a text, in place of one that is under way: `{"prompt_tokens", "cached_tokens"}`.
    ///
    /// # Errors
    /// A request that is not understood, an option out of range, a prompt that is empty or too long.
    pub fn begin(&mut self, request: &[u8]) -> Outcome {
        let ready = self.ready.as_mut().ok_or_else(not_loaded)?;
        ready.running = None;
        has_room(self.memory, BEGIN_BYTES + 32 * request.len())?;
        let Request { input, options, digest } = request::parse(request)?;
        let ids = match input {
            Input::Ids(ids) => ids,
            Input::Text(text) => ready.model.prompt(&text),
            Input::Messages(messages) => ready.model.chat(&messages).map_err(refused)?,
        };
        if ids.is_empty() {
            return Err(refused(Error::Decoder(model::decoder::Error::Empty)));
        }
        let vocabulary = ready.model.decoder().config().vocabulary;
        if let Some(at) = ids.iter().position(|id| *id as usize >= vocabulary) {
            return Err(refused(Error::Decoder(model::decoder::Error::Id { id: ids[at], at, vocabulary })));
        }
        let generation = ready.session.begin(&ids, &options).map_err(refused)?;
        let cached = generation.generated().cached;
        ready.running = Some(Running { generation, digest: digest.then_some(DIGEST_START) });
        Ok(json!({ "prompt_tokens": ids.len(), "cached_tokens": cached }).to_string().into_bytes())
    }

    /// The next piece of the prompt, or the next token: `{"read"?, "text", "token"?, "over", "result"?}`.
    ///
    /// # Errors
    /// Nothing is under way; no memory for the next step, after which nothing is under way.
    pub fn step(&mut self) -> Outcome {
        let ready = self.ready.as_mut().ok_or_else(not_loaded)?;
        let Some(running) = ready.running.as_mut() else {
            return Err(ApiError::new(400, "nothing_begun", "there is no text under way"));
        };
        let needs = ready.session.next_bytes(&running.generation, PIECE);
        let needs = needs + workspace_bytes(ready.model.decoder().config());
        if let Err(error) = has_room(self.memory, needs) {
            ready.running = None;
            return Err(error);
        }
        let (mut read, mut text, mut token) = (None, String::new(), None);
        let digest = &mut running.digest;
        let stepped = ready.session.step(&mut running.generation, PIECE, &mut |event| {
            match event {
                Event::Prompt { done, .. } => read = Some(done),
                Event::Logits(logits) => *digest = digest.map(|digest| self::digest(digest, logits)),
                Event::Token(chosen) => token = Some(logprob(chosen)),
                Event::Text(more) => text += more,
            }
            ControlFlow::Continue(())
        });
        let more = stepped.map_err(|error| {
            ready.running = None;
            refused(error)
        })?;
        let mut answer = json!({ "text": text, "over": !more });
        if let Some(read) = read {
            answer["read"] = read.into();
        }
        if let Some(token) = token {
            answer["token"] = token;
        }
        if !more {
            answer["result"] = self.end().unwrap_or_default();
        }
        Ok(answer.to_string().into_bytes())
    }

    /// Ends the text that is under way, if there is one; the model serves on. Answers with what there is of it.
    ///
    /// # Errors
    /// None.
    pub fn stop(&mut self) -> Outcome {
        Ok(self.end().unwrap_or(Value::Null).to_string().into_bytes())
    }

    /// `{"ids", "end", "prompt_tokens", "cached_tokens", "digest"?}` of what was under way.
    fn end(&mut self) -> Option<Value> {
        let Running { generation, digest } = self.ready.as_mut()?.running.take()?;
        let generated = generation.generated();
        let mut answer = json!({
            "ids": generated.ids,
            "end": if generated.end == End::Broken { "stopped" } else { generated.end.name() },
            "prompt_tokens": generation.prompt(),
            "cached_tokens": generated.cached,
        });
        if let Some(digest) = digest {
            answer["digest"] = format!("{digest:016x}").into();
        }
        Some(answer)
    }
}

/// What a request needs to become tokens: the template's interpreter, mostly.
const BEGIN_BYTES: usize = 1 << 20;

fn has_room(memory: Memory, needs: usize) -> Result<(), ApiError> {
    if (memory.can_have)(needs) {
        return Ok(());
    }
    let message = format!("{needs} bytes could not be had for the next tokens");
    Err(ApiError { got: Some(needs.into()), ..ApiError::new(507, "out_of_memory", message) })
}

/// An upper bound on what a pass holds beside the cache: rows of every width, scores, logits, an answer.
fn workspace_bytes(config: &model::decoder::Config) -> usize {
    let wide = 4 * config.hidden + 3 * config.feed_forward + 4 * config.heads * config.head;
    size_of::<f32>() * (2 * PIECE * wide + 4 * config.vocabulary) + (64 << 10)
}

fn logprob(token: &Logprob) -> Value {
    let Some(logprob) = token.logprob else { return json!({ "id": token.id }) };
    let top: Vec<Value> =
        token.top.iter().map(|(id, logprob)| json!({ "id": id, "logprob": logprob })).collect();
    json!({ "id": token.id, "logprob": logprob, "top": top })
}

/// FNV-1a's offset.
const DIGEST_START: u64 = 0xcbf2_9ce4_8422_2325;

/// As `lacuna complete --json` has it: FNV-1a over the bits of the logits, every NaN as 0x7fc00000.
fn digest(start: u64, logits: &[f32]) -> u64 {
    logits
        .iter()
        .map(|logit| if logit.is_nan() { 0x7fc0_0000 } else { logit.to_bits() })
        .flat_map(u32::to_le_bytes)
        .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn loaded() -> ApiError {
    ApiError::new(400, "loaded", "this instance has taken its model already")
}

fn not_loaded() -> ApiError {
    ApiError::new(400, "not_loaded", "no model was loaded into this instance")
}

/// Why a file is not taken.
fn unusable(error: Error) -> ApiError {
    let field = Some("model".into());
    match error {
        Error::Decoder(model::decoder::Error::Memory { bytes }) => {
            let message = error.to_string();
            ApiError { field, got: Some(bytes.into()), ..ApiError::new(507, "out_of_memory", message) }
        }
        other => ApiError { field, ..ApiError::new(400, "invalid_model", other.to_string()) },
    }
}

/// Why a request is not taken.
fn refused(error: Error) -> ApiError {
    use model::decoder::Error as Refused;
    let invalid = |code, field: &str, message: String| ApiError {
        field: Some(field.into()),
        ..ApiError::new(400, code, message)
    };
    match error {
        Error::Option { name, ref problem } => invalid("invalid_field", name, problem.clone()),
        Error::Decoder(Refused::Context { positions, limit }) => ApiError {
            limit: Some(limit as u64),
            got: Some(positions.into()),
            ..invalid("prompt_too_long", "prompt", format!("has {positions} tokens, the model takes {limit}"))
        },
        Error::Decoder(Refused::Empty) => invalid("invalid_field", "prompt", "has no token".into()),
        Error::Decoder(Refused::Id { .. }) => invalid("invalid_field", "ids", error.to_string()),
        Error::NoTemplate => {
            invalid("no_template", "messages", "the file has no chat template: `raw` continues a text".into())
        }
        Error::Template(_) => invalid("invalid_field", "messages", error.to_string()),
        other => ApiError::new(500, "internal", other.to_string()),
    }
}

#[cfg(test)]
mod tests;
