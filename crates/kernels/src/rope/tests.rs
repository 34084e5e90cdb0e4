use super::*;

#[test]
fn pairs_are_where_they_should_be() {
    let (cos, sin) = ([0.0, 0.0], [1.0, 1.0]);
    let mut x = [1.0, 2.0, 3.0, 4.0, 9.0, 1.0, 2.0, 3.0, 4.0, 9.0];
    rope(&mut x, 5, &cos, &sin, Pairs::Adjacent);
    assert_eq!(x, [-2.0, 1.0, -4.0, 3.0, 9.0, -2.0, 1.0, -4.0, 3.0, 9.0]);
    let mut x = [1.0, 2.0, 3.0, 4.0, 9.0];
    rope(&mut x, 5, &cos, &sin, Pairs::Halves);
    assert_eq!(x, [-3.0, -4.0, 1.0, 2.0, 9.0]);
}

#[test]
#[should_panic(expected = "3 angles for heads of 4")]
fn too_many_angles() {
    rope(&mut [0.0; 4], 4, &[1.0; 3], &[0.0; 3], Pairs::Halves);
}
