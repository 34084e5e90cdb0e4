//! The rules read any text: ranges lie on character boundaries, sorted, without overlap.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut found = Vec::new();
    lacuna_rules::find(&text, &mut found);
    for f in &found {
        assert!(f.start < f.end && text.is_char_boundary(f.start) && text.is_char_boundary(f.end));
        assert!(f.confidence > 0.0 && f.confidence <= 1.0);
        if let Some((start, end)) = f.context {
            assert!(start < end && text.is_char_boundary(start) && text.is_char_boundary(end));
        }
    }
    assert!(found.windows(2).all(|w| w[0].end <= w[1].start));
});
