//! The apps: each holds its data and its screens, describes the screen in front as elements, and
//! handles the events of those elements. None knows pixels, windows or the OS.
pub(crate) mod account;
mod back_stack;
pub(crate) mod clock;
pub(crate) mod fields;
pub(crate) mod launcher;
pub(crate) mod messages;
pub(crate) mod notes;
pub(crate) mod settings;
pub(crate) mod shop;
pub(crate) mod widgets;

use std::time::Duration;

use jiff::civil::DateTime;

use crate::options::PhoneOptions;
use crate::system::{Random, SystemSettings};
use crate::tree;
use fields::Fields;

/// Elements that carry the events of apps.
pub(crate) type Element = tree::element::Element<Event>;
pub(crate) type Node = tree::Node<Event>;
pub(crate) type Window = tree::Window<Event>;

/// What a touched element means to its app.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    Settings(settings::Event),
    Messages(messages::Event),
    Notes(notes::Event),
    Shop(shop::Event),
    Account(account::Event),
    Clock(clock::Event),
    System(SystemEvent),
}

/// Events of the system's own windows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SystemEvent {
    Back,
    Home,
    Recents,
    /// Opens the app of this package.
    Launch(&'static str),
    Drawer,
    /// The button of this index in the topmost dialog.
    Dialog(usize),
    /// A key of the soft keyboard.
    Key(SoftKey),
    HeadsUp,
    Pin(char),
    PinDelete,
    PinEnter,
    OpenTask(&'static str),
    ClearTasks,
    /// Consumed without effect.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SoftKey {
    Char(char),
    Shift,
    Symbols,
    Backspace,
    Enter,
}

impl From<SystemEvent> for Event {
    fn from(event: SystemEvent) -> Self {
        Self::System(event)
    }
}

/// What an app asks of the system while it handles an event.
#[derive(Debug)]
pub(crate) enum Effect {
    /// A new screen of the app is in front: animate, and drop touches meanwhile.
    Forward,
    /// The previous screen is in front again.
    Back,
    Focus(&'static str),
    Unfocus,
    Toast(String),
    /// Send this event after a delay, such as a server's answer.
    After(Duration, Event),
    ScrollToEnd(String),
}

/// What an app may use while it handles an event.
#[derive(Debug)]
pub(crate) struct AppContext<'a> {
    pub(crate) system: &'a mut SystemSettings,
    pub(crate) random: &'a mut Random,
    pub(crate) effects: &'a mut Vec<Effect>,
    /// Day and time on the phone's clock.
    pub(crate) now: DateTime,
    /// Since the phone was created.
    pub(crate) elapsed: Duration,
}

impl AppContext<'_> {
    pub(crate) fn forward(&mut self) {
        self.effects.push(Effect::Forward);
    }
    pub(crate) fn back(&mut self) {
        self.effects.push(Effect::Back);
    }
    pub(crate) fn toast(&mut self, text: impl Into<String>) {
        self.effects.push(Effect::Toast(text.into()));
    }
    pub(crate) fn focus(&mut self, field: &'static str) {
        self.effects.push(Effect::Focus(field));
    }
    pub(crate) fn unfocus(&mut self) {
        self.effects.push(Effect::Unfocus);
    }
}

/// What an app may use while it describes its screen.
#[derive(Debug)]
pub(crate) struct ViewContext<'a> {
    pub(crate) system: &'a SystemSettings,
    pub(crate) now: DateTime,
    pub(crate) elapsed: Duration,
    /// The screen is wider than tall.
    pub(crate) landscape: bool,
    pub(crate) device: &'a PhoneOptions,
    pub(crate) focus: Option<&'static str>,
    pub(crate) all_selected: bool,
}

pub(crate) trait App {
    /// The fully qualified class of the activity in front.
    fn activity(&self) -> &'static str;
    fn view(&self, cx: &ViewContext<'_>) -> Element;
    /// The dialog over the screen.
    fn dialog(&self) -> Option<Dialog> {
        None
    }
    /// Ends the selection in a list; `false` where there is none.
    fn end_selection(&mut self) -> bool {
        false
    }
    /// Goes one screen back; `false` from the first one.
    fn back(&mut self, cx: &mut AppContext<'_>) -> bool;
    fn fields(&mut self) -> &mut Fields;
    /// The process is killed: screens and unsaved input are lost, data stays.
    fn reset(&mut self);
    /// Opens the activity of this class; `false` when there is none.
    fn open(&mut self, class: &str) -> bool;
    /// Whether the screen in front is `FLAG_SECURE`: black in screenshots.
    fn is_secure(&self) -> bool {
        false
    }
}

/// A window of an app in front of its screen.
#[derive(Debug)]
pub(crate) struct Dialog {
    /// All of the window.
    pub(crate) panel: Element,
    /// What Back means, and a touch beside it.
    pub(crate) cancel: Event,
}

#[derive(Debug)]
pub(crate) struct Apps {
    pub(crate) launcher: launcher::Launcher,
    pub(crate) settings: settings::Settings,
    pub(crate) messages: messages::Messages,
    pub(crate) notes: notes::Notes,
    pub(crate) shop: shop::Shop,
    pub(crate) account: account::Account,
    pub(crate) clock: clock::Clock,
}

impl Apps {
    pub(crate) fn new(random: &mut Random) -> Self {
        Self {
            launcher: launcher::Launcher::default(),
            settings: settings::Settings::default(),
            messages: messages::Messages::new(),
            notes: notes::Notes::new(),
            shop: shop::Shop::default(),
            account: account::Account::new(random),
            clock: clock::Clock::new(),
        }
    }

    pub(crate) fn get(&self, package: &str) -> &dyn App {
        match package {
            settings::PACKAGE => &self.settings,
            messages::PACKAGE => &self.messages,
            notes::PACKAGE => &self.notes,
            shop::PACKAGE => &self.shop,
            account::PACKAGE => &self.account,
            clock::PACKAGE => &self.clock,
            _ => &self.launcher,
        }
    }

    pub(crate) fn get_mut(&mut self, package: &str) -> &mut dyn App {
        match package {
            settings::PACKAGE => &mut self.settings,
            messages::PACKAGE => &mut self.messages,
            notes::PACKAGE => &mut self.notes,
            shop::PACKAGE => &mut self.shop,
            account::PACKAGE => &mut self.account,
            clock::PACKAGE => &mut self.clock,
            _ => &mut self.launcher,
        }
    }

    /// Gives an app the data it had on a new phone.
    pub(crate) fn clear(&mut self, package: &str, random: &mut Random) {
        match package {
            settings::PACKAGE => self.settings = settings::Settings::default(),
            messages::PACKAGE => self.messages = messages::Messages::new(),
            notes::PACKAGE => self.notes = notes::Notes::new(),
            shop::PACKAGE => self.shop = shop::Shop::default(),
            account::PACKAGE => self.account = account::Account::new(random),
            clock::PACKAGE => self.clock = clock::Clock::new(),
            launcher::PACKAGE => self.launcher = launcher::Launcher::default(),
            // The others have no data.
            _ => {}
        }
    }

    /// Passes an event to its app; system events are returned.
    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) -> Option<SystemEvent> {
        match event {
            Event::Settings(event) => self.settings.handle(event, cx),
            Event::Messages(event) => self.messages.handle(event, cx),
            Event::Notes(event) => self.notes.handle(event, cx),
            Event::Shop(event) => self.shop.handle(event, cx),
            Event::Account(event) => self.account.handle(event, cx),
            Event::Clock(event) => self.clock.handle(event, cx),
            Event::System(event) => return Some(event),
        }
        None
    }
}
