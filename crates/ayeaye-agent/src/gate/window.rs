//! Touches outside the window that the elements are of: phones list the one that has the focus, and no other.
use crate::elements::Elements;
use crate::{Pixel, ScreenSize};

/// Where a touch lands, as far as the elements tell; what is known least comes last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TouchPlace {
    /// In the window that is listed, or on the bars around one that fills the screen.
    #[default]
    Listed,
    /// Outside a window that lies over another one of its app, such as a dialog.
    AroundWindow,
    /// In the other half of a split screen: in an app that nobody knows.
    OtherHalf,
}

/// Where a touch at a place lands.
pub(super) fn place_of(elements: &Elements, place: Pixel, size: ScreenSize) -> TouchPlace {
    let (width, height) = (i64::from(size.width), i64::from(size.height));
    // The bars of the system are no higher; they are not listed.
    let bar = width.max(height) / 12;
    let Some([left, top, right, bottom]) = elements.window() else { return TouchPlace::Listed };
    let [at_left, at_top] = [left, top].map(|it| it <= bar);
    let (at_right, at_bottom) = (width - bar <= right, height - bar <= bottom);
    let (x, y) = (i64::from(place.x), i64::from(place.y));
    let inside = left <= x && x < right && top <= y && y < bottom;
    let sides = [at_left, at_top, at_right, at_bottom];
    if inside || sides == [true; 4] {
        TouchPlace::Listed
    } else if sides.iter().filter(|it| **it).count() == 3 {
        TouchPlace::OtherHalf
    } else {
        TouchPlace::AroundWindow
    }
}
