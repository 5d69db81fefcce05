//! Ten digits, five by seven dots each: all the letters that numbered boxes need.
use super::canvas::{Canvas, Colour, PixelRect};

const WIDE: i32 = 5;
const HIGH: i32 = 7;

/// A row each from the top; the highest of the five bits is the left dot.
const DOTS: [[u8; 7]; 10] = [
    [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
    [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
];

/// Width and height of a number, with a dot of margin all round.
pub(super) fn size(number: usize, scale: i32) -> (i32, i32) {
    let digits = i32::try_from(number.checked_ilog10().unwrap_or(0) + 1).unwrap_or(10);
    ((digits * (WIDE + 1) + 1) * scale, (HIGH + 2) * scale)
}

/// Writes a number on a plate, its top left corner at `left`, `top`.
pub(super) fn draw_number(
    canvas: &mut Canvas,
    number: usize,
    at: (i32, i32),
    scale: i32,
    background: Colour,
) {
    let (width, height) = size(number, scale);
    let (left, top) = at;
    let area = PixelRect { left, top, right: left + width, bottom: top + height };
    canvas.fill(area, background, 1.0);
    let digits = number.to_string();
    for (nth, digit) in (0..).zip(digits.bytes()) {
        let rows = DOTS[usize::from(digit - b'0')];
        for (row, bits) in (0..).zip(rows) {
            for column in (0..WIDE).filter(|column| bits >> (WIDE - 1 - column) & 1 == 1) {
                let left = left + (1 + nth * (WIDE + 1) + column) * scale;
                let top = top + (1 + row) * scale;
                let area = PixelRect { left, top, right: left + scale, bottom: top + scale };
                canvas.fill(area, [255; 3], 1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_the_room_it_says() {
        let mut canvas = Canvas::new(60, 30, vec![200; 60 * 30 * 3]).unwrap();
        draw_number(&mut canvas, 104, (3, 2), 2, [0; 3]);
        let (width, height) = size(104, 2);
        assert_eq!((width, height), (38, 18));
        let pixel = |x: i32, y: i32| usize::try_from((y * 60 + x) * 3).unwrap();
        let touched = |x: i32, y: i32| canvas.rgb()[pixel(x, y)] != 200;
        assert!(touched(3, 2) && touched(3 + width - 1, 2 + height - 1));
        assert!(!touched(2, 2) && !touched(3 + width, 2) && !touched(3, 2 + height));
    }
}
