//! Converts the token classifier in a directory: `convert DIR q4_0|int8 OUT.gguf`.

use lacuna_convert::{Scheme, convert_dir};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, scheme, out] = arguments.as_slice() else {
        return Err("usage: convert DIR q4_0|int8 OUT.gguf".into());
    };
    let scheme: Scheme = scheme.parse()?;
    std::fs::write(out, convert_dir(dir, scheme)?)?;
    Ok(())
}
