//! `chmod`: who may do what with a file.
use super::{CommandOutput, change::each, flags, stat_of};
use crate::{device::VirtualPhone, files::normalize_path};

/// `chmod [-Rf] MODE PATH…`.
pub(in crate::shell::commands) fn chmod(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "chmod", words, "Rf") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let [mode, paths @ ..] = flags.operands.as_slice() else {
        return CommandOutput::malformed(device, 1, "chmod: Needs 2 arguments\n");
    };
    if changed(mode, 0, false).is_none() {
        return CommandOutput::malformed(device, 1, format!("chmod: bad mode '{mode}'\n"));
    }
    let mut output = each(device, "chmod", paths, |operand| {
        let stat = stat_of(device, cwd, operand).map_err(|error| format!("{operand}: {error}"))?;
        let path = normalize_path(cwd, operand);
        let mut files = device.files();
        let below = format!("{path}/");
        let inside = |other: &&str| flags.has('R') && stat.is_dir() && other.starts_with(&below);
        let all = files.paths().filter(|other| *other == path || inside(other));
        for one in all.map(str::to_owned).collect::<Vec<_>>() {
            let Ok(stat) = files.stat(&one) else { continue };
            let Some(new) = changed(mode, stat.mode & 0o777, stat.is_dir()) else { continue };
            files.set_permissions(&one, new).map_err(|error| {
                format!("chmod '{operand}{}' to {new:04o}: {error}", &one[path.len()..])
            })?;
        }
        Ok(())
    });
    if flags.has('f') {
        output.stderr.clear();
    }
    output
}

/// The permissions after a mode such as `755`, `+x` or `u=rw,go-w`; `None` for what is none. This phone has no set-id
/// and sticky bits.
fn changed(mode: &str, before: u32, is_folder: bool) -> Option<u32> {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) {
        let octal = u32::from_str_radix(mode, 8).ok()?;
        return (octal <= 0o7777).then_some(octal & 0o777);
    }
    mode.split(',').try_fold(before, |before, clause| {
        let (who, change) = clause.split_at(clause.find(['+', '-', '='])?);
        let who = who.chars().try_fold(0, |all, letter| {
            Some(match letter {
                'u' => all | 0o700,
                'g' => all | 0o070,
                'o' => all | 0o007,
                'a' => 0o777,
                _ => return None,
            })
        })?;
        let who = if who == 0 { 0o777 } else { who };
        let may = change[1..].chars().try_fold(0, |all, letter| {
            Some(match letter {
                'r' => all | 0o444,
                'w' => all | 0o222,
                'x' => all | 0o111,
                'X' if is_folder || before & 0o111 != 0 => all | 0o111,
                'X' | 's' | 't' => all,
                _ => return None,
            })
        })?;
        Some(match &change[..1] {
            "+" => before | who & may,
            "-" => before & !(who & may),
            _ => before & !who | who & may,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_numbers_or_changes() {
        for (mode, before, after) in [
            ("755", 0o600, Some(0o755)),
            ("0644", 0o777, Some(0o644)),
            ("+x", 0o644, Some(0o755)),
            ("u=rwx,go-w", 0o666, Some(0o744)),
            ("a+X", 0o644, Some(0o644)),
            ("g-rw", 0o664, Some(0o604)),
            ("778", 0, None),
            ("77777", 0, None),
            ("u", 0, None),
            ("z+x", 0, None),
            ("+é", 0, None),
            ("", 0, None),
        ] {
            assert_eq!(changed(mode, before, false), after, "{mode}");
        }
    }
}
