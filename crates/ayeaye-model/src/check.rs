//! `ayeaye doctor`'s check of an endpoint: whether it answers, offers the model, and sees.
use std::time::Duration;

use ayeaye_agent::{
    Action, Decision, FailedAttempts, Frame, Gesture, Model as _, ModelError, ModelErrorKind,
    Point, Reply, ScreenSize, StepInput,
};
use bytes::Bytes;

use crate::calibrate::{candidate_spaces, reply_text};
use crate::excerpt::excerpt;
use crate::profile::CoordContext;
use crate::profile::coords::CoordSystem;
use crate::remote::{Client, ModelList, lists};
use crate::{RemoteModel, RetryPolicy};

/// One result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFinding {
    /// What it is about.
    pub subject: CheckSubject,
    /// How bad it is.
    pub verdict: Severity,
    /// A sentence for people, with the way out if something is wrong.
    pub text: String,
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckSubject {
    /// Reaching the endpoint.
    Connection,
    /// Whether the key is sent encrypted.
    Key,
    /// Whether the endpoint offers the model.
    ModelName,
    /// Whether the profile was made for this model.
    Profile,
    /// Whether the model sees a picture and taps the right place in it.
    Vision,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// As it should be.
    Ok,
    /// Tasks may fail, or go badly.
    Warning,
    /// No task can be done.
    Error,
}

/// The screen that is shown: a red square on grey, near the lower right, which reveals a server that
/// crops or squeezes pictures. As large as a phone's, so that the picture takes as much of the
/// model's context as in a step.
const SCREEN: ScreenSize = ScreenSize { width: 1080, height: 2400 };
/// Edges of the square in thousandths: left, top, right, bottom. Farther down than right, which
/// reveals a model that puts y first.
const MARK: [u32; 4] = [600, 820, 800, 910];
const TASK: &str = "点击屏幕上的红色方块（click the red square）";
/// How far beside the square, in thousandths, a tap counts as a near miss.
const NEAR: u32 = 60;

impl RemoteModel {
    /// Lists the models of the endpoint and has the model find a mark in a picture. Takes as long as
    /// one call, at worst twice the limit of one attempt.
    pub async fn check(&self) -> Vec<CheckFinding> {
        check(self, self.client()).await
    }

    /// The models that the endpoint offers. What keeps it from saying so is the error, for people.
    pub async fn offered(&self) -> Result<ModelList, String> {
        match self.client().models().await {
            Err(error) if cannot_list(&error) => Ok(ModelList::Unlisted),
            listed => listed.map_err(|error| error.message),
        }
    }
}

/// Whether an endpoint cannot make the list: some answer calls all the same.
fn cannot_list(error: &ModelError) -> bool {
    matches!(error.kind, ModelErrorKind::ServerFault | ModelErrorKind::InvalidResponse)
}

async fn check(model: &RemoteModel, client: &Client) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    let mut found = |subject, verdict, text: String| {
        findings.push(CheckFinding { subject, verdict, text });
    };
    let config = client.config();
    let (endpoint, name) = (&config.endpoint, &config.name);
    let sent = match &config.key {
        Some(_) => Some("the key is"),
        None if config.extra_headers.is_empty() => None,
        None => Some("model.extra-headers are"),
    };
    if let Some(sent) = sent.filter(|_| !endpoint.is_encrypted() && !endpoint.is_loopback()) {
        let text = format!("{sent} sent to {endpoint} unencrypted: use https if you can");
        found(CheckSubject::Key, Severity::Warning, text);
    }
    let profile = model.resolved_profile();
    if config.profile.is_none() && !profile.knows(name) {
        let text = format!(
            "the name {name} tells no family, so it is asked as {profile}: if it is of a family that \
             `ayeaye model list` shows, name that as model.profile"
        );
        found(CheckSubject::Profile, Severity::Warning, text);
    }
    if let Some(prompt) = config.prompt.as_deref() {
        let verdict = if prompt.is_as_published() { Severity::Ok } else { Severity::Warning };
        found(
            CheckSubject::Profile,
            verdict,
            format!("asked with the prompt {}", prompt.description()),
        );
    }
    let not_sent = client.not_sent(model.sampling());
    if !not_sent.is_empty() {
        let text = format!(
            "not sent, since the API of the profile {profile} has no field for it: {}. What it calls otherwise can be \
             set with extra-body in model.options",
            not_sent.join(", ")
        );
        found(CheckSubject::Profile, Severity::Warning, text);
    }
    let mut is_unknown = false;
    match client.models().await {
        Err(error) if cannot_list(&error) => {
            let text = format!("it cannot list its models: {}", error.message);
            found(CheckSubject::Connection, Severity::Warning, text);
        }
        Err(error) => {
            found(CheckSubject::Connection, Severity::Error, error.message);
            return findings;
        }
        Ok(ModelList::WebPage) => {
            let text = format!(
                "{endpoint} shows a web page where it should list its models: the base URL usually \
                 ends in /v1"
            );
            found(CheckSubject::Connection, Severity::Warning, text);
        }
        Ok(ModelList::Unlisted) => {
            let text = format!("{endpoint} answers, but lists no models");
            found(CheckSubject::Connection, Severity::Ok, text);
        }
        Ok(ModelList::Names(names)) if names.is_empty() => {
            let text = format!("{endpoint} answers, but its list of models is empty");
            found(CheckSubject::Connection, Severity::Warning, text);
        }
        Ok(ModelList::FirstPage(names)) if !lists(&names, name) => {
            found(CheckSubject::Connection, Severity::Ok, format!("{endpoint} answers"));
            let text = format!(
                "{name} is not on the first page of the list of models, which has {} and goes on",
                names.len()
            );
            found(CheckSubject::ModelName, Severity::Ok, text);
        }
        Ok(ModelList::Names(names) | ModelList::FirstPage(names)) => {
            found(CheckSubject::Connection, Severity::Ok, format!("{endpoint} answers"));
            if lists(&names, name) {
                found(CheckSubject::ModelName, Severity::Ok, format!("{name} is offered"));
            } else {
                is_unknown = true;
                let text = not_offered(name, &names);
                found(CheckSubject::ModelName, Severity::Warning, text);
            }
        }
    }
    let (verdict, text) = check_vision(model, client, is_unknown).await;
    found(CheckSubject::Vision, verdict, text);
    findings
}

/// What is said of a name that is not in the list of models.
fn not_offered(name: &str, names: &[String]) -> String {
    let few: Vec<_> = names.iter().take(8).map(|name| excerpt(name)).collect();
    match names.len() {
        1 => format!("{name} is not the one model offered: {}", few.concat()),
        many => {
            let rest = match many - few.len() {
                0 => String::new(),
                rest => format!(" and {rest} more"),
            };
            let few = few.join(", ");
            format!("{name} is not among the {many} models offered: {few}{rest}")
        }
    }
}

/// Has the model tap a mark on a screen, the same way as in a step.
/// It `is_unknown` where the endpoint has just listed others.
async fn check_vision(
    model: &RemoteModel,
    client: &Client,
    is_unknown: bool,
) -> (Severity, String) {
    let picture = model.picture(&screen());
    let input = StepInput::of(TASK, &picture);
    let once = RetryPolicy { attempts: 2, ..client.config().retries };
    let sampling = model.sampling();
    let limit = client.config().limits.total;
    let prompt = model.prompt(&input);
    let reply =
        match client.complete(&prompt, sampling, &once, limit, &FailedAttempts::default()).await {
            Ok(reply) => reply,
            // The path is right: the list came from there.
            Err(error) if is_unknown && error.kind == ModelErrorKind::NotFound => {
                let text = format!(
                    "{} does not know {}: set model.name to one of those that it offers",
                    client.config().endpoint,
                    client.config().name
                );
                return (Severity::Error, text);
            }
            Err(error) => return (Severity::Error, error.message),
        };
    let took = seconds(reply.latency);
    match model.read(&reply, picture.size).map(|decision| decision.action) {
        Ok(Action::Gesture(Gesture::Click { point })) => {
            judge_tap(model, &reply, picture.size, point)
        }
        Ok(action) => {
            let text = format!("told to tap a mark, it answered {} (in {took} s)", action.name());
            (Severity::Warning, text)
        }
        Err(why) => {
            let began = excerpt(&reply_text(&reply));
            let text = if let Some(spaces) = matching_spaces(model, &reply, picture.size) {
                format!(
                    "its point is off the screen, and would be right as {spaces}: wrong \
                     coordinates; run `ayeaye model calibrate --write`"
                )
            } else if says_no_picture(&reply.text) {
                format!(
                    "it says that it sees no picture ({began}): choose a model that does, or \
                         serve this one with its vision part"
                )
            } else {
                format!(
                    "its reply cannot be used: {}; it began {began} ({took} s)",
                    why.for_people()
                )
            };
            (Severity::Error, text)
        }
    }
}

/// How far from the mark it tapped, and why that may be.
fn judge_tap(
    model: &RemoteModel,
    reply: &Reply,
    size: ScreenSize,
    point: Point,
) -> (Severity, String) {
    let took = seconds(reply.latency);
    let (x, y) = (u32::from(point.x()), u32::from(point.y()));
    let [left, top, right, bottom] = MARK;
    let middle = format!("{},{}", u32::midpoint(left, right), u32::midpoint(top, bottom));
    if (left..=right).contains(&x) && (top..=bottom).contains(&y) {
        return (Severity::Ok, format!("it found a mark in a picture, in {took} s"));
    }
    if (left - NEAR..=right + NEAR).contains(&x) && (top - NEAR..=bottom + NEAR).contains(&y) {
        let text = format!(
            "it tapped {x},{y} for a mark around {middle}: near, not on it; `ayeaye \
             model calibrate` tells more"
        );
        return (Severity::Warning, text);
    }
    let text = match matching_spaces(model, reply, size) {
        Some(spaces) => format!(
            "it tapped {x},{y} for a mark around {middle}, and its numbers would be \
             right as {spaces}: wrong coordinates; run `ayeaye model calibrate --write`"
        ),
        None => format!(
            "it tapped {x},{y} for a mark around {middle}: its server may crop or scale \
             pictures; `ayeaye model calibrate` tells more"
        ),
    };
    (Severity::Error, text)
}

/// Other coordinate systems in which a reply taps the mark.
fn matching_spaces(model: &RemoteModel, reply: &Reply, sent: ScreenSize) -> Option<String> {
    let [left, top, right, bottom] = MARK.map(|edge| f64::from(edge) / 1e3);
    let family = model.resolved_profile().family();
    let hits = |space: &CoordSystem| match family
        .read(reply, &CoordContext { system: *space, image: sent })
    {
        Ok(Decision { action: Action::Gesture(Gesture::Click { point }), .. }) => {
            let (x, y) = point.fractions();
            (left..=right).contains(&x) && (top..=bottom).contains(&y)
        }
        _ => false,
    };
    let spaces = candidate_spaces(model.resolved_profile().spec().coords);
    let names: Vec<String> =
        spaces.iter().filter(|it| hits(it)).map(CoordSystem::to_string).collect();
    (!names.is_empty()).then(|| names[..names.len().min(3)].join(" or "))
}

/// Whether a model says that it has received no picture.
fn says_no_picture(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "cannot see",
        "can't see",
        "unable to see",
        "unable to view",
        "cannot view",
        "can't view",
        "no image",
        "no picture",
        "don't see an image",
        "看不到",
        "无法查看",
        "没有图片",
    ];
    let text = text.to_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}

fn screen() -> Frame {
    let [left, top, right, bottom] = MARK;
    let mut rgba = Vec::new();
    for y in 0..SCREEN.height {
        for x in 0..SCREEN.width {
            let within = |at: u32, length: u32, from: u32, to: u32| {
                (from * length..to * length).contains(&(at * 1000))
            };
            let inside =
                within(x, SCREEN.width, left, right) && within(y, SCREEN.height, top, bottom);
            rgba.extend(if inside { [220, 30, 30, 255] } else { [225, 225, 225, 255] });
        }
    }
    Frame::new(SCREEN, Bytes::from(rgba)).expect("four bytes for each pixel")
}
