//! `ayeaye secret`: what a task can have typed without any model seeing it.
use std::io::{IsTerminal as _, Read as _};

use ayeaye_agent::{NamedSecret, SecretPlaces, as_listed, is_secret_name};
use serde_json::json;

use crate::cli::SecretCommand;
use crate::command::{Exit, wrong_usage};
use crate::config::Config;
use crate::named_secrets::SecretFile;
use crate::shutdown::Shutdown;
use crate::terminal::{Answer, Terminal};

/// The longest secret, in bytes.
const LONGEST: usize = 4096;

/// Keeps, lists and forgets secrets.
pub(super) async fn secret(
    what: SecretCommand,
    config: &Config,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let file = SecretFile::of(&config.data_dir);
    match what {
        SecretCommand::Set { name, apps, hosts } => {
            set(&file, name, SecretPlaces { apps, hosts }, terminal).await
        }
        SecretCommand::List { json: true } => {
            let all = file.list()?;
            let row = |(name, places): &(String, SecretPlaces)| json!({ "name": name, "apps": places.apps, "hosts": places.hosts });
            let rows: Vec<_> = all.iter().map(row).collect();
            terminal.json(&json!({ "secrets": rows }));
            Ok(Exit::Done)
        }
        SecretCommand::List { json: false } => {
            let all = file.list()?;
            for (name, places) in &all {
                terminal.item(name, &format!("typed in {}", in_words(places)));
            }
            if all.is_empty() {
                terminal.line(
                    "no secrets are stored; `ayeaye secret set NAME --app PACKAGE` stores one",
                );
            }
            Ok(Exit::Done)
        }
        SecretCommand::Rm { name } => {
            anyhow::ensure!(
                file.remove(&name).await?,
                "there is no secret named {name:?}\nhint: `ayeaye secret list` shows all of them"
            );
            terminal.line(&format!("{name} is forgotten"));
            Ok(Exit::Done)
        }
    }
}

async fn set(
    file: &SecretFile,
    name: String,
    places: SecretPlaces,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    if !is_secret_name(&name) {
        return Ok(wrong_usage(&format!(
            "{name:?} cannot name a secret: letters, digits, `-`, `_` and `.`, at most 64"
        )));
    }
    if let Some(odd) = places.apps.iter().find(|app| !is_package(app)) {
        return Ok(wrong_usage(&format!(
            "{odd:?} is not a package, such as com.example.bank\nhint: `adb shell pm list packages` lists those on the phone; \
             once a task has been in the app, `ayeaye policy explain last` names it"
        )));
    }
    if let Some(odd) = places.hosts.iter().find(|host| !is_host(host)) {
        return Ok(wrong_usage(&format!(
            "{odd:?} is not a host, such as example.org: without https:// and without a path"
        )));
    }
    // On no page would it be typed.
    let odd = places.hosts.iter().find_map(|host| as_listed(host).filter(|it| it != host));
    if let Some(host) = odd {
        return Ok(wrong_usage(&format!("hosts are not written like that: write {host}")));
    }
    let value = if std::io::stdin().is_terminal() {
        let signals = Shutdown::on_signals()?;
        let prompt = format!("{name}:");
        let Some(answer) = signals.unless_asked(terminal.ask_secret_as_typed(&prompt)).await else {
            // The line of the prompt is still open.
            terminal.line("");
            anyhow::bail!("stopped: nothing was stored")
        };
        match answer {
            Answer::Text(value) => value,
            Answer::Empty | Answer::Ended => String::new(),
        }
    } else {
        // With a mark before it, and the end of a line behind it.
        let mut piped = Vec::new();
        std::io::stdin().lock().take(LONGEST as u64 + 6).read_to_end(&mut piped)?;
        piped_secret(&piped)?
    };
    anyhow::ensure!(
        !value.trim().is_empty(),
        "nothing was given: nothing was stored\nhint: type it when asked, or pipe it in, as `ayeaye secret set \
         --help` shows"
    );
    anyhow::ensure!(value.len() <= LONGEST, TOO_LONG);
    anyhow::ensure!(
        !value.chars().any(char::is_control),
        "it has a control character, which no phone can type: nothing was stored"
    );
    let where_typed = in_words(&places);
    let replaced = file.set(&name, NamedSecret { value, places }).await?;
    let how = if replaced { "replaced" } else { "kept" };
    terminal.line(&format!(
        "{name} is {how}, and typed only in {where_typed}.\nIn a task write {{{{secret:{name}}}}}: no model sees what it stands \
         for."
    ));
    Ok(Exit::Done)
}

const TOO_LONG: &str =
    "it is longer than 4096 bytes: nothing was stored\nhint: give the secret alone, in one line";

/// The secret that was piped in: without the mark that Windows programs put before a text, which would be typed as
/// a part of it, and without the end of the line.
fn piped_secret(bytes: &[u8]) -> anyhow::Result<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let ends = bytes.iter().rev().take_while(|byte| matches!(**byte, b'\n' | b'\r')).count();
    let secret = &bytes[..bytes.len() - ends];
    // Before its last character, which may be cut.
    anyhow::ensure!(secret.len() <= LONGEST, TOO_LONG);
    match str::from_utf8(secret) {
        Ok(secret) => Ok(secret.to_owned()),
        Err(err) => anyhow::bail!(
            "what was piped in is not text in UTF-8, from byte {} on: nothing was stored\nhint: save it as UTF-8, or type it \
             when asked; in Windows PowerShell `$OutputEncoding = [Text.UTF8Encoding]::new()` comes first",
            err.valid_up_to() + 1
        ),
    }
}

fn is_package(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    text.contains('.') && text.len() <= 255 && text.chars().all(inner)
}

fn is_host(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    text.contains('.') && text.len() <= 253 && text.chars().all(inner) && as_listed(text).is_some()
}

fn in_words(SecretPlaces { apps, hosts }: &SecretPlaces) -> String {
    let apps = apps.join(", ");
    if hosts.is_empty() { apps } else { format!("{apps}, on pages of {}", hosts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_piped_in_is_the_secret_and_nothing_else() {
        assert_eq!(LONGEST, 4096, "it is said");
        let longest = "ü".repeat(LONGEST / 2);
        for (piped, secret) in [
            ("\u{feff}Quince-41\r\n", "Quince-41"),
            (" Quince 41 \n", " Quince 41 "),
            ("", ""),
            (&format!("\u{feff}{longest}\r\n"), &longest),
        ] {
            assert_eq!(piped_secret(piped.as_bytes()).unwrap(), secret);
        }
        let cut = &format!("{longest}ü").into_bytes()[..=LONGEST];
        for (piped, why) in
            [(&b"Quin\xe9"[..], "from byte 5"), (b"\xff\xfeQ\0", "byte 1"), (cut, "longer")]
        {
            let told = piped_secret(piped).unwrap_err().to_string();
            assert!(told.contains(why) && told.contains("hint: "), "{told}");
        }
    }
}
