//! What to do next on the virtual phone, for all families: the scripted model decides, and what it
//! wants is put into what a family's format can say.
use ayeaye::scripted_model::{NextAction, TaskProgress, UserReply, next_step};
use ayeaye_agent::{Key, Point};
use ayeaye_phone::{NodeState, Phone, PhoneState};

/// A pixel of the screen, and parts of one.
pub type PixelPoint = (f64, f64);

/// What a family's format can say; what it cannot is done another way.
#[derive(Debug, Clone, Copy)]
pub struct Abilities {
    /// Opens an app by name; else its icon is tapped.
    pub opens_apps: bool,
    /// Types into a field at a point; else the field is tapped first.
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
    /// By a tap on the keyboard.
    Never,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum OracleAction {
    Tap(PixelPoint),
    /// Into the field in focus, which is at this point.
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
                "Sign in to the Nimbus app as robin with the password Quince-41; the code comes to \
                 my other phone."
            }
            Self::Aim => "Tap the icon of Settings",
        }
    }

    /// As the scripted model is told it: with the text that prompts may not hold to the letter.
    fn in_full(self) -> String {
        match self {
            Self::Note => {
                format!("Save a note titled 「{NOTE_TITLE}」 with the text 「{NOTE_TEXT}」")
            }
            other => other.words().to_owned(),
        }
    }

    /// What the prompt says once the user has answered.
    fn answer_in(self, prompt: &str, state: &PhoneState) -> Option<String> {
        let expected = match self {
            Self::Message => "called Berg",
            _ => state.one_time_code.as_str(),
        };
        prompt.contains(expected).then(|| expected.to_owned())
    }
}

/// Decides for every fake model.
#[derive(Debug)]
pub struct TaskOracle {
    pub phone: Phone,
    abilities: Abilities,
    task: Task,
    progress: TaskProgress,
    /// A question whose answer has not been seen in a prompt yet.
    question: Option<String>,
}

impl TaskOracle {
    pub fn new(phone: Phone, abilities: Abilities) -> Self {
        let (task, question) = (Task::Wifi, None);
        Self { phone, abilities, task, progress: TaskProgress::default(), question }
    }

    pub fn task(&self) -> Task {
        self.task
    }

    /// From now on this is to be done.
    pub fn begin(&mut self, task: Task) {
        self.task = task;
        self.progress = TaskProgress::new(task.in_full());
        self.question = None;
    }

    /// The next action; `prompt` is all its text, which has to hold what the user has answered. Or
    /// why there is none.
    pub fn next(&mut self, prompt: &str) -> Result<OracleAction, String> {
        let state = self.phone.state();
        let screen = Screen { state: &state, abilities: self.abilities };
        if self.task == Task::Aim {
            return Ok(match screen.icon("Settings") {
                Some(icon) => tap(icon),
                None => OracleAction::Done("Settings are open.".to_owned()),
            });
        }
        if let Some(question) = self.question.take() {
            let text = self.task.answer_in(prompt, &state);
            let text = text.ok_or("the prompt does not hold the user's answer")?;
            self.progress.replies.push(UserReply { question, text });
        }
        let step = next_step(&self.phone, &self.progress);
        if let NextAction::Ask(question) = &step.action {
            self.question = Some(question.clone());
        }
        let action = screen.adapt(step.action)?;
        self.progress.last_summary = step.summary;
        Ok(action)
    }
}

struct Screen<'a> {
    state: &'a PhoneState,
    abilities: Abilities,
}

impl<'a> Screen<'a> {
    /// The action as the family can say it.
    fn adapt(&self, action: NextAction) -> Result<OracleAction, String> {
        Ok(match action {
            NextAction::Click(at) => OracleAction::Tap(self.pixel(at)),
            NextAction::Type { text, clear: true, .. } => {
                return Err(format!("{text:?} was typed as something else"));
            }
            NextAction::Type { text, at, clear: false } => {
                let at = self.pixel(at);
                let mut fields =
                    self.state.nodes.iter().filter(|node| node.class.ends_with("EditText"));
                let field = fields.find(|node| holds(node, at));
                let field = field.ok_or("there is no field to type into")?;
                let is_search = field.id.ends_with("/search");
                if !field.focused && !self.abilities.types_at_point {
                    return Ok(tap(field));
                }
                let submit = is_search && self.abilities.submit == Submit::WithText;
                OracleAction::Type { at, text, submit }
            }
            NextAction::Slide { from, to } => {
                OracleAction::Swipe { from: self.pixel(from), to: self.pixel(to) }
            }
            NextAction::OpenApp(label) if self.abilities.opens_apps => OracleAction::Open(label),
            NextAction::OpenApp(label) => {
                tap(self.icon(&label).ok_or_else(|| format!("there is no icon of {label}"))?)
            }
            NextAction::Press(Key::Enter) => match self.abilities.submit {
                Submit::Key => OracleAction::Enter,
                Submit::WithText => return Err("the text was not submitted".to_owned()),
                Submit::Never => tap(self.search_key().ok_or("there is no key to search")?),
            },
            NextAction::Press(Key::Back) => OracleAction::Back,
            NextAction::Press(key) => return Err(format!("no family presses {key:?}")),
            NextAction::Wait => OracleAction::Wait,
            NextAction::Ask(question) => OracleAction::Ask(question),
            NextAction::Complete(message) => OracleAction::Done(message),
            NextAction::Abort(reason) => return Err(reason),
        })
    }

    fn pixel(&self, at: Point) -> PixelPoint {
        let ((x, y), (width, height)) = (at.fractions(), self.state.size);
        (x * f64::from(width), y * f64::from(height))
    }

    fn icon(&self, label: &str) -> Option<&'a NodeState> {
        self.state.nodes.iter().find(|node| node.id.ends_with("/icon") && node.desc == label)
    }

    fn search_key(&self) -> Option<&'a NodeState> {
        self.state.system_nodes.iter().find(|node| node.desc == "Search")
    }
}

fn holds(node: &NodeState, (x, y): PixelPoint) -> bool {
    let [left, top, right, bottom] = node.bounds.map(f64::from);
    left <= x && x < right && top <= y && y < bottom
}

fn tap(node: &NodeState) -> OracleAction {
    let [left, top, right, bottom] = node.bounds.map(f64::from);
    OracleAction::Tap((f64::midpoint(left, right), f64::midpoint(top, bottom)))
}
