//! How much the elements tell of the place of an act. A page that draws itself, as those of Flutter and of games do, is
//! one container to the phone, of whatever class: what is seen on it is listed nowhere.
use crate::elements::Elements;
use crate::{Element, Pixel};

/// How much a phone's list of elements says about the target of an act, from much to nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TouchWords {
    /// A name, a hint or a text beside it; a field; or it is a gap between things that have such.
    #[default]
    Named,
    /// An icon that has only an id.
    Id,
    /// A control, no larger than a tile, of which nothing is told.
    Bare,
    /// No control and no word.
    Nothing,
}

/// The longest side of an icon, in parts of the shorter side of the window.
const ICON: f64 = 0.2;
/// The largest area of a tile, in parts of the window.
const TILE: f64 = 0.07;
/// The height of a row of texts that reacts to nothing, and of a gap between two things, in parts of the window.
const ROW: f64 = 0.125;
const GAP: f64 = 0.2;
/// The height of the bars at the top and the bottom of a page, in parts of the window.
const BAR: f64 = 0.08;
/// Most controls of a page that are looked at for one that has a name: around each that has none, all elements are.
const MOST_CONTROLS: usize = 100;

impl TouchWords {
    /// For a touch at a place, which is meant for one of these elements.
    pub(super) fn at(elements: &Elements, place: Pixel, touched: &[(&Element, bool)]) -> Self {
        let window = Window::of(elements);
        if touched.is_empty() {
            // On the bars of the system, which are not listed.
            return if window.is_around(place) { Self::Nothing } else { Self::Named };
        }
        let largest = elements.largest_control();
        let of_each = touched.iter().map(|(it, _)| {
            let is_control = it.reacts() && it.area() <= largest;
            if is_named(elements, it, is_control || window.is_row(it)) {
                Self::Named
            } else if is_control && !it.resource_id.is_empty() && window.is_icon(it) {
                Self::Id
            } else if is_control && window.is_tile(it) {
                Self::Bare
            } else {
                Self::Nothing
            }
        });
        let most = of_each.min().unwrap_or(Self::Nothing);
        let reacts = touched.iter().any(|(it, _)| it.reacts() && it.area() <= largest);
        if most == Self::Nothing
            && !reacts
            && (window.is_gap(elements, touched[0].0, place)
                || window.is_blank(elements, touched[0].0))
        {
            return Self::Named;
        }
        most
    }

    /// For keys, and for text that goes where the focus is.
    pub(super) fn of_focus(elements: &Elements) -> Self {
        let takes_keys =
            |it: &Element| it.is_field() || it.focused && is_named(elements, it, it.reacts());
        if elements.iter().any(takes_keys) { Self::Named } else { Self::Nothing }
    }
}

/// Whether an element has a name or a hint, is a field, or has a word in it or beside it that counts as its own.
fn is_named(elements: &Elements, element: &Element, owns_what_is_in_it: bool) -> bool {
    !element.name().is_empty()
        || !element.hint.trim().is_empty()
        || element.is_field()
        || owns_what_is_in_it
            && (!elements.names_inside(element).is_empty()
                || element.reacts()
                    && (!elements.names_over(element).is_empty()
                        || !elements.names_beside(element).is_empty()))
}

/// The window whose elements are listed, in pixels.
#[derive(Debug, Clone, Copy)]
struct Window {
    bounds: [i64; 4],
}

impl Window {
    fn of(elements: &Elements) -> Self {
        let none = [i64::MAX, i64::MAX, i64::MIN, i64::MIN];
        let bounds = elements.iter().map(|it| it.bounds.map(i64::from)).fold(none, |all, it| {
            [all[0].min(it[0]), all[1].min(it[1]), all[2].max(it[2]), all[3].max(it[3])]
        });
        Self { bounds }
    }

    fn size(&self) -> [i64; 2] {
        let [left, top, right, bottom] = self.bounds;
        [right.saturating_sub(left).max(0), bottom.saturating_sub(top).max(0)]
    }

    /// Whether a place is in it, or the window has no extent at all.
    fn is_around(&self, place: Pixel) -> bool {
        let [left, top, right, bottom] = self.bounds;
        let (x, y) = (i64::from(place.x), i64::from(place.y));
        self.size().contains(&0) || left <= x && x < right && top <= y && y < bottom
    }

    fn is_icon(&self, element: &Element) -> bool {
        let [width, height] = self.size();
        let [left, top, right, bottom] = element.bounds.map(i64::from);
        (right - left).max(bottom - top) <= part(width.min(height), ICON)
    }

    fn is_tile(&self, element: &Element) -> bool {
        let [width, height] = self.size();
        element.area() <= part(width.saturating_mul(height), TILE)
    }

    fn is_row(&self, element: &Element) -> bool {
        let [_, top, _, bottom] = element.bounds.map(i64::from);
        bottom - top <= part(self.size()[1], ROW)
    }

    /// Whether what lies under a place without anything is a page that lists what is on it: texts between its bars, and
    /// something to press that is called by a word. What is drawn is one element, and has none in it.
    fn is_blank(&self, elements: &Elements, around: &Element) -> bool {
        const FEWEST: usize = 2;
        let inside = elements.inside(around);
        let [top, bottom] = [self.bounds[1], self.bounds[3]];
        let bar = part(self.size()[1], BAR);
        let is_between_bars =
            |it: &Element| (top + bar..bottom - bar).contains(&i64::from(it.middle()));
        let texts = elements.iter().filter(|it| {
            inside.contains(&it.index) && it.index != around.index && !it.name().is_empty()
        });
        let largest = elements.largest_control();
        let controls = elements.iter().filter(|it| it.reacts() && it.area() <= largest);
        FEWEST <= texts.filter(|it| is_between_bars(it)).count()
            && controls
                .filter(|it| is_between_bars(it))
                .take(MOST_CONTROLS)
                .any(|it| is_named(elements, it, true))
    }

    /// Whether a place without anything is a gap between things that are listed in the same element: right above and right
    /// below it something has a name.
    fn is_gap(&self, elements: &Elements, around: &Element, place: Pixel) -> bool {
        let inside = elements.inside(around);
        let named = elements.iter().filter(|it| {
            inside.contains(&it.index) && it.index != around.index && !it.name().is_empty()
        });
        let y = i64::from(place.y);
        let (mut above, mut below) = (None, None);
        for it in named {
            let [_, top, _, bottom] = it.bounds.map(i64::from);
            if bottom <= y {
                above = above.max(Some(bottom));
            } else if y < top {
                below = Some(below.map_or(top, |before: i64| before.min(top)));
            } else {
                // Beside it on the same line.
                (above, below) = (above.max(Some(y)), Some(y));
            }
        }
        above.zip(below).is_some_and(|(above, below)| below - above <= part(self.size()[1], GAP))
    }
}

/// A part of a length or an area in pixels.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "pixels of a screen"
)]
fn part(of: i64, ratio: f64) -> i64 {
    (of as f64 * ratio) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: &str = "android.view.ViewGroup";

    fn node(class: &str, bounds: [i32; 4], attributes: &str, inside: &str) -> String {
        let [left, top, right, bottom] = bounds;
        format!(
            r#"<node class="{class}" {attributes} bounds="[{left},{top}][{right},{bottom}]">{inside}</node>"#
        )
    }

    fn at(inside: &str, y: u32) -> TouchWords {
        let root = node("android.widget.FrameLayout", [0, 0, 1080, 2400], "", inside);
        let elements = Elements::read(&format!("<hierarchy>{root}</hierarchy>")).unwrap();
        let place = Pixel { x: 540, y };
        TouchWords::at(&elements, place, &elements.touched(place, 24))
    }

    #[test]
    fn a_gap_between_what_is_listed_is_told_from_a_page_that_lists_nothing() {
        let text = |top: i32| {
            node("android.widget.TextView", [40, top, 900, top + 100], r#"text="Rent""#, "")
        };
        let list = |texts: &str| node(VIEW, [0, 200, 1080, 2400], "", texts);
        let rows: String = (0..6).map(|it| text(250 + it * 160)).collect();
        assert_eq!(at(&list(&rows), 380), TouchWords::Named, "between two rows");
        assert_eq!(at(&list(&rows), 290), TouchWords::Named, "a row");
        assert_eq!(at(&list(&rows), 2000), TouchWords::Nothing, "far below the last row");
        assert_eq!(at("", 2000), TouchWords::Nothing);
        assert_eq!(at(&(text(80) + &list("")), 2000), TouchWords::Nothing, "only a title");
        assert_eq!(at(&text(80), 2000), TouchWords::Nothing, "only a title");
    }

    #[test]
    fn the_blank_of_a_page_that_lists_what_is_on_it_is_no_drawn_one() {
        let text = |top: i32, text: &str| {
            let name = format!(r#"text="{text}""#);
            node("android.widget.TextView", [40, top, 900, top + 100], &name, "")
        };
        let button = |top: i32| {
            let flags = r#"text="Done" clickable="true""#;
            node("android.widget.Button", [40, top, 900, top + 120], flags, "")
        };
        let sent = text(500, "Transfer sent") + &text(620, "€50.00 to Anna") + &button(2000);
        assert_eq!(at(&sent, 1400), TouchWords::Named);
        let drawn = node(VIEW, [0, 760, 1080, 1980], "", "");
        assert_eq!(at(&(sent + &drawn), 1400), TouchWords::Nothing, "a part that is drawn");
        let bars = text(60, "N26") + &button(70) + &text(2290, "Home") + &text(2290, "Cards");
        assert_eq!(at(&bars, 1400), TouchWords::Nothing, "nothing but bars");
    }

    #[test]
    fn an_icon_is_told_by_its_id_and_a_large_control_is_not() {
        let control = |bounds, id: &str| {
            let flags = format!(r#"clickable="true" resource-id="{id}""#);
            at(&node(VIEW, bounds, &flags, ""), 1000)
        };
        assert_eq!(control([500, 950, 620, 1070], "com.example:id/menu"), TouchWords::Id);
        assert_eq!(control([500, 950, 620, 1070], ""), TouchWords::Bare);
        assert_eq!(control([0, 900, 1080, 1300], "com.example:id/card"), TouchWords::Nothing);
        assert_eq!(control([300, 900, 700, 1100], "com.example:id/card"), TouchWords::Bare);
    }
}
