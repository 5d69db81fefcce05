//! What is drawn on a screenshot.
use ayeaye_agent::{Direction, Gesture, Point};

use super::canvas::{Canvas, Colour, PixelRect};
use super::digits;

/// What an action did on the screen, in thousandths of its width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TouchMark {
    /// A tap.
    Tap([u16; 2]),
    /// Two taps.
    DoubleTap([u16; 2]),
    /// A finger held down.
    Hold([u16; 2]),
    /// A finger that moved, from the first to the second.
    Move([u16; 2], [u16; 2]),
}

impl TouchMark {
    /// What a gesture does on the screen, if it touches a place.
    pub(crate) fn of(gesture: &Gesture) -> Option<Self> {
        let spot = |point: &Point| [point.x(), point.y()];
        Some(match gesture {
            Gesture::Click { point } => Self::Tap(spot(point)),
            Gesture::Type { point, .. } => Self::Tap(spot(point.as_ref()?)),
            Gesture::DoubleClick { point } => Self::DoubleTap(spot(point)),
            Gesture::LongPress { point, .. } => Self::Hold(spot(point)),
            Gesture::Slide { from, to, .. } | Gesture::Drag { from, to } => {
                Self::Move(spot(from), spot(to))
            }
            Gesture::Scroll { direction, at } => {
                let (from, to) = finger(*direction, at.as_ref().map_or([500, 500], spot));
                Self::Move(from, to)
            }
            Gesture::Awake { .. } | Gesture::HotKey { .. } | Gesture::Command(_) => return None,
        })
    }
}

/// A finger moves against the direction that is scrolled in: to see what is further down it goes up.
fn finger(direction: Direction, [x, y]: [u16; 2]) -> ([u16; 2], [u16; 2]) {
    const REACH: u16 = 150;
    let less = |it: u16| it.saturating_sub(REACH);
    let more = |it: u16| (it + REACH).min(1000);
    match direction {
        Direction::Down => ([x, more(y)], [x, less(y)]),
        Direction::Up => ([x, less(y)], [x, more(y)]),
        Direction::Right => ([more(x), y], [less(x), y]),
        Direction::Left => ([less(x), y], [more(x), y]),
    }
}

/// Boxes beyond this many are not drawn: nobody could tell them apart.
const MAX_BOXES: usize = 400;

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
pub(crate) fn annotate(canvas: &mut Canvas, boxes: &[(usize, PixelRect)]) {
    let (thickness, digit_scale) = (line_width(canvas), digit_scale(canvas));
    let whole = canvas.area();
    let mut boxes: Vec<(usize, PixelRect)> = boxes
        .iter()
        .map(|(number, area)| (*number, area.intersection(whole)))
        .filter(|(_, area)| !area.is_empty())
        .take(MAX_BOXES)
        .collect();
    let size =
        |area: &PixelRect| i64::from(area.right - area.left) * i64::from(area.bottom - area.top);
    boxes.sort_by_key(|(number, area)| (std::cmp::Reverse(size(area)), *number));
    for (number, area) in &boxes {
        canvas.outline(*area, thickness, colour(*number), 0.85);
        // A hair of white, for dark grounds.
        let inner = PixelRect {
            left: area.left + thickness,
            top: area.top + thickness,
            right: area.right - thickness,
            bottom: area.bottom - thickness,
        };
        if !inner.is_empty() {
            canvas.outline(inner, 1, WHITE, 0.45);
        }
    }
    let mut labels: Vec<PixelRect> = Vec::with_capacity(boxes.len());
    // The small ones have the least choice.
    for (number, area) in boxes.iter().rev() {
        let label = place_label(*number, *area, digit_scale, whole, &labels);
        digits::draw_number(canvas, *number, (label.left, label.top), digit_scale, colour(*number));
        labels.push(label);
    }
}

/// Draws a red frame round the element that was meant.
pub(crate) fn frame(canvas: &mut Canvas, area: PixelRect) {
    let thickness = line_width(canvas) * 2;
    let whole = canvas.area();
    let area = area.intersection(whole);
    if area.is_empty() {
        return;
    }
    // Outside where there is room, so that nothing of the element is hidden.
    let bounding_area = PixelRect {
        left: area.left - thickness,
        top: area.top - thickness,
        right: area.right + thickness,
        bottom: area.bottom + thickness,
    };
    canvas.outline(bounding_area.intersection(whole), thickness, RED, 1.0);
}

/// Draws where a finger went down, and where it went.
pub(crate) fn touch(canvas: &mut Canvas, mark: TouchMark) {
    let radius = length(canvas) * 0.042;
    match mark {
        TouchMark::Tap(point) => {
            let at = to_pixel(canvas, point);
            rings(canvas, at, &[radius]);
            cross(canvas, at, radius);
        }
        TouchMark::DoubleTap(point) => {
            let at = to_pixel(canvas, point);
            rings(canvas, at, &[radius, radius * 1.55]);
            cross(canvas, at, radius);
        }
        TouchMark::Hold(point) => {
            let at = to_pixel(canvas, point);
            let inside = move |x: f32, y: f32| distance_to(x - at.0, y - at.1);
            canvas.stroke(bounding_area(&[at], radius + 2.0), radius, RED, 0.35, inside);
            rings(canvas, at, &[radius]);
            cross(canvas, at, radius);
        }
        TouchMark::Move(from, to) => {
            let (from, to) = (to_pixel(canvas, from), to_pixel(canvas, to));
            rings(canvas, from, &[radius * 0.6]);
            arrow(canvas, from, to, radius);
        }
    }
}

fn colour(number: usize) -> Colour {
    PALETTE[number % PALETTE.len()]
}

/// A dot of the digits.
fn digit_scale(canvas: &Canvas) -> i32 {
    let side = canvas.area();
    ((side.right.min(side.bottom) + 90) / 240).max(1)
}

/// The thickness of a thin line.
fn line_width(canvas: &Canvas) -> i32 {
    let side = canvas.area();
    ((side.right.min(side.bottom) + 180) / 360).max(1)
}

#[expect(clippy::cast_precision_loss, reason = "pixels are far below 2^24")]
fn length(canvas: &Canvas) -> f32 {
    // Of a phone upright and on its side alike.
    canvas.width().min(canvas.height()) as f32
}

/// Somewhere at the box where no other number is, if there is such a place.
fn place_label(
    number: usize,
    area: PixelRect,
    digit_scale: i32,
    whole: PixelRect,
    taken: &[PixelRect],
) -> PixelRect {
    let (width, height) = digits::size(number, digit_scale);
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
    let label = |(left, top): (i32, i32)| {
        let left = left.min(whole.right - width).max(0);
        let top = top.min(whole.bottom - height).max(0);
        PixelRect { left, top, right: left + width, bottom: top + height }
    };
    let free = |label: &PixelRect| !taken.iter().any(|other| other.intersects(*label));
    places.concat().into_iter().map(label).find(free).unwrap_or_else(|| label(inside[0]))
}

#[expect(clippy::cast_precision_loss, reason = "pixels are far below 2^24")]
fn to_pixel(canvas: &Canvas, [x, y]: [u16; 2]) -> (f32, f32) {
    let along = |thousandths: u16, side: u32| f32::from(thousandths) * side as f32 / 1000.0;
    (along(x, canvas.width()), along(y, canvas.height()))
}

/// The rectangle round some points, with a margin.
#[expect(clippy::cast_possible_truncation, reason = "points on a picture")]
fn bounding_area(points: &[(f32, f32)], margin: f32) -> PixelRect {
    let mut area = PixelRect { left: i32::MAX, top: i32::MAX, right: 0, bottom: 0 };
    for (x, y) in points {
        area.left = area.left.min((x - margin).floor() as i32);
        area.top = area.top.min((y - margin).floor() as i32);
        area.right = area.right.max((x + margin).ceil() as i32 + 1);
        area.bottom = area.bottom.max((y + margin).ceil() as i32 + 1);
    }
    area
}

#[expect(clippy::cast_precision_loss, reason = "a few pixels")]
fn half_width(canvas: &Canvas) -> f32 {
    line_width(canvas) as f32
}

/// Rings, white edged, so that they show on any ground.
fn rings(canvas: &mut Canvas, at: (f32, f32), radii: &[f32]) {
    let half_width = half_width(canvas);
    for (half_width, colour) in [(half_width * 1.9, WHITE), (half_width, RED)] {
        for radius in radii {
            let ring = |x: f32, y: f32| (distance_to(x - at.0, y - at.1) - radius).abs();
            canvas.stroke(
                bounding_area(&[at], radius + half_width + 2.0),
                half_width,
                colour,
                1.0,
                ring,
            );
        }
    }
}

/// The middle, to the pixel.
fn cross(canvas: &mut Canvas, at: (f32, f32), radius: f32) {
    let arm = radius * 0.55;
    let half_width = half_width(canvas) * 0.6;
    for (half_width, colour) in [(half_width * 2.2, WHITE), (half_width, RED)] {
        for (dx, dy) in [(arm, 0.0), (0.0, arm)] {
            let ends = ((at.0 - dx, at.1 - dy), (at.0 + dx, at.1 + dy));
            line(canvas, ends, half_width, colour);
        }
    }
}

fn arrow(canvas: &mut Canvas, from: (f32, f32), to: (f32, f32), radius: f32) {
    let half_width = half_width(canvas) * 1.2;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = distance_to(dx, dy);
    let mut lines = vec![(from, to)];
    if 1.0 < length {
        let (dx, dy) = (dx / length * radius, dy / length * radius);
        // Two barbs, 37 degrees off the way back.
        lines.push((to, (to.0 - dx * 0.8 - dy * 0.6, to.1 - dy * 0.8 + dx * 0.6)));
        lines.push((to, (to.0 - dx * 0.8 + dy * 0.6, to.1 - dy * 0.8 - dx * 0.6)));
    }
    for (half_width, colour) in [(half_width * 1.8, WHITE), (half_width, RED)] {
        for ends in &lines {
            line(canvas, *ends, half_width, colour);
        }
    }
}

/// How long the way is. Not `hypot`: that one differs between systems in the last bit.
fn distance_to(dx: f32, dy: f32) -> f32 {
    (dx * dx + dy * dy).sqrt()
}

fn line(canvas: &mut Canvas, (a, b): ((f32, f32), (f32, f32)), half_width: f32, colour: Colour) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let square = (dx * dx + dy * dy).max(f32::MIN_POSITIVE);
    let distance = |x: f32, y: f32| {
        let along = (((x - a.0) * dx + (y - a.1) * dy) / square).clamp(0.0, 1.0);
        distance_to(x - a.0 - dx * along, y - a.1 - dy * along)
    };
    canvas.stroke(bounding_area(&[a, b], half_width + 2.0), half_width, colour, 1.0, distance);
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
        touch(&mut canvas, TouchMark::Tap([500, 250]));
        assert_eq!(at(&canvas, 270, 300), RED);
        // The ring, 4.2 % of the width away.
        assert_eq!(at(&canvas, 270 + 22, 300), RED);
        assert_eq!(at(&canvas, 270 + 60, 300), [128; 3]);
    }

    #[test]
    fn numbers_do_not_hide_each_other() {
        let mut canvas = grey(300, 300);
        let same = PixelRect { left: 20, top: 20, right: 200, bottom: 120 };
        let mut taken: Vec<PixelRect> = Vec::new();
        for number in 0..6 {
            let label = place_label(number, same, 2, canvas.area(), &taken);
            assert!(!taken.iter().any(|other| other.intersects(label)));
            taken.push(label);
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
            let boxes: Vec<(usize, PixelRect)> = (0..).zip(sides)
                .map(|(number, [left, top, right, bottom])| {
                    (number, PixelRect { left, top, right, bottom })
                })
                .collect();
            annotate(&mut canvas, &boxes);
            for (_, area) in &boxes {
                frame(&mut canvas, *area);
            }
            let [a, b, c, d] = points.map(|it| it % 1001);
            for mark in [
                TouchMark::Tap([a, b]), TouchMark::DoubleTap([a, b]), TouchMark::Hold([c, d]),
                TouchMark::Move([a, b], [c, d]), TouchMark::Move([a, b], [a, b]),
            ] {
                touch(&mut canvas, mark);
            }
            prop_assert!(canvas.join_right(&grey(3, 7)).is_some());
        }
    }
}
