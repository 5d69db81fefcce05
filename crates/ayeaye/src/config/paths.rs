//! Where files are on each system.
use std::env::consts::OS;
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
/// Studio, Homebrew and winget put it, which no variable tells.
///
/// Relative entries of PATH are left out: what is started must not depend on the working directory.
pub(super) fn adb_folders(environment: &Environment) -> Vec<PathBuf> {
    let path = environment.get("PATH").map(std::env::split_paths).into_iter().flatten();
    let sdk = ["ANDROID_HOME", "ANDROID_SDK_ROOT"]
        .into_iter()
        .filter_map(|name| Some(environment.folder(name)?.join("platform-tools")));
    path.filter(|folder| folder.is_absolute()).chain(sdk).chain(usual(environment, OS)).collect()
}

/// Where installers put adb. Desktop programs have a short PATH, on macOS without those of Homebrew; on Windows a
/// terminal or client that is open does not learn of a new one.
fn usual(environment: &Environment, system: &str) -> Vec<PathBuf> {
    let home = environment.home();
    let tools = |sdk: PathBuf| sdk.join("platform-tools");
    match system {
        "windows" => {
            let Some(local) = environment.folder("LOCALAPPDATA") else { return Vec::new() };
            let sdk = tools(local.join("Android").join("Sdk"));
            let winget = local.join("Microsoft").join("WinGet");
            let unpacked = unpacked_by_winget(&winget.join("Packages")).into_iter().map(tools);
            std::iter::once(sdk).chain(unpacked).chain([winget.join("Links")]).collect()
        }
        "macos" => {
            let sdk = home.map(|home| tools(home.join("Library/Android/sdk")));
            let of_homebrew = ["/opt/homebrew/bin", "/usr/local/bin"].map(PathBuf::from);
            sdk.into_iter().chain(of_homebrew).collect()
        }
        _ => home.map(|home| tools(home.join("Android/Sdk"))).into_iter().collect(),
    }
}

/// Where winget has unpacked the platform tools, each in a folder that is named for its source too.
fn unpacked_by_winget(packages: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(packages).into_iter().flatten().flatten();
    let is_ours = |name: &str| name.starts_with("Google.PlatformTools_");
    let ours = entries.filter(|it| it.file_name().to_str().is_some_and(is_ours));
    let mut folders: Vec<_> = ours.map(|it| it.path()).collect();
    folders.sort_unstable();
    folders
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
    fn what_winget_installed_is_found_without_a_new_terminal() {
        let home = tempfile::tempdir().unwrap();
        let local = home.path();
        let winget = local.join("Microsoft/WinGet");
        let package =
            winget.join("Packages/Google.PlatformTools_Microsoft.Winget.Source_8wekyb3d8bbwe");
        for folder in [&package, &winget.join("Packages/Google.Chrome_x")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let environment = Environment::of([("LOCALAPPDATA", local)]);
        let expected = [
            local.join("Android/Sdk/platform-tools"),
            package.join("platform-tools"),
            winget.join("Links"),
        ];
        assert_eq!(usual(&environment, "windows"), expected);
        assert!(usual(&Environment::default(), "windows").is_empty());
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
