//! Clock: alarms, the time, and a stopwatch whose screen never settles.
use std::time::Duration;

use serde::Serialize;

use super::fields::Fields;
use super::widgets::{
    CARD, ON_SURFACE_VARIANT, PRIMARY, PRIMARY_CONTAINER, app_bar, empty_state, fab, filled_button,
    format_clock, format_date, format_time, icon_button, main_app_bar, page, switch, tonal_button,
};
use super::{App, AppContext, Element, ViewContext};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Drawable, Length, ON_SURFACE};

pub(crate) const PACKAGE: &str = "com.example.clock";
pub(crate) const ACTIVITY: &str = "com.example.clock.DeskClock";
const EDIT: &str = "com.example.clock.AlarmActivity";

/// Most alarms.
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
pub(crate) enum Event {
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

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        Self::Clock(event)
    }
}

/// The alarm being edited.
#[derive(Debug, Clone, Copy)]
struct AlarmDraft {
    which: Option<usize>,
    hour: u32,
    minute: u32,
}

#[derive(Debug)]
pub(crate) struct Clock {
    tab: Tab,
    fields: Fields,
    draft: Option<AlarmDraft>,
    pub(crate) alarms: Vec<Alarm>,
    /// When the stopwatch was started, if it runs.
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

    /// Whether the stopwatch is in front and runs.
    pub(crate) fn is_moving(&self) -> bool {
        self.running.is_some() && self.tab == Tab::Stopwatch && self.draft.is_none()
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        match event {
            Event::Tab(tab) => self.tab = tab,
            Event::Toggle(i) => {
                if let Some(alarm) = self.alarms.get_mut(i) {
                    alarm.on = !alarm.on;
                    if alarm.on {
                        cx.toast(format!(
                            "Alarm set for {}",
                            format_time((alarm.hour, alarm.minute))
                        ));
                    }
                }
            }
            Event::Edit(which) => {
                let alarm = which.and_then(|i| self.alarms.get(i));
                let (hour, minute) = alarm.map_or((8, 0), |a| (a.hour, a.minute));
                self.draft = Some(AlarmDraft { which, hour, minute });
                cx.forward();
            }
            Event::Hour(by) => {
                if let Some(draft) = &mut self.draft {
                    draft.hour = draft.hour.wrapping_add_signed(24 + by) % 24;
                }
            }
            Event::Minute(by) => {
                if let Some(draft) = &mut self.draft {
                    draft.minute = draft.minute.wrapping_add_signed(60 + by) % 60;
                }
            }
            Event::Save => {
                let Some(AlarmDraft { which, hour, minute }) = self.draft.take() else { return };
                let alarm = Alarm { hour, minute, on: true };
                let full = self.alarms.len() >= MAX;
                match which.and_then(|i| self.alarms.get_mut(i)) {
                    Some(old) => *old = alarm,
                    None if full => cx.toast("Too many alarms"),
                    None => self.alarms.push(alarm),
                }
                self.alarms.sort_by_key(|a| (a.hour, a.minute));
                cx.back();
                cx.toast(format!("Alarm set for {}", format_time((hour, minute))));
            }
            Event::Delete => {
                let Some(draft) = self.draft.take() else { return };
                if let Some(i) = draft.which.filter(|i| *i < self.alarms.len()) {
                    self.alarms.remove(i);
                }
                cx.back();
                cx.toast("Alarm deleted");
            }
            Event::StartStop => match self.running.take() {
                Some(since) => self.measured += cx.elapsed.saturating_sub(since),
                None => self.running = Some(cx.elapsed),
            },
            Event::Reset => {
                self.running = None;
                self.measured = Duration::ZERO;
            }
        }
    }

    fn alarms(&self) -> Element {
        let cards: Vec<Element> = self
            .alarms
            .iter()
            .enumerate()
            .map(|(i, alarm)| {
                let ink = if alarm.on { ON_SURFACE } else { ON_SURFACE_VARIANT };
                Element::row(vec![
                    Element::column(vec![
                        Element::text(format_time((alarm.hour, alarm.minute)), 40.0)
                            .color(ink)
                            .id("alarm_time"),
                        Element::text(if alarm.on { "Every day" } else { "Off" }, 14.5)
                            .color(ON_SURFACE_VARIANT),
                    ])
                    .fill_width(),
                    switch(alarm.on, "onoff").click(Event::Toggle(i)),
                ])
                .pad(22.0, 14.0)
                .background(if alarm.on { PRIMARY_CONTAINER } else { CARD })
                .radius(24.0)
                .id("alarm")
                .click(Event::Edit(Some(i)))
            })
            .collect();
        let list = if cards.is_empty() {
            empty_state(icons::ALARM, "No alarms")
        } else {
            Element::column(cards).gap(12.0).edges([16.0, 4.0, 16.0, 96.0])
        };
        Element::stack(vec![
            Element::column(vec![list]).fill_parent().scroll("alarms"),
            fab(icons::ADD, "Add alarm", "fab", Event::Edit(None)),
        ])
        .fill_parent()
    }

    fn clock_face(cx: &ViewContext<'_>) -> Element {
        let time = format_clock(cx.now);
        let minutes = i32::from(cx.now.hour()) % 12 * 60 + i32::from(cx.now.minute());
        let minutes = u16::try_from(minutes).unwrap_or(0);
        let size = if cx.landscape { 150.0 } else { 260.0 };
        Element::column(vec![
            Element::drawable(Drawable::Dial(minutes), size, size, ON_SURFACE)
                .desc(&time)
                .id("analog_clock"),
            Element::text(time, 48.0).id("digital_clock"),
            Element::text(format_date(cx.now.date()), 16.0).color(ON_SURFACE_VARIANT),
        ])
        .cross(Alignment::Center)
        .gap(12.0)
        .pad(16.0, 24.0)
        .fill_parent()
        .scroll("face")
    }

    fn stopwatch(&self, cx: &ViewContext<'_>) -> Element {
        let run = self.running.map_or(Duration::ZERO, |since| cx.elapsed.saturating_sub(since));
        let all = self.measured + run;
        let seconds = all.as_secs();
        let time = format!("{:02}:{:02}.{}", seconds / 60, seconds % 60, all.subsec_millis() / 100);
        let start = if self.running.is_some() { "Pause" } else { "Start" };
        Element::column(vec![
            Element::text(time, 60.0).id("stopwatch_time"),
            Element::row(vec![
                tonal_button("Reset", "reset", Event::Reset),
                filled_button(start, "start_stop", Event::StartStop),
            ])
            .gap(16.0),
        ])
        .cross(Alignment::Center)
        .main(Alignment::Center)
        .gap(28.0)
        .fill_parent()
    }

    fn edit(draft: AlarmDraft) -> Element {
        let wheel = |value: u32, name: &str, id, event: fn(i32) -> Event| {
            Element::column(vec![
                icon_button(icons::ADD, &format!("{name} up"), "up", event(1)),
                Element::text(format!("{value:02}"), 56.0)
                    .background(PRIMARY_CONTAINER)
                    .radius(14.0)
                    .pad(18.0, 8.0)
                    .id(id),
                icon_button(icons::REMOVE, &format!("{name} down"), "down", event(-1)),
            ])
            .cross(Alignment::Center)
            .gap(6.0)
        };
        let mut buttons = vec![filled_button("Save", "save", Event::Save)];
        if draft.which.is_some() {
            buttons.insert(0, tonal_button("Delete", "delete", Event::Delete));
        }
        let body = Element::column(vec![
            Element::row(vec![
                wheel(draft.hour, "Hour", "hour", Event::Hour),
                Element::text(":", 56.0),
                wheel(draft.minute, "Minute", "minute", |by| Event::Minute(by * 5)),
            ])
            .gap(10.0),
            Element::row(buttons).gap(14.0),
        ])
        .cross(Alignment::Center)
        .gap(28.0)
        .pad(16.0, 40.0)
        .fill_parent()
        .scroll("alarm edit");
        page(app_bar("Set alarm", Vec::new()), body)
    }

    fn tabs(&self) -> Element {
        let tab = |icon, name: &str, tab: Tab| {
            let on = self.tab == tab;
            let ink = if on { PRIMARY } else { ON_SURFACE_VARIANT };
            let pill = Element::centered(Element::icon(icon, 24.0, ink))
                .size(64.0, 32.0)
                .radius(16.0)
                .background(if on { PRIMARY_CONTAINER } else { Color(0x0000_0000) });
            Element::column(vec![pill, Element::text(name, 13.0).color(ink).lines(1)])
                .cross(Alignment::Center)
                .gap(3.0)
                .pad(0.0, 10.0)
                .width(Length::Fill(1.0))
                .desc(name)
                .selected(on)
                .id("tab")
                .click(Event::Tab(tab))
        };
        Element::row(vec![
            tab(icons::ALARM, "Alarm", Tab::Alarm),
            tab(icons::SCHEDULE, "Clock", Tab::Clock),
            tab(icons::TIMER, "Stopwatch", Tab::Stopwatch),
        ])
        .background(Color(0xFFEE_F1FA))
        .id("tabs")
    }
}

impl App for Clock {
    fn activity(&self) -> &'static str {
        if self.draft.is_some() { EDIT } else { ACTIVITY }
    }

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        if let Some(draft) = self.draft {
            return Self::edit(draft);
        }
        let (title, body) = match self.tab {
            Tab::Alarm => ("Alarm", self.alarms()),
            Tab::Clock => ("Clock", Self::clock_face(cx)),
            Tab::Stopwatch => ("Stopwatch", self.stopwatch(cx)),
        };
        page(
            main_app_bar(title, Vec::new()),
            Element::column(vec![body, self.tabs()]).fill_parent(),
        )
    }

    fn back(&mut self, _cx: &mut AppContext<'_>) -> bool {
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
