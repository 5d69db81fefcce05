//! Nimbus: an account with a password and a one-time code.
use std::time::Duration;

use super::fields::Fields;
use super::widgets::{
    DONE, ERROR, FieldView, NEXT, ON_SURFACE_VARIANT, PRIMARY, PRIMARY_CONTAINER, WHITE, card,
    filled_button, page, row, switch_row, text_button, tonal_button,
};
use super::{App, AppContext, Effect, Element, ViewContext};
use crate::system::Random;
use crate::text::icons;
use crate::tree::element::{Alignment, Content};

pub(crate) const PACKAGE: &str = "com.example.nimbus";
pub(crate) const ACTIVITY: &str = "com.example.nimbus.MainActivity";
const SIGN_IN: &str = "com.example.nimbus.SignInActivity";
const CODE: &str = "com.example.nimbus.CodeActivity";
const RECOVERY: &str = "com.example.nimbus.RecoveryCodesActivity";

#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    Start,
    Next,
    SignIn,
    /// The server has answered.
    PasswordAccepted,
    Resend,
    Verify,
    CodeChecked,
    SignOut,
    Sync,
    Recovery,
}

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        Self::Account(event)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Welcome,
    SignIn,
    Code,
    Home,
    Recovery,
}

#[derive(Debug)]
pub(crate) struct Account {
    screen: Screen,
    fields: Fields,
    error: Option<&'static str>,
    waiting: bool,
    sync: bool,
    /// The user who is signing in.
    user: String,
    pub(crate) signed_in: Option<String>,
    pub(crate) code: String,
    recovery: Vec<String>,
}

impl Account {
    pub(crate) fn new(random: &mut Random) -> Self {
        let recovery = (0..6).map(|_| format!("{}-{}", digits(random, 4), digits(random, 4)));
        let recovery = recovery.collect();
        Self {
            screen: Screen::Welcome,
            fields: Fields::default(),
            error: None,
            waiting: false,
            sync: true,
            user: String::new(),
            signed_in: None,
            code: digits(random, 6),
            recovery,
        }
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        if self.waiting && !matches!(event, Event::PasswordAccepted | Event::CodeChecked) {
            return;
        }
        match event {
            Event::Start => {
                self.show_screen(Screen::SignIn, cx);
            }
            Event::Next => cx.focus("password"),
            Event::SignIn => {
                self.user = self.fields.text("username").trim().to_owned();
                self.error = match (self.user.is_empty(), self.fields.text("password").is_empty()) {
                    (true, _) => Some("Enter your user name"),
                    (false, true) => Some("Enter your password"),
                    (false, false) => None,
                };
                if self.error.is_none() {
                    self.ask_server(Event::PasswordAccepted, cx);
                }
            }
            Event::PasswordAccepted => {
                if self.waiting {
                    self.code = digits(cx.random, 6);
                    self.show_screen(Screen::Code, cx);
                    cx.focus("code");
                }
            }
            Event::Resend => {
                self.code = digits(cx.random, 6);
                self.error = None;
                cx.toast("A new code is on its way");
            }
            Event::Verify => {
                if self.fields.text("code").chars().count() == 6 {
                    self.error = None;
                    self.ask_server(Event::CodeChecked, cx);
                } else {
                    self.error = Some("The code has 6 digits");
                }
            }
            Event::CodeChecked => {
                if !self.waiting {
                    return;
                }
                if self.fields.text("code") == self.code {
                    self.signed_in = Some(std::mem::take(&mut self.user));
                    self.fields.clear();
                    self.show_screen(Screen::Home, cx);
                } else {
                    self.waiting = false;
                    self.error = Some("That code is not right. Try again.");
                    self.fields.set("code", "");
                    cx.focus("code");
                }
            }
            Event::SignOut => {
                self.signed_in = None;
                self.show_screen(Screen::Welcome, cx);
            }
            Event::Sync => self.sync = !self.sync,
            Event::Recovery => self.show_screen(Screen::Recovery, cx),
        }
    }

    fn show_screen(&mut self, screen: Screen, cx: &mut AppContext<'_>) {
        self.screen = screen;
        self.waiting = false;
        self.error = None;
        cx.unfocus();
        cx.forward();
    }

    /// Sends a request; the answer comes as an event after a delay.
    fn ask_server(&mut self, answer: Event, cx: &mut AppContext<'_>) {
        self.waiting = true;
        cx.unfocus();
        let time = Duration::from_millis(300 + u64::from(cx.random.below(600)));
        cx.effects.push(Effect::After(time, answer.into()));
    }

    fn centered(children: Vec<Element>) -> Element {
        Element::column(vec![Element::column(children).gap(14.0).pad(28.0, 28.0).fill_width()])
            .fill_parent()
            .scroll("account")
            .id("content")
    }

    fn logo() -> Element {
        Element::row(vec![
            Element::centered(Element::icon(icons::ACCOUNT_CIRCLE, 34.0, WHITE))
                .size(56.0, 56.0)
                .background(crate::tree::element::Color(0xFF6A_4FC4))
                .radius(16.0),
        ])
    }

    fn error(&self) -> Vec<Element> {
        self.error
            .map(|text| Element::text(text, 14.5).color(ERROR).id("error"))
            .into_iter()
            .collect()
    }

    fn action(&self, label: &str, id: &'static str, event: Event) -> Element {
        if self.waiting {
            Element::row(vec![
                Element::control(Content::Spinner, "android.widget.ProgressBar", 40.0, 40.0)
                    .desc("Loading")
                    .id("progress"),
            ])
            .main(Alignment::Center)
            .fill_width()
        } else {
            filled_button(label, id, event).fill_width()
        }
    }

    fn welcome() -> Element {
        let body = Self::centered(vec![
            Element::space(60.0),
            Self::logo(),
            Element::text("Welcome to Nimbus", 32.0).id("headline"),
            Element::text("Your files, photos and passwords on every device you own.", 17.0)
                .color(ON_SURFACE_VARIANT),
            Element::space(36.0),
            filled_button("Sign in", "sign_in", Event::Start).fill_width(),
            tonal_button("Create account", "create_account", Event::Start).fill_width(),
        ]);
        page(Element::space(8.0), body)
    }

    fn sign_in(&self, cx: &ViewContext<'_>) -> Element {
        let user = FieldView::new("username", "User name or e-mail", &self.fields)
            .action(NEXT, Event::Next)
            .outlined(cx);
        let password = FieldView {
            password: true,
            ..FieldView::new("password", "Password", &self.fields).action(DONE, Event::SignIn)
        }
        .outlined(cx);
        let mut parts = vec![
            Self::logo(),
            Element::text("Sign in", 28.0).id("headline"),
            Element::text("to continue to Nimbus", 16.0).color(ON_SURFACE_VARIANT),
            Element::space(8.0),
            user,
            password,
        ];
        parts.extend(self.error());
        parts.push(self.action("Next", "next", Event::SignIn));
        page(Element::space(8.0), Self::centered(parts))
    }

    fn code_screen(&self, cx: &ViewContext<'_>) -> Element {
        let code = FieldView {
            digits: true,
            ..FieldView::new("code", "6-digit code", &self.fields).action(DONE, Event::Verify)
        }
        .outlined(cx);
        let mut parts = vec![
            Self::logo(),
            Element::text("Enter the code", 28.0).id("headline"),
            Element::text(
                format!(
                    "We sent a one-time code to the owner of {}. Enter its 6 digits to prove that it is you.",
                    self.user
                ),
                16.0,
            )
            .color(ON_SURFACE_VARIANT)
            .id("explanation"),
            Element::space(8.0),
            code,
        ];
        parts.extend(self.error());
        parts.push(self.action("Verify", "verify", Event::Verify));
        parts.push(text_button("Send a new code", "resend", Event::Resend));
        page(Element::space(8.0), Self::centered(parts))
    }

    fn home(&self) -> Element {
        let user = self.signed_in.as_deref().unwrap_or("");
        let body = Element::column(vec![
            Element::column(vec![
                Element::text(format!("Hello, {user}"), 28.0).id("greeting"),
                Element::text("You are signed in.", 16.0).color(ON_SURFACE_VARIANT).id("status"),
            ])
            .gap(4.0)
            .pad(24.0, 20.0)
            .background(PRIMARY_CONTAINER)
            .radius(24.0),
            card(vec![
                row(Some((icons::STORAGE, PRIMARY)), "Storage", "12.4 GB of 50 GB used"),
                switch_row(
                    Some((icons::WALLPAPER, PRIMARY)),
                    "Back up photos",
                    "",
                    self.sync,
                    "sync",
                    Event::Sync,
                ),
                row(Some((icons::KEY, PRIMARY)), "Recovery codes", "Screenshots are not allowed")
                    .id("recovery")
                    .click(Event::Recovery),
            ]),
            tonal_button("Sign out", "sign_out", Event::SignOut),
        ])
        .gap(16.0)
        .pad(16.0, 16.0)
        .fill_parent()
        .scroll("account home");
        page(super::widgets::main_app_bar("Nimbus", Vec::new()), body)
    }

    fn recovery(&self) -> Element {
        let codes = self.recovery.iter().map(|code| row(Some((icons::KEY, PRIMARY)), code, ""));
        let body = Element::column(vec![card(codes.collect())])
            .pad(16.0, 8.0)
            .fill_parent()
            .scroll("recovery");
        page(super::widgets::app_bar("Recovery codes", Vec::new()), body)
    }

    fn first(&self) -> Screen {
        if self.signed_in.is_some() { Screen::Home } else { Screen::Welcome }
    }
}

fn digits(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| char::from(b'0' + u8::try_from(random.below(10)).unwrap_or(0))).collect()
}

impl App for Account {
    fn activity(&self) -> &'static str {
        match self.screen {
            Screen::Welcome | Screen::Home => ACTIVITY,
            Screen::SignIn => SIGN_IN,
            Screen::Code => CODE,
            Screen::Recovery => RECOVERY,
        }
    }

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        match self.screen {
            Screen::Welcome => Self::welcome(),
            Screen::SignIn => self.sign_in(cx),
            Screen::Code => self.code_screen(cx),
            Screen::Home => self.home(),
            Screen::Recovery => self.recovery(),
        }
    }

    fn back(&mut self, _cx: &mut AppContext<'_>) -> bool {
        self.waiting = false;
        self.error = None;
        let to = match self.screen {
            Screen::Welcome | Screen::Home => return false,
            Screen::SignIn => Screen::Welcome,
            Screen::Code => Screen::SignIn,
            Screen::Recovery => Screen::Home,
        };
        self.screen = to;
        true
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.fields.clear();
        self.waiting = false;
        self.error = None;
        self.screen = self.first();
    }

    fn open(&mut self, class: &str) -> bool {
        match class {
            ACTIVITY => true,
            SIGN_IN => {
                if self.signed_in.is_none() {
                    self.screen = Screen::SignIn;
                }
                true
            }
            _ => false,
        }
    }

    fn is_secure(&self) -> bool {
        self.screen == Screen::Recovery
    }
}
