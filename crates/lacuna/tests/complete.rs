//! The loop that generates, on the tiny chat model: what people report of prompt caches, stops and callbacks.
#![cfg(all(feature = "complete", feature = "load"))]

use std::ops::ControlFlow;

use lacuna::complete::{Arriving, End, Event, Generated, Message, Model, Options, Session};
use weights::Gguf;

fn with_model<T>(work: impl FnOnce(&Model<'_>) -> T) -> T {
    let path = format!("{}/../../testdata/decoder/tiny/chat.gguf", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    work(&Model::from_gguf(&Gguf::parse(&bytes).unwrap()).unwrap())
}

fn text(session: &mut Session<'_, '_>, prompt: &[u32], options: &Options) -> (String, Generated) {
    let mut text = String::new();
    let generated = session
        .generate(prompt, options, &mut |event| {
            if let Event::Text(more) = event {
                text += more;
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    (text, generated)
}

fn long() -> Options {
    Options { max_tokens: 60, ignore_end: true, ..Options::default() }
}

/// Reported of servers: greedy text that changes when the prompt was in the cache.
#[test]
fn a_cached_prompt_changes_no_text() {
    with_model(|model| {
        let prompts: Vec<Vec<u32>> = ["Hello", "Hello there", "Hello, you", "", "Hello there"]
            .iter()
            .map(|text| model.chat(&[Message::system("Be brief."), Message::user(*text)]).unwrap())
            .collect();
        let mut warm = Session::new(model);
        let mut cached = 0;
        for prompt in &prompts {
            let cold = text(&mut Session::new(model), prompt, &long());
            let again = text(&mut warm, prompt, &long());
            assert_eq!((&cold.0, &cold.1.ids), (&again.0, &again.1.ids));
            cached += again.1.cached;
        }
        assert!(cached > 4 * 20, "the cache was used: {cached} ids");
    });
}

/// Reported of bindings: a slot that is lost when a callback fails.
#[test]
fn a_session_serves_on_after_a_break() {
    with_model(|model| {
        let prompt = model.chat(&[Message::user("Hello")]).unwrap();
        let want = text(&mut Session::new(model), &prompt, &long());
        let mut session = Session::new(model);
        for steps in 0..12 {
            let mut left = steps;
            let generated = session
                .generate(&prompt, &long(), &mut |_| {
                    left -= 1;
                    if left < 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
                .unwrap();
            assert_eq!(generated.end, End::Broken, "after {steps} events");
            assert_eq!(text(&mut session, &prompt, &long()).0, want.0, "after {steps} events");
        }
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            session.generate(&prompt, &long(), &mut |event| match event {
                Event::Token(_) => panic!("a callback"),
                _ => ControlFlow::Continue(()),
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(text(&mut session, &prompt, &long()).0, want.0, "after a panic in the callback");
    });
}

/// Every part of the text may be a stop string: what came before it comes out, whole, and nothing of it.
#[test]
fn any_piece_of_the_text_stops_it() {
    with_model(|model| {
        let prompt = model.chat(&[Message::user("Hello")]).unwrap();
        let (whole, _) = text(&mut Session::new(model), &prompt, &long());
        let letters: Vec<char> = whole.chars().collect();
        let mut session = Session::new(model);
        for start in (0..letters.len() - 4).step_by(3) {
            for length in 1..=4 {
                let stop: String = letters[start..start + length].iter().collect();
                let options = Options { stop: vec![stop.clone(), "never in it".into()], ..long() };
                let (got, generated) = text(&mut session, &prompt, &options);
                assert_eq!(got, whole[..whole.find(&stop).unwrap()], "{stop:?}");
                assert_eq!(generated.end, End::Stop);
            }
        }
    });
}

#[test]
fn the_context_ends_a_text_and_the_cache_grows_on_demand() {
    with_model(|model| {
        let prompt = model.prompt("Hello");
        let mut session = Session::new(model);
        assert_eq!(session.cache_bytes(), 0);
        text(&mut session, &prompt, &Options { max_tokens: 2, ..long() });
        let small = session.cache_bytes();
        let (_, generated) = text(&mut session, &prompt, &Options { max_tokens: 1000, ..long() });
        assert_eq!((generated.end, generated.ids.len()), (End::Context, 256 - prompt.len() + 1));
        assert!(small > 0 && session.cache_bytes() == 8 * small, "pages of 32 positions");
    });
}

/// Log-probabilities are those of the model, whatever the sampler does.
#[test]
fn log_probabilities_sum_to_one() {
    with_model(|model| {
        let options = Options { logprobs: Some(264), max_tokens: 3, temperature: 0.7, seed: 5, ..long() };
        let mut tokens = 0;
        Session::new(model)
            .generate(&model.prompt("Hello"), &options, &mut |event| {
                if let Event::Token(token) = event {
                    let sum: f64 = token.top.iter().map(|(_, logprob)| libm::exp(f64::from(*logprob))).sum();
                    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
                    assert!(token.top.windows(2).all(|pair| pair[0].1 >= pair[1].1));
                    assert!(token.top.contains(&(token.id, token.logprob.unwrap())));
                    tokens += 1;
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(tokens, 3);
    });
}

/// Reported of loaders: memory doubled, and files that end too soon.
#[test]
fn a_model_may_come_in_pieces() {
    let path = format!("{}/../../testdata/decoder/tiny/chat.gguf", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let arrived = |bytes: &[u8], size, piece| {
        let mut arriving = Arriving::new(size);
        bytes.chunks(piece).try_for_each(|bytes| arriving.take(bytes)).map_err(|e| e.to_string())?;
        arriving.finish().map_err(|e| e.to_string())
    };
    let size = Some(bytes.len() as u64);
    for (size, piece) in [(None, 1), (size, 1000), (size, bytes.len())] {
        let (model, _) = Model::from_image(arrived(&bytes, size, piece).unwrap()).unwrap();
        let prompt = model.chat(&[Message::user("Hello")]).unwrap();
        let got = text(&mut Session::new(&model), &prompt, &long());
        with_model(|model| assert_eq!(got, text(&mut Session::new(model), &prompt, &long())));
    }
    let message = |bytes: &[u8], size| arrived(bytes, size, 100).unwrap_err();
    assert_eq!(message(b"<!doctype html><title>404</title>", None), message(b"<!doctype html>", None));
    assert_eq!(message(b"<!d", None), "not a GGUF file: it starts with \"<!d\", not \"GGUF\"");
    assert!(message(&bytes[..9], None).starts_with("tensor count: at offset 8 it needs 8 bytes, file has 1"));
    let cut = message(&bytes[..60_000], None);
    assert!(cut.starts_with("tensor ") && cut.contains("at offset") && cut.contains("file has"), "{cut}");
    assert!(message(&bytes[..60_000], Some(60_000)).contains(" bytes at offset "));
    let mut long = bytes[..24].to_vec();
    long.extend((1u64 << 40).to_le_bytes());
    long.extend([b'k'; 100]);
    assert!(message(&long, None).contains("over the limit of 65535"));
}

/// The length of pieces changes no bit, and a generation that is left alone harms no other.
#[test]
fn steps_of_any_length_give_one_text() {
    with_model(|model| {
        let prompt = model.chat(&[Message::system("Be brief."), Message::user("Hello there")]).unwrap();
        let want = text(&mut Session::new(model), &prompt, &long());
        let mut session = Session::new(model);
        for piece in [1, 3, 32] {
            let left = &mut session.begin(&prompt, &long()).unwrap();
            for _ in 0..5 {
                session.step(left, piece, &mut |_| ControlFlow::Continue(())).unwrap();
            }
            let mut generation = session.begin(&prompt, &long()).unwrap();
            let (mut got, mut grown) = (String::new(), session.cache_bytes());
            loop {
                grown += session.next_bytes(&generation, piece);
                let more = session.step(&mut generation, piece, &mut |event| {
                    if let Event::Text(more) = event {
                        got += more;
                    }
                    ControlFlow::Continue(())
                });
                assert_eq!(session.cache_bytes(), grown);
                if !more.unwrap() {
                    break;
                }
            }
            assert_eq!((&got, &generation.generated().ids), (&want.0, &want.1.ids), "pieces of {piece}");
        }
    });
}
