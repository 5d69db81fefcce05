//! The keyboard that types any text, put on a phone and taken away again.
use std::time::Duration;

use ayeaye_agent::{Device as _, DeviceError, Elements, Gesture, Pixel, Point};
use tokio::time::{Instant, sleep};

use crate::device::AdbDevice;
use crate::ime;
use crate::quote::quote;
use crate::{gesture, install, refusal};

/// How long a phone may take to notice a keyboard that has just been installed.
const NOTICED: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(300);
/// How long a screen may take to show a field.
const FIELD: Duration = Duration::from_secs(12);

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
                    let output = client.shell_quick(what, &format!("ime enable {word}")).await?;
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

    /// Types a text into the search field of the phone's settings, reads it back, and goes home.
    pub async fn prove_typing(&self, text: &str) -> Result<Proof, DeviceError> {
        self.wake().await?;
        let client = self.client();
        client
            .shell_quick("opening the settings", "am start -a android.settings.APP_SEARCH_SETTINGS")
            .await?;
        let shown = self.field().await?;
        let proof = match shown {
            None => Ok(Proof::NoField),
            Some(at) => self.typed_at(at, text).await,
        };
        // Whatever came of it: the keyboard goes, the search goes, the launcher comes.
        let back = "input keyevent 4; input keyevent 4; input keyevent 3";
        let output = client.shell_quick("going home", back).await?;
        gesture::ensure_accepted(client, "going home", &output)?;
        proof
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
            clear: false,
            submit: false,
        };
        self.perform(&text_entry, size).await?;
        let read = async || {
            let Some(xml) = self.ui_tree().await? else { return Ok(None) };
            let elements = Elements::read_apart(xml).await.unwrap_or_default();
            let fields = elements.iter().filter(|it| is_field(&it.class));
            Ok::<_, DeviceError>(fields.map(|it| it.text.clone()).max_by_key(String::len))
        };
        let held = read().await?;
        let proof = match held {
            Some(held) if held == text => Proof::Exact,
            Some(held) => Proof::Different(held),
            None => Proof::NoField,
        };
        Ok(proof)
    }

    /// The middle of the first field on the screen; what looks like a search is opened first.
    async fn field(&self) -> Result<Option<Pixel>, DeviceError> {
        let deadline = Instant::now() + FIELD;
        let mut searched = false;
        while Instant::now() < deadline {
            let elements = match self.ui_tree().await? {
                Some(xml) => Elements::read_apart(xml).await,
                None => None,
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
                let output = self.client().shell_quick("opening the search", &line).await?;
                gesture::ensure_accepted(self.client(), "opening the search", &output)?;
            }
            sleep(POLL).await;
        }
        Ok(None)
    }

    /// Takes the keyboard away: another one is chosen if it was in use, it is switched off, and its app is
    /// removed. Returns the package, or `None` if there was none.
    pub async fn remove_keyboard(&self) -> Result<Option<String>, DeviceError> {
        let (client, what) = (self.client(), "the removal of the keyboard");
        let (methods, _) = ime::query(client).await?;
        let Some(id) = ime::find(&methods) else { return Ok(None) };
        let word = |id: &str| quote(id).map_err(|e| client.refused(what, e.to_string()));
        if methods.refusal.is_none() {
            let mut lines = Vec::new();
            let others = methods.enabled.iter().chain(&methods.installed);
            let next = others
                .filter(|other| **other != id)
                .find(|_| methods.current.as_ref() == Some(&id));
            if let Some(next) = next {
                lines.push(format!("ime set {}", word(next)?));
            }
            lines.push(format!("ime disable {}", word(&id)?));
            // A failure is no reason to keep the app: Android then takes another keyboard by itself.
            client.shell_quick(what, &lines.join("; ")).await?;
        }
        let package = id.split('/').next().unwrap_or_default().to_owned();
        install::uninstall(client, &package).await?;
        Ok(Some(package))
    }
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
