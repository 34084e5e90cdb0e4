//! What a caller asks of a language model, as JSON.

use lacuna::complete::{Message, Options};
use lacuna::json::ApiError;
use serde_json::Value;

/// One request.
#[derive(Debug)]
pub struct Request {
    /// What is continued.
    pub input: Input,
    /// How.
    pub options: Options,
    /// A digest of all logits beside the result.
    pub digest: bool,
}

/// What is continued.
#[derive(Debug, PartialEq)]
pub enum Input {
    /// Turns, written by the model's chat template.
    Messages(Vec<Message<'static>>),
    /// A text as it is.
    Text(String),
    /// Tokens as they are.
    Ids(Vec<u32>),
}

/// Reads `{"messages" | "prompt" | "ids", ...options}`.
///
/// # Errors
/// No object, a field that is unknown or of another kind, none or several inputs.
pub fn parse(request: &[u8]) -> Result<Request, ApiError> {
    let (mut input, mut options, mut digest) = (None, Options::default(), false);
    for (name, value) in lacuna::json::object(request)? {
        let field = Field { name: &name, value };
        let found = match name.as_str() {
            "messages" => Input::Messages(field.list(message)?),
            "prompt" => Input::Text(field.string()?),
            "ids" => Input::Ids(field.list(|field| field.integer(u32::MAX.into()).map(|id| id as u32))?),
            "digest" => {
                digest = field.flag()?;
                continue;
            }
            _ => {
                option(&mut options, field)?;
                continue;
            }
        };
        if input.replace(found).is_some() {
            return Err(invalid(&name, "one of messages, prompt and ids, not several"));
        }
    }
    let input = input.ok_or_else(|| invalid("prompt", "is missing: messages, prompt or ids"))?;
    Ok(Request { input, options, digest })
}

fn option(options: &mut Options, field: Field<'_>) -> Result<(), ApiError> {
    const WORD: u64 = u32::MAX as u64;
    match field.name {
        "max_tokens" => options.max_tokens = field.integer(WORD)? as usize,
        "temperature" => options.temperature = field.number()?,
        "top_k" => options.top_k = field.integer(WORD)? as usize,
        "top_p" => options.top_p = field.number()?,
        "min_p" => options.min_p = field.number()?,
        "repetition_penalty" => options.repetition_penalty = field.number()?,
        "presence_penalty" => options.presence_penalty = field.number()?,
        "frequency_penalty" => options.frequency_penalty = field.number()?,
        "penalty_window" => options.penalty_window = field.integer(WORD)? as usize,
        "seed" => options.seed = field.integer(u64::MAX)?,
        "stop" => options.stop = field.list(|field| field.string())?,
        "logprobs" => options.logprobs = Some(field.integer(WORD)? as usize),
        "special" => options.special = field.flag()?,
        "ignore_end" => options.ignore_end = field.flag()?,
        "logit_bias" => options.logit_bias = field.list(bias)?,
        name => {
            let message = format!("there is no option {name:?}");
            let error = ApiError::new(400, "unknown_field", message);
            return Err(ApiError { field: Some(name.into()), ..error });
        }
    }
    Ok(())
}

fn message(field: Field<'_>) -> Result<Message<'static>, ApiError> {
    let Value::Object(turn) = field.value else {
        return Err(invalid(field.name, "must hold objects of role and content"));
    };
    let (mut role, mut content) = (None, None);
    for (name, value) in turn {
        let whole = format!("{}.{name}", field.name);
        let text = Field { name: &whole, value };
        match name.as_str() {
            "role" => role = Some(text.string()?),
            "content" => content = Some(text.string()?),
            _ => return Err(invalid(&whole, "is not known: a turn has role and content")),
        }
    }
    match (role, content) {
        (Some(role), Some(content)) => Ok(Message { role: role.into(), content: content.into() }),
        _ => Err(invalid(field.name, "a turn needs role and content")),
    }
}

/// `[id, bias]`; the text `-inf` forbids a token, which JSON's numbers cannot say.
fn bias(field: Field<'_>) -> Result<(u32, f32), ApiError> {
    let name = field.name;
    let pair = field.list(Ok)?;
    let Ok([id, bias]) = <[Field<'_>; 2]>::try_from(pair) else {
        return Err(invalid(name, "must hold pairs of a token and a number"));
    };
    let bias = if bias.value == "-inf" { f32::NEG_INFINITY } else { bias.number()? };
    Ok((id.integer(u32::MAX.into())? as u32, bias))
}

/// A value and what it is called.
#[derive(Debug)]
struct Field<'n> {
    name: &'n str,
    value: Value,
}

impl<'n> Field<'n> {
    fn string(self) -> Result<String, ApiError> {
        match self.value {
            Value::String(text) => Ok(text),
            _ => Err(invalid(self.name, "must be a string")),
        }
    }

    fn flag(&self) -> Result<bool, ApiError> {
        self.value.as_bool().ok_or_else(|| invalid(self.name, "must be true or false"))
    }

    fn number(&self) -> Result<f32, ApiError> {
        let number = self.value.as_f64().ok_or_else(|| invalid(self.name, "must be a number"))?;
        Ok(number as f32)
    }

    /// A whole number up to `most`, or its digits in a string: JavaScript's numbers end at 2^53.
    fn integer(&self, most: u64) -> Result<u64, ApiError> {
        let number = match &self.value {
            Value::String(digits) => digits.parse().ok(),
            value => value.as_u64().or_else(|| whole(value.as_f64()?)),
        };
        number
            .filter(|number| *number <= most)
            .ok_or_else(|| invalid(self.name, &format!("must be a whole number of 0 to {most}")))
    }

    fn list<T>(self, each: impl Fn(Field<'n>) -> Result<T, ApiError>) -> Result<Vec<T>, ApiError> {
        let name = self.name;
        let Value::Array(values) = self.value else { return Err(invalid(name, "must be a list")) };
        values.into_iter().map(|value| each(Field { name, value })).collect()
    }
}

/// `4.0` is 4: some writers of JSON write all numbers so.
fn whole(number: f64) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    ((0.0..=EXACT).contains(&number) && number as u64 as f64 == number).then_some(number as u64)
}

fn invalid(field: &str, message: &str) -> ApiError {
    ApiError { field: Some(field.into()), ..ApiError::new(400, "invalid_field", message) }
}
