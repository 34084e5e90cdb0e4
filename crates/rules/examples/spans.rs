//! Reads JSON lines with `id` and `text`, prints `{"id", "spans"}` in code points: what `testdata/eval/score.py` reads.

use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        // `id` and the JSON string of the text, tab-separated: this crate has no JSON parser.
        let Some((id, text)) = line.split_once('\t') else { continue };
        let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace("\\\\", "\\");
        let mut found = Vec::new();
        lacuna_rules::find(&text, &mut found);
        for f in found {
            let (s, e) = (text[..f.start].chars().count(), text[..f.end].chars().count());
            println!("{id}\t{s}\t{e}\t{}\t{}\t{}", f.label, f.confidence, f.rule);
        }
    }
}
