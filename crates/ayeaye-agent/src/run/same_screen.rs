//! Before an act: is the screen still the one that it was decided on? While a model thinks, another app may
//! come to the front, a dialog may open, or a page may put another button under the finger.
use super::Run;
use super::decided_act::DecidedAct;
use super::observer::Observation;
use super::outcome::RunError;
use super::put_off::PutOffs;
use super::recipient::Recipient;
use crate::elements::Elements;
use crate::gate::{ControlFacts, Rule, ScreenFacts, is_same_later};
use crate::settle::{is_unchanged_at, looks_same_at};
use crate::{DeviceError, Frame, Gesture, Key, ScreenSize, ScreenState, error_chain};

/// How far around a point the screen has to be the same, in parts of its width and height.
const AROUND: (f64, f64) = (0.2, 0.06);
/// Where the name of who is written to stands, below the status bar with its clock, in parts of the height.
const HEADER: (f64, f64) = (0.04, 0.13);
const WHOLE: [i32; 4] = [0, 0, i32::MAX, i32::MAX];

/// The screen right before an act, compared with the one it was decided on.
#[derive(Debug)]
pub(super) enum ScreenNow {
    /// It is the same, as far as can be told.
    Same,
    /// It is that one, and what a harmless act is aimed at is called this by now, which differs in its digits.
    Ticks(String),
    /// It is off, and must be switched on and looked at again.
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
    /// Somebody else is named at the top, or what is named there has a count with it.
    OtherName {
        in_digits: bool,
    },
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
        // Listed while the phone was turned: what lies there is not what was seen there.
        let size = observation.frame.size();
        if observation.elements.tree().is_some_and(|it| it.elements.are_turned(size)) {
            return Ok(ScreenNow::Changed("the screen was turned".to_owned()));
        }
        let strict = self.is_strict(act);
        let Some(look) = self.observer.look_before_act(observation, strict).await? else {
            return Ok(ScreenNow::Same);
        };
        let look = match &*look {
            Ok(look) => look,
            Err(err) => return Ok(unseen(err)),
        };
        if let Some(other) = other_screen(&look.state, gesture, observation)
            .or_else(|| other_size(look.frame.size(), gesture, observation))
        {
            return Ok(other);
        }
        let places = ComparedAreas::of(gesture, names_recipient(act), observation);
        let alike = look.same || !strict && look.alike;
        if places.look_same(&observation.frame, (&look.frame, alike), strict) {
            self.state.put_off = PutOffs::default();
            return Ok(ScreenNow::Same);
        }
        let compared = self.compare_elements(act, observation).await?;
        if let Some(why) = self.what_has_changed(compared.as_ref()) {
            return Ok(ScreenNow::Changed(why.to_owned()));
        }
        let is_same = compared == Some(Compared::Same) && observation.has_elements_of_its_frame();
        if is_same
            || self.may_act_on_other_picture(act, compared.as_ref(), &places, &look.frame).await?
        {
            return self.same_but_for_digits(gesture, observation, compared).await;
        }
        self.state.put_off.add(gesture);
        Ok(ScreenNow::Changed("the screen has changed where it was aimed at".to_owned()))
    }

    /// A difference that the phone's list of elements shows to the screen that an act was decided on, as a clause.
    fn what_has_changed(&self, compared: Option<&Compared>) -> Option<&'static str> {
        match compared? {
            Compared::Other => Some("what it was aimed at has changed"),
            // A client that acts itself would be put off each time anew.
            Compared::OtherName { in_digits: true } if self.is_direct => None,
            Compared::OtherName { .. } => Some("the name at the top has changed"),
            Compared::Same | Compared::OtherDigits(_) => None,
        }
    }

    /// Whether an act may be done although the screen looks different, and nothing tells that it is another one:
    /// because it never rests.
    async fn may_act_on_other_picture(
        &mut self,
        act: &DecidedAct<'_>,
        compared: Option<&Compared>,
        places: &ComparedAreas,
        now: &Frame,
    ) -> Result<bool, RunError> {
        let strict = self.is_strict(act);
        // Where a screen never rests and does not say what is on it, its app is all there is to go by.
        if !strict && self.state.put_off.are_enough_for(act.gesture) {
            return Ok(true);
        }
        if let Some(Compared::OtherName { .. }) = compared {
            let rests = |before: &_, now: &_| places.is_named_the_same(before, now);
            return Ok(self.observer.never_rests(now, rests).await?);
        }
        if strict || !self.is_direct {
            return Ok(false);
        }
        let rests = |before: &_, now: &_| places.rest(before, now);
        Ok(self.observer.never_rests(now, rests).await?)
    }

    /// What an act that may be done goes by: the screen that it was decided on, with digits of its own perhaps. While
    /// elements were compared, which may have taken seconds, it can have become another one after all.
    async fn same_but_for_digits(
        &mut self,
        gesture: &Gesture,
        observation: &Observation,
        compared: Option<Compared>,
    ) -> Result<ScreenNow, RunError> {
        let state = match self.observer.state_now().await? {
            Ok(state) => state,
            Err(err) => return Ok(unseen(&err)),
        };
        if let Some(other) = other_screen(&state, gesture, observation) {
            return Ok(other);
        }
        self.state.put_off = PutOffs::default();
        Ok(match compared {
            Some(Compared::OtherDigits(name)) => ScreenNow::Ticks(name),
            _ => ScreenNow::Same,
        })
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
        let (size, hidden) = (observation.frame.size(), observation.state.secret_field);
        if now.are_turned(size) {
            return Ok(Some(Compared::Other));
        }
        let strict = self.is_strict(act);
        let mut names_nobody = false;
        if !strict && names_recipient(act) {
            let [before, now] = [before, &now].map(|it| Recipient::on(it, size));
            if !now.is_still(&before, passed) {
                let types = matches!(act.gesture, Gesture::Type { .. });
                let in_digits = types && now.differs_in_digits(&before);
                return Ok(Some(Compared::OtherName { in_digits }));
            }
            names_nobody = now.names_nobody();
        }
        let facts = |of: &Elements| ScreenFacts::new(Some(of), act.gesture, size, hidden);
        let (mut before, mut now) = (facts(before), facts(&now));
        if !strict {
            (before, now) = only_what_is_aimed_at(act.gesture, before, now);
        }
        if names_nobody && before.aimed.iter().chain(&before.focused).all(is_without_text) {
            return Ok(None);
        }
        let ticks = !strict && act.rests_on(Rule::Harmless) && differ_in_digits(&before, &now);
        let name = now.aimed.iter().flat_map(|it| &it.names).take(2).cloned().collect::<Vec<_>>();
        Ok(Some(if is_same_later(before, now, passed) {
            Compared::Same
        } else if ticks {
            Compared::OtherDigits(name.join(" "))
        } else {
            Compared::Other
        }))
    }

    /// Whether the phone's reported state shows that the screen is still the one that an act was decided on.
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
        _ if types && state.secret_field != observation.state.secret_field => {
            "another field has the focus now".to_owned()
        }
        _ => return None,
    };
    Some(ScreenNow::Changed(why))
}

/// Whether the screen has another size than the one for which a gesture was reckoned.
fn other_size(now: ScreenSize, gesture: &Gesture, observation: &Observation) -> Option<ScreenNow> {
    let size = observation.frame.size();
    (is_drawn_for_size(gesture) && now != size).then(|| {
        let why = format!("the screen was turned or has another size now: {now} instead of {size}");
        ScreenNow::Changed(why)
    })
}

/// Whether where a gesture goes is reckoned from the size of the screen: of a scroll without a place too.
fn is_drawn_for_size(gesture: &Gesture) -> bool {
    matches!(gesture, Gesture::Scroll { .. }) || !gesture.points().is_empty()
}

fn unseen(err: &DeviceError) -> ScreenNow {
    ScreenNow::Changed(format!("the phone could not be looked at before: {}", error_chain(err)))
}

/// Whether the effect of a gesture depends on what is on the screen.
pub(super) fn depends_on_screen(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Awake { .. } | Gesture::Command(_) => false,
        Gesture::HotKey { key } => !matches!(key, Key::Power | Key::Home),
        _ => true,
    }
}

/// Whether a phone ignores a gesture while its screen is off.
pub(super) fn needs_light(gesture: &Gesture) -> bool {
    depends_on_screen(gesture) || matches!(gesture, Gesture::HotKey { key: Key::Home })
}

/// Two screens without all that a gesture is not aimed at. What is aimed at nothing may hit a dialog by now, so that
/// for it nothing is left out; but a text without a place goes to what has the focus.
fn only_what_is_aimed_at(
    gesture: &Gesture,
    before: ScreenFacts,
    now: ScreenFacts,
) -> (ScreenFacts, ScreenFacts) {
    let types = matches!(gesture, Gesture::Type { .. });
    let has_focus = types && before.aimed.is_empty() && before.focused.is_some();
    if !has_focus && before.aimed.is_empty() {
        return (before, now);
    }
    let only = |it: ScreenFacts| ScreenFacts {
        aimed: it.aimed,
        focused: it.focused.filter(|_| has_focus),
        ..ScreenFacts::default()
    };
    (only(before), only(now))
}

/// Whether a control says nothing: of an app that draws everything itself, all screens say the same.
fn is_without_text(control: &ControlFacts) -> bool {
    let texts = control.names.iter().chain(&control.beside);
    texts.chain([&control.hint, &control.resource_id]).all(String::is_empty)
}

/// Whether what is aimed at is the same but for digits, as a stopwatch and a download that goes on are. So are two
/// trains; what is harmless is lost with a step back, and the model is told.
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

/// Whether it matters who is named at the top.
fn names_recipient(act: &DecidedAct<'_>) -> bool {
    matches!(act.gesture, Gesture::Type { .. }) || act.rests_on(Rule::AskedFor)
}

/// Where the screen must look the same for a gesture. Left, top, right and bottom in pixels.
struct ComparedAreas {
    /// Where it touches, with what is around it; `None` if it is not known where a text goes.
    touched: Option<Vec<[i32; 4]>>,
    /// Where names stand, where it matters who is named: to the pixel, since two names may differ in a letter. And
    /// whether a caret may blink there.
    header: Option<([i32; 4], bool)>,
}

impl ComparedAreas {
    fn of(gesture: &Gesture, names_recipient: bool, observation: &Observation) -> Self {
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
        let tree = observation.elements.tree();
        let focused = tree.and_then(|tree| tree.elements.iter().find(|it| it.focused));
        let written = focused.map(|it| it.bounds);
        let touched = match touched {
            None if matches!(gesture, Gesture::Type { .. }) => written.map(|it| vec![it]),
            touched => Some(touched.into_iter().collect()),
        };
        let header = pixels(0.0, HEADER.0, 1.0, HEADER.1);
        let is_at_top = |it: [i32; 4]| it[1] < header[3] && header[1] < it[3];
        // With a tree names are compared as well, by what it says.
        let has_caret = written.map_or(tree.is_none(), is_at_top);
        Self { touched, header: names_recipient.then_some((header, has_caret)) }
    }

    /// Whether they do in two frames, of which it is known whether they look alike as a whole. A `strict` look takes
    /// the whole.
    fn look_same(&self, before: &Frame, (now, alike): (&Frame, bool), strict: bool) -> bool {
        let touched = || self.touched.is_some() && self.touched_look_same(before, now);
        self.is_named_the_same(before, now) && (alike || !strict && touched())
    }

    /// Whether names look the same to the pixel, where it matters who is named.
    fn is_named_the_same(&self, before: &Frame, now: &Frame) -> bool {
        self.header.is_none_or(|(place, has_caret)| is_unchanged_at(before, now, place, has_caret))
    }

    /// Whether nothing moves in any of them, as they are told from what has changed; on the whole screen where it is
    /// not known where a text goes.
    fn rest(&self, before: &Frame, now: &Frame) -> bool {
        self.is_named_the_same(before, now) && self.touched_look_same(before, now)
    }

    fn touched_look_same(&self, before: &Frame, now: &Frame) -> bool {
        let all = self.touched.as_deref().unwrap_or(&[WHOLE]);
        all.iter().all(|it| looks_same_at(before, now, *it))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn a_name_at_the_top_is_another_one_by_a_letter() {
        let size = ScreenSize { width: 540, height: 1200 };
        let white = vec![255; (size.width * size.height * 4) as usize];
        let before = Frame::new(size, Bytes::from(white)).unwrap();
        let header = Some(([0, 48, 540, 156], false));
        let places = ComparedAreas { touched: Some(vec![[0, 1100, 540, 1180]]), header };
        let searched = ComparedAreas { header: Some(([0, 48, 540, 156], true)), touched: None };
        let nobody = ComparedAreas { header: None, touched: places.touched.clone() };
        for (area, named, elsewhere) in [
            // An "a" that has become an "e", and an "l" an "i".
            ([100, 80, 112, 96], false, true),
            ([100, 80, 103, 84], false, true),
            // An "l" at the end, which looks as a caret does.
            ([100, 80, 102, 104], false, true),
            // Below the top, and where the text goes.
            ([100, 400, 112, 416], true, true),
            ([100, 1120, 140, 1150], false, false),
        ] {
            let now = before.with_black_areas(&[area]);
            assert_eq!(places.look_same(&before, (&now, false), false), named, "{area:?}");
            assert_eq!(nobody.look_same(&before, (&now, false), false), elsewhere, "{area:?}");
        }
        // Alike as a whole is too little to go by where somebody is named.
        let now = before.with_black_areas(&[[100, 80, 104, 90]]);
        assert!(!places.look_same(&before, (&now, true), false));
        assert!(nobody.look_same(&before, (&now, true), false));
        // In a field that stands there a caret blinks.
        let now = before.with_black_areas(&[[100, 80, 102, 104]]);
        assert!(searched.look_same(&before, (&now, true), false));
    }

    #[test]
    fn what_has_changed_does_not_rest() {
        let size = ScreenSize { width: 540, height: 1200 };
        let white = vec![255; (size.width * size.height * 4) as usize];
        let before = Frame::new(size, Bytes::from(white)).unwrap();
        let places = ComparedAreas {
            touched: Some(vec![[0, 1100, 540, 1180]]),
            header: Some(([0, 48, 540, 156], false)),
        };
        // Something small that turns at the top, and a caret that blinks below.
        let turned = before.with_black_areas(&[[100, 80, 104, 90]]);
        let blinked = before.with_black_areas(&[[100, 1120, 102, 1140]]);
        for (now, rests) in [(&turned, false), (&blinked, true)] {
            assert_eq!(places.look_same(&before, (now, true), false), rests);
            assert_eq!(places.rest(&before, now), rests);
        }
    }
}
