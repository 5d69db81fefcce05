//! `pm` and `cmd package`: what is installed.
mod install;

use super::CommandOutput;
use crate::{
    apps::{launcher, settings},
    device::VirtualPhone,
    packages::{Component, Package},
    shell::io::Io,
};

const MAIN: &str = "android.intent.action.MAIN";
const LAUNCHER: &str = "android.intent.category.LAUNCHER";
const HOME: &str = "android.intent.category.HOME";

/// How an activity matched an intent, as the package manager prints it.
const MATCH: &str = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true";

pub(super) async fn run(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    match words {
        ["list", "packages", options @ ..] => list(device, options),
        ["list", "users"] => CommandOutput::ok("Users:\n\tUserInfo{0:Owner:4c13} running\n"),
        ["list", "features"] => CommandOutput::ok("feature:android.hardware.touchscreen\n"),
        ["path", "--user", _, name] | ["path", name] => match find(device, name) {
            Some(package) => CommandOutput::ok(format!("package:{}\n", path(&package))),
            None => CommandOutput::status(1),
        },
        ["resolve-activity", options @ ..] => resolve(device, options),
        ["query-activities", options @ ..] => query(device, options),
        ["dump", name] => dump(device, name),
        ["install" | "install-incremental" | "install-streaming", options @ ..] => {
            install::install(device, cwd, options, io).await
        }
        ["install-create" | "install-write" | "install-commit", ..] => CommandOutput::on_stdout(
            1,
            "Failure [INSTALL_FAILED_ABORTED: a virtual phone takes packages of one file]\n",
        ),
        ["uninstall", options @ ..] => install::uninstall(device, options),
        ["clear", options @ ..] => clear(device, options),
        ["grant" | "revoke", options @ ..] => permit(device, words[0], options),
        [] => CommandOutput::malformed(device, 255, "Package manager (package) commands:\n"),
        [command, ..] => CommandOutput::unsupported(device, &format!("pm {command}")),
    }
}

fn list(device: &VirtualPhone, options: &[&str]) -> CommandOutput {
    let mut packages = device.phone().packages();
    let (mut paths, mut versions, mut uids, mut filter) = (false, false, false, None);
    let mut words = options.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "-3" => packages.retain(|package| !package.system),
            "-s" => packages.retain(|package| package.system),
            "-d" => packages.clear(),
            "-f" => paths = true,
            "--show-versioncode" => versions = true,
            "-U" => uids = true,
            "-i" | "-l" | "--uid" | "--apex-only" | "--factory-only" | "--match-libraries" => {
                return CommandOutput::unsupported(device, &format!("pm list packages {word}"));
            }
            "-e" | "-a" | "-u" => {}
            "--user" => {
                words.next();
            }
            flag if flag.starts_with('-') => {
                return CommandOutput::malformed(
                    device,
                    255,
                    format!("Error: Unknown option: {flag}\n"),
                );
            }
            text if filter.is_none() => filter = Some(text),
            _ => return CommandOutput::malformed(device, 255, "Error: too many arguments\n"),
        }
    }
    let lines = packages
        .iter()
        .filter(|package| filter.is_none_or(|text| package.name.contains(text)))
        .map(|package| {
            let path = if paths { path(package) + "=" } else { String::new() };
            let version = if versions { " versionCode:1" } else { "" };
            let uid = if uids { format!(" uid:{}", uid(package)) } else { String::new() };
            format!("package:{path}{}{version}{uid}\n", package.name)
        });
    CommandOutput::ok(lines.collect::<Vec<_>>().concat())
}

/// `pm clear [--user USER] [--cache-only] PACKAGE`; nothing here is a cache.
fn clear(device: &VirtualPhone, options: &[&str]) -> CommandOutput {
    let (mut name, mut cache_only) = (None, false);
    let mut words = options.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--user" => {
                words.next();
            }
            "--cache-only" => cache_only = true,
            flag if flag.starts_with('-') => {
                let text = format!("Error: Unknown option: {flag}\n");
                return CommandOutput::malformed_on_stdout(device, 1, text);
            }
            package => {
                name = Some(package);
                break;
            }
        }
    }
    let Some(name) = name else {
        return CommandOutput::malformed(device, 1, "Error: no package specified\n");
    };
    let cleared =
        if cache_only { find(device, name).is_some() } else { device.phone().clear_data(name) };
    if cleared { CommandOutput::ok("Success\n") } else { CommandOutput::error(1, "Failed\n") }
}

/// `pm grant` and `pm revoke [--user USER] [--all-permissions] PACKAGE [PERMISSION]`. The apps of this phone ask for
/// no permission, so that nothing depends on it.
fn permit(device: &VirtualPhone, command: &str, options: &[&str]) -> CommandOutput {
    let (mut operands, mut all) = (Vec::new(), false);
    let mut words = options.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--user" => {
                words.next();
            }
            "--all-permissions" => all = true,
            operand => operands.push(operand),
        }
    }
    match operands.as_slice() {
        [] => CommandOutput::malformed(device, 1, "Error: no package specified\n"),
        [name, ..] if find(device, name).is_none() => {
            let message = format!("java.lang.IllegalArgumentException: Unknown package: {name}");
            CommandOutput::exception(device, command, &message)
        }
        [_] if !all => CommandOutput::malformed(device, 1, "Error: no permission specified\n"),
        [..] => CommandOutput::status(0),
    }
}

/// The intent to resolve.
#[derive(Debug, Default, PartialEq, Eq)]
struct IntentFilter<'a> {
    brief: bool,
    components: bool,
    action: Option<&'a str>,
    category: Option<&'a str>,
    package: Option<&'a str>,
    component: Option<Component>,
}

impl<'a> IntentFilter<'a> {
    fn parse(options: &[&'a str]) -> Option<Self> {
        let mut intent = Self::default();
        let mut words = options.iter().copied();
        while let Some(word) = words.next() {
            match word {
                "--brief" => intent.brief = true,
                "--components" => intent.components = true,
                "-a" => intent.action = Some(words.next()?),
                "-c" => intent.category = Some(words.next()?),
                "-p" => intent.package = Some(words.next()?),
                "-n" => intent.component = Some(Component::parse(words.next()?)?),
                "--user" | "--query-flags" => {
                    words.next()?;
                }
                flag if flag.starts_with('-') => return None,
                name if name.contains('/') => intent.component = Some(Component::parse(name)?),
                name => intent.package = Some(name),
            }
        }
        Some(intent)
    }

    fn matches(&self, device: &VirtualPhone) -> Vec<Component> {
        let special = system_activity(device, self.action, self.category.as_slice());
        if let Some(special) = special {
            let named = self.component.as_ref().is_none_or(|it| *it == special);
            let of_package = self.package.is_none_or(|name| special.package == name);
            return Vec::from_iter(Some(special).filter(|_| named && of_package));
        }
        let mut found: Vec<Component> = device
            .phone()
            .packages()
            .into_iter()
            .filter(|package| self.package.is_none_or(|name| package.name == name))
            .filter_map(|package| package.launcher)
            .collect();
        if let Some(component) = &self.component {
            found.retain(|launcher| launcher == component);
        }
        if self.action.is_some_and(|action| action != MAIN)
            || self.category.is_some_and(|category| category != LAUNCHER)
        {
            found.clear();
        }
        found
    }
}

fn resolve(device: &VirtualPhone, options: &[&str]) -> CommandOutput {
    let Some(intent) = IntentFilter::parse(options) else {
        return CommandOutput::malformed(device, 255, "Error: bad intent\n");
    };
    let found = intent.matches(device);
    match (found.first(), intent.components) {
        (None, _) => CommandOutput::ok("No activity found\n"),
        (Some(component), true) => CommandOutput::ok(format!("{}\n", component.short())),
        (Some(component), false) if intent.brief => {
            CommandOutput::ok(format!("{MATCH}\n{}\n", component.short()))
        }
        (Some(component), false) => {
            CommandOutput::ok(format!("{MATCH}\n{}", activity_info(component, "")))
        }
    }
}

fn query(device: &VirtualPhone, options: &[&str]) -> CommandOutput {
    let Some(intent) = IntentFilter::parse(options) else {
        return CommandOutput::malformed(device, 255, "Error: bad intent\n");
    };
    let found = intent.matches(device);
    if found.is_empty() {
        return CommandOutput::ok("No activities found\n");
    }
    if intent.components {
        return CommandOutput::ok(
            found.iter().map(|it| format!("{}\n", it.short())).collect::<Vec<_>>().concat(),
        );
    }
    let mut text = format!("{} activities found:\n", found.len());
    for (index, component) in found.iter().enumerate() {
        push_fmt!(text, "  Activity #{index}:\n    {MATCH}\n");
        if intent.brief {
            push_fmt!(text, "    {}\n", component.short());
        } else {
            text += &activity_info(component, "    ");
        }
    }
    CommandOutput::ok(text)
}

fn activity_info(Component { package, class }: &Component, indent: &str) -> String {
    format!(
        "{indent}ActivityInfo:\n{indent}  name={class}\n{indent}  packageName={package}\n\
         {indent}  enabled=true exported=true directBootAware=false\n"
    )
}

/// `dumpsys package` without a name.
pub(super) fn dump_all(device: &VirtualPhone) -> CommandOutput {
    let packages = device.phone().packages();
    let resolver: String = packages.iter().filter_map(resolver_line).collect();
    let each: String = packages.iter().map(|package| record(device, package)).collect();
    CommandOutput::ok(format!("{RESOLVER}      {MAIN}:\n{resolver}\nPackages:\n{each}"))
}

const RESOLVER: &str = "Activity Resolver Table:\n  Non-Data Actions:\n";

/// The activity that an app is started with, among those that answer `MAIN`.
fn resolver_line(package: &Package) -> Option<String> {
    let launcher = package.launcher.as_ref()?.short();
    Some(format!(
        "        5d1a6e7 {launcher} filter 8b0c2f4\n          \
         Action: \"{MAIN}\"\n          Category: \"{LAUNCHER}\"\n"
    ))
}

/// `pm dump` and `dumpsys package` of one.
pub(super) fn dump(device: &VirtualPhone, name: &str) -> CommandOutput {
    let Some(package) = find(device, name) else {
        return CommandOutput::ok(format!("Unable to find package: {name}\n"));
    };
    let launcher = resolver_line(&package).map(|line| format!("      {MAIN}:\n{line}"));
    let (resolver, record) = (launcher.unwrap_or_default(), record(device, &package));
    CommandOutput::ok(format!("{RESOLVER}{resolver}\nPackages:\n{record}"))
}

/// What the package manager knows of a package.
fn record(device: &VirtualPhone, package: &Package) -> String {
    let name = &package.name;
    let flags = if package.system { "[ SYSTEM HAS_CODE ]" } else { "[ HAS_CODE ALLOW_BACKUP ]" };
    format!(
        "  Package [{name}] (3f9c1de):\n    appId={uid}\n    pkg=Package{{a7c2e10 {name}}}\n    \
         codePath={code}\n    versionCode=1 minSdk=26 targetSdk={sdk}\n    versionName={version}\n    \
         flags={flags}\n    pkgFlags={flags}\n    dataDir=/data/user/0/{name}\n    \
         timeStamp=2024-05-01 10:00:00\n    lastUpdateTime=2024-05-01 10:00:00\n    \
         User 0: ceDataInode=1234 installed=true hidden=false suspended=false stopped=false enabled=0\n      \
         firstInstallTime=2024-05-01 10:00:00\n",
        uid = uid(package),
        code = path(package).trim_end_matches("/base.apk"),
        sdk = device.phone().options().sdk,
        version = package.version_name,
    )
}

/// The launcher activity of an app.
pub(super) fn launcher_of(device: &VirtualPhone, package: &str) -> Option<Component> {
    find(device, package)?.launcher
}

fn find(device: &VirtualPhone, name: &str) -> Option<Package> {
    device.phone().packages().into_iter().find(|package| package.name == name)
}

/// The activity that goes to the home screen or to a page of the settings; `None` for other intents.
pub(super) fn system_activity(
    device: &VirtualPhone,
    action: Option<&str>,
    categories: &[&str],
) -> Option<Component> {
    if action.is_none_or(|action| action == MAIN) && categories.contains(&HOME) {
        return Some(home());
    }
    settings_page(device, action?)
}

/// The activity of the home screen.
pub(super) fn home() -> Component {
    let (package, class) = (launcher::PACKAGE.to_owned(), launcher::ACTIVITY.to_owned());
    Component { package, class }
}

/// The page of the settings that an action opens; for those that this phone has no page of, the first one.
fn settings_page(device: &VirtualPhone, action: &str) -> Option<Component> {
    let name = action.strip_prefix("android.settings.")?;
    let since = if name == "APP_SEARCH_SETTINGS" { 29 } else { 1 };
    let known = name == "SETTINGS" || name.ends_with("_SETTINGS");
    let class = settings::page_of(name).to_owned();
    (known && since <= device.phone().options().sdk)
        .then(|| Component { package: settings::PACKAGE.to_owned(), class })
}

/// Whom its processes run as.
fn uid(package: &Package) -> usize {
    10_000 + package.name.len()
}

fn path(package: &Package) -> String {
    package.path()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intents_to_resolve_are_read() {
        let intent = IntentFilter::parse(&["--brief", "-c", LAUNCHER, "a.b"]).unwrap();
        assert!(intent.brief);
        assert_eq!((intent.category, intent.package), (Some(LAUNCHER), Some("a.b")));
        assert_eq!(IntentFilter::parse(&["--nope"]), None);
        assert_eq!(IntentFilter::parse(&["-c"]), None);
    }
}
