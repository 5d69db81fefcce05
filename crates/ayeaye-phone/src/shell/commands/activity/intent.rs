//! The intents of `am`: read from arguments, and shown as Android prints them.
use crate::packages::Component;

/// What `am` takes without a value and what changes nothing on this phone.
const NO_EFFECT: [&str; 14] = [
    "-D",
    "-N",
    "--allow-background-starts",
    "--async",
    "--attach-agent-bind",
    "--debug-log-resolution",
    "--dismiss-keyguard-if-insecure",
    "--exclude-stopped-packages",
    "--include-stopped-packages",
    "--lock-task",
    "--splashscreen-show-icon",
    "--streaming",
    "--task-overlay",
    "--track-allocation",
];

/// Schemes of addresses that belong to people, of which Android prints no letter.
const PERSONAL: [&str; 6] = ["mailto", "nfc", "sip", "sms", "smsto", "tel"];

/// The arguments of an intent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Intent<'a> {
    pub(super) action: Option<&'a str>,
    pub(super) categories: Vec<&'a str>,
    pub(super) data: Option<&'a str>,
    pub(super) component: Option<Component>,
    pub(super) package: Option<&'a str>,
    /// `--es`, `--ei` and so on; the value as it stands.
    pub(super) extras: Vec<(&'a str, &'a str)>,
    pub(super) flags: Option<&'a str>,
    pub(super) wait: bool,
    pub(super) stop: bool,
}

impl<'a> Intent<'a> {
    pub(super) fn parse(args: &[&'a str]) -> Result<Self, String> {
        let mut intent = Self::default();
        let mut words = args.iter().copied();
        while let Some(word) = words.next() {
            let mut last = word;
            let mut next = || {
                let missing = format!(
                    "java.lang.IllegalArgumentException: Argument expected after \"{last}\""
                );
                last = words.next().ok_or(missing)?;
                Ok::<_, String>(last)
            };
            match word {
                "-a" => intent.action = Some(next()?),
                "-c" => intent.categories.push(next()?),
                "-d" => intent.data = Some(next()?),
                "-t"
                | "-i"
                | "-R"
                | "-P"
                | "--windowingMode"
                | "--activityType"
                | "--receiver-permission"
                | "--sampling"
                | "--start-profiler" => {
                    next()?;
                }
                "-p" => intent.package = Some(next()?),
                "-f" => intent.flags = Some(next()?),
                "-n" => {
                    let name = next()?;
                    let bad = || {
                        format!("java.lang.IllegalArgumentException: Bad component name: {name}")
                    };
                    intent.component = Some(Component::parse(name).ok_or_else(bad)?);
                }
                "--user" => {
                    if !matches!(next()?, "0" | "current" | "all") {
                        return Err("java.lang.IllegalArgumentException: no such user".to_owned());
                    }
                }
                "--display" => {
                    if next()? != "0" {
                        return Err(
                            "java.lang.IllegalArgumentException: no such display".to_owned()
                        );
                    }
                }
                "--esn" => intent.extras.push((next()?, "")),
                "-e" | "--es" | "--ei" | "--ez" | "--el" | "--ef" | "--ed" | "--eu" | "--ecn"
                | "--eia" | "--eial" | "--ela" | "--elal" | "--efa" | "--efal" | "--eda"
                | "--edal" | "--esa" | "--esal" => {
                    let key = next()?;
                    intent.extras.push((key, next()?));
                }
                "-W" => intent.wait = true,
                "-S" => intent.stop = true,
                flag if NO_EFFECT.contains(&flag) => {}
                // Flags of the intent, such as `--activity-clear-top`.
                flag if ["--activity-", "--grant-", "--receiver-"]
                    .iter()
                    .any(|of| flag.starts_with(of)) => {}
                flag if flag.starts_with('-') => {
                    return Err(format!(
                        "java.lang.IllegalArgumentException: Unknown option: {flag}"
                    ));
                }
                name if name.contains('/') && intent.component.is_none() => {
                    intent.component = Component::parse(name);
                }
                url if url.contains(':') && intent.data.is_none() => intent.data = Some(url),
                package if intent.package.is_none() => intent.package = Some(package),
                _ => {
                    return Err("java.lang.IllegalArgumentException: Too many arguments".to_owned());
                }
            }
        }
        Ok(intent)
    }

    /// As Android prints it.
    pub(super) fn shown(&self, flags: &str) -> String {
        let mut parts = Vec::new();
        if let Some(action) = self.action {
            parts.push(format!("act={action}"));
        }
        if !self.categories.is_empty() {
            parts.push(format!("cat=[{}]", self.categories.join(",")));
        }
        if let Some(data) = self.data {
            let (scheme, rest) = data.split_once(':').unwrap_or((data, ""));
            if PERSONAL.contains(&scheme) {
                let hidden = rest.chars().map(|c| if "-@.".contains(c) { c } else { 'x' });
                parts.push(format!("dat={scheme}:{}", hidden.collect::<String>()));
            } else {
                let host = rest.strip_prefix("//").and_then(|it| it.split(['/', '?', '#']).next());
                let host = host.map(|it| format!("//{it}")).unwrap_or_default();
                parts.push(format!("dat={scheme}:{host}/..."));
            }
        }
        if let Some(flags) = self.flags.or((!flags.is_empty()).then_some(flags)) {
            parts.push(format!("flg={flags}"));
        }
        if let Some(package) = self.package {
            parts.push(format!("pkg={package}"));
        }
        if let Some(component) = &self.component {
            parts.push(format!("cmp={}", component.short()));
        }
        if !self.extras.is_empty() {
            parts.push("(has extras)".to_owned());
        }
        format!("Intent {{ {} }}", parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intents_are_read_and_shown() {
        let intent = Intent::parse(&[
            "-W",
            "-a",
            "android.intent.action.MAIN",
            "-c",
            "android.intent.category.LAUNCHER",
            "-n",
            "com.example/.Main",
        ]);
        let intent = intent.unwrap();
        assert!(intent.wait);
        assert_eq!(
            intent.shown(""),
            "Intent { act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] cmp=com.example/.Main }"
        );
        let extras = Intent::parse(&["-a", "ADB_INPUT_TEXT", "--es", "msg", "-n x"]).unwrap();
        assert_eq!(extras.extras, [("msg", "-n x")]);
        let missing = Intent::parse(&["--es", "msg"]).unwrap_err();
        assert!(missing.ends_with("Argument expected after \"msg\""), "{missing}");
        for (data, shown) in [
            ("sms:+4912", "sms:xxxxx"),
            ("mailto:a.b@c.de", "mailto:x.x@x.xx"),
            ("https://shop.example/a?b", "https://shop.example/..."),
        ] {
            let intent = Intent::parse(&["-d", data]).unwrap();
            assert_eq!(intent.shown(""), format!("Intent {{ dat={shown} }}"));
        }
        assert!(Intent::parse(&["-n"]).is_err());
        assert!(Intent::parse(&["-n", "com.example"]).is_err());
        assert!(Intent::parse(&["--nope"]).is_err());
        let ignored = [
            "--include-stopped-packages --receiver-foreground --async -D -N -R 2 --esn k",
            "--eu k content:a --ecn k a/.B --ela k 1,2 --efa k 1.5 --activity-no-history",
            "--activity-reset-task-if-needed --grant-read-uri-permission -n a/.B",
        ];
        let words: Vec<&str> = ignored.iter().flat_map(|line| line.split(' ')).collect();
        let intent = Intent::parse(&words).unwrap();
        assert_eq!(intent.shown(""), "Intent { cmp=a/.B (has extras) }");
    }
}
