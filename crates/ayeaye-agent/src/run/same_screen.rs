//! Before an act: is the screen still the one that it was decided on? While a model thinks, another app may
//! come to the front, a dialog may open, or a page may put another button under the finger.
use super::Run;
use super::decided_act::DecidedAct;
use super::observer::Observation;
use super::outcome::RunError;
use super::put_off::PutOffs;
use crate::elements::Elements;
use crate::gate::{Rule, ScreenFacts, is_same_later};
use crate::settle::looks_same_at;
use crate::{DeviceError, Gesture, Key, ScreenState, error_chain};

/// The most digits of a number of what is unread, as a rule.
const UNREAD_DIGITS: usize = 3;
/// How far around a point the screen has to be the same, in parts of its width and height.
const AROUND: (f64, f64) = (0.2, 0.06);
/// Where the name of who is written to stands, below the status bar with its clock, in parts of the height.
const HEADER: (f64, f64) = (0.04, 0.13);

/// The screen before an act, beside the one that it was decided on.
#[derive(Debug)]
pub(super) enum ScreenNow {
    /// As far as can be told it is that one.
    Same,
    /// It is that one, and what a harmless act is aimed at is called this by now, which differs in its digits.
    Ticks(String),
    /// It is off: it is to be switched on again and looked at once more.
    Dark,
    /// The act must not be carried out, as a clause.
    Changed(String),
}

/// What the phone lists on the screen, beside what it listed when an act was decided on.
#[derive(Debug, PartialEq, Eq)]
enum Compared {
    Same,
    /// A harmless act is aimed at something that is the same but for its digits, and is called this now.
    OtherDigits(String),
    /// Somebody else is named at the top.
    OtherName,
    Other,
}

impl Run {
    /// Whether the screen is still the one that an act was decided on.
    pub(super) async fn screen_now(
        &mut self,
        act: &DecidedAct<'_>,
        observation: &Observation,
    ) -> Result<ScreenNow, RunError> {
        let gesture = act.gesture;
        if !depends_on_screen(gesture) {
            return Ok(ScreenNow::Same);
        }
        let strict = self.is_strict(act);
        let Some(look) = self.observer.look_before_act(observation, strict).await? else {
            return Ok(ScreenNow::Same);
        };
        let look = match &*look {
            Ok(look) => look,
            Err(err) => return Ok(unseen(err)),
        };
        if let Some(other) = other_screen(&look.state, gesture, observation) {
            return Ok(other);
        }
        let size = observation.frame.size();
        let places = places(gesture, act.rests_on(Rule::AskedFor), observation);
        let looks_same = look.same
            || !strict
                && (look.alike
                    || places.as_ref().is_some_and(|places| {
                        places.iter().all(|it| looks_same_at(&observation.frame, &look.frame, *it))
                    }));
        if looks_same {
            self.state.put_off = PutOffs::default();
            return Ok(ScreenNow::Same);
        }
        let compared = self.compare_elements(act, observation).await?;
        let may_act = match &compared {
            Some(Compared::Same) if observation.has_elements_of_its_frame() => true,
            Some(Compared::Other) => {
                return Ok(ScreenNow::Changed("what it was aimed at has changed".to_owned()));
            }
            Some(Compared::OtherName) => {
                return Ok(ScreenNow::Changed("the name at the top has changed".to_owned()));
            }
            // Where a screen never rests and does not say what is on it, its app is all there is to go by.
            _ if !strict && self.state.put_off.are_enough_for(gesture) => true,
            // A client that acts itself would be put off each time anew.
            None | Some(Compared::OtherDigits(_)) if !strict && self.is_direct => {
                let side = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
                let whole = vec![[0, 0, side(size.width), side(size.height)]];
                let places = places.unwrap_or(whole);
                self.observer.never_rests_at(&places, &look.frame).await?
            }
            _ => false,
        };
        if may_act {
            // The elements may have taken seconds.
            return Ok(match self.observer.state_now().await? {
                Ok(state) => other_screen(&state, gesture, observation).unwrap_or_else(|| {
                    self.state.put_off = PutOffs::default();
                    match compared {
                        Some(Compared::OtherDigits(name)) => ScreenNow::Ticks(name),
                        _ => ScreenNow::Same,
                    }
                }),
                Err(err) => unseen(&err),
            });
        }
        self.state.put_off.add(gesture);
        Ok(ScreenNow::Changed("the screen has changed where it was aimed at".to_owned()))
    }

    /// How what the phone says is on the screen now compares with what an act was decided on; `None` where it says
    /// nothing.
    async fn compare_elements(
        &mut self,
        act: &DecidedAct<'_>,
        observation: &Observation,
    ) -> Result<Option<Compared>, RunError> {
        // There is nothing to compare them with otherwise.
        let Some(tree) = observation.elements.tree() else { return Ok(None) };
        let Some(now) = self.observer.elements_now().await? else { return Ok(None) };
        let (before, passed) = (&*tree.elements, tree.read_at.elapsed());
        let app = observation.app.as_deref().unwrap_or_default();
        if act.holds_secret && before.page_host(app) != now.page_host(app) {
            return Ok(Some(Compared::Other));
        }
        let (size, hidden) = (observation.frame.size(), observation.secret_field);
        let facts = |of: &Elements| ScreenFacts::new(Some(of), act.gesture, size, hidden);
        let (mut before, mut now) = (facts(before), facts(&now));
        let strict = self.is_strict(act);
        // What is aimed at nothing may hit a dialog by now.
        if !strict && !before.aimed.is_empty() {
            // The field and the button are the same whoever is written to.
            let names_whom =
                matches!(act.gesture, Gesture::Type { .. }) || act.rests_on(Rule::AskedFor);
            let aimed = |it: ScreenFacts| {
                let header = if names_whom { whom(&it) } else { Vec::new() };
                ScreenFacts { aimed: it.aimed, header, ..ScreenFacts::default() }
            };
            (before, now) = (aimed(before), aimed(now));
        }
        let ticks = !strict && act.rests_on(Rule::Harmless) && differ_in_digits(&before, &now);
        let is_other_name = !strict && before.header != now.header;
        let name = now.aimed.iter().flat_map(|it| &it.names).take(2).cloned().collect::<Vec<_>>();
        Ok(Some(if is_same_later(before, now, passed) {
            Compared::Same
        } else if ticks {
            Compared::OtherDigits(name.join(" "))
        } else if is_other_name {
            Compared::OtherName
        } else {
            Compared::Other
        }))
    }

    /// Whether what the phone says tells that the screen is still the one that an act was decided on.
    pub(super) async fn is_still_there(
        &mut self,
        act: &DecidedAct<'_>,
        observation: &Observation,
    ) -> Result<bool, RunError> {
        let compared = self.compare_elements(act, observation).await?;
        if compared != Some(Compared::Same) || !observation.has_elements_of_its_frame() {
            return Ok(false);
        }
        let state = self.observer.state_now().await?;
        Ok(state.is_ok_and(|it| other_screen(&it, act.gesture, observation).is_none()))
    }
}

/// Whether what the phone says of itself shows that the screen is not the one that an act was decided on.
fn other_screen(
    state: &ScreenState,
    gesture: &Gesture,
    observation: &Observation,
) -> Option<ScreenNow> {
    if !state.awake {
        return Some(ScreenNow::Dark);
    }
    let front = state.foreground.as_ref().zip(observation.app.as_deref());
    let types = matches!(gesture, Gesture::Type { .. });
    let why = match front {
        Some((front, before)) if before != front.package => {
            format!("another app has come to the front: {}", front.package)
        }
        Some((front, _)) if observation.activity() != front.activity => {
            format!("the app shows another screen now: {}", front.activity)
        }
        _ if types && state.secret_field != observation.secret_field => {
            "another field has the focus now".to_owned()
        }
        _ => return None,
    };
    Some(ScreenNow::Changed(why))
}

fn unseen(err: &DeviceError) -> ScreenNow {
    ScreenNow::Changed(format!("the phone could not be looked at before: {}", error_chain(err)))
}

/// Whether it matters for a gesture what is on the screen.
pub(super) fn depends_on_screen(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Awake { .. } | Gesture::Command(_) => false,
        Gesture::HotKey { key } => !matches!(key, Key::Power | Key::Home),
        _ => true,
    }
}

/// Who is named at the top: the first text with letters, and what stands before it and may be a name. Counts go on whoever
/// is written to, and are compared only where no name is written; what icons are called is mostly nobody's.
fn whom(facts: &ScreenFacts) -> Vec<String> {
    let (mut whom, mut counts) = (Vec::new(), Vec::new());
    let mut is_written = false;
    for (at, text) in facts.header.iter().enumerate() {
        if is_time(text) || is_glyph(text) {
            continue;
        }
        let digits = text.chars().filter(|it| it.is_numeric()).count();
        let has_letters = text.chars().any(char::is_alphabetic);
        if !has_letters && (1..=UNREAD_DIGITS).contains(&digits) {
            counts.push(text.clone());
            continue;
        }
        // A sign, a picture or a long number may be a name too, and may as well be a button's or a count.
        whom.push(text.clone());
        if has_letters {
            // Some apps write nothing, and describe everything.
            is_written = at < facts.written_header || facts.written_header == 0;
            break;
        }
    }
    if !is_written {
        whom.append(&mut counts);
    }
    whom
}

/// Whether a text is a time with signs around it, as calls, recordings and players have it at the top.
fn is_time(text: &str) -> bool {
    let is_sign = |it: char| {
        it.is_ascii_punctuation()
            || it.is_whitespace()
            || it.is_control()
            // Dashes and marks of direction, arrows and dots, and full-width brackets.
            || matches!(it, '\u{ad}' | '\u{2000}'..='\u{206f}' | '\u{2190}'..='\u{22ff}' | '（' | '）')
            || is_private_use(it)
    };
    let mut around = text.split(':').map(str::trim);
    let begins = around.next().is_some_and(|it| it.ends_with(char::is_numeric));
    begins
        && around.next().is_some_and(|it| it.starts_with(char::is_numeric))
        && text.chars().all(|it| it.is_numeric() || is_sign(it))
}

/// Whether a text is made of what only an app's own font shows (Unicode's private use areas).
fn is_glyph(text: &str) -> bool {
    text.chars().all(|it| it.is_whitespace() || is_private_use(it))
}

fn is_private_use(it: char) -> bool {
    matches!(it, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// Whether what is aimed at is the same but for digits, as a stopwatch and a download that goes on are. So are two trains;
/// what is harmless is lost with a step back, and the model is told.
fn differ_in_digits(before: &ScreenFacts, now: &ScreenFacts) -> bool {
    let letters = |facts: &ScreenFacts| {
        let mut aimed = facts.aimed.clone();
        for control in &mut aimed {
            let texts = control.names.iter_mut().chain(&mut control.beside);
            texts
                .chain(std::iter::once(&mut control.content))
                .for_each(|text| text.retain(|it| !it.is_numeric()));
        }
        aimed
    };
    let is_word = |name: &String| name.chars().any(char::is_alphabetic);
    let names = |of: &ScreenFacts| -> Vec<_> {
        of.aimed.iter().flat_map(|control| control.names.iter().cloned()).collect()
    };
    let (names_before, names_now) = (names(before), names(now));
    let words =
        |names: &[String]| names.iter().filter(|it| is_word(it)).cloned().collect::<Vec<_>>();
    let words_before = words(&names_before);
    // Of keys with digits nothing would be left to tell them apart. Where digits stand alone beside words, those must be
    // the same in all: "45 %" of a download is beside its name, and "12" of a calendar mostly beside "12 June 2026".
    let is_named = !words_before.is_empty()
        && (words_before.len() == names_before.len() || words_before == words(&names_now));
    is_named
        && before.header == now.header
        && before.aimed != now.aimed
        && letters(before) == letters(now)
}

/// Where the screen must look the same for a gesture: where it touches, with what is around it; for a text, and
/// for what the gate lets pass because of who is written to, also the header. Left, top, right and bottom in pixels;
/// `None` if it is not known where a text goes.
fn places(
    gesture: &Gesture,
    rests_on_header: bool,
    observation: &Observation,
) -> Option<Vec<[i32; 4]>> {
    let size = observation.frame.size();
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let target = observation.target(gesture).map(|it| it.rect);
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a screen")]
    let pixels = |left: f64, top: f64, right: f64, bottom: f64| {
        [
            (left * width) as i32,
            (top * height) as i32,
            (right * width) as i32,
            (bottom * height) as i32,
        ]
    };
    let around = |(x, y): (f64, f64)| {
        let around = pixels(x - AROUND.0, y - AROUND.1, x + AROUND.0, y + AROUND.1);
        // Beside a small control other things may move.
        let [left, top, right, bottom] = target.unwrap_or(around);
        let [a, b, c, d] = around;
        [left.max(a), top.max(b), right.min(c), bottom.min(d)]
    };
    let touched = gesture.points().first().map(|point| around(point.fractions()));
    let types = matches!(gesture, Gesture::Type { .. });
    let written = || {
        let elements = &observation.elements.tree()?.elements;
        elements.iter().find(|it| it.focused).map(|it| it.bounds)
    };
    let mut places: Vec<_> = match touched {
        None if types => vec![written()?],
        touched => touched.into_iter().collect(),
    };
    if types || rests_on_header {
        places.push(pixels(0.0, HEADER.0, 1.0, HEADER.1));
    }
    Some(places)
}
