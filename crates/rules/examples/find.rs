//! Prints what the rules find in each line of standard input.

use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut found = Vec::new();
        lacuna_rules::find(&line, &mut found);
        println!("{line}");
        for f in found {
            let context = f.context.map_or("", |(s, e)| &line[s..e]);
            println!(
                "  {:.2} {} {:?} {} {:?} [{}] \u{2190} {context:?}",
                f.confidence,
                f.label,
                f.subtype.unwrap_or("-"),
                f.rule,
                f.check.unwrap_or("-"),
                &line[f.start..f.end]
            );
        }
    }
}
