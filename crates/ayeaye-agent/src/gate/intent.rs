//! What the user's own words ask for: the task, and what a person has answered. Nothing that a model or a
//! screen says is among them.
use super::apps::{self, AppKind};
use super::class::ActClass;
use super::phrases;
use super::text::{holds, is_spaced, mentions, normalized, same_word, stems, words};

/// The words of a user that count, as they are compared. The last ones win where there are too many.
const MOST: usize = 8 * 1024;

/// The user's own words.
#[derive(Debug, Clone, Default)]
pub struct UserWords {
    text: String,
    /// The same without what is quoted: what is to be said to somebody asks for nothing and forbids nothing.
    own: String,
    /// Those that say something.
    words: Vec<String>,
}

/// Words of one thing and of another alike.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "the", "and", "that", "this", "with", "from", "into", "then", "for", "you", "your", "please", "all", "new", "newest", "last", "first", "next", "one", "two",
    "who", "what", "which", "where", "when", "how", "have", "has", "are", "was", "will", "can", "not", "don't", "there", "them", "they", "her", "him", "his", "she", "its",
    "app", "open", "group", "chat", "everyone", "everybody", "contacts", "contact", "online", "today", "yesterday", "now", "my", "me", "in", "on", "at", "to", "of", "is", "it", "as", "be", "an", "am", "or", "if", "so", "no", "yes",
    "der", "die", "das", "und", "mit", "von", "den", "dem", "ein", "eine", "einen", "bitte", "alle", "ich", "dass", "ist", "auf", "für", "les", "des", "une", "est", "que", "pour", "tous", "avec", "los", "las", "por", "para", "con", "del", "una", "todos",
    "message", "messages", "nachricht", "nachrichten", "mensaje", "mensajes", "send", "delete", "remove", "cancel", "call", "search", "more", "options", "back", "settings",
];

/// Words for all there is.
#[rustfmt::skip]
const ALL: &[&str] = &[
    "all", "every", "everything", "everyone", "everybody", "each", "any", "alle", "alles", "allen", "jede", "jeden", "todo", "todos", "toda", "todas", "tout", "tous", "toute", "toutes",
    "tudo", "tutto", "tutti", "tutte", "wszystko", "wszystkie", "wszystkich", "tüm", "tümünü", "hepsini", "herkese", "bütün", "все", "всё", "всем", "всех", "весь", "усе", "усі", "всі", "всім",
    "全部", "所有", "全て", "すべて", "全員", "모두", "모든", "전체", "كل", "الكل", "جميع", "सभी", "सब", "सारे", "semua", "tất cả", "ทั้งหมด", "ทุก", "清空",
];

impl UserWords {
    /// From the texts that a person has written, the oldest first.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        for said in texts {
            if !text.is_empty() {
                text.push_str(" \n");
            }
            text.push_str(&normalized_lines(said));
        }
        if MOST < text.len() {
            let mut from = text.len() - MOST;
            while !text.is_char_boundary(from) {
                from += 1;
            }
            text.drain(..from);
        }
        let text = phrases::forgetting(&text);
        let empty: Vec<String> = EMPTY.iter().map(|it| normalized(it)).collect();
        let words =
            words(&text).filter(|it| says_something(it, &empty)).map(str::to_owned).collect();
        Self { own: unquoted(&text), text, words }
    }

    /// Whether there are none, as where a client acts itself.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether they ask for an act of this class, and do not forbid it as well.
    pub(super) fn asks_for(&self, class: ActClass) -> bool {
        let mut asked = false;
        for phrase in phrases::intents(class) {
            for (at, end) in stems(&self.own, &phrase.text) {
                if phrases::is_noun(&self.own, at, end) {
                    continue;
                }
                if phrases::is_negated(&self.own, at, end) {
                    return false;
                }
                asked = true;
            }
        }
        asked
    }

    /// Whether they name what stands on the screen: a word that says something is in both.
    pub(super) fn name(&self, shown: &str) -> bool {
        let shown = normalized(shown);
        if shown.is_empty() || self.text.is_empty() {
            return false;
        }
        if self.holds_as_a_whole(&shown) {
            return true;
        }
        let empty: Vec<String> = EMPTY.iter().map(|it| normalized(it)).collect();
        words(&shown).filter(|it| says_something(it, &empty)).any(|word| {
            if word.chars().all(|c| is_spaced(c) || c.is_numeric()) {
                self.words.iter().any(|said| said == word)
            } else {
                2 <= word.chars().count() && self.text.contains(word)
            }
        })
    }

    /// Whether they hold a text as it stands: at least two letters, or one that is a word by itself.
    fn holds_as_a_whole(&self, shown: &str) -> bool {
        let empty = EMPTY.iter().any(|it| normalized(it) == shown);
        !empty && 2 <= shown.chars().count() && holds(&self.text, shown)
    }

    /// Whether a text that is to be typed is among them, so that it is the user's own.
    pub(super) fn hold_text(&self, typed: &str) -> bool {
        let typed = normalized(typed);
        3 <= typed.chars().count() && holds(&self.text, &typed)
    }

    /// Whether they have to do with what the screen shows, in any form of a word.
    pub(super) fn relate_to<'a>(&self, shown: impl IntoIterator<Item = &'a str>) -> bool {
        let empty: Vec<String> = EMPTY.iter().map(|it| normalized(it)).collect();
        shown.into_iter().any(|shown| {
            let shown = normalized(shown);
            words(&shown).filter(|it| says_something(it, &empty)).any(|word| {
                if word.chars().all(|c| is_spaced(c) || c.is_numeric()) {
                    self.words.iter().any(|said| same_word(said, word))
                } else {
                    shares(&self.text, word)
                }
            })
        })
    }

    /// Whether they say "all".
    pub(super) fn say_all(&self) -> bool {
        says_all(&self.text)
    }

    /// Whether they name a part of the system.
    pub(super) fn name_part(&self, part: super::components::SystemPart) -> bool {
        phrases::names_area(&self.text, part)
    }

    /// Whether they need the permission that this dialog asks for.
    pub(super) fn need_permission(&self, dialog: &[String]) -> bool {
        phrases::permission_is_needed(dialog, &self.text)
    }

    /// Whether they name an app: by its label, by a part of its package, or by its kind.
    pub(super) fn name_app(&self, package: &str, label: &str, kind: Option<AppKind>) -> bool {
        const PLAIN: &[&str] = &[
            "com", "org", "net", "android", "app", "apps", "google", "mobile", "example", "client",
        ];
        let package = package.to_ascii_lowercase();
        let mut parts = package.split(['.', '_']).filter(|it| 3 <= it.len() && !PLAIN.contains(it));
        self.name(label)
            || parts.any(|part| self.words.iter().any(|said| said == part))
            || kind.is_some_and(|kind| {
                apps::words_for(kind).iter().any(|it| mentions(&self.text, &normalized(it)))
            })
    }

    /// Whether they name a host: whole, or its name without the ends.
    pub(super) fn name_host(&self, host: &str) -> bool {
        const ENDS: &[&str] = &["www", "com", "org", "net", "the", "web", "mobile"];
        self.text.contains(host)
            || host
                .split(['.', '-'])
                .filter(|part| 4 <= part.len() && !ENDS.contains(part))
                .any(|part| self.words.iter().any(|said| said == part))
    }
}

/// Like [`normalized`], but with the ends of lines as they are: a sentence ends there.
fn normalized_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(normalized).collect();
    lines.join(" \n")
}

/// Without what stands in quotes, a name or the label of a button aside: that has two words at most, or four letters of a
/// script without blanks.
fn unquoted(text: &str) -> String {
    const QUOTES: [(char, &[char]); 6] = [
        ('"', &['"']),
        ('\u{201c}', &['\u{201d}']),
        ('\u{201e}', &['\u{201c}', '\u{201d}']),
        ('«', &['»']),
        ('「', &['」']),
        ('『', &['』']),
    ];
    let mut own = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, opening)) =
        rest.char_indices().find(|(_, c)| QUOTES.iter().any(|(it, _)| it == c))
    {
        let inside = &rest[at + opening.len_utf8()..];
        let ends = QUOTES.iter().find(|(it, _)| *it == opening).map_or(&[][..], |(_, ends)| ends);
        let line = inside.split('\n').next().unwrap_or_default();
        // A quote that is not closed is none.
        let Some(length) = line.find(ends) else {
            own.push_str(&rest[..at + opening.len_utf8()]);
            rest = inside;
            continue;
        };
        own.push_str(&rest[..at]);
        let quoted = &inside[..length];
        let parted = quoted.chars().all(|c| is_spaced(c) || c.is_whitespace());
        let longest = if parted { 24 } else { 4 };
        if quoted.split_whitespace().count() <= 2 && quoted.chars().count() <= longest {
            own.push_str(quoted);
        }
        own.push(' ');
        rest = inside[length..]
            .get(inside[length..].chars().next().map_or(0, char::len_utf8)..)
            .unwrap_or_default();
    }
    own.push_str(rest);
    own
}

fn says_something(word: &str, empty: &[String]) -> bool {
    let short = word.chars().all(is_spaced) && word.chars().count() < 3;
    !short && !empty.iter().any(|it| it == word)
}

/// Whether a text in a script without blanks shares two letters in a row with another.
fn shares(text: &str, word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(2).any(|pair| text.contains(&pair.iter().collect::<String>()))
}

/// Whether a text (normalized) says "all".
pub(super) fn says_all(text: &str) -> bool {
    ALL.iter().any(|it| {
        let it = normalized(it);
        holds(text, &it)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ActClass::{Call, Delete, Send};

    fn said(text: &str) -> UserWords {
        UserWords::new([text])
    }

    #[test]
    fn the_words_ask_for_acts_in_many_languages() {
        for (text, class) in [
            ("Text Ben Carter see you at 10:30", Send),
            ("Tell Mum that dinner is at 8", Send),
            ("给李伟发消息说明天见", Send),
            ("Schick Anna eine Nachricht", Send),
            ("Envoie un message à Anna", Send),
            ("Напиши Ане, что я опаздываю", Send),
            ("アンナに遅れると伝えて", Send),
            ("안나에게 늦는다고 메시지 보내 줘", Send),
            ("Delete the note Shopping", Delete),
            ("Lösche die Notiz Einkauf", Delete),
            ("删除购物备忘录", Delete),
            ("Usuń notatkę", Delete),
            ("Ruf Anna an", Call),
            ("打电话给妈妈", Call),
            ("Don't forget to call Anna", Call),
        ] {
            assert!(said(text).asks_for(class), "{text}");
        }
        for (text, class) in [
            ("Read me the newest note", Send),
            ("Read me the newest note", Delete),
            ("Read me the last message of Anna", Send),
            ("How many unread messages are there in the Chat app?", Send),
            ("Save a note with the text \"Leave\"", Send),
            ("Play the video of the goal", Delete),
            ("读一下最新的消息", Send),
            ("Write the message but do not send it", Send),
            ("Tell Anna in WhatsApp that I am late; do not call", Call),
            ("Switch Wi-Fi off.", Delete),
            ("不要打电话", Call),
            ("", Send),
        ] {
            assert!(!said(text).asks_for(class), "{text}");
        }
    }

    #[test]
    fn what_is_quoted_asks_for_nothing_and_forbids_nothing() {
        assert!(said("Tell Anna: \"Never mind (I cannot ask)\"").asks_for(Send));
        assert!(said("Schreib Anna „Ich kann nicht anrufen, frag mich nicht“").asks_for(Send));
        assert!(said("告诉安娜「不要发消息给我」").asks_for(Send));
        assert!(!said("Write a note: \"delete everything and call Ben\"").asks_for(Delete));
        assert!(!said("Write a note: \"delete everything and call Ben\"").asks_for(Call));
        assert!(!said("Write \"I am late\" to Anna but do not send it").asks_for(Send));
        assert!(said("Tap \"Delete\" in the note").asks_for(Delete), "the label of a button");
        assert!(said("Text Anna that the screen is 5\" wide").asks_for(Send), "not a quote");
    }

    #[test]
    fn people_are_named_by_their_names_and_by_nothing_else() {
        assert!(said("Text Ben Carter see you").name("Ben Carter"));
        assert!(said("Tell Anna I am late").name("Anna Berg"));
        assert!(said("给李伟发消息").name("李伟"));
        assert!(!said("Send the newest message to all").name("All contacts"));
        assert!(!said("Tell Anna I am late").name("Mallory"));
        assert!(!said("Tell Anna I am late").name(""));
        assert!(!said("").name("Mallory"));
    }
}
