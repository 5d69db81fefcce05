//! Emptying the field in focus, and making sure of it.
//!
//! The keys HOME and END go to the edges of the line that the caret is in, as it is on the screen: in a text from
//! right to left END goes to where its line begins (AOSP, `Selection.findEdge`). So a field is empty only where
//! neither leads away from 0, and nothing is in another line.
use std::sync::Arc;

use ayeaye_agent::DeviceError;

use super::field::Fields;
use super::keys::KEY_TIME;
use crate::client::DeviceClient;
use crate::gesture::{ensure_accepted, on_display};
use crate::ime::{self, ImeSwitch};
use crate::parse::{Caret, FIELD_QUERY, FieldState, InputMethods, batch, split_batch};

const WHAT: &str = "emptying the field";

/// Ctrl+A. Apps that draw their fields themselves swallow it, and some makers' keyboards type an "a", as all phones do
/// with Android 12, which tells a key of a combination without those that are held. Before that there are none.
///
/// `input` does not wait for what a combination does, but for a key after it; before Android 12 each `input` takes half
/// a second.
const SELECT: &str = "input keycombination 113 29 && A=1 || A=0; \
    [ $A = 1 ] && [ \"$(getprop ro.build.version.sdk)\" -ge 33 ] && input keyevent 113";
const DELETE: &str = "[ $A = 1 ] && input keyevent 67 || echo ayeaye-failed";

const HOME: &str = "input keyevent 122";
/// To the other edge of the line, and then, where Ctrl is told, to the end of the text.
const END: &str = "input keyevent 123; [ \"$(getprop ro.build.version.sdk)\" -lt 33 ] && \
    echo ayeaye-line || { input keycombination 113 123 && input keyevent 113; }";

/// How many characters are deleted by one command, backwards, and backwards and forwards together, and how often. At
/// first little is believed to stand behind the place where the keys lead.
const MAX_DELETES: usize = 250;
const FEW_FORWARD: usize = 50;
const MAX_KEYS: usize = MAX_DELETES + FEW_FORWARD;
const MAX_ROUNDS: usize = 8;

/// What is known of a field that was to be emptied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Emptied {
    /// It is empty.
    Yes,
    /// The caret stands at its start, and nothing is left in that line. Others may hold something.
    AtStart,
    /// The phone has done what empties fields, and does not tell what is left: it shows this text, which may be what
    /// an empty field asks for.
    Unknown(Option<String>),
}

/// Where HOME and END lead, and where the caret was before.
#[derive(Debug, Clone, Copy)]
struct Edges {
    before: Caret,
    home: Caret,
    end: Caret,
    /// There is no line that END does not lead to.
    is_all: bool,
}

impl Edges {
    fn are_at_start(self) -> bool {
        self.home.is_at(0) && self.end.is_at(0)
    }

    fn emptied(self) -> Option<Emptied> {
        self.are_at_start().then_some(if self.is_all { Emptied::Yes } else { Emptied::AtStart })
    }

    /// At least so many characters are left.
    fn left(self) -> usize {
        self.home.end.max(self.end.end)
    }
}

/// Empties the field: by the keyboard app that is active, if there is one, else by keys, of this display if it is
/// named; where that did nothing, in the other ways there are. `was`: the caret before.
///
/// # Errors
///
/// The phone refuses, or something is left. Nothing has been typed then.
pub(super) async fn clear(
    client: &Arc<DeviceClient>,
    display: Option<u32>,
    active: Option<&str>,
    was: Option<Caret>,
) -> Result<Emptied, DeviceError> {
    let (edges, is_known) = match active {
        Some(id) => {
            ime::clear(client, id).await?;
            (edges_after(client, display, "true", true).await?, true)
        }
        None => select_and_delete(client, display, was).await?,
    };
    let shown = match edges.map(Edges::emptied) {
        Some(Some(Emptied::Yes)) => return Ok(Emptied::Yes),
        Some(_) => None,
        None if !is_known => None,
        // Without a caret the text itself has to be looked at; it may be what an empty field asks for.
        None => match shown_text(client).await {
            Some(text) if text.is_empty() => return Ok(Emptied::Yes),
            None => return Ok(Emptied::Unknown(None)),
            shown => shown,
        },
    };
    after_deleting(client, display, active, edges, shown).await
}

/// The second way, and the third. `shown` is the text that was seen before.
async fn after_deleting(
    client: &Arc<DeviceClient>,
    display: Option<u32>,
    active: Option<&str>,
    edges: Option<Edges>,
    shown: Option<String>,
) -> Result<Emptied, DeviceError> {
    match delete_backwards(client, display, edges).await? {
        Some(edges) => {
            let left = match active {
                None if edges.emptied().is_none() => {
                    clear_by_keyboard(client, display).await?.unwrap_or(edges)
                }
                _ => edges,
            };
            let reason = || {
                format!(
                    "{} characters are left in it, whatever keys are pressed; nothing was typed",
                    left.left()
                )
            };
            // Some of it may be gone.
            left.emptied().ok_or_else(|| client.garbled(WHAT, reason()))
        }
        None => match (shown, shown_text(client).await) {
            (_, Some(text)) if text.is_empty() => Ok(Emptied::Yes),
            (Some(before), Some(after)) if before != after => Err(client.garbled(
                WHAT,
                format!("{} characters are left in it; nothing was typed", after.chars().count()),
            )),
            (_, after) => Ok(Emptied::Unknown(after)),
        },
    }
}

/// What is left then, as far as the phone tells, and whether it knows combinations of keys: before Android 12
/// phones say that they do not, without doing anything.
///
/// Only what Ctrl+A has selected, where nothing was, proves that it works, and that all was deleted. An app that
/// swallows it swallows Ctrl+END too, which then shows nothing of other lines.
async fn select_and_delete(
    client: &DeviceClient,
    display: Option<u32>,
    was: Option<Caret>,
) -> Result<(Option<Edges>, bool), DeviceError> {
    let output = client.act_quick(WHAT, &and_look(display, [SELECT, DELETE, HOME, END])).await?;
    let told = output.combined();
    let unknown = ["Unknown command", "Error: Unknown", "usage:", "Usage:"];
    if told.contains("INJECT_EVENTS") {
        ensure_accepted(client, WHAT, &output)?;
    }
    let is_known = !unknown.iter().any(|words| told.contains(words));
    if is_known && told.contains("ayeaye-failed") {
        return Err(client.refused(WHAT, output.summary()));
    }
    let [selected, left @ ..]: [&str; 4] = split_batch(&output.stdout);
    let is_selection = |caret: Option<Caret>| caret.is_some_and(Caret::is_selection);
    let is_proven = !is_selection(was) && is_selection(FieldState::read(selected).caret);
    let edges = read_edges(left, false);
    Ok((edges.map(|it| Edges { is_all: it.is_all || is_proven, ..it }), is_known))
}

/// Presses keys and then looks where HOME and END lead. `trusted`: Ctrl+END is believed to lead to the end of
/// the text, after a keyboard app that empties fields by itself.
async fn edges_after(
    client: &DeviceClient,
    display: Option<u32>,
    keys: &str,
    trusted: bool,
) -> Result<Option<Edges>, DeviceError> {
    let pressed = u32::try_from(keys.split(' ').count()).unwrap_or(u32::MAX);
    let limit = client.limits().shell + KEY_TIME * pressed;
    let output = client.act(WHAT, &and_look(display, [keys, HOME, END]), limit).await?;
    let told = output.combined();
    if told.contains("INJECT_EVENTS") {
        ensure_accepted(client, WHAT, &output)?;
    }
    let trusted = trusted && !told.contains("Unknown command");
    Ok(read_edges(split_batch(&output.stdout), trusted))
}

fn and_look<const N: usize>(display: Option<u32>, keys: [&str; N]) -> String {
    let looks = keys.map(|keys| format!("{}; {FIELD_QUERY}", on_display(keys, display)));
    batch(&looks.each_ref().map(|it| &**it))
}

fn read_edges(pieces: [&str; 3], trusted: bool) -> Option<Edges> {
    let [before, home, end] = pieces.map(FieldState::read);
    let whole_text = trusted && !pieces[2].contains("ayeaye-line");
    let is_all = whole_text || end.one_line == Some(true);
    Some(Edges { before: before.caret?, home: home.caret?, end: end.caret?, is_all })
}

/// Deletes from the end backwards, and then forwards what stood behind, until nothing is left or nothing
/// changes any more.
async fn delete_backwards(
    client: &DeviceClient,
    display: Option<u32>,
    mut edges: Option<Edges>,
) -> Result<Option<Edges>, DeviceError> {
    for round in 0..MAX_ROUNDS {
        let known = edges;
        let at = known.map_or(0, Edges::left);
        let go = match known {
            None => " 123",
            Some(edges) if edges.end.end < edges.home.end => " 122",
            // END was the last key.
            Some(_) => "",
        };
        let back = known.map_or(MAX_DELETES, |_| at.clamp(1, MAX_DELETES));
        let forward = if round == 0 { FEW_FORWARD } else { MAX_KEYS - back };
        let (back, forward) = (" 67".repeat(back), " 112".repeat(forward));
        let keys = format!("input keyevent{go}{back}{forward}");
        edges = edges_after(client, display, &keys, false).await?;
        let Some(now) = edges else { return Ok(None) };
        let was_at_start = known.is_some_and(Edges::are_at_start);
        let is_over = now.are_at_start() && (now.is_all || was_at_start);
        let is_stuck = known.is_some() && 0 < at && at <= now.before.end;
        if is_over || is_stuck {
            break;
        }
    }
    Ok(edges)
}

/// Has a keyboard app empty the field, if one for that is installed.
async fn clear_by_keyboard(
    client: &Arc<DeviceClient>,
    display: Option<u32>,
) -> Result<Option<Edges>, DeviceError> {
    let (methods, _) = ime::query(client).await?;
    let Ok(id) = ime::usable(client.id(), &methods) else { return Ok(None) };
    clear_through(client, display, &id, &methods).await
}

async fn clear_through(
    client: &Arc<DeviceClient>,
    display: Option<u32>,
    id: &str,
    methods: &InputMethods,
) -> Result<Option<Edges>, DeviceError> {
    let switch = ImeSwitch::activate(client, id, methods).await?;
    let cleared = async {
        ime::clear(client, id).await?;
        edges_after(client, display, "true", true).await
    };
    let cleared = cleared.await;
    switch.restore().await;
    cleared
}

/// What the field in focus shows, at the price of a look at all elements.
pub(super) async fn shown_text(client: &DeviceClient) -> Option<String> {
    let fields = Fields::dump(client).await.ok()?;
    fields.text().map(ToOwned::to_owned)
}
