//! What a text calls a password or a code: "the password is …", "code: …", "密码是…".
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::asked::{is_code_of_thing, is_compound, is_other_code, is_plain_code};
use super::binders::{Bond, bound, is_blank};
use super::lowered::{Lowered, begins_word, is_spaced};
use super::numbers::{is_grouped, plain_digit};
use super::phrase;
use super::words::{CODES, KEYS, PASSWORDS, PHRASES};
use super::{MOST_FOUND, SecretKind};

/// Characters of a secret that may be in a text.
const SHORTEST: usize = 4;
/// Bytes of one. What is longer is cut, so that a text of names is not read to its end for each.
const LONGEST: usize = 512;

/// How a secret is called.
struct Name {
    word: &'static str,
    kind: SecretKind,
    sort: Sort,
}

/// What a secret of this name looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Word,
    /// That of a card has three digits.
    CardCode,
    Phrase,
}

/// Every name of a secret, and what finds them.
static NAMES: LazyLock<(AhoCorasick, Vec<Name>)> = LazyLock::new(|| {
    const CARD_CODES: [&str; 4] = ["cvv", "cvc", "prüfziffer", "cryptogramme"];
    const OTHERS: [&str; 10] = [
        "code",
        "cvv2",
        "cvc2",
        "kartenprüfnummer",
        "security code",
        "sicherheitscode",
        "pin码",
        "pin碼",
        "pinコード",
        "핀번호",
    ];
    let named = |kind, words: &'static [&'static str]| words.iter().map(move |it| (kind, *it));
    let words = named(SecretKind::Password, PASSWORDS)
        .chain(named(SecretKind::Password, KEYS))
        .chain(named(SecretKind::Code, CODES))
        .chain(OTHERS.iter().map(|it| (SecretKind::Code, *it)));
    let sort = |word: &str| {
        let is_card = CARD_CODES.contains(&word) || OTHERS[1..6].contains(&word);
        if is_card { Sort::CardCode } else { Sort::Word }
    };
    let words = words.map(|(kind, word)| Name { word, kind, sort: sort(word) });
    let phrases = named(SecretKind::Password, PHRASES);
    let phrases = phrases.map(|(kind, word)| Name { word, kind, sort: Sort::Phrase });
    let names: Vec<Name> = words.chain(phrases).collect();
    let finder = AhoCorasick::new(names.iter().map(|it| it.word));
    (finder.expect("a few hundred words are no limit"), names)
});

/// What is bound to the name of a secret: what stands in quotes, else up to the next blank.
pub(super) fn labelled_secrets(text: &str) -> Vec<(SecretKind, &str)> {
    let lower = Lowered::of(text);
    let (finder, names) = &*NAMES;
    let mut found: Vec<(SecretKind, &str)> = Vec::new();
    for place in finder.find_overlapping_iter(&lower.text) {
        let name = &names[place.pattern().as_usize()];
        let (begin, end) = (place.start(), place.end());
        // "{{secret:bank}}" names one and holds none.
        let is_mention = lower.text[..begin].ends_with("{{");
        if is_mention || !is_name(&lower.text, begin, name.word) {
            continue;
        }
        let Some(bound) = bound(&lower.text, begin, end) else { continue };
        let rest = &text[lower.original(bound.at)..];
        for value in values(rest, bound.by, name.sort) {
            let is_known = |(_, it): &(SecretKind, &str)| std::ptr::eq(*it, value);
            if !found.iter().any(is_known) {
                found.push((name.kind, value));
            }
            if found.len() == MOST_FOUND {
                return found;
            }
        }
    }
    found
}

/// Whether the name stands there as a word, or as the end of one put together of several.
fn is_name(text: &str, begin: usize, word: &str) -> bool {
    /// Bytes of the words before the last one.
    const LONGEST_FRONT: usize = 48;
    if begins_word(text, begin, word) {
        let is_other =
            || is_other_code(text, begin) || is_code_of_thing(&text[begin + word.len()..]);
        return !is_plain_code(word) || !is_other();
    }
    let near = text.floor_char_boundary(begin.saturating_sub(LONGEST_FRONT));
    let front = text[near..begin].chars().rev().take_while(|c| c.is_alphanumeric());
    let from = begin - front.map(char::len_utf8).sum::<usize>();
    let whole = &text[from..begin + word.len()];
    !text[begin + word.len()..].starts_with(char::is_alphanumeric) && is_compound(whole)
}

/// The secrets that a text begins with, behind what binds them to their name.
fn values(rest: &str, by: Bond, sort: Sort) -> Vec<&str> {
    const QUOTES: [(char, char); 10] = [
        ('"', '"'),
        ('\'', '\''),
        ('“', '”'),
        ('„', '“'),
        ('‘', '’'),
        ('「', '」'),
        ('『', '』'),
        ('`', '`'),
        ('«', '»'),
        ('‹', '›'),
    ];
    // A sign may end a line, and be set in bold type.
    let line = rest.trim_start_matches(['*', '_']).trim_start_matches(is_blank);
    let rest = if by == Bond::Sign { line.trim_start() } else { line };
    let has_own_line = rest.len() < line.len();
    let rest = beginning(rest, LONGEST);
    let first = rest.chars().next();
    if let Some((open, close)) = QUOTES.iter().find(|(open, _)| first == Some(*open)) {
        let inner = rest[open.len_utf8()..].split(*close).next().unwrap_or_default();
        return Vec::from_iter(is_long_enough(inner, sort).then_some(inner));
    }
    let line = rest.lines().next().unwrap_or_default();
    if sort == Sort::Phrase {
        return phrase::phrases(line, by);
    }
    let end = |c: char| c.is_whitespace() || ",，、。;；".contains(c);
    let word = without_marks(line.split(end).next().unwrap_or_default());
    // A line of words below "Password:" is another thing.
    let is_sure = by == Bond::Sign && (!has_own_line || line.trim() == word);
    let fits = |value: &&str| {
        let is_address = ["http://", "https://"].iter().any(|it| value.starts_with(it));
        let is_wanted = !is_address && (is_sure || !is_plain(value));
        let becomes = by != Bond::Becomes || value.contains(|c| plain_digit(c).is_ascii_digit());
        is_long_enough(value, sort) && is_wanted && becomes
    };
    let narrow = before_other_script(word);
    let mut all: Vec<&str> = Vec::new();
    all.extend(narrow.filter(fits));
    // Beside its name, digits before letters of another script are a number of these: "6位数字".
    if narrow.is_none_or(|it| is_sure || goes_on(it, word)) {
        all.extend(Some(word).filter(fits));
    }
    if by != Bond::Beside {
        all.extend(grouped_code(line));
    }
    all
}

/// A code in groups of digits, which a text begins with.
fn grouped_code(line: &str) -> Option<&str> {
    let is_digit = |c: char| plain_digit(c).is_ascii_digit();
    let inside = |c: char| is_digit(c) || matches!(c, ' ' | '-' | '\u{a0}' | '\u{2011}');
    let run = line.split(|c| !inside(c)).next().unwrap_or_default();
    let run = run.trim_end_matches(|c| !is_digit(c));
    let plain: String = run.chars().map(plain_digit).collect();
    let digits = plain.chars().filter(char::is_ascii_digit).count();
    let parted = plain.chars().count() != digits;
    (parted && (4..=8).contains(&digits) && is_grouped(&plain)).then_some(run)
}

/// The ASCII that a word begins with, if a script without blanks follows: "abc12345です".
fn before_other_script(word: &str) -> Option<&str> {
    let end = word.find(|c: char| !c.is_ascii() && !is_spaced(c) && c.is_alphabetic())?;
    let narrow = &word[..end];
    (!narrow.is_empty() && narrow.is_ascii()).then(|| without_marks(narrow))
}

/// Whether a secret may go on in another script: "Kx7$秋天", not "abc12345登录".
fn goes_on(narrow: &str, word: &str) -> bool {
    /// More letters are a sentence that goes on.
    const MOST: usize = 4;
    /// What begins one, whatever the number of letters.
    const OTHERS: &str = "登然再并並来來去进進解的是和或后後吧就给給发發输輸填确確提不别別请請即可以付支转轉买買打开開谢謝でをにはがとのだ입이로으을를가은는";
    let Some((_, rest)) = word.split_once(narrow) else { return false };
    rest.chars().count() <= MOST
        && !rest.starts_with(|c| OTHERS.contains(c))
        && !narrow.bytes().all(|it| it.is_ascii_digit())
}

fn is_long_enough(value: &str, sort: Sort) -> bool {
    let is_card_code = sort == Sort::CardCode
        && value.chars().count() == 3
        && value.chars().all(|c| plain_digit(c).is_ascii_digit());
    is_card_code || SHORTEST <= value.chars().count()
}

/// Without what ends a sentence, or stands around a word.
fn without_marks(word: &str) -> &str {
    const MARKS: [char; 18] = [
        '.', '\'', '"', ')', ']', '!', '?', ':', '*', '’', '”', '…', '！', '？', '）', '」', '】',
        '：',
    ];
    word.trim_start_matches(['(', '[']).trim_end_matches(MARKS)
}

/// Whether it may be an ordinary word: "password field", "isn't", "case-sensitive", "6-digit".
fn is_plain(value: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '\'' || !c.is_ascii() && !c.is_numeric();
    let is_small = |word: &str| !word.is_empty() && word.chars().all(char::is_lowercase);
    let is_count = |word: &str| word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
    value.chars().all(is_letter)
        || value
            .split_once(['-', '/'])
            .is_some_and(|(one, other)| (is_small(one) || is_count(one)) && is_small(other))
}

/// So much of a text, to the end of a letter.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        labelled_secrets(text).into_iter().map(|(_, it)| it).collect()
    }

    #[test]
    fn a_secret_is_found_as_people_write_it() {
        for (text, secret) in [
            ("The password is: hunter2xx", "hunter2xx"),
            ("password = hunter3xx", "hunter3xx"),
            ("Password - hunter4xx", "hunter4xx"),
            ("Password: hunter", "hunter"),
            ("Password:\nhunter", "hunter"),
            ("**Password:** hunter5xx", "hunter5xx"),
            (r#"{"user": "anna", "password": "hunter6xx"}"#, "hunter6xx"),
            ("PASSWORD：hunter7xx", "hunter7xx"),
            ("the password for Nimbus is hunter8xx, then stop", "hunter8xx"),
            ("Set the hotspot password to Mango-77.", "Mango-77"),
            ("My PIN is: 4821", "4821"),
            ("My PIN's 4821", "4821"),
            ("The code is 482 913 today", "482 913"),
            ("code: 48-29-13", "48-29-13"),
            ("CVV: 739", "739"),
            ("the CVC is 739.", "739"),
            ("CVV2 739", "739"),
            ("Das Passwort ist Mango-77", "Mango-77"),
            ("Das Passwort für die Bank lautet Mango-77.", "Mango-77"),
            ("Einmalpasswort: Mango-77", "Mango-77"),
            ("Das WLAN-Passwort ist Mango-77", "Mango-77"),
            ("The code to the door is 4821.", "4821"),
            ("Salasana on Kesa-24", "Kesa-24"),
            ("set wifi password as Mango-77", "Mango-77"),
            ("pass: the password is correct-horse-battery", "correct-horse-battery"),
            ("The code is 482913, the room 12", "482913"),
            ("Mi PIN es 4821 y ya", "4821"),
            ("Passwort: „Mango Baum“", "Mango Baum"),
            ("Mot de passe : Printemps24", "Printemps24"),
            ("Le mot de passe est Printemps24", "Printemps24"),
            ("Contraseña es Verano-24", "Verano-24"),
            ("A senha é Verao-24", "Verao-24"),
            ("La parola d'ordine è Estate-24", "Estate-24"),
            ("Hasło to Lato-24", "Lato-24"),
            ("パスワードは abc12345 です", "abc12345"),
            ("パスワードはabc12345です", "abc12345"),
            ("비밀번호는 abc12345입니다", "abc12345"),
            ("密码是：abc12345，谢谢", "abc12345"),
            ("密碼為abc12345謝謝", "abc12345"),
            ("PIN码是482913", "482913"),
            ("PINは4821です", "4821"),
            ("Пароль: Весна-2024", "Весна-2024"),
            ("ПАРОЛЬ: Весна-2024", "Весна-2024"),
            ("Пароль от банка — Весна-2024", "Весна-2024"),
            ("Şifre: Bahar-24", "Bahar-24"),
            ("ŞİFRE: Bahar-24", "Bahar-24"),
            ("Şifreniz: Bahar-24", "Bahar-24"),
            ("Wi-Fi key: abcd-1234", "abcd-1234"),
            ("PUK 12345678", "12345678"),
            ("Seed phrase: apple river candle moon. Then stop", "apple river candle moon"),
            ("密码：　桜の木です", "桜の木です"),
            ("用户名 lena，密码 Kx7$秋天", "Kx7$秋天"),
            ("密码 Kx7$秋天，然后登录", "Kx7$秋天"),
            ("密码Kx7$登录", "Kx7$"),
            ("Change my email password to Mango-77", "Mango-77"),
            ("Open the settings and set the PIN to 4821", "4821"),
            ("Cambia el PIN a 4821", "4821"),
            ("Verander het wachtwoord naar Mango-77", "Mango-77"),
            ("Ändere das Passwort auf Mango-77", "Mango-77"),
            ("The password for the bank: Mango-77", "Mango-77"),
            ("Secret: Mango", "Mango"),
            ("Secrets: Mango-77", "Mango-77"),
            ("La clave es Verano-24", "Verano-24"),
            ("Lösenordet är Mango-77", "Mango-77"),
            ("Jelszavam: Mango-77", "Mango-77"),
            ("Пин-кодом: 4821", "4821"),
            ("{\"secretKey\": \"Mango-77\"}", "Mango-77"),
            ("Freischaltcode: Mango-77", "Mango-77"),
            ("Transaktionscode 482913", "482913"),
            ("Der Aktivierungscode lautet SOMMER24", "SOMMER24"),
            (
                "Restore it with the seed phrase apple river candle moon and open it",
                "apple river candle moon",
            ),
            ("Seed phrase: apple river candle moon, then stop", "apple river candle moon"),
            (
                "The seed phrase is apple river candle moon then copper lamp grass hotel will pencil rose",
                "apple river candle moon then copper lamp grass hotel will pencil rose",
            ),
            ("验证码482913", "482913"),
            ("验证码 482913", "482913"),
            ("验证码４８２９１３", "４８２９１３"),
            ("비밀번호 봄날-2024", "봄날-2024"),
            ("رمز ٤٨٢٩١٣", "٤٨٢٩١٣"),
            ("Das Passwort für die Bank: Mango-77", "Mango-77"),
            ("The code for the door: 48-29-13", "48-29-13"),
            ("密码：", ""),
        ] {
            let all = found(text);
            assert!(
                all.contains(&secret) || secret.is_empty() && all.is_empty(),
                "{text}: {all:?}"
            );
        }
    }

    #[test]
    fn nothing_of_an_ordinary_sentence_is_a_secret() {
        for text in [
            "If the password is wrong, stop",
            "The password is wrong: try again",
            "The password isn't right",
            "the password is case-sensitive",
            "the password is wrong/expired",
            "The code is 6-digit",
            "Change the password in Settings",
            "Enter your password and tap Sign in",
            "Tap the password field",
            "Tap 'Forgot password' and 'Continue'",
            "Open the password-protected file",
            "Turn on the password manager (Bitwarden)",
            "Set a password\n2. Restart the phone at 10:30",
            "Send the code to +49 170 1234567",
            "Forward the PIN to anna@example.org",
            "Pin the note to the top",
            "Set the password to something long",
            "Wenn das Passwort falsch ist, brich ab",
            "Das Passwort ist nicht richtig",
            "Passwort-Feld antippen",
            "Si el código es incorrecto, para",
            "La contraseña es incorrecta",
            "Le mot de passe est n'importe lequel",
            "La password è sbagliata",
            "Пароль неверный, остановись",
            "パスワードは必要ですか？",
            "密码是不是正确？",
            "验证码是6位数字",
            "忘记密码怎么办呢？",
            "비밀번호는 무엇입니까?",
            "Change my PIN on 12.12. at 10:30",
            "Type the PIN at 10:30",
            "The code was sent at 10:30",
            "The code is valid until 10:30",
            "The password is at least 12 characters long",
            "Read the code of conduct: https://example.org/conduct",
            "Open https://example.org/pin-code-help?page=12",
            "Text Anna that the code word is banana",
            "Il codice fiscale RSSMRA80A01H501U",
            "Kod pocztowy to 00-950",
            "Tap PIN, then 10:30",
            "Scan the barcode 4006381333931",
            "Seed phrase: keep this somewhere safe",
            "My recovery phrase is in the safe at home",
            "Open Telegram and send the code to 01701234567",
            "Open Telegram and forward the PIN to anna2@example.org",
            "Open Telegram with the code to 01701234567",
            "Abre Telegram y envía el código a 612345678",
            "Find the colleges near the code to 01701234567",
            "In exchange, an alternative code to 01701234567",
            "Bestelle den Kaffee mit dem Code auf 12.12.2026",
            "Update the app and text the code to 01701234567",
            "Send the password reset code to anna2@example.org",
            "Send the password to Anna: \"See you at eight\"",
            "Send the code to Anna: 10:30 at the station",
            "Give the code to Anna: \"See you at eight\"",
            "Book with the code for two people: 12.12.2026",
            "Use the code for the lift: 10:30",
            "Message my secretary: Please book a table",
            "Move my secretary's 10:30 meeting to 11",
            "Post to the secretariat: Welcome",
            "Passwordless: Welcome",
            "Dresscode: festlich",
            "Dress code: casual",
            "Strichcode 4006381333931",
            "Streepjescode 4006381333931",
            "Ländercode: DE49",
            "Rabattcode: SOMMER24",
            "Use the promo code SOMMER24",
            "ZIP code 90210",
            "Error code: E-1042",
            "Restore the wallet with the seed phrase from Google Keep note",
            "Restore it with the seed phrase stored under Wallet Backup",
            "Enter the seed phrase shown under Wallet settings",
            "Seed phrase: please write this down and keep it",
            "把验证码发送到13800138000",
            "把验证码 发送到13800138000",
            "把認証コード送信先13800138000",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
