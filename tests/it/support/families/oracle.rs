//! What to do next on the virtual phone, for the five tasks: one oracle for all families, which knows
//! the phone's own state and nothing of formats.
use ayeaye_phone::{NodeState, Phone, PhoneState};

/// A pixel of the screen, and parts of one.
pub type PixelPoint = (f64, f64);

/// What a family's words can say; what they cannot is done another way.
#[derive(Debug, Clone, Copy)]
pub struct Abilities {
    /// Opens an app by name; else its icon is tapped.
    pub opens_apps: bool,
    /// Text goes into a field at a place; else the field is tapped first.
    pub types_at_point: bool,
    pub submit: Submit,
}

/// How a search is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submit {
    /// By the enter key, in a step of its own.
    Key,
    /// With the text.
    WithText,
    /// Not at all: there is a button for it.
    Never,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum OracleAction {
    Tap(PixelPoint),
    /// Into the field in focus, which is at this place.
    Type {
        at: PixelPoint,
        text: String,
        submit: bool,
    },
    Open(String),
    Swipe {
        from: PixelPoint,
        to: PixelPoint,
    },
    Enter,
    Back,
    Wait,
    Ask(String),
    Done(String),
}

/// One of the five tasks of the first issue, or only a tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Wifi,
    Note,
    Shop,
    Message,
    SignIn,
    /// One tap on an icon of the home screen.
    Aim,
}

pub const NOTE_TITLE: &str = "100% \"odd\"";
pub const NOTE_TEXT: &str = "it's \"quoted\" $HOME `id` \\ \\n 中文 👩\u{200d}👩\u{200d}👧 <tag> %s & ; | é e\u{301}\nsecond line";
pub const MESSAGE: &str = "I am ten minutes late";

impl Task {
    pub const FIVE: [Self; 5] = [Self::Wifi, Self::Note, Self::Shop, Self::Message, Self::SignIn];

    /// As the user puts it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Wifi => "Switch Wi-Fi off",
            Self::Note => "Save a note with the text we agreed on",
            Self::Shop => {
                "Find running shoes in size 42 for less than 50 euros in the Shop app, put them in \
                 the cart and go on to the checkout, but stop before paying."
            }
            Self::Message => "In Messages, tell Anna that I am ten minutes late",
            Self::SignIn => {
                "Sign in to the Nimbus app as robin with the password Quince-41 and ask me for the \
                 code, which comes to my other phone."
            }
            Self::Aim => "Tap the icon of Settings",
        }
    }
}

/// The oracle of every fake model.
#[derive(Debug)]
pub struct TaskOracle {
    pub phone: Phone,
    pub abilities: Abilities,
}

impl TaskOracle {
    /// The next thing to do for a task; `words` is all that the prompt says, which holds what the user
    /// has answered.
    pub fn next(&self, task: Task, words: &str) -> OracleAction {
        let state = self.phone.state();
        let scene = Scene { state: &state, abilities: self.abilities };
        match task {
            Task::Wifi => scene.wifi(),
            Task::Note => scene.note(),
            Task::Shop => scene.shop(),
            Task::Message => scene.message(words),
            Task::SignIn => scene.sign_in(words),
            Task::Aim => scene.aim(),
        }
    }
}

struct Scene<'a> {
    state: &'a PhoneState,
    abilities: Abilities,
}

impl<'a> Scene<'a> {
    fn wifi(&self) -> OracleAction {
        if !self.state.wifi {
            return OracleAction::Done("Wi-Fi is off.".to_owned());
        }
        self.inside("com.android.settings", "Settings", || {
            let titled = |title: &str| {
                let all = self.state.nodes.iter();
                all.filter(|node| node.id.ends_with("/title"))
                    .find(|node| node.text.replace('\u{2011}', "-") == title)
            };
            let way = ["Wi-Fi", "Internet", "Network & internet"];
            let row = way.into_iter().find_map(titled).expect("a row on the way");
            tap(row)
        })
    }

    fn aim(&self) -> OracleAction {
        match self.icon("Settings") {
            Some(icon) => tap(icon),
            None => OracleAction::Done("Settings are open.".to_owned()),
        }
    }

    fn note(&self) -> OracleAction {
        if self.state.notes.iter().any(|note| note.title == NOTE_TITLE) {
            return OracleAction::Done("The note is saved.".to_owned());
        }
        self.inside("com.example.notes", "Notes", || {
            match (self.find("title"), self.find("body")) {
                (Some(title), Some(body)) => self
                    .fill(title, NOTE_TITLE, false)
                    .or_else(|| self.fill(body, NOTE_TEXT, false))
                    .unwrap_or_else(|| self.press("save")),
                _ => self.press("new_note"),
            }
        })
    }

    fn shop(&self) -> OracleAction {
        if self.find("place_order").is_some() {
            return OracleAction::Done("Stride Running Shoes in 42 are in the cart.".to_owned());
        }
        self.inside("com.example.shop", "Shop", || {
            if !self.state.cart.is_empty() {
                return self.press(if self.find("checkout").is_some() {
                    "checkout"
                } else {
                    "cart"
                });
            }
            if self.find("add_to_cart").is_some() {
                return self.choose_size();
            }
            if self.find("result_count").is_some() {
                let chip = self.find("filter_under_50").expect("a chip for the price");
                return match chip.checked {
                    Some(true) => self.press("product_name"),
                    _ => tap(chip),
                };
            }
            let field = self.find("search").expect("a field to search");
            match self.abilities.submit {
                Submit::Never => self.press("banner"),
                Submit::WithText => self.fill(field, "running shoes", true).expect("to be typed"),
                Submit::Key => {
                    self.fill(field, "running shoes", false).unwrap_or(OracleAction::Enter)
                }
            }
        })
    }

    fn choose_size(&self) -> OracleAction {
        let chips: Vec<_> = self.all("size").collect();
        if chips.iter().any(|chip| chip.text == "42" && chip.checked == Some(true)) {
            return self.press("add_to_cart");
        }
        // One that can only be seen in part may be hard to hit.
        let whole = |chip: &&&NodeState| {
            (chip.bounds[2] - chip.bounds[0]) * 3 > (chip.bounds[3] - chip.bounds[1]) * 2
        };
        match chips.iter().filter(whole).find(|chip| chip.text == "42") {
            Some(chip) => tap(chip),
            None => OracleAction::Swipe {
                from: center(chips.last().expect("sizes")),
                to: center(chips.first().expect("sizes")),
            },
        }
    }

    fn message(&self, words: &str) -> OracleAction {
        let sent = &self.state.sent;
        if sent.iter().any(|sent| sent.to == "Anna Berg" && sent.text == MESSAGE) {
            return OracleAction::Done("Anna Berg knows.".to_owned());
        }
        self.inside("com.example.messages", "Messages", || {
            if let Some(field) = self.find("compose") {
                let typed = self.fill(field, MESSAGE, false);
                return typed.unwrap_or_else(|| self.press("send_button"));
            }
            let Some(field) = self.find("recipient") else { return self.press("start_chat") };
            if let Some(typing) = self.fill(field, "Anna", false) {
                return typing;
            }
            if !words.contains("called Berg") {
                return OracleAction::Ask(
                    "There are several Annas. Which one is rounded?".to_owned(),
                );
            }
            let row = self.all("contact_name").find(|node| node.text == "Anna Berg");
            tap(row.expect("the contact"))
        })
    }

    fn sign_in(&self, words: &str) -> OracleAction {
        if self.state.signed_in.is_some() {
            return OracleAction::Done("robin is signed in.".to_owned());
        }
        self.inside("com.example.nimbus", "Nimbus", || {
            if self.find("progress").is_some() {
                return OracleAction::Wait;
            }
            if let Some(field) = self.find("code") {
                let code = &self.state.one_time_code;
                if !words.contains(code) {
                    return OracleAction::Ask("Which code was sent to the other phone?".to_owned());
                }
                return self.fill(field, code, false).unwrap_or_else(|| self.press("verify"));
            }
            match (self.find("username"), self.find("password")) {
                (Some(name), Some(password)) => self
                    .fill(name, "robin", false)
                    .or_else(|| self.fill(password, "Quince-41", false))
                    .unwrap_or_else(|| self.press("next")),
                _ => self.press("sign_in"),
            }
        })
    }

    /// `then` where the app is in front, else the way there.
    fn inside(
        &self,
        package: &str,
        label: &str,
        then: impl FnOnce() -> OracleAction,
    ) -> OracleAction {
        if self.state.foreground.package == package {
            return then();
        }
        if self.abilities.opens_apps {
            return OracleAction::Open(label.to_owned());
        }
        tap(self.icon(label).expect("the app's icon"))
    }

    fn icon(&self, label: &str) -> Option<&'a NodeState> {
        self.all("icon").find(|node| node.desc == label)
    }

    /// What is left to do until a field holds a text.
    fn fill(&self, field: &NodeState, text: &str, submit: bool) -> Option<OracleAction> {
        let focused = self.state.focused_field.as_ref().filter(|it| it.resource_id == field.id);
        let now = focused.map_or(&field.text, |it| &it.text);
        let is_in = if field.password && focused.is_none() {
            now.chars().count() == text.chars().count()
        } else {
            now == text
        };
        if is_in {
            return None;
        }
        assert!(focused.is_none_or(|it| it.text.is_empty()), "{text:?} was typed as {now:?}");
        if focused.is_none() && !self.abilities.types_at_point {
            return Some(tap(field));
        }
        Some(OracleAction::Type { at: center(field), text: text.to_owned(), submit })
    }

    /// A tap on the first thing of this id, once the keyboard is out of the way.
    fn press(&self, id: &str) -> OracleAction {
        match self.find(id) {
            Some(node) => tap(node),
            None if self.state.keyboard_shown => OracleAction::Back,
            None => panic!("there is no {id} on {:?}", self.state.foreground),
        }
    }

    fn find(&self, id: &str) -> Option<&'a NodeState> {
        self.all(id).next()
    }

    fn all(&self, id: &str) -> impl Iterator<Item = &'a NodeState> {
        let is = move |node: &&NodeState| {
            node.id.strip_suffix(id).is_some_and(|rest| rest.ends_with('/'))
        };
        self.state.nodes.iter().filter(is)
    }
}

fn center(node: &NodeState) -> PixelPoint {
    let [left, top, right, bottom] = node.bounds.map(f64::from);
    (f64::midpoint(left, right), f64::midpoint(top, bottom))
}

fn tap(node: &NodeState) -> OracleAction {
    OracleAction::Tap(center(node))
}
