//! The errors of files.

/// Why a file could not be read or written; displayed as C's `strerror` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FileError {
    #[error("No such file or directory")]
    Missing,
    #[error("Permission denied")]
    Denied,
    #[error("Device or resource busy")]
    Busy,
    #[error("File exists")]
    Exists,
    #[error("Not a directory")]
    NotDirectory,
    #[error("Is a directory")]
    IsDirectory,
    #[error("Directory not empty")]
    NotEmpty,
    #[error("Invalid argument")]
    Invalid,
    #[error("No space left on device")]
    NoSpace,
    #[error("Read-only file system")]
    ReadOnly,
    #[error("File name too long")]
    NameTooLong,
}

impl FileError {
    /// Linux's errno, for `STA2`.
    pub(crate) fn errno(self) -> u32 {
        match self {
            Self::Missing => 2,
            Self::Denied => 13,
            Self::Busy => 16,
            Self::Exists => 17,
            Self::NotDirectory => 20,
            Self::IsDirectory => 21,
            Self::Invalid => 22,
            Self::NoSpace => 28,
            Self::ReadOnly => 30,
            Self::NameTooLong => 36,
            Self::NotEmpty => 39,
        }
    }
}
