//! The first step: which phone. What doctor knows of it is said here too.
use ayeaye_agent::DeviceId;

use super::Phone;
use crate::cli::Setup;
use crate::command::asker::Asker;
use crate::command::doctor;
use crate::config::Config;
use crate::wiring::App;

/// Finds the phones and asks for one.
pub(super) async fn choose(config: &Config, args: &Setup, asker: Asker) -> anyhow::Result<Phone> {
    let terminal = asker.terminal;
    if args.virtual_phone {
        terminal.line(
            "The virtual phone: apps and a screen inside this program, for trying everything.",
        );
        return Ok(Phone::Virtual);
    }
    loop {
        let app = App::new(config).await?;
        let ready = doctor::tell_phones(&app, config, terminal).await;
        if let Some(wanted) = &args.device {
            let wanted = DeviceId::new(wanted);
            // Any of its serials names a phone.
            if ready.iter().any(|entry| entry.id == wanted || entry.also.contains(&wanted)) {
                return Ok(Phone::Real(wanted));
            }
            if asker.yes {
                // Nobody who names a phone wants to hear that all went well on another.
                anyhow::bail!(
                    "{wanted} is not connected, or not ready: see above\nhint: `ayeaye devices` shows the phones \
                     there are; --virtual uses the virtual one"
                );
            }
            terminal.line(&format!("{wanted} is not connected, or not ready: see above."));
        }
        match ready.as_slice() {
            [only] if args.device.is_none() => {
                terminal.line(&format!("It will be {}.", only.id));
                return Ok(Phone::Real(only.id.clone()));
            }
            [] => {
                terminal.line(
                    "   1  look again\n   2  use the virtual phone for now\n   3  continue without",
                );
                // Looking again by itself would never end.
                let default = if asker.yes { 2 } else { 1 };
                match asker.choose("What now?", 3, default).await {
                    Some(1) => {}
                    Some(2) => return Ok(Phone::Virtual),
                    _ => return Ok(Phone::None),
                }
            }
            several => {
                for (at, entry) in several.iter().enumerate() {
                    terminal.line(&format!("  {:>2}  {}", at + 1, entry.id));
                }
                let none = several.len() + 1;
                terminal.line(&format!("  {none:>2}  none of them"));
                // Nobody gets another phone than the one that was named by a default.
                let default = if args.device.is_some() { none } else { 1 };
                let chosen = asker.choose("Which one?", none, default).await;
                let chosen = chosen.and_then(|at| several.get(at - 1));
                return Ok(chosen.map_or(Phone::None, |entry| Phone::Real(entry.id.clone())));
            }
        }
    }
}
