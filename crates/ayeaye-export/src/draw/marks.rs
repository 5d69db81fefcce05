//! What is drawn on a screenshot.
use super::canvas::{Area, Canvas, Colour};
use super::digits;

/// What an action did on the screen, in thousandths of its width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A tap.
    Tap([u16; 2]),
    /// Two taps.
    DoubleTap([u16; 2]),
    /// A finger held down.
    Hold([u16; 2]),
    /// A finger that moved, from the first to the second.
    Move([u16; 2], [u16; 2]),
}

/// Boxes beyond this many are not drawn: nobody could tell them apart.
const MOST_BOXES: usize = 400;

/// Dark enough for white digits, and far from each other.
const PALETTE: [Colour; 7] = [
    [0x1A, 0x56, 0xDB],
    [0x0B, 0x7A, 0x43],
    [0xA1, 0x3D, 0x00],
    [0x7B, 0x1F, 0xA2],
    [0x00, 0x69, 0x7A],
    [0xAD, 0x14, 0x57],
    [0x54, 0x5C, 0x08],
];
const RED: Colour = [0xE5, 0x00, 0x2B];
const WHITE: Colour = [255; 3];

/// Draws boxes with their numbers, those that contain others first.
pub(crate) fn annotate(canvas: &mut Canvas, boxes: &[(usize, Area)]) {
    let (thick, dot) = (unit(canvas), dot(canvas));
    let whole = canvas.area();
    let mut boxes: Vec<(usize, Area)> = boxes
        .iter()
        .map(|(number, area)| (*number, area.within(whole)))
        .filter(|(_, area)| !area.is_empty())
        .take(MOST_BOXES)
        .collect();
    let size = |area: &Area| i64::from(area.right - area.left) * i64::from(area.bottom - area.top);
    boxes.sort_by_key(|(number, area)| (std::cmp::Reverse(size(area)), *number));
    for (number, area) in &boxes {
        canvas.outline(*area, thick, colour(*number), 0.85);
        // A hair of white, for dark grounds.
        let inner = Area {
            left: area.left + thick,
            top: area.top + thick,
            right: area.right - thick,
            bottom: area.bottom - thick,
        };
        if !inner.is_empty() {
            canvas.outline(inner, 1, WHITE, 0.45);
        }
    }
    let mut plates: Vec<Area> = Vec::with_capacity(boxes.len());
    // The small ones have the least choice.
    for (number, area) in boxes.iter().rev() {
        let plate = place(*number, *area, dot, whole, &plates);
        digits::write(canvas, *number, (plate.left, plate.top), dot, colour(*number));
        plates.push(plate);
    }
}

/// Draws a red frame round the element that was meant.
pub(crate) fn frame(canvas: &mut Canvas, area: Area) {
    let thick = unit(canvas) * 2;
    let whole = canvas.area();
    let area = area.within(whole);
    if area.is_empty() {
        return;
    }
    // Outside where there is room, so that nothing of the element is hidden.
    let around = Area {
        left: area.left - thick,
        top: area.top - thick,
        right: area.right + thick,
        bottom: area.bottom + thick,
    };
    canvas.outline(around.within(whole), thick, RED, 1.0);
}

/// Draws where a finger went down, and where it went.
pub(crate) fn touch(canvas: &mut Canvas, mark: Mark) {
    let radius = length(canvas) * 0.042;
    match mark {
        Mark::Tap(point) => {
            let at = spot(canvas, point);
            rings(canvas, at, &[radius]);
            cross(canvas, at, radius);
        }
        Mark::DoubleTap(point) => {
            let at = spot(canvas, point);
            rings(canvas, at, &[radius, radius * 1.55]);
            cross(canvas, at, radius);
        }
        Mark::Hold(point) => {
            let at = spot(canvas, point);
            let inside = move |x: f32, y: f32| away(x - at.0, y - at.1);
            canvas.stroke(around(&[at], radius + 2.0), radius, RED, 0.35, inside);
            rings(canvas, at, &[radius]);
            cross(canvas, at, radius);
        }
        Mark::Move(from, to) => {
            let (from, to) = (spot(canvas, from), spot(canvas, to));
            rings(canvas, from, &[radius * 0.6]);
            arrow(canvas, from, to, radius);
        }
    }
}

fn colour(number: usize) -> Colour {
    PALETTE[number % PALETTE.len()]
}

/// A dot of the digits.
fn dot(canvas: &Canvas) -> i32 {
    let side = canvas.area();
    ((side.right.min(side.bottom) + 90) / 240).max(1)
}

/// The thickness of a thin line.
fn unit(canvas: &Canvas) -> i32 {
    let side = canvas.area();
    ((side.right.min(side.bottom) + 180) / 360).max(1)
}

#[expect(clippy::cast_precision_loss, reason = "pixels are far below 2^24")]
fn length(canvas: &Canvas) -> f32 {
    // Of a phone upright and on its side alike.
    canvas.width().min(canvas.height()) as f32
}

/// Somewhere at the box where no other number is, if there is such a place.
fn place(number: usize, area: Area, dot: i32, whole: Area, taken: &[Area]) -> Area {
    let (width, height) = digits::size(number, dot);
    let inside = [
        (area.left, area.top),
        (area.right - width, area.top),
        (area.left, area.bottom - height),
        (area.right - width, area.bottom - height),
    ];
    let outside = [
        (area.right, area.top),
        (area.left - width, area.top),
        (area.left, area.top - height),
        (area.left, area.bottom),
    ];
    // In a low or narrow element the number would hide what it stands for.
    let roomy = height * 2 < area.bottom - area.top && width * 2 < area.right - area.left;
    let places = if roomy { [inside, outside] } else { [outside, inside] };
    let plate = |(left, top): (i32, i32)| {
        let left = left.min(whole.right - width).max(0);
        let top = top.min(whole.bottom - height).max(0);
        Area { left, top, right: left + width, bottom: top + height }
    };
    let free = |plate: &Area| !taken.iter().any(|other| other.meets(*plate));
    places.concat().into_iter().map(plate).find(free).unwrap_or_else(|| plate(inside[0]))
}

#[expect(clippy::cast_precision_loss, reason = "pixels are far below 2^24")]
fn spot(canvas: &Canvas, [x, y]: [u16; 2]) -> (f32, f32) {
    let along = |thousandths: u16, side: u32| f32::from(thousandths) * side as f32 / 1000.0;
    (along(x, canvas.width()), along(y, canvas.height()))
}

/// The rectangle round some points, with a margin.
#[expect(clippy::cast_possible_truncation, reason = "points on a picture")]
fn around(points: &[(f32, f32)], margin: f32) -> Area {
    let mut area = Area { left: i32::MAX, top: i32::MAX, right: 0, bottom: 0 };
    for (x, y) in points {
        area.left = area.left.min((x - margin).floor() as i32);
        area.top = area.top.min((y - margin).floor() as i32);
        area.right = area.right.max((x + margin).ceil() as i32 + 1);
        area.bottom = area.bottom.max((y + margin).ceil() as i32 + 1);
    }
    area
}

#[expect(clippy::cast_precision_loss, reason = "a few pixels")]
fn half(canvas: &Canvas) -> f32 {
    unit(canvas) as f32
}

/// Rings, white edged, so that they show on any ground.
fn rings(canvas: &mut Canvas, at: (f32, f32), radii: &[f32]) {
    let half = half(canvas);
    for (half, colour) in [(half * 1.9, WHITE), (half, RED)] {
        for radius in radii {
            let ring = |x: f32, y: f32| (away(x - at.0, y - at.1) - radius).abs();
            canvas.stroke(around(&[at], radius + half + 2.0), half, colour, 1.0, ring);
        }
    }
}

/// The middle, to the pixel.
fn cross(canvas: &mut Canvas, at: (f32, f32), radius: f32) {
    let arm = radius * 0.55;
    let half = half(canvas) * 0.6;
    for (half, colour) in [(half * 2.2, WHITE), (half, RED)] {
        for (dx, dy) in [(arm, 0.0), (0.0, arm)] {
            let ends = ((at.0 - dx, at.1 - dy), (at.0 + dx, at.1 + dy));
            line(canvas, ends, half, colour);
        }
    }
}

fn arrow(canvas: &mut Canvas, from: (f32, f32), to: (f32, f32), radius: f32) {
    let half = half(canvas) * 1.2;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = away(dx, dy);
    let mut lines = vec![(from, to)];
    if 1.0 < length {
        let (dx, dy) = (dx / length * radius, dy / length * radius);
        // Two barbs, 37 degrees off the way back.
        lines.push((to, (to.0 - dx * 0.8 - dy * 0.6, to.1 - dy * 0.8 + dx * 0.6)));
        lines.push((to, (to.0 - dx * 0.8 + dy * 0.6, to.1 - dy * 0.8 - dx * 0.6)));
    }
    for (half, colour) in [(half * 1.8, WHITE), (half, RED)] {
        for ends in &lines {
            line(canvas, *ends, half, colour);
        }
    }
}

/// How long the way is. Not `hypot`: that one differs between systems in the last bit.
fn away(dx: f32, dy: f32) -> f32 {
    (dx * dx + dy * dy).sqrt()
}

fn line(canvas: &mut Canvas, (a, b): ((f32, f32), (f32, f32)), half: f32, colour: Colour) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let square = (dx * dx + dy * dy).max(f32::MIN_POSITIVE);
    let distance = |x: f32, y: f32| {
        let along = (((x - a.0) * dx + (y - a.1) * dy) / square).clamp(0.0, 1.0);
        away(x - a.0 - dx * along, y - a.1 - dy * along)
    };
    canvas.stroke(around(&[a, b], half + 2.0), half, colour, 1.0, distance);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grey(width: u32, height: u32) -> Canvas {
        Canvas::new(width, height, vec![128; (width * height * 3) as usize]).unwrap()
    }

    fn at(canvas: &Canvas, x: u32, y: u32) -> [u8; 3] {
        let at = ((y * canvas.width() + x) * 3) as usize;
        canvas.rgb()[at..at + 3].try_into().unwrap()
    }

    #[test]
    fn a_tap_is_marked_where_it_was() {
        let mut canvas = grey(540, 1200);
        touch(&mut canvas, Mark::Tap([500, 250]));
        assert_eq!(at(&canvas, 270, 300), RED);
        // The ring, 4.2 % of the width away.
        assert_eq!(at(&canvas, 270 + 22, 300), RED);
        assert_eq!(at(&canvas, 270 + 60, 300), [128; 3]);
    }

    #[test]
    fn numbers_do_not_hide_each_other() {
        let mut canvas = grey(300, 300);
        let same = Area { left: 20, top: 20, right: 200, bottom: 120 };
        let mut taken: Vec<Area> = Vec::new();
        for number in 0..6 {
            let plate = place(number, same, 2, canvas.area(), &taken);
            assert!(!taken.iter().any(|other| other.meets(plate)));
            taken.push(plate);
        }
        annotate(&mut canvas, &[(1, same), (2, same)]);
        assert_eq!(at(&canvas, 100, 20), at(&canvas, 100, 21 - 1));
        assert_ne!(at(&canvas, 100, 20), [128; 3]);
    }

    proptest! {
        #[test]
        fn anything_can_be_marked(
            size in (1..120_u32, 1..120_u32),
            sides in prop::collection::vec(any::<[i32; 4]>(), 0..6),
            points in any::<[u16; 4]>(),
        ) {
            let mut canvas = grey(size.0, size.1);
            let boxes: Vec<(usize, Area)> = (0..).zip(sides)
                .map(|(number, [left, top, right, bottom])| {
                    (number, Area { left, top, right, bottom })
                })
                .collect();
            annotate(&mut canvas, &boxes);
            for (_, area) in &boxes {
                frame(&mut canvas, *area);
            }
            let [a, b, c, d] = points.map(|it| it % 1001);
            for mark in [
                Mark::Tap([a, b]), Mark::DoubleTap([a, b]), Mark::Hold([c, d]),
                Mark::Move([a, b], [c, d]), Mark::Move([a, b], [a, b]),
            ] {
                touch(&mut canvas, mark);
            }
            prop_assert!(canvas.beside(&grey(3, 7)).is_some());
        }
    }
}
