//! The view tree: elements are laid out into nodes. Drawing, hit testing and the `uiautomator` XML
//! all use those nodes.
pub(crate) mod element;
pub(crate) mod layout;
pub(crate) mod xml;

use element::Element;

/// In pixels; right and bottom are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rect {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

impl Rect {
    pub(crate) const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }

    pub(crate) const fn width(self) -> i32 {
        self.right - self.left
    }

    pub(crate) const fn height(self) -> i32 {
        self.bottom - self.top
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    pub(crate) fn intersect(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    pub(crate) fn contains(self, x: f32, y: f32) -> bool {
        #[expect(clippy::cast_possible_truncation, reason = "beyond i32 it saturates")]
        let (x, y) = (x.floor() as i32, y.floor() as i32);
        x >= self.left && x < self.right && y >= self.top && y < self.bottom
    }

    pub(crate) const fn inset(self, by: i32) -> Self {
        Self::new(self.left + by, self.top + by, self.right - by, self.bottom - by)
    }

    pub(crate) const fn shifted(self, dx: i32, dy: i32) -> Self {
        Self::new(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)
    }
}

/// The scroll position of a list and its maximum, in pixels.
#[derive(Debug, Clone)]
pub(crate) struct Scrolled {
    pub(crate) name: String,
    pub(crate) horizontal: bool,
    pub(crate) offset: f32,
    pub(crate) max: f32,
}

/// An element with its position on the screen.
#[derive(Debug)]
pub(crate) struct Node<E> {
    /// The element without its children: those are the following nodes of greater `depth`.
    pub(crate) el: Element<E>,
    pub(crate) rect: Rect,
    /// The area it is clipped to.
    pub(crate) clip: Rect,
    pub(crate) depth: usize,
    /// Its index among its parent's children.
    pub(crate) index: usize,
    pub(crate) scrolled: Option<Scrolled>,
    /// Pixels per dp when it was laid out.
    pub(crate) scale: f32,
}

impl<E> Node<E> {
    /// Its visible part.
    pub(crate) fn visible(&self) -> Rect {
        self.rect.intersect(self.clip)
    }

    pub(crate) fn reacts(&self) -> bool {
        self.el.enabled && (self.el.click.is_some() || self.el.seek.is_some())
            || self.el.field.is_some()
    }
}

/// One window: a bar, an app, the keyboard, a dialog.
#[derive(Debug)]
pub(crate) struct Window<E> {
    pub(crate) package: &'static str,
    /// As `dumpsys window` names it.
    pub(crate) title: String,
    pub(crate) kind: WindowKind,
    /// Parents before children, in drawing order.
    pub(crate) nodes: Vec<Node<E>>,
    /// Touches inside do not reach the windows below.
    pub(crate) touchable: Rect,
    /// What a touch beside it means, and Back: only a dialog that can be cancelled has it.
    pub(crate) cancel: Option<E>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowKind {
    App,
    SystemBar,
    InputMethod,
    /// The lock screen, the shade or the overview: has the focus while it is shown.
    Modal,
    /// Has the focus too, takes the touches beside it, and dims what is behind it.
    Dialog,
    /// A toast or a heads-up notification: never has the focus.
    Notification,
}

impl WindowKind {
    pub(crate) fn takes_focus(self) -> bool {
        matches!(self, Self::App | Self::Modal | Self::Dialog)
    }
}

impl<E> Window<E> {
    /// What it occupies on the screen.
    pub(crate) fn frame(&self) -> Rect {
        self.nodes.first().map_or(self.touchable, |root| root.rect)
    }

    /// The topmost interactive node at this point.
    pub(crate) fn hit(&self, x: f32, y: f32) -> Option<&Node<E>> {
        self.nodes.iter().rev().find(|node| node.reacts() && node.visible().contains(x, y))
    }

    /// The innermost list at this point that scrolls along the given axis.
    pub(crate) fn scrollable(&self, x: f32, y: f32, horizontal: bool) -> Option<&Scrolled> {
        self.nodes.iter().rev().filter(|node| node.visible().contains(x, y)).find_map(|node| {
            node.scrolled.as_ref().filter(|scrolled| scrolled.horizontal == horizontal)
        })
    }

    pub(crate) fn find_field(&self, name: &str) -> Option<&Node<E>> {
        self.nodes.iter().find(|node| node.el.field.as_ref().is_some_and(|f| f.name == name))
    }
}
