//! The edits, and who must notice.

/// One change to one file.
#[derive(Debug)]
pub struct Edit {
    pub file: &'static str,
    /// Must be there exactly once.
    pub from: &'static str,
    pub to: &'static str,
    pub caught_by: Check,
}

/// What must fail, and nothing but it: a build that breaks or a program that crashes has not noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// A quick native run of a proof finds differences.
    Proof(&'static str),
    /// The same of the build with relaxed SIMD, in Node.
    Wasm(&'static str),
    /// A test of a package fails.
    Test { package: &'static str, name: &'static str },
}

const fn edit(file: &'static str, from: &'static str, to: &'static str, caught_by: Check) -> Edit {
    Edit { file, from, to, caught_by }
}

const fn proof(name: &'static str) -> Check {
    Check::Proof(name)
}

const fn test(package: &'static str, name: &'static str) -> Check {
    Check::Test { package, name }
}

pub const EDITS: &[Edit] = &[
    // `>` to `>=`.
    edit(
        "crates/kernels/src/exp/lanes.rs",
        "if shifted - MAGIC > quotient { 1 }",
        "if shifted - MAGIC >= quotient { 1 }",
        proof("expchk"),
    ),
    // Infinity becomes a NaN.
    edit(
        "crates/kernels/src/f16.rs",
        "if magnitude > 0x7f80_0000 {",
        "if magnitude >= 0x7f80_0000 {",
        test("lacuna-kernels", "f16::tests::encode_rounds_to_nearest_even_around_every_midpoint"),
    ),
    // What stands for all values whose result is zero has one that is not.
    edit("crates/kernels/src/exp/lanes.rs", "ZERO { -105.0 }", "ZERO { -103.0 }", proof("expchk")),
    // A weight of attention that may be the polynomial's and is not the definition's.
    edit(
        "crates/kernels/src/attention/tiles.rs",
        "const SURE: f32 = 0.498;",
        "const SURE: f32 = 0.4995;",
        proof("expchk"),
    ),
    // Swapped arguments of a maximum: it lets NaN pass.
    edit(
        "crates/kernels/src/quantize_int8/x86.rs",
        "_mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0), x), max)",
        "_mm256_max_ps(max, _mm256_andnot_ps(_mm256_set1_ps(-0.0), x))",
        proof("quantchk[int8]"),
    ),
    // Swapped arguments of a minimum and a maximum: NaN becomes -127.
    edit(
        "crates/kernels/src/quantize_int8/x86.rs",
        "let value = _mm256_and_ps(value, _mm256_cmp_ps::<_CMP_ORD_Q>(value, value));",
        "",
        proof("quantchk[q8_0]"),
    ),
    // Constants, in a variant and in a definition.
    edit("crates/kernels/src/gelu/lanes.rs", "1.0642088205e-01", "1.0642188205e-01", proof("geluchk")),
    edit(
        "crates/kernels/src/gelu/scalar.rs",
        "(0.5 * x) * (1.0 + libm::erff(",
        "(0.5 * x) * (1.0000001 + libm::erff(",
        proof("geluchk"),
    ),
    edit(
        "crates/kernels/src/quantize_q8_0/scalar.rs",
        "largest / 127.0",
        "largest / 128.0",
        proof("quantchk[q8_0]"),
    ),
    edit(
        "crates/kernels/src/attention/mod.rs",
        "const VALUE_MAX: i32 = 2047;",
        "const VALUE_MAX: i32 = 2046;",
        proof("digest[q4_0]"),
    ),
    // Nibbles of three bits, in the build that alone has them so.
    edit(
        "crates/kernels/src/dots_q4_0/relaxed.rs",
        "let mask = u8x16_splat(15);",
        "let mask = u8x16_splat(7);",
        Check::Wasm("variants"),
    ),
    // A decoder's angles, and what its cache keeps.
    edit(
        "crates/model/src/decoder/angles.rs",
        "turned *= self.step;",
        "turned *= self.step * 1.000001;",
        proof("eval[decoder]"),
    ),
    edit(
        "crates/model/src/decoder/cache.rs",
        "self.length = self.length.min(length);",
        "self.length = self.length.min(length + 1);",
        proof("invariance[decoder]"),
    ),
    // Sums in another order.
    edit(
        "crates/kernels/src/dot_f32/scalar.rs",
        "[(0, 1), (2, 3), (0, 2)]",
        "[(0, 2), (1, 3), (0, 1)]",
        proof("eval[decoder]"),
    ),
    edit(
        "crates/kernels/src/matmul_q4_0/scalar.rs",
        "for block in 0..weights.columns() / BLOCK {",
        "for block in (0..weights.columns() / BLOCK).rev() {",
        proof("variants[native]"),
    ),
    edit(
        "crates/kernels/src/layer_norm/scalar.rs",
        "partials[i] += partials[i + half];",
        "partials[i] += partials[2 * half - 1 - i];",
        proof("eval[int8]"),
    ),
    edit(
        "crates/kernels/src/matmul_int8/scalar.rs",
        "dot as f32 * x.scales(t)[0] * weights.scale(o, 0)",
        "dot as f32 * (x.scales(t)[0] * weights.scale(o, 0))",
        proof("variants[native]"),
    ),
    // A chunk of keys added in one piece more.
    edit(
        "crates/kernels/src/attention/mod.rs",
        "const CHUNK: usize = 128;",
        "const CHUNK: usize = 64;",
        proof("digest[int8]"),
    ),
    // A live row left out of the last layer.
    edit(
        "crates/model/src/encoder/mod.rs",
        "self.layers.len() { live } else { rows }",
        "self.layers.len() { live - 1 } else { rows }",
        proof("eval[q4_0]"),
    ),
    // A value that depends on its neighbours: a list of values of a piece whose last ones are left out.
    edit(
        "crates/kernels/src/gelu/lanes.rs",
        "self.count.next_multiple_of(MOST)",
        "(self.count / MOST * MOST)",
        proof("invariance"),
    ),
    // Padding that is not attended to.
    edit(
        "crates/model/src/encoder/mod.rs",
        "Padding::Attended => self.config.window,\n        };\n        workspace.fit",
        "Padding::Attended => live,\n        };\n        workspace.fit",
        proof("eval[q4_0]"),
    ),
    // The tokenizers: a tie, the price of the unknown, fusing, longest match, order of merges.
    edit(
        "crates/tokens/src/unigram.rs",
        "score > self.score",
        "score >= self.score",
        proof("tokcheck[unigram]"),
    ),
    edit(
        "crates/tokens-build/src/vocabulary.rs",
        "const UNKNOWN_PENALTY: f64 = 10.0",
        "const UNKNOWN_PENALTY: f64 = 0.0",
        proof("tokcheck[unigram]"),
    ),
    edit(
        "crates/tokens/src/unigram.rs",
        "unknown_end.get_or_insert(end);",
        "unknown_end.insert(end);",
        proof("tokcheck[unigram]"),
    ),
    edit(
        "crates/tokens/src/wordpiece.rs",
        "best = Some((id, index + 1));",
        "best = best.or(Some((id, index + 1)));",
        proof("tokcheck[wordpiece]"),
    ),
    edit(
        "crates/tokens/src/merge.rs",
        "if symbol.rank < best.0 {",
        "if symbol.rank <= best.0 && symbol.rank != NONE {",
        proof("tokcheck[bpe]"),
    ),
    // A check digit, and who wins where two findings meet.
    edit(
        "crates/rules/src/checks/primitives.rs",
        "if d > 4 { 2 * d - 9 }",
        "if d > 5 { 2 * d - 9 }",
        test("lacuna-rules", "vectors_dev"),
    ),
    edit(
        "crates/lacuna/src/arbitrate.rs",
        ".then(b.range.len().cmp(&a.range.len()))",
        ".then(a.range.len().cmp(&b.range.len()))",
        test("lacuna", "arbitrate::tests::a_proved_rule_beats_the_model_and_longer_beats_shorter"),
    ),
    edit(
        "crates/lacuna/src/arbitrate.rs",
        "signs >= 2 || (signs == 1",
        "signs >= 1 || (signs == 1",
        test("lacuna", "arbitrate::tests::a_rest_of_one_letter_is_let_go"),
    ),
    // What a caller asked for: of a word, and of its neighbours.
    edit(
        "crates/lacuna/src/redactor.rs",
        "finding.confidence >= options.threshold",
        "finding.confidence < options.threshold",
        test(
            "lacuna",
            "redactor::thresholds::a_threshold_that_was_asked_for_holds_and_its_edge_belongs_to_it",
        ),
    ),
    edit(
        "crates/lacuna/src/spans.rs",
        "confidence >= least(label).beside",
        "confidence >= NEARLY",
        test("lacuna", "spans::tests::neighbours_of_a_sure_word_hold_the_asked_threshold"),
    ),
    // Judgement and repair: prose is nobody's name, a headline no family name.
    edit(
        "crates/lacuna/src/plausible.rs",
        "&& !self.is_counted()",
        "",
        test("lacuna", "plausible::tests::counted_things_are_no_houses"),
    ),
    edit(
        "crates/lacuna/src/names.rs",
        "(free && long && !goes_on)",
        "(free && long)",
        test("lacuna", "names::tests::a_family_name_behind_a_given_one"),
    ),
    edit(
        "crates/lacuna/src/consistency.rs",
        "letters >= 3 ||",
        "letters >= 2 ||",
        test("lacuna", "consistency::tests::short_and_common_values_are_not_looked_for"),
    ),
    edit(
        "crates/rules/src/net/email.rs",
        "\"git\" | \"hg\" | \"svn\"",
        "\"hg\" | \"svn\"",
        test("lacuna-rules", "few_false_alarms"),
    ),
    edit(
        "crates/model/src/decoder/arriving.rs",
        "const ROWS: usize = 48;",
        "const ROWS: usize = 44;",
        test("lacuna-model", "decoder::tests::arriving::pieces_of_any_size_make_the_packed_file"),
    ),
    edit(
        "crates/model/src/decoder/arriving.rs",
        "parts.sort_by_key(|part| part.start);",
        "parts.sort_by_key(|part| part.to);",
        test("lacuna-model", "decoder::tests::arriving::tensors_may_lie_in_another_order"),
    ),
];
