//! Closed lists of words: each an enum, with its words on the wire and in records.
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// An enum that has a word for each variant.
pub trait WordList: Copy + PartialEq + fmt::Debug + 'static {
    /// The word on the wire and in records.
    fn name(self) -> &'static str;
    /// The variant that has this word.
    fn from_name(name: &str) -> Option<Self>;
}

/// Defines an enum with its words beside its variants: `name`, `from_name`, `Display`, and `ALL`, which
/// no variant can be missing from.
#[macro_export]
macro_rules! word_list {
    (
        $(#[$meta:meta])*
        $vis:vis enum $list:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $list {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $list {
            /// Every variant.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word on the wire and in records.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The variant that has this word.
            $vis fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl $crate::WordList for $list {
            fn name(self) -> &'static str {
                self.name()
            }

            fn from_name(name: &str) -> Option<Self> {
                Self::from_name(name)
            }
        }

        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// A word of a closed list as a record holds it. A later version may have written one that this one
/// does not know: it is passed on as it came.
///
/// It reads as a text, for those who only show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedWord<T> {
    /// A variant of the list.
    Known(T),
    /// Any other word.
    Unknown(Box<str>),
}

impl<T: WordList> RecordedWord<T> {
    /// The variant, if this version knows it.
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(word) => Some(*word),
            Self::Unknown(_) => None,
        }
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(word) => word.name(),
            Self::Unknown(word) => word,
        }
    }
}

impl<T: WordList> Deref for RecordedWord<T> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<T: WordList> From<T> for RecordedWord<T> {
    fn from(word: T) -> Self {
        Self::Known(word)
    }
}

impl<T: WordList> From<&str> for RecordedWord<T> {
    fn from(word: &str) -> Self {
        T::from_name(word).map_or_else(|| Self::Unknown(word.into()), Self::Known)
    }
}

impl<T: WordList> PartialEq<T> for RecordedWord<T> {
    fn eq(&self, other: &T) -> bool {
        self.known() == Some(*other)
    }
}

impl<T: WordList> fmt::Display for RecordedWord<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<T: WordList> Serialize for RecordedWord<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de, T: WordList> Deserialize<'de> for RecordedWord<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text<T>(PhantomData<T>);

        impl<T: WordList> Visitor<'_> for Text<T> {
            type Value = RecordedWord<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<RecordedWord<T>, E> {
                Ok(word.into())
            }
        }

        from.deserialize_str(Text(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    word_list! {
        /// For these tests.
        enum Colour {
            /// Like grass.
            Green = "GREEN",
            /// Like the sky.
            Blue = "BLUE",
        }
    }

    #[test]
    fn every_word_is_found_by_its_name() {
        for colour in Colour::ALL {
            assert_eq!(Colour::from_name(colour.name()), Some(colour));
            assert_eq!(RecordedWord::from(colour.name()), RecordedWord::Known(colour));
        }
        assert_eq!(Colour::from_name("green"), None);
    }

    proptest! {
        /// Known or not, a word is written as it was read, and equal words are equal.
        #[test]
        fn any_word_passes_through(word in prop_oneof![
            any::<String>(), Just("GREEN".to_owned()), Just("BLUE".to_owned())
        ]) {
            let text = serde_json::to_string(&word).unwrap();
            let read: RecordedWord<Colour> = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
            prop_assert_eq!(&*read, word.as_str());
            prop_assert_eq!(read.known(), Colour::from_name(&word));
            prop_assert_eq!(read, RecordedWord::from(word.as_str()));
        }
    }

    #[test]
    fn what_is_not_text_is_refused() {
        for other in ["1", "null", "[]", "{\"Known\":\"GREEN\"}"] {
            assert!(serde_json::from_str::<RecordedWord<Colour>>(other).is_err(), "{other}");
        }
    }
}
