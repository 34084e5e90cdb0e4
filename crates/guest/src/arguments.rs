//! Options of a generation on a command line.

use lacuna::complete::Options;

/// Options of a generation.
#[derive(clap::Args, Clone, Debug)]
#[group(id = "generation")]
pub struct Arguments {
    /// Tokens at most
    #[arg(long, value_name = "N", default_value_t = 256, alias = "max-tokens")]
    pub tokens: usize,
    /// 0 always takes the most likely token; 1 draws as the model would
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    pub temperature: f32,
    /// Draw from the N most likely tokens alone; 0: from all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub top_k: usize,
    /// Draw from the most likely tokens that together reach this probability
    #[arg(long, value_name = "P", default_value_t = 1.0, allow_negative_numbers = true)]
    pub top_p: f32,
    /// Draw from tokens at least this likely, as a share of the most likely one
    #[arg(long, value_name = "P", default_value_t = 0.0, allow_negative_numbers = true)]
    pub min_p: f32,
    /// Divides the logits of recent tokens; 1: leaves them
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    pub repetition_penalty: f32,
    /// Taken off the logits of recent tokens
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    pub presence_penalty: f32,
    /// Taken off for each time a token occurred recently
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    pub frequency_penalty: f32,
    /// How many tokens are recent, the prompt's included
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub penalty_window: usize,
    /// Start of the random numbers: the same seed gives the same text on every machine
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Added to a token's logit, as ID=X; -inf forbids it. May be repeated
    #[arg(long, value_name = "ID=X", value_parser = bias)]
    pub logit_bias: Vec<(u32, f32)>,
    /// A text that ends the generation and is left out; special tokens' texts count. May be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub stop: Vec<String>,
    /// With --json: the log-probability of each token and of the N most likely ones
    #[arg(long, value_name = "N", requires = "json")]
    pub logprobs: Option<usize>,
    /// Write special tokens as text
    #[arg(long)]
    pub special: bool,
    /// Go on after the model has ended its text
    #[arg(long)]
    pub ignore_end: bool,
    /// Continue the prompt as it is, without the model's chat template
    #[arg(long)]
    pub raw: bool,
    /// What the model is told first
    #[arg(long, value_name = "TEXT", conflicts_with = "raw", allow_hyphen_values = true)]
    pub system: Option<String>,
    /// One JSON object in place of the text: text, ids, why it ended, a digest of all logits
    #[arg(long)]
    pub json: bool,
    /// No progress and no rates
    #[arg(short, long)]
    pub quiet: bool,
}

impl Arguments {
    /// As the library takes them.
    pub fn options(&self) -> Options {
        Options {
            max_tokens: self.tokens,
            temperature: self.temperature,
            top_k: self.top_k,
            top_p: self.top_p,
            min_p: self.min_p,
            repetition_penalty: self.repetition_penalty,
            presence_penalty: self.presence_penalty,
            frequency_penalty: self.frequency_penalty,
            penalty_window: self.penalty_window,
            logit_bias: self.logit_bias.clone(),
            seed: self.seed,
            stop: self.stop.clone(),
            logprobs: self.logprobs,
            special: self.special,
            ignore_end: self.ignore_end,
        }
    }
}

fn bias(text: &str) -> Result<(u32, f32), String> {
    let (id, value) = text.split_once('=').ok_or("wants ID=X, e.g. 17=-2.5")?;
    let id = id.parse().map_err(|_| format!("{id:?} is no token id"))?;
    let value = value.parse().map_err(|_| format!("{value:?} is no number"))?;
    Ok((id, value))
}
