//! A QR code in a terminal: two modules in each character.
use qrcodegen::{QrCode, QrCodeEcc};

/// The margin that readers need, in modules.
const MARGIN: i32 = 4;

/// The text of Android's *Pair device with QR code*.
pub(super) fn pairing(name: &str, password: &str) -> String {
    format!("WIFI:T:ADB;S:{name};P:{password};;")
}

/// The code of a short text, margin included: for black on white, and with the colours swapped.
pub(super) fn lines(text: &str) -> (Vec<String>, Vec<String>) {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).expect("so short a text has a code");
    let draw = |dark: bool| {
        let is_ink = |x, y| code.get_module(x, y) == dark;
        let line = |y: i32| -> String {
            let columns = -MARGIN..code.size() + MARGIN;
            columns
                .map(|x| match (is_ink(x, y), is_ink(x, y + 1)) {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) => ' ',
                })
                .collect()
        };
        (-MARGIN..code.size() + MARGIN).step_by(2).map(line).collect()
    };
    (draw(true), draw(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_androids() {
        assert_eq!(pairing("ayeaye-x1", "s3cret"), "WIFI:T:ADB;S:ayeaye-x1;P:s3cret;;");
    }

    #[test]
    fn the_picture_is_the_code() {
        let text = pairing("ayeaye-abcdefgh", "abcdefghijkl");
        let code = QrCode::encode_text(&text, QrCodeEcc::Medium).unwrap();
        let (plain, inverted) = lines(&text);
        let width = usize::try_from(code.size() + 2 * MARGIN).unwrap();
        assert!(width <= 60 && plain.len() == width.div_ceil(2), "it fits a terminal: {width}");
        for (plain, inverted) in plain.iter().zip(&inverted) {
            assert_eq!(plain.chars().count(), width);
            let swapped: String = plain
                .chars()
                .map(|c| match c {
                    '█' => ' ',
                    '▀' => '▄',
                    '▄' => '▀',
                    _ => '█',
                })
                .collect();
            assert_eq!(*inverted, swapped);
        }
        for y in 0..code.size() {
            let row = usize::try_from(y + MARGIN).unwrap();
            let line: Vec<char> = plain[row / 2].chars().collect();
            for x in 0..code.size() {
                let shown = line[usize::try_from(x + MARGIN).unwrap()];
                let dark = shown == '█' || shown == if row % 2 == 0 { '▀' } else { '▄' };
                assert_eq!(dark, code.get_module(x, y), "{x} {y}");
            }
        }
        assert!(plain[0].trim().is_empty() && plain[1].trim().is_empty(), "a margin");
    }
}
