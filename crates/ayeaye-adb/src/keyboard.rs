//! The keyboard that types any text, put on a phone and taken away again.
use std::time::Duration;

use ayeaye_agent::{Device as _, DeviceError, Elements, Gesture, Pixel, Point};
use tokio::time::{Instant, sleep};

use crate::apps;
use crate::device::AdbDevice;
use crate::ime;
use crate::parse::first_component;
use crate::quote::quote;
use crate::{gesture, install, refusal};

/// How long a phone may take to notice a keyboard that has just been installed.
const NOTICED: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(300);
/// How long a screen may take to show a field, in the times that a keyboard has.
const FIELD: u32 = 8;

/// What opens the search of the phone's settings, since Android 10, and what opens their first page.
const SETTINGS: [&str; 2] = ["android.settings.APP_SEARCH_SETTINGS", "android.settings.SETTINGS"];
/// The apps that show the settings and search them, besides the one that a phone names itself.
const SETTINGS_APPS: [&str; 3] = [
    "com.android.settings",
    "com.android.settings.intelligence",
    "com.google.android.settings.intelligence",
];

/// What there is on a phone to type any text with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyboardState {
    /// The keyboard of the `ADBKeyboard` family that is installed, as `package/class`.
    pub installed: Option<String>,
    /// Whether it may be chosen.
    pub enabled: bool,
    /// The keyboard in use.
    pub current: Option<String>,
    /// Why the phone lets no computer choose its keyboard, and the way out.
    pub refusal: Option<String>,
}

impl KeyboardState {
    /// Whether texts of any script can be typed.
    pub fn is_usable(&self) -> bool {
        let in_use = self.installed.is_some() && self.installed == self.current;
        in_use || self.installed.is_some() && self.refusal.is_none()
    }
}

/// What typing a text into a field has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The field held exactly that text.
    Exact,
    /// It held something else.
    Different(String),
    /// There was no field to try it in.
    NoField,
}

impl AdbDevice {
    /// What there is to type any text with.
    pub async fn keyboard(&self) -> Result<KeyboardState, DeviceError> {
        let (methods, _) = ime::query(self.client()).await?;
        let installed = ime::find(&methods);
        Ok(KeyboardState {
            enabled: installed.as_ref().is_some_and(|id| methods.enabled.contains(id)),
            installed,
            current: methods.current.clone(),
            refusal: methods.refusal.as_deref().and_then(refusal::reason),
        })
    }

    /// Installs a package file.
    pub async fn install(&self, apk: &[u8]) -> Result<(), DeviceError> {
        install::install(self.client(), apk).await
    }

    /// Removes an app with its data.
    pub async fn uninstall(&self, package: &str) -> Result<(), DeviceError> {
        install::uninstall(self.client(), package).await
    }

    /// Lets the keyboard be chosen, once the phone knows it: that takes a while after its installation.
    /// Returns its id.
    pub async fn enable_keyboard(&self) -> Result<String, DeviceError> {
        let (client, what) = (self.client(), "the keyboard");
        let deadline = Instant::now() + NOTICED;
        loop {
            let (methods, _) = ime::query(client).await?;
            let refused = methods.refusal.as_deref().and_then(refusal::reason);
            match (ime::find(&methods), refused) {
                (Some(id), _) if methods.enabled.contains(&id) => return Ok(id),
                (_, Some(reason)) => return Err(client.refused(what, reason)),
                (Some(id), None) => {
                    let word = quote(&id).map_err(|e| client.refused(what, e.to_string()))?;
                    let output = client.act_quick(what, &format!("ime enable {word}")).await?;
                    let told = output.combined();
                    if let Some(reason) = refusal::reason(&told) {
                        return Err(client.refused(what, reason));
                    }
                    let unknown = told.to_ascii_lowercase().contains("unknown input method");
                    if output.exit_code != 0 && !unknown {
                        return Err(client.refused(what, output.summary()));
                    }
                }
                (None, None) => {}
            }
            if deadline <= Instant::now() {
                return Err(client.refused(
                    what,
                    "it is installed, but the phone does not list it among its keyboards: switch it on in \
                     Settings, Languages & input, On-screen keyboard",
                ));
            }
            sleep(POLL).await;
        }
    }

    /// Types a text into the search field of the phone's settings, reads it back, and goes home. Nothing is touched
    /// where another app is in front.
    pub async fn prove_typing(&self, text: &str) -> Result<Proof, DeviceError> {
        self.wake().await?;
        let Some(apps) = self.open_settings().await? else { return Ok(Proof::NoField) };
        let (proof, back) = match self.field(&apps).await? {
            // Whatever is in front is left as it is.
            None => (Ok(Proof::NoField), "input keyevent 3"),
            // Whatever came of it: the keyboard goes, the search goes, the launcher comes.
            Some(at) => {
                let back = "input keyevent 4; input keyevent 4; input keyevent 3";
                (self.typed_at(at, text).await, back)
            }
        };
        let output = self.client().act_quick("going home", back).await?;
        gesture::ensure_accepted(self.client(), "going home", &output)?;
        proof
    }

    /// Opens the phone's settings, at their search where that can be; the packages that may show them. `None` if
    /// the phone opens neither.
    async fn open_settings(&self) -> Result<Option<Vec<String>>, DeviceError> {
        let (client, what) = (self.client(), "opening the settings");
        for action in SETTINGS {
            // The first page, and not what was left open in them.
            let start = format!("am start -f 0x10008000 -a {action}");
            let output = client.act_quick(what, &start).await?;
            if let Some(why) = apps::refusal(&output.combined(), output.exit_code) {
                tracing::debug!(device = %client.id(), "{action}: {why}");
                continue;
            }
            let ask = format!("cmd package resolve-activity --brief -a {action}");
            let named = first_component(&client.shell_quick(what, &ask).await?.stdout);
            let known = SETTINGS_APPS.map(ToOwned::to_owned).into_iter();
            return Ok(Some(known.chain(named.map(|(package, _)| package)).collect()));
        }
        Ok(None)
    }

    async fn is_in_front(&self, packages: &[String]) -> Result<bool, DeviceError> {
        let front = self.state().await?.foreground;
        Ok(front.is_some_and(|app| packages.contains(&app.package)))
    }

    /// Waits until no text is being typed, and until the phone has its own keyboard back after one whose typing was
    /// given up; at most as long as that is tried.
    pub async fn keyboard_is_back(&self) {
        self.client().own_keyboard_is_back().await;
    }

    async fn typed_at(&self, at: Pixel, text: &str) -> Result<Proof, DeviceError> {
        let size = self.info().await?.screen;
        let fraction = |at: u32, of: u32| f64::from(at) / f64::from(of.max(1));
        let point = Point::from_fractions(fraction(at.x, size.width), fraction(at.y, size.height));
        let off =
            |error: ayeaye_agent::OffScreen| self.client().refused("the text", error.to_string());
        let text_entry = Gesture::Type {
            text: text.to_owned(),
            point: Some(point.map_err(off)?),
            // What was searched for last may still stand there.
            clear: true,
            submit: false,
        };
        let unchanged = match self.perform(&text_entry, size).await {
            Ok(_) => None,
            // The phone has accepted all, and it may be that nothing has come of it.
            Err(error) if is_about_the_text(&error) => Some(error),
            Err(error) => return Err(error),
        };
        let read = async || {
            let Some(xml) = self.ui_tree().await? else { return Ok(None) };
            let elements = Elements::read_on_blocking_thread(xml).await.unwrap_or_default();
            let fields = elements.iter().filter(|it| is_field(&it.class));
            Ok::<_, DeviceError>(fields.map(|it| it.text.clone()).max_by_key(String::len))
        };
        let held = read().await?;
        match (held, unchanged) {
            (Some(held), _) if held == text => Ok(Proof::Exact),
            (Some(held), _) => Ok(Proof::Different(held)),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(Proof::NoField),
        }
    }

    /// The middle of the first field on a screen of these apps; what looks like a search is opened first.
    async fn field(&self, apps: &[String]) -> Result<Option<Pixel>, DeviceError> {
        let deadline = Instant::now() + FIELD * self.client().limits().keyboard;
        let mut searched = false;
        while Instant::now() < deadline {
            if !self.is_in_front(apps).await? {
                sleep(POLL).await;
                continue;
            }
            let elements = match self.ui_tree().await? {
                // Another app may have come while they were listed.
                Some(xml) if self.is_in_front(apps).await? => {
                    Elements::read_on_blocking_thread(xml).await
                }
                _ => None,
            };
            let Some(elements) = elements else {
                sleep(POLL).await;
                continue;
            };
            if let Some(field) = elements.iter().find(|it| is_field(&it.class) && !it.password) {
                return Ok(Some(middle(field.bounds)));
            }
            let search = elements
                .iter()
                .find(|it| it.resource_id.contains("search") && it.bounds[0] < it.bounds[2]);
            if let Some(search) = search.filter(|_| !searched) {
                searched = true;
                let Pixel { x, y } = middle(search.bounds);
                let line = format!("input tap {x} {y}");
                let output = self.client().act_quick("opening the search", &line).await?;
                gesture::ensure_accepted(self.client(), "opening the search", &output)?;
            }
            sleep(POLL).await;
        }
        Ok(None)
    }

    /// Takes the keyboard away: it is switched off, and its app is removed. Where it was in use the only other one that
    /// can type takes its place; of several, Android chooses. Returns the package, or `None` if there was none.
    pub async fn remove_keyboard(&self) -> Result<Option<String>, DeviceError> {
        let (client, what) = (self.client(), "the removal of the keyboard");
        let (methods, _) = ime::query(client).await?;
        let Some(id) = ime::find(&methods) else { return Ok(None) };
        if methods.refusal.is_none() {
            let word = |id: &str| quote(id).map_err(|e| client.refused(what, e.to_string()));
            let mut line = format!("ime disable {}", word(&id)?);
            if methods.current.as_ref() == Some(&id)
                && let Some(own) = only_other(&methods.enabled, &id)
            {
                line = format!("ime set {}; {line}", word(own)?);
            }
            // A failure is no reason to keep the app.
            client.act_quick(what, &line).await?;
        }
        let package = id.split('/').next().unwrap_or_default().to_owned();
        install::uninstall(client, &package).await?;
        Ok(Some(package))
    }
}

/// The only enabled keyboard besides this one that has keys. Left to itself Android prefers one of the system with
/// English among its languages (AOSP, `InputMethodInfoUtils.getMostApplicableDefaultIME`).
fn only_other<'a>(enabled: &'a [String], id: &str) -> Option<&'a str> {
    // What takes dictation is among the keyboards too.
    let is_voice = |id: &str| {
        let id = id.to_ascii_lowercase();
        ["voice", "dictation"].iter().any(|word| id.contains(word))
    };
    let mut others = enabled.iter().filter(|it| *it != id && !is_voice(it));
    others.next().filter(|_| others.next().is_none()).map(String::as_str)
}

/// Whether it is the text that was refused, and not the phone that lets nobody type or change its keyboard.
fn is_about_the_text(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Refused { what, reason, .. }
        if what == "the text" && !refusal::names_the_mend(reason))
}

fn is_field(class: &str) -> bool {
    ["EditText", "AutoCompleteTextView", "SearchAutoComplete"]
        .iter()
        .any(|end| class.ends_with(end))
}

fn middle([left, top, right, bottom]: [i32; 4]) -> Pixel {
    let half =
        |low: i32, high: i32| u32::try_from(i32::midpoint(low.max(0), high.max(0))).unwrap_or(0);
    Pixel { x: half(left, right), y: half(top, bottom) }
}
