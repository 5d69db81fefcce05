//! The complete state of the phone as serializable data, for tests and scripted models.
use serde::Serialize;

use super::{MAX_LOGGED, Os};
use crate::apps::clock::Alarm;
use crate::apps::messages::{Conversation, SentMessage};
use crate::apps::notes::Note;
use crate::apps::shop::{CartLine, Order};
use crate::apps::{Node, Window};
use crate::packages::Component;
use crate::tree::{WindowKind, xml};

/// Counted input. Most kinds are ignored silently by a real phone, and hint at a bug in the client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InputCounts {
    /// Touches where nothing reacts.
    pub dead_taps: u64,
    /// Touches dropped because a transition was running.
    pub taps_in_transition: u64,
    /// Touches outside the screen.
    pub taps_off_screen: u64,
    /// Touches or text while the screen was off or locked.
    pub input_while_off: u64,
    /// Text without a focused field.
    pub text_without_focus: u64,
    /// Key codes nothing reacts to.
    pub unknown_keys: u64,
    /// Taps received, whether or not something reacted; likewise below.
    pub taps: u64,
    /// Pairs of taps that Android recognizes as a double tap.
    pub double_taps: u64,
    pub swipes: u64,
    pub texts: u64,
    pub keys: u64,
    pub starts: u64,
}

/// The complete state: see `Phone::state`.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, Serialize)]
pub struct PhoneState {
    pub foreground: Component,
    /// The title of the focused window, see `Phone::focused_window`.
    pub focused_window: String,
    pub awake: bool,
    pub locked: bool,
    /// The PIN pad is up.
    pub asks_pin: bool,
    pub rotation: u8,
    /// Width and height in the current orientation.
    pub size: (u32, u32),
    pub keyboard_shown: bool,
    pub focused_field: Option<FocusedField>,
    /// Nothing moves but the caret, the clock and a video.
    pub settled: bool,
    /// Visible nodes of the focused window, parents before children.
    pub nodes: Vec<NodeState>,
    /// Visible nodes of bars, keyboard, heads-up notification and toast.
    pub system_nodes: Vec<NodeState>,
    pub wifi: bool,
    pub bluetooth: bool,
    pub airplane: bool,
    pub clipboard: Option<String>,
    pub conversations: Vec<Conversation>,
    /// Oldest first.
    pub sent: Vec<SentMessage>,
    /// Newest first.
    pub notes: Vec<Note>,
    pub cart: Vec<CartLine>,
    pub orders: Vec<Order>,
    pub alarms: Vec<Alarm>,
    pub signed_in: Option<String>,
    /// The code the sign-in waits for.
    pub one_time_code: String,
    /// Titles of open dialogs, the topmost first.
    pub dialogs: Vec<String>,
    pub dialogs_answered: Vec<DialogAnswer>,
    pub counts: InputCounts,
    /// The last thousand gestures.
    pub actions: Vec<GestureRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FocusedField {
    pub resource_id: String,
    /// In clear text, even for a password.
    pub text: String,
}

/// A visible node.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeState {
    pub package: String,
    pub id: String,
    pub class: String,
    pub text: String,
    pub desc: String,
    /// Left, top, right and bottom of the visible part, in pixels.
    pub bounds: [i32; 4],
    pub clickable: bool,
    pub scrollable: bool,
    pub focused: bool,
    pub password: bool,
    pub enabled: bool,
    pub selected: bool,
    pub checked: Option<bool>,
}

impl NodeState {
    /// The middle of its visible part.
    pub fn center(&self) -> (f32, f32) {
        let [l, t, r, b] = self.bounds;
        #[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
        let middle = ((l + r) as f32 / 2.0, (t + b) as f32 / 2.0);
        middle
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DialogAnswer {
    pub title: String,
    /// `None`: dismissed with back or home.
    pub button: Option<String>,
}

/// A gesture that reached the phone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GestureRecord {
    /// Counts up from 1.
    pub n: u64,
    /// Since the phone was created.
    pub at_ms: u64,
    pub gesture: Gesture,
    pub outcome: InputOutcome,
    /// Resource id or text of the node it reached.
    pub target: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Gesture {
    Tap { x: f32, y: f32 },
    Swipe { from: (f32, f32), to: (f32, f32), ms: u64 },
    Drag { from: (f32, f32), to: (f32, f32), ms: u64 },
    Key { code: u32, long: bool },
    Keys { codes: Vec<u32> },
    InputText { text: String },
    CommitText { text: String },
    ClearText,
    EditorAction { action: u32 },
    Start { component: Component },
    ForceStop { package: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputOutcome {
    Done,
    /// Delivered, but nothing reacts to it.
    Nothing,
    /// Not delivered: screen off, in a transition, outside the screen, no focused field.
    Dropped,
}

/// The window of a dialog, for `dumpsys window`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DialogWindow {
    pub(crate) package: &'static str,
    /// That of an app has its activity's.
    pub(crate) title: String,
    pub(crate) size: (i32, i32),
    pub(crate) has_focus: bool,
}

impl Os {
    pub(crate) fn log(&mut self, gesture: Gesture, outcome: InputOutcome, target: String) {
        self.used_at = self.now;
        if self.actions.len() >= MAX_LOGGED {
            self.actions.pop_front();
        }
        let at_ms = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.actions.push_back(GestureRecord {
            n: self.next_action,
            at_ms,
            gesture,
            outcome,
            target,
        });
        self.next_action += 1;
    }

    /// The focused window: the topmost that can have the focus.
    fn focused(windows: &[Window]) -> Option<&Window> {
        windows.iter().rev().find(|w| w.kind.takes_focus())
    }

    pub(crate) fn focused_window(&mut self) -> String {
        let layout = self.layout();
        Self::focused(&layout.windows).map_or_else(String::new, |w| w.title.clone())
    }

    /// The dialogs of the system and of the app in front, the topmost first.
    pub(crate) fn dialog_windows(&mut self) -> Vec<DialogWindow> {
        let layout = self.layout();
        let focused = Self::focused(&layout.windows);
        let dialogs = layout.windows.iter().rev().filter(|w| w.kind == WindowKind::Dialog);
        let told = |w: &Window| DialogWindow {
            package: w.package,
            title: w.title.clone(),
            size: (w.frame().width(), w.frame().height()),
            has_focus: focused.is_some_and(|it| std::ptr::eq(it, w)),
        };
        dialogs.map(told).collect()
    }

    pub(crate) fn ui_xml(&mut self) -> String {
        let layout = self.layout();
        let rotation = self.rotation;
        Self::focused(&layout.windows).map_or_else(String::new, |w| xml::dump(w, rotation))
    }

    pub(crate) fn is_secure(&self) -> bool {
        !self.locked && !self.recents && !self.shade && self.apps.get(self.foreground).is_secure()
    }

    pub(crate) fn state(&mut self) -> PhoneState {
        let layout = self.layout();
        let focused = Self::focused(&layout.windows);
        let focused_field = self.focus.map(|name| FocusedField {
            resource_id: xml::resource_id(name, self.foreground),
            text: self.apps.get_mut(self.foreground).fields().text(name).to_owned(),
        });
        let extra = |w: &&Window| {
            matches!(
                w.kind,
                WindowKind::SystemBar | WindowKind::InputMethod | WindowKind::Notification
            )
        };
        PhoneState {
            foreground: self.foreground(),
            focused_window: focused.map_or_else(String::new, |w| w.title.clone()),
            awake: self.awake,
            locked: self.locked,
            asks_pin: self.locked && self.bouncer,
            rotation: self.rotation,
            size: self.display_size(),
            keyboard_shown: self.keyboard_shown(),
            focused_field,
            settled: self.settles_at().is_none(),
            nodes: focused.map(nodes).unwrap_or_default(),
            system_nodes: layout.windows.iter().filter(extra).flat_map(nodes).collect(),
            wifi: self.system.wifi(),
            bluetooth: self.system.bluetooth(),
            airplane: self.system.airplane(),
            clipboard: self.system.clipboard.clone(),
            conversations: self.apps.messages.conversations.clone(),
            sent: self.apps.messages.sent.clone(),
            notes: self.apps.notes.entries.clone(),
            cart: self.apps.shop.cart.clone(),
            orders: self.apps.shop.orders.clone(),
            alarms: self.apps.clock.alarms.clone(),
            signed_in: self.apps.account.signed_in.clone(),
            one_time_code: self.apps.account.code.clone(),
            dialogs: self.dialogs.iter().map(|d| d.title.clone()).collect(),
            dialogs_answered: self.answers.iter().cloned().collect(),
            counts: self.counts.clone(),
            actions: self.actions.iter().cloned().collect(),
        }
    }
}

fn nodes(window: &Window) -> Vec<NodeState> {
    let seen = |node: &&Node| !node.visible().is_empty();
    let state = |node: &Node| {
        let r = node.visible();
        let el = &node.el;
        NodeState {
            package: window.package.to_owned(),
            id: xml::resource_id(el.id, window.package),
            class: el.class.to_owned(),
            text: xml::accessible_text(node),
            desc: el.desc.clone(),
            bounds: [r.left, r.top, r.right, r.bottom],
            clickable: node.reacts(),
            scrollable: node.scrolled.as_ref().is_some_and(|s| s.max > 0.0),
            focused: el.focused,
            password: el.field.as_ref().is_some_and(|f| f.password),
            enabled: el.enabled,
            selected: el.selected,
            checked: el.checked,
        }
    };
    window.nodes.iter().filter(seen).map(state).collect()
}
