//! The elements of a screen, from the XML of `uiautomator dump`.
//!
//! Nothing depends on there being any: many apps show none, and phones fail to dump them in time.
mod dump;
mod hidden;
mod page;
mod rows;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use self::hidden::{hidden_elements, without_hidden};

use std::cmp::Ordering;
use std::time::Duration;

use crate::event::TargetRecord;
use crate::{Pixel, ScreenSize};

/// Most elements that are read; more is a list without an end.
const MOST: u32 = 20_000;
/// The longest that anybody waits for a dump to be read.
const READING: Duration = Duration::from_secs(5);

/// Everything a screen says it consists of, in the order of the document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements(Vec<Element>);

/// One element.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its place in the tree, from 0.
    pub index: usize,
    /// What it shows.
    pub text: String,
    /// What is read out for it.
    pub description: String,
    /// What an empty field asks for; newer phones tell.
    pub hint: String,
    /// Such as `android.widget.Button`.
    pub class: String,
    /// Such as `com.example.notes:id/new_note`; often empty.
    pub resource_id: String,
    /// Package of the app that shows it: of a widget on the home screen, and of a window over it, another than the
    /// home screen's.
    pub package: String,
    /// Left, top, right, bottom in pixels of the screen; right and bottom are the first outside.
    pub bounds: [i32; 4],
    /// It hides what is typed into it.
    pub password: bool,
    /// It has the focus: of a field, what is typed goes into it.
    pub focused: bool,
    /// It reacts to a tap.
    pub clickable: bool,
    /// Whether it is switched on, where it can be.
    pub checked: Option<bool>,
    /// It is selected: a row of a list, a tab.
    pub selected: bool,
    long_clickable: bool,
    /// How many elements are around it.
    depth: usize,
    /// The place in the list of the element around it.
    parent: Option<usize>,
}

/// Longest name of a control, in characters.
const LONGEST_NAME: usize = 200;

impl Elements {
    /// The elements of a dump; `None` when it is not one.
    pub fn read(xml: &str) -> Option<Self> {
        let document = dump::parse(xml)?;
        let nodes = document.descendants().filter(|node| node.has_tag_name("node"));
        let mut elements = Vec::new();
        // The nodes around the one that is being read, with their places in the list.
        let mut around: Vec<(roxmltree::NodeId, Option<usize>)> = Vec::new();
        for (index, node) in nodes.take(MOST as usize).enumerate() {
            let above = node.parent().map(|node| node.id());
            while around.last().is_some_and(|(id, _)| Some(*id) != above) {
                around.pop();
            }
            let parent = around.last().and_then(|(_, place)| *place);
            let element = read_element(node, index, around.len(), parent);
            // Of one that cannot be read, the element around it.
            let nearest = element.is_some().then_some(elements.len()).or(parent);
            around.push((node.id(), nearest));
            elements.extend(element);
        }
        Some(Self(elements))
    }

    /// Reads a dump on another thread, since others wait for this one, and gives up after a while.
    pub async fn read_on_blocking_thread(xml: String) -> Option<Self> {
        on_blocking_thread(move || Self::read(&xml)).await?
    }

    /// Whether they are of the screen as it is held the other way than in a picture of this size: the phone was turned
    /// between the two.
    pub(crate) fn are_turned(&self, picture: ScreenSize) -> bool {
        let edges = |it: &Element| [it.bounds[2], it.bounds[3]].map(i32::unsigned_abs);
        let windows = self.0.iter().filter(|it| it.depth == 0).map(edges);
        let (right, bottom) =
            windows.fold((0, 0), |(right, bottom), [x, y]| (right.max(x), bottom.max(y)));
        let ScreenSize { width, height } = picture;
        match width.cmp(&height) {
            Ordering::Less => width < right && bottom <= width,
            Ordering::Greater => height < bottom && right <= height,
            Ordering::Equal => false,
        }
    }

    /// In the order of the document: parents before their children.
    pub fn iter(&self) -> impl Iterator<Item = &Element> {
        self.0.iter()
    }

    /// What a touch at a place is for: the control or the row around the smallest element there, else
    /// that element.
    pub fn at(&self, place: Pixel) -> Option<&Element> {
        let smallest = self.smallest_at(place)?;
        let largest = self.largest_control();
        let mut element = smallest;
        loop {
            if element.reacts() {
                let backdrop = largest < element.area() && element.index != smallest.index;
                return Some(if backdrop { smallest } else { element });
            }
            match element.parent.and_then(|place| self.0.get(place)) {
                Some(parent) => element = parent,
                None => return Some(smallest),
            }
        }
    }

    /// The bounds of the window that is listed, if one element is around all others, as phones list them.
    pub(crate) fn window(&self) -> Option<[i64; 4]> {
        let mut outermost = self.0.iter().filter(|it| it.depth == 0);
        let root = outermost.next().filter(|it| 0 < it.area() && !it.reacts())?;
        outermost.next().is_none().then(|| root.bounds.map(i64::from))
    }

    /// Whether what is typed at a place may be hidden: any field that hides it counts, also behind a label.
    pub fn is_secret_at(&self, place: Pixel) -> bool {
        self.0.iter().any(|element| element.password && element.covers(place))
    }

    /// Whether a touch at a place goes into a field: of what may get it there, a field is drawn above all else.
    pub(crate) fn is_field_at(&self, place: Pixel) -> bool {
        let may_get_it = |it: &&Element| it.covers(place) && (it.reacts() || it.is_field());
        self.0.iter().rfind(may_get_it).is_some_and(Element::is_field)
    }

    /// The smallest element at a place; of two alike the later one, which is drawn above.
    fn smallest_at(&self, place: Pixel) -> Option<&Element> {
        self.0
            .iter()
            .filter(|it| it.covers(place))
            .min_by_key(|it| (it.area(), usize::MAX - it.index))
    }

    /// What a person would call a control: by its own name, else by the names in it, its hint, or the
    /// last part of its resource id.
    pub fn label(&self, element: &Element) -> String {
        if !element.name().is_empty() {
            return element.name().to_owned();
        }
        let inside = self.names_inside(element).join(", ");
        let id = element.resource_id.rsplit('/').next().unwrap_or_default();
        let candidates = [inside.as_str(), element.hint.trim(), id];
        candidates.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned()
    }

    /// The names in an element that are not those of other controls in it.
    pub(crate) fn names_inside(&self, element: &Element) -> Vec<&str> {
        let from = self.0.partition_point(|it| it.index <= element.index);
        let inside = self.0[from..].iter().take_while(|it| element.depth < it.depth);
        let mut names = Vec::new();
        // Below this depth everything belongs to another control.
        let mut control = None;
        for it in inside {
            if control.is_some_and(|depth| depth < it.depth) {
                continue;
            }
            control = it.reacts().then_some(it.depth);
            if control.is_none() && !it.name().is_empty() {
                names.push(it.name());
            }
        }
        names
    }

    /// Everything a touch at a place may be for, and whether the names in it are its own: the smallest
    /// element there, the control it belongs to, and whatever else there reacts and is no backdrop. Where
    /// nothing reacts, what reacts within this many pixels.
    pub(crate) fn touched(&self, place: Pixel, beside: i32) -> Vec<(&Element, bool)> {
        let Some(smallest) = self.smallest_at(place) else { return Vec::new() };
        let mut found = vec![(smallest, false)];
        let control = self.at(place).unwrap_or(smallest);
        found.push((control, true));
        let largest = self.largest_control();
        let small = |it: &Element| it.area() <= largest;
        let others = |it: &&Element| it.reacts() && small(it) && it.index != control.index;
        // Of a row around the control the texts are not the control's; of what lies over it they are.
        let around =
            |it: &Element| self.ancestors(control).skip(1).any(|above| above.index == it.index);
        let here = self.0.iter().filter(others).filter(|it| it.covers(place));
        found.extend(here.map(|it| (it, !around(it))));
        if !found.iter().any(|(it, _)| it.reacts() && small(it)) {
            let near = self.0.iter().filter(others).filter(|it| it.is_near(place, beside));
            found.extend(near.map(|it| (it, true)));
        }
        found
    }

    /// Whether an element reacts to touches, or is in a control that does and is no backdrop: no larger
    /// than [`Self::largest_control`].
    pub(crate) fn is_in_control(&self, element: &Element, largest: i64) -> bool {
        self.ancestors(element).any(|it| it.reacts() && it.area() <= largest)
    }

    /// An element, and what is around it from the inside out.
    pub(crate) fn ancestors<'a>(
        &'a self,
        element: &'a Element,
    ) -> impl Iterator<Item = &'a Element> {
        /// More than a screen has; a tree may be as deep as it likes.
        const DEEPEST: usize = 64;
        let above = |it: &&'a Element| it.parent.and_then(|place| self.0.get(place));
        std::iter::successors(Some(element), above).take(DEEPEST)
    }

    /// Whether something at a place has a name that says what it is for: not only an id, which a page of any kind has.
    pub(crate) fn tells(&self, place: Pixel) -> bool {
        self.at(place).is_some_and(|it| !it.name().is_empty() || !self.names_inside(it).is_empty())
    }

    /// About how much memory they take, without their texts.
    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * size_of::<Element>()
    }

    /// Whether there are as many elements as are read, so that there may be more.
    pub(crate) fn is_cut_off(&self) -> bool {
        MOST as usize <= self.0.last().map_or(0, |it| it.index + 1)
    }

    /// The texts beside, above and under a control that has none: what a person takes for its name.
    pub(crate) fn names_beside(&self, element: &Element) -> Vec<&str> {
        let [left, top, right, bottom] = element.bounds.map(i64::from);
        let (width, height) = (right - left, bottom - top);
        let largest = self.largest_control();
        let beside = |it: &&Element| {
            let [from, above, to, below] = it.bounds.map(i64::from);
            let same_line = above.max(top) + (below - above).min(height) / 2 <= below.min(bottom);
            let same_column = from.max(left) + (to - from).min(width) / 2 <= to.min(right);
            let near = (from - right).max(left - to) <= height;
            // In one row with it, however far: the row is no higher than two of its like.
            let row = || element.parent.is_some() && element.parent == it.parent;
            let low = || {
                element
                    .parent
                    .and_then(|at| self.0.get(at))
                    .is_some_and(|it| it.height() <= height * 2)
            };
            same_line && (near || row() && low())
                || same_column && (above - bottom).max(top - below) <= height / 2
        };
        let texts = self.0.iter().filter(|it| !it.name().is_empty() && !it.reacts());
        let free = texts.filter(beside).filter(|it| !self.is_in_control(it, largest));
        free.map(Element::name).take(4).collect()
    }

    /// The texts on the line of a control, beside those of other controls and what is typed into fields: what
    /// stands in the row that it belongs to.
    pub(crate) fn names_on_line(&self, element: &Element) -> Vec<&str> {
        let largest = self.largest_control();
        let [_, top, _, bottom] = element.bounds.map(i64::from);
        let more = (bottom - top) / 4;
        let inside = |it: &Element| self.ancestors(it).any(|above| above.index == element.index);
        let in_other = |it: &Element| {
            let own = |above: &&Element| above.reacts() && above.area() <= largest;
            self.ancestors(it).find(own).is_some_and(|above| {
                !self.ancestors(element).any(|around| around.index == above.index)
            })
        };
        let texts = self.0.iter().filter(|it| !it.name().is_empty() && !it.reacts());
        let on_line =
            texts.filter(|it| (top - more..bottom + more).contains(&i64::from(it.middle())));
        on_line.filter(|it| !inside(it) && !in_other(it)).map(Element::name).collect()
    }

    /// The texts that are drawn over a control that has none: what a person takes for its name, though they are
    /// not in it.
    pub(crate) fn names_over(&self, element: &Element) -> Vec<&str> {
        let largest = self.largest_control();
        if largest < element.area() {
            return Vec::new();
        }
        let [left, top, right, bottom] = element.bounds;
        let over = |it: &&Element| {
            let [from, above, to, below] = it.bounds;
            left <= from && to <= right && top <= above && below <= bottom && !it.name().is_empty()
        };
        let from = self.0.partition_point(|it| it.index <= element.index);
        let texts = self.0[from..].iter().filter(over);
        let free = texts.filter(|it| !self.is_in_control(it, largest));
        free.map(Element::name).take(4).collect()
    }

    /// The largest area of a control: half the screen. What is larger and reacts to taps is a backdrop.
    pub(crate) fn largest_control(&self) -> i64 {
        self.0.iter().map(Element::area).max().unwrap_or_default() / 2
    }

    /// Whether something in this control can be switched.
    pub(crate) fn has_switch(&self, element: &Element) -> bool {
        let from = self.0.partition_point(|it| it.index <= element.index);
        let mut inside = self.0[from..].iter().take_while(|it| element.depth < it.depth);
        element.checked.is_some() || inside.any(|it| it.checked.is_some())
    }

    /// The control at a place, as it is recorded.
    pub fn target_at(&self, place: Pixel) -> Option<TargetRecord> {
        let element = self.at(place)?;
        Some(TargetRecord {
            id: element.index.to_string(),
            name: self.label(element).chars().take(LONGEST_NAME).collect(),
            kind: element.class.chars().take(LONGEST_NAME).collect(),
            rect: element.bounds,
        })
    }
}

/// Does work on a dump on a thread that may block; `None` if it takes too long.
pub(crate) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let working = tokio::task::spawn_blocking(work);
    tokio::time::timeout(READING, working).await.ok()?.ok()
}

fn read_element(
    node: roxmltree::Node<'_, '_>,
    index: usize,
    depth: usize,
    parent: Option<usize>,
) -> Option<Element> {
    let attribute = |name: &str| node.attribute(name).unwrap_or_default();
    let flag = |name: &str| attribute(name) == "true";
    Some(Element {
        index,
        text: attribute("text").to_owned(),
        description: attribute("content-desc").to_owned(),
        hint: attribute("hint").to_owned(),
        class: attribute("class").to_owned(),
        resource_id: attribute("resource-id").to_owned(),
        package: attribute("package").to_owned(),
        bounds: bounds(attribute("bounds"))?,
        password: flag("password"),
        focused: flag("focused"),
        clickable: flag("clickable"),
        checked: flag("checkable").then(|| flag("checked")),
        selected: flag("selected"),
        long_clickable: flag("long-clickable"),
        depth,
        parent,
    })
}

impl Element {
    /// What stands on it, else what is read out for it. What is typed into a password field is not its
    /// name.
    pub fn name(&self) -> &str {
        let shown = if self.password { "" } else { self.text.trim() };
        if shown.is_empty() { self.description.trim() } else { shown }
    }

    /// Whether it does something when it is touched.
    pub(crate) fn reacts(&self) -> bool {
        self.clickable || self.long_clickable || self.checked.is_some()
    }

    /// Whether text is typed into it.
    pub(crate) fn is_field(&self) -> bool {
        self.password || is_field_class(&self.class)
    }

    fn height(&self) -> i64 {
        i64::from(self.bounds[3]) - i64::from(self.bounds[1])
    }

    /// The height of its middle.
    pub(crate) fn middle(&self) -> i32 {
        i32::midpoint(self.bounds[1], self.bounds[3])
    }

    fn covers(&self, place: Pixel) -> bool {
        let [left, top, right, bottom] = self.bounds.map(i64::from);
        let (x, y) = (i64::from(place.x), i64::from(place.y));
        left <= x && x < right && top <= y && y < bottom
    }

    fn is_near(&self, place: Pixel, beside: i32) -> bool {
        let [left, top, right, bottom] = self.bounds.map(i64::from);
        let (x, y, more) = (i64::from(place.x), i64::from(place.y), i64::from(beside));
        left - more <= x && x < right + more && top - more <= y && y < bottom + more
    }

    /// Whether a person can see it: what has no size, or lies outside the screen, could say anything.
    pub(crate) fn is_seen_on(&self, screen: ScreenSize) -> bool {
        let [left, top, right, bottom] = self.bounds.map(i64::from);
        let (width, height) = (i64::from(screen.width), i64::from(screen.height));
        1 < right.min(width) - left.max(0) && 1 < bottom.min(height) - top.max(0)
    }

    pub(crate) fn area(&self) -> i64 {
        let [left, top, right, bottom] = self.bounds.map(i64::from);
        (right - left).max(0).saturating_mul((bottom - top).max(0))
    }
}

/// Whether elements of this class are fields.
pub(crate) fn is_field_class(class: &str) -> bool {
    class.ends_with("EditText") || class.ends_with("AutoCompleteTextView")
}

/// `[left,top][right,bottom]`
fn bounds(text: &str) -> Option<[i32; 4]> {
    let (first, second) = text.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
    let pair = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((x.parse::<i32>().ok()?, y.parse::<i32>().ok()?))
    };
    let ((left, top), (right, bottom)) = (pair(first)?, pair(second)?);
    Some([left, top, right, bottom])
}
