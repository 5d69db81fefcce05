//! Whose phone it is.
use super::sanitize;
use super::text::lines;

/// The number of the person in front, within a command line. A maker may print warnings before it, and where phones do
/// not tell it, it is that of the first: an option without a value would swallow what stands behind it. Android 5 has
/// no `tail`.
pub(crate) const CURRENT_USER: &str =
    "$(am get-current-user 2>/dev/null | grep -m 1 -x '[0-9][0-9]*' || echo 0)";

/// Most users of a phone.
const MOST_USERS: usize = 32;

/// Flags of a user that is no person of its own but goes with one, as a work profile does: of a company, and of any
/// kind since Android 11 (AOSP, `UserInfo.FLAG_MANAGED_PROFILE` and `FLAG_PROFILE`), and MIUI's space for second copies
/// of apps ("`XSpace`"), which had only this one before.
const PROFILE: u32 = 0x20 | 0x1000 | 0x80_0000;

/// A user as Android numbers them: a person, or a profile of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) is_profile: bool,
    pub(crate) is_running: bool,
}

/// The users of `pm list users`, such as `UserInfo{10:Work profile:1030} running`.
pub(crate) fn users(text: &str) -> Vec<User> {
    let user = |line: &str| {
        // A name may have any of these signs.
        let (about, state) = line.split_once("UserInfo{")?.1.rsplit_once('}')?;
        let (id, rest) = about.split_once(':')?;
        let (name, flags) = rest.rsplit_once(':')?;
        let flags = u32::from_str_radix(flags.trim(), 16).unwrap_or_default();
        Some(User {
            id: id.trim().parse().ok()?,
            name: sanitize(name),
            is_profile: flags & PROFILE != 0,
            is_running: state.trim() == "running",
        })
    };
    lines(text).filter_map(user).take(MOST_USERS).collect()
}

/// The person in front, as `am get-current-user` prints it; a maker may print warnings before.
pub(crate) fn current_user(text: &str) -> Option<u32> {
    text.lines().rev().find_map(|line| line.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a shell as a phone has one")]
    fn an_option_has_a_value_whatever_the_phone_tells() {
        for (told, user) in [
            ("echo 10", "10"),
            ("echo 'WARNING: linker: 1'; echo 10", "10"),
            ("echo 'Error: Unknown command: get-current-user'; return 255", "0"),
            ("return 127", "0"),
        ] {
            let line = format!(
                "am() {{ {told}; }}; tail() {{ return 127; }}; echo --user {CURRENT_USER} a"
            );
            let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                format!("--user {user} a\n"),
                "{told}"
            );
        }
    }

    #[test]
    fn persons_and_their_profiles_are_told_apart() {
        let told = users(
            "Users:\n\tUserInfo{0:Owner:4c13} running\n\tUserInfo{10:Work: mine}:1030} running\n\
             \tUserInfo{11:Anna:410}\n\tUserInfo{12:Old work:30} running\n\
             \tUserInfo{150:Secure Folder:10061030} running\n\tUserInfo{999:XSpace:800010} running\n",
        );
        let read: Vec<_> =
            told.iter().map(|it| (it.id, it.name.as_str(), it.is_profile, it.is_running)).collect();
        assert_eq!(
            read,
            [
                (0, "Owner", false, true),
                (10, "Work: mine}", true, true),
                (11, "Anna", false, false),
                (12, "Old work", true, true),
                (150, "Secure Folder", true, true),
                (999, "XSpace", true, true),
            ]
        );
        assert_eq!(users("Error: unknown command 'list users'\n"), []);
    }

    #[test]
    fn the_person_in_front_is_the_last_number() {
        assert_eq!(current_user("WARNING: linker: x\n10\n"), Some(10));
        assert_eq!(current_user("Error: Unknown command: get-current-user\n"), None);
    }
}
