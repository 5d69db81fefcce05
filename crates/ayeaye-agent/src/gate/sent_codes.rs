//! Codes and passwords in a text that is to be sent: a model that reads screens may have read there a code that lets
//! somebody in.
use super::intent::UserWords;
use super::price::amount;
use super::text::{List, is_spaced, normalized, words as text_words};
use crate::secret_text::{SecretKind, find_secrets, is_of_everyday, numbers, plain_digit};

/// The digits of a code. Those of up to so many may be many things: what is counted, a house in a street, a flight.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
const FEW: usize = 5;
/// What behind a number says that it is one thing and counts no others: "4829 is the code".
#[rustfmt::skip]
static IS: List = List::new("is|ist|es|est|è|é|jest|это|це|adalah|là|คือ|är|er|on|je|είναι|е|هو|है|是|です|だ|が|は|입니다|이에요|예요|야|code|pin|tan|otp|as|als|como|for|für|para|pour|per|voor|для");

/// What a user calls a code, a number or a password who wants one sent. Also within a word: "Abholcode".
#[rustfmt::skip]
static CALLED: List = List::new("code|kode|código|codice|codul|kod|код|κωδικ|コード|코드|कोड|รหัส|رمز|كود|קוד|number|nummer|numéro|número|numero|numer|nomor|номер|αριθμ|番号|번호|नंबर|หมายเลข|رقم|מספר|password|passwort|kennwort|wachtwoord|mot de passe|contraseña|senha|parola|hasło|heslo|şifre|пароль|パスワード|비밀번호|mật khẩu|码|碼|口令|单号|單號|编号|編號");

/// Whether a text contains a code or a password that is neither in the user's words nor among their secrets. If the
/// words speak of a code without containing one, a code in the text is the one they mean.
pub(super) fn holds_unsaid_code(text: &str, words: &UserWords, said: &[String]) -> bool {
    if speak_of_code(words.normalized())
        && said.is_empty()
        && codes_in(words.normalized()).is_empty()
    {
        return false;
    }
    let is_said = |code: &String| {
        let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        words.hold_code(code) || said.iter().any(|it| plain(it).contains(&plain(code)))
    };
    codes_in(text).iter().any(|it| !is_said(it))
}

/// Whether a text (normalized) calls something a code, also as the end of a longer word and in other cases of it.
fn speak_of_code(text: &str) -> bool {
    let calls = |word: &str, it: &str| {
        !it.chars().all(is_spaced) && word.contains(it)
            || word.ends_with(it)
            || word.strip_prefix(it).is_some_and(|rest| rest.chars().count() <= 1)
    };
    let is_called = |it: &String| {
        it.contains(' ') && text.contains(it.as_str())
            || text_words(text).any(|word| calls(word, it))
    };
    CALLED.iter().any(is_called)
}

/// What may be a code or a password in a text.
fn codes_in(text: &str) -> Vec<String> {
    let text: String = text.chars().map(plain_digit).collect();
    let numbers = numbers(&text).filter(|it| is_code(*it)).map(|(_, number, _)| number.to_owned());
    let passwords = text.split_whitespace().filter(|it| is_password(it)).map(str::to_owned);
    numbers.chain(passwords).chain(called_secret(&text)).collect()
}

/// What a text calls a password or a code: "The Wi-Fi password is Zebra9530x".
fn called_secret(text: &str) -> impl Iterator<Item = String> {
    let found = find_secrets(text).into_iter();
    let is_called = |kind| matches!(kind, SecretKind::Password | SecretKind::Code);
    found.filter(move |(kind, _)| is_called(*kind)).map(|(_, it)| it.to_owned())
}

fn is_code((before, number, behind): (&str, &str, &str)) -> bool {
    let groups: Vec<&str> =
        number.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty()).collect();
    let digits: usize = groups.iter().map(|it| it.len()).sum();
    let is_year = |it: &&str| it.len() == 4 && matches!(&it[..2], "19" | "20");
    let is_date = digits == 8 && groups.len() == 1 && is_year(&&groups[0][..4]);
    let in_groups = groups.len() == 1
        || groups.iter().all(|it| it.len() == groups[0].len())
            && (3 <= groups[0].len() || 3 <= groups.len());
    let of_word =
        |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && c.to_lowercase().all(is_spaced));
    // "10:30", "1.299", "30/11", "+49".
    let goes_on = |c: Option<char>| c.is_some_and(|c| matches!(c, ':' | '.' | ',' | '/' | '\''));
    let next_digit = |it: &str| it.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    let is_part = of_word(before.chars().next_back())
        || of_word(behind.chars().next())
        || goes_on(behind.chars().next()) && next_digit(behind)
        || goes_on(before.chars().next_back())
            && before.chars().rev().nth(1).is_some_and(|c| c.is_ascii_digit())
        || before.ends_with('+');
    if !DIGITS.contains(&digits)
        || !in_groups
        || is_part
        || is_date
        || groups.iter().all(is_year)
        || is_of_money(before, number, behind)
    {
        return false;
    }
    // No room has six digits: whoever has a code sent may call it one.
    FEW < digits
        || !is_of_everyday(before, behind) && (1 < groups.len() || stands_alone(before, behind))
}

/// Whether it is an amount, with what stands beside it.
fn is_of_money(before: &str, number: &str, behind: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let next: String = behind.chars().take(8).collect();
    let next = next.split_whitespace().next().unwrap_or_default();
    amount(&format!("{last} {number}")).is_some() || amount(&format!("{number} {next}")).is_some()
}

/// Whether nothing is counted by a number, and it is neither of a flight ("LH 1234") nor of a state or a town.
fn stands_alone(before: &str, behind: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let is_short = last.len() == 2 && last.chars().all(|c| c.is_ascii_uppercase());
    let rest = behind.trim_start_matches([' ', '\u{a0}']);
    let next = normalized(rest.split_whitespace().next().unwrap_or_default());
    let begins = rest.chars().next().is_some_and(char::is_alphabetic);
    let is = |word: &String| {
        next == *word || !word.chars().all(is_spaced) && next.starts_with(word.as_str())
    };
    !is_short && (!begins || IS.iter().any(is))
}

/// Whether a word mixes letters, figures and signs as no word of any language does.
fn is_password(word: &str) -> bool {
    const SHORTEST: usize = 8;
    let word = word.trim_matches(|c: char| matches!(c, '"' | '\'' | '(' | ')' | '.' | ',' | ':'));
    let has = |is: fn(char) -> bool| word.contains(is);
    SHORTEST <= word.chars().count()
        && word.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '/' | '@' | '.' | ':'))
        && has(|c| c.is_ascii_lowercase())
        && has(|c| c.is_ascii_uppercase())
        && has(|c| c.is_ascii_digit())
        && has(|c| "!#$%^&*+=?~".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_from_what_else_has_figures() {
        for text in [
            "482913",
            "482 913",
            "482-913",
            "4 8 2 9 1 3",
            "The code is 4829.",
            "4829",
            "4829 is your code",
            "G-482913",
            "验证码是482913",
            "4829是验证码",
            "コードは4829です",
            "code:482913",
            "room 482913",
            "認証番号482913",
            "４８２９１３",
            "My password: Hunter2!x",
            "The Wi-Fi password is Zebra9530x",
            "WLAN-Passwort: Sonne42xy",
            "Wi-Fi密码是Zebra9530x",
            "The door code is 48A2",
        ] {
            assert!(!codes_in(text).is_empty(), "{text}");
        }
        for text in [
            "See you at 10:30",
            "on 30.11.2026 or 2026-11-30",
            "since 1999",
            "It costs 1299 €, or $4500",
            "1,299.00 and 12.500",
            "Hauptstr. 5, 10115 Berlin",
            "Springfield, IL 62704",
            "LH 1234 lands at 18:05",
            "5000 steps, 1200 kcal",
            "今天走了5000步",
            "+49 151 12345678",
            "0151 12345678",
            "555-1234",
            "COVID-19, iPhone15Pro and A380-800",
            "https://example.com/a?b=C3#d!e",
            "2025-2026",
            "See you in room 4012",
            "Flight 4012",
            "Gate B12, seat 1204",
            "I forgot my password again",
            "The password is wrong, try the other one",
            "Das Passwort stimmt nicht",
            "The code is on the fridge",
            "The dress code is casual",
            "Can you send me the code please?",
        ] {
            assert!(codes_in(text).is_empty(), "{text}: {:?}", codes_in(text));
        }
    }
}
