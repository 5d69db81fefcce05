//! A session as a conversation: what the model saw, what it replied, and what it was told.
//!
//! The front stays the same from step to step for as long as possible, so that endpoints can cache it.
use ayeaye_agent::{
    Action, HistoryItem, Message, Part, Picture, Role, ScreenSize, StepInput, ToolCall,
};
use jiff::civil::DateTime;
use serde_json::Value;

use super::escape::{LONGEST_TEXT, verbatim};
use super::history::{History, Lang, PastStep, ReadReply, question_of};

/// How a family writes a conversation.
pub(super) struct ChatStyle<'a> {
    /// What the first message begins with: the same in every step of a request.
    pub opening: Vec<Part>,
    /// An earlier step as the model's own reply to a picture of this size; `None` where its format
    /// cannot say it.
    pub reply: &'a dyn Fn(PastStep<'_>, ScreenSize) -> Option<PastReply>,
    /// What a reply in the family's format decides on a picture of this size; `None` where replies are not
    /// words alone.
    pub read: Option<&'a ReadReply<'a>>,
    /// How a reply that is told word for word is kept; most are as they came.
    pub kept: fn(&str) -> String,
    /// The text in front of a screen and the one behind it; either may be empty.
    pub caption: &'a dyn Fn(&Screen<'_>) -> (String, String),
    /// Which screens of earlier steps are shown.
    pub images: ImageWindow,
    /// Whether the result of a tool call holds the screen after it, and the user's answer.
    pub screen_in_result: bool,
    /// Whether each screen is a message of its own, and so is what the user says.
    pub apart: bool,
}

/// A reply that the model gave.
pub(super) struct PastReply {
    /// The reply.
    pub parts: Vec<Part>,
    /// The result of the tool call in it, for families that call tools.
    pub result: Option<Part>,
}

impl PastReply {
    pub(super) fn text(text: String) -> Self {
        Self { parts: vec![Part::Text(text)], result: None }
    }

    /// A call of a tool with these arguments, and what came of it.
    pub(super) fn tool(past: PastStep<'_>, name: &str, arguments: String) -> Self {
        // Mistral's models take ids of nine letters and digits only.
        let (id, name) = (format!("call{:05}", past.step.step % 100_000), name.to_owned());
        let call = ToolCall { id: id.clone(), name: name.clone(), arguments };
        let result = Part::Result { id, name, text: past.outcome(), picture: None, answer: None };
        Self { parts: vec![Part::Call(call)], result: Some(result) }
    }
}

/// A screen that a step was decided on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Screen<'a> {
    /// Its picture, where it is shown.
    pub picture: Option<&'a Picture>,
    /// The app in front, as far as it is known.
    pub app: Option<&'a str>,
    /// The phone's date and time, as far as it is known.
    pub now: Option<DateTime>,
    /// The phone's languages, as far as they are known.
    pub languages: Option<&'a str>,
    /// Whether it is the present one.
    pub is_current: bool,
}

/// Which screens of earlier steps a conversation shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImageWindow {
    /// The most it shows.
    pub max: usize,
    /// How many are dropped at a time. With more than one, most prompts only extend the one before, and
    /// a server seldom has to encode old pictures again.
    pub step: usize,
}

impl ImageWindow {
    /// No earlier screen.
    pub(super) const NONE: Self = Self::last(0);

    /// Always the last so many.
    pub(super) const fn last(max: usize) -> Self {
        Self { max, step: 1 }
    }

    /// The first step whose screen is shown, when `next` is the number of the present one.
    fn first(self, next: usize) -> usize {
        next.saturating_sub(self.max).div_ceil(self.step) * self.step
    }
}

/// No text around a screen.
pub(super) fn no_caption(_: &Screen<'_>) -> (String, String) {
    (String::new(), String::new())
}

/// The conversation so far, with the present screen at its end.
pub(super) fn messages(
    input: &StepInput<'_>,
    history: &History<'_>,
    style: ChatStyle<'_>,
) -> Vec<Message> {
    let mut chat = ChatBuilder {
        messages: Vec::new(),
        open: style.opening,
        screen_in_result: style.screen_in_result,
        apart: style.apart,
        lang: history.lang,
    };
    chat.push_text(history.earlier());
    chat.push_text(history.omitted());
    let mut steps = history.steps();
    let next = history.steps().last().map_or(0, |it| it.step.step as usize + 1);
    let first_image = style.images.first(next);
    let (mut asked, mut waits) = (false, false);
    for item in history.recent() {
        match item {
            HistoryItem::UserReply(text) => {
                waits = false;
                chat.user_says(text, std::mem::take(&mut asked));
            }
            HistoryItem::Advice(text) if waits => {
                chat.push_text(history.lang.user_says_unasked(text));
            }
            HistoryItem::Advice(text) => chat.user_says(text, false),
            HistoryItem::Request(_) | HistoryItem::Subtask(_) => {}
            HistoryItem::Step(_) => {
                let Some(past) = steps.next() else { continue };
                asked = matches!(past.step.decision.action, Action::Info(_));
                waits = past.answered && question_of(past.step).is_some();
                let image = input.history_images.iter().find(|it| it.step == past.step.step);
                let size = image.map_or(input.picture.size, |it| it.picture.size);
                let shown = image.filter(|_| first_image <= past.step.step as usize);
                let picture = shown.map(|it| &it.picture);
                let app = past.step.app.as_deref();
                let screen = Screen { picture, app, ..Screen::default() };
                chat.show(&screen, style.caption);
                let said = past.as_said(style.read, size);
                let said = said.map(|text| PastReply::text((style.kept)(&text)));
                match said.or_else(|| (style.reply)(past, size)) {
                    Some(reply) => chat.reply(reply, past),
                    None => chat.push_text(format!("({}{})\n", past.in_words(), past.failure())),
                }
            }
        }
    }
    chat.push_text(history.system_notes());
    chat.show(
        &Screen {
            picture: Some(input.picture),
            app: input.app,
            now: input.now,
            languages: input.languages,
            is_current: true,
        },
        style.caption,
    );
    chat.messages.push(Message { role: Role::User, parts: chat.open });
    chat.messages
}

/// The messages, and the parts of the user's next one so far.
struct ChatBuilder {
    messages: Vec<Message>,
    open: Vec<Part>,
    screen_in_result: bool,
    apart: bool,
    lang: Lang,
}

impl ChatBuilder {
    /// Adds a text. It must end its line: some servers join the texts of a message without a separator.
    fn push_text(&mut self, text: String) {
        if !text.is_empty() {
            self.open.push(Part::Text(text));
        }
    }

    /// Ends the user's message.
    fn close(&mut self) {
        let parts = std::mem::take(&mut self.open);
        if !parts.is_empty() {
            self.messages.push(Message { role: Role::User, parts });
        }
    }

    /// What the user says; with `asked`, in answer to the question just put.
    fn user_says(&mut self, said: &str, asked: bool) {
        if self.apart {
            self.close();
            self.push_text(verbatim(said, LONGEST_TEXT));
            self.close();
            return;
        }
        match &mut self.open[..] {
            // What comes of asking is the answer.
            [Part::Result { text, answer, .. }] if self.screen_in_result && asked => {
                *answer = Some(self.lang.user_says(said));
                let said = verbatim(said, LONGEST_TEXT);
                match serde_json::from_str::<Value>(text) {
                    Ok(Value::Object(mut result)) => {
                        result.insert("output".to_owned(), Value::from(said));
                        *text = Value::Object(result).to_string();
                    }
                    _ => *text = said,
                }
            }
            _ => self.push_text(self.lang.user_says(said)),
        }
    }

    fn show(&mut self, screen: &Screen<'_>, caption: &dyn Fn(&Screen<'_>) -> (String, String)) {
        let (before, behind) = caption(screen);
        self.push_text(before);
        if let Some(shown) = screen.picture {
            if self.apart {
                self.close();
            }
            match self.open.first_mut() {
                Some(Part::Result { picture, .. }) if self.screen_in_result => {
                    *picture = Some(shown.clone());
                }
                _ => self.open.push(Part::Picture(shown.clone())),
            }
        }
        self.push_text(behind);
    }

    fn reply(&mut self, reply: PastReply, past: PastStep<'_>) {
        self.close();
        self.messages.push(Message { role: Role::Assistant, parts: reply.parts });
        if let Some(result) = reply.result {
            self.open.push(result);
        } else if let Some(asked) = past.not_done_yet() {
            let which = self.lang.pick("The action above: ", "上面的动作：");
            self.push_text(format!("{which}{asked}\n"));
        } else if let Some(error) = past.error() {
            let failed = self.lang.pick("The action above failed: ", "上面的动作没有成功：");
            self.push_text(format!("{failed}{error}\n"));
        } else if let Some(why) = past.doubt() {
            let which = self.lang.pick("Of the action above ", "上面的动作");
            self.push_text(format!("{which}{}: {why}\n", self.lang.not_certain()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screens_that_no_longer_fit_are_dropped_several_at_a_time() {
        let first =
            |window: ImageWindow| (0..12).map(|next| window.first(next)).collect::<Vec<_>>();
        assert_eq!(first(ImageWindow { max: 4, step: 3 }), [0, 0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 9]);
        assert_eq!(first(ImageWindow::last(2)), [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
}
