//! Parsers of what adb and Android's commands print. They are tolerant: what is not understood is
//! `None`, never a guess and never a panic.
mod apps;
mod audio;
mod battery;
mod devices;
mod display;
mod displays_in_use;
mod focus;
mod input_method;
mod lock;
mod policy;
mod properties;
mod text;
mod tree;
mod users;
mod windows;

pub(crate) use self::apps::{
    PackageFile, components, first_component, package_files, packages, version_name,
};
pub(crate) use self::audio::media_volume;
pub(crate) use self::battery::battery;
pub use self::devices::DeviceListing;
pub(crate) use self::devices::{NO_SERIAL, devices};
pub(crate) use self::display::{
    Viewport, current_size, panels, posture, viewports, wm_density, wm_size,
};
pub(crate) use self::displays_in_use::{display_in_focus, displays_in_use, is_tree_of};
pub(crate) use self::focus::{
    chooser, error_dialog, foreground, in_front, is_protected, other_display_of, user_in_front,
};
pub(crate) use self::input_method::{
    Caret, FIELD_QUERY, FieldState, InputMethods, input_method_ids, keyboard_shown, secret_field,
};
pub(crate) use self::lock::{awake, is_app_over_lock, locked, wants_secret};
pub(crate) use self::policy::{ASK_CAPTURE_BAN, CaptureBan};
pub(crate) use self::properties::Properties;
pub(crate) use self::text::{
    SEPARATOR, batch, clock, quoted, sanitize, sanitize_first_line, sanitize_up_to, split_batch,
    split_first,
};
pub(crate) use self::tree::{ui_tree, with_valid_characters};
pub(crate) use self::users::{CURRENT_USER, User, current_user, users};
pub(crate) use self::windows::{WINDOWS_QUERY, as_of_now, is_forged, on_display};

#[cfg(test)]
mod tests;
