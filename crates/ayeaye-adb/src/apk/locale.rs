//! Languages, and which of an app's texts Android would show to whom.
use std::cmp::Reverse;
use std::fmt;

/// The most languages of a phone that count.
const MAX_LOCALES: usize = 8;

/// A language with its script and region, in the spelling of BCP 47.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Locale {
    pub(crate) language: String,
    pub(crate) script: Option<String>,
    pub(crate) region: Option<String>,
}

/// A phone's languages in their order, such as "zh-Hans-CN,en-US".
pub(crate) fn parse_locales(text: &str) -> Vec<Locale> {
    let mut found: Vec<Locale> = Vec::new();
    for locale in text.split(',').filter_map(Locale::parse) {
        if !found.contains(&locale) && found.len() < MAX_LOCALES {
            found.push(locale);
        }
    }
    found
}

impl Locale {
    /// Reads "de", "pt-BR", "zh-Hant-TW" and the like, also with underscores.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split(['-', '_']);
        let language = parts.next()?.to_ascii_lowercase();
        let is_word = |text: &str, min, max| {
            (min..=max).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphabetic())
        };
        if !is_word(&language, 2, 3) {
            return None;
        }
        let (mut script, mut region) = (None, None);
        for part in parts.take(4) {
            // Java writes the script behind a `#`.
            let part = part.strip_prefix('#').unwrap_or(part);
            let is_number = part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit());
            if script.is_none() && is_word(part, 4, 4) {
                let (first, rest) = part.split_at(1);
                script = Some(first.to_ascii_uppercase() + &rest.to_ascii_lowercase());
            } else if region.is_none() && (is_word(part, 2, 2) || is_number) {
                region = Some(part.to_ascii_uppercase());
            }
        }
        Some(Self { language: modern(&language).to_owned(), script, region })
    }

    /// Its language, and the code of old for it: files are called by either.
    pub(crate) fn language_codes(&self) -> impl Iterator<Item = &str> {
        let old = OLD_CODES.iter().find(|(_, modern)| *modern == self.language);
        std::iter::once(self.language.as_str()).chain(old.map(|(old, _)| *old))
    }

    /// How well a text of another locale suits who wants this one: `None` where it does not, else higher
    /// is better. Android does not show a language in a script that its reader did not ask for.
    pub(crate) fn suits(&self, offered: &Self) -> Option<u8> {
        if self.language != offered.language {
            return None;
        }
        if let (Some(wanted), Some(script)) = (self.likely_script(), offered.likely_script())
            && wanted != script
        {
            return None;
        }
        let Some(region) = &offered.region else { return Some(2) };
        let wanted = self.region.as_deref();
        if wanted == Some(region) {
            return Some(5);
        }
        let family = wanted.and_then(|wanted| family(&self.language, wanted));
        Some(match family {
            Some(family) if family == region => 4,
            Some(_) if family == self::family(&self.language, region) => 3,
            _ => 1,
        })
    }

    /// The script, where a language is written in several.
    fn likely_script(&self) -> Option<&str> {
        if let Some(script) = &self.script {
            return Some(script);
        }
        let region = self.region.as_deref().unwrap_or_default();
        Some(match (self.language.as_str(), region) {
            ("zh", "TW" | "HK" | "MO") => "Hant",
            ("zh", _) => "Hans",
            ("sr", "ME") | ("az" | "bs" | "uz", _) => "Latn",
            ("sr" | "kk" | "mn", _) => "Cyrl",
            ("pa", "PK") => "Arab",
            ("pa", _) => "Guru",
            _ => return None,
        })
    }
}

/// The region between a country and the whole language, as CLDR groups them.
fn family(language: &str, region: &str) -> Option<&'static str> {
    match (language, region) {
        ("en", "US" | "PR" | "GU" | "VI" | "MH" | "MP" | "AS" | "PH" | "UM") | ("pt", "BR") => None,
        ("en", _) => Some("001"),
        (
            "es",
            "AR" | "BO" | "BR" | "BZ" | "CL" | "CO" | "CR" | "CU" | "DO" | "EC" | "GT" | "HN"
            | "MX" | "NI" | "PA" | "PE" | "PR" | "PY" | "SV" | "US" | "UY" | "VE" | "419",
        ) => Some("419"),
        ("pt", _) => Some("PT"),
        ("zh", "HK" | "MO") => Some("HK"),
        _ => None,
    }
}

/// Codes that Java kept for the sake of old programs, and those of today.
const OLD_CODES: [(&str, &str); 4] = [("iw", "he"), ("in", "id"), ("ji", "yi"), ("tl", "fil")];

fn modern(language: &str) -> &str {
    let known = OLD_CODES.iter().find(|(old, _)| *old == language);
    known.map_or(language, |(_, modern)| modern)
}

/// A text that an app has.
#[derive(Debug)]
pub(super) struct Offered<T> {
    /// `None`: for every language that has no text of its own.
    pub(super) locale: Option<Locale>,
    /// For how special a phone it is otherwise, such as one of a certain operator.
    pub(super) special: u32,
    pub(super) value: T,
}

/// The best of an app's texts for who reads these languages, in this order; of equals the first.
///
/// The first language that the app has anything for counts. An app without English of its own is taken
/// to be written in it, as Android does.
pub(super) fn best<T>(offered: Vec<Offered<T>>, wanted: &[Locale]) -> Option<T> {
    let pick = |fits: &dyn Fn(Option<&Locale>) -> Option<u8>| {
        let ranked = offered.iter().enumerate().filter_map(|(index, it)| {
            let fit = fits(it.locale.as_ref())?;
            Some((fit, Reverse(it.special), Reverse(index)))
        });
        ranked.max().map(|(_, _, Reverse(index))| index)
    };
    let english = wanted.iter().position(|locale| locale.language == "en");
    let before_english = &wanted[..english.map_or(wanted.len(), |at| at + 1)];
    let index = before_english
        .iter()
        .find_map(|locale| pick(&|offered| offered.and_then(|offered| locale.suits(offered))))
        .or_else(|| pick(&|offered| offered.is_none().then_some(0)))
        .or_else(|| pick(&|_| Some(0)))?;
    offered.into_iter().nth(index).map(|it| it.value)
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.language)?;
        for part in [&self.script, &self.region].into_iter().flatten() {
            write!(f, "-{part}")?;
        }
        Ok(())
    }
}
