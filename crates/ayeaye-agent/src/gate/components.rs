//! Parts of the system through which apps get power over the phone or money, by package and activity, as
//! Android and the makers of phones name them.
use super::class::ActClass;
use crate::word_list;

word_list! {
    /// A part of the system whose screens give power over the phone.
    pub enum SystemPart {
        /// Asks whether an app is to be installed or removed.
        PackageInstaller = "package-installer",
        /// Asks whether an app gets a permission.
        PermissionDialog = "permission-dialog",
        /// Services that read the screen and act.
        Accessibility = "accessibility-settings",
        /// Settings for developers, debugging over USB.
        DeveloperOptions = "developer-options",
        /// Apps that may lock and erase the phone.
        DeviceAdmin = "device-admin",
        /// A way for all traffic of the phone.
        Vpn = "vpn",
        /// Erases the phone.
        FactoryReset = "factory-reset",
        /// Which apps may install others.
        UnknownSources = "unknown-sources",
        /// Reading notifications, drawing over apps, certificates.
        SpecialAccess = "special-access",
        /// Where calls go, and which are let through.
        Calls = "call-settings",
        /// What unlocks the phone.
        ScreenLock = "screen-lock",
        /// Cards of the network, and what they carry out.
        Sim = "sim-settings",
        /// Keyboards, which see all that is typed.
        Keyboards = "keyboard-settings",
        /// Which apps get messages, calls, addresses and the home key.
        DefaultApps = "default-apps",
        /// What looks for harmful apps.
        AppVerifier = "app-verifier",
        /// Asks for money in a store of apps.
        PurchaseSheet = "purchase-sheet",
    }
}

impl SystemPart {
    /// The class of an act there.
    pub(super) fn class(self) -> ActClass {
        match self {
            Self::PackageInstaller | Self::UnknownSources => ActClass::Install,
            Self::FactoryReset => ActClass::Delete,
            Self::PurchaseSheet => ActClass::Pay,
            Self::PermissionDialog
            | Self::Accessibility
            | Self::DeveloperOptions
            | Self::DeviceAdmin
            | Self::Vpn
            | Self::Calls
            | Self::ScreenLock
            | Self::Sim
            | Self::Keyboards
            | Self::DefaultApps
            | Self::AppVerifier
            | Self::SpecialAccess => ActClass::Grant,
        }
    }

    /// Its name for people.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::PackageInstaller => "the package installer",
            Self::PermissionDialog => "a permission dialog",
            Self::Accessibility => "the accessibility settings",
            Self::DeveloperOptions => "the developer options",
            Self::DeviceAdmin => "the device administrators",
            Self::Vpn => "the VPN settings",
            Self::FactoryReset => "the factory reset",
            Self::UnknownSources => "the settings for unknown apps",
            Self::SpecialAccess => "the settings for special access",
            Self::Calls => "the settings for calls",
            Self::ScreenLock => "the screen lock",
            Self::Sim => "the settings for SIM cards",
            Self::Keyboards => "the settings for keyboards",
            Self::DefaultApps => "the default apps",
            Self::AppVerifier => "the check for harmful apps",
            Self::PurchaseSheet => "a purchase sheet",
        }
    }
}

use SystemPart::{
    Accessibility, AppVerifier, Calls, DefaultApps, DeveloperOptions, DeviceAdmin, FactoryReset,
    Keyboards, PackageInstaller, PermissionDialog, PurchaseSheet, ScreenLock, Sim, SpecialAccess,
    UnknownSources, Vpn,
};

/// Package, a part of the activity's name in lower case (empty: any), what it is. The first that fits
/// counts.
#[rustfmt::skip]
const COMPONENTS: &[(&str, &str, SystemPart)] = &[
    ("com.android.packageinstaller", "grantpermissions", PermissionDialog),
    ("com.google.android.packageinstaller", "grantpermissions", PermissionDialog),
    ("com.android.packageinstaller", "permission", PermissionDialog),
    ("com.google.android.packageinstaller", "permission", PermissionDialog),
    ("com.android.packageinstaller", "", PackageInstaller),
    ("com.google.android.packageinstaller", "", PackageInstaller),
    ("com.samsung.android.packageinstaller", "permission", PermissionDialog),
    ("com.samsung.android.packageinstaller", "", PackageInstaller),
    ("com.miui.packageinstaller", "", PackageInstaller),
    ("com.miui.global.packageinstaller", "", PackageInstaller),
    ("com.oplus.packageinstaller", "", PackageInstaller),
    ("com.oppo.packageinstaller", "", PackageInstaller),
    ("com.coloros.packageinstaller", "", PackageInstaller),
    ("com.vivo.packageinstaller", "", PackageInstaller),
    ("com.huawei.packageinstaller", "", PackageInstaller),
    ("com.hihonor.packageinstaller", "", PackageInstaller),
    ("com.android.permissioncontroller", "", PermissionDialog),
    ("com.google.android.permissioncontroller", "", PermissionDialog),
    ("com.samsung.android.permissioncontroller", "", PermissionDialog),
    ("com.lbe.security.miui", "", PermissionDialog),
    ("com.miui.securitycenter", "adbinstall", PackageInstaller),
    ("com.miui.securitycenter", "autostart", SpecialAccess),
    ("com.miui.securitycenter", "permission", PermissionDialog),
    ("com.coloros.securitypermission", "", PermissionDialog),
    ("com.oplus.securitypermission", "", PermissionDialog),
    ("com.color.safecenter", "permission", PermissionDialog),
    ("com.vivo.permissionmanager", "", PermissionDialog),
    ("com.iqoo.secure", "permission", PermissionDialog),
    ("com.iqoo.secure", "floatwindow", SpecialAccess),
    ("com.iqoo.secure", "bgstartup", SpecialAccess),
    ("com.coloros.safecenter", "floatwindow", SpecialAccess),
    ("com.coloros.safecenter", "startup", SpecialAccess),
    ("com.oplus.safecenter", "floatwindow", SpecialAccess),
    ("com.oplus.safecenter", "startup", SpecialAccess),
    ("com.huawei.systemmanager", "addviewmonitor", SpecialAccess),
    ("com.huawei.systemmanager", "startup", SpecialAccess),
    ("com.hihonor.systemmanager", "addviewmonitor", SpecialAccess),
    ("com.hihonor.systemmanager", "startup", SpecialAccess),
    ("com.huawei.systemmanager", "permission", PermissionDialog),
    ("com.hihonor.systemmanager", "permission", PermissionDialog),
    ("com.meizu.safe", "permission", PermissionDialog),
    ("com.android.server.telecom", "defaultdialer", DefaultApps),
    ("com.android.vpndialogs", "", Vpn),
    ("com.android.systemui", "mediaprojection", SpecialAccess),
    ("com.android.systemui", "usbdebugging", DeveloperOptions),
    ("com.android.systemui", "wifidebugging", DeveloperOptions),
    ("com.android.systemui", "usb", SpecialAccess),
    ("com.android.certinstaller", "", SpecialAccess),
    ("com.android.managedprovisioning", "", DeviceAdmin),
    ("com.google.android.apps.work.clouddpc", "", DeviceAdmin),
    ("com.android.devicelockcontroller", "", DeviceAdmin),
    ("com.android.dynsystem", "", DeviceAdmin),
    ("com.android.backupconfirm", "", DeveloperOptions),
    ("com.android.companiondevicemanager", "", PermissionDialog),
    ("com.google.android.gms", "verifyapps", AppVerifier),
    ("com.google.android.gms", "mdm", DeviceAdmin),
    ("com.google.android.gms", "grantcredentials", PermissionDialog),
    ("com.google.android.gms", "auth.uiflows", PermissionDialog),
    ("com.google.android.gms", "auth.api.signin", PermissionDialog),
    ("com.google.android.gms", "assistedsignin", PermissionDialog),
    ("com.android.vending", "protect", AppVerifier),
    ("com.android.vending", "verifyapps", AppVerifier),
    ("com.google.android.euicc", "", Sim),
    ("com.android.euicc", "", Sim),
    ("com.android.stk", "", Sim),
    ("com.android.vending", "billing", PurchaseSheet),
    ("com.android.vending", "purchase", PurchaseSheet),
    ("com.android.vending", "acquire", PurchaseSheet),
    ("com.android.vending", "instrumentmanager", PurchaseSheet),
    ("com.android.vending", "uibuilderhost", PurchaseSheet),
    ("com.google.android.gms", "wallet", PurchaseSheet),
    ("com.google.android.gms", "pay", PurchaseSheet),
    ("com.amazon.venezia", "purchase", PurchaseSheet),
    ("com.sec.android.app.samsungapps", "payment", PurchaseSheet),
    ("com.sec.android.app.samsungapps", "purchase", PurchaseSheet),
    ("com.sec.android.app.billing", "", PurchaseSheet),
    ("com.samsung.android.iap", "", PurchaseSheet),
    ("com.huawei.android.hms.iap", "", PurchaseSheet),
    ("com.huawei.hwid", "pay", PurchaseSheet),
    ("com.xiaomi.payment", "", PurchaseSheet),
    ("com.mipay.wallet", "", PurchaseSheet),
    ("com.nearme.atlas", "", PurchaseSheet),
    ("com.vivo.sdkplugin", "pay", PurchaseSheet),
];

/// Parts of the names of activities of the settings, in lower case.
#[rustfmt::skip]
const SETTINGS: &[(&str, SystemPart)] = &[
    ("accessibility", Accessibility),
    ("developmentsettings", DeveloperOptions),
    ("developeroptions", DeveloperOptions),
    ("development", DeveloperOptions),
    ("wirelessdebugging", DeveloperOptions),
    ("deviceadmin", DeviceAdmin),
    ("vpnsettings", Vpn),
    ("vpn2", Vpn),
    ("factoryreset", FactoryReset),
    ("masterclear", FactoryReset),
    ("resetdashboard", FactoryReset),
    ("externalsources", UnknownSources),
    ("unknownsources", UnknownSources),
    ("notificationaccess", SpecialAccess),
    ("notificationlistener", SpecialAccess),
    ("usageaccess", SpecialAccess),
    ("overlay", SpecialAccess),
    ("drawoverlay", SpecialAccess),
    ("writesettings", SpecialAccess),
    ("manageallfiles", SpecialAccess),
    ("manageexternalstorage", SpecialAccess),
    ("allfilesaccess", SpecialAccess),
    ("mediamanagement", SpecialAccess),
    ("zenaccess", SpecialAccess),
    ("premiumsms", SpecialAccess),
    ("interactacrossprofiles", SpecialAccess),
    ("vrlisteners", SpecialAccess),
    ("credentialstorage", SpecialAccess),
    ("oemunlock", DeveloperOptions),
    ("specialaccess", SpecialAccess),
    ("trustedcredentials", SpecialAccess),
    ("defaultapp", DefaultApps),
    ("smsdefaultdialog", DefaultApps),
    ("preferredsettings", DefaultApps),
    ("preferredlist", DefaultApps),
    ("manageassist", DefaultApps),
    ("homesettings", DefaultApps),
    ("voiceinput", DefaultApps),
    ("inputmethodandsubtype", Keyboards),
    ("virtualkeyboard", Keyboards),
    ("autofill", SpecialAccess),
    ("credential", SpecialAccess),
    ("allowbind", SpecialAccess),
    ("usersettings", SpecialAccess),
    ("privatedns", Vpn),
    ("adbwireless", DeveloperOptions),
    ("chooselock", ScreenLock),
    ("screenlock", ScreenLock),
    ("setnewpassword", ScreenLock),
    ("fingerprint", ScreenLock),
    ("faceenroll", ScreenLock),
    ("biometric", ScreenLock),
    ("trustagent", ScreenLock),
    ("icclock", Sim),
    ("simlock", Sim),
    ("euicc", Sim),
    ("callforward", Calls),
    ("callbarring", Calls),
    ("voicemail", Calls),
    ("fdn", Calls),
];

/// Packages of settings, at the end of their names or whole.
const SETTINGS_PACKAGES: &[&str] = &[
    "com.android.settings",
    "com.samsung.accessibility",
    "com.google.android.settings",
    "com.miui.securitycenter",
    "com.oplus.wirelesssettings",
    "com.coloros.settings",
    "com.meizu.settings",
    "com.android.phone",
    "com.samsung.android.app.telephonyui",
];

/// Whether a package is that of the phone's settings.
pub(super) fn is_settings(package: &str) -> bool {
    SETTINGS_PACKAGES.iter().any(|it| package.eq_ignore_ascii_case(it))
        || package.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("settings"))
}

/// The part of the system that a component is.
pub(super) fn part_of(package: &str, activity: &str) -> Option<SystemPart> {
    let package = package.to_ascii_lowercase();
    let activity = activity.to_ascii_lowercase();
    let component = COMPONENTS
        .iter()
        .find(|(of, part, _)| package == *of && (part.is_empty() || activity.contains(part)));
    if let Some((_, _, part)) = component {
        return Some(*part);
    }
    // A maker's own name for one of these.
    let last = package.rsplit('.').next().unwrap_or_default();
    match last {
        "packageinstaller" => return Some(PackageInstaller),
        "permissioncontroller" | "securitypermission" | "permissionmanager" => {
            return Some(PermissionDialog);
        }
        "vpndialogs" => return Some(Vpn),
        _ => {}
    }
    if activity.contains("grantpermissionsactivity") {
        return Some(PermissionDialog);
    }
    if !is_settings(&package) {
        return None;
    }
    SETTINGS.iter().find(|(name, _)| activity.contains(name)).map(|(_, part)| *part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_system_are_known_by_their_components() {
        for (package, activity, part) in [
            (
                "com.google.android.packageinstaller",
                "com.android.packageinstaller.PackageInstallerActivity",
                Some(PackageInstaller),
            ),
            (
                "com.google.android.permissioncontroller",
                "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity",
                Some(PermissionDialog),
            ),
            (
                "com.miui.packageinstaller",
                "com.miui.packageInstaller.NewInstallerPrepareActivity",
                Some(PackageInstaller),
            ),
            (
                "com.lbe.security.miui",
                "com.android.packageinstaller.permission.ui.GrantPermissionsActivity",
                Some(PermissionDialog),
            ),
            ("com.android.vpndialogs", "com.android.vpndialogs.ConfirmDialog", Some(Vpn)),
            (
                "com.android.settings",
                "com.android.settings.Settings$AccessibilitySettingsActivity",
                Some(Accessibility),
            ),
            (
                "com.android.settings",
                "com.android.settings.applications.specialaccess.deviceadmin.DeviceAdminAdd",
                Some(DeviceAdmin),
            ),
            (
                "com.android.settings",
                "com.android.settings.Settings$FactoryResetActivity",
                Some(FactoryReset),
            ),
            (
                "com.android.settings",
                "com.android.settings.Settings$ManageAppExternalSourcesActivity",
                Some(UnknownSources),
            ),
            (
                "com.android.settings",
                "com.android.settings.Settings$DevelopmentSettingsDashboardActivity",
                Some(DeveloperOptions),
            ),
            (
                "com.android.vending",
                "com.google.android.finsky.billing.acquire.LockToPortraitUiBuilderHostActivity",
                Some(PurchaseSheet),
            ),
            ("com.android.vending", "com.google.android.finsky.activities.MainActivity", None),
            ("com.android.settings", "com.android.settings.Settings", None),
            ("com.example.notes", "com.example.notes.Accessibility", None),
            ("", "", None),
        ] {
            assert_eq!(part_of(package, activity), part, "{package}/{activity}");
        }
    }
}
