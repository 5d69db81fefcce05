//! The arguments of the tools that do what needs no finger: addresses, apps, packages, files, logs.
use ayeaye_agent::{DeviceCommand, Gesture};
use schemars::JsonSchema;
use serde::Deserialize;

use super::device::{ActArgs, CommonArgs, HasCommon, LONGEST_APP, arguments};
use crate::mcp::tool_error::ToolError;

/// The longest address, in bytes.
const LONGEST_URL: usize = 2048;
/// The longest path on a phone, in bytes, and the longest name of a file.
const LONGEST_PATH: usize = 512;
/// Lines of a log, unless said otherwise, and the most.
const LINES: u32 = 100;
const MOST_LINES: u32 = 500;

arguments! {
    /// Arguments of `open_url`.
    UrlArgs {
        /// The whole address, such as `https://example.com/`.
        #[schemars(length(min = 1, max = 2048))]
        url: String,
    }
}

arguments! {
    /// Arguments of `stop_app`.
    StopArgs {
        /// The app, by the name under its icon or by its package.
        #[schemars(length(min = 1, max = 256))]
        app: String,
    }
}

arguments! {
    /// Arguments of `install_app`.
    InstallArgs {
        /// The package file (APK) in this server's folder for files.
        #[schemars(length(min = 1, max = 255))]
        file: String,
    }
}

arguments! {
    /// Arguments of `uninstall_app`.
    UninstallArgs {
        /// The app, by the name under its icon or by its package.
        #[schemars(length(min = 1, max = 256))]
        app: String,
    }
}

arguments! {
    /// Arguments of `send_file`.
    SendArgs {
        /// The file in this server's folder for files.
        #[schemars(length(min = 1, max = 255))]
        file: String,
        /// Where to put it on the phone: a folder ending in a slash, or a file that is not there yet. `/sdcard/Download/` if left out.
        #[schemars(length(max = 512))]
        to: Option<String>,
    }
}

arguments! {
    /// Arguments of `fetch_file`.
    FetchArgs {
        /// The file on the phone, such as `/sdcard/Download/a.pdf`.
        #[schemars(length(min = 1, max = 512))]
        from: String,
        /// Its name in this server's folder for files; the same name if left out. No file of that name may exist.
        #[schemars(length(max = 255))]
        file: Option<String>,
    }
}

/// Arguments of `get_app_log`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogArgs {
    /// A `device_id` from `list_connected_devices`.
    pub device_id: String,
    /// The app, by the name under its icon or by its package.
    #[schemars(length(min = 1, max = 256))]
    pub app: String,
    /// Whether to show only how it crashed.
    pub crashes: Option<bool>,
    /// The most lines. 100 if left out.
    #[schemars(range(min = 1, max = 500))]
    pub lines: Option<i64>,
}

impl UrlArgs {
    /// What to do.
    pub fn gesture(&self, schemes: &[String]) -> Result<Gesture, ToolError> {
        let url = self.url.trim();
        let odd = |c: char| c.is_control() || c.is_whitespace();
        let (scheme, rest) = url.split_once(':').unwrap_or_default();
        let scheme = scheme.to_ascii_lowercase();
        if !schemes.contains(&scheme) {
            return Err(ToolError::not_an_url(url, &schemes.join(", ")));
        }
        // Android looks for the app of a scheme by its letters, which are small ones there.
        let url = &format!("{scheme}:{rest}");
        if LONGEST_URL < url.len() {
            return Err(ToolError::too_long_url(url, LONGEST_URL));
        }
        if url.contains(odd) {
            return Err(ToolError::odd_url(url));
        }
        // Of other schemes only the app that opens them knows what belongs into an address.
        if url::Url::parse(url) == Err(url::ParseError::EmptyHost) {
            return Err(ToolError::url_without_host(url));
        }
        Ok(Gesture::Command(DeviceCommand::OpenUrl { url: url.to_owned() }))
    }
}

impl ActArgs for StopArgs {
    fn gesture(&self) -> Result<Gesture, ToolError> {
        Ok(Gesture::Command(DeviceCommand::StopApp { app: app(&self.app, "stop")? }))
    }
}

impl InstallArgs {
    /// What to do.
    pub fn command(&self) -> Result<DeviceCommand, ToolError> {
        Ok(DeviceCommand::Install { file: file("file", &self.file)?, package: None })
    }
}

impl UninstallArgs {
    /// What to do.
    pub fn command(&self) -> Result<DeviceCommand, ToolError> {
        Ok(DeviceCommand::Uninstall { app: app(&self.app, "uninstall")? })
    }
}

impl ActArgs for SendArgs {
    fn gesture(&self) -> Result<Gesture, ToolError> {
        let to = self.to.as_deref().unwrap_or("/sdcard/Download/");
        let (file, to) = (file("file", &self.file)?, file("to", to)?);
        Ok(Gesture::Command(DeviceCommand::SendFile { file, to }))
    }
}

impl ActArgs for FetchArgs {
    fn gesture(&self) -> Result<Gesture, ToolError> {
        let from = file("from", &self.from)?;
        let own = from.rsplit('/').next().unwrap_or_default();
        let file = file("file", self.file.as_deref().unwrap_or(own))?;
        Ok(Gesture::Command(DeviceCommand::FetchFile { from, file }))
    }
}

impl LogArgs {
    /// The app, and the most lines.
    pub fn wanted(&self) -> Result<(String, u32), ToolError> {
        let lines = match self.lines {
            None => LINES,
            Some(given) => u32::try_from(given)
                .ok()
                .filter(|lines| (1..=MOST_LINES).contains(lines))
                .ok_or_else(|| ToolError::out_of_range("lines", &given, "1 to 500"))?,
        };
        Ok((app(&self.app, "read the log of")?, lines))
    }
}

fn app(given: &str, verb: &str) -> Result<String, ToolError> {
    let app = given.trim();
    if app.is_empty() {
        return Err(ToolError::nothing_to(verb, "app"));
    }
    if LONGEST_APP < app.len() || app.contains(char::is_control) {
        return Err(ToolError::not_an_app(app));
    }
    Ok(app.to_owned())
}

fn file(name: &str, given: &str) -> Result<String, ToolError> {
    if given.is_empty() || LONGEST_PATH < given.len() || given.contains(char::is_control) {
        return Err(ToolError::not_a_file(name, given));
    }
    Ok(given.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_addresses_of_allowed_schemes_are_opened() {
        let schemes = ["http".to_owned(), "https".to_owned()];
        let url = |url: &str| {
            let args: UrlArgs =
                serde_json::from_value(json!({ "device_id": "X", "url": url })).unwrap();
            args.gesture(&schemes)
        };
        assert!(url(" https://example.com/a?b='c' ").is_ok());
        let opened = DeviceCommand::OpenUrl { url: "https://Example.com/A".to_owned() };
        assert_eq!(url("HTTPS://Example.com/A").unwrap(), Gesture::Command(opened));
        for wrong in ["", "example.com", "tel:112", "intent://x#Intent;end"] {
            let told = url(wrong).unwrap_err().to_string();
            assert!(told.contains("http, https") && told.contains("mcp.url-schemes"), "{told}");
        }
        let long = format!("https://{}", "a".repeat(3000));
        for (wrong, why) in [
            ("HTTP://EXAMPLE.com/x y", "a space"),
            ("http:\u{7}", "a control character"),
            ("http://", "has no host"),
            ("https://?q=a", "has no host"),
            (long.as_str(), "has 3008 bytes"),
        ] {
            let told = url(wrong).unwrap_err().to_string();
            assert!(told.contains(why) && !told.contains("schemes"), "{told}");
        }
    }

    #[test]
    fn a_fetched_file_keeps_its_name_unless_another_is_given() {
        let args: FetchArgs =
            serde_json::from_value(json!({ "device_id": "X", "from": "/sdcard/a/b.pdf" })).unwrap();
        let wanted = DeviceCommand::FetchFile {
            from: "/sdcard/a/b.pdf".to_owned(),
            file: "b.pdf".to_owned(),
        };
        assert_eq!(args.gesture().unwrap(), Gesture::Command(wanted));
        let args: FetchArgs =
            serde_json::from_value(json!({ "device_id": "X", "from": "/sdcard/a/" })).unwrap();
        assert!(args.gesture().is_err());
    }
}
