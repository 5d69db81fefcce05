//! Where a step touched the screen: rings and arrows over the picture, whose pixels stay as they are.
use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{Action, Direction, Gesture, Point};

use super::html::Html;

/// What is drawn over a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TouchMark {
    /// A ring with a dot.
    Tap(Point),
    /// Two rings.
    DoubleTap(Point),
    /// A ring with a broken one around it.
    Hold(Point),
    /// A line with an arrow's head.
    Line(Point, Point),
    /// Two arrow's heads at a place.
    Scroll(Point, Direction),
}

/// An element of the screen: left, top, width and height in thousandths of the screen's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ElementOutline([f64; 4]);

impl ElementOutline {
    /// From pixels; none when it is empty or not on the screen.
    pub(super) fn new(rect: [i32; 4], screen: [u32; 2]) -> Option<Self> {
        let [width, height] = screen.map(f64::from);
        let along = |at: i32, length: f64| (f64::from(at) / length * 1e3).clamp(0.0, 1e3);
        let [left, top, right, bottom] = rect;
        let (left, top) = (along(left, width), along(top, height));
        let (right, bottom) = (along(right, width), along(bottom, height));
        let inside = left < right && top < bottom;
        inside.then_some(Self([left, top, right - left, bottom - top]))
    }
}

/// How a mark is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkStyle {
    /// The phone did it.
    Whole,
    /// It failed.
    Dashed,
    /// It was decided on, and the phone was sent nothing.
    Meant,
}

/// The mark of an action, if it touches a place.
pub(super) fn touch_mark(facts: &ActionRecord) -> Option<TouchMark> {
    let Ok(Action::Gesture(gesture)) = Action::try_from(facts) else { return None };
    let middle = || Point::new(500, 500).expect("the middle is on the screen");
    match gesture {
        Gesture::Click { point } => Some(TouchMark::Tap(point)),
        Gesture::DoubleClick { point } => Some(TouchMark::DoubleTap(point)),
        Gesture::LongPress { point, .. } => Some(TouchMark::Hold(point)),
        Gesture::Type { point, .. } => point.map(TouchMark::Tap),
        Gesture::Slide { from, to, .. } | Gesture::Drag { from, to } => {
            Some(TouchMark::Line(from, to))
        }
        Gesture::Scroll { direction, at } => {
            Some(TouchMark::Scroll(at.unwrap_or_else(middle), direction))
        }
        Gesture::Awake { .. } | Gesture::HotKey { .. } | Gesture::Command(_) => None,
    }
}

/// Draws into an SVG that is 1000 wide and as high as the picture's shape makes it, so that rings
/// are round. Every shape is drawn twice: a light line below makes it visible on any screen.
pub(super) fn draw(
    html: &mut Html,
    overlay: Option<TouchMark>,
    outline: Option<ElementOutline>,
    size: [u32; 2],
    line: MarkStyle,
) {
    if overlay.is_none() && outline.is_none() {
        return;
    }
    let height = height(size);
    html.raw("<svg class=\"mark").raw(match line {
        MarkStyle::Whole => "",
        MarkStyle::Dashed => " failed",
        MarkStyle::Meant => " meant",
    });
    html.raw("\" aria-hidden=\"true\" viewBox=\"0 0 1000 ").number(height).raw("\">");
    if let Some(ElementOutline([left, top, wide, high])) = outline {
        for class in ["<rect class=\"under\" rx=\"12\"", "<rect class=\"outline\" rx=\"12\""] {
            html.raw(class).raw(" x=\"").number(left).raw("\" y=\"").number(top * height / 1e3);
            html.raw("\" width=\"").number(wide).raw("\" height=\"").number(high * height / 1e3);
            html.raw("\"/>");
        }
    }
    let place = |point: Point| (f64::from(point.x()), f64::from(point.y()) * height / 1e3);
    match overlay {
        None => {}
        Some(TouchMark::Tap(point)) => {
            ring(html, place(point), 66.0);
            dot(html, place(point));
        }
        Some(TouchMark::DoubleTap(point)) => {
            ring(html, place(point), 66.0);
            ring(html, place(point), 98.0);
            dot(html, place(point));
        }
        Some(TouchMark::Hold(point)) => {
            ring(html, place(point), 66.0);
            dot(html, place(point));
            circle(html, "<circle class=\"line dashed\"", place(point), 98.0);
        }
        Some(TouchMark::Line(from, to)) => arrow(html, place(from), place(to)),
        Some(TouchMark::Scroll(point, direction)) => chevrons(html, place(point), direction),
    }
    html.raw("</svg>");
}

/// The height of the drawing for a picture of this size.
pub(super) fn height(size: [u32; 2]) -> f64 {
    let [width, height] = size.map(f64::from);
    if size.contains(&0) { 2000.0 } else { (height / width * 1e3).clamp(100.0, 10_000.0) }
}

type PagePoint = (f64, f64);

fn circle(html: &mut Html, class: &'static str, (x, y): PagePoint, radius: f64) {
    html.raw(class).raw(" cx=\"").number(x).raw("\" cy=\"").number(y);
    html.raw("\" r=\"").number(radius).raw("\"/>");
}

fn ring(html: &mut Html, place: PagePoint, radius: f64) {
    circle(html, "<circle class=\"under\"", place, radius);
    circle(html, "<circle class=\"line\"", place, radius);
}

fn dot(html: &mut Html, place: PagePoint) {
    circle(html, "<circle class=\"dot\"", place, 10.0);
}

fn path(html: &mut Html, points: &[PagePoint]) {
    for class in ["<polyline class=\"under\" points=\"", "<polyline class=\"line\" points=\""] {
        html.raw(class);
        for (x, y) in points {
            html.number(*x).raw(",").number(*y).raw(" ");
        }
        html.raw("\"/>");
    }
}

/// From a dot to an arrow's head, which is turned by the line's own direction.
fn arrow(html: &mut Html, from: PagePoint, to: PagePoint) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 1.0 {
        ring(html, from, 66.0);
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let head = length.min(70.0);
    let wing = |side: f64| {
        let (back_x, back_y) = (to.0 - ux * head, to.1 - uy * head);
        (back_x - uy * head * 0.7 * side, back_y + ux * head * 0.7 * side)
    };
    path(html, &[from, to]);
    path(html, &[wing(1.0), to, wing(-1.0)]);
    ring(html, from, 34.0);
}

fn chevrons(html: &mut Html, (x, y): PagePoint, direction: Direction) {
    let (ux, uy) = match direction {
        Direction::Up => (0.0, -1.0),
        Direction::Down => (0.0, 1.0),
        Direction::Left => (-1.0, 0.0),
        Direction::Right => (1.0, 0.0),
    };
    for along in [-30.0, 50.0] {
        let tip = (x + ux * along, y + uy * along);
        let wing = |side: f64| {
            (tip.0 - ux * 60.0 - uy * 80.0 * side, tip.1 - uy * 60.0 + ux * 80.0 * side)
        };
        path(html, &[wing(1.0), tip, wing(-1.0)]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn drawn(function: &str, arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let facts = ActionRecord { function: function.to_owned(), arguments };
        let mut html = Html::default();
        draw(&mut html, touch_mark(&facts), None, [720, 1600], MarkStyle::Whole);
        String::from_utf8(html.into_bytes()).unwrap()
    }

    #[test]
    fn a_tap_is_where_it_was() {
        let svg = drawn("CLICK", json!({ "point": [250, 500] }));
        assert!(svg.contains("viewBox=\"0 0 1000 2222.2\""), "{svg}");
        assert!(
            svg.contains("<circle class=\"line\" cx=\"250\" cy=\"1111.1\" r=\"66\"/>"),
            "{svg}"
        );
    }

    #[test]
    fn a_slide_goes_from_here_to_there() {
        let slide = json!({ "point1": [500, 900], "point2": [500, 100], "duration_ms": 300 });
        let svg = drawn("SLIDE", slide);
        assert!(svg.contains("points=\"500,2000 500,222.2 \""), "{svg}");
    }

    #[test]
    fn what_touches_no_place_has_no_mark() {
        assert_eq!(drawn("AWAKE", json!({ "app": "Notes" })), "");
        assert_eq!(drawn("CLICK", json!({ "point": [4000, 3] })), "");
        assert_eq!(drawn("PINCH", json!({ "point": [40, 3] })), "");
    }

    #[test]
    fn an_element_is_outlined_in_thousandths() {
        let outline = ElementOutline::new([108, 240, 216, 480], [1080, 2400]).unwrap();
        assert_eq!(outline, ElementOutline([100.0, 100.0, 100.0, 100.0]));
        assert_eq!(ElementOutline::new([0, 0, 0, 0], [1080, 2400]), None);
        assert_eq!(ElementOutline::new([0, 0, 9, 9], [0, 0]), None);
    }
}
