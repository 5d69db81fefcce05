use std::path::{Path, PathBuf};

use serde_json::json;

use super::document::Key;
use super::entry::Command;
use super::launcher::{self, Origin};
use super::*;
use crate::config::Environment;

fn folders(system: System, variables: &[(&str, &str)]) -> Folders {
    Folders::new(system, &Environment::of(variables.iter().copied())).expect("a home")
}

fn user_file(folders: &Folders, client: Client) -> String {
    match folders.place(client, Scope::User, Path::new("/w")) {
        ConfigPlace::File(file) => file.display().to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_client_has_a_word_of_its_own() {
    for client in Client::ALL {
        assert_eq!(Client::from_id(client.id()), Some(client));
        assert!(!client.next().is_empty() && !client.title().is_empty());
    }
}

#[cfg(unix)]
#[test]
fn files_are_where_each_system_keeps_them() {
    let linux = folders(System::Unix, &[("HOME", "/home/ada")]);
    assert_eq!(user_file(&linux, Client::ClaudeCode), "/home/ada/.claude.json");
    assert_eq!(user_file(&linux, Client::VsCode), "/home/ada/.config/Code/User/mcp.json");
    assert_eq!(user_file(&linux, Client::Goose), "/home/ada/.config/goose/config.yaml");
    assert_eq!(user_file(&linux, Client::Kiro), "/home/ada/.kiro/settings/mcp.json");
    assert_eq!(user_file(&linux, Client::CopilotCli), "/home/ada/.copilot/mcp-config.json");
    let moved = folders(
        System::Unix,
        &[
            ("HOME", "/home/ada"),
            ("XDG_CONFIG_HOME", "/cfg"),
            ("CODEX_HOME", "/codex"),
            ("COPILOT_HOME", "/copilot"),
            ("CLAUDE_CONFIG_DIR", "/claude"),
        ],
    );
    assert_eq!(user_file(&moved, Client::Zed), "/cfg/zed/settings.json");
    assert_eq!(user_file(&moved, Client::Codex), "/codex/config.toml");
    assert_eq!(user_file(&moved, Client::CopilotCli), "/copilot/mcp-config.json");
    assert_eq!(user_file(&moved, Client::ClaudeCode), "/claude/.claude.json");
    let mac = folders(System::MacOs, &[("HOME", "/Users/ada")]);
    let support = "/Users/ada/Library/Application Support";
    assert_eq!(
        user_file(&mac, Client::ClaudeDesktop),
        format!("{support}/Claude/claude_desktop_config.json")
    );
    assert_eq!(user_file(&mac, Client::Zed), "/Users/ada/.config/zed/settings.json");
    assert_eq!(user_file(&mac, Client::Opencode), "/Users/ada/.config/opencode/opencode.json");
    let windows = folders(
        System::Windows,
        &[("HOME", "/msys/home/ada"), ("USERPROFILE", "/c/ada"), ("APPDATA", "/c/ada/Roaming")],
    );
    assert_eq!(user_file(&windows, Client::Cursor), "/c/ada/.cursor/mcp.json");
    assert_eq!(user_file(&windows, Client::Devin), "/c/ada/Roaming/devin/mcp_config.json");
    assert_eq!(user_file(&moved, Client::Devin), "/home/ada/.config/devin/mcp_config.json");
    assert_eq!(user_file(&windows, Client::Goose), "/c/ada/Roaming/Block/goose/config/config.yaml");
    assert_eq!(
        linux.place(Client::Cursor, Scope::Project, Path::new("/w")),
        ConfigPlace::File(PathBuf::from("/w/.cursor/mcp.json"))
    );
    assert_eq!(linux.place(Client::Goose, Scope::Project, Path::new("/w")), ConfigPlace::NoProject);
    assert!(matches!(
        linux.place(Client::JetBrains, Scope::User, Path::new("/w")),
        ConfigPlace::Paste(_)
    ));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_there_is_taken_before_one_that_is_not() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        let file = home.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        file.display().to_string()
    };
    let folders = folders(System::Unix, &[("HOME", home.path().to_str().unwrap())]);
    assert!(!Client::ALL.into_iter().any(|client| folders.is_here(client)));
    assert!(user_file(&folders, Client::Opencode).ends_with("opencode.json"));
    let file = at(".config/opencode/opencode.jsonc");
    assert_eq!(user_file(&folders, Client::Opencode), file);
    let of_extension = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings";
    let file = at(&format!("{of_extension}/cline_mcp_settings.json"));
    assert_eq!(user_file(&folders, Client::Cline), file);
    let beside = home.path().join(".cline/data/settings/cline_mcp_settings.json");
    std::fs::create_dir_all(home.path().join(".cline/data")).unwrap();
    assert_eq!(user_file(&folders, Client::Cline), beside.display().to_string());
    std::fs::write(home.path().join(".lmstudio-home-pointer"), "/opt/lm\n").unwrap();
    assert_eq!(user_file(&folders, Client::LmStudio), "/opt/lm/mcp.json");
    assert!(folders.is_here(Client::Opencode) && folders.is_here(Client::Cline));
    // Its own variable may lead out of the home.
    let codex = tempfile::tempdir().unwrap();
    let home = home.path().to_str().unwrap();
    assert!(!folders.is_here(Client::Codex));
    let moved = [("HOME", home), ("CODEX_HOME", codex.path().to_str().unwrap())];
    assert!(self::folders(System::Unix, &moved).is_here(Client::Codex));
}

#[test]
fn files_are_told_with_the_separators_of_the_system_alone() {
    let home = tempfile::tempdir().unwrap();
    let folders = folders(System::HERE, &[("HOME", home.path().to_str().unwrap())]);
    for client in [Client::Windsurf, Client::Goose, Client::ClaudeDesktop] {
        let ConfigPlace::File(file) = folders.place(client, Scope::User, home.path()) else {
            panic!("it has a file")
        };
        let shown = file.display().to_string();
        let other = if std::path::MAIN_SEPARATOR == '/' { '\\' } else { '/' };
        assert!(!shown.contains(other), "{shown}");
    }
}

#[test]
fn claude_desktop_from_a_package_reads_the_file_of_the_package() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let (roaming, local) = (at("Roaming"), at("Local"));
    let variables = [
        ("HOME", home.path().to_str().unwrap()),
        ("APPDATA", roaming.to_str().unwrap()),
        ("LOCALAPPDATA", local.to_str().unwrap()),
    ];
    let file = "Claude/claude_desktop_config.json";
    let usual = roaming.join(file);
    let package =
        |name: &str| local.join("Packages").join(name).join("LocalCache/Roaming").join(file);
    let (one, two) = (package("Claude_one"), package("Claude_two"));
    let make = |file: &Path| {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "{}").unwrap();
    };
    let windows = folders(System::Windows, &variables);
    let place = || windows.place(Client::ClaudeDesktop, Scope::User, Path::new("/w"));
    make(&package("Claudette_x"));
    assert!(!windows.is_here(Client::ClaudeDesktop));
    assert_eq!(place(), ConfigPlace::File(usual.clone()));
    // It was installed and not started yet.
    std::fs::create_dir_all(local.join("Packages/Claude_one")).unwrap();
    assert!(windows.is_here(Client::ClaudeDesktop));
    assert_eq!(place(), ConfigPlace::File(one.clone()));
    make(&usual);
    assert_eq!(place(), ConfigPlace::File(usual.clone()));
    make(&one);
    assert_eq!(place(), ConfigPlace::File(one.clone()));
    std::fs::create_dir_all(local.join("Packages/Claude_two")).unwrap();
    assert_eq!(place(), ConfigPlace::File(one.clone()));
    make(&two);
    assert_eq!(place(), ConfigPlace::OneOf(vec![one.clone(), two.clone()]));
    for file in [&one, &two, &usual] {
        std::fs::remove_file(file).unwrap();
    }
    assert_eq!(place(), ConfigPlace::OneOf(vec![one, two]));
    // No other system has packages.
    let linux = folders(System::Unix, &variables);
    assert!(matches!(
        linux.place(Client::ClaudeDesktop, Scope::User, Path::new("/w")),
        ConfigPlace::File(file) if file.ends_with(".config/Claude/claude_desktop_config.json")
    ));
}

#[test]
fn what_is_written_is_what_is_started() {
    for (client, slow_start) in
        Client::ALL.into_iter().flat_map(|client| [(client, false), (client, true)])
    {
        let command = Command {
            program: "/opt/aye aye/ayeaye".to_owned(),
            args: vec!["--data-dir".to_owned(), "/d".to_owned(), "serve".to_owned()],
            env: vec![("PATH".to_owned(), "/opt/node:/usr/bin".to_owned())],
            slow_start,
        };
        let connection = Connection::Stdio(command.clone());
        let entry = client.entry("ayeaye", &connection).unwrap();
        let key = Key { section: client.section(), name: "ayeaye" };
        let text = client.format().alone(key, &entry).unwrap();
        let read = client.format().entry(&text, key).unwrap().unwrap();
        assert_eq!(connection.command_in(client, &read), Some(command), "{client}: {text}");
    }
}

#[test]
fn the_token_is_named_and_not_written_where_a_client_can_look_it_up() {
    let token = ayeaye_model::Secret::new("canary-0123456789").unwrap();
    for client in Client::ALL {
        let url = "http://127.0.0.1:8642/mcp".to_owned();
        let entry = |token| client.entry("ayeaye", &Connection::Http { url: url.clone(), token });
        let Ok(open) = entry(None) else {
            assert_eq!(client, Client::ClaudeDesktop);
            continue;
        };
        assert!(open.to_string().contains(&url), "{client}");
        assert!(client.command_of(&open).is_none(), "{client}");
        let literal = entry(Some(TokenForm::Literal(token.clone()))).unwrap().to_string();
        assert!(literal.contains("Bearer canary"), "{client}: {literal}");
        if client.takes_variables() {
            let named = entry(Some(TokenForm::Variable)).unwrap().to_string();
            assert!(named.contains("AYEAYE_TOKEN") && !named.contains("canary"), "{client}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_a_cache_holds_is_started_by_the_command_that_fills_it() {
    let of = |path: &str| Origin::of(Path::new(path));
    assert_eq!(of("/home/ada/.npm/_npx/5f7/node_modules/@ayeaye/linux-x64/ayeaye"), Origin::Npx);
    assert_eq!(of("/home/ada/.cache/uv/archive-v0/Xy/bin/ayeaye"), Origin::Uvx);
    assert_eq!(of("/home/ada/.local/pipx/.cache/1a2/bin/ayeaye"), Origin::PipxRun);
    for stays in [
        "/home/ada/.local/share/uv/tools/ayeaye/bin/ayeaye",
        "/home/ada/.local/pipx/venvs/ayeaye/bin/ayeaye",
        "/usr/lib/node_modules/ayeaye/bin/ayeaye",
    ] {
        assert_eq!(of(stays), Origin::File(PathBuf::from(stays)));
    }
    let bin = tempfile::tempdir().unwrap();
    std::fs::write(bin.path().join("npx"), "").unwrap();
    let path = bin.path().to_str().unwrap();
    let folders = folders(System::Unix, &[("HOME", "/h"), ("PATH", path)]);
    let serve = || vec!["serve".to_owned()];
    let npx = launcher::command(Path::new("/x/_npx/1/ayeaye"), serve(), &folders).unwrap();
    assert_eq!(npx.program, format!("{path}/npx"));
    assert_eq!(npx.args, ["-y", "ayeaye", "serve"]);
    let (name, value) = &npx.env[0];
    assert!(name == "PATH" && value.starts_with(path) && value.ends_with("/bin"), "{value}");
    // Without it in PATH the word alone is written: a client may know better.
    let uvx = launcher::command(Path::new("/x/archive-v0/1/ayeaye"), serve(), &folders).unwrap();
    assert_eq!(
        (uvx.program.as_str(), uvx.args),
        ("uvx", vec!["ayeaye-mcp".into(), "serve".into()])
    );
}

#[cfg(unix)]
#[test]
fn a_link_in_path_is_written_since_updates_move_what_it_points_to() {
    let home = tempfile::tempdir().unwrap();
    let cellar = home.path().join("Cellar/ayeaye/0.1.0");
    let bin = home.path().join("bin");
    std::fs::create_dir_all(&cellar).unwrap();
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(cellar.join("ayeaye"), "").unwrap();
    std::os::unix::fs::symlink(cellar.join("ayeaye"), bin.join("ayeaye")).unwrap();
    let folders = folders(System::Unix, &[("HOME", "/h"), ("PATH", bin.to_str().unwrap())]);
    let command = launcher::command(&cellar.join("ayeaye"), Vec::new(), &folders).unwrap();
    assert_eq!(command.program, bin.join("ayeaye").display().to_string());
    let other = home.path().join("other");
    std::fs::write(&other, "").unwrap();
    let command = launcher::command(&other, Vec::new(), &folders).unwrap();
    assert_eq!(command.program, other.display().to_string());
}

#[cfg(unix)]
#[test]
fn a_path_that_no_file_of_settings_can_hold_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = tempfile::tempdir().unwrap();
    let bin = home.path().join(std::ffi::OsStr::from_bytes(b"b\xffn"));
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("npx"), "").unwrap();
    let path = std::ffi::OsString::from(&bin);
    let environment = Environment::of([("HOME", "/h".into()), ("PATH", path)]);
    let folders = Folders::new(System::Unix, &environment).unwrap();
    for program in [&bin.join("ayeaye"), Path::new("/x/_npx/1/ayeaye")] {
        let refused = launcher::command(program, Vec::new(), &folders).unwrap_err();
        assert!(refused.to_string().contains("is not UTF-8 and cannot be written"), "{refused}");
    }
}

#[test]
fn scripts_of_windows_are_started_by_cmd() {
    let npx = |args: &[&str]| Command {
        program: r"C:\Program Files\nodejs\npx.cmd".to_owned(),
        args: args.iter().map(|&it| it.to_owned()).collect(),
        ..Command::default()
    };
    let command = npx(&["-y", "ayeaye", "--config", r"C:\A B\ayeaye.toml"]);
    let there = entry::for_system(command.clone(), System::Windows).unwrap();
    assert_eq!(
        (there.program.as_str(), there.args.join(" ")),
        // Without a quote at the beginning those further on stay.
        ("cmd", r"/c npx.cmd -y ayeaye --config C:\A B\ayeaye.toml".to_owned())
    );
    assert_eq!(entry::for_system(command.clone(), System::Unix), Ok(command));
    for special in [r"C:\R&D\a.toml", "100%", "a^b", "say \"x\"", "a|b", "a>b"] {
        let refused = entry::for_system(npx(&["-y", special]), System::Windows).unwrap_err();
        assert!(refused.to_string().contains(special), "{refused}");
        assert!(entry::for_system(npx(&[special]), System::Unix).is_ok());
    }
}

#[cfg(unix)]
#[test]
fn cmd_finds_the_script_in_its_own_folder_and_not_in_a_project() {
    let bin = tempfile::tempdir().unwrap();
    std::fs::write(bin.path().join("npx.cmd"), "").unwrap();
    let path = bin.path().to_str().unwrap();
    let folders = folders(System::Windows, &[("USERPROFILE", "/h"), ("PATH", path)]);
    let npx = launcher::command(Path::new("/x/_npx/1/ayeaye"), vec!["serve".into()], &folders);
    let npx = npx.unwrap();
    assert_eq!(
        (npx.program.as_str(), npx.args.join(" ")),
        ("cmd", "/c npx.cmd -y ayeaye serve".into())
    );
    let value = |name: &str| npx.env.iter().find(|(it, _)| it == name).map(|(_, it)| it.as_str());
    assert!(value("PATH").is_some_and(|it| it.starts_with(&format!("{path};"))), "{npx:?}");
    assert_eq!(value(entry::NOT_HERE), Some("1"));
}

mod files {
    use super::*;

    const KEY: Key<'static> = Key { section: "mcpServers", name: "ayeaye" };

    fn install(path: &Path, entry: &serde_json::Value) -> kept::FileChange {
        let change = kept::install(path, Format::JsonWithComments, KEY, entry).unwrap();
        change.write().unwrap();
        change
    }

    fn uninstall(path: &Path) -> kept::FileChange {
        let change = kept::uninstall(path, Format::JsonWithComments, KEY).unwrap().unwrap();
        change.write().unwrap();
        change
    }

    #[test]
    fn every_byte_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let entry = json!({ "command": "/a" });
        for before in ["{ }", "{\n}", "{\"mcpServers\":{\n\n}}", " \n", "// c\n{\"a\":1}\n", ""] {
            std::fs::write(&path, before).unwrap();
            assert!(install(&path, &entry).backup().unwrap().exists());
            assert!(install(&path, &entry).is_nothing());
            // The command moves in between.
            assert!(!install(&path, &json!({ "command": "/b", "args": [] })).is_nothing());
            uninstall(&path);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{before}");
        }
        std::fs::remove_file(&path).unwrap();
        install(&path, &entry);
        install(&path, &json!({ "command": "/b" }));
        assert!(!kept::backup(&path).exists());
        uninstall(&path);
        assert!(!path.exists());
        assert!(kept::uninstall(&path, Format::JsonWithComments, KEY).unwrap().is_none());
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(40))]
        #[test]
        fn whatever_was_in_it_comes_back((text, _) in document::tests::json_file()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("mcp.json");
            std::fs::write(&path, &text).unwrap();
            install(&path, &json!({ "command": "/a", "args": ["serve"] }));
            uninstall(&path);
            proptest::prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_behind_a_link_is_what_goes() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("dotfiles.json"), folder.path().join("mcp.json"));
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let entry = json!({ "url": "http://a", "headers": { "Authorization": "Bearer canary" } });
        install(&link, &entry);
        assert!(std::fs::read_to_string(&real).unwrap().contains("canary"));
        assert_eq!(uninstall(&link).after, None);
        assert!(!real.exists() && link.is_symlink());
        install(&link, &entry);
        assert!(real.exists() && link.is_symlink());
    }

    #[test]
    fn an_entry_of_somebody_elses_is_kept_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let by_hand = "{\n  \"mcpServers\": {\n    \"ayeaye\": { \"command\": \"mine\" }\n  }\n}\n";
        std::fs::write(&path, by_hand).unwrap();
        install(&path, &json!({ "command": "/a" }));
        assert_eq!(std::fs::read_to_string(kept::backup(&path)).unwrap(), by_hand);
        uninstall(&path);
        assert!(path.exists(), "it was there before");
        assert_eq!(std::fs::read_to_string(kept::backup(&path)).unwrap(), by_hand);
    }

    #[test]
    fn what_the_person_set_in_the_entry_is_no_reason_to_change_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings");
        let command = Command { program: "/a".to_owned(), slow_start: true, ..Command::default() };
        let connection = Connection::Stdio(command);
        for (client, was, is) in [
            (Client::Goose, "timeout: 300", "timeout: 900 # slow"),
            (Client::Goose, "enabled: true", "enabled: false"),
            (Client::Opencode, "\"enabled\": true", "\"enabled\": false"),
            (Client::Codex, "startup_timeout_sec = 60", "startup_timeout_sec = 90"),
        ] {
            let key = Key { section: client.section(), name: "ayeaye" };
            let entry = client.entry("ayeaye", &connection).unwrap();
            let text = client.format().alone(key, &entry).unwrap().replace(was, is);
            std::fs::write(&path, &text).unwrap();
            assert!(text.contains(is));
            let change = kept::install(&path, client.format(), key, &entry).unwrap();
            assert!(change.is_nothing(), "{change:?}");
        }
    }

    #[test]
    fn where_nothing_changes_no_copy_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let both = "{ \"mcpServers\": { \"b\": {}, \"ayeaye\": { \"command\": \"/a\" } } }";
        std::fs::write(&path, both).unwrap();
        let change = install(&path, &json!({ "command": "/a" }));
        assert!(change.is_nothing());
        assert_eq!(change.backup(), None);
        assert!(install(&path, &json!({ "command": "/b" })).backup().unwrap().exists());
    }

    #[test]
    fn what_others_did_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        std::fs::write(&path, "{\n  \"a\": 1\n}\n").unwrap();
        install(&path, &json!({ "command": "/a" }));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("\"a\": 1", "\"a\": 2")).unwrap();
        uninstall(&path);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\n  \"a\": 2\n}\n");
        assert!(kept::backup(&path).exists(), "it is no longer what it was");
    }

    /// To read a pipe would be to wait for whoever writes into it.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        for path in [path.as_path(), Path::new("/dev/null")] {
            let error = kept::read(path).unwrap_err();
            assert!(matches!(error, kept::KeptError::NotFile { .. }), "{error}");
        }
        drop(socket);
    }

    #[test]
    fn a_file_that_changes_under_our_hands_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        std::fs::write(&path, "{}").unwrap();
        let entry = json!({ "command": "/a" });
        let change = kept::install(&path, Format::JsonWithComments, KEY, &entry).unwrap();
        std::fs::write(&path, "{\"new\": 1}").unwrap();
        assert!(matches!(change.write(), Err(kept::KeptError::Changed { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"new\": 1}");
    }
}
