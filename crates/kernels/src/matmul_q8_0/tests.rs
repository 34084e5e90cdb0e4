use super::*;
use crate::quantize_q8_0;
use crate::variant::runnable;

struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        self.0 >> 8
    }
}

/// Blocks with every quant, -128 included, and scales of both signs.
fn blocks(numbers: &mut Numbers, rows: usize, columns: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..rows * columns / 32 {
        let scale = crate::f16::encode(numbers.next() as f32 / (1 << 27) as f32 - 0.03);
        bytes.extend(scale.to_le_bytes());
        bytes.extend((0..32).map(|_| numbers.next() as u8));
    }
    bytes
}

fn activations(numbers: &mut Numbers, rows: usize, columns: usize) -> Activations {
    let values: Vec<f32> =
        (0..rows * columns).map(|_| numbers.next() as f32 / (1 << 23) as f32 - 1.0).collect();
    let mut x = Activations::new();
    quantize_q8_0(&mut x, &values, columns);
    x
}

#[test]
fn the_definition_is_near_f64_and_rows_read_back() {
    let mut numbers = Numbers(11);
    let (rows, columns) = (19, 96);
    let bytes = blocks(&mut numbers, rows, columns);
    let weights = PanelsQ8_0::pack(rows, columns, &bytes).unwrap();
    let x = activations(&mut numbers, 2, columns);
    let mut out = vec![0.0; 2 * rows];
    scalar::matmul_q8_0(&mut out, &weights, &x);
    let mut row = vec![0.0; columns];
    for o in 0..rows {
        weights.row(o, &mut row);
        let block = &bytes[o * 3 * 34..][..34];
        let scale = crate::f16::decode(u16::from_le_bytes([block[0], block[1]]));
        assert_eq!(row[5], f32::from(block[7] as i8) * scale);
        for t in 0..2 {
            let want: f64 = (0..columns)
                .map(|c| f64::from(row[c]) * f64::from(x.quants(t)[c]) * f64::from(x.scales(t)[c / 32]))
                .sum();
            assert!((want - f64::from(out[t * rows + o])).abs() < 1e-4 * (1.0 + want.abs()), "{t} {o}");
        }
    }
}

#[test]
fn every_variant_is_the_definition() {
    let mut numbers = Numbers(5);
    for rows in [1, 2, 7, 8, 15, 16, 17, 24, 33, 48] {
        for columns in [32, 64, 96, 576] {
            let weights = PanelsQ8_0::pack(rows, columns, &blocks(&mut numbers, rows, columns)).unwrap();
            for tokens in 1..=9 {
                let x = activations(&mut numbers, tokens, columns);
                let (mut want, mut got) = (vec![0.0; tokens * rows], vec![0.0; tokens * rows]);
                scalar::matmul_q8_0(&mut want, &weights, &x);
                for variant in runnable(VARIANTS) {
                    (variant.run)(&mut got, &weights, &x);
                    let same = got.iter().zip(&want).all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same, "{}: {rows} x {columns}, {tokens} rows", variant.name);
                }
            }
        }
    }
}

#[test]
fn the_extremes_do_not_saturate() {
    let mut bytes = vec![0x00, 0x3c];
    bytes.extend([-128i8 as u8; 32]);
    let weights = PanelsQ8_0::pack(1, 32, &bytes).unwrap();
    for sign in [1.0, -1.0] {
        let mut x = Activations::new();
        quantize_q8_0(&mut x, &[sign * 127.0; 32], 32);
        for variant in runnable(VARIANTS) {
            let mut out = [0.0];
            (variant.run)(&mut out, &weights, &x);
            assert_eq!(out, [-sign * 32.0 * 127.0 * 128.0], "{}", variant.name);
        }
    }
}

#[test]
fn parts_are_the_rows_they_name() {
    let mut numbers = Numbers(8);
    let weights = PanelsQ8_0::pack(40, 64, &blocks(&mut numbers, 40, 64)).unwrap();
    let part = weights.part(16, 24);
    let (mut a, mut b) = (vec![0.0; 64], vec![0.0; 64]);
    for row in 0..24 {
        weights.row(16 + row, &mut a);
        part.row(row, &mut b);
        assert_eq!(a, b);
    }
}

#[test]
fn wrong_shapes_are_refused() {
    assert_eq!(
        PanelsQ8_0::pack(1, 33, &[]).unwrap_err().to_string(),
        "needs columns in multiples of 32, got 33"
    );
    assert_eq!(PanelsQ8_0::pack(2, 32, &[0; 34]).unwrap_err().to_string(), "needs 68 bytes, got 34");
    assert!(PanelsQ8_0::from_bytes(2, 32, &[0; 34]).is_err());
}
