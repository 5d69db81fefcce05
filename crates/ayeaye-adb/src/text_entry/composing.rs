//! Keyboards that make words of their language out of the letters that are sent as keys.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Those that do nothing else, by the beginning of their package.
const COMPOSING: [&str; 11] = [
    "com.sohu.inputmethod",
    "com.baidu.input",
    "com.iflytek.inputmethod",
    "com.tencent.qqpinyin",
    "com.tencent.wetype",
    "com.google.android.inputmethod.pinyin",
    "com.google.android.inputmethod.japanese",
    "com.google.android.inputmethod.korean",
    "com.adamrocker.android.input.simeji",
    "com.cootek.smartinput",
    "jp.co.omronsoft",
];

/// The most keyboards of one phone that something is remembered of.
const MAX_KEYBOARDS: usize = 32;

/// What has been seen of a phone's keyboards. Those for many languages do not say which one is chosen: only what
/// becomes of letters tells.
#[derive(Debug, Default)]
pub(crate) struct Keyboards(Mutex<HashMap<String, bool>>);

impl Keyboards {
    /// Whether it makes something else of letters; `None` where that is not known.
    pub(super) fn composes(&self, method: &str) -> Option<bool> {
        if COMPOSING.iter().any(|known| method.starts_with(known)) {
            return Some(true);
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(package(method)).copied()
    }

    /// Remembers it, or with `None` that it is not known any more.
    pub(super) fn remember(&self, method: &str, composes: Option<bool>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match composes {
            None => drop(seen.remove(package(method))),
            Some(composes) if seen.len() < MAX_KEYBOARDS || seen.contains_key(package(method)) => {
                seen.insert(package(method).to_owned(), composes);
            }
            Some(_) => {}
        }
    }
}

fn package(method: &str) -> &str {
    method.split('/').next().unwrap_or(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyboard_is_known_by_its_package() {
        let keyboards = Keyboards::default();
        assert_eq!(keyboards.composes("com.sohu.inputmethod.sogou/.SogouIME"), Some(true));
        let [one, other] = ["com.google.latin/.LatinIME", "com.google.latin/.Other"];
        assert_eq!(keyboards.composes(one), None);
        for seen in [Some(true), Some(false), None] {
            keyboards.remember(one, seen);
            assert_eq!((keyboards.composes(one), keyboards.composes(other)), (seen, seen));
        }
        for number in 0..=MAX_KEYBOARDS {
            keyboards.remember(&format!("com.x{number}/.Ime"), Some(true));
        }
        assert_eq!(keyboards.composes(&format!("com.x{MAX_KEYBOARDS}/.Ime")), None);
    }
}
