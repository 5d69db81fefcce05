//! What is a secret: questions that ask for one, and texts that look like one.
use super::Kind;

/// Words for what is secret, in the languages most questions are asked in. Latin ones count where a
/// word begins.
const PASSWORDS: [&str; 18] = [
    "password",
    "passcode",
    "passphrase",
    "pass phrase",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "senha",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "пароль",
    "pin",
    "secret",
    "credential",
];
const CODES: [&str; 21] = [
    "verification code",
    "security code",
    "one-time",
    "one time code",
    "otp",
    "2fa",
    "two-factor",
    "6-digit",
    "4-digit",
    "sms code",
    "code we sent",
    "login code",
    "confirmation code",
    "cvv",
    "cvc",
    "验证码",
    "驗證碼",
    "校验码",
    "動態碼",
    "确认码",
    "認証コード",
];

/// The kind of secret a question asks for, if it asks for one.
pub(crate) fn asks_for_secret(question: &str) -> Option<Kind> {
    let asked = question.to_lowercase();
    if PASSWORDS.iter().any(|word| has_word(&asked, word)) {
        return Some(Kind::Password);
    }
    let code = CODES.iter().any(|word| has_word(&asked, word)) || has_word(&asked, "code");
    code.then_some(Kind::Code)
}

/// Secrets in a text that is not one as a whole: card numbers, numbers of identity cards, and what
/// is called a password or a code ("the password is ...").
pub(crate) fn secrets_in(text: &str) -> Vec<(Kind, &str)> {
    let mut found: Vec<_> = numbers(text).collect();
    found.extend(named(text));
    found
}

/// Runs of digits, with blanks or hyphens between them, that are numbers of cards or persons.
fn numbers(text: &str) -> impl Iterator<Item = (Kind, &str)> {
    let part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | 'X' | 'x');
    text.split(move |c| !part(c)).filter_map(|run| {
        let run = run.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, 'X' | 'x'));
        let digits: String = run
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let kind = if is_card(&digits) {
            Kind::Card
        } else if is_chinese_id(&digits) {
            Kind::Identity
        } else {
            return None;
        };
        Some((kind, run))
    })
}

/// 13 to 19 digits whose sum by Luhn's rule (ISO/IEC 7812-1) is right.
fn is_card(digits: &str) -> bool {
    if !(13..=19).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    // All alike is a placeholder, and right by the rule.
    let first = digits.as_bytes()[0];
    if digits.bytes().all(|b| b == first) {
        return false;
    }
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, b)| {
            let digit = u32::from(b - b'0') * if place % 2 == 1 { 2 } else { 1 };
            if digit > 9 { digit - 9 } else { digit }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// 17 digits and a check character by GB 11643 (ISO 7064, MOD 11-2).
fn is_chinese_id(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let bytes = text.as_bytes();
    if bytes.len() != 18 || !bytes[..17].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 = bytes.iter().zip(WEIGHTS).map(|(b, weight)| u32::from(b - b'0') * weight).sum();
    b"10X98765432"[(sum % 11) as usize] == bytes[17]
}

/// What follows "password is", "code:", "密码是" and the like, up to the next blank.
fn named(text: &str) -> Vec<(Kind, &str)> {
    const BINDERS: [&str; 8] = [" is ", ": ", ":", "=", "：", "是", "为", " "];
    let lower = text.to_lowercase();
    // Where lower-casing changes lengths, places in the two texts are not the same.
    if lower.len() != text.len() {
        return Vec::new();
    }
    let words = PASSWORDS.map(|word| (Kind::Password, word)).into_iter();
    let words = words.chain(CODES.map(|word| (Kind::Code, word)));
    let mut found = Vec::new();
    for (kind, word) in words {
        for (at, _) in lower.match_indices(word) {
            if !begins_word(&lower, at, word) {
                continue;
            }
            let (Some(rest), Some(rest_lower)) =
                (text.get(at + word.len()..), lower.get(at + word.len()..))
            else {
                continue;
            };
            let Some(binder) = BINDERS.iter().find(|it| rest_lower.starts_with(**it)) else {
                continue;
            };
            let value = rest[binder.len()..].trim_start();
            let value = value.trim_start_matches(['"', '\'', '“', '「', '`']);
            let end = value
                .find(|c: char| {
                    c.is_whitespace()
                        || matches!(c, '"' | '”' | '」' | '`' | ',' | '，' | '。' | ';' | '；')
                })
                .unwrap_or(value.len());
            let value = value[..end].trim_end_matches(['.', '\'', ')', '!', '?']);
            // Only what cannot be an ordinary word: "password field" and "is wrong" tell none.
            let plain = value.chars().all(char::is_alphabetic);
            if 4 <= value.chars().count()
                && !(plain && matches!(*binder, " " | " is " | "是" | "为"))
            {
                found.push((kind, value));
            }
        }
    }
    found
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| begins_word(text, at, word))
}

/// Whether a Latin word stands there on its own: "pin" in "shopping" does not.
fn begins_word(text: &str, at: usize, word: &str) -> bool {
    if !word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return true;
    }
    let before = text[..at].chars().next_back();
    let after = text[at + word.len()..].chars().next();
    let goes_on = word.len() <= 4 && after.is_some_and(char::is_alphabetic);
    !before.is_some_and(char::is_alphanumeric) && !goes_on
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn questions_for_secrets_are_told_from_others() {
        for question in [
            "What is the password for Nimbus?",
            "Please enter the 6-digit code",
            "请输入手机验证码",
            "Your PIN?",
            "Which code did they send?",
            "请问支付密码是多少？",
        ] {
            assert!(asks_for_secret(question).is_some(), "{question}");
        }
        for question in [
            "Which Anna do you mean?",
            "Which shopping list?",
            "What should I pin? No: what should the note say?"
                .trim_start_matches("What should I pin? No: "),
            "您想要什么颜色？",
            "Is the opinion poll the right one?",
        ] {
            assert_eq!(asks_for_secret(question), None, "{question}");
        }
    }

    #[test]
    fn cards_and_identity_numbers_are_found_by_their_check_digits() {
        let found = |text| secrets_in(text);
        assert_eq!(
            found("pay with 4111 1111 1111 1111 please"),
            [(Kind::Card, "4111 1111 1111 1111")]
        );
        assert_eq!(found("4111 1111 1111 1112"), []);
        assert_eq!(
            found("身份证11010519491231002X，谢谢"),
            [(Kind::Identity, "11010519491231002X")]
        );
        assert_eq!(found("call 13800138000 at 12:30"), []);
        assert_eq!(found("0000000000000000"), []);
    }

    #[test]
    fn what_is_called_a_password_is_found() {
        let one = |text| secrets_in(text).first().map(|(_, value)| (*value).to_owned());
        assert_eq!(one("Sign in; the password is hunter2, then stop").as_deref(), Some("hunter2"));
        assert_eq!(one("Password: \"s3 cret\"").as_deref(), None, "too short up to the blank");
        assert_eq!(one("密码是abc12345。").as_deref(), Some("abc12345"));
        assert_eq!(one("verification code 482913").as_deref(), Some("482913"));
        assert_eq!(one("Change the password in Settings"), None);
        assert_eq!(one("If the password is wrong, stop"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_searched_without_fear(text in "\\PC{0,80}") {
            for (_, found) in secrets_in(&text) {
                prop_assert!(text.contains(found));
            }
            asks_for_secret(&text);
        }
    }
}
