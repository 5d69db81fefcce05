//! Whether words mean everything of a kind: "delete all my notes, please", and not "delete all notes about berlin".
//!
//! What restricts may be any word of any language, so it is not looked for. All words have to be known to say no more
//! than all, the kind, the verb and where it is; then nothing is left that could tell some things from others.
mod joined;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::LazyLock;

use self::joined::{is_joined, means_everything_in_joined};
use super::class::ActClass;
use super::fillers::{ALL_WORDS, EMPTY_WORDS, says_something};
use super::kind_nouns::is_kind_alone;
use super::phrases;
use super::text::{List, find, stems, words};

/// Kinds of things besides those of other lists, most of them many of a kind.
#[rustfmt::skip]
static KINDS: List = List::new("notifications|downloads|cookies|history|data|message|messages|chat|chats|contact|contacts|entries|nachricht|nachrichten|mensaje|mensajes|dateien|dokumente|termine|erinnerungen|aufgaben|einträge|listen|kontakte|gespräche|imágenes|imagens|mensagens|\
        immagini|messaggi|cartelle|contatti|sveglie|elenchi|eventi|notities|berichten|bestanden|mappen|wekkers|afspraken|herinneringen|taken|lijsten|notatki|zdjęcia|wiadomości|pliki|budziki|wydarzenia|zadania|filmy|foldery|kontakty|\
        notları|notlarımı|fotoğrafları|fotoğraflarımı|mesajları|mesajlarımı|dosyaları|klasörleri|alarmları|kişileri|görevleri|videoları|resimleri|фотографии|сообщения|файлы|папки|контакты|будильники|события|задачи|видео|записи|письма|чаты|\
        нотатки|повідомлення|фотографії|файли|контакти|події|завдання|будильники|відео|الملاحظات|ملاحظات|ملاحظاتي|الصور|صور|صوري|الرسائل|رسائل|رسائلي|الملفات|ملفات|ملفاتي|المنبهات|الفيديوهات|\
        text_message|text_messages|ghi_chú|tin_nhắn|tập_tin|báo_thức|tệp|नोट|नोट्स|नोटों|फ़ोटो|फोटो|तस्वीरें|संदेश|मैसेज|फ़ाइलें|फाइलें|अलार्म|संपर्क|वीडियो");
/// Words of the lists of kinds that tell some from others, or mean one.
#[rustfmt::skip]
static NOT_ALL: List = List::new("latest|oldest|old|current|selected|edit|edits|neueste|letzte|diese|dieses|dernière|última|último|esta|questa|laatste|последнюю");
/// What stands before a kind and says nothing of it.
#[rustfmt::skip]
static ARTICLES: List = List::new("the|my|our|your|die|der|das|den|dem|meine|meinen|meiner|mein|meinem|unsere|unseren|le|la|l|ma|mon|nos|notre|el|mi|minha|meu|o|a|il|lo|gli|i|mie|miei|mia|mio|nostre|het|mijn|onze|moje|\
        мои|моих|мої|моїх|saya|aku|của_tôi|các|những|मेरे|मेरी|मेरा|अपने|को|की|के|का|में|से");
/// Of these, what stands before many of a kind.
static OF_MANY: List = List::new("les|mes|las|los|mis|as|os|minhas|meus");
/// What says where they are, if an app or the phone stands behind it.
#[rustfmt::skip]
static IN: List = List::new("in|on|from|of|at|inside|within|im|in|auf|aus|vom|von|am|dans|sur|de|du|des|d|en|del|della|dello|da|do|no|na|nel|nella|dalla|dall|dell|nell|su|van|op|uit|w|z|ze|в|из|на|у|з|із|di|dari|pada|trong|từ|ở|في|من");
/// The phone, and the app in front.
#[rustfmt::skip]
static HERE: List = List::new("app|application|phone|device|smartphone|handy|telefon|gerät|appli|téléphone|appareil|aplicación|teléfono|móvil|celular|dispositivo|aplicativo|telefone|applicazione|telefono|cellulare|telefoon|toestel|\
        aplikacji|telefonie|telefonu|приложения|приложении|телефона|телефоне|застосунку|телефону|телефоні|aplikasi|ponsel|ứng_dụng|điện_thoại|التطبيق|الهاتف|ऐप|फ़ोन|फोन");
/// What goes on with a list.
static AND: List =
    List::new("and|or|und|oder|sowie|et|ou|y|o|e|en|i|oraz|и|та|і|й|ve|dan|và|و|और|तथा");
/// What is only said to be polite, or to have it done now.
#[rustfmt::skip]
static POLITE: List = List::new("please|pls|kindly|now|right|just|yes|ok|okay|sure|thanks|thank|you|them|then|zu|bitte|jetzt|danke|ja|s'il_te_plaît|s'il_vous_plaît|stp|svp|maintenant|oui|merci|por_favor|ahora|sí|gracias|agora|sim|obrigado|obrigada|\
        per_favore|adesso|ora|grazie|alsjeblieft|alstublieft|nu|proszę|teraz|tak|lütfen|şimdi|evet|пожалуйста|сейчас|да|спасибо|будь_ласка|зараз|так|من_فضلك|الآن|نعم|tolong|sekarang|ya|hãy|vui_lòng|đi|कृपया|दो|दें|दीजिए|करो|कर|हाँ");
/// What asks for something, if it stands before all that is named.
#[rustfmt::skip]
static WISHES: List = List::new("i|want|would|like|need|to|can|could|will|go|ahead|me|help|hey|hi|hello|ich|möchte|will|kannst|könntest|könnten|du|sie|mir|hilf|je|veux|voudrais|peux|pourrais|tu|quiero|quisiera|puedes|podrías|quero|queria|pode|você|\
        voglio|vorrei|puoi|ik|wil|kun|je|kan|chcę|możesz|istiyorum|хочу|можешь|можеш|мне|أريد|أن|bisakah|bisa|kamu|tôi|muốn|bạn|मैं|चाहता|हूँ");
/// What goes to an app, if one stands behind it.
#[rustfmt::skip]
static OPENS: List = List::new("open|launch|start|go_to|öffne|starte|ouvre|lance|abre|abra|apri|otwórz|aç|открой|запусти|відкрий|افتح|buka|mở|खोलो");

/// What the words are told by that stand with a blank in other lists: it is read as one word.
static SPACED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lists = [&KINDS, &ARTICLES, &HERE, &POLITE, &OPENS];
    let own = lists.into_iter().flat_map(|it| it.iter()).filter(|it| it.contains('_'));
    let own = own.map(|it| it.replace('_', " "));
    let verbs = phrases::intents(ActClass::Delete).map(|it| it.text.clone());
    let all = ALL_WORDS.iter().cloned();
    let mut texts: Vec<String> =
        own.chain(verbs).chain(all).filter(|it| it.contains(' ')).collect();
    texts.sort_by_key(|it| std::cmp::Reverse(it.len()));
    texts
});
/// As in a text in which [`SPACED`] are one word each.
static ALL: LazyLock<HashSet<String>> =
    LazyLock::new(|| ALL_WORDS.iter().map(|it| it.replace(' ', "_")).collect());
static VERBS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    phrases::intents(ActClass::Delete).map(|it| it.text.replace(' ', "_")).collect()
});

const ENGLISH_VERBS: [&str; 6] = ["delete", "remove", "erase", "clear", "clean", "empty"];

/// What a word is among such words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Kind,
    Verb,
    And,
    Article,
    /// Before many of a kind.
    ArticleOfMany,
    In,
    /// The app, or what stands above what is shown.
    Place,
    /// "App" or "phone".
    Here,
    Opens,
    Polite,
    Wish,
    /// It may tell some things from others.
    Other,
}

/// Most words that are read: so many say more than that everything is meant.
const MOST_WORDS: usize = 120;

/// How far an "all" reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// No kind.
    None,
    /// The next kind.
    Next,
    /// The kind that was just named.
    Named,
    /// The next one of a list of kinds.
    List,
}

/// Whether words (normalized, line by line, and without what they except) mean all things of a kind. `place` are the
/// words of the app in front, and of what stands above all that is shown.
pub(super) fn means_everything(text: &str, place: &[String]) -> bool {
    if words(text).nth(MOST_WORDS).is_some() {
        return false;
    }
    if text.chars().any(is_joined) {
        return means_everything_in_joined(text, place);
    }
    let mut text = text.replace("e-mail", "email");
    for spaced in SPACED.iter() {
        let found: Vec<usize> = find(&text, spaced).collect();
        for at in found {
            text.replace_range(at..at + spaced.len(), &spaced.replace(' ', "_"));
        }
    }
    let ends = ['.', ';', '!', '?', ':', '\n', '\u{61f}', '।'];
    text.split(ends).all(|it| is_unrestricted(it, place))
}

/// The words of a header or of an app's name that say where something is.
pub(super) fn words_of_place(text: &str) -> impl Iterator<Item = String> {
    words(text)
        .filter(|it| says_something(it) && !NOT_ALL.iter().any(|not| not == it))
        .map(str::to_owned)
}

/// Whether nothing in a sentence tells some things from others.
fn is_unrestricted(sentence: &str, place: &[String]) -> bool {
    let tokens = tokens(sentence);
    let parts: Vec<Part> = tokens.iter().map(|it| part_of(it, place)).collect();
    let is_place = |at: usize| tokens.get(at).is_some_and(|it| place.contains(it));
    let (mut reach, mut verbs, mut named) = (Reach::None, 0, false);
    // In English a list of what is to be done, and in Spanish everything.
    let is_english = tokens.iter().any(|it| ENGLISH_VERBS.contains(&it.as_str()));
    if is_english && tokens.iter().any(|it| matches!(it.as_str(), "todo" | "todos")) {
        return false;
    }
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        match part {
            // "All phone contacts" are not all of them.
            Part::Other | Part::Here => return false,
            Part::All => reach = Reach::Next,
            Part::Kind => {
                let is_of_all = matches!(reach, Reach::Next | Reach::List)
                    || reach == Reach::None && parts.get(at + 1) == Some(&Part::All);
                if !is_of_all {
                    return false;
                }
                (reach, named) = (Reach::Named, true);
            }
            // "Delete all empty notes": there it is no verb.
            Part::Verb => {
                verbs += 1;
                reach = Reach::None;
            }
            Part::And if reach == Reach::Named => reach = Reach::List,
            // "All notes and the photo".
            Part::Article if reach == Reach::List => reach = Reach::None,
            // "All you like", "all mails to me".
            Part::Wish if named || reach == Reach::Next => return false,
            Part::In
                if 0 < at && parts[at - 1] == Part::All
                    || parts.get(at + 1) == Some(&Part::All) => {}
            Part::In | Part::Opens => {
                let Some(end) = end_of_place(&parts, at + 1, is_place) else { return false };
                at = end;
                continue;
            }
            Part::And
            | Part::Article
            | Part::ArticleOfMany
            | Part::Place
            | Part::Polite
            | Part::Wish => {}
        }
        at += 1;
    }
    verbs <= 1
}

/// Where a place ends that begins there: "the Notes app", "the folder Work". A kind alone is none: "the folder".
fn end_of_place(parts: &[Part], from: usize, is_place: impl Fn(usize) -> bool) -> Option<usize> {
    let articles = [Part::Article, Part::ArticleOfMany, Part::In];
    let begin = (from..parts.len()).find(|at| !articles.contains(&parts[*at]))?;
    let is_of_it =
        |at: &usize| matches!(parts[*at], Part::Place | Part::Here | Part::Kind) || is_place(*at);
    let end = (begin..parts.len()).find(|at| !is_of_it(at)).unwrap_or(parts.len());
    let mut all = begin..end;
    all.any(|at| matches!(parts[at], Part::Place | Part::Here) || is_place(at)).then_some(end)
}

/// The words of a sentence, and its commas, which go on with a list.
fn tokens(sentence: &str) -> Vec<String> {
    let sentence = sentence.replace([',', '،', '&', '/', '+'], " and ");
    let plain = |word: &str| match word.strip_suffix("'s") {
        Some(many) => vec![format!("{many}s")],
        None => words_with_blanks(word).map(str::to_owned).collect(),
    };
    sentence.split(' ').flat_map(|it| plain(it.trim_matches(is_sign))).collect()
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

fn words_with_blanks(text: &str) -> impl Iterator<Item = &str> {
    let joined = text.contains('_');
    let whole = joined.then_some(text);
    whole.into_iter().chain(words(text).filter(move |_| !joined))
}

fn part_of(word: &str, place: &[String]) -> Part {
    let is_in = |list: &List| list.iter().any(|it| it == word);
    if ALL.contains(word) {
        Part::All
    } else if is_in(&NOT_ALL) {
        Part::Other
    } else if is_in(&KINDS) || is_kind_alone(word) {
        Part::Kind
    } else if place.iter().any(|it| it == word) && !EMPTY_WORDS.contains(word) {
        Part::Place
    } else if is_in(&HERE) {
        Part::Here
    } else if is_verb(word) {
        Part::Verb
    } else if is_in(&AND) {
        Part::And
    } else if is_in(&OF_MANY) {
        Part::ArticleOfMany
    } else if is_in(&ARTICLES) {
        Part::Article
    } else if is_in(&WISHES) {
        Part::Wish
    } else if is_in(&IN) {
        Part::In
    } else if is_in(&OPENS) {
        Part::Opens
    } else if is_in(&POLITE) {
        Part::Polite
    } else {
        Part::Other
    }
}

/// Whether a word is a verb that deletes, in a form of it.
fn is_verb(word: &str) -> bool {
    const ENDING: usize = 4;
    let is_form = |verb: &String| {
        stems(word, verb)
            .next()
            .is_some_and(|(at, end)| at == 0 && word[end..].chars().count() <= ENDING)
    };
    VERBS.contains(word) || VERBS.iter().any(is_form)
}
