//! Dispatches events to the apps and applies their effects: transitions, focus, timers.
use std::time::Duration;

use super::compositor::Snapshot;
use super::keyboard::Keyboard;
use super::{MAX_TIMERS, Os, TOAST, Transition};
use crate::apps::{AppContext, Effect, Event};
use crate::draw::TransitionKind;
use crate::tree::WindowKind;

impl Os {
    /// Starts a transition from the current screen to what the caller changes it to.
    pub(super) fn start_transition(&mut self, how: TransitionKind, blocks: bool) {
        let (shortest, longest) = self.options.transitions;
        let spread = longest.saturating_sub(shortest).as_millis();
        let spread = u32::try_from(spread).unwrap_or(u32::MAX - 1);
        let mut time = shortest + Duration::from_millis(u64::from(self.random.below(spread + 1)));
        // What fades are parts of the screen and dialogs.
        let scale = if how == TransitionKind::Fade {
            time = time.min(Duration::from_millis(180));
            "window_animation_scale"
        } else {
            "transition_animation_scale"
        };
        time = time.mul_f64(self.system.animation_scale(scale));
        if time.is_zero() || !self.awake {
            self.invalidate();
            return;
        }
        let from = self.snapshot();
        self.start(from, how, time, blocks);
    }

    fn start(&mut self, from: Snapshot, how: TransitionKind, time: Duration, blocks: bool) {
        let now = self.now;
        self.transition = Some(Transition { from, how, start: now, end: now + time, blocks });
        self.fling = None;
        self.invalidate();
    }

    /// Lets an app handle an event, then applies the effects it asked for.
    pub(super) fn dispatch_event(&mut self, package: &'static str, event: Event) {
        let from = self.snapshot();
        let had_dialog = self.app_dialog().is_some();
        let (now, elapsed) = (self.local_time(), self.elapsed());
        let mut effects = Vec::new();
        let mut cx = AppContext {
            system: &mut self.system,
            random: &mut self.random,
            effects: &mut effects,
            now,
            elapsed,
        };
        let system_event = self.apps.handle(event, &mut cx);
        self.invalidate();
        for effect in effects {
            self.apply_effect(effect, package, &from);
        }
        if had_dialog != self.app_dialog().is_some() {
            self.fade_from(&from);
        }
        if let Some(event) = system_event {
            self.handle_system_event(event);
        }
    }

    pub(super) fn apply_effect(&mut self, effect: Effect, package: &'static str, from: &Snapshot) {
        let now = self.now;
        match effect {
            Effect::Forward | Effect::Back => {
                let forward = matches!(effect, Effect::Forward);
                if package == self.foreground {
                    self.drop_focus();
                    self.start_transition_from(
                        from,
                        if forward { TransitionKind::Forward } else { TransitionKind::Back },
                    );
                    if forward {
                        self.reset_scroll();
                    }
                }
            }
            Effect::Focus(name) => {
                if package == self.foreground {
                    self.focus_on(name);
                }
            }
            Effect::Unfocus => {
                if package == self.foreground && self.focus.is_some() {
                    self.fade_from(from);
                    self.drop_focus();
                }
            }
            Effect::Toast(text) => self.toast = Some((text, now + TOAST)),
            Effect::After(time, event) => {
                if self.timers.len() < MAX_TIMERS {
                    self.timers.push((now + time, package, event));
                }
            }
            Effect::ScrollToEnd(name) => {
                self.scrolls.remove(&name);
            }
        }
        self.invalidate();
    }

    /// A new screen starts at its top (a conversation at its end).
    pub(super) fn reset_scroll(&mut self) {
        let windows = self.build_windows();
        for node in windows.iter().filter(|w| w.kind == WindowKind::App).flat_map(|w| &w.nodes) {
            if let Some(scrolled) = &node.scrolled {
                self.scrolls.remove(&scrolled.name);
            }
        }
    }

    pub(super) fn start_transition_from(&mut self, from: &Snapshot, how: TransitionKind) {
        let before = self.transition.take();
        self.start_transition(how, true);
        match &mut self.transition {
            Some(transition) => transition.from = from.clone(),
            None => self.transition = before,
        }
    }

    /// A short fade that does not block touches, when only a part of the screen changes.
    pub(super) fn fade_from(&mut self, from: &Snapshot) {
        if self.transition.is_none() {
            self.start_transition(TransitionKind::Fade, false);
            if let Some(transition) = &mut self.transition {
                transition.from = from.clone();
            }
        }
    }

    pub(super) fn focus_on(&mut self, name: &'static str) {
        let shown = self.keyboard_shown();
        if !shown && self.transition.is_none() {
            self.start_transition(TransitionKind::Fade, false);
        }
        self.focus = Some(name);
        self.all_selected = false;
        self.keyboard_hidden = false;
        self.reveal_focus = true;
        if !shown {
            self.keyboard = Keyboard::default();
        }
        self.invalidate();
    }

    pub(super) fn drop_focus(&mut self) {
        self.focus = None;
        self.all_selected = false;
        self.keyboard_hidden = false;
        self.invalidate();
    }
}
