//! Texts that tokenizers disagree on, if they disagree anywhere.

/// A small generator (xorshift64*): the same texts on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    fn pick<'x, T: ?Sized>(&mut self, from: &[&'x T]) -> &'x T {
        from[self.below(from.len())]
    }
}

/// Ranges of code points: whole planes and the corners where rules live.
const RANGES: [(u32, u32); 26] = [
    (0x20, 0x7f),
    (0x00, 0x20),
    (0x7f, 0x100),
    (0x100, 0x250),
    (0x300, 0x370),
    (0x370, 0x530),
    (0x590, 0x700),
    (0x900, 0xdff),
    (0xe00, 0xfff),
    (0x1100, 0x1200),
    (0x1ab0, 0x1b00),
    (0x1dc0, 0x1f00),
    (0x1e00, 0x2000),
    (0x2000, 0x2070),
    (0x20d0, 0x2100),
    (0x2460, 0x2500),
    (0x3000, 0x3100),
    (0x3400, 0x9fff),
    (0xac00, 0xd7a4),
    (0xf900, 0xfb50),
    (0xfe00, 0xffff),
    (0x1_0000, 0x2_0000),
    (0x1_d160, 0x1_d180),
    (0x1_f300, 0x1_fa00),
    (0x2_0000, 0x3_2000),
    (0xe_0000, 0x11_0000),
];

/// Pieces that matter to one tokenizer or another.
const SPECIAL: [&str; 58] = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[mask]",
    "<s>",
    "</s>",
    "<unk>",
    "<pad>",
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "##",
    "##ing",
    "\u{2581}",
    "\u{2581}\u{2581}",
    "\u{120}",
    "'s",
    "'S",
    "'ll",
    "'LL",
    "'\u{17f}",
    "'re",
    "n't",
    " do not",
    "\u{130}",
    "\u{131}",
    "\u{df}",
    "\u{1e9e}",
    "\u{fb01}",
    "\u{fb03}",
    "\u{fdfa}",
    "e\u{301}",
    "\u{e9}\u{323}",
    "\u{323}\u{301}",
    "\u{1d15e}\u{323}",
    "\u{302e}\u{327}",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "\u{1f44d}\u{1f3fd}",
    "\u{1f1eb}\u{1f1f7}",
    "\u{fe0f}",
    "\u{ff21}\u{ff42}\u{ff11}",
    "\u{ff76}\u{ff9e}",
    "\u{1100}\u{1161}\u{11a8}",
    "\u{ac00}\u{11a8}",
    "\r\n",
    "\n\n",
    "\t",
    "  ",
    "    ",
    "\u{a0}",
    "\u{3000}",
    "\u{200b}",
    "\u{feff}",
    "\u{fffd}",
    "\0",
    "<0x0A>",
];

const WORDS: [&str; 24] = [
    "the",
    "Anna",
    "Müller",
    "12,345.67",
    "john.doe@example.com",
    "https://example.org/a?b=c",
    "+49",
    "(030)",
    "naïve",
    "Ελλάδα",
    "Москва",
    "東京都",
    "서울",
    "café",
    "DON'T",
    "I'm",
    "x86_64",
    "2026-11-30",
    "€5",
    "tokenization",
    "ÅNGSTRÖM",
    "antidisestablishmentarianism",
    "क्षत्रिय",
    "ไทย",
];

fn character(random: &mut Random, range: (u32, u32)) -> char {
    loop {
        let point = range.0 + random.below((range.1 - range.0) as usize) as u32;
        if let Some(character) = char::from_u32(point) {
            return character;
        }
    }
}

/// Random code points of every plane.
pub fn any_characters(random: &mut Random) -> String {
    let length = random.below(40);
    (0..length).map(|_| character(random, (0, 0x11_0000))).collect()
}

/// Random code points of a few ranges, so that neighbours can interact.
fn related_characters(random: &mut Random) -> String {
    let ranges = [RANGES[random.below(RANGES.len())], RANGES[random.below(RANGES.len())], RANGES[0]];
    let length = random.below(60);
    (0..length)
        .map(|_| {
            let range = ranges[random.below(3)];
            character(random, range)
        })
        .collect()
}

pub fn mixture(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(24) {
        match random.below(8) {
            0..=2 => text.push_str(random.pick(&WORDS)),
            3..=4 => text.push_str(random.pick(&SPECIAL)),
            5 => {
                let range = RANGES[random.below(RANGES.len())];
                text.push(character(random, range));
            }
            _ => text.push_str(random.pick(&[" ", " ", " ", "\n", ", ", ". ", "-", "  "])),
        }
    }
    text
}

/// Letters and one or two combining marks after each.
fn marked(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(12) {
        let base =
            *[(0x41, 0x7b), (0xc0, 0x250), (0x1e00, 0x2000), (0x900, 0x980)].get(random.below(4)).unwrap();
        text.push(character(random, base));
        for _ in 0..random.below(4) {
            let marks =
                [(0x300, 0x370), (0x1dc0, 0x1e00), (0x20d0, 0x2100), (0x302a, 0x3030), (0x1_d165, 0x1_d18c)];
            let range = marks[random.below(marks.len())];
            text.push(character(random, range));
        }
    }
    text
}

/// Runs of white space of all kinds between words.
fn spaced(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(10) {
        for _ in 0..random.below(6) {
            text.push_str(random.pick(&[
                " ", " ", "\n", "\t", "\r", "\r\n", "\u{a0}", "\u{2003}", "\u{85}", "\u{2028}", "\u{1680}",
            ]));
        }
        text.push_str(random.pick(&WORDS));
    }
    text
}

/// A word of ten thousand letters, of one kind or another.
fn long_word(random: &mut Random) -> String {
    let range =
        *[(0x61, 0x7b), (0x61, 0x63), (0xac00, 0xd7a4), (0x4e00, 0x5000), (0x430, 0x450), (0x30, 0x3a)]
            .get(random.below(6))
            .unwrap();
    (0..10_000).map(|_| character(random, range)).collect()
}

/// Text number `index`: the kinds take turns, long words are rare.
pub fn text(index: usize) -> String {
    let random = &mut Random::new(index as u64 + 1);
    if index % 4_001 == 17 {
        return long_word(random);
    }
    match index % 6 {
        0 => any_characters(random),
        1 | 2 => mixture(random),
        3 => related_characters(random),
        4 => marked(random),
        _ => spaced(random),
    }
}

/// Texts of one kind each that must be among those tested.
pub const FIXED: [&str; 12] = [
    "",
    " ",
    "\u{2581}",
    "##",
    "[MASK]",
    "a [MASK] b[MASK]c",
    "ﬁne ﬂuﬃer",
    "İstanbul ISTANBUL ı",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466} family",
    "ＦＵＬＬ　ｗｉｄｔｈ １２３",
    "\u{0}\u{1}\u{7f}\u{200b}control\u{feff}",
    "한국어 中文 日本語テキスト",
];
