//! Pictures with marks at known places.
use ayeaye_agent::{Frame, ScreenSize};
use bytes::Bytes;

/// The screens that are shown: phones, a tablet, one in landscape, a foldable. Their shapes differ, so
/// that pixels, resized pixels and fractions are different numbers on each.
const SCREENS: [ScreenSize; 6] = [
    ScreenSize { width: 1080, height: 2400 },
    ScreenSize { width: 720, height: 1280 },
    ScreenSize { width: 1200, height: 1920 },
    ScreenSize { width: 2340, height: 1080 },
    ScreenSize { width: 540, height: 1170 },
    ScreenSize { width: 1840, height: 2208 },
];

/// A colour: its name in Chinese and English, and RGBA.
struct Colour(&'static str, &'static str, [u8; 4]);

const COLOURS: [Colour; 5] = [
    Colour("红色", "red", [214, 32, 32, 255]),
    Colour("绿色", "green", [24, 150, 58, 255]),
    Colour("蓝色", "blue", [28, 78, 216, 255]),
    Colour("黄色", "yellow", [240, 196, 20, 255]),
    Colour("黑色", "black", [16, 16, 16, 255]),
];

const GREY: [u8; 4] = [232, 232, 236, 255];

/// A screen with one square of each colour, one of which is to be tapped.
pub(crate) struct ProbeImage {
    screen: ScreenSize,
    /// Left and top, in the order of the colours.
    marks: Vec<(u32, u32)>,
    side: u32,
    wanted: usize,
}

/// Reproducible random numbers (`SplitMix64`, Steele et al., 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`.
    fn below(&mut self, end: u32) -> u32 {
        let number = self.next() % u64::from(end.max(1));
        u32::try_from(number).expect("below a u32")
    }
}

impl ProbeImage {
    /// The image of this number for a seed.
    pub(crate) fn new(seed: u64, number: u32) -> Self {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(number.into()));
        random.next();
        let screen = SCREENS[number as usize % SCREENS.len()];
        let side = screen.width.min(screen.height) / 16;
        let wanted = random.below(5) as usize;
        let mut marks: Vec<(u32, u32)> = Vec::new();
        while marks.len() < COLOURS.len() {
            let near_edge = random.below(3) == 0;
            let x = place(&mut random, screen.width, side, near_edge);
            let y = place(&mut random, screen.height, side, near_edge);
            let apart = |a: u32, b: u32| 2 * side < a.abs_diff(b);
            if marks.iter().all(|mark| apart(mark.0, x) || apart(mark.1, y)) {
                marks.push((x, y));
            }
        }
        Self { screen, marks, side, wanted }
    }

    /// The task for the model.
    pub(crate) fn task(&self) -> String {
        let Colour(chinese, english, _) = &COLOURS[self.wanted];
        format!("点击屏幕上的{chinese}方块（tap the middle of the {english} square）")
    }

    /// The middle of the mark, in fractions of the screen.
    pub(crate) fn target(&self) -> (f64, f64) {
        let (x, y) = self.marks[self.wanted];
        let middle =
            |at: u32, of: u32| (f64::from(at) + f64::from(self.side) / 2.0) / f64::from(of);
        (middle(x, self.screen.width), middle(y, self.screen.height))
    }

    /// The size of the screen.
    #[cfg(test)]
    pub(crate) fn screen(&self) -> ScreenSize {
        self.screen
    }

    /// The pixels.
    pub(crate) fn draw(&self) -> Frame {
        let ScreenSize { width, height } = self.screen;
        let mut rgba = GREY.repeat(width as usize * height as usize);
        for ((left, top), Colour(_, _, colour)) in self.marks.iter().zip(&COLOURS) {
            for y in *top..top + self.side {
                let from = (y as usize * width as usize + *left as usize) * 4;
                let row = &mut rgba[from..from + self.side as usize * 4];
                row.copy_from_slice(&colour.repeat(self.side as usize));
            }
        }
        Frame::new(self.screen, Bytes::from(rgba)).expect("four bytes for each pixel")
    }
}

/// Where a mark begins on one axis: anywhere, or close to one of the ends.
fn place(random: &mut Random, length: u32, side: u32, near_edge: bool) -> u32 {
    let room = length - side - 2 * (side / 4);
    let from = if near_edge {
        let off = random.below(room / 20);
        if random.below(2) == 0 { off } else { room - off }
    } else {
        random.below(room)
    };
    side / 4 + from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_where_it_is_said_to_be() {
        for number in 1..=40 {
            let scene = ProbeImage::new(7, number);
            let frame = scene.draw();
            let ScreenSize { width, height } = frame.size();
            let (x, y) = scene.target();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "on screen"
            )]
            let at =
                (y * f64::from(height)) as usize * width as usize + (x * f64::from(width)) as usize;
            let Colour(chinese, english, colour) = &COLOURS[scene.wanted];
            assert_eq!(frame.rgba()[at * 4..at * 4 + 4], *colour, "{english} in {number}");
            assert!(scene.task().contains(chinese));
        }
    }

    #[test]
    fn marks_are_the_same_for_a_seed_and_spread_over_the_screen() {
        assert_eq!(ProbeImage::new(3, 5).marks, ProbeImage::new(3, 5).marks);
        assert_ne!(ProbeImage::new(3, 5).marks, ProbeImage::new(4, 5).marks);
        let targets: Vec<_> = (1..=24).map(|number| ProbeImage::new(1, number).target()).collect();
        for axis in [|t: &(f64, f64)| t.0, |t: &(f64, f64)| t.1] {
            assert!(targets.iter().map(axis).any(|at| at < 0.1), "none near the beginning");
            assert!(targets.iter().map(axis).any(|at| 0.9 < at), "none near the end");
        }
    }
}
