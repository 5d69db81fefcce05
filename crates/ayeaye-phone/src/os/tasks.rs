//! Tasks: starting, switching, closing and killing apps.
use super::{Os, Task, windows::SYSTEM_UI};
use crate::apps::{SystemEvent, launcher, messages};
use crate::draw::TransitionKind;
use crate::packages::{Component, LaunchState, Package, StartError};

const VERSION: &str = "14.2.0";
/// The keyboard that types any text.
const KEYBOARD: &str = "com.android.adbkeyboard";

impl Os {
    pub(crate) fn packages(&self) -> Vec<Package> {
        let app = |entry: &launcher::LauncherEntry| Package {
            name: entry.package.to_owned(),
            label: entry.label.to_owned(),
            launcher: Some(Component {
                package: entry.package.to_owned(),
                class: entry.activity.to_owned(),
            }),
            system: entry.package == crate::apps::settings::PACKAGE,
            version_name: if entry.package == crate::apps::settings::PACKAGE {
                self.options.android.clone()
            } else {
                VERSION.to_owned()
            },
        };
        let part = |name: &str, label: &str, system: bool| Package {
            name: name.to_owned(),
            label: label.to_owned(),
            launcher: None,
            system,
            version_name: if system { self.options.android.clone() } else { "2.4".to_owned() },
        };
        let mut all: Vec<Package> = launcher::ENTRIES.iter().map(app).collect();
        all.push(part("android", "Android System", true));
        all.push(part(launcher::PACKAGE, "Launcher", true));
        all.push(part(SYSTEM_UI, "System UI", true));
        all.push(part("com.android.inputmethod.latin", "Android Keyboard", true));
        if self.system.has_adb_keyboard() && !self.is_installed(KEYBOARD) {
            all.push(part(KEYBOARD, "ADB Keyboard", false));
        }
        all.extend(self.installed.iter().cloned());
        all
    }

    fn is_installed(&self, name: &str) -> bool {
        self.installed.iter().any(|package| package.name == name)
    }

    /// `false` when it is one that the phone came with.
    pub(crate) fn install(&mut self, package: Package) -> bool {
        let came_with = |it: &Package| it.name == package.name && package.name != KEYBOARD;
        if !self.is_installed(&package.name) && self.packages().iter().any(came_with) {
            return false;
        }
        self.installed.retain(|it| it.name != package.name);
        self.installed.push(package);
        true
    }

    /// Whether it can be removed, as the phone's own apps cannot.
    fn can_uninstall(&self, name: &str) -> bool {
        self.is_installed(name) || name == KEYBOARD && self.system.has_adb_keyboard()
    }

    /// `false` when there is none, or it is a part of the phone.
    pub(crate) fn uninstall(&mut self, name: &str) -> bool {
        let there = self.can_uninstall(name);
        self.installed.retain(|package| package.name != name);
        if name == KEYBOARD {
            self.system.set_adb_keyboard(false);
        }
        there
    }

    pub(crate) fn start_activity(&mut self, wanted: &Component) -> Result<LaunchState, StartError> {
        let name = format!("{}/{}", wanted.package, wanted.class);
        let Some(package) = resolve_package(&wanted.package) else {
            return Err(StartError::NoSuchActivity(name));
        };
        let running = self.tasks.iter().any(|t| t.package == package);
        if self.foreground == package && package != launcher::PACKAGE {
            let from = self.snapshot();
            let before = self.apps.get(package).activity();
            if !self.apps.get_mut(package).open(&wanted.class) {
                return Err(StartError::NoSuchActivity(name));
            }
            self.recents = false;
            if self.apps.get(package).activity() != before {
                self.drop_focus();
                self.start_transition_from(&from, TransitionKind::Forward);
                self.reset_scroll();
                self.log_resumed(package, false);
            }
            return Ok(LaunchState::Hot);
        }
        // Before anything else changes: an unknown class leaves all as it is.
        if !self.apps.get_mut(package).open(&wanted.class) {
            return Err(StartError::NoSuchActivity(name));
        }
        self.bring_to_front(package);
        Ok(if running || package == launcher::PACKAGE {
            LaunchState::Hot
        } else {
            LaunchState::Cold
        })
    }

    /// Resumes an app.
    fn bring_to_front(&mut self, package: &'static str) {
        let home = package == launcher::PACKAGE;
        if self.foreground == package && !self.recents {
            self.invalidate();
            return;
        }
        self.keep_snapshot();
        self.start_transition(if home { TransitionKind::Home } else { TransitionKind::Open }, true);
        let fresh = !self.tasks.iter().any(|t| t.package == package);
        self.foreground = package;
        self.recents = false;
        self.drop_focus();
        if !home {
            let there = self.tasks.iter().position(|t| t.package == package);
            let task = if let Some(at) = there {
                self.tasks.remove(at)
            } else {
                let base = self.apps.get(package).activity().to_owned();
                Task { package, base, snapshot: None }
            };
            self.tasks.insert(0, task);
            if fresh {
                self.reset_scroll();
            }
        }
        self.log_resumed(package, fresh && !home);
        self.invalidate();
    }

    /// Takes the snapshot of the foreground app for recents.
    fn keep_snapshot(&mut self) {
        if self.foreground == launcher::PACKAGE || self.recents || self.locked || !self.awake {
            return;
        }
        let snapshot = self.snapshot().undrawn();
        if let Some(task) = self.tasks.iter_mut().find(|t| t.package == self.foreground) {
            task.snapshot = Some(snapshot);
        }
    }

    pub(crate) fn home(&mut self) {
        if self.foreground == launcher::PACKAGE && !self.recents {
            if self.apps.launcher.is_drawer() {
                self.start_transition(TransitionKind::Home, true);
                self.drop_focus();
                self.apps.launcher.set_drawer(false);
                self.invalidate();
            }
            return;
        }
        if self.recents && self.foreground == launcher::PACKAGE {
            self.start_transition(TransitionKind::Home, true);
            self.recents = false;
            self.invalidate();
            return;
        }
        self.apps.launcher.set_drawer(false);
        self.bring_to_front(launcher::PACKAGE);
    }

    pub(super) fn show_recents(&mut self) {
        if self.recents {
            // Pressed again: back to the app.
            self.start_transition(TransitionKind::Open, true);
            self.recents = false;
        } else {
            self.keep_snapshot();
            self.start_transition(TransitionKind::Home, true);
            self.drop_focus();
            self.scrolls.remove("recents");
            self.recents = true;
        }
        self.invalidate();
    }

    pub(super) fn open_task(&mut self, package: &'static str) {
        if self.foreground == package {
            self.start_transition(TransitionKind::Open, true);
            self.recents = false;
            self.invalidate();
        } else {
            self.bring_to_front(package);
        }
    }

    /// A task is swiped away: its process is killed.
    pub(super) fn close_task(&mut self, package: &str) {
        self.start_transition(TransitionKind::Fade, true);
        self.tasks.retain(|t| t.package != package);
        self.apps.get_mut(package).reset();
        self.timers.retain(|t| t.1 != package);
        if self.foreground == package {
            self.foreground = launcher::PACKAGE;
        }
        if self.tasks.is_empty() {
            self.recents = false;
        }
        self.invalidate();
    }

    pub(super) fn clear_tasks(&mut self) {
        self.start_transition(TransitionKind::Home, true);
        for task in std::mem::take(&mut self.tasks) {
            self.apps.get_mut(task.package).reset();
        }
        self.timers.clear();
        self.foreground = launcher::PACKAGE;
        self.recents = false;
        self.invalidate();
    }

    pub(crate) fn force_stop(&mut self, package: &str) {
        let Some(package) = resolve_package(package) else { return };
        if package == self.foreground && package != launcher::PACKAGE {
            self.start_transition(TransitionKind::Home, true);
            self.foreground = launcher::PACKAGE;
            self.recents = false;
            self.drop_focus();
        }
        self.apps.get_mut(package).reset();
        self.timers.retain(|t| t.1 != package);
        self.tasks.retain(|t| t.package != package);
        self.invalidate();
    }

    /// Stops an app and gives it the data it had on a new phone; `false` for an unknown package. What
    /// the tables of settings hold is not the data of an app.
    pub(crate) fn clear_data(&mut self, package: &str) -> bool {
        if !self.packages().iter().any(|it| it.name == package) {
            return false;
        }
        self.force_stop(package);
        if package == messages::PACKAGE {
            self.heads_up = None;
        }
        self.apps.clear(package, &mut self.random);
        self.invalidate();
        true
    }

    pub(crate) fn tasks(&self) -> Vec<Component> {
        self.tasks.iter().map(|task| self.component(task.package)).collect()
    }

    fn component(&self, package: &str) -> Component {
        Component {
            package: package.to_owned(),
            class: self.apps.get(package).activity().to_owned(),
        }
    }

    /// The activity with which the task of an app began.
    pub(crate) fn base_activity(&self, package: &str) -> Option<Component> {
        let task = self.tasks.iter().find(|task| task.package == package)?;
        Some(Component { package: package.to_owned(), class: task.base.clone() })
    }

    pub(crate) fn foreground(&self) -> Component {
        self.component(if self.recents { launcher::PACKAGE } else { self.foreground })
    }

    /// Handles the events of the system's own windows.
    pub(super) fn handle_system_event(&mut self, event: SystemEvent) {
        match event {
            SystemEvent::Back => self.back(),
            SystemEvent::Home => self.home(),
            SystemEvent::Recents => self.show_recents(),
            SystemEvent::Launch(package) => self.bring_to_front(package),
            SystemEvent::Drawer => self.drawer(true),
            SystemEvent::Dialog(i) => self.answer_dialog(Some(i)),
            SystemEvent::Key(cap) => self.press_soft_key(cap),
            SystemEvent::HeadsUp => {
                if let Some(heads_up) = self.heads_up.take() {
                    let event = crate::apps::messages::Event::Open(heads_up.from);
                    self.bring_to_front(crate::apps::messages::PACKAGE);
                    self.dispatch_event(crate::apps::messages::PACKAGE, event.into());
                }
            }
            SystemEvent::Pin(c) => self.pin_digit(c),
            SystemEvent::PinDelete => self.pin_delete(),
            SystemEvent::PinEnter => self.pin_enter(),
            SystemEvent::OpenTask(package) => self.open_task(package),
            SystemEvent::ClearTasks => self.clear_tasks(),
            SystemEvent::Nothing => {}
        }
    }

    pub(super) fn drawer(&mut self, open: bool) {
        if self.apps.launcher.is_drawer() != open {
            self.start_transition(
                if open { TransitionKind::Open } else { TransitionKind::Home },
                true,
            );
            self.drop_focus();
            self.apps.launcher.set_drawer(open);
            self.scrolls.remove("drawer");
            self.invalidate();
        }
    }

    /// Back dismisses, in this order: a dialog of the system, keyboard, recents, the app's dialog, its selection, a
    /// screen of it, the app.
    pub(crate) fn back(&mut self) {
        if self.locked {
            if self.bouncer {
                self.leave_bouncer();
            }
            return;
        }
        if !self.dialogs.is_empty() {
            self.answer_dialog(None);
            return;
        }
        if self.keyboard_shown() {
            self.start_transition(TransitionKind::Fade, false);
            self.keyboard_hidden = true;
            self.invalidate();
            return;
        }
        if self.recents {
            self.show_recents();
            return;
        }
        let package = self.foreground;
        if let Some(dialog) = self.app_dialog() {
            self.dispatch_event(package, dialog.cancel);
            return;
        }
        let from = self.snapshot();
        if self.apps.get_mut(package).end_selection() {
            self.fade_from(&from);
            self.invalidate();
            return;
        }
        let (now, elapsed) = (self.local_time(), self.elapsed());
        let mut effects = Vec::new();
        let mut cx = crate::apps::AppContext {
            system: &mut self.system,
            random: &mut self.random,
            effects: &mut effects,
            now,
            elapsed,
        };
        let stayed = self.apps.get_mut(package).back(&mut cx);
        if stayed {
            self.start_transition_from(&from, TransitionKind::Back);
            self.drop_focus();
        } else if package != launcher::PACKAGE {
            self.home();
        }
        for effect in effects {
            self.apply_effect(effect, package, &from);
        }
        self.invalidate();
    }
}

/// A package that has activities.
fn resolve_package(name: &str) -> Option<&'static str> {
    launcher::entry(name)
        .map(|entry| entry.package)
        .or_else(|| (name == launcher::PACKAGE).then_some(launcher::PACKAGE))
}
