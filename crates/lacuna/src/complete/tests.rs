//! Sampling, stop strings and templates; the loop itself runs on a tiny model in `tests/complete.rs`.

use super::sample::{Sampler, largest};
use super::stop::Stops;
use super::*;

fn options(change: impl Fn(&mut Options)) -> Options {
    let mut options = Options { temperature: 1.0, ..Options::default() };
    change(&mut options);
    options
}

/// How often each of the tokens is drawn in 4,000 draws.
fn counts(logits: &[f32], options: &Options) -> Vec<usize> {
    let mut sampler = Sampler::new(options.seed);
    let mut counts = vec![0; logits.len()];
    for _ in 0..4000 {
        counts[sampler.choose(logits, &[], options) as usize] += 1;
    }
    counts
}

#[test]
fn random_numbers_are_the_published_ones() {
    let mut random = Random::new(1234567);
    let first = [6457827717110365317, 3203168211198807973, 9817491932198370423];
    assert_eq!([random.next_u64(), random.next_u64(), random.next_u64()], first);
    let mut random = Random::new(0);
    assert!((0..1000).all(|_| (0.0..1.0).contains(&random.next_f32())));
}

#[test]
fn ties_go_to_the_lowest_id_and_nan_is_never_chosen() {
    assert_eq!(largest(&[1.0, 3.0, 3.0]), 1);
    assert_eq!(largest(&[f32::NAN, -1.0, f32::NAN]), 1);
    assert_eq!(largest(&[f32::NEG_INFINITY; 3]), 0);
    let greedy = options(|o| o.temperature = 0.0);
    assert_eq!(Sampler::new(0).choose(&[f32::NAN, 2.0, 2.0], &[], &greedy), 1);
    let counted = counts(&[f32::NAN, 2.0, f32::NEG_INFINITY], &options(|_| {}));
    assert_eq!(counted, [0, 4000, 0]);
    assert_eq!(counts(&[1.0, 1.0, 1.0], &options(|o| o.top_k = 1)), [4000, 0, 0]);
}

#[test]
fn draws_follow_the_probabilities() {
    // 0.6, 0.3, 0.1.
    let logits = [0.6f32, 0.3, 0.1].map(libm::logf);
    let near = |got: &[usize], want: &[f32]| {
        let far = got.iter().zip(want).any(|(got, want)| (*got as f32 / 4000.0 - want).abs() > 0.03);
        assert!(!far, "{got:?} for {want:?}");
    };
    near(&counts(&logits, &options(|_| {})), &[0.6, 0.3, 0.1]);
    near(&counts(&logits, &options(|o| o.top_k = 2)), &[2.0 / 3.0, 1.0 / 3.0, 0.0]);
    near(&counts(&logits, &options(|o| o.top_p = 0.85)), &[2.0 / 3.0, 1.0 / 3.0, 0.0]);
    near(&counts(&logits, &options(|o| o.top_p = 0.5)), &[1.0, 0.0, 0.0]);
    near(&counts(&logits, &options(|o| o.min_p = 0.4)), &[2.0 / 3.0, 1.0 / 3.0, 0.0]);
    near(&counts(&logits, &options(|o| o.temperature = 0.5)), &[0.36 / 0.46, 0.09 / 0.46, 0.01 / 0.46]);
    near(&counts(&logits, &options(|o| o.logit_bias = vec![(0, f32::NEG_INFINITY)])), &[0.0, 0.75, 0.25]);
    assert_ne!(counts(&logits, &options(|o| o.seed = 1)), counts(&logits, &options(|o| o.seed = 2)));
}

#[test]
fn penalties_look_at_the_last_tokens() {
    let choose = |history: &[u32], change: &dyn Fn(&mut Options)| {
        let greedy = options(|o| {
            o.temperature = 0.0;
            change(o);
        });
        Sampler::new(0).choose(&[2.0, 1.5, -1.0], history, &greedy)
    };
    assert_eq!(choose(&[0], &|o| o.repetition_penalty = 1.3), 0, "2 / 1.3 is still the largest");
    assert_eq!(choose(&[0], &|o| o.repetition_penalty = 1.5), 1);
    assert_eq!(choose(&[0, 0], &|o| o.presence_penalty = 0.4), 0, "once, however often");
    assert_eq!(choose(&[0, 0], &|o| o.frequency_penalty = 0.4), 1, "for each time");
    let short = |o: &mut Options| (o.presence_penalty, o.penalty_window) = (5.0, 1);
    assert_eq!(choose(&[0, 2], &short), 0, "beyond the window");
    assert_eq!(choose(&[99], &|o| o.presence_penalty = 5.0), 0, "an id beyond the vocabulary");
}

#[test]
fn options_out_of_range_are_named() {
    let error = |change: &dyn Fn(&mut Options)| options(change).check(10).unwrap_err().to_string();
    assert_eq!(error(&|o| o.temperature = -1.0), "temperature: -1 is not in 0..=100");
    assert_eq!(error(&|o| o.top_p = f32::NAN), "top_p: NaN is not in 0..=1");
    assert_eq!(error(&|o| o.max_tokens = 0), "max_tokens: 0 is not in 1..=1048576");
    assert_eq!(
        error(&|o| o.logit_bias = vec![(10, 0.0)]),
        "logit_bias: id 10 is not below the vocabulary's 10"
    );
    assert_eq!(error(&|o| o.stop = vec![String::new()]), "stop: 0 bytes are not in 1..=1024");
}

fn pushed(stops: &[&str], parts: &[(&str, bool)]) -> (String, bool) {
    let stops: Vec<String> = stops.iter().map(|stop| (*stop).into()).collect();
    let mut search = Stops::new(&stops);
    let mut text = String::new();
    for (part, visible) in parts {
        let (out, met) = search.push(part, *visible);
        text += &out;
        if met {
            return (text, true);
        }
    }
    (text + &search.finish(), false)
}

#[test]
fn stop_strings_across_tokens() {
    let shown = |parts: &[&'static str]| parts.iter().map(|part| (*part, true)).collect::<Vec<_>>();
    assert_eq!(pushed(&["END"], &shown(&["a E", "N", "D b"])), ("a ".into(), true));
    assert_eq!(pushed(&["END"], &shown(&["a E", "N", "X"])), ("a ENX".into(), false));
    assert_eq!(pushed(&["END"], &shown(&["a EN"])), ("a EN".into(), false), "given out at the end");
    assert_eq!(pushed(&["aab"], &shown(&["a", "a", "a", "b"])), ("a".into(), true), "overlapping starts");
    assert_eq!(pushed(&["xy", "x"], &shown(&["ax"])), ("a".into(), true), "the earliest");
    assert_eq!(pushed(&["é!"], &shown(&["é", "é", "!"])), ("é".into(), true));
    let mut search_stops = vec!["\n\n".to_owned()];
    search_stops.push("###".into());
    let mut search = Stops::new(&search_stops);
    assert_eq!(search.push("one\n", true), ("one".into(), false), "held back");
    assert_eq!(search.push("two", true), ("\ntwo".into(), false));
}

#[test]
fn special_tokens_stop_and_stay_hidden() {
    let parts = [("a", true), ("<|im_end|>", false), ("b", true)];
    assert_eq!(pushed(&[], &parts), ("ab".into(), false));
    assert_eq!(pushed(&["<|im_end|>"], &parts), ("a".into(), true));
    assert_eq!(pushed(&["a<|im_"], &parts), (String::new(), true));
}

const CHATML: &str = "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nS<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

#[test]
fn templates_write_conversations() {
    let render =
        |template: &str, messages: &[Message<'_>]| super::template::render(template, messages, "<s>", "</s>");
    assert_eq!(
        render(CHATML, &[Message::user("Hi")]).unwrap(),
        "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    );
    let strip = "{{ bos_token }}{% for m in messages %}\n{{ m.content.strip() | trim }}{{ eos_token }}\n{%- endfor %}";
    assert_eq!(render(strip, &[Message::user(" a "), Message::assistant("b")]).unwrap(), "<s>a</s>b</s>");
    let refuses = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}";
    let error = render(refuses, &[Message::system("x")]).unwrap_err().to_string();
    assert!(error.starts_with("chat template: ") && error.contains("no system role"), "{error}");
    let endless = "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}";
    assert!(render(endless, &[]).is_err(), "a template from a file must end");
}
