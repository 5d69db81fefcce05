//! `ayeaye install` and `uninstall`: the real program, in a home of its own.
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Binary, CommandOutput};

/// A home folder with nothing in it, and the program that lives there.
struct Home {
    folder: TempDir,
    binary: Binary,
}

impl Home {
    /// With no settings in the environment but where adb is.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let home = folder.path().to_str().unwrap().to_owned();
        let binary = Binary::bare().set("HOME", &home);
        Self { folder, binary }
    }

    fn set(mut self, name: &'static str, value: &str) -> Self {
        self.binary = self.binary.set(name, value);
        self
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.file(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        let file = self.file(name);
        fs::read_to_string(&file).unwrap_or_else(|err| panic!("{}: {err}", file.display()))
    }

    async fn run(&self, words: &str) -> CommandOutput {
        self.binary.run(&words.split_whitespace().collect::<Vec<_>>()).await
    }

    /// Runs it, and expects success.
    async fn done(&self, words: &str) -> String {
        let output = self.run(words).await;
        assert_eq!(output.code, 0, "{words}: {output:?}");
        output.out
    }

    async fn json(&self, words: &str) -> Value {
        let out = self.done(words).await;
        serde_json::from_str(&out).unwrap_or_else(|err| panic!("{err}: {out}"))
    }
}

const CURSOR: &str = ".cursor/mcp.json";
const MINE: &str = "// servers of mine\n{\n  \"mcpServers\": {\n    \"b\": { \"command\": \"b\" }, // old\n  },\n}\n";

#[tokio::test(flavor = "multi_thread")]
async fn every_client_gets_an_entry_that_starts_and_loses_it_again() {
    let files = [
        ("claude-code", ".claude.json", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {}\n}"),
        ("claude-desktop", ".config/Claude/claude_desktop_config.json", "{}"),
        ("cursor", CURSOR, MINE),
        ("vscode", ".config/Code/User/mcp.json", "{\n\t\"inputs\": [],\n\t\"servers\": {}\n}"),
        ("codex", ".codex/config.toml", "model = \"x\" # mine\n\n[tools]\nweb_search = true"),
        ("gemini", ".gemini/settings.json", "{\n  // mine\n  \"ui\": { \"theme\": \"x\" }\n}\n"),
        ("opencode", ".config/opencode/opencode.jsonc", "{ \"autoupdate\": false }"),
        (
            "goose",
            ".config/goose/config.yaml",
            "GOOSE_MODEL: x\nextensions:\n  # mine\n  a:\n    enabled: true\n",
        ),
        ("zed", ".config/zed/settings.json", "// Zed\n{\n  \"theme\": \"One Dark\",\n}\n"),
        ("amazon-q", ".aws/amazonq/mcp.json", "{\"mcpServers\":{}}"),
        ("copilot-cli", ".copilot/mcp-config.json", "{\"mcpServers\":{}}"),
    ];
    let home = Home::new();
    for (client, file, before) in files {
        home.write(file, before);
        let told = home.json(&format!("install {client} --virtual --yes --json")).await;
        assert_eq!(told["state"], "added", "{told}");
        assert_eq!(told["tried"]["ok"], true, "{told}");
        assert!(7 <= told["tried"]["tools"].as_u64().unwrap(), "{told}");
        let after = home.read(file);
        assert!(after.contains(env!("CARGO_BIN_EXE_ayeaye")), "{after}");
        assert_eq!(home.read(&format!("{file}.before-ayeaye")), before);
        let again = home.json(&format!("install {client} --virtual --dry-run --json")).await;
        assert_eq!(again["state"], "already_there", "{again}");
        let gone = home.json(&format!("uninstall {client} --yes --json")).await;
        assert_eq!(gone["state"], "removed");
        assert_eq!(home.read(file), before, "{client}");
        assert!(!home.file(&format!("{file}.before-ayeaye")).exists(), "{client}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_is_files_are_made_and_taken_away() {
    let home = Home::new();
    let files = [
        ("cline", ".cline/data/settings/cline_mcp_settings.json"),
        (
            "roo-code",
            ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ),
        ("kiro", ".kiro/settings/mcp.json"),
        ("junie", ".junie/mcp/mcp.json"),
        ("lm-studio", ".lmstudio/mcp.json"),
        ("devin", ".config/devin/mcp_config.json"),
        ("windsurf", ".codeium/windsurf/mcp_config.json"),
        ("continue", ".continue/mcpServers/ayeaye.json"),
        ("goose", ".config/goose/config.yaml"),
        ("codex", ".codex/config.toml"),
    ];
    for (client, file) in files {
        let out = home.done(&format!("install {client} --virtual --yes")).await;
        assert!(out.contains("(new)") && out.contains(" tools in "), "{out}");
        assert!(home.file(file).exists(), "{client}");
        home.done(&format!("uninstall {client} --yes")).await;
        assert!(!home.file(file).exists(), "{client}");
    }
    let out = home.done("uninstall cursor --yes").await;
    assert!(out.contains("no entry `ayeaye`"), "{out}");
    // One that has no file is told what to paste.
    let out = home.done("install jetbrains").await;
    assert!(
        out.contains("Settings > Tools > AI Assistant") && out.contains("\"mcpServers\""),
        "{out}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_unless_somebody_says_so() {
    let home = Home::new();
    home.write(CURSOR, MINE);
    let output = home.run("install cursor").await;
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.out.contains("+     \"ayeaye\": {") && output.out.contains("--yes writes it"));
    let out = home.done("install cursor --dry-run").await;
    assert!(out.contains("+     \"ayeaye\": {"), "{out}");
    assert_eq!(home.read(CURSOR), MINE);
    home.done("install cursor --virtual --yes").await;
    let installed = home.read(CURSOR);
    assert_eq!(home.run("uninstall cursor").await.code, 2);
    home.done("uninstall cursor --dry-run").await;
    assert_eq!(home.read(CURSOR), installed);
}

#[tokio::test(flavor = "multi_thread")]
async fn json_orders_no_terminal_about_and_people_read_the_change_beside_it() {
    let home = Home::new();
    let evil = "a\u{9b}31m\u{202e}b";
    home.write(CURSOR, &MINE.replace("// old", &format!("// {evil}")));
    let output = home.run("install cursor --json").await;
    assert_eq!(output.code, 2, "{output:?}");
    for said in [&output.out, &output.err] {
        assert!(!said.contains(['\u{9b}', '\u{202e}']), "{output:?}");
    }
    let told: Value = serde_json::from_str(&output.out).unwrap();
    assert!(told["change"]["diff"].to_string().contains(evil), "{told}");
    assert!(output.err.contains("+     \"ayeaye\": {"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_file_is_left_alone_and_the_line_is_named() {
    let home = Home::new();
    for (client, file, text, says) in [
        (
            "cursor",
            CURSOR,
            "{\n  \"mcpServers\": {\n    \"a\": 1\n    \"b\": 2\n  }\n}",
            "mcp.json: line 3",
        ),
        ("codex", ".codex/config.toml", "a = 1\n[b\n", "config.toml: line 2"),
        ("codex", ".codex/config.toml", "mcp_servers = {}\n", "inline table"),
        ("claude-code", ".claude.json", "{ // no\n}", ".claude.json: line 1"),
        ("goose", ".config/goose/config.yaml", "extensions: {a: {b: 1}}\n", "in braces"),
    ] {
        home.write(file, text);
        let output = home.run(&format!("install {client} --yes")).await;
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.err.contains(says), "{output:?}");
        assert!(
            output.out.contains("By hand, put this into") && output.out.contains("serve"),
            "{output:?}"
        );
        assert_eq!(home.read(file), text);
        assert!(!home.file(&format!("{file}.before-ayeaye")).exists());
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn links_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.write("dotfiles/mcp.json", MINE);
    let real = home.file("dotfiles/mcp.json");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o604)).unwrap();
    fs::create_dir_all(home.file(".cursor")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/mcp.json", home.file(CURSOR)).unwrap();
    home.done("install cursor --virtual --yes").await;
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    assert!(fs::symlink_metadata(home.file(CURSOR)).unwrap().is_symlink());
    assert_eq!(mode(&real), 0o604);
    assert_eq!(mode(&home.file(".cursor/mcp.json.before-ayeaye")), 0o604);
    home.done("uninstall cursor --yes").await;
    assert_eq!(fs::read_to_string(&real).unwrap(), MINE);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_shell_has_is_kept_and_keys_only_when_told() {
    let key = "canary-key-0123456789";
    let home = Home::new()
        .set("AYEAYE_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
        .set("AYEAYE_RUN_MAX_STEPS", "7")
        .set("AYEAYE_MODEL_API_KEY", key)
        .set("ADB_SERVER_SOCKET", "tcp:127.0.0.1:9");
    home.write(".config/ayeaye/ayeaye.toml", "# mine\n[run]\nwait = \"5s\" # short\n");
    let out = home.done("install cursor --yes").await;
    let toml = home.read(".config/ayeaye/ayeaye.toml");
    assert!(toml.contains("# mine\n[run]\nwait = \"5s\" # short\nmax-steps = 7\n"), "{toml}");
    assert!(toml.contains("base-url = \"http://127.0.0.1:9/v1\""), "{toml}");
    assert!(toml.contains("server = \"tcp:127.0.0.1:9\""), "{toml}");
    assert!(out.contains("model.api-key") && out.contains("--keep-secrets"), "{out}");
    let everything = |home: &Home| out.clone() + &home.read(CURSOR) + &toml;
    assert!(!everything(&home).contains(key));
    let out = home.done("install cursor --yes --keep-secrets").await;
    assert!(!out.contains(key) && out.contains("(secret)"), "{out}");
    let written: Vec<_> = out.lines().filter(|line| line.starts_with("written")).collect();
    assert!(matches!(written[..], [one] if one.ends_with("ayeaye.toml")), "{out}");
    assert!(!home.read(CURSOR).contains(key));
    assert!(home.read(".config/ayeaye/ayeaye.toml").contains(key));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(home.file(".config/ayeaye/ayeaye.toml")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
    }
    // A second client needs no more.
    let told = home.json("install gemini --yes --json").await;
    assert_eq!(told.get("settings"), None, "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_become_part_of_the_command() {
    let home = Home::new();
    let words = "--model-name m --log debug install cursor --virtual --tools agent,device --name phone --yes --json";
    let told = home.json(words).await;
    let args: Vec<_> =
        told["entry"]["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(
        args,
        ["--model-name", "m", "--log", "debug", "serve", "--virtual", "--tools", "agent,device"]
    );
    let file: Value = serde_json::from_str(&home.read(CURSOR)).unwrap();
    assert!(file["mcpServers"]["phone"].is_object() && file["mcpServers"]["ayeaye"].is_null());
    // A settings file elsewhere is named, since the client would not find it.
    home.write("other.toml", "[run]\nmax-steps = 3\n");
    let other = home.file("other.toml").display().to_string();
    let told = home.json(&format!("--config {other} install gemini --yes --json")).await;
    assert_eq!(told["entry"]["args"], serde_json::json!(["--config", other, "serve"]), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_was_changed_by_hand_is_put_right() {
    let home = Home::new();
    home.done("install cursor --virtual --yes").await;
    let broken = home.read(CURSOR).replace("\"serve\"", "\"sreve\"");
    home.write(CURSOR, &broken.replace("\"args\"", "\"timeout\": 9,\n      \"args\""));
    let told = home.json("install cursor --virtual --yes --json").await;
    assert_eq!((&told["state"], &told["tried"]["ok"]), (&"changed".into(), &true.into()), "{told}");
    assert!(home.read(CURSOR).contains("\"timeout\": 9"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_is_said() {
    let home = Home::new();
    let output = home.run("install codex --http http://127.0.0.1:1/mcp --yes --json").await;
    assert_eq!(output.code, 1, "{output:?}");
    let told: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&told["state"], &told["tried"]["ok"]), (&"added".into(), &false.into()), "{told}");
    let out = home.run("install codex --http http://127.0.0.1:1/mcp --yes").await.out;
    assert!(out.contains("ayeaye serve --http") && out.contains("ayeaye uninstall codex"), "{out}");
    // No client starts what runs elsewhere.
    assert!(out.contains("calling http://127.0.0.1:1/mcp") && !out.contains("start it"), "{out}");
    home.done("uninstall codex --yes").await;
    assert!(!home.file(".codex/config.toml").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_the_whole_entry_before_there_is_a_token() {
    let home = Home::new();
    let written = home.file(".config/zed/settings.json");
    fs::create_dir_all(written.parent().unwrap()).unwrap();
    fs::write(&written, "{}").unwrap();
    let told = home.json("install zed --http --token-in-file --dry-run --json").await;
    assert_eq!(told["entry"]["headers"]["Authorization"], "Bearer (secret)", "{told}");
    assert!(told["change"]["diff"].to_string().contains("Bearer (secret)"), "{told}");
    let told = home.json("install cursor --http --dry-run --json").await;
    assert_eq!(told["entry"]["headers"]["Authorization"], "Bearer ${env:AYEAYE_TOKEN}", "{told}");
    assert!(!home.binary.data.path().join("http-token").exists());
    // What listens everywhere is called at loopback: it refuses the address that it listens at.
    let told = home.set("AYEAYE_HTTP_LISTEN", "0.0.0.0:8642");
    let told = told.json("install cursor --http --dry-run --json").await;
    assert_eq!(told["entry"]["url"], "http://127.0.0.1:8642/mcp", "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_server_is_called_with_its_token() {
    let home = Home::new();
    let (_server, url) = crate::process::serve_http(&home.binary).await;
    let told = home.json(&format!("install opencode --http {url} --yes --json")).await;
    assert_eq!(told["tried"]["ok"], true, "{told}");
    let token = fs::read_to_string(home.binary.data.path().join("http-token")).unwrap();
    let file = home.read(".config/opencode/opencode.json");
    assert!(file.contains("{file:") && !file.contains(token.trim()), "{file}");
    // What the client has to have in its environment is said where it is not there.
    let words = format!("install gemini --http {url} --yes");
    let output = home.run(&words).await;
    let file = home.binary.data.path().join("http-token");
    assert!(output.code == 0 && !output.out.contains("as Gemini CLI does"), "{output:?}");
    assert!(output.out.contains("still needs"), "{output:?}");
    assert!(output.out.contains(file.to_str().unwrap()), "{output:?}");
    let told = home.json(&format!("{words} --json")).await;
    assert_eq!(told["token_variable"]["state"], "not_set", "{told}");
    let home = home.set("AYEAYE_TOKEN", token.trim());
    assert!(home.done(&words).await.contains("with the token of AYEAYE_TOKEN"));
    assert_eq!(home.json(&format!("{words} --json")).await["token_variable"]["state"], "set");
    // A client that can look it up nowhere gets it when somebody says so.
    let output = home.run(&format!("install zed --http {url} --yes")).await;
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("--token-in-file"), "{output:?}");
    assert!(!output.err.contains("${input:"), "{output:?}");
    let output = home.run(&format!("install vscode --http {url} --yes")).await;
    assert!(output.code == 1 && output.err.contains("`${input:…}`"), "{output:?}");
    assert!(!home.file(".config/zed/settings.json").exists());
    let out = home.done(&format!("install zed --http {url} --token-in-file --yes")).await;
    assert!(!out.contains(token.trim()) && out.contains("(secret)"), "{out}");
    assert!(home.read(".config/zed/settings.json").contains(token.trim()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(home.file(".config/zed/settings.json")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "whoever reads the file has the token");
    }
    let words = "install zed --http --scope project --token-in-file --yes";
    let output = home.run(words).await;
    assert!(output.code == 1 && output.err.contains("leave out --scope"), "{output:?}");
    assert!(!output.err.contains(token.trim()), "{output:?}");
    let output = home.run(&words.replace("zed", "cursor")).await;
    assert!(output.code == 1 && output.err.contains("AYEAYE_TOKEN"), "{output:?}");
    // Not when it is taken out either, whatever its age.
    for words in ["uninstall zed --dry-run", "uninstall zed --dry-run --json"] {
        let out = home.done(words).await;
        assert!(!out.contains(token.trim()) && out.contains("(secret)"), "{out}");
    }
    // The token that was made here goes to nobody else.
    let told =
        home.json("install cursor --http https://phones.example.com/mcp --dry-run --json").await;
    assert_eq!(told["entry"].get("headers"), None, "{told}");
    let output = home.run(&format!("install claude-desktop --http {url} --yes")).await;
    assert!(output.code == 1 && output.err.contains("connector"), "{output:?}");
}

/// As with `sudo` and the `HOME` of a person. Only root can try: for all others everything is theirs anyway.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_root_installs_for_another_is_theirs() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let backup = format!("{CURSOR}.before-ayeaye");
    let (data, settings) = (".local/share/ayeaye", ".config/ayeaye");
    let home = Home::new();
    let data_dir = home.file(data).to_str().unwrap().to_owned();
    let home = home.set("AYEAYE_DATA_DIR", &data_dir).set("AYEAYE_RUN_MAX_STEPS", "7");
    home.write(CURSOR, "{}");
    let owner = |path: &Path| {
        let found = fs::metadata(path).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
        (found.uid(), found.gid())
    };
    for path in [home.folder.path(), &home.file(".cursor"), &home.file(CURSOR)] {
        // Refused to anybody but root.
        drop(chown(path, Some(1234), Some(2345)));
    }
    let theirs = owner(home.folder.path());
    let told = home.json("install cursor --yes --json").await;
    assert_eq!((&told["state"], &told["tried"]["ok"]), (&"added".into(), &true.into()), "{told}");
    for file in [CURSOR, &backup, ".config", settings, ".local", data] {
        assert_eq!(owner(&home.file(file)), theirs, "{file}");
    }
    for file in [home.file(settings).join("ayeaye.toml"), home.file(data).join("state-key")] {
        assert_eq!(owner(&file), theirs, "{}", file.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_that_are_here_are_listed() {
    let home = Home::new();
    assert_eq!(home.run("install").await.code, 1);
    assert_eq!(home.json("install --json").await["clients"], serde_json::json!([]));
    home.write(CURSOR, "{}");
    home.write(".codex/config.toml", "[mcp_servers.ayeaye]\ncommand = 'x'\n");
    let told = home.json("install --json").await;
    let rows: Vec<_> = told["clients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["client"].as_str().unwrap(), it["state"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("cursor", "not installed"), ("codex", "installed")]);
    let out = home.done("install").await;
    assert!(out.contains("ayeaye install CLIENT"), "{out}");
    // To whoever says yes beforehand nothing was done.
    let yes = home.run("install --yes").await;
    assert!(yes.code == 1 && yes.out.contains("ayeaye install CLIENT"), "{yes:?}");
    let has =
        |id: &str, words: &str| out.lines().any(|line| line.contains(id) && line.ends_with(words));
    assert!(has("cursor", "  does not have ayeaye") && has("codex", "  has ayeaye"), "{out}");
}
