//! Typing a text into the focused field, exactly or not at all, and making sure of it.
//!
//! `input text` presses the keys of a US keyboard: printable ASCII and nothing else. Other texts go
//! through a keyboard app made for it (`ADBKeyboard`), which takes them as base64, or through the
//! helper `yadb` if it has been installed on the phone.
//!
//! A phone accepts all of that and may still do nothing, or something else, so the field is looked at
//! afterwards. Only where it holds what it held before, another way is tried, or where it was empty before: then it is
//! emptied again first.
mod clearing;
mod composing;
mod field;
mod focus;
mod keys;
mod ways;

use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{DeviceError, Performed, Point, ScreenSize, error_chain};
use tokio::time::{Instant, sleep};

use self::clearing::Emptied;
pub(crate) use self::composing::Keyboards;
use self::field::{Arrival, FieldBefore, Fields, Hides};
use self::ways::{TypingMethod, nothing_typed, same};
use crate::client::DeviceClient;
use crate::gesture;
use crate::ime::{self, ImeSwitch, YADB};
use crate::parse::{Caret, FIELD_QUERY, FieldState};
use crate::quote::quote;

/// The longest text that is typed in one gesture.
const MAX_BYTES: usize = 16 * 1024;

/// Why nobody knows where enter went after a word that was still being made.
const COMPOSING_ENTER: &str =
    "the keyboard was still making a word of it, and may have taken the enter for itself";

/// Its clipboard is every app's, and Android shows what comes onto it.
const YADB_AND_PASSWORDS: &str = "yadb puts what it types on the phone's clipboard, so no password goes through it: \
     install ADBKeyboard, or type it on the phone";

/// Why nobody knows whether a field is empty.
const FURTHER_LINES: &str =
    "its first line is empty, and it is not known whether others hold something";
const NOT_TOLD_WHAT_IS_LEFT: &str = "the phone does not tell what is left in the field";

/// A text to type, and what to do before and after.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextEntry<'a> {
    pub(crate) text: &'a str,
    /// The field to tap first.
    pub(crate) point: Option<Point>,
    /// Whether to empty the field first.
    pub(crate) clear: bool,
    /// Whether to press enter afterwards.
    pub(crate) submit: bool,
    /// The display that its keys are sent to, where that has to be named.
    pub(crate) display: Option<u32>,
    /// The display that is looked at, where others show something too.
    pub(crate) among_several: Option<u32>,
    /// What is known of the phone's keyboards.
    pub(crate) keyboards: &'a Keyboards,
}

/// What is known of where a text is typed.
#[derive(Debug)]
struct Target {
    before: FieldBefore,
    hides: Hides,
    /// It is for a password: no keyboard makes words of that.
    is_password: bool,
    /// The phone's own input method, where it is told.
    method: Option<String>,
    /// That makes something else of letters.
    composes: Option<bool>,
    /// How often the text was sent.
    sent: u32,
}

impl TextEntry<'_> {
    /// Types it. `on` is the size of the screen that the field was seen on; `seen` is the field as it was at the last
    /// look. A text that cannot be typed is refused before anything is touched; each part is sent once, unless the
    /// field shows that nothing has come of it, or was empty and holds something else.
    pub(crate) async fn perform(
        self,
        client: &Arc<DeviceClient>,
        on: ScreenSize,
        seen: Option<FieldState>,
    ) -> Result<Performed, DeviceError> {
        check(client, self.text)?;
        let has_keys = self.text.chars().all(keys::has_key);
        let ways =
            if has_keys { vec![TypingMethod::KeyEvents] } else { self.any_text(client).await? };
        let field = match self.point {
            Some(point) => {
                let tap = gesture::tap(point, on).on_display(self.display);
                tap.send(client, "the tap on the field").await?;
                wait_for_keyboard(client).await?
            }
            // A caret that was seen may stand in a field that has lost the focus since; then the
            // text itself is looked for.
            None => match seen.filter(|field| field.caret.is_some()) {
                Some(field) => field,
                None => field::query(client).await,
            },
        };
        self.ensure_focus(client).await?;
        let entry = self.ensure_field(client, &field).await?;
        if entry.text.is_empty() {
            return entry.only_clear(client, &field).await;
        }
        entry.perform_in(client, ways, field).await
    }

    /// Types it into the field that has the focus.
    async fn perform_in(
        self,
        client: &Arc<DeviceClient>,
        mut ways: Vec<TypingMethod>,
        field: FieldState,
    ) -> Result<Performed, DeviceError> {
        let composes = field.method.as_deref().and_then(|it| self.keyboards.composes(it));
        let is_password = field.secret == Some(true);
        if self.may_be_composed() && composes == Some(true) && !is_password {
            let others = self.ways_for_any_text(client).await?;
            ways.splice(0..0, others);
        }
        if is_password {
            ways.retain(|way| *way != TypingMethod::Yadb);
            if ways.is_empty() {
                return Err(client.refused("the text", YADB_AND_PASSWORDS));
            }
        }
        let tapped = self.point.is_some();
        let before = FieldBefore { caret: field.caret, tapped, ..FieldBefore::default() };
        let hides = Hides::before(field.secret);
        let mut target =
            Target { before, hides, is_password, method: field.method, composes, sent: 0 };
        self.look_first(client, &mut target).await;
        self.type_in_turn(client, ways, target).await
    }

    /// Whether a keyboard can make words of its language of the keys.
    fn may_be_composed(self) -> bool {
        self.text.chars().all(keys::has_key)
            && self.text.contains(|c: char| c.is_ascii_alphabetic())
    }

    /// Looks at the field again after a tap, where nothing else will tell whether it was empty, which decides whether the
    /// text may be typed again: before the first letters that a keyboard is sent, if there is another one to get round it.
    async fn look_first(self, client: &DeviceClient, target: &mut Target) {
        let is_first = target.method.is_some() && target.composes.is_none();
        let may_be_known = self.clear || !target.before.tapped;
        if !is_first || may_be_known || target.is_password || !self.may_be_composed() {
            return;
        }
        let others = self.ways_for_any_text(client).await.unwrap_or_default();
        if !others.iter().any(|way| matches!(way, TypingMethod::Ime(..))) {
            return;
        }
        // It waits until the screen is at rest, and so is the focus. What it shows in an empty field may be what that
        // asks for; the caret then tells afterwards.
        let Ok(fields) = Fields::dump(client).await else { return };
        let field = field::query(client).await;
        target.before = FieldBefore { caret: field.caret, ..FieldBefore::default() };
        if field.secret == Some(true) {
            target.is_password = true;
            target.hides = Hides::before(field.secret);
        } else if fields.text() == Some("") && field.caret.is_none_or(|caret| caret.is_at(0)) {
            target.before = target.before.emptied();
        }
    }

    /// Types it in one way, and in the next where nothing has come of it, or something else has taken an empty place.
    async fn type_in_turn(
        self,
        client: &Arc<DeviceClient>,
        mut ways: Vec<TypingMethod>,
        mut target: Target,
    ) -> Result<Performed, DeviceError> {
        let mut note = None;
        let mut altered = None;
        for tried in 0.. {
            let Some(way) = ways.get(tried).cloned() else { break };
            let sent = self.try_way(client, &way, &mut target, tried == 0).await;
            let sent = match (sent, altered.take()) {
                // What stands in the field is told either way.
                (Err(error), Some(why)) if !error.ends_driving() && !error.may_have_acted() => {
                    note = None;
                    let error = error_chain(&error);
                    Arrival::Different(format!("{why}; typing it again failed: {error}"))
                }
                (sent, _) => sent?,
            };
            self.learn(&target, &way, &sent);
            if let Arrival::Altered(why) = &sent
                // Digits are made into nothing else: a field for a code has passed the focus on.
                && self.may_be_composed()
                && way == TypingMethod::KeyEvents
                && tried == 0
                && !target.is_password
            {
                let others = self.ways_for_any_text(client).await.unwrap_or_default();
                ways.truncate(1);
                ways.extend(others.into_iter().find(|way| matches!(way, TypingMethod::Ime(..))));
                if let Some(next) = ways.get(1) {
                    tracing::info!(device = %client.id(), "something else came of {}", way.name());
                    note = Some(format!(
                        "the phone's keyboard made something else of {}, so the field was emptied and the text typed \
                         again through {}",
                        way.name(),
                        next.name()
                    ));
                    altered = Some(why.clone());
                    continue;
                }
            }
            if sent != Arrival::Nothing {
                let note = note.filter(|_| 1 < target.sent);
                return Ok(self.performed(sent, note, &target));
            }
            tracing::info!(device = %client.id(), "{} typed nothing", way.name());
            if tried == 0 {
                let known =
                    |others: Vec<TypingMethod>| others.into_iter().filter(|it| !same(it, &way));
                ways.truncate(1);
                ways.extend(known(self.ways_for_any_text(client).await?));
                ways.retain(|way| !target.is_password || *way != TypingMethod::Yadb);
                if way != TypingMethod::KeyEvents && self.text.chars().all(keys::has_key) {
                    ways.push(TypingMethod::KeyEvents);
                }
            }
            if let Some(next) = ways.get(tried + 1) {
                note = Some(format!("{} typed nothing, so {} did", way.name(), next.name()));
            }
        }
        let tried: Vec<&str> = ways.iter().map(TypingMethod::name).collect();
        let why = nothing_typed(client.id(), &tried, target.composes == Some(true));
        // What stood in the field is gone.
        let emptied = match &target.before {
            before if self.clear && before.empty => "the field was emptied, and then ",
            before if self.clear && before.maybe_empty => {
                "the field may have been emptied, and then "
            }
            _ => "",
        };
        Err(client.refused("the text", format!("{emptied}{why}")))
    }

    /// Remembers what has become of the keys that were sent through the phone's own keyboard.
    fn learn(self, target: &Target, way: &TypingMethod, sent: &Arrival) {
        let Some(method) = target.method.as_deref() else { return };
        if target.is_password || !self.may_be_composed() {
            return;
        }
        match (way, sent) {
            // Where it cannot be seen, another look before the next text would show no more.
            (
                TypingMethod::KeyEvents,
                Arrival::There | Arrival::Composing | Arrival::Unknown(_),
            ) if target.sent == 1 => {
                self.keyboards.remember(method, Some(false));
            }
            (TypingMethod::KeyEvents, Arrival::Different(_) | Arrival::Altered(_)) => {
                self.keyboards.remember(method, None);
            }
            // The keys had gone first, and the field takes the text as it is.
            (TypingMethod::Ime(..), Arrival::There) if 1 < target.sent => {
                self.keyboards.remember(method, Some(true));
            }
            _ => {}
        }
    }

    /// The result for what has come of it.
    fn performed(self, arrived: Arrival, note: Option<String>, target: &Target) -> Performed {
        let uncertain = match arrived {
            Arrival::Different(why) | Arrival::Altered(why) if self.submit => {
                Some(format!("{why}; enter was not pressed"))
            }
            Arrival::Unknown(why) | Arrival::Different(why) | Arrival::Altered(why) => Some(why),
            Arrival::Composing if self.submit => Some(COMPOSING_ENTER.to_owned()),
            Arrival::There | Arrival::Composing | Arrival::Nothing => None,
        };
        Performed { uncertain, note, secret_field: target.hides.hides_text(), ..Performed::done() }
    }

    /// What there is to do without a text: the field is emptied, and enter is pressed if that is wanted.
    async fn only_clear(
        self,
        client: &Arc<DeviceClient>,
        field: &FieldState,
    ) -> Result<Performed, DeviceError> {
        let emptied = if self.clear {
            clearing::clear(client, self.display, None, field.caret).await?
        } else {
            Emptied::Yes
        };
        let arrived = match emptied {
            Emptied::Yes => Arrival::There,
            Emptied::AtStart => Arrival::Unknown(FURTHER_LINES.to_owned()),
            Emptied::Unknown(_) => Arrival::Unknown(NOT_TOLD_WHAT_IS_LEFT.to_owned()),
        };
        let uncertain = match self.finish(client, arrived).await? {
            Arrival::Unknown(why) | Arrival::Different(why) | Arrival::Altered(why) => Some(why),
            Arrival::There | Arrival::Composing | Arrival::Nothing => None,
        };
        Ok(Performed { uncertain, secret_field: field.secret, ..Performed::done() })
    }

    /// Types the text in one way, and presses enter if it may have arrived.
    async fn try_way(
        self,
        client: &Arc<DeviceClient>,
        way: &TypingMethod,
        target: &mut Target,
        is_first: bool,
    ) -> Result<Arrival, DeviceError> {
        let TypingMethod::Ime(id, methods) = way else {
            return self.try_active(client, way, target, is_first).await;
        };
        let switch = ImeSwitch::activate(client, id, methods).await?;
        let typed = self.try_active(client, way, target, is_first).await;
        switch.restore().await;
        typed
    }

    async fn try_active(
        self,
        client: &Arc<DeviceClient>,
        way: &TypingMethod,
        target: &mut Target,
        is_first: bool,
    ) -> Result<Arrival, DeviceError> {
        let keyboard = if let TypingMethod::Ime(id, _) = way { Some(id.as_str()) } else { None };
        let Target { before, hides, sent, .. } = target;
        if is_first {
            if self.clear {
                let emptied = clearing::clear(client, self.display, keyboard, before.caret).await?;
                *before = match emptied {
                    Emptied::Yes => before.emptied(),
                    // With the caret a text that comes late is waited for before the field is looked at.
                    Emptied::AtStart => FieldBefore {
                        caret: Some(Caret::START),
                        maybe_empty: true,
                        shown: clearing::shown_text(client).await,
                        ..before.clone()
                    },
                    Emptied::Unknown(shown) => {
                        FieldBefore { caret: None, maybe_empty: true, shown, ..before.clone() }
                    }
                };
            }
        } else if keyboard.is_some() {
            // A keyboard that is put aside may hand over what it was composing.
            match field::arrival(client, before, self.text, hides).await {
                Arrival::Nothing => {}
                Arrival::Altered(why) => {
                    let emptied =
                        clearing::clear(client, self.display, keyboard, before.caret).await?;
                    if emptied != Emptied::Yes {
                        return Ok(Arrival::Different(format!(
                            "{why}; whether the field could be emptied to type it again is not known"
                        )));
                    }
                    *before = before.emptied();
                }
                arrived => return self.finish(client, arrived).await,
            }
        }
        *sent += 1;
        match way {
            TypingMethod::KeyEvents => self.type_by_keys(client, before, hides).await?,
            TypingMethod::Yadb => type_by_yadb(client, self.text).await?,
            TypingMethod::Ime(id, _) => ime::commit(client, id, self.text).await?,
        }
        let arrived = field::arrival(client, before, self.text, hides).await;
        self.finish(client, arrived).await
    }

    /// Types it part by part. A part that the phone does not end in time may have arrived all the same: the next one
    /// follows only where the field shows that it has.
    async fn type_by_keys(
        self,
        client: &DeviceClient,
        before: &FieldBefore,
        hides: &mut Hides,
    ) -> Result<(), DeviceError> {
        let parts = keys::parts(self.text, self.display);
        let partly = |done: usize, error: &DeviceError| {
            let told = format!("{done} of {} parts were typed, then: {error}", parts.len());
            client.garbled("the text", told)
        };
        for (index, part) in parts.iter().enumerate() {
            let limit = client.limits().shell + part.takes;
            let output = match client.act("the text", &part.line, limit).await {
                Ok(output) => output,
                Err(error) if error.ends_driving() => return Err(error),
                Err(error) => {
                    let is_late = matches!(error, DeviceError::TimedOut { .. });
                    if is_late && is_typed(client, before, &self.text[..part.end], hides).await {
                        continue;
                    }
                    return Err(if index == 0 { error } else { partly(index, &error) });
                }
            };
            if let Err(error) = gesture::ensure_accepted(client, "the text", &output) {
                let untouched = index == 0 && !part.several;
                return Err(if untouched { error } else { partly(index, &error) });
            }
        }
        Ok(())
    }

    /// Presses enter if that is wanted, and the text may be there.
    async fn finish(self, client: &DeviceClient, arrived: Arrival) -> Result<Arrival, DeviceError> {
        let may_be_there =
            matches!(arrived, Arrival::There | Arrival::Composing | Arrival::Unknown(_));
        if self.submit && may_be_there {
            let enter = gesture::key(ayeaye_agent::Key::Enter).on_display(self.display);
            match enter.send(client, "the enter key").await {
                Ok(()) => {}
                // Whether it was pressed is not known, or somebody else has the phone; the text is there either way.
                Err(error) if error.ends_driving() => return Err(error),
                Err(error) if error.may_have_acted() => return Err(error),
                Err(error) => {
                    let why = format!("the text was typed, then: {}", error_chain(&error));
                    return Ok(Arrival::Different(why));
                }
            }
        }
        Ok(arrived)
    }
}

fn check(client: &DeviceClient, text: &str) -> Result<(), DeviceError> {
    let refused = |reason: String| Err(client.not_sent("the text", reason));
    if MAX_BYTES < text.len() {
        return refused(format!("it has more than {MAX_BYTES} bytes; type it in parts"));
    }
    if let Some(control) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return refused(format!("it has the control character U+{:04X}", u32::from(control)));
    }
    Ok(())
}

async fn is_typed(
    client: &DeviceClient,
    before: &FieldBefore,
    text: &str,
    hides: &mut Hides,
) -> bool {
    let arrived = field::arrival(client, before, text, hides).await;
    matches!(arrived, Arrival::There | Arrival::Composing)
}

async fn type_by_yadb(client: &DeviceClient, text: &str) -> Result<(), DeviceError> {
    let word = quote(text).map_err(|e| client.not_sent("the text", e.to_string()))?;
    let command = format!(
        "app_process -Djava.class.path={YADB} /data/local/tmp com.ysbing.yadb.Main -keyboard {word}"
    );
    let output = client.act_quick("the text", &command).await?;
    gesture::ensure_accepted(client, "the text", &output)
}

/// Waits until the tapped field has brought up the keyboard. Phones with a hardware keyboard never
/// show one, so running out of time is no error.
async fn wait_for_keyboard(client: &DeviceClient) -> Result<FieldState, DeviceError> {
    let deadline = Instant::now() + client.limits().keyboard;
    loop {
        let output = client.shell_quick("the keyboard's state", FIELD_QUERY).await?;
        let field = FieldState::read(&output.stdout);
        if field.keyboard_shown != Some(false) || deadline <= Instant::now() {
            return Ok(field);
        }
        sleep(Duration::from_millis(80)).await;
    }
}
