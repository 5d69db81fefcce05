//! What the user's own words ask for: the task, and what a person has answered. Nothing that a model or a
//! screen says is among them.
use std::borrow::Cow;
use std::sync::OnceLock;

use super::addressee::{addressed, is_channel};
use super::apps::{self, AppKind};
use super::class::ActClass;
use super::everything::{means_everything, words_of_place};
use super::exceptions::{MOST, Spared, is_shown, spared_in};
use super::fillers::{says_all, says_something};
use super::full_names::{full_names_in, is_namesake, is_something_of};
use super::group_titles::people_of;
use super::inflected_names::names_somebody;
use super::kind_nouns::{is_kind, is_told_apart, names_title};
use super::named_people::{is_for_one_of, without_things};
use super::names::{names, names_but};
use super::phrases;
use super::quoted::{
    Content, Unquoted, contents, masked, names_in, names_that_forbid, normalized_lines, people_in,
    quoted_names_in, unquoted, without_names,
};
use super::site_names::{hosts_in, names_host};
use super::text::{List, holds, is_spaced, mentions, normalized, same_word, shares, stems, words};

/// Words for whom one follows or blocks, and for what one joins, that tell nobody from others.
#[rustfmt::skip]
static PEOPLE: List = List::new("account|channel|profile|user|person|request|requests|friend|friends|community|number|kanal|konto|profil|nutzer|anfrage|diesem|diesen|gruppe|cuenta|canal|perfil|usuario|solicitud|este|esta|grupo|compte|chaîne|ce|cette|groupe|conta|canale|profilo|\
    utente|questo|gruppo|kanaal|groep|dit|deze|tego|ten|grupy|bu|hesabı|kanalı|канал|аккаунт|профиль|пользователя|этот|эту|этого|группу|цей|групу|هذا|هذه|القناة|الحساب|इस|चैनल|akun|saluran|ini|kênh|này");
/// Most times that one word asks for something in them.
const MOST_REQUESTS: usize = 100;

/// The user's own words.
#[derive(Debug, Clone, Default)]
pub struct UserWords {
    text: String,
    /// The text without what is quoted: what is to be said to somebody asks for nothing and forbids nothing.
    own: String,
    /// The text in which what is quoted says nothing, the names and labels either: it is read for what forbids.
    forbidding: String,
    /// Names of people that are words which forbid.
    called: Vec<String>,
    /// Without those whom they only tell of: whom something is for.
    addressed: OnceLock<String>,
    /// Those that say something.
    words: Vec<String>,
    /// Names and what is quoted: words with a capital that begin no sentence.
    particular: Vec<String>,
    /// Names of whatever length, and of those whose something is.
    people: Vec<String>,
    /// Names of several words.
    full_names: Vec<Vec<String>>,
    /// What is quoted in several words, without those that say nothing.
    quoted_names: Vec<Vec<String>>,
    /// What they except.
    spared: Spared,
    /// The hosts of addresses in them, as browsers read them.
    hosts: Vec<String>,
    /// Where in the own text stands what is to be said to somebody.
    contents: Vec<Content>,
    /// The words without what they except.
    rest: String,
    /// They want to be asked before an act.
    asks_first: bool,
    /// There are more of them than are read. What was left out may forbid an act or want to be asked first, so the
    /// others ask for none.
    are_cut: bool,
    /// What was found out about each class: a screen may have a hundred controls of one.
    asked: [OnceLock<bool>; ActClass::ALL.len()],
}

impl UserWords {
    /// From the texts that a person has written, the oldest first.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        let mut particular = Vec::new();
        let mut people = Vec::new();
        let mut full_names = Vec::new();
        let mut quoted_names = Vec::new();
        let mut spared = Spared::default();
        let mut hosts = Vec::new();
        let mut called = Vec::new();
        for said in texts {
            called.extend(names_that_forbid(said));
            particular.extend(names_in(said));
            people.extend(people_in(said));
            full_names.extend(full_names_in(said));
            quoted_names.extend(quoted_names_in(said));
            spared.add(spared_in(said));
            hosts.extend(hosts_in(said));
            if !text.is_empty() {
                text.push_str(" \n");
            }
            text.push_str(&normalized_lines(said));
        }
        people.retain(|it| !is_channel(it));
        people.sort_unstable();
        people.dedup();
        let are_cut = MOST < text.len();
        if are_cut {
            text.drain(..text.ceil_char_boundary(text.len() - MOST));
        }
        let text = phrases::forgetting(&text);
        let words = words(&text).filter(|it| says_something(it)).map(str::to_owned).collect();
        let Unquoted { text: own, quotes } = unquoted(&text);
        let forbidding = masked(&own, &quotes);
        let contents = contents(&own, &quotes);
        let places: Vec<_> = contents.iter().map(|it| it.from..it.to).collect();
        let asks_first = phrases::wants_to_be_asked(&forbidding, &places);
        let rest = phrases::forgetting(spared.rest());
        Self {
            text,
            own,
            forbidding,
            called,
            words,
            particular,
            people,
            full_names,
            quoted_names,
            spared,
            hosts,
            contents,
            rest,
            asks_first,
            are_cut,
            addressed: OnceLock::new(),
            asked: Default::default(),
        }
    }

    /// Whether there are none, as where a client acts itself.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether they ask for an act of this class, do not forbid it as well, and do not want to be asked first.
    pub(super) fn asks_for(&self, class: ActClass) -> bool {
        !self.asks_first && self.wants(class)
    }

    /// Whether they ask for an act of this class and do not forbid it as well; they may want to be asked first.
    pub(super) fn wants(&self, class: ActClass) -> bool {
        let known = self.asked.get(class as usize);
        !self.are_cut
            && known.map_or_else(|| self.finds(class), |it| *it.get_or_init(|| self.finds(class)))
    }

    /// Whether they speak of acts of this class, as a request or not, and forbid none.
    pub fn speak_of(&self, class: ActClass) -> bool {
        let forbidding = self.forbidding(class);
        let found = phrases::intents(class)
            .flat_map(|phrase| stems(&self.own, &phrase.text))
            .map(|(at, end)| phrases::is_negated(&forbidding, at, end, None));
        let found: Vec<bool> = found.collect();
        !found.is_empty() && !found.contains(&true)
    }

    fn finds(&self, class: ActClass) -> bool {
        let mut asked = false;
        let tells = matches!(class, ActClass::Send | ActClass::Publish);
        let told_to = tells.then_some(self.people.as_slice());
        let forbidding = self.forbidding(class);
        let contents: Vec<_> = self.contents.iter().map(|it| it.from..it.to).collect();
        if class == ActClass::Send && phrases::is_draft_only(&forbidding, &contents, &self.people) {
            return false;
        }
        for phrase in phrases::intents(class) {
            // Each is looked at with all that stands around it. So many are no request, but a text that was pasted.
            if stems(&self.own, &phrase.text).nth(MOST_REQUESTS).is_some() {
                return false;
            }
            for (at, end) in stems(&self.own, &phrase.text) {
                if self.is_no_request(phrase, at, end) {
                    continue;
                }
                let content = self.contents.iter().find(|it| it.from <= at && at < it.to);
                // In what is said to somebody only the verb that began it says that it is not to be said:
                // "Send Anna: hello, but do not send it".
                let counts = content.is_none_or(|it| {
                    stems(&self.own[..it.from], &phrase.text).next().is_some()
                        || phrase.text == "send"
                });
                // What is said to somebody forbids nothing of what is before it.
                let said = self.contents.iter().map(|it| it.from).filter(|it| end <= *it).min();
                let part = &forbidding[..said.unwrap_or(forbidding.len())];
                if phrases::is_negated(part, at, end, told_to) {
                    if counts {
                        return false;
                    }
                    continue;
                }
                let (before, after) = (&self.own[..at], &self.own[end..]);
                asked |= content.is_none_or(|it| !it.is_all)
                    && !phrases::is_only_app(before, &phrase.text, after, &self.people);
            }
        }
        asked
    }

    /// The text in which words forbid an act of this class: what reaches somebody has names beside it.
    fn forbidding(&self, class: ActClass) -> Cow<'_, str> {
        if self.called.is_empty() || !matches!(class, ActClass::Send | ActClass::Call) {
            return Cow::Borrowed(&self.forbidding);
        }
        Cow::Owned(without_names(&self.forbidding, &self.called))
    }

    /// Whether a verb in them only looks like a request.
    fn is_no_request(&self, phrase: &phrases::Phrase<ActClass>, at: usize, end: usize) -> bool {
        let to_somebody = matches!(phrase.of, ActClass::Send | ActClass::Call);
        let of_people = to_somebody || phrase.of == ActClass::Publish;
        phrases::is_noun(&self.own, at, end)
            || of_people && phrases::is_looked_at(&self.own, at, end, phrase.language)
            || phrases::is_asked_about(&self.own, at)
            || phrases::is_no_request(&self.own, at, end, phrase.language, to_somebody)
    }

    /// Whether one of these verbs (normalized) asks for something, none of them is forbidden, and the user does not
    /// want to be asked first.
    pub(super) fn ask_by(&self, verbs: &[String]) -> bool {
        if self.asks_first || self.are_cut {
            return false;
        }
        let mut asked = false;
        for verb in verbs {
            for (at, end) in stems(&self.own, verb) {
                let content =
                    self.contents.iter().any(|it| it.is_all && it.from <= at && at < it.to);
                if content
                    || phrases::is_asked_about(&self.own, at)
                    || phrases::is_no_request(&self.own, at, end, "", false)
                {
                    continue;
                }
                if phrases::is_negated(&self.forbidding, at, end, None) {
                    return false;
                }
                asked = true;
            }
        }
        asked
    }

    fn addressed(&self) -> &str {
        self.addressed.get_or_init(|| {
            let said: Vec<_> = self.contents.iter().map(|it| (it.from, it.to)).collect();
            let rest = without_things(&addressed(&self.own, &said), &self.people);
            if !is_for_one_of(&rest, &self.people) {
                return rest;
            }
            // Where somebody is called by name, no other word means anybody.
            let names = words(&rest).filter(|it| self.people.iter().any(|name| name == it));
            names.collect::<Vec<_>>().join(" ")
        })
    }

    /// Whether something is for a person of this name.
    pub(super) fn address(&self, shown: &str) -> bool {
        if self.spare([shown]) {
            return false;
        }
        // Of an address only the part that is its owner's: anybody may write a name before it.
        let address = shown
            .split(|c: char| c.is_whitespace() || "<>()[],;".contains(c))
            .find(|it| it.contains('@'));
        if let Some(address) = address {
            let own = address.split('@').next().unwrap_or_default();
            return holds(&self.text, &normalized(address))
                || names_but(self.addressed(), own, &is_channel);
        }
        let is_meant = |it: &&String| !self.spared.has(it);
        let people: Vec<_> = self.people.iter().filter(is_meant).collect();
        names_somebody(&self.own, self.addressed(), &people, shown)
            && !is_namesake(&self.own, self.addressed(), &self.full_names, shown)
            && !is_something_of(&self.text, shown)
    }

    /// Whether the top of a screen names everybody that something is for: "Anna, Ben".
    pub(super) fn address_all(&self, shown: &str) -> bool {
        self.address(shown) && people_of(shown).into_iter().all(|it| self.address(it))
    }

    /// Whether they name what stands on the screen: a word that says something is in both.
    pub(super) fn name(&self, shown: &str) -> bool {
        names(&self.text, shown)
    }

    /// Whether they name a thing by what is shown, which then is a title and no command.
    pub(super) fn name_title(&self, shown: &str) -> bool {
        names_title(&self.text, &normalized(shown))
    }

    /// Whether one of the things that they name is shown, where they name any but the app.
    pub(super) fn name_one_of<'a>(
        &self,
        shown: impl IntoIterator<Item = &'a str>,
        app: [&str; 2],
    ) -> bool {
        let named = self.named(app);
        named.is_empty()
            || shown.into_iter().any(|shown| {
                let shown = normalized(shown);
                named.iter().any(|name| is_shown(&shown, name))
            })
    }

    /// Whether somebody or something is shown that they want to `verbs`: by its name, or, where they name none, by any
    /// word besides the verb, kinds of things and the app.
    pub(super) fn name_object<'a>(
        &self,
        verbs: &[String],
        shown: impl IntoIterator<Item = &'a str>,
        app: [&str; 2],
    ) -> bool {
        if !self.named(app).is_empty() {
            return self.name_one_of(shown, app);
        }
        let app: Vec<String> = words_of_app(app).collect();
        let is_verb = |word: &str| verbs.iter().any(|it| stems(word, it).any(|(at, _)| at == 0));
        let is_plain = |it: &String| app.contains(it) || is_kind(it) || PEOPLE.contains(it);
        let is_joined = |it: &str| it.chars().any(|c| c.is_alphabetic() && !is_spaced(c));
        let mut text = self.text.clone();
        for verb in verbs.iter().filter(|it| is_joined(it)) {
            text = text.replace(verb, " ");
        }
        let said = words(&text).filter(|it| says_something(it) && !is_verb(it)).map(str::to_owned);
        let objects: Vec<String> = said.filter(|it| !is_plain(it)).collect();
        objects.is_empty()
            || shown.into_iter().any(|it| is_told_apart(&text, &objects, &normalized(it)))
    }

    /// Whether one of the things that they name is shown in one of these texts, with all words of its name: who means
    /// Anna Berg does not mean Anna Bauer.
    fn name_in_full<'a>(&self, shown: impl IntoIterator<Item = &'a str>, app: [&str; 2]) -> bool {
        let named = self.named(app);
        let is_whole = |shown: &str, name: &String| {
            let all = self.full_names.iter().chain(&self.quoted_names);
            let mut of_it = all.filter(|full| full.contains(name)).peekable();
            of_it.peek().is_none() || of_it.any(|full| full.iter().all(|it| is_shown(shown, it)))
        };
        shown.into_iter().any(|shown| {
            let shown = normalized(shown);
            named.iter().any(|name| is_shown(&shown, name) && is_whole(&shown, name))
        })
    }

    /// The things that they name, without the app in front and kinds of things, which German writes with a capital.
    fn named(&self, app: [&str; 2]) -> Vec<&String> {
        let app: Vec<String> = words_of_app(app).collect();
        let is_one = |it: &&String| !app.contains(it) && !is_kind(it) && !self.spared.has(it);
        self.particular.iter().filter(is_one).collect()
    }

    /// Whether they except anything.
    pub(super) fn spare_any(&self) -> bool {
        self.spared.is_any()
    }

    /// Whether they except something that is shown.
    pub(super) fn spare<'a>(&self, shown: impl IntoIterator<Item = &'a str>) -> bool {
        self.spare_any() && shown.into_iter().any(|it| self.spared.are_shown(&normalized(it)))
    }

    /// Whether they except something by no name: that may be anything.
    pub(super) fn spare_unnamed(&self) -> bool {
        self.spared.is_unnamed
    }

    /// Whether one of the things that are shown is told from others of its kind by their words, where they name none
    /// and do not mean all (`place` is what stands above all that is shown).
    pub(super) fn tell_apart<'a>(
        &self,
        shown: impl IntoIterator<Item = &'a str>,
        place: &[&str],
        app: [&str; 2],
    ) -> bool {
        !self.named(app).is_empty() || self.mean_all(place, app) || self.tells_of(shown, app)
    }

    /// Whether the thing in a row is one of those that they mean: they name it, or mean all that stands under `place`.
    pub(super) fn mean_row(&self, row: &[&str], place: &[&str], app: [&str; 2]) -> bool {
        let names_none = self.named(app).is_empty();
        self.mean_all(place, app)
            || !names_none && self.name_in_full(row.iter().copied(), app)
            || self.tells_of(row.iter().copied(), app)
    }

    /// Whether they mean all things of a kind that stand under `place` or are in the app, but for those that they
    /// except: nothing else in them tells some from others.
    pub(super) fn mean_all(&self, place: &[&str], app: [&str; 2]) -> bool {
        self.say_all() && {
            let mut words: Vec<String> = words_of_app(app).collect();
            for shown in place {
                words.extend(words_of_place(&normalized(shown)));
            }
            means_everything(&self.rest, &words)
        }
    }

    /// Whether a thing of which this is shown is one of those that they mean: one that they name, or, where they name
    /// none, one that their words tell from others of its kind.
    pub(super) fn mean_thing(&self, shown: &[&str], app: [&str; 2]) -> bool {
        let shown = shown.iter().copied();
        if self.named(app).is_empty() {
            self.tells_of(shown, app)
        } else {
            self.name_in_full(shown, app)
        }
    }

    /// Whether a thing that they name by its name is shown.
    pub(super) fn name_by(&self, shown: &str, app: [&str; 2]) -> bool {
        self.name_in_full([shown], app)
    }

    /// Whether one of the things that are shown is told from others of its kind by their words.
    fn tells_of<'a>(&self, shown: impl IntoIterator<Item = &'a str>, app: [&str; 2]) -> bool {
        let app: Vec<String> = words_of_app(app).collect();
        let said: Vec<String> = self.words.iter().filter(|it| !app.contains(it)).cloned().collect();
        shown.into_iter().any(|it| is_told_apart(&self.text, &said, &normalized(it)))
    }

    /// Whether a text that is to be typed is among them, so that it is the user's own.
    pub(super) fn hold_text(&self, typed: &str) -> bool {
        let typed = normalized(typed);
        3 <= typed.chars().count() && holds(&self.text, &typed)
    }

    /// All of them, normalized.
    pub(super) fn normalized(&self) -> &str {
        &self.text
    }

    /// Whether a code is among them, in whatever groups it is written.
    pub(super) fn hold_code(&self, code: &str) -> bool {
        let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        plain(&self.text).contains(&plain(&normalized(code)))
    }

    /// Whether a digit is of a code that they hold.
    pub(super) fn hold_digit(&self, digit: char) -> bool {
        let codes =
            words(&self.text).filter(|it| 3 <= it.len() && it.chars().all(char::is_numeric));
        codes.into_iter().any(|it| it.contains(digit))
    }

    /// Whether they have to do with what the screen shows, in any form of a word.
    pub(super) fn relate_to<'a>(&self, shown: impl IntoIterator<Item = &'a str>) -> bool {
        shown.into_iter().any(|shown| {
            let shown = normalized(shown);
            words(&shown).filter(|it| says_something(it)).any(|word| {
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
        let package = package.to_ascii_lowercase();
        let mut parts = telling_parts(&package).filter(|it| *it != "google");
        self.name(label)
            || parts.any(|part| self.words.iter().any(|said| said == part))
            || kind.is_some_and(|kind| {
                apps::words_for(kind).iter().any(|it| mentions(&self.text, &normalized(it)))
            })
    }

    /// Whether they name a host.
    pub(super) fn name_host(&self, host: &str) -> bool {
        names_host(&self.text, &self.hosts, host)
    }
}

/// The words of an app's label, and the parts of its package that name it. What is only a part of one of these is
/// another word: "Sam" in `com.samsung.android.messaging`.
fn words_of_app([label, package]: [&str; 2]) -> impl Iterator<Item = String> {
    let (label, package) = (normalized(label), normalized(package));
    let label: Vec<String> = words(&label).map(str::to_owned).collect();
    let parts: Vec<String> = telling_parts(&package).map(str::to_owned).collect();
    label.into_iter().chain(parts)
}

/// The parts of a package (in small letters) that say something of an app.
fn telling_parts(package: &str) -> impl Iterator<Item = &str> {
    const PLAIN: &[&str] =
        &["com", "org", "net", "android", "app", "apps", "mobile", "example", "client"];
    package.split(['.', '_']).filter(|it| 3 <= it.len() && !PLAIN.contains(it))
}

#[cfg(test)]
mod forbidding_tests;
#[cfg(test)]
mod tests;
