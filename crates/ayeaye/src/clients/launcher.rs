//! How a client starts this program: the path that stays when the program is updated.
use std::path::{Component, Path, PathBuf};

use super::entry::{Command, NOT_HERE, NoEntry, for_system, in_file, is_script};
use super::{Folders, System};

/// How this program was started, as far as its path tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// From npm's cache, by `npx`: the folder goes when the cache is cleaned.
    Npx,
    /// From uv's cache, by `uvx`.
    Uvx,
    /// From pipx's cache, by `pipx run`.
    PipxRun,
    /// From a file that stays.
    File(PathBuf),
}

impl Origin {
    /// The origin of the program at this path. npm keeps what `npx` fetches in `_npx` in its cache, uv in
    /// `archive-v0` (and builds in `builds-v0`), pipx in `.cache` in its home or `pipx` in the user's cache.
    pub fn of(program: &Path) -> Self {
        let parts: Vec<&str> = program
            .components()
            .filter_map(|part| match part {
                Component::Normal(part) => part.to_str(),
                _ => None,
            })
            .collect();
        let has = |name: &str| parts.contains(&name);
        let pair = |first: &str, second: &str| parts.windows(2).any(|two| two == [first, second]);
        if has("_npx") {
            Self::Npx
        } else if has("archive-v0") || has("builds-v0") || has("environments-v2") {
            Self::Uvx
        } else if pair("pipx", ".cache") || pair(".cache", "pipx") {
            Self::PipxRun
        } else {
            Self::File(program.to_owned())
        }
    }
}

/// The command that starts the program at `program` with `args`.
///
/// What a cache holds is started by the command that fills the cache. Otherwise by the whole path: a
/// client with a window has a shorter PATH than a shell. Where a folder of PATH has a link to this very
/// file, the link is written, since updates move what it points to (Homebrew, pipx, `uv tool`).
pub fn command(program: &Path, args: Vec<String>, folders: &Folders) -> Result<Command, NoEntry> {
    let by = |runner: &str, first: &[&str]| {
        let found = folders.program(runner);
        let mut line: Vec<String> = first.iter().map(|&word| word.to_owned()).collect();
        line.extend(args.clone());
        let mut env = Vec::new();
        let folder = found.as_deref().and_then(Path::parent).map(Path::to_owned);
        let program = found.map_or_else(|| Ok(runner.to_owned()), |path| in_file(&path))?;
        let is_script = is_script(&program, folders.system());
        if let (Some(folder), true) = (folder, runner == "npx" || is_script) {
            // `npx` is a script that looks for `node` in PATH, which is beside it; and `cmd` looks for scripts there.
            env.push(("PATH".to_owned(), with_defaults(&folder, folders.system())));
        }
        if is_script {
            // Otherwise `cmd` would start a file of that name in the client's project first.
            env.push((NOT_HERE.to_owned(), "1".to_owned()));
        }
        let command = Command { program, args: line, env, slow_start: true };
        for_system(command, folders.system())
    };
    match Origin::of(program) {
        Origin::Npx => by("npx", &["-y", "ayeaye"]),
        // On PyPI `ayeaye` is somebody else's; our package has a command of its own name.
        Origin::Uvx => by("uvx", &["ayeaye-mcp"]),
        Origin::PipxRun => by("pipx", &["run", "ayeaye-mcp"]),
        Origin::File(path) => {
            let real = path.canonicalize().ok();
            let linked = folders
                .program("ayeaye")
                .filter(|link| real.is_some() && link.canonicalize().ok() == real);
            let program = in_file(&linked.unwrap_or(path))?;
            Ok(Command { program, args, env: Vec::new(), slow_start: false })
        }
    }
}

/// A PATH that begins with this folder.
fn with_defaults(folder: &Path, system: System) -> String {
    let usual = usual_path(system);
    let separator = if system == System::Windows { ';' } else { ':' };
    format!("{}{separator}{usual}", folder.display())
}

/// The PATH of a program that was started from a desktop and not from a shell: what launchd gives on macOS,
/// what systemd and display managers give elsewhere.
pub const fn usual_path(system: System) -> &'static str {
    match system {
        System::MacOs => "/usr/bin:/bin:/usr/sbin:/sbin",
        System::Unix => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        System::Windows => r"C:\Windows\system32;C:\Windows",
    }
}
