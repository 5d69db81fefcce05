//! Where files are on each system.
use std::path::{Path, PathBuf};

use super::{Environment, ValueError};

/// The name of the settings file.
pub(super) const FILE: &str = "ayeaye.toml";

/// The user's own settings file, whether it is there or not.
pub(super) fn settings_file(environment: &Environment) -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        environment.folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        environment.home().map(|home| home.join("Library/Application Support"))
    } else {
        environment
            .folder("XDG_CONFIG_HOME")
            .or_else(|| environment.home().map(|home| home.join(".config")))
    };
    Some(folder?.join("ayeaye").join(FILE))
}

/// The folder for sessions and what belongs to them.
pub(super) fn data_dir(environment: &Environment) -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        environment.folder("LOCALAPPDATA").or_else(|| environment.folder("APPDATA"))
    } else if cfg!(target_os = "macos") {
        environment.home().map(|home| home.join("Library/Application Support"))
    } else {
        environment
            .folder("XDG_DATA_HOME")
            .or_else(|| environment.home().map(|home| home.join(".local/share")))
    };
    Some(folder?.join("ayeaye"))
}

/// The folders where an adb program may be: those of PATH, then the platform tools of the SDK, then where Android
/// Studio and Homebrew put it, which no variable tells.
///
/// Relative entries of PATH are left out: what is started must not depend on the working directory.
pub(super) fn adb_folders(environment: &Environment) -> Vec<PathBuf> {
    let path = environment.get("PATH").map(std::env::split_paths).into_iter().flatten();
    let sdk = ["ANDROID_HOME", "ANDROID_SDK_ROOT"]
        .into_iter()
        .filter_map(|name| Some(environment.folder(name)?.join("platform-tools")));
    path.filter(|folder| folder.is_absolute()).chain(sdk).chain(usual(environment)).collect()
}

/// Where installers put adb. Desktop programs have a short PATH, on macOS without the last two.
fn usual(environment: &Environment) -> Vec<PathBuf> {
    let (base, sdk) = if cfg!(windows) {
        (environment.folder("LOCALAPPDATA"), "Android/Sdk")
    } else if cfg!(target_os = "macos") {
        (environment.home(), "Library/Android/sdk")
    } else {
        (environment.home(), "Android/Sdk")
    };
    let of_the_system: &[&str] =
        if cfg!(target_os = "macos") { &["/opt/homebrew/bin", "/usr/local/bin"] } else { &[] };
    let sdk = base.map(|base| base.join(sdk).join("platform-tools"));
    sdk.into_iter().chain(of_the_system.iter().map(PathBuf::from)).collect()
}

/// The path that a setting names: `~` is the home folder, also with a path behind it; a relative one starts at `base`.
pub(super) fn resolve(
    text: &str,
    base: &Path,
    environment: &Environment,
) -> Result<PathBuf, ValueError> {
    if text.is_empty() {
        return Err(ValueError::Empty);
    }
    // No path can have one.
    if text.contains('\0') {
        return Err(ValueError::ControlCharacter);
    }
    // No path there has one: it was meant as a part of it.
    if cfg!(windows) && text.contains(char::is_control) {
        return Err(ValueError::BackslashInPath);
    }
    let Some(rest) = text.strip_prefix('~') else { return Ok(base.join(text)) };
    let is_separator = |c: char| c == '/' || cfg!(windows) && c == '\\';
    // A folder that is named `~` is nobody's wish, nor is the home of somebody else looked up.
    if !rest.is_empty() && !rest.starts_with(is_separator) {
        return Err(ValueError::OthersHome(text.to_owned()));
    }
    let home = environment.home().ok_or(ValueError::NoHome)?;
    // Further separators would make it a path from the root.
    Ok(home.join(rest.trim_start_matches(is_separator)))
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
    fn xdg_folders_win_over_home() {
        let home = Environment::of([("HOME", "/home/ada")]);
        assert_eq!(data_dir(&home).unwrap(), Path::new("/home/ada/.local/share/ayeaye"));
        assert_eq!(
            settings_file(&home).unwrap(),
            Path::new("/home/ada/.config/ayeaye/ayeaye.toml")
        );
        let xdg = Environment::of([("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data")]);
        assert_eq!(data_dir(&xdg).unwrap(), Path::new("/data/ayeaye"));
        let relative = Environment::of([("HOME", "/home/ada"), ("XDG_DATA_HOME", "data")]);
        assert_eq!(data_dir(&relative).unwrap(), Path::new("/home/ada/.local/share/ayeaye"));
        assert_eq!(data_dir(&Environment::default()), None);
    }

    #[test]
    fn no_program_is_looked_for_in_the_working_directory() {
        let environment =
            Environment::of([("PATH", ".:/usr/bin::bin"), ("ANDROID_HOME", "/opt/sdk")]);
        let expected = [PathBuf::from("/usr/bin"), PathBuf::from("/opt/sdk/platform-tools")];
        assert_eq!(adb_folders(&environment), expected);
    }

    #[test]
    fn the_sdk_of_android_studio_comes_last() {
        let environment = Environment::of([("HOME", "/home/ada"), ("PATH", "/usr/bin")]);
        let expected = ["/usr/bin", "/home/ada/Android/Sdk/platform-tools"].map(PathBuf::from);
        assert_eq!(adb_folders(&environment), expected);
    }

    #[test]
    fn paths_start_where_they_were_written() {
        let environment = Environment::of([("HOME", "/home/ada")]);
        let at = |text| resolve(text, Path::new("/etc/ayeaye"), &environment);
        assert_eq!(at("/var/x").unwrap(), Path::new("/var/x"));
        assert_eq!(at("x").unwrap(), Path::new("/etc/ayeaye/x"));
        assert_eq!(at("~/x").unwrap(), Path::new("/home/ada/x"));
        for (text, path) in [("~", "/home/ada/"), ("~/", "/home/ada/"), ("~//x", "/home/ada/x")] {
            assert_eq!(at(text).unwrap(), Path::new(path), "{text}");
        }
        assert_eq!(at("./~ben").unwrap(), Path::new("/etc/ayeaye/./~ben"));
        let told = at("~ben/x").unwrap_err().to_string();
        assert!(told.contains("whole path"), "{told}");
        assert!(at("").is_err());
        let nowhere = Environment::of([("HOME", "relative")]);
        let told = resolve("~/x", Path::new("/etc"), &nowhere).unwrap_err().to_string();
        assert!(told.contains("absolute"), "{told}");
    }

    #[test]
    fn a_home_that_is_no_text_is_told_unless_another_folder_is_named() {
        use std::ffi::OsString;
        use std::os::unix::ffi::OsStringExt as _;

        use super::super::{Config, Flag};
        let home = OsString::from_vec(b"/nowhere/ad\xe9".to_vec());
        let environment = Environment::of([("HOME", home)]);
        let told = Config::load(&[], None, &environment).unwrap_err().to_string();
        for word in ["HOME", "--data-dir", "/nowhere/ad"] {
            assert!(told.contains(word), "{word}: {told}");
        }
        let flag = Flag { key: "data-dir", name: "--data-dir", value: "/data".to_owned() };
        let config = Config::load(&[flag], None, &environment).unwrap();
        assert_eq!(config.data_dir, Path::new("/data"));
        assert!(config.explain_json()["default_file"].as_str().unwrap().ends_with(FILE));
    }
}
