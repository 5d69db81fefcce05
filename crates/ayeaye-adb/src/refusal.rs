//! What phones refuse to a computer, and the switch on the phone that allows it.
//!
//! Makers add permissions of their own in front of what adb may do. What is printed then names a
//! permission or a code, which tells a person nothing.

/// A refusal, by what Android prints: the words in it, what they mean, and the way out.
struct KnownRefusal {
    printed: &'static str,
    means: &'static str,
    mend: &'static str,
    /// Whether only a person at the phone can do that.
    on_phone: bool,
}

const KNOWN: &[KnownRefusal] = &[
    KnownRefusal {
        printed: "INJECT_EVENTS",
        means: "its system lets adb look but not touch (INJECT_EVENTS)",
        mend: "In Settings, Developer options, switch on \"USB debugging (Security settings)\" (on some \
               phones \"Disable permission monitoring\"), then try again",
        on_phone: true,
    },
    KnownRefusal {
        printed: "WRITE_SECURE_SETTINGS",
        means: "its system does not let a computer change this setting (WRITE_SECURE_SETTINGS)",
        mend: "In Settings, Developer options, switch on \"Disable permission monitoring\" (OPPO, realme, \
               OnePlus) or \"USB debugging (Security settings)\" (Xiaomi), then try again",
        on_phone: true,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_USER_RESTRICTED",
        means: "its system does not install apps from a computer (INSTALL_FAILED_USER_RESTRICTED)",
        mend: "On Xiaomi phones switch on \"Install via USB\" in the developer options, or tap \"Install\" \
               when the phone asks: it waits ten seconds; then try again",
        on_phone: true,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_ABORTED",
        means: "somebody or something on the phone said no (INSTALL_FAILED_ABORTED)",
        mend: "Look at the phone, allow the installation when it asks, and try again",
        on_phone: true,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_VERIFICATION_FAILURE",
        means: "its check of apps, by Play Protect or the maker, does not allow this one \
                (INSTALL_FAILED_VERIFICATION_FAILURE)",
        mend: "Switch off \"Verify apps over USB\" in the developer options while the app is installed, and on Xiaomi \
               phones switch on \"Install via USB\"; if that changes nothing, the maker's own check refuses it, and it \
               can only be installed on the device itself",
        on_phone: true,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_INSUFFICIENT_STORAGE",
        means: "its storage is full (INSTALL_FAILED_INSUFFICIENT_STORAGE)",
        mend: "Free some space on it, and try again",
        on_phone: true,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
        means: "an app of this name by somebody else is installed (INSTALL_FAILED_UPDATE_INCOMPATIBLE)",
        mend: "Uninstall that one first",
        on_phone: false,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_VERSION_DOWNGRADE",
        means: "a newer version is installed (INSTALL_FAILED_VERSION_DOWNGRADE)",
        mend: "Uninstall that one first",
        on_phone: false,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_OLDER_SDK",
        means: "the app needs a newer Android (INSTALL_FAILED_OLDER_SDK)",
        mend: "Use an older version of the app",
        on_phone: false,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_DEPRECATED_SDK_VERSION",
        means: "the app was made for an Android version that this one no longer accepts \
                (INSTALL_FAILED_DEPRECATED_SDK_VERSION)",
        mend: "Use a newer version of the app",
        on_phone: false,
    },
    KnownRefusal {
        printed: "INSTALL_PARSE_FAILED",
        means: "the file is not an app it can read (INSTALL_PARSE_FAILED)",
        mend: "Download the file again, as a complete APK",
        on_phone: false,
    },
    KnownRefusal {
        printed: "DELETE_FAILED_DEVICE_POLICY_MANAGER",
        means: "the app is an administrator of the phone (DELETE_FAILED_DEVICE_POLICY_MANAGER)",
        mend: "Switch that off in Settings, Security, Device admin apps",
        on_phone: true,
    },
    KnownRefusal {
        printed: "DELETE_FAILED_USER_RESTRICTED",
        means: "its system does not let a computer remove apps (DELETE_FAILED_USER_RESTRICTED)",
        mend: "Remove the app on the phone itself",
        on_phone: true,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_NO_MATCHING_ABIS",
        means: "the app is for another kind of processor (INSTALL_FAILED_NO_MATCHING_ABIS)",
        mend: "Take the package of the app that is for this phone",
        on_phone: false,
    },
    KnownRefusal {
        printed: "INSTALL_FAILED_TEST_ONLY",
        means: "the package is marked as for tests only (INSTALL_FAILED_TEST_ONLY)",
        mend: "Take one that is not",
        on_phone: false,
    },
    KnownRefusal {
        printed: "DELETE_FAILED_INTERNAL_ERROR",
        means: "the app is a part of the phone and cannot be removed (DELETE_FAILED_INTERNAL_ERROR)",
        mend: "It can be switched off in Settings, Apps",
        on_phone: true,
    },
];

/// What a refusal means, and what to do about it. `None` when it is not a known one.
pub(crate) fn explain(printed: &str) -> Option<(&'static str, &'static str)> {
    KNOWN.iter().find(|known| printed.contains(known.printed)).map(|it| (it.means, it.mend))
}

/// Whether a text says what to do about a refusal that is known.
pub fn names_the_mend(text: &str) -> bool {
    KNOWN.iter().any(|known| text.contains(known.mend))
}

/// Whether it says that, and only a person at the phone can do it.
pub fn is_mended_on_phone(text: &str) -> bool {
    KNOWN.iter().any(|known| known.on_phone && text.contains(known.mend))
}

/// The same as a reason.
pub(crate) fn reason(printed: &str) -> Option<String> {
    explain(printed).map(|(means, mend)| format!("{means}. {mend}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_phones_print_is_told_with_the_way_out() {
        for (printed, switch) in [
            (
                "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission",
                "USB debugging (Security settings)",
            ),
            (
                "Exception occurred while executing 'ime':\njava.lang.SecurityException: uid 2000 does not \
                 have android.permission.WRITE_SECURE_SETTINGS.",
                "Disable permission monitoring",
            ),
            (
                "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]",
                "Install via USB",
            ),
            (
                "Failure [INSTALL_FAILED_ABORTED: User rejected permissions]",
                "allow the installation",
            ),
            (
                "Failure [INSTALL_FAILED_VERIFICATION_FAILURE: Install not allowed for file:///data/app/vmdl1.tmp]",
                "Install via USB",
            ),
            ("Failure [INSTALL_FAILED_TEST_ONLY]", "Take one that is not"),
            ("Failure [INSTALL_PARSE_FAILED_NOT_APK: Failed to parse base.apk]", "APK"),
        ] {
            assert!(reason(printed).unwrap().contains(switch), "{printed}");
        }
        assert_eq!(reason("Success"), None);
        for (printed, on_phone) in
            [("INSTALL_FAILED_USER_RESTRICTED", true), ("INSTALL_FAILED_VERSION_DOWNGRADE", false)]
        {
            let told = reason(printed).unwrap();
            assert_eq!((names_the_mend(&told), is_mended_on_phone(&told)), (true, on_phone));
        }
    }
}
