//! `lacuna redact`.

use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;
use lacuna::{Consistency, MapMode, Mode, Options, Threshold, json};
use serde_json::json;

use crate::input::{Model, Source};
use crate::{Done, Failure, Outcome};

/// Arguments of `lacuna redact`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    lacuna redact \"Call Ana Lima on +351 912 345 678\"\n  \
    lacuna redact --file mail.txt --map mail.map.json > mail.redacted.txt\n  \
    lacuna redact --ndjson < in.jsonl > out.jsonl\n  \
    lacuna redact --json --keep CITY,STATE --explain \"…\"")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    model: Model,
    /// Answer with the JSON of the API: the items with their positions beside the text
    #[arg(long, conflicts_with = "ndjson")]
    json: bool,
    /// Redact only these labels
    #[arg(long, value_delimiter = ',', value_name = "LABEL,…")]
    labels: Option<Vec<String>>,
    /// Leave these labels in the text
    #[arg(long, value_delimiter = ',', value_name = "LABEL,…")]
    keep: Vec<String>,
    /// Leave what is less sure than this: 0.8, or per label EMAIL=0.3,CITY=0.9
    #[arg(long, value_delimiter = ',', value_name = "N|LABEL=N,…")]
    threshold: Vec<String>,
    /// Rules and model, or rules alone
    #[arg(long, value_enum, default_value_t = ModeArgument::Full)]
    mode: ModeArgument,
    /// How further occurrences of a found value are looked for
    #[arg(long, value_enum, default_value_t = ConsistencyArgument::Exact)]
    consistency: ConsistencyArgument,
    /// Say for each item which rule, check, context word and model label found it (with --json or --ndjson)
    #[arg(long)]
    explain: bool,
    /// Write the map of placeholders to values here, for `lacuna restore`; it holds the personal data
    #[arg(long, value_name = "FILE", conflicts_with = "ndjson")]
    map: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeArgument {
    Full,
    Rules,
}

#[derive(Clone, Copy, ValueEnum)]
enum ConsistencyArgument {
    Exact,
    #[value(name = "ignore_case")]
    IgnoreCase,
    Off,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let options = arguments.options()?;
    arguments.model.with(|redactor| {
        if arguments.source.ndjson {
            return arguments.source.answer_lines(&|line| {
                let answer = redactor
                    .redact(&line.text, &options)
                    .map_err(|error| json::ApiError::from(error).to_value())?;
                Ok(json!({
                    "redacted_text": answer.text,
                    "items": json::items(&answer.items, options.explain),
                }))
            });
        }
        let answer = redactor.redact(&arguments.source.text()?, &options)?;
        if let Some(path) = &arguments.map {
            let map = json!(answer.map);
            fs::write(path, format!("{map:#}\n"))
                .map_err(|e| Failure::Work(format!("{}: {e}", path.display())))?;
        }
        if arguments.json {
            println!("{}", json::answer(&answer, &options));
        } else {
            print!("{}", answer.text);
            if !answer.text.ends_with('\n') {
                println!();
            }
        }
        Ok(Done::Well)
    })
}

impl Arguments {
    fn options(&self) -> Result<Options, Failure> {
        let options = Options {
            labels: self.labels.clone(),
            keep: self.keep.clone(),
            threshold: threshold(&self.threshold)?,
            mode: match self.mode {
                ModeArgument::Full => Mode::Full,
                ModeArgument::Rules => Mode::Rules,
            },
            consistency: match self.consistency {
                ConsistencyArgument::Exact => Consistency::Exact,
                ConsistencyArgument::IgnoreCase => Consistency::IgnoreCase,
                ConsistencyArgument::Off => Consistency::Off,
            },
            map: MapMode::None,
            explain: self.explain,
        };
        options.check().map_err(|e| Failure::Usage(format!("--{e}")))?;
        Ok(options)
    }
}

fn threshold(parts: &[String]) -> Result<Threshold, Failure> {
    let mut threshold = Threshold::default();
    for part in parts {
        let (label, number) = match part.split_once('=') {
            Some((label, number)) => (Some(label), number),
            None => (None, part.as_str()),
        };
        let number: f32 = number
            .parse()
            .map_err(|_| Failure::Usage(format!("--threshold: {number:?} is no number from 0 to 1")))?;
        match label {
            Some(label) => drop(threshold.by_label.insert(label.to_string(), number)),
            None => threshold.all = Some(number),
        }
    }
    Ok(threshold)
}
