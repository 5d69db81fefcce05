//! Clock: alarms, the time, and a stopwatch whose screen never stands still.
use std::time::Duration;

use serde::Serialize;

use super::fields::Fields;
use super::widgets::{
    CARD, CONTAINER, PRIMARY, QUIET, bar, fab, filled_button, home_bar, hours, icon_button,
    nothing, page, switch, tonal_button,
};
use super::{App, Cx, View};
use crate::draw::icons;
use crate::tree::element::{Art, Color, El, INK, Len, Place};

pub(crate) const PACKAGE: &str = "com.example.clock";
pub(crate) const ACTIVITY: &str = "com.example.clock.DeskClock";
const EDIT: &str = "com.example.clock.AlarmActivity";

/// Alarms that can be set.
const MAX: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alarm {
    pub hour: u32,
    pub minute: u32,
    pub on: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Alarm,
    Clock,
    Stopwatch,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    Tab(Tab),
    Toggle(usize),
    Edit(Option<usize>),
    Hour(i32),
    Minute(i32),
    Save,
    Delete,
    StartStop,
    Reset,
}

impl From<Act> for super::Act {
    fn from(act: Act) -> Self {
        Self::Clock(act)
    }
}

/// An alarm being set.
#[derive(Debug, Clone, Copy)]
struct Draft {
    which: Option<usize>,
    hour: u32,
    minute: u32,
}

#[derive(Debug)]
pub(crate) struct Clock {
    tab: Tab,
    fields: Fields,
    draft: Option<Draft>,
    pub(crate) alarms: Vec<Alarm>,
    /// Since when it runs, on the phone's own time.
    running: Option<Duration>,
    measured: Duration,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            tab: Tab::Alarm,
            fields: Fields::default(),
            draft: None,
            alarms: vec![
                Alarm { hour: 6, minute: 45, on: true },
                Alarm { hour: 8, minute: 30, on: false },
            ],
            running: None,
            measured: Duration::ZERO,
        }
    }

    /// The stopwatch is in front and runs.
    pub(crate) fn is_moving(&self) -> bool {
        self.running.is_some() && self.tab == Tab::Stopwatch && self.draft.is_none()
    }

    pub(crate) fn act(&mut self, act: Act, cx: &mut Cx<'_>) {
        match act {
            Act::Tab(tab) => self.tab = tab,
            Act::Toggle(i) => {
                if let Some(alarm) = self.alarms.get_mut(i) {
                    alarm.on = !alarm.on;
                    if alarm.on {
                        cx.toast(format!("Alarm set for {}", hours((alarm.hour, alarm.minute))));
                    }
                }
            }
            Act::Edit(which) => {
                let alarm = which.and_then(|i| self.alarms.get(i));
                let (hour, minute) = alarm.map_or((8, 0), |a| (a.hour, a.minute));
                self.draft = Some(Draft { which, hour, minute });
                cx.forward();
            }
            Act::Hour(by) => {
                if let Some(draft) = &mut self.draft {
                    draft.hour = draft.hour.wrapping_add_signed(24 + by) % 24;
                }
            }
            Act::Minute(by) => {
                if let Some(draft) = &mut self.draft {
                    draft.minute = draft.minute.wrapping_add_signed(60 + by) % 60;
                }
            }
            Act::Save => {
                let Some(Draft { which, hour, minute }) = self.draft.take() else { return };
                let alarm = Alarm { hour, minute, on: true };
                let full = self.alarms.len() >= MAX;
                match which.and_then(|i| self.alarms.get_mut(i)) {
                    Some(old) => *old = alarm,
                    None if full => cx.toast("Too many alarms"),
                    None => self.alarms.push(alarm),
                }
                self.alarms.sort_by_key(|a| (a.hour, a.minute));
                cx.back();
                cx.toast(format!("Alarm set for {}", hours((hour, minute))));
            }
            Act::Delete => {
                let Some(draft) = self.draft.take() else { return };
                if let Some(i) = draft.which.filter(|i| *i < self.alarms.len()) {
                    self.alarms.remove(i);
                }
                cx.back();
                cx.toast("Alarm deleted");
            }
            Act::StartStop => match self.running.take() {
                Some(since) => self.measured += cx.elapsed.saturating_sub(since),
                None => self.running = Some(cx.elapsed),
            },
            Act::Reset => {
                self.running = None;
                self.measured = Duration::ZERO;
            }
        }
    }

    fn alarms(&self) -> El {
        let cards: Vec<El> = self
            .alarms
            .iter()
            .enumerate()
            .map(|(i, alarm)| {
                let ink = if alarm.on { INK } else { QUIET };
                El::row(vec![
                    El::column(vec![
                        El::text(hours((alarm.hour, alarm.minute)), 40.0)
                            .color(ink)
                            .id("alarm_time"),
                        El::text(if alarm.on { "Every day" } else { "Off" }, 14.5).color(QUIET),
                    ])
                    .wide(),
                    switch(alarm.on, "onoff").click(Act::Toggle(i)),
                ])
                .pad(22.0, 14.0)
                .fill(if alarm.on { CONTAINER } else { CARD })
                .radius(24.0)
                .id("alarm")
                .click(Act::Edit(Some(i)))
            })
            .collect();
        let list = if cards.is_empty() {
            nothing(icons::ALARM, "No alarms")
        } else {
            El::column(cards).gap(12.0).edges([16.0, 4.0, 16.0, 96.0])
        };
        El::stack(vec![
            El::column(vec![list]).grow().scroll("alarms"),
            fab(icons::ADD, "Add alarm", "fab", Act::Edit(None)),
        ])
        .grow()
    }

    fn face(cx: &View<'_>) -> El {
        let (hour, minute) = cx.time;
        let minutes = u16::try_from(hour % 12 * 60 + minute).unwrap_or(0);
        let size = if cx.wide { 150.0 } else { 260.0 };
        El::column(vec![
            El::art(Art::Dial(minutes), size, size, INK).desc(hours(cx.time)).id("analog_clock"),
            El::text(hours(cx.time), 48.0).id("digital_clock"),
            El::text("Tue, 12 May", 16.0).color(QUIET),
        ])
        .cross(Place::Center)
        .gap(12.0)
        .pad(16.0, 24.0)
        .grow()
        .scroll("face")
    }

    fn stopwatch(&self, cx: &View<'_>) -> El {
        let run = self.running.map_or(Duration::ZERO, |since| cx.elapsed.saturating_sub(since));
        let all = self.measured + run;
        let seconds = all.as_secs();
        let time = format!("{:02}:{:02}.{}", seconds / 60, seconds % 60, all.subsec_millis() / 100);
        let start = if self.running.is_some() { "Pause" } else { "Start" };
        El::column(vec![
            El::text(time, 60.0).id("stopwatch_time"),
            El::row(vec![
                tonal_button("Reset", "reset", Act::Reset),
                filled_button(start, "start_stop", Act::StartStop),
            ])
            .gap(16.0),
        ])
        .cross(Place::Center)
        .main(Place::Center)
        .gap(28.0)
        .grow()
    }

    fn edit(draft: Draft) -> El {
        let wheel = |value: u32, name: &str, id, act: fn(i32) -> Act| {
            El::column(vec![
                icon_button(icons::ADD, &format!("{name} up"), "up", act(1)),
                El::text(format!("{value:02}"), 56.0)
                    .fill(CONTAINER)
                    .radius(14.0)
                    .pad(18.0, 8.0)
                    .id(id),
                icon_button(icons::REMOVE, &format!("{name} down"), "down", act(-1)),
            ])
            .cross(Place::Center)
            .gap(6.0)
        };
        let mut buttons = vec![filled_button("Save", "save", Act::Save)];
        if draft.which.is_some() {
            buttons.insert(0, tonal_button("Delete", "delete", Act::Delete));
        }
        let body = El::column(vec![
            El::row(vec![
                wheel(draft.hour, "Hour", "hour", Act::Hour),
                El::text(":", 56.0),
                wheel(draft.minute, "Minute", "minute", |by| Act::Minute(by * 5)),
            ])
            .gap(10.0),
            El::row(buttons).gap(14.0),
        ])
        .cross(Place::Center)
        .gap(28.0)
        .pad(16.0, 40.0)
        .grow()
        .scroll("alarm edit");
        page(bar("Set alarm", Vec::new()), body)
    }

    fn tabs(&self) -> El {
        let tab = |icon, name: &str, tab: Tab| {
            let on = self.tab == tab;
            let ink = if on { PRIMARY } else { QUIET };
            let pill = El::stack(vec![El::icon(icon, 24.0, ink)])
                .main(Place::Center)
                .cross(Place::Center)
                .width(Len::Dp(64.0))
                .height(Len::Dp(32.0))
                .radius(16.0)
                .fill(if on { CONTAINER } else { Color(0x0000_0000) });
            El::column(vec![pill, El::text(name, 13.0).color(ink).lines(1)])
                .cross(Place::Center)
                .gap(3.0)
                .pad(0.0, 10.0)
                .width(Len::Fill(1.0))
                .desc(name)
                .selected(on)
                .id("tab")
                .click(Act::Tab(tab))
        };
        El::row(vec![
            tab(icons::ALARM, "Alarm", Tab::Alarm),
            tab(icons::SCHEDULE, "Clock", Tab::Clock),
            tab(icons::TIMER, "Stopwatch", Tab::Stopwatch),
        ])
        .fill(Color(0xFFEE_F1FA))
        .id("tabs")
    }
}

impl App for Clock {
    fn activity(&self) -> &'static str {
        if self.draft.is_some() { EDIT } else { ACTIVITY }
    }

    fn view(&self, cx: &View<'_>) -> El {
        if let Some(draft) = self.draft {
            return Self::edit(draft);
        }
        let (title, body) = match self.tab {
            Tab::Alarm => ("Alarm", self.alarms()),
            Tab::Clock => ("Clock", Self::face(cx)),
            Tab::Stopwatch => ("Stopwatch", self.stopwatch(cx)),
        };
        page(home_bar(title, Vec::new()), El::column(vec![body, self.tabs()]).grow())
    }

    fn back(&mut self, _cx: &mut Cx<'_>) -> bool {
        self.draft.take().is_some()
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.draft = None;
        self.running = None;
        self.tab = Tab::Alarm;
    }

    fn open(&mut self, class: &str) -> bool {
        class == ACTIVITY
    }
}
