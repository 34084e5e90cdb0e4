//! Text to redacted text.

use std::ops::Range;
use std::sync::Mutex;

use model::{Encoder, Scheme as Weights, Workspace};
use tokens::{Encoding, Tokenizer};
use weights::Gguf;

use crate::arbitrate::{Evidence, Finding, Rank, arbitrate};
use crate::placeholder::{Item, replace};
use crate::spans::{Least, Scheme, Token, draw};
use crate::windows::{Plan, Window, plan};
use crate::{
    Clock, Error, Map, Mode, Options, Timings, addresses, consistency, cues, fields, lone, names, people,
    plausible, repair, sentinel,
};

/// Bytes a window holds; other sizes were compared (docs/quality.md).
const WINDOW_BYTES: usize = 480;
/// Bytes that neighbouring windows share: longer than nearly every name, address or number.
const OVERLAP_BYTES: usize = 96;
/// Workspaces kept for reuse: one per thread that is likely to call at once.
const KEPT_WORKSPACES: usize = 16;

/// Finds and replaces personal data. Build once, use many times and from many threads.
pub struct Redactor<'a> {
    encoder: Encoder<'a>,
    tokenizer: Tokenizer<'a>,
    scheme: Scheme,
    specials: (Vec<u32>, Vec<u32>),
    workspaces: Mutex<Vec<Workspace>>,
    loaded: (f64, f64),
}

/// One redacted text.
#[derive(Debug, Clone, PartialEq)]
pub struct Redaction {
    /// The text with placeholders.
    pub text: String,
    /// What was replaced, in the order of the text.
    pub items: Vec<Item>,
    /// Placeholder to value: the way back. It holds the personal data.
    pub map: Map,
    /// Windows the model read.
    pub windows: usize,
    /// Tokens of the text, special tokens not counted.
    pub tokens: usize,
    /// Where the time went.
    pub timings: Timings,
}

/// The model's plain answer to one text: one pass, no windows, no rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Logits {
    /// Token ids, special tokens included.
    pub ids: Vec<u32>,
    /// Byte ranges of the tokens in the text.
    pub ranges: Vec<(u32, u32)>,
    /// `[tokens, labels]`, row by row.
    pub values: Vec<f32>,
}

impl<'a> Redactor<'a> {
    /// A redactor over a model file and the compiled table of its tokenizer, both read in place.
    /// `scheme` re-expresses the weights; `None` takes them as the file has them.
    ///
    /// # Errors
    /// A damaged file or table, or a model whose vocabulary is not the tokenizer's.
    pub fn new(
        file: &'a [u8],
        table: &'a [u8],
        scheme: Option<Weights>,
        clock: Clock<'_>,
    ) -> Result<Redactor<'a>, Error> {
        let begin = clock();
        let tokenizer = Tokenizer::from_table(table)?;
        let mut frame = Encoding::new();
        tokenizer.encode_with_specials("", &mut frame);
        let tokenizer_ready = clock();
        let encoder = Encoder::from_gguf(&Gguf::parse(file)?, scheme)?;
        let config = encoder.config();
        if (config.vocabulary as u64) < tokenizer.vocabulary() as u64 {
            return Err(Error::Mismatch(format!(
                "the tokenizer has {} tokens, the model embeds {}",
                tokenizer.vocabulary(),
                config.vocabulary
            )));
        }
        let scheme = Scheme::new(&config.labels);
        let half = frame.ids.len().div_ceil(2);
        let specials = (frame.ids[..half].to_vec(), frame.ids[half..].to_vec());
        let loaded = (tokenizer_ready - begin, clock() - tokenizer_ready);
        Ok(Redactor { encoder, tokenizer, scheme, specials, workspaces: Mutex::default(), loaded })
    }

    /// The model's configuration.
    pub fn config(&self) -> &model::Config {
        self.encoder.config()
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer<'a> {
        &self.tokenizer
    }

    /// Replaces the personal data in `text`, of any length.
    ///
    /// # Errors
    /// An option out of range, or a model that could not run: never a text that was looked at in part.
    pub fn redact(&self, text: &str, options: &Options) -> Result<Redaction, Error> {
        self.redact_timed(text, options, &|| 0.0)
    }

    /// [`Redactor::redact`] with a clock for [`Redaction::timings`].
    ///
    /// # Errors
    /// As `redact`.
    pub fn redact_timed(&self, text: &str, options: &Options, clock: Clock<'_>) -> Result<Redaction, Error> {
        self.answer(text, options, clock, None)
    }

    /// The ids of each window of `text`, special tokens included, for [`Redactor::forward`]: a caller with several
    /// threads or workers has them read side by side and hands the logits to [`Redactor::redact_read`].
    ///
    /// # Errors
    /// An option out of range.
    pub fn window_ids(&self, text: &str, options: &Options) -> Result<Vec<Vec<u32>>, Error> {
        options.check()?;
        if options.mode != Mode::Full {
            return Ok(Vec::new());
        }
        let Cut { encoding, windows, .. } = self.cut(text, &rule_findings(text));
        Ok(windows.iter().map(|window| self.ids(&encoding, window)).collect())
    }

    /// The logits of one window's ids, `[ids, labels]` row by row.
    ///
    /// # Errors
    /// More ids than the model reads at once, or one outside its vocabulary.
    pub fn forward(&self, ids: &[u32]) -> Result<Vec<f32>, Error> {
        Ok(self.forward_timed(ids, &|| 0.0)?.0)
    }

    /// [`Redactor::forward`] and where its time went: of [`Timings`], `forward` and its parts.
    ///
    /// # Errors
    /// As `forward`.
    pub fn forward_timed(&self, ids: &[u32], clock: Clock<'_>) -> Result<(Vec<f32>, Timings), Error> {
        let mut workspace = self.workspace();
        let begin = clock();
        let (logits, phases) = self.encoder.forward_timed(ids, &mut workspace, clock)?;
        let forward = clock() - begin;
        let logits = logits.to_vec();
        self.give_back(workspace);
        let model::Phases { matmul, attention, other } = phases;
        Ok((logits, Timings { forward, matmul, attention, other, windows: 1, ..Timings::default() }))
    }

    /// [`Redactor::redact_timed`] with the logits of all windows, one after another in their order, computed before.
    ///
    /// # Errors
    /// As `redact`, and logits of another length than the windows of this text have.
    pub fn redact_read(
        &self,
        text: &str,
        options: &Options,
        logits: &[f32],
        clock: Clock<'_>,
    ) -> Result<Redaction, Error> {
        self.answer(text, options, clock, Some(logits))
    }

    fn answer(
        &self,
        text: &str,
        options: &Options,
        clock: Clock<'_>,
        read: Option<&[f32]>,
    ) -> Result<Redaction, Error> {
        options.check()?;
        let mut timings =
            Timings { tok_load: self.loaded.0, model_load: self.loaded.1, ..Timings::default() };
        let begin = clock();
        let ruled = rule_findings(text);
        let rules_done = clock();

        let mut count = 0;
        let mut spans_begin = rules_done;
        let mut findings = ruled.clone();
        if options.mode == Mode::Full {
            let cut = self.cut(text, &ruled);
            count = cut.encoding.ids.len();
            timings.windows = cut.windows.len();
            timings.encode = clock() - rules_done;
            let tokens = match read {
                None => self.read(&cut, clock, &mut timings)?,
                Some(logits) => self.assign(&cut, logits)?,
            };
            spans_begin = clock();
            findings.extend(self.model_findings(text, &tokens, options));
        }

        let found = settle(text, findings, options);
        let (redacted, items, map) = replace(text, found, options.consistency);
        let end = clock();
        timings.detect = (rules_done - begin) + (end - spans_begin);
        timings.total = end - begin;
        Ok(Redaction { text: redacted, items, map, windows: timings.windows, tokens: count, timings })
    }

    /// The model's logits for one text in one pass, special tokens included.
    ///
    /// # Errors
    /// More tokens than the model reads at once, unless `cut` allows to keep the first `cut - 1` and the last.
    pub fn logits(&self, text: &str, cut: Option<usize>) -> Result<Logits, Error> {
        let mut encoding = Encoding::new();
        self.tokenizer.encode_with_specials(text, &mut encoding);
        let limit = self.encoder.config().max_positions;
        if let Some(cut) = cut
            && encoding.ids.len() > cut.max(2)
        {
            let last = encoding.ids.len() - 1;
            encoding.ids.drain(cut.max(2) - 1..last);
            encoding.ranges.drain(cut.max(2) - 1..last);
        }
        if encoding.ids.len() > limit {
            return Err(Error::Option {
                field: "text".into(),
                message: format!(
                    "has {} tokens with the special ones; the model reads {limit} in one pass (--cut {limit} cuts)",
                    encoding.ids.len()
                ),
            });
        }
        let mut workspace = self.workspace();
        let values = self.encoder.forward(&encoding.ids, &mut workspace)?.to_vec();
        self.give_back(workspace);
        Ok(Logits { ids: encoding.ids, ranges: encoding.ranges, values })
    }

    fn plan(&self) -> Plan {
        let specials = self.specials.0.len() + self.specials.1.len();
        let config = self.encoder.config();
        let tokens = config.max_positions.min(config.window).saturating_sub(specials).max(1);
        Plan { bytes: WINDOW_BYTES, tokens, overlap: OVERLAP_BYTES }
    }

    /// Tokens and windows of a text.
    fn cut<'t>(&self, text: &'t str, ruled: &[Finding]) -> Cut<'t> {
        let masked = sentinel::Masked::new(text, &sentinels(text, ruled));
        let mut encoding = Encoding::new();
        self.tokenizer.encode(&masked.text, &mut encoding);
        let windows = plan(&encoding.ranges, &word_starts(&masked.text, &encoding), self.plan());
        Cut { masked, encoding, windows }
    }

    fn ids(&self, encoding: &Encoding, window: &Window) -> Vec<u32> {
        [&self.specials.0, &encoding.ids[window.read.clone()], &self.specials.1].concat()
    }

    /// Runs the model over every window and keeps, per token, the answer of the window that owns it.
    fn read(&self, cut: &Cut<'_>, clock: Clock<'_>, timings: &mut Timings) -> Result<Vec<Token>, Error> {
        let mut workspace = self.workspace();
        let mut tokens = Vec::with_capacity(cut.encoding.ids.len());
        for window in &cut.windows {
            let ids = self.ids(&cut.encoding, window);
            let begin = clock();
            let (logits, phases) = self.encoder.forward_timed(&ids, &mut workspace, clock)?;
            timings.forward += clock() - begin;
            timings.matmul += phases.matmul;
            timings.attention += phases.attention;
            timings.other += phases.other;
            self.keep_owned(&mut tokens, cut, window, logits);
        }
        self.give_back(workspace);
        Ok(tokens)
    }

    /// [`Self::read`] where the windows were read before.
    fn assign(&self, cut: &Cut<'_>, logits: &[f32]) -> Result<Vec<Token>, Error> {
        let frame = self.specials.0.len() + self.specials.1.len();
        let columns = self.encoder.config().labels.len();
        let sizes = cut.windows.iter().map(|window| (window.read.len() + frame) * columns);
        let needed: usize = sizes.clone().sum();
        if logits.len() != needed {
            let got = logits.len();
            return Err(Error::Mismatch(format!(
                "the windows of this text have {needed} logits, {got} were given"
            )));
        }
        let mut tokens = Vec::with_capacity(cut.encoding.ids.len());
        let mut rest = logits;
        for (window, size) in cut.windows.iter().zip(sizes) {
            let (now, later) = rest.split_at(size);
            self.keep_owned(&mut tokens, cut, window, now);
            rest = later;
        }
        Ok(tokens)
    }

    fn keep_owned(&self, tokens: &mut Vec<Token>, cut: &Cut<'_>, window: &Window, logits: &[f32]) {
        let columns = self.encoder.config().labels.len();
        for index in window.owned.clone() {
            let (start, end) = cut.encoding.ranges[index];
            if let Some(range) = cut.masked.original(start as usize..end as usize) {
                let row = index - window.read.start + self.specials.0.len();
                tokens.push(Token::new(range, &logits[row * columns..][..columns], &self.scheme));
            }
        }
    }

    fn model_findings(&self, text: &str, tokens: &[Token], options: &Options) -> Vec<Finding> {
        let least = |label: usize| {
            let name = &self.scheme.names[label];
            Least::new(options.threshold.of(name), default_threshold(name))
        };
        let mut findings: Vec<Finding> = draw(text, tokens, &least)
            .into_iter()
            .map(|span| {
                let label = self.scheme.names[span.label].clone();
                let evidence = Evidence { model_label: Some(label.clone()), ..Evidence::default() };
                let confidence = span.confidence;
                Finding { range: span.range, label, subtype: None, confidence, rank: Rank::Model, evidence }
            })
            .collect();
        // First what belongs together, then what it can be: a lone group of digits is judged as a whole.
        findings = arbitrate(text, findings);
        repair::join_groups(text, &mut findings);
        repair::join_abbreviated(text, &mut findings);
        repair::part_places(text, &mut findings);
        names::repair(text, &mut findings);
        cues::announced(text, &mut findings);
        people::placed(text, &mut findings);
        fields::apply(text, &mut findings);
        addresses::streets(text, &mut findings);
        plausible::retain(text, &mut findings);
        findings = arbitrate(text, findings);
        addresses::towns(text, &mut findings);
        addresses::flats(text, &mut findings);
        findings
    }

    fn workspace(&self) -> Workspace {
        let mut kept = self.workspaces.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        kept.pop().unwrap_or_default()
    }

    fn give_back(&self, workspace: Workspace) {
        let mut kept = self.workspaces.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if kept.len() < KEPT_WORKSPACES {
            kept.push(workspace);
        }
    }
}

/// A text as the model reads it.
struct Cut<'t> {
    masked: sentinel::Masked<'t>,
    encoding: Encoding,
    windows: Vec<Window>,
}

/// Built-in thresholds: chosen on the development data (docs/quality.md).
fn default_threshold(label: &str) -> f32 {
    match label {
        "GIVEN_NAME" | "SURNAME" | "CITY" | "STATE" | "STREET_NAME" => 0.2,
        "PHONE" => 0.15,
        "BUILDING_NUMBER" | "SECONDARY_ADDRESS" | "ZIP_CODE" => 0.3,
        _ => 0.5,
    }
}

/// Everything the rules find, ranked.
fn rule_findings(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    rules::find(text, &mut found);
    found
        .into_iter()
        .map(|found| Finding {
            range: found.start..found.end,
            label: found.label.into(),
            subtype: found.subtype,
            confidence: found.confidence,
            rank: match () {
                () if found.confidence >= 0.9 => Rank::Proved,
                () if found.confidence >= 0.6 => Rank::Formed,
                () => Rank::Likely,
            },
            evidence: Evidence {
                rule: Some(found.rule),
                model_label: None,
                check: found.check,
                context_word: found.context.map(|(start, end)| text[start..end].to_lowercase()),
            },
        })
        .collect()
}

/// The proved numbers that the model knows as words.
fn sentinels(text: &str, ruled: &[Finding]) -> Vec<(Range<usize>, &'static str)> {
    arbitrate(text, ruled.to_vec())
        .into_iter()
        .filter(|finding| finding.rank != Rank::Likely)
        .filter_map(|finding| Some((finding.range, sentinel::word_for(&finding.label)?)))
        .collect()
}

/// Arbitration, options, repeats.
fn settle(text: &str, mut findings: Vec<Finding>, options: &Options) -> Vec<Finding> {
    if options.mode == Mode::Full {
        confirm_hints(&mut findings);
    }
    // A threshold that was asked for holds for everything, neighbours that a span took in among it. The model's
    // own thresholds were held when the spans were drawn.
    let sure = |finding: &Finding| {
        let own = if finding.evidence.rule.is_some() { 0.5 } else { 0.0 };
        finding.confidence >= options.threshold.of(&finding.label).unwrap_or(own)
    };
    let findings: Vec<Finding> = findings.into_iter().filter(sure).collect();
    let mut chosen = arbitrate(text, findings);
    // What a rule left of a finding of the model's must make sense by itself.
    plausible::retain(text, &mut chosen);
    lone::forget(text, &mut chosen);
    let repeats = consistency::repeat(text, &chosen, options.consistency);
    if !repeats.is_empty() {
        chosen.extend(repeats);
        chosen = arbitrate(text, chosen);
    }
    // What is kept on purpose still takes its place in the arbitration: another label must not claim it.
    chosen.retain(|finding| options.wants(&finding.label));
    chosen
}

/// A rule's hint (the word right before and the shape of a number, not its check digit) is believed beside the model:
/// a typing error in somebody's number still tells who they are. Mode `rules` stays with what is proved.
fn confirm_hints(findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|f| f.rank == Rank::Likely && f.evidence.context_word.is_some())
    {
        finding.rank = Rank::Formed;
        finding.confidence = finding.confidence.max(HINT_CONFIRMED);
    }
}

/// Confidence of a hint that is believed.
const HINT_CONFIRMED: f32 = 0.6;

/// For each token, whether white space or nothing stands before it.
fn word_starts(text: &str, encoding: &Encoding) -> Vec<bool> {
    encoding
        .ranges
        .iter()
        .scan(None, |last, &(start, _)| {
            // Several tokens of one character share its range: only the first begins a word.
            let fresh = *last != Some(start);
            *last = Some(start);
            let before = text[..start as usize].chars().next_back();
            Some(fresh && before.is_none_or(char::is_whitespace))
        })
        .collect()
}

/// The compiled table of the tokenizer that a model file carries.
///
/// # Errors
/// A damaged file, or one whose tokenizer is absent or of a kind this library does not know.
#[cfg(feature = "load")]
pub fn tokenizer_table(file: &[u8]) -> Result<Vec<u8>, Error> {
    let json = Gguf::parse(file)?.str("tokenizer.huggingface.json")?;
    tokens_build::from_tokenizer_json(json.as_bytes()).map_err(|e| Error::Mismatch(format!("tokenizer: {e}")))
}

#[cfg(all(test, feature = "rampart"))]
mod tests {
    use super::*;

    #[test]
    fn windows_read_elsewhere_give_the_same_answer() {
        let redactor = Redactor::embedded().unwrap();
        let text = "Ana Lima lives in Lisboa, card 4111 1111 1111 1111. ".repeat(30);
        let options = Options::default();
        let windows = redactor.window_ids(&text, &options).unwrap();
        assert!(windows.len() > 2, "{} windows", windows.len());
        // Last window first: the order in which they are read does not matter.
        let mut read: Vec<Vec<f32>> =
            windows.iter().rev().map(|ids| redactor.forward(ids).unwrap()).collect();
        read.reverse();
        let logits = read.concat();
        let ours = redactor.redact_read(&text, &options, &logits, &|| 0.0).unwrap();
        assert_eq!(ours, redactor.redact(&text, &options).unwrap());
        let short = redactor.redact_read(&text, &options, &logits[1..], &|| 0.0).unwrap_err();
        assert!(short.to_string().contains("logits"), "{short}");
        let rules = Options { mode: Mode::Rules, ..Options::default() };
        assert!(redactor.window_ids(&text, &rules).unwrap().is_empty());
    }
}

#[cfg(test)]
mod hints {
    use super::*;
    use crate::arbitrate::trial;

    #[test]
    fn a_hint_needs_its_word_and_the_full_mode() {
        let text = "codice fiscale 1234567890";
        let hint = |word: Option<&str>| {
            let mut findings = trial::found(text, &[("1234567890", "TAX_ID")]);
            findings[0].rank = Rank::Likely;
            findings[0].confidence = 0.4;
            findings[0].evidence =
                Evidence { rule: Some("it_cf"), context_word: word.map(String::from), ..Evidence::default() };
            findings
        };
        let settled = |mode, word| settle(text, hint(word), &Options { mode, ..Options::default() });
        let confirmed = settled(Mode::Full, Some("codice fiscale"));
        assert_eq!((confirmed[0].rank, confirmed[0].confidence), (Rank::Formed, HINT_CONFIRMED));
        assert!(settled(Mode::Full, None).is_empty());
        assert!(settled(Mode::Rules, Some("codice fiscale")).is_empty());
    }
}

#[cfg(test)]
mod thresholds {
    use super::*;
    use crate::Threshold;
    use crate::arbitrate::trial;

    fn settled(confidence: f32, rule: Option<&'static str>, threshold: Threshold) -> usize {
        let text = "ask Tjorven";
        let mut findings = trial::found(text, &[("Tjorven", "GIVEN_NAME")]);
        findings[0].confidence = confidence;
        findings[0].evidence.rule = rule;
        settle(text, findings, &Options { threshold, ..Options::default() }).len()
    }

    #[test]
    fn a_threshold_that_was_asked_for_holds_and_its_edge_belongs_to_it() {
        let asked = |least| Threshold { all: Some(least), ..Threshold::default() };
        for rule in [None, Some("greeting")] {
            assert_eq!(settled(0.7, rule, asked(0.7)), 1);
            assert_eq!(settled(0.69, rule, asked(0.7)), 0);
            assert_eq!(settled(0.71, rule, asked(0.7)), 1);
        }
    }

    #[test]
    fn without_one_rules_need_a_half_and_the_model_s_own_were_held_before() {
        let none = Options::default().threshold;
        assert_eq!(settled(0.49, Some("greeting"), none.clone()), 0);
        assert_eq!(settled(0.5, Some("greeting"), none.clone()), 1);
        assert_eq!(settled(0.2, None, none), 1);
    }
}
