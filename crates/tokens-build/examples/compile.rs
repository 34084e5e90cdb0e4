//! Compiles a tokenizer file: `cargo run -p lacuna-tokens-build --example compile tokenizer.json table.bin`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: compile TOKENIZER.json TABLE".into());
    };
    let table = lacuna_tokens_build::from_tokenizer_json(&std::fs::read(from)?)?;
    let tokenizer = tokens::Tokenizer::from_table(&table)?;
    println!("{to}: {} bytes, {} ids", table.len(), tokenizer.vocabulary());
    Ok(std::fs::write(to, table)?)
}
