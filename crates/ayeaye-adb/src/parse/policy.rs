//! What an administrator of the phone forbids.
use super::text::lines;

/// Asks whether an administrator forbids pictures of somebody's windows: Android hides those as it hides protected
/// ones, and they have no flag that tells it (AOSP, `WindowState.isSecureLocked`).
pub(crate) const ASK_CAPTURE_BAN: &str = "dumpsys device_policy | \
    grep -E 'Screen capture disallowed|disableScreenCapture=true|Device Admins [(]User'";

/// Everybody, among the numbers of users (AOSP, `UserHandle.USER_ALL`).
const ALL: i32 = -1;

/// The users of whose windows no picture may be taken, by the rule of a company or a school.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CaptureBan(Vec<i32>);

impl CaptureBan {
    /// From the answer to [`ASK_CAPTURE_BAN`]. Since Android 12 one line has all (AOSP, `DevicePolicyCacheImpl.dump`);
    /// before, each administrator has its own below the line of its user.
    pub(crate) fn read(text: &str) -> Self {
        let all = lines(text).find_map(|line| {
            let (_, told) = line.split_once("Screen capture disallowed user")?;
            told.split_once(':').map(|(_, users)| numbers(users))
        });
        Self(all.unwrap_or_else(|| by_administrators(text)))
    }

    /// Whether it is about the windows of this user. Of one that is not known, where it is about everybody.
    pub(crate) fn covers(&self, user: Option<u32>) -> bool {
        let user = user.and_then(|user| i32::try_from(user).ok());
        self.0.iter().any(|banned| *banned == ALL || Some(*banned) == user)
    }
}

fn by_administrators(text: &str) -> Vec<i32> {
    let (mut banned, mut of): (_, Option<i32>) = (Vec::new(), None);
    for line in lines(text).map(str::trim) {
        if let Some((_, rest)) = line.split_once("Device Admins (User ") {
            of = rest.split([',', ')']).next().and_then(|user| user.trim().parse().ok());
        } else if line == "disableScreenCapture=true" {
            banned.extend(of);
        }
    }
    banned
}

/// Such as ` -10000`, which is nobody, or ` [0, 10]`.
fn numbers(text: &str) -> Vec<i32> {
    let parts = text.trim().trim_start_matches('[').trim_end_matches(']').split(',');
    parts.filter_map(|part| part.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_windows_may_not_be_captured_is_read_from_every_version() {
        let old = "  Enabled Device Admins (User 0, provisioningState: 3):\n      \
            disableScreenCapture=false\n  Enabled Device Admins (User 10, provisioningState: 3):\n      \
            disableScreenCapture=true\n";
        for (text, banned) in [
            ("    Screen capture disallowed user: -10000\n", vec![]),
            ("    Screen capture disallowed users: []\n", vec![]),
            ("    Screen capture disallowed users: [10, 11]\n", vec![10]),
            ("    Screen capture disallowed user: 10\n", vec![10]),
            ("    Screen capture disallowed user: -1\n", vec![0, 10]),
            ("    Screen capture disallowed users: [-1]\n", vec![0, 10]),
            (old, vec![10]),
            // The newer line is what counts.
            (&format!("{old}    Screen capture disallowed users: []\n"), vec![]),
            ("Can't find service: device_policy\n", vec![]),
            ("", vec![]),
        ] {
            let ban = CaptureBan::read(text);
            let covered: Vec<u32> =
                [0, 10].into_iter().filter(|it| ban.covers(Some(*it))).collect();
            assert_eq!(covered, banned, "{text}");
            assert_eq!(ban.covers(None), banned.len() == 2, "{text}");
        }
    }
}
