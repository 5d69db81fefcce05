//! The standard handles of Windows, kept from programs that are not meant to have them.
//!
//! What starts us hands us its pipes as handles that are inherited, and the standard library lets each program that
//! we start inherit all there are, whatever its own input and output are. An adb server that we start would hold
//! these pipes open for as long as it runs, and who reads from us would never see the end.
use std::io::{stderr, stdin, stdout};
use std::os::windows::io::{AsRawHandle, RawHandle};

use filedescriptor::{FileDescriptor, StdioDescriptor};

/// Puts handles that are not inherited in the place of the standard ones. Programs that are to have them
/// (`Stdio::inherit`) still do: the standard library makes them handles of their own.
pub(crate) fn keep_from_others() {
    // All are replaced before one is closed: output and errors may be the same handle.
    let replaced = [
        replace(&stdin(), StdioDescriptor::Stdin),
        replace(&stdout(), StdioDescriptor::Stdout),
        replace(&stderr(), StdioDescriptor::Stderr),
    ];
    let mut closed: Vec<RawHandle> = Vec::new();
    for handle in replaced {
        match handle {
            // Closed already.
            Ok(handle) if closed.contains(&handle.as_raw_handle()) => std::mem::forget(handle),
            Ok(handle) => closed.push(handle.as_raw_handle()),
            Err(err) => tracing::debug!("a standard handle stays as it was: {err}"),
        }
    }
}

/// The handle that was there before. One that is missing stays missing.
fn replace(
    handle: &impl AsRawHandle,
    place: StdioDescriptor,
) -> filedescriptor::Result<FileDescriptor> {
    // On its own, since `redirect_stdio` closes the standard handle where it cannot make a copy of the other.
    let own = FileDescriptor::dup(handle)?;
    FileDescriptor::redirect_stdio(&own, place)
}
