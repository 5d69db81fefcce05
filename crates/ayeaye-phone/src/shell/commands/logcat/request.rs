//! What is asked of `logcat`.
use crate::os::app_log::LogBuffer;

const ALL: [LogBuffer; 3] = [LogBuffer::Main, LogBuffer::System, LogBuffer::Crash];
/// From the least to the most important; the last shows nothing.
const LEVELS: &str = "VDIWEFS";

/// Options of Android's that are not here.
const LACKING: &str = "BDHKLQSefhmnpr";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogFormat {
    Brief,
    Long,
    Process,
    Raw,
    Tag,
    Threadtime,
    Time,
}

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last<'a> {
    Lines(usize),
    /// `05-12 10:00:00.000`.
    Since(&'a str),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request<'a> {
    /// Show what there is and end.
    pub(super) dump: bool,
    pub(super) clear: bool,
    /// How large the buffers are.
    pub(super) sizes: bool,
    pub(super) buffers: Vec<LogBuffer>,
    pub(super) format: LogFormat,
    pub(super) pid: Option<u32>,
    pub(super) last: Option<Last<'a>>,
    /// Tags with the least level that is shown of each; `*` is every other.
    filters: Vec<(&'a str, usize)>,
}

impl<'a> Request<'a> {
    /// The error says what is not understood.
    pub(super) fn parse(words: &[&'a str]) -> Result<Self, String> {
        let mut request = Self {
            dump: false,
            clear: false,
            sizes: false,
            buffers: Vec::new(),
            format: LogFormat::Threadtime,
            pid: None,
            last: None,
            filters: Vec::new(),
        };
        let mut chosen = false;
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            chosen |= word.starts_with("--buffer");
            if let Some(long) = word.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (long, None),
                };
                let mut value = || value.or_else(|| words.next());
                match name {
                    "clear" => request.clear = true,
                    "pid" => request.valued("pid", value())?,
                    "buffer" => request.valued("b", value())?,
                    "format" => request.valued("v", value())?,
                    _ => return Err(format!("unrecognized option '{word}'")),
                }
                continue;
            }
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                request.filters(word)?;
                continue;
            };
            for (at, letter) in letters.char_indices() {
                match letter {
                    'd' => request.dump = true,
                    'c' => request.clear = true,
                    'g' => request.sizes = true,
                    's' => request.filters("*:S")?,
                    'b' | 'v' | 't' | 'T' | 'G' | 'P' => {
                        let rest = &letters[at + 1..];
                        let value = if rest.is_empty() { words.next() } else { Some(rest) };
                        chosen |= letter == 'b';
                        request.valued(&letters[at..=at], value)?;
                        break;
                    }
                    letter if LACKING.contains(letter) => {
                        return Err(unsupported(&format!("-{letter}")));
                    }
                    letter => return Err(format!("invalid option -- '{letter}'")),
                }
            }
        }
        if !chosen {
            request.buffers = ALL.to_vec();
        }
        Ok(request)
    }

    fn valued(&mut self, option: &str, value: Option<&'a str>) -> Result<(), String> {
        let value = value.ok_or_else(|| format!("option requires an argument -- '{option}'"))?;
        match option {
            "b" => return value.split(',').try_for_each(|name| self.buffer(name)),
            "v" => {
                self.format = match value {
                    "brief" => LogFormat::Brief,
                    "long" => LogFormat::Long,
                    "process" => LogFormat::Process,
                    "raw" => LogFormat::Raw,
                    "tag" => LogFormat::Tag,
                    "threadtime" => LogFormat::Threadtime,
                    "time" => LogFormat::Time,
                    // The phone is in UTC, and nothing in its log cannot be printed.
                    "UTC" | "printable" => self.format,
                    "color" | "descriptive" | "epoch" | "monotonic" | "uid" | "usec" | "year"
                    | "zone" => {
                        return Err(unsupported(&format!("-v {value}")));
                    }
                    _ => return Err(format!("Invalid parameter \"{value}\" to -v")),
                };
            }
            // Whose lines are to go first where there is no room; here there is.
            "P" => self.show_none(),
            "pid" => {
                let pid = value.parse().map_err(|_| format!("pid {value} out of range"))?;
                self.pid = Some(pid);
            }
            "G" => {
                let number = value.trim_end_matches(['K', 'M', 'G']);
                if number.parse::<u32>().is_err() {
                    return Err(format!("Invalid parameter \"{value}\" to -G"));
                }
                // It is as large as it is.
                self.show_none();
            }
            option => {
                self.dump |= option == "t";
                self.last = Some(match value.parse() {
                    Ok(count) if !value.starts_with('+') => Last::Lines(count),
                    _ if is_time(value) => Last::Since(value),
                    _ => return Err(format!("-{option} \"{value}\" not in time format")),
                });
            }
        }
        Ok(())
    }

    /// Only sets something: no line is shown.
    fn show_none(&mut self) {
        self.dump = true;
        self.last = Some(Last::Lines(0));
    }

    fn buffer(&mut self, name: &str) -> Result<(), String> {
        let more = match name {
            "all" | "default" => &ALL[..],
            "main" => &[LogBuffer::Main],
            "system" => &[LogBuffer::System],
            "crash" => &[LogBuffer::Crash],
            // This phone has nothing to say there.
            "radio" | "events" | "kernel" | "security" | "stats" => &[],
            name => return Err(format!("Unknown buffer '{name}'")),
        };
        self.buffers.extend(more);
        Ok(())
    }

    /// `TAG[:LEVEL]`, one or several.
    fn filters(&mut self, words: &'a str) -> Result<(), String> {
        for word in words.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
            let (tag, level) = word.rsplit_once(':').unwrap_or((word, "V"));
            let mut letters = level.chars();
            let at = match (letters.next(), letters.next()) {
                (Some('*'), None) => Some(0),
                (Some(letter), None) => LEVELS.find(letter.to_ascii_uppercase()),
                _ => None,
            };
            let at = at.filter(|_| !tag.is_empty());
            let at = at.ok_or_else(|| format!("Invalid filter expression '{word}'"))?;
            self.filters.push((tag, at));
        }
        Ok(())
    }

    pub(super) fn shows(&self, tag: &str, level: char) -> bool {
        let of = |name: &str| self.filters.iter().rev().find(|(tag, _)| *tag == name);
        let least = of(tag).or_else(|| of("*")).map_or(0, |(_, least)| *least);
        LEVELS.find(level).is_some_and(|level| level >= least)
    }
}

fn unsupported(option: &str) -> String {
    format!("{option}: not supported by this virtual phone")
}

pub(super) fn name(buffer: LogBuffer) -> &'static str {
    match buffer {
        LogBuffer::Main => "main",
        LogBuffer::System => "system",
        LogBuffer::Crash => "crash",
    }
}

/// `05-12 10:00:00.000`.
fn is_time(text: &str) -> bool {
    const PATTERN: &str = "00-00 00:00:00.000";
    let fits = |(c, of): (char, char)| if of == '0' { c.is_ascii_digit() } else { c == of };
    text.len() == PATTERN.len() && text.chars().zip(PATTERN.chars()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let request = Request::parse(&["-d", "--pid=12", "-t", "5", "-v", "time"]).unwrap();
        assert!(request.dump && !request.clear);
        assert_eq!((request.pid, request.last), (Some(12), Some(Last::Lines(5))));
        assert_eq!((request.format, request.buffers), (LogFormat::Time, ALL.to_vec()));
        let request = Request::parse(&["-db", "crash", "-T05-12 10:00:00.000"]).unwrap();
        assert_eq!(request.buffers, [LogBuffer::Crash]);
        assert_eq!(request.last, Some(Last::Since("05-12 10:00:00.000")));
        for wrong in [
            &["--nope"][..],
            &["-t", "-5"],
            &["-b", "x"],
            &["-v", "x"],
            &["A:Q"],
            &["-e", "x"],
            &["-t"],
        ] {
            assert!(Request::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn tags_are_shown_from_their_level_on() {
        let request = Request::parse(&["-s", "A:I B"]).unwrap();
        assert!(request.shows("A", 'I') && request.shows("A", 'E') && !request.shows("A", 'D'));
        assert!(request.shows("B", 'V') && !request.shows("C", 'F'));
        let request = Request::parse(&["A:S", "*:w"]).unwrap();
        assert!(!request.shows("A", 'F') && request.shows("C", 'W') && !request.shows("C", 'I'));
        assert!(Request::parse(&["A:E"]).unwrap().shows("C", 'V'));
    }
}
