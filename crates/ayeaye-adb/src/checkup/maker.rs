//! What is particular to one maker's phones.
use ayeaye_agent::DeviceError;

use super::CheckupFinding;
use crate::device::AdbDevice;
use crate::parse::{Properties, batch, sanitize, split_batch};

const IN_SETTINGS: &str = "in Settings, Developer options, switch on ";
/// Xiaomi's own, without which a computer installs nothing.
const INSTALL_VIA_USB: &str = "\"Install via USB\"";

/// Whose phone it is, as far as it tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Maker {
    /// With the name of its Android.
    title: String,
    kind: MakerKind,
    has_own_system: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum MakerKind {
    Xiaomi {
        may_install: bool,
    },
    Oppo,
    Vivo,
    Samsung,
    Huawei,
    #[default]
    Other,
}

impl Maker {
    pub(super) async fn query(device: &AdbDevice) -> Result<Self, DeviceError> {
        // Few of the thousand that there are.
        let ask = batch(&[
            "getprop ro.product.manufacturer",
            "getprop | grep -E 'version[.](oneui|emui|magic|oplusrom|opporom|realmeui)|(magic|platform)[.]version|\
             version[.]name|vivo[.]os|adbinstall'",
        ]);
        let output = device.client().shell_quick("its maker", &ask).await?;
        let [name, properties] = split_batch(&output.stdout);
        Ok(Self::read(name, &Properties::read(properties)))
    }

    fn read(name: &str, properties: &Properties) -> Self {
        let name = sanitize(name.trim());
        let kind = match name.to_ascii_lowercase().as_str() {
            "xiaomi" | "redmi" | "poco" => {
                let may_install = properties.get("persist.security.adbinstall") == Some("1");
                MakerKind::Xiaomi { may_install }
            }
            "oppo" | "realme" | "oneplus" => MakerKind::Oppo,
            "vivo" | "iqoo" => MakerKind::Vivo,
            "samsung" => MakerKind::Samsung,
            "huawei" | "honor" => MakerKind::Huawei,
            _ => MakerKind::Other,
        };
        let system = properties.system_name();
        let has_own_system = system.is_some();
        let title = system.map_or_else(|| name.clone(), |system| format!("{name}, {system}"));
        Self { title, kind, has_own_system }
    }

    /// The switch that lets a computer touch and change settings.
    fn switch(&self) -> Option<&'static str> {
        match self.kind {
            MakerKind::Xiaomi { .. } => Some("\"USB debugging (Security settings)\""),
            MakerKind::Oppo => Some("\"Disable permission monitoring\""),
            MakerKind::Vivo => Some("\"USB simulated click\" (USB模拟点击)"),
            MakerKind::Samsung | MakerKind::Huawei | MakerKind::Other => None,
        }
    }

    /// What to do about a refusal: this maker's switch, or what is known of such refusals.
    pub(super) fn mend(&self, known: &str) -> String {
        match self.switch() {
            Some(switch) => format!("{IN_SETTINGS}{switch}"),
            None => known.strip_suffix(", then try again").unwrap_or(known).to_owned(),
        }
    }

    /// What has to be done before a keyboard can be put on it; `refused` is what to do about what it refuses.
    pub(super) fn before_setup(&self, refused: Option<String>) -> Option<String> {
        match (self.kind, refused) {
            (MakerKind::Xiaomi { may_install: false }, Some(first)) => {
                Some(format!("{first} and {INSTALL_VIA_USB}"))
            }
            (MakerKind::Xiaomi { may_install: false }, None) => {
                Some(format!("{IN_SETTINGS}{INSTALL_VIA_USB}"))
            }
            (_, refused) => refused,
        }
    }

    /// Switches that only this maker has, as far as a phone tells them.
    pub(super) fn finding(&self) -> Option<CheckupFinding> {
        let (about, maker) = ("maker", &self.title);
        let fine = |text: &str| Some(CheckupFinding::fine(about, format!("{maker}{text}")));
        match self.kind {
            MakerKind::Xiaomi { may_install: false } => Some(CheckupFinding::unsure(
                about,
                format!("{maker}: nothing can be installed over adb yet"),
                format!(
                    "to install something, {IN_SETTINGS}{INSTALL_VIA_USB}; both switches want a Mi account, and the \
                     one for taps a restart of the phone"
                ),
            )),
            MakerKind::Oppo => fine(
                ": if taps or the keyboard are refused, \"Disable permission monitoring\" in the developer \
                 options lets them through",
            ),
            MakerKind::Vivo => fine(
                ": if taps are refused, \"USB simulated click\" (USB模拟点击) in the developer options, where it \
                 is, lets them through",
            ),
            MakerKind::Samsung => fine(
                ": if it disappears from the list, Settings > Security and privacy > Auto Blocker has shut \
                 adb out",
            ),
            MakerKind::Huawei => fine(
                ": if it disappears when unplugged, \"Allow ADB debugging in charge only mode\" in the \
                 developer options keeps it",
            ),
            MakerKind::Xiaomi { may_install: true } | MakerKind::Other => {
                self.has_own_system.then(|| CheckupFinding::fine(about, maker))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, properties: &str) -> Maker {
        Maker::read(name, &Properties::read(properties))
    }

    #[test]
    fn what_comes_first_is_said_in_the_makers_words() {
        let known = "switch on \"this\" (Xiaomi) or \"that\" (OPPO), then try again";
        let xiaomi = of("Redmi\n", "[ro.miui.ui.version.name]: [V140]");
        let mend = xiaomi.mend(known);
        assert!(mend.contains("(Security settings)") && !mend.contains("OPPO"), "{mend}");
        let first = xiaomi.before_setup(Some(mend)).unwrap();
        assert!(first.ends_with("(Security settings)\" and \"Install via USB\""), "{first}");
        assert!(xiaomi.before_setup(None).unwrap().contains("Install via USB"));
        let allowed = of("Xiaomi", "[persist.security.adbinstall]: [1]");
        assert_eq!(allowed.before_setup(None), None);
        assert!(of("OnePlus", "").mend(known).contains("Disable permission monitoring"));
        assert_eq!(of("Google", "").mend(known), known.replace(", then try again", ""));
        assert_eq!(of("Google", "").finding(), None);
        assert!(of("vivo", "").mend(known).contains("USB模拟点击"));
        let samsung = of("samsung", "[ro.build.version.oneui]: [60100]").finding().unwrap();
        assert!(samsung.text.starts_with("samsung, One UI 6.1: "), "{}", samsung.text);
    }
}
