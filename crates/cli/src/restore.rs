//! `lacuna restore`.

use std::path::PathBuf;

use lacuna::{Map, RestoreMode};

use crate::input::{Source, read};
use crate::{Done, Failure, Outcome};

/// Arguments of `lacuna restore`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The map that `lacuna redact --map` wrote
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// Take only placeholders spelled exactly as given, not `given_name_1` or `[EMAIL 1]`
    #[arg(long)]
    strict: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let name = arguments.map.display();
    let map: Map = serde_json::from_slice(&read(&arguments.map)?)
        .map_err(|e| Failure::Work(format!("{name}: not a map of placeholder to value: {e}")))?;
    let mode = if arguments.strict { RestoreMode::Strict } else { RestoreMode::Tolerant };
    let restore = |text: &str| lacuna::restore(text, &map, mode);
    if arguments.source.ndjson {
        return arguments.source.answer_lines(&|line| {
            let back = restore(&line.text);
            Ok(serde_json::json!({ "text": back.text, "restored": back.restored, "unknown": back.unknown }))
        });
    }
    let back = restore(&arguments.source.text()?);
    print!("{}", back.text);
    if !back.text.ends_with('\n') {
        println!();
    }
    for name in &back.unknown {
        eprintln!("lacuna: {name} is not in the map and was left as it is");
    }
    Ok(Done::Well)
}
