//! UI-Venus: reasoning, an action as a call, a conclusion; 0 to 1000. The first version names pixels of what
//! its server makes of the picture; the second has other names and no conclusion, and each of its replies
//! is a turn of its own behind an empty one of the user.
use super::tars::python;
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Venus {
    Navi,
    OneAndAHalf,
    Two,
}

impl Venus {
    /// What its own client sends: system, then user and assistant for each step, then the screen.
    fn check_turns(request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        let roles = request.roles();
        let steps = roles.len().saturating_sub(2) / 2;
        let mut expected = vec!["system"];
        expected.extend(["user", "assistant"].repeat(steps));
        expected.push("user");
        if roles != expected || steps != replies.len() {
            return Err(format!("turns of {roles:?} after {} replies", replies.len()));
        }
        let messages = request.body["messages"].as_array().ok_or("no messages")?;
        if 1 < messages.len() && steps != 0 && messages[1]["content"] != "" {
            return Err(format!("the first screen is not left out: {}", messages[1]));
        }
        let words = request.of_role("user").last().map(|turn| turn.text.clone());
        if !words.unwrap_or_default().trim_end().ends_with("Current Screenshot:") {
            return Err("the last words are not about the screen".to_owned());
        }
        for (name, value) in [
            ("temperature", 0.6),
            ("repetition_penalty", 1.05),
            ("frequency_penalty", 0.3),
            ("max_tokens", 16384.0),
        ] {
            request.expect_param(name, Some(value))?;
        }
        Ok(())
    }
}

impl FakeFamily for Venus {
    fn profile(&self) -> &'static str {
        match self {
            Self::Navi => "ui-venus-navi",
            Self::OneAndAHalf => "ui-venus",
            Self::Two => "ui-venus-2",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::Navi => "inclusionAI/UI-Venus-Navi-7B",
            Self::OneAndAHalf => "inclusionAI/UI-Venus-1.5-8B",
            Self::Two => "inclusionAI/UI-Venus-2-9B",
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: false, submit: Submit::Key }
    }

    fn takes_empty_turns(&self) -> bool {
        *self == Self::Two
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        request.expect_pictures(|count| count == 1)?;
        let launch = if *self == Self::Two { "LaunchApp(" } else { "Launch(" };
        for word in ["Click(", "Drag(", "CallUser(", "Finished(", launch] {
            request.expect_text(word)?;
        }
        if *self == Self::Two {
            return Self::check_turns(request, replies);
        }
        request.expect_param("temperature", Some(0.0))
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at: &PixelPoint| {
            let (x, y) = match self {
                Self::Navi => coords.resized(*at, 28, 56 * 56, 16384 * 28 * 28),
                Self::OneAndAHalf | Self::Two => coords.norm(*at, 1000.0),
            };
            format!("({x}, {y})")
        };
        let (place, launch) =
            if *self == Self::Two { ("point", "LaunchApp") } else { ("box", "Launch") };
        let action = match next {
            OracleAction::Tap(at) => format!("Click({place}={})", point(at)),
            OracleAction::Type { text, .. } => format!("Type(content='{}')", python(text)),
            OracleAction::Open(app) => format!("{launch}(app='{app}')"),
            OracleAction::Swipe { from, to } if *self == Self::Two => {
                format!("Swipe(start={}, end={})", point(from), point(to))
            }
            OracleAction::Swipe { from, to } => {
                format!("Drag(start={}, end={})", point(from), point(to))
            }
            OracleAction::Enter => "PressEnter()".to_owned(),
            OracleAction::Back => "PressBack()".to_owned(),
            OracleAction::Wait => "Wait()".to_owned(),
            OracleAction::Ask(question) => format!("CallUser(content='{question}')"),
            OracleAction::Done(message) => format!("Finished(content='{}')", python(message)),
        };
        let said =
            format!("<think>This is the next thing to do.</think>\n<action>{action}</action>");
        FakeReply::words(if *self == Self::Two {
            said
        } else {
            format!("{said}<conclusion>did the next thing</conclusion>")
        })
    }
}
