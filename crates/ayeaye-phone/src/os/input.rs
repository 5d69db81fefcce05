//! Touch input: taps, swipes and drags.
use std::time::Duration;

use super::state::{Gesture, InputOutcome};
use super::windows::dp;
use super::{Fling, Os};
use crate::apps::{Event, Node, SystemEvent, Window, launcher};
use crate::text::lines;
use crate::tree::{WindowKind, xml};

/// A swipe down that begins up here pulls down the notification shade.
const STATUS_BAR_DP: u8 = 28;
/// Touch slop: a shorter movement is a tap.
pub(super) const SLOP_DP: f32 = 8.0;
/// Longest time between two taps, and how far apart they may be, for a double tap.
const DOUBLE_TAP: Duration = Duration::from_millis(300);
const DOUBLE_TAP_SLOP_DP: f32 = 100.0;
/// How far a fling goes, in seconds of the finger's speed.
const FLING_SECONDS: f32 = 0.22;

/// The result of a hit test.
struct HitTarget {
    target: String,
    action: HitAction,
}

enum HitAction {
    Event(Event),
    /// A text field, and the caret's byte offset at the touched point.
    Field(&'static str, usize),
    Slide(Event),
    Nothing,
}

impl Os {
    pub(crate) fn tap(&mut self, x: f32, y: f32) {
        self.counts.taps += 1;
        let now = self.now;
        let slop = DOUBLE_TAP_SLOP_DP * self.scale();
        let first = self.last_tap.take().filter(|(at, before_x, before_y)| {
            now.duration_since(*at) <= DOUBLE_TAP && (x - before_x).hypot(y - before_y) <= slop
        });
        match first {
            Some(_) => self.counts.double_taps += 1,
            None => self.last_tap = Some((now, x, y)),
        }
        let gesture = Gesture::Tap { x, y };
        self.touch(gesture, x, y, false);
    }

    pub(crate) fn swipe(&mut self, from: (f32, f32), to: (f32, f32), duration: Duration) {
        self.counts.swipes += 1;
        let gesture = Gesture::Swipe { from, to, ms: millis(duration) };
        self.move_pointer(gesture, from, to, duration, true);
    }

    pub(crate) fn drag(&mut self, from: (f32, f32), to: (f32, f32), duration: Duration) {
        self.counts.swipes += 1;
        let gesture = Gesture::Drag { from, to, ms: millis(duration) };
        let moves = duration.saturating_sub(self.long_press());
        if moves.is_zero() {
            self.counts.dead_taps += 1;
            self.log(gesture, InputOutcome::Nothing, String::new());
            return;
        }
        self.move_pointer(gesture, from, to, moves, false);
    }

    /// Whether a touch is delivered; if not, it is counted and logged as dropped. `moves`: beyond the slop.
    fn accepts_touch(&mut self, gesture: &Gesture, x: f32, y: f32, moves: bool) -> bool {
        let (w, h) = self.display_size();
        let inside = crate::tree::Rect::new(
            0,
            0,
            i32::try_from(w).unwrap_or(i32::MAX),
            i32::try_from(h).unwrap_or(i32::MAX),
        )
        .contains(x, y);
        let now = self.now;
        let counter = if !inside {
            &mut self.counts.taps_off_screen
        } else if !self.awake {
            &mut self.counts.input_while_off
        } else if self.transition.as_ref().is_some_and(|t| t.blocks && t.end > now) {
            &mut self.counts.taps_in_transition
        } else if self.fling.take().is_some() {
            self.invalidate();
            // A list stops where the finger takes hold of it and then follows it; a tap only stops it.
            if moves {
                return true;
            }
            &mut self.counts.taps_in_transition
        } else {
            return true;
        };
        *counter += 1;
        self.log(gesture.clone(), InputOutcome::Dropped, String::new());
        false
    }

    fn touch(&mut self, gesture: Gesture, x: f32, y: f32, long: bool) {
        if !self.accepts_touch(&gesture, x, y, false) {
            return;
        }
        let touched = self.hit_test(x, y, long);
        let outcome = match touched.action {
            HitAction::Nothing if self.locked => {
                self.counts.input_while_off += 1;
                InputOutcome::Nothing
            }
            HitAction::Nothing => {
                self.counts.dead_taps += 1;
                InputOutcome::Nothing
            }
            HitAction::Event(_) | HitAction::Field(..) | HitAction::Slide(_) => InputOutcome::Done,
        };
        // Logged before the event, which may log more.
        self.log(gesture, outcome, touched.target);
        match touched.action {
            HitAction::Nothing => {}
            HitAction::Event(event) | HitAction::Slide(event) => {
                self.dispatch_event(self.foreground, event);
            }
            HitAction::Field(name, caret) => self.touch_field(name, caret),
        }
    }

    fn touch_field(&mut self, name: &'static str, caret: usize) {
        if self.focus == Some(name) && !self.keyboard_hidden {
            self.all_selected = false;
        } else {
            self.focus_on(name);
        }
        let foreground = self.foreground;
        let field = self.apps.get_mut(foreground).fields().get(name);
        if field.text.is_char_boundary(caret) {
            field.caret = caret;
        }
        self.invalidate();
    }

    fn hit_test(&mut self, x: f32, y: f32, long: bool) -> HitTarget {
        let layout = self.layout();
        let mut touched = HitTarget { target: String::new(), action: HitAction::Nothing };
        let Some(window) = topmost(&layout.windows, x, y) else { return touched };
        let Some(node) = window.hit(x, y) else {
            if let Some(cancel) = window.cancel.clone().filter(|_| !window.frame().contains(x, y)) {
                touched.action = HitAction::Event(cancel);
            }
            return touched;
        };
        touched.target = name(node, window.package);
        let el = &node.el;
        touched.action = if let Some(field) = &el.field {
            HitAction::Field(field.name, caret_at(node, x, y))
        } else if let Some(seek) = el.seek {
            HitAction::Slide(seek(fraction_across(node, x)))
        } else {
            // Without a long click handler a long press is a click.
            let event = el.long_click.as_ref().filter(|_| long).or(el.click.as_ref());
            event.cloned().map_or(HitAction::Nothing, HitAction::Event)
        };
        touched
    }

    fn move_pointer(
        &mut self,
        gesture: Gesture,
        from: (f32, f32),
        to: (f32, f32),
        duration: Duration,
        flings: bool,
    ) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        if dx.hypot(dy) < SLOP_DP * self.scale() {
            let long = self.long_press() <= duration;
            self.touch(gesture, from.0, from.1, long);
            return;
        }
        if !self.accepts_touch(&gesture, from.0, from.1, true) {
            return;
        }
        let (target, outcome) = self.drag_from(from, to, duration, flings);
        if outcome == InputOutcome::Nothing && self.stays_on_control(from, to) {
            let long = self.long_press() <= duration;
            self.touch(gesture, from.0, from.1, long);
            return;
        }
        if outcome == InputOutcome::Nothing {
            if self.locked {
                self.counts.input_while_off += 1;
            } else {
                self.counts.dead_taps += 1;
            }
        }
        self.log(gesture, outcome, target);
    }

    /// Whether a movement that nothing takes ends on the control on which it begins: `View.onTouchEvent` lets go of a
    /// press only where the finger leaves the view by more than the touch slop.
    #[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
    fn stays_on_control(&mut self, from: (f32, f32), to: (f32, f32)) -> bool {
        let slop = SLOP_DP * self.scale();
        let layout = self.layout();
        let window = topmost(&layout.windows, from.0, from.1);
        let Some(node) = window.and_then(|window| window.hit(from.0, from.1)) else { return false };
        let rect = &node.rect;
        let reacts = node.el.click.is_some() || node.el.long_click.is_some();
        reacts
            && (rect.left as f32 - slop..rect.right as f32 + slop).contains(&to.0)
            && (rect.top as f32 - slop..rect.bottom as f32 + slop).contains(&to.1)
    }

    /// A movement beyond the touch slop.
    fn drag_from(
        &mut self,
        from: (f32, f32),
        to: (f32, f32),
        duration: Duration,
        flings: bool,
    ) -> (String, InputOutcome) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let horizontal = dx.abs() > dy.abs();
        let far = 90.0 * self.scale();
        let layout = self.layout();
        let Some(window) = topmost(&layout.windows, from.0, from.1) else {
            return (String::new(), InputOutcome::Nothing);
        };
        if window.kind == WindowKind::Notification {
            if dy < -SLOP_DP * self.scale() || horizontal {
                self.start_transition(crate::draw::TransitionKind::Fade, false);
                self.heads_up = None;
                self.invalidate();
                return ("heads-up".to_owned(), InputOutcome::Done);
            }
            return (String::new(), InputOutcome::Nothing);
        }
        if self.locked {
            if dy < -far && !self.bouncer {
                self.dismiss_keyguard();
                return ("lock screen".to_owned(), InputOutcome::Done);
            }
            return (String::new(), InputOutcome::Nothing);
        }
        if self.shade {
            if dy < -far {
                self.open_shade(false);
                return ("shade".to_owned(), InputOutcome::Done);
            }
            return (String::new(), InputOutcome::Nothing);
        }
        if from.1 < f32::from(STATUS_BAR_DP) * self.scale() && !horizontal && dy > far {
            self.open_shade(true);
            return ("status bar".to_owned(), InputOutcome::Done);
        }
        let hit = window.hit(from.0, from.1);
        if let Some(node) = hit
            && let Some(seek) = node.el.seek
        {
            let (target, event) = (name(node, window.package), seek(fraction_across(node, to.0)));
            self.dispatch_event(self.foreground, event);
            return (target, InputOutcome::Done);
        }
        if self.recents
            && !horizontal
            && dy < -far
            && let Some(node) = hit
            && let Some(Event::System(SystemEvent::OpenTask(package))) = &node.el.click
        {
            let package: &'static str = package;
            self.close_task(package);
            return (package.to_owned(), InputOutcome::Done);
        }
        if let Some(scrolled) = window.scrollable(from.0, from.1, horizontal) {
            let delta = if horizontal { -dx } else { -dy };
            let at_top = scrolled.offset <= 0.0;
            if !(scrolled.name == "drawer" && at_top && dy > far) {
                let target = scrolled.name.clone();
                self.scroll(&target, scrolled.offset, scrolled.max, delta, duration, flings);
                return (target, InputOutcome::Done);
            }
        }
        if self.foreground == launcher::PACKAGE && window.kind == WindowKind::App && !horizontal {
            if dy < -far && !self.apps.launcher.is_drawer() {
                self.drawer(true);
                return ("launcher".to_owned(), InputOutcome::Done);
            }
            if dy > far && self.apps.launcher.is_drawer() {
                self.drawer(false);
                return ("drawer".to_owned(), InputOutcome::Done);
            }
        }
        (String::new(), InputOutcome::Nothing)
    }

    fn scroll(
        &mut self,
        list: &str,
        offset: f32,
        max: f32,
        delta: f32,
        duration: Duration,
        flings: bool,
    ) {
        let moved = (offset + delta).clamp(0.0, max);
        self.scrolls.insert(list.to_owned(), moved);
        let speed = delta / duration.as_secs_f32().max(0.016);
        let target = (moved + speed * FLING_SECONDS).clamp(0.0, max);
        let slow = 250.0 * self.scale();
        if flings && speed.abs() > slow && (target - moved).abs() > 2.0 {
            let now = self.now;
            let time = Duration::from_millis(300 + u64::from(self.random.below(300)));
            self.fling = Some(Fling {
                name: list.to_owned(),
                from: moved,
                to: target,
                start: now,
                end: now + time,
            });
        }
        self.invalidate();
    }

    /// Scrolls the list around the focused field until its caret is visible.
    pub(super) fn scroll_to_focus(&mut self, windows: &[Window]) -> bool {
        let Some(name) = self.focus else { return false };
        let Some(window) = windows.iter().find(|w| w.kind == WindowKind::App) else { return false };
        let Some(at) =
            window.nodes.iter().position(|n| n.el.field.as_ref().is_some_and(|f| f.name == name))
        else {
            return false;
        };
        let field = &window.nodes[at];
        let around = window.nodes[..at]
            .iter()
            .rfind(|n| n.depth < field.depth && n.scrolled.as_ref().is_some_and(|s| !s.horizontal));
        let Some((view, scrolled)) = around.and_then(|n| Some((n, n.scrolled.as_ref()?))) else {
            return false;
        };
        let (top, bottom) = caret_rows(field);
        let margin = dp(12.0, field.scale);
        let shift = if bottom + margin > view.rect.bottom {
            bottom + margin - view.rect.bottom
        } else if top - margin < view.rect.top {
            top - margin - view.rect.top
        } else {
            return false;
        };
        #[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
        let to = (scrolled.offset + shift as f32).clamp(0.0, scrolled.max);
        self.scrolls.insert(scrolled.name.clone(), to);
        true
    }
}

/// The window that receives touches at this point.
fn topmost(windows: &[Window], x: f32, y: f32) -> Option<&Window> {
    windows.iter().rev().find(|w| w.touchable.contains(x, y))
}

/// The name of a node in the log: its id, else its description or text.
fn name(node: &Node, package: &str) -> String {
    let id = xml::resource_id(node.el.id, package);
    if !id.is_empty() {
        return id;
    }
    if node.el.desc.is_empty() { node.el.text.clone() } else { node.el.desc.clone() }
}

/// The touched position along a node's width, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
fn fraction_across(node: &Node, x: f32) -> f32 {
    ((x - node.rect.left as f32) / node.rect.width().max(1) as f32).clamp(0.0, 1.0)
}

/// A field's text as drawn: its lines, font size and origin.
#[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
pub(super) fn field_lines(node: &Node) -> (String, Vec<lines::TextLine>, f32, (f32, f32)) {
    let el = &node.el;
    let s = node.scale;
    let shown = crate::tree::element::shown_text(el);
    let size = el.font_size * s;
    let width = node.rect.width() as f32 - (el.pad[0] + el.pad[2]) * s;
    let lines = lines::wrap(&shown, size, el.bold, width, el.max_lines);
    let corner = (node.rect.left as f32 + el.pad[0] * s, node.rect.top as f32 + el.pad[1] * s);
    (shown, lines, size, corner)
}

/// The byte offset in the field's text that is nearest to a touch.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a row number; negative ones become 0"
)]
fn caret_at(node: &Node, x: f32, y: f32) -> usize {
    let (shown, lines, size, (left, top)) = field_lines(node);
    let row = ((y - top) / (size * lines::LINE).round()).max(0.0) as usize;
    let Some(line) = lines.get(row.min(lines.len().saturating_sub(1))) else { return 0 };
    let at = lines::offset_at(&shown, line, x - left, size, node.el.bold);
    if node.el.field.as_ref().is_some_and(|f| f.password) {
        // From bullets back to characters.
        node.el.text.char_indices().nth(at / 3).map_or(node.el.text.len(), |(i, _)| i)
    } else {
        at
    }
}

/// Top and bottom of the caret's line.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "screen coordinates are small"
)]
fn caret_rows(node: &Node) -> (i32, i32) {
    let (shown, lines, size, (_, top)) = field_lines(node);
    let caret = node.el.field.as_ref().map_or(0, |f| f.caret);
    let (row, _) = lines::locate(&shown, &lines, caret.min(shown.len()), size, node.el.bold);
    let line = (size * lines::LINE).round();
    let y = top + row as f32 * line;
    (y as i32, (y + line) as i32)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
