//! Chooses the skill for a task, after what comes before any skill.
use ayeaye_agent::Key;

use super::context::StepContext;
use super::phrases;
use super::step::{NextAction, NextStep};

mod message;
mod note;
mod open_app;
mod shop;
mod sign_in;
mod switches;

/// What a task asks for, as far as it says.
#[derive(Debug)]
enum Task {
    SignIn(sign_in::SignInTask),
    Message(message::MessageTask),
    Note(note::NoteTask),
    Shop(shop::ShopTask),
    Switches(switches::SwitchTask),
    OpenApp(String),
}

/// Reads a task; `None` when it is not for this skill.
type Parser = fn(&str) -> Option<Task>;

/// The keywords of each skill and its parser. The skill whose keyword comes first gets the task.
const SKILLS: [(&[&str], Parser); 5] = [
    (
        &["sign in", "sign into", "signin", "log in", "log into", "login", "登录", "登陆"],
        |task| Some(Task::SignIn(sign_in::parse(task))),
    ),
    (
        &[
            "message", "messages", "text", "tell", "write to", "sms", "send", "ask", "let", "告诉",
            "短信", "消息", "信息", "发给", "发送", "转告",
        ],
        |task| message::parse(task).map(Task::Message),
    ),
    (&["note", "notes", "memo", "笔记", "便签", "备忘", "记下"], |task| {
        Some(Task::Note(note::parse(task)))
    }),
    (
        &[
            "shop", "buy", "cart", "basket", "shoes", "sneakers", "boots", "sandals", "买", "商店",
            "购物", "鞋", "靴",
        ],
        |task| shop::parse(task).map(Task::Shop),
    ),
    (
        &["wi-fi", "wifi", "wlan", "bluetooth", "airplane", "flight mode", "无线", "蓝牙", "飞行"],
        |task| switches::parse(task).map(Task::Switches),
    ),
];

/// What to do next. The same input has the same result, whatever was asked before.
pub(super) fn next(s: &StepContext<'_>) -> NextStep {
    let task = match recognize(s) {
        Ok(task) => task,
        Err(abort) => return *abort,
    };
    if let Some(first) = clear_the_way(s) {
        return first;
    }
    match task {
        Task::SignIn(task) => sign_in::next(s, &task),
        Task::Message(task) => message::next(s, &task),
        Task::Note(task) => note::next(s, &task),
        Task::Shop(task) => shop::next(s, &task),
        Task::Switches(task) => switches::next(s, &task),
        Task::OpenApp(package) => open_app::next(s, &package),
    }
}

/// The task, or the step that says why no skill can do it.
fn recognize(s: &StepContext<'_>) -> Result<Task, Box<NextStep>> {
    let text = s.progress.task.as_str();
    if let Some(package) = open_app::parse(text, s.apps) {
        return Ok(Task::OpenApp(package));
    }
    let instruction = phrases::instruction(text);
    let mentioned = |text: &str| {
        let mut skills: Vec<_> = SKILLS
            .iter()
            .filter_map(|(keywords, parse)| Some((phrases::first(text, keywords)?.0, *parse)))
            .collect();
        skills.sort_by_key(|(at, _)| *at);
        skills
    };
    let instructed = mentioned(&instruction);
    let joints = ["and", "then", "afterwards", "然后", "接着", "并且", "再"];
    if 1 < instructed.len() && phrases::any(&instruction, &joints) {
        return Err(Box::new(s.abort(
            "I do one thing at a time, and this seems to be several: give me each as a task of its \
             own. A text to be sent or noted goes in quotes."
                .to_owned(),
            "我一次只做一件事，请把它们分成几个任务；要发送或记录的文字请加引号。".to_owned(),
        )));
    }
    let skills = if instructed.is_empty() { mentioned(text) } else { instructed };
    skills.into_iter().find_map(|(_, parse)| parse(text)).ok_or_else(|| Box::new(unknown(s)))
}

fn unknown(s: &StepContext<'_>) -> NextStep {
    s.abort(
        "I am only a stand-in for a model: I do not look at the screen, and know few tasks. I can send \
         a message (Tell Anna: …), switch Wi-Fi, Bluetooth or airplane mode on or off, save a note, \
         find things in the shop under a price and put them into the cart, sign in, and open an app. \
         For anything else set a real model: AYEAYE_MODEL_BASE_URL and AYEAYE_MODEL_NAME."
            .to_owned(),
        "我只是模型的替身：不看屏幕，只会少数几件事：发消息（告诉 Anna：…）、开关 Wi-Fi、蓝牙或飞行模式、\
         保存笔记、在商店里按价格找东西并放进购物车、登录、打开应用。要做别的事，请设置真正的模型：\
         AYEAYE_MODEL_BASE_URL 和 AYEAYE_MODEL_NAME。"
            .to_owned(),
    )
}

/// A dark or locked screen, or a question over the app.
fn clear_the_way(s: &StepContext<'_>) -> Option<NextStep> {
    let phone = s.phone;
    if !phone.awake {
        let thought = "The screen is dark.";
        return Some(NextStep::new(NextAction::Press(Key::Power), thought, "Wake the screen"));
    }
    if phone.asks_pin {
        return Some(s.ask_with(
            "The phone asks for its PIN. Please unlock it, then tell me to go on.".to_owned(),
            "手机需要输入密码解锁。请先解锁，然后告诉我继续。".to_owned(),
        ));
    }
    if phone.locked {
        let up = NextAction::swipe(800, 200);
        return Some(NextStep::new(up, "The phone is locked without a PIN.", "Swipe up to unlock"));
    }
    s.find("parentPanel")?;
    // The least intrusive first.
    let harmless = [
        "wait",
        "don't allow",
        "don’t allow",
        "deny",
        "not now",
        "no thanks",
        "cancel",
        "later",
        "skip",
        "close",
        "dismiss",
        "ok",
        "got it",
    ];
    let thought = "A question lies over the screen; I answer it so that nothing changes.";
    let button = harmless.iter().find_map(|label| {
        phone.nodes.iter().find(|node| node.clickable && node.text.to_lowercase() == *label)
    });
    Some(match button {
        Some(button) => s.tap(button, thought, &format!("Answer “{}”", button.text)),
        None => NextStep::new(NextAction::Press(Key::Back), thought, "Close the question"),
    })
}
