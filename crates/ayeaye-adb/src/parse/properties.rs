//! The properties of a phone's system, as `getprop` lists them.
use std::collections::HashMap;

use super::sanitize;

/// Properties by their names.
#[derive(Debug, Default)]
pub(crate) struct Properties(HashMap<String, String>);

impl Properties {
    /// `[name]: [value]`, one a line; a value may have line ends in it. One that is cut off is left out.
    pub(crate) fn read(text: &str) -> Self {
        let mut all = HashMap::new();
        let mut open: Option<(String, String)> = None;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.trim_end();
            let begun = line.strip_prefix('[').and_then(|line| line.split_once("]: ["));
            match (begun, &mut open) {
                (Some((name, value)), _) => open = Some((name.to_owned(), value.to_owned())),
                (None, Some((_, value))) => {
                    value.push('\n');
                    value.push_str(line);
                }
                (None, None) => continue,
            }
            if line.ends_with(']')
                && let Some((name, mut value)) = open.take()
            {
                value.pop();
                all.insert(name, value);
            }
        }
        Self(all)
    }

    /// A value that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// What the maker calls its Android, with the version.
    pub(crate) fn system_name(&self) -> Option<String> {
        let one_ui = || {
            let number: u32 = self.get("ro.build.version.oneui")?.parse().ok()?;
            let (major, minor, patch) = (number / 10_000, number / 100 % 100, number % 100);
            let patch = if patch == 0 { String::new() } else { format!(".{patch}") };
            Some(format!("One UI {major}.{minor}{patch}"))
        };
        let named = |names: &[&str], system: &str| {
            let version = names.iter().find_map(|name| self.get(name))?;
            // "OS2.0", "V14.0.0", "EmotionUI_12.0.0", "MagicOS_8.0".
            let number = version.find(|c: char| c.is_ascii_digit()).map(|at| &version[at..])?;
            Some(format!("{system} {}", sanitize(number)))
        };
        // What MagicOS was called before.
        let magic = || {
            let own = self.get("ro.build.version.magic");
            if own.is_some_and(|it| it.starts_with("MagicUI")) { "Magic UI" } else { "MagicOS" }
        };
        one_ui()
            .or_else(|| named(&["ro.mi.os.version.name"], "HyperOS"))
            .or_else(|| named(&["ro.miui.ui.version.name"], "MIUI").map(|name| miui(&name)))
            .or_else(|| named(&["msc.config.magic.version", "ro.build.version.magic"], magic()))
            .or_else(|| named(&["hw_sc.build.platform.version"], "HarmonyOS"))
            .or_else(|| named(&["ro.build.version.emui"], "EMUI"))
            .or_else(|| named(&["ro.build.version.realmeui"], "realme UI"))
            .or_else(|| {
                named(&["ro.build.version.oplusrom", "ro.build.version.opporom"], "ColorOS")
            })
            .or_else(|| self.get("ro.vivo.os.build.display.id").map(sanitize))
    }
}

/// "MIUI 140" and "MIUI 125" are 14 and 12.5.
fn miui(name: &str) -> String {
    match name.as_bytes() {
        [.., a, b, b'0'] if a.is_ascii_digit() && b.is_ascii_digit() => {
            name[..name.len() - 1].to_owned()
        }
        [.., a, b, c] if [a, b, c].iter().all(|it| it.is_ascii_digit()) => {
            let (head, tail) = name.split_at(name.len() - 1);
            format!("{head}.{tail}")
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_to_their_ends() {
        let text =
            "[a]: [1]\r\n[empty]: []\r\n[b]: [two\nlines]\nnoise\n[c]: [x]: [y]\n[cut]: [no e";
        let read = Properties::read(text);
        assert_eq!(read.get("a"), Some("1"));
        assert_eq!(read.get("b"), Some("two\nlines"));
        assert_eq!(read.get("c"), Some("x]: [y"));
        assert_eq!((read.get("empty"), read.get("cut"), read.get("none")), (None, None, None));
    }

    #[test]
    fn makers_names_for_android_are_told() {
        for (property, name) in [
            ("[ro.build.version.oneui]: [80500]", "One UI 8.5"),
            ("[ro.build.version.oneui]: [60101]", "One UI 6.1.1"),
            ("[ro.mi.os.version.name]: [OS2.0]\n[ro.miui.ui.version.name]: [V816]", "HyperOS 2.0"),
            ("[ro.miui.ui.version.name]: [V140]", "MIUI 14"),
            ("[ro.miui.ui.version.name]: [V125]", "MIUI 12.5"),
            ("[ro.miui.ui.version.name]: [V9]", "MIUI 9"),
            ("[ro.build.version.emui]: [EmotionUI_12.0.0]", "EMUI 12.0.0"),
            (
                "[hw_sc.build.platform.version]: [3.0.0]\n[ro.build.version.emui]: [EmotionUI_13.0.0]",
                "HarmonyOS 3.0.0",
            ),
            ("[ro.build.version.magic]: [MagicOS_8.0]", "MagicOS 8.0"),
            (
                "[msc.config.magic.version]: [7.0]\n[ro.build.version.magic]: [MagicOS_7.1.0]",
                "MagicOS 7.0",
            ),
            ("[ro.build.version.magic]: [MagicUI_6.1.0]", "Magic UI 6.1.0"),
            (
                "[ro.build.version.oplusrom]: [V12.1]\n[ro.build.version.realmeui]: [V3.0]",
                "realme UI 3.0",
            ),
            ("[ro.build.version.oplusrom]: [V14.0.0]", "ColorOS 14.0.0"),
            ("[ro.vivo.os.build.display.id]: [OriginOS 4]", "OriginOS 4"),
        ] {
            assert_eq!(Properties::read(property).system_name().as_deref(), Some(name));
        }
        assert_eq!(Properties::read("[ro.build.version.oneui]: [x]").system_name(), None);
    }
}
