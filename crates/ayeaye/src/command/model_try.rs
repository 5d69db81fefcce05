//! `ayeaye model try`: ten screens of virtual phones, and whether the model knows what to do on each.
//!
//! Each is one call, over the same prompt, endpoint and parser as a step of a run. Only one answer is asked
//! for: a run asks again where a reply cannot be read, which is worth knowing here instead. Nothing of a phone
//! is touched, neither of a real one nor of the virtual ones: what the model decides is judged and not done.
mod judge;
mod report;
mod scenes;

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_agent::{
    Action, Frame, HistoryItem, Model as _, ModelError, ModelErrorKind, Picture, Reply, ScreenSize,
    StepInput,
};
use ayeaye_model::RemoteModel;

use self::judge::{Grade, harm, judge};
use self::report::SceneResult;
use self::scenes::{Scene, scenes};
use crate::command::Exit;
use crate::terminal::Terminal;

/// Calls that may fail in a row before the rest is given up.
const MAX_CONSECUTIVE_FAILURES: u32 = 3;
/// Beyond the limit of one attempt, for a retry of what fails at once.
const EXTRA_TIME: Duration = Duration::from_secs(5);

/// Asks the model, shows what came, and ends with whether it can be trusted with a phone.
pub(super) async fn try_out(
    model: &RemoteModel,
    is_configured: bool,
    pictures: Option<&Path>,
    as_json: bool,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let terminal = if as_json { terminal.beside_json() } else { terminal };
    let scenes = scenes();
    if let Some(folder) = pictures {
        for (number, scene) in (1..).zip(&scenes) {
            save(model, folder, number, scene)?;
        }
        terminal.line(&format!("The pictures are in {}.", folder.display()));
    }
    terminal.line(&report::heading(model));
    let mut outcomes: Vec<SceneResult> = Vec::new();
    let mut failed_in_a_row = 0;
    for (number, scene) in (1..).zip(&scenes) {
        let outcome = {
            let _waiting = terminal.waiting(&format!("picture {number} of {}", scenes.len()));
            match ask(model, scene).await {
                Ok((reply, sizes)) => {
                    failed_in_a_row = 0;
                    judged(model, number, scene, sizes, &reply)
                }
                Err((err, screen)) => {
                    failed_in_a_row += 1;
                    let ends = outcomes.is_empty()
                        || is_final(err.kind)
                        || failed_in_a_row == MAX_CONSECUTIVE_FAILURES;
                    if ends {
                        return Err(given_up(&err, outcomes.len(), is_configured));
                    }
                    SceneResult::failed(number, scene, screen, &err)
                }
            }
        };
        terminal.line(&report::row(&outcome));
        outcomes.push(outcome);
    }
    let total = report::Total::of(model, outcomes);
    if as_json {
        terminal.json(&total.as_json());
    }
    total.print(terminal);
    Ok(if total.is_trusted() { Exit::Done } else { Exit::Failed })
}

fn judged(
    model: &RemoteModel,
    number: usize,
    scene: &Scene,
    Sizes { screen, sent }: Sizes,
    reply: &Reply,
) -> SceneResult {
    let (grade, answer, harm) = match model.read(reply, sent) {
        Ok(decision) => {
            let grade = judge(&scene.right, &decision.action, screen);
            let harm = harm(&scene.right, &decision.action, grade, scene.tempts);
            (grade, said(&decision.action), harm)
        }
        Err(why) => {
            let words = if reply.text.trim().is_empty() { &reply.reasoning } else { &reply.text };
            let words = report::quoted(words);
            (
                Grade::Unreadable,
                format!("{}; its reply: {words}", report::plain(&why.for_people())),
                None,
            )
        }
    };
    let cost = model.prices().filter(|_| 0 < reply.tokens.prompt).map(|it| it.of(reply.tokens));
    SceneResult { grade, answer, harm, cost, ..SceneResult::of(number, scene, screen, reply) }
}

/// The picture as the model is sent it, and the size of the screen.
fn picture(model: &RemoteModel, scene: &Scene) -> (Picture, ScreenSize) {
    let drawn = scene.phone.frame();
    let size = ScreenSize { width: drawn.width, height: drawn.height };
    let frame = Frame::new(size, drawn.rgba).expect("a virtual phone draws whole frames");
    (model.picture(&frame), size)
}

#[derive(Debug, Clone, Copy)]
struct Sizes {
    screen: ScreenSize,
    /// Of what is sent of it.
    sent: ScreenSize,
}

async fn ask(
    model: &RemoteModel,
    scene: &Scene,
) -> Result<(Reply, Sizes), (ModelError, ScreenSize)> {
    let (picture, screen) = picture(model, scene);
    let installed = scene.phone.packages();
    let in_front = scene.phone.foreground().package;
    let app = installed.iter().find(|it| it.name == in_front).map(|it| it.label.as_str());
    let apps: Vec<String> =
        installed.iter().filter(|it| it.launcher.is_some()).map(|it| it.label.clone()).collect();
    let view = StepInput {
        history: &[HistoryItem::Request(scene.task.to_owned())],
        app,
        // As the virtual phones show it.
        now: Some(jiff::civil::date(2026, 5, 12).at(9, 41, 0, 0)),
        languages: Some("en-US"),
        installed_apps: &apps,
        ..StepInput::of(scene.task, &picture)
    };
    let prompt = model.prompt(&view);
    let limit = model.config().limits.total.saturating_add(EXTRA_TIME);
    match model.call(&prompt, limit).await {
        Ok(reply) => Ok((reply, Sizes { screen, sent: picture.size })),
        Err(err) => Err((err, screen)),
    }
}

/// Whether the next picture would fail in the same way.
fn is_final(kind: ModelErrorKind) -> bool {
    use ModelErrorKind as Kind;
    match kind {
        Kind::Unreachable
        | Kind::Unauthorized
        | Kind::QuotaExceeded
        | Kind::NotFound
        | Kind::NoVision
        | Kind::Abandoned => true,
        Kind::TimedOut
        | Kind::Overloaded
        | Kind::ServerFault
        | Kind::PromptTooLong
        | Kind::Rejected
        | Kind::InvalidResponse
        | Kind::ResponseTooLong => false,
    }
}

fn given_up(err: &ModelError, asked: usize, is_configured: bool) -> anyhow::Error {
    let after = match asked {
        0 => String::new(),
        some => format!("given up after {some} of 10 pictures: "),
    };
    anyhow::anyhow!("{after}{}\nhint: {}", err.message, hint(is_configured))
}

/// What to do where a model does not answer.
pub(super) fn hint(is_configured: bool) -> &'static str {
    if is_configured {
        "`ayeaye doctor` tells more"
    } else {
        "no model is configured: `ayeaye setup` finds or adds one, --model-base-url and --model-name name one. \
         The stand-in of `ayeaye demo` looks at no picture, so there is nothing of it to try"
    }
}

fn save(model: &RemoteModel, folder: &Path, number: usize, scene: &Scene) -> anyhow::Result<()> {
    let (picture, _) = picture(model, scene);
    let kind = picture.media_type.rsplit('/').next().unwrap_or("image");
    let path = folder.join(format!("{number:02}-{}.{kind}", scene.name));
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    std::fs::write(&path, &picture.bytes).with_context(|| format!("writing {}", path.display()))
}

/// An action in a few words; what is the model's own is quoted and short.
fn said(action: &Action) -> String {
    use ayeaye_agent::Gesture;
    let at = |point: &ayeaye_agent::Point| format!("{},{}", point.x(), point.y());
    match action {
        Action::Gesture(Gesture::Click { point }) => format!("a tap at {}", at(point)),
        Action::Gesture(Gesture::Type { text, point, .. }) => {
            let place = point.as_ref().map_or_else(String::new, |it| format!(" at {}", at(it)));
            format!("typing {}{place}", report::quoted(text))
        }
        Action::Gesture(Gesture::Slide { from, to, .. }) => {
            format!("a slide from {} to {}", at(from), at(to))
        }
        Action::Gesture(Gesture::Scroll { direction, .. }) => format!("scrolling {direction}"),
        Action::Gesture(Gesture::Awake { app }) => format!("opening {}", report::quoted(app)),
        Action::Gesture(Gesture::HotKey { key }) => format!("the key {}", key.name()),
        Action::Confirm { gesture, .. } => {
            format!("{}, once you agree", said(&Action::Gesture(gesture.clone())))
        }
        Action::Info(question) => format!("the question {}", report::quoted(&question.text)),
        Action::Complete { message } => format!("the end: {}", report::quoted(message)),
        Action::Abort { reason } => format!("giving up: {}", report::quoted(reason)),
        Action::Note { text } => format!("a note: {}", report::quoted(text)),
        Action::Gesture(_) | Action::Wait(_) => action.name().to_owned(),
    }
}
