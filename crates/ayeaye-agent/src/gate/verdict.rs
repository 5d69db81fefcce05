//! The gate's verdict, and its reasons.
use super::class::ActClass;
use super::telling::MOST_LETTERS;
use crate::{is_unseen, word_list};

/// The gate's decision on an act, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is done, asked about, or refused.
    pub decision: GateDecision,
    /// The rule that decided.
    pub rule: Rule,
    /// What the rule found: a phrase on a control, a component, an app.
    pub evidence: String,
}

/// The decision on an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateDecision {
    /// It is done.
    Allow,
    /// It is done once the user has said yes to this.
    Confirm(Ask),
    /// It is not done, whatever anybody says.
    Deny(ActClass),
}

/// The facts that the user needs to say yes or no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The class of the act.
    pub class: ActClass,
    /// What it does, in words: "delete something".
    pub verb: &'static str,
    /// The app in front: its name and package, as far as they are known.
    pub app: String,
    /// The touched control, as the screen names it.
    pub thing: String,
    /// The amount of money on the screen, if the act is about money.
    pub amount: Option<String>,
    /// The text that would be sent or published, or that stands on the screen where something would be deleted, if the
    /// screen shows it; of an act that the model has marked, what it says of that. It may hold secrets.
    pub content: Option<String>,
    /// What the screen says that it is about, such as whom the money goes to. It may hold secrets.
    pub about: Option<String>,
    /// What was touched last, where something would be deleted and the control does not tell what. It may hold secrets.
    pub touched: Option<String>,
    /// A yes is for all touches in the app of which the screen tells nothing, and not for this one alone.
    pub whole_app: bool,
    /// A client has decided on the act itself, such as a person at the page.
    pub by_client: bool,
}

/// The longest quote of what would be sent, in characters.
const LONGEST_QUOTE: usize = 200;

impl GateDecision {
    /// The word for it in records: `allow`, `confirm` or `deny`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Confirm(_) => "confirm",
            Self::Deny(_) => "deny",
        }
    }
}

impl Verdict {
    /// How much it restricts: 0 allows, 1 asks, 2 refuses.
    pub fn severity(&self) -> u8 {
        match self.decision {
            GateDecision::Allow => 0,
            GateDecision::Confirm(_) => 1,
            GateDecision::Deny(_) => 2,
        }
    }

    /// The word for it in records: `allow`, `confirm` or `deny`.
    pub fn name(&self) -> &'static str {
        self.decision.name()
    }

    /// The class, where there is one.
    pub fn class(&self) -> Option<ActClass> {
        match &self.decision {
            GateDecision::Allow => None,
            GateDecision::Confirm(ask) => Some(ask.class),
            GateDecision::Deny(class) => Some(*class),
        }
    }
}

impl Ask {
    /// The question for the user. What stands in quotes comes from the screen, and cannot end its quotes. `redact` takes
    /// secrets out of a text, before it is cut: a part of a secret would not be found.
    pub fn text(&self, redact: impl Fn(&str) -> String) -> String {
        let Self { class, verb, app, thing, amount, content, about, touched, .. } = self;
        let who = if self.by_client { "This would" } else { "The agent wants to" };
        let quote = |text: &str, most| quotable(&shortened(&redact(text), most));
        let mut text = format!("{who} {verb}");
        if !app.is_empty() {
            text.extend([" in ", &quotable(app)]);
        }
        if !thing.is_empty() {
            text.extend([": \"", &quotable(&redact(thing)), "\""]);
        }
        if let Some(amount) = amount {
            text.extend([", ", &quotable(amount)]);
        }
        if let Some(content) = content {
            let what = match class {
                ActClass::Delete => "It shows",
                ActClass::Marked => "It says",
                _ => "The text",
            };
            text.extend([". ", what, ": \"", &quote(content, LONGEST_QUOTE), "\""]);
        }
        // What was touched says which of several it is; else the first of those around it is quoted.
        if let Some(about) = about.as_ref().filter(|_| touched.is_none()) {
            let moves_money = matches!(class, ActClass::Pay | ActClass::Order | ActClass::Transfer);
            let most = if moves_money { MOST_LETTERS } else { LONGEST_QUOTE };
            text.extend([". It shows: \"", &quote(about, most), "\""]);
        }
        if let Some(touched) = touched {
            text.extend([". Touched before: \"", &quote(touched, LONGEST_QUOTE), "\""]);
        }
        if self.whole_app {
            text.push_str(". A yes is for all such touches in this app, until the session ends");
        }
        text.push_str(if self.by_client { ". Shall it be done?" } else { ". May it?" });
        // Characters that change the direction of text would show the question differently from what it is.
        redact(&text).chars().filter(|c| !is_unseen(*c)).collect()
    }
}

/// A text as it may stand in quotes: on one line, and with no mark in it that could be taken for the end of the quote.
fn quotable(text: &str) -> String {
    let plain = |c: char| match c {
        '"' | '“' | '”' | '„' | '‟' | '«' | '»' | '＂' | '〝' | '〞' | '〟' | '″' | '❝' | '❞' => {
            '\''
        }
        c if c.is_whitespace() || c.is_control() => ' ',
        c => c,
    };
    let text: String = text.chars().map(plain).collect();
    if text.contains("  ") || text.starts_with(' ') || text.ends_with(' ') {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text
    }
}

/// A quote on one line, which says by its end that it goes on.
fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most).chain(['…']).collect()
}

word_list! {
    /// The rules of the gate.
    pub enum Rule {
        /// Nothing speaks against it.
        Harmless = "harmless",
        /// It leaves, closes or declines.
        Declines = "declines",
        /// The user's own words ask for it.
        AskedFor = "asked-for",
        /// The user has said yes to exactly this.
        Approved = "approved",
        /// The user has said no to exactly this.
        Refused = "refused-by-user",
        /// The policy lets acts of this class pass.
        Permitted = "permitted-by-profile",
        /// A control says what it does.
        Control = "control",
        /// A dialog says what its button does.
        Dialog = "dialog",
        /// The enter key would do what a control on the screen does.
        EnterKey = "enter-key",
        /// A part of the system through which apps get power over the phone.
        SystemPart = "system-part",
        /// A field for a password or a code.
        PasswordField = "password-field",
        /// An app that is private.
        PrivateApp = "private-app",
        /// A secret that was given for another app.
        SecretElsewhere = "secret-elsewhere",
        /// A secret that is kept by a name, which a client would type and the user's words do not name.
        UnnamedSecret = "unnamed-secret",
        /// A secret that would be typed into what a tap opens, and not into a field that is known.
        SecretOffField = "secret-off-field",
        /// An app for money or secrets that the user has not named.
        UnnamedApp = "unnamed-app",
        /// A touch of which the screen's elements do not say what is touched, where that matters: in an app for money,
        /// mail or messages, in the settings, or in the other half of a split screen.
        NoElements = "no-elements",
        /// An app that the policy denies.
        DeniedApp = "denied-app",
        /// An app that is not among those the policy allows.
        AppNotListed = "app-not-listed",
        /// An address whose host the policy denies.
        DeniedHost = "denied-host",
        /// An address whose host is not among those the policy allows.
        HostNotListed = "host-not-listed",
        /// An address that the user has not named.
        UnnamedAddress = "unnamed-address",
        /// Something is changed, and the policy is for reading.
        ReadOnly = "read-only",
        /// Taps of the last minute.
        TapBudget = "tap-budget",
        /// Characters typed in this session.
        TypingBudget = "typing-budget",
        /// A command that changes the phone's apps or files.
        Command = "command",
        /// The model itself has asked for approval.
        Marked = "marked-by-model",
    }
}

impl Rule {
    /// What it found, as a sentence for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Harmless => "nothing speaks against it",
            Self::Declines => "it leaves, closes or declines",
            Self::AskedFor => "the user's own words ask for it",
            Self::Approved => "the user has said yes to exactly this",
            Self::Refused => "the user has said no to exactly this",
            Self::Permitted => "the policy allows acts of this class",
            Self::Control => "the label of a control says what it does",
            Self::Dialog => "a dialog says what its button does",
            Self::EnterKey => "the enter key would do what a control on the screen does",
            Self::SystemPart => "a part of the system that can give apps power over the phone",
            Self::PasswordField => "a field for a password or a code",
            Self::PrivateApp => "a private app: only its user acts there",
            Self::SecretElsewhere => "a secret that was given for another app",
            Self::SecretOffField => {
                "a secret that would be typed into whatever a tap opens, not into a known field"
            }
            Self::UnnamedSecret => "a kept secret that the user's words do not name",
            Self::UnnamedApp => "an app for money or secrets that the user has not named",
            Self::NoElements => "the elements of the screen do not say what is touched",
            Self::DeniedApp => "an app that the policy denies",
            Self::AppNotListed => "an app that is not on the policy's list of allowed apps",
            Self::DeniedHost => "an address whose host the policy denies",
            Self::HostNotListed => {
                "an address whose host is not on the policy's list of allowed hosts"
            }
            Self::UnnamedAddress => "an address that the user has not named",
            Self::ReadOnly => "a change, which the read-only policy refuses",
            Self::TapBudget => "the limit on taps per minute",
            Self::TypingBudget => "the limit on characters typed in a session",
            Self::Command => "a command that changes the phone's apps or files",
            Self::Marked => "the model itself has asked for approval",
        }
    }
}
