//! `lacuna tokens` and `lacuna logits`: the model's plain view of a text.

use lacuna::{Logits, Redactor, json};
use serde_json::{Value, json};

use crate::input::{Model, Source};
use crate::{Done, Outcome};

/// Arguments of `lacuna tokens` and `lacuna logits`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    model: Model,
    /// Keep at most N tokens: the first N-1 and the last (without it, a longer text is an error)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    cut: Option<u32>,
}

/// Runs `lacuna tokens`.
pub fn tokens(arguments: &Arguments) -> Outcome {
    answer(arguments, &|redactor, _, logits| {
        let tokens: Vec<_> = logits
            .ids
            .iter()
            .map(|&id| {
                String::from_utf8_lossy(redactor.tokenizer().token(id).unwrap_or_default()).into_owned()
            })
            .collect();
        json!({ "ids": logits.ids, "bytes": logits.ranges, "tokens": tokens })
    })
}

/// Runs `lacuna logits`.
pub fn logits(arguments: &Arguments) -> Outcome {
    answer(arguments, &|redactor, values, logits| {
        let names = &redactor.config().labels;
        let rows: Vec<&[f32]> = values.chunks(names.len()).collect();
        let labels: Vec<&str> = rows.iter().map(|row| names[best(row)].as_str()).collect();
        json!({ "ids": logits.ids, "bytes": logits.ranges, "labels": labels, "logits": rows })
    })
}

type Show = dyn Fn(&Redactor<'_>, &[f32], &Logits) -> Value + Sync;

fn answer(arguments: &Arguments, show: &Show) -> Outcome {
    let cut = arguments.cut.map(|n| n as usize);
    arguments.model.with(|redactor| {
        let one = |text: &str| {
            let logits = redactor.logits(text, cut)?;
            Ok::<_, lacuna::Error>(show(redactor, &logits.values, &logits))
        };
        if arguments.source.ndjson {
            return arguments
                .source
                .answer_lines(&|line| one(&line.text).map_err(|e| json::ApiError::from(e).to_value()));
        }
        let mut answer = json!({ "id": null });
        if let (Value::Object(all), Value::Object(fields)) = (&mut answer, one(&arguments.source.text()?)?) {
            all.extend(fields);
        }
        println!("{answer}");
        Ok(Done::Well)
    })
}

/// The column of the largest logit; the lowest one of equals.
fn best(row: &[f32]) -> usize {
    let mut best = 0;
    for (column, &logit) in row.iter().enumerate() {
        if logit > row[best] {
            best = column;
        }
    }
    best
}
