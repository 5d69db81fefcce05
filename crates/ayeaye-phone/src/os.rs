//! The state of the phone's OS: windows, tasks, input focus, transitions, timers and a log of input.
//!
//! All methods are called under one lock and none waits. Whatever fell due in the meantime (timers,
//! ends of transitions) is done by `tick` at the next call, as of the moment when it was due.
pub(crate) mod app_log;
mod compositor;
mod editing;
mod effects;
pub(crate) mod finger;
mod input;
mod keyboard;
mod keys;
mod power;
pub(crate) mod state;
mod tasks;
mod time;
mod windows;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::apps::{self, Apps, Event, Window, launcher, messages};
use crate::draw::{Renderer, TransitionKind};
use crate::options::PhoneOptions;
use crate::packages::{Component, Package};
use crate::system::{Quirks, Random, SystemSettings};
use crate::tree::WindowKind;
use crate::tree::layout::Offsets;
use app_log::AppLog;
use compositor::{CachedFrame, Snapshot};
use finger::Finger;
use keyboard::Keyboard;
use state::{DialogAnswer, GestureRecord, InputCounts};

/// How long heads-up notifications and toasts are shown.
const HEADS_UP: Duration = Duration::from_secs(5);
const TOAST: Duration = Duration::from_secs(2);
/// Most open dialogs; most logged answers and gestures.
const MAX_DIALOGS: usize = 8;
const MAX_LOGGED: usize = 1000;
/// Most pending timers.
const MAX_TIMERS: usize = 16;

/// An animation from one screen to another.
#[derive(Debug)]
struct Transition {
    from: Snapshot,
    how: TransitionKind,
    start: Instant,
    end: Instant,
    /// Touches are dropped while it runs.
    blocks: bool,
}

/// A list that scrolls on after the finger was lifted.
#[derive(Debug)]
struct Fling {
    name: String,
    from: f32,
    to: f32,
    start: Instant,
    end: Instant,
}

#[derive(Debug)]
struct Dialog {
    title: String,
    text: String,
    buttons: Vec<String>,
    /// Started by every button.
    starts: Option<Component>,
}

#[derive(Debug)]
struct HeadsUp {
    from: String,
    text: String,
    until: Instant,
}

/// A recent task.
#[derive(Debug)]
struct Task {
    package: &'static str,
    /// The class of the activity with which it began.
    base: String,
    snapshot: Option<Snapshot>,
}

/// The laid out windows, and what they were laid out for.
#[derive(Debug)]
pub(crate) struct WindowLayout {
    windows: Vec<Window>,
    size: (u32, u32),
    generation: u64,
    minute: u64,
}

#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub(crate) struct Os {
    options: Arc<PhoneOptions>,
    random: Random,
    started_at: Instant,
    /// The moment that is lived. Behind the clock while something overdue is done.
    now: Instant,
    awake: bool,
    locked: bool,
    quirks: Quirks,
    /// The last touch, key or wake.
    used_at: Instant,
    /// Letters that the phone's own keyboard holds back.
    composing: String,
    /// The PIN pad is up.
    bouncer: bool,
    pin: Option<String>,
    pin_typed: String,
    pin_wrong: bool,
    rotation: u8,
    size_override: Option<(u32, u32)>,
    density_override: Option<u32>,
    black: bool,
    apps: Apps,
    system: SystemSettings,
    /// Packages that came over adb; they are listed, and do not run.
    installed: Vec<Package>,
    /// The package of the resumed app.
    foreground: &'static str,
    /// Most recent first; the launcher is not among them.
    tasks: Vec<Task>,
    recents: bool,
    focus: Option<&'static str>,
    all_selected: bool,
    keyboard_hidden: bool,
    keyboard: Keyboard,
    /// The focused field has to be scrolled into view.
    reveal_focus: bool,
    scrolls: Offsets,
    fling: Option<Fling>,
    transition: Option<Transition>,
    dialogs: VecDeque<Dialog>,
    answers: VecDeque<DialogAnswer>,
    heads_up: Option<HeadsUp>,
    /// The notification shade is down.
    shade: bool,
    toast: Option<(String, Instant)>,
    timers: Vec<(Instant, &'static str, Event)>,
    counts: InputCounts,
    /// The previous tap, unless it was the second of a double tap.
    last_tap: Option<(Instant, f32, f32)>,
    finger: Option<Finger>,
    actions: VecDeque<GestureRecord>,
    app_log: AppLog,
    next_action: u64,
    /// Incremented with every change of what is shown.
    generation: u64,
    layout: Option<Arc<WindowLayout>>,
    picture: Option<CachedFrame>,
    renderer: Renderer,
}

impl Os {
    pub(crate) fn new(options: Arc<PhoneOptions>) -> Self {
        let mut random = Random::new(options.seed);
        let apps = Apps::new(&mut random);
        let now = Instant::now();
        let mut os = Self {
            options,
            random,
            started_at: now,
            now,
            awake: true,
            locked: false,
            quirks: Quirks::default(),
            used_at: now,
            composing: String::new(),
            bouncer: false,
            pin: None,
            pin_typed: String::new(),
            pin_wrong: false,
            rotation: 0,
            size_override: None,
            density_override: None,
            black: false,
            apps,
            system: SystemSettings::new(),
            installed: Vec::new(),
            foreground: launcher::PACKAGE,
            tasks: Vec::new(),
            recents: false,
            focus: None,
            all_selected: false,
            keyboard_hidden: false,
            keyboard: Keyboard::default(),
            reveal_focus: false,
            scrolls: Offsets::new(),
            fling: None,
            transition: None,
            dialogs: VecDeque::new(),
            answers: VecDeque::new(),
            heads_up: None,
            shade: false,
            toast: None,
            timers: Vec::new(),
            counts: InputCounts::default(),
            last_tap: None,
            finger: None,
            actions: VecDeque::new(),
            app_log: AppLog::default(),
            next_action: 1,
            generation: 1,
            layout: None,
            picture: None,
            renderer: Renderer::default(),
        };
        os.log_boot();
        os
    }

    pub(crate) fn counts(&mut self) -> &mut InputCounts {
        &mut self.counts
    }

    fn invalidate(&mut self) {
        self.generation += 1;
    }

    /// The current windows, laid out again if something changed.
    fn layout(&mut self) -> Arc<WindowLayout> {
        let minute = self.minute();
        let size = self.display_size();
        if let Some(layout) = &self.layout
            && layout.generation == self.generation
            && layout.minute == minute
            && layout.size == size
        {
            return Arc::clone(layout);
        }
        let mut windows = self.build_windows();
        // The focused field is gone.
        if let Some(name) = self.focus
            && !windows.iter().any(|w| w.kind == WindowKind::App && w.find_field(name).is_some())
        {
            self.focus = None;
            windows = self.build_windows();
        }
        if std::mem::take(&mut self.reveal_focus) && self.scroll_to_focus(&windows) {
            windows = self.build_windows();
        }
        let layout = Arc::new(WindowLayout { windows, size, generation: self.generation, minute });
        self.layout = Some(Arc::clone(&layout));
        layout
    }

    pub(crate) fn keyboard_shown(&self) -> bool {
        self.awake
            && !self.locked
            && !self.recents
            && !self.shade
            && self.focus.is_some()
            && !self.keyboard_hidden
            && !self.has_dialog()
    }

    /// Whether a dialog of the system or of the app lies over the app.
    pub(crate) fn has_dialog(&self) -> bool {
        !self.dialogs.is_empty() || self.app_dialog().is_some()
    }

    fn app_dialog(&self) -> Option<apps::Dialog> {
        self.apps.get(self.foreground).dialog()
    }

    pub(crate) fn system(&mut self) -> &mut SystemSettings {
        // The caller may change what is shown.
        self.invalidate();
        &mut self.system
    }

    pub(crate) fn show_dialog(&mut self, title: &str, text: &str, buttons: &[&str]) {
        if self.dialogs.len() >= MAX_DIALOGS {
            return;
        }
        let cut = |text: &str, max: usize| text.chars().take(max).collect::<String>();
        let buttons = buttons.iter().take(3).map(|label| cut(label, 30)).collect();
        self.start_transition(TransitionKind::Fade, false);
        self.dialogs.push_back(Dialog {
            title: cut(title, 100),
            text: cut(text, 500),
            buttons,
            starts: None,
        });
        self.invalidate();
    }

    pub(crate) fn ask_for_copy(&mut self, window: &str, component: &Component) {
        let packages = self.packages();
        let app = packages.iter().find(|it| it.name == component.package);
        let label = app.map_or(component.package.as_str(), |app| app.label.as_str()).to_owned();
        self.show_dialog(window, "Which one?", &[&label, &format!("{label} (2)")]);
        if let Some(dialog) = self.dialogs.back_mut() {
            dialog.starts = Some(component.clone());
        }
    }

    fn answer_dialog(&mut self, button: Option<usize>) {
        self.start_transition(TransitionKind::Fade, false);
        let Some(dialog) = self.dialogs.pop_front() else { return };
        if self.answers.len() >= MAX_LOGGED {
            self.answers.pop_front();
        }
        let button = button.and_then(|i| dialog.buttons.get(i).cloned());
        if let Some(component) = dialog.starts.filter(|_| button.is_some()) {
            let started = self.start_activity(&component);
            debug_assert!(started.is_ok(), "it was looked up before: {started:?}");
        }
        self.answers.push_back(DialogAnswer { title: dialog.title, button });
        self.invalidate();
    }

    pub(crate) fn receive_message(&mut self, from: &str, text: &str) {
        let from: String = from.chars().take(60).collect();
        let text: String = text.chars().take(2000).collect();
        let in_front = self.foreground == messages::PACKAGE && self.awake && !self.locked;
        let seen = in_front && self.apps.messages.open_with() == Some(&from);
        let now = self.local_time();
        self.apps.messages.receive(&from, &text, seen, now);
        if seen {
            self.scrolls.remove(&format!("conversation {from}"));
        } else if self.awake {
            self.heads_up = Some(HeadsUp { from, text, until: self.now + HEADS_UP });
        }
        self.invalidate();
    }
}
