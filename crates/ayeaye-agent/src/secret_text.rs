//! What is a secret: questions that ask for one, and texts that look like one.
/// What sort of secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    Password,
    Code,
    Card,
    Identity,
    /// Somebody said that it is one.
    Marked,
}

/// Words for what is secret, in the languages most questions are asked in: Latin and Cyrillic ones
/// count where a word begins.
#[rustfmt::skip]
const PASSWORDS: [&str; 66] = [
    "pwd", "passwd", "password", "passcode", "passphrase", "pass phrase", "pin", "secret", "credential",
    // German, Dutch, the languages of the north.
    "passwort", "kennwort", "geheimzahl", "passwörter", "wachtwoord", "pincode", "lösenord", "adgangskode",
    "salasana", "passord",
    // French, Spanish, Portuguese, Italian, Romanian.
    "mot de passe", "code secret", "contraseña", "contrasena", "contraseñas", "palabra de paso", "clave", "senha",
    "palavra-passe", "palavra passe", "parola d'ordine", "parola d’ordine", "parola di accesso", "parolă",
    // Polish, Czech, Hungarian, Turkish, Indonesian, Vietnamese.
    "hasło", "hasła", "hasłem", "haslo", "heslo", "jelszó", "jelszav", "şifre", "sifre", "parolan", "parolay", "kata sandi",
    "mật khẩu",
    // Russian, Ukrainian, Greek.
    "пароль", "пароля", "паролем", "пин-код", "пинкод", "пін-код", "κωδικό",
    // Chinese, Japanese, Korean.
    "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호",
    // Arabic, Hebrew, Hindi, Thai.
    "كلمة المرور", "كلمة السر", "الرقم السري", "סיסמה", "पासवर्ड", "รหัสผ่าน",
];
#[rustfmt::skip]
const CODES: [&str; 90] = [
    "verification code", "security code", "one-time", "one time code", "otp", "2fa", "two-factor", "6-digit", "4-digit",
    "sms code", "code we sent", "login code", "confirmation code", "cvv", "cvc", "mtan", "sms-tan", "smstan",
    // German, Dutch, the languages of the north.
    "bestätigungscode", "sicherheitscode", "prüfziffer", "einmalcode", "zugangscode", "sms-code", "smscode", "verificatiecode",
    "beveiligingscode", "bevestigingscode", "toegangscode", "engangskode", "engångskod", "verifieringskod",
    "vahvistuskoodi", "kode",
    // French, Spanish, Portuguese, Italian, Romanian.
    "code de vérification", "code de confirmation", "code de sécurité", "code reçu", "code à usage unique", "cryptogramme",
    "código", "codigo", "codice", "codul", "cod de",
    // Polish, Czech, Hungarian, Turkish, Indonesian, Vietnamese.
    "kod", "kodu", "kodem", "kód", "kódot", "doğrulama kodu", "onay kodu", "mã xác", "mã otp",
    // Russian, Ukrainian, Greek.
    "код", "кода", "коду", "кодом", "смс-код", "κωδικός",
    // Chinese.
    "验证码", "驗證碼", "校验码", "校驗碼", "動態碼", "动态码", "确认码", "確認碼", "安全码", "安全碼", "短信码", "授权码",
    // Japanese, Korean.
    "認証コード", "確認コード", "検証コード", "認証番号", "ワンタイム", "セキュリティコード", "인증번호", "인증 번호", "인증코드",
    "인증 코드", "확인 코드", "보안 코드",
    // Arabic, Hebrew, Hindi, Thai.
    "رمز", "كود", "קוד", "कोड", "ओटीपी", "รหัส",
];

/// Words that are a secret's where they end a word put together of several.
const ENDINGS: [&str; 7] =
    ["passwort", "kennwort", "wachtwoord", "lösenord", "passord", "code", "koodi"];

/// The kind of secret a question asks for, if it asks for one.
pub(crate) fn secret_asked_for(question: &str) -> Option<SecretKind> {
    let asked = question.to_lowercase();
    if PASSWORDS.iter().any(|word| has_word(&asked, word)) {
        return Some(SecretKind::Password);
    }
    let words = asked.split(|c: char| !c.is_alphanumeric());
    let code = CODES.iter().any(|word| has_word(&asked, word))
        || has_word(&asked, "code")
        || words.clone().any(|it| ENDINGS.iter().any(|end| is_compound(it, end)));
    code.then_some(SecretKind::Code)
}

/// "Bestätigungscode", "Einmalpasswort"; of "barcode", "postcode" and the like nothing is secret.
fn is_compound(word: &str, end: &str) -> bool {
    const OTHERS: [&str; 8] =
        ["barcode", "postcode", "qrcode", "encode", "decode", "unicode", "zipcode", "sourcecode"];
    end.len() < word.len() && word.ends_with(end) && !OTHERS.contains(&word)
}

/// Whether a reply is nothing but a code, or a code in a few words, whatever was asked: four to eight
/// digits, also in groups, in any letters for digits.
pub(crate) fn is_code(reply: &str) -> bool {
    /// Characters of a reply that says a code and little else.
    const LONGEST: usize = 40;
    let reply: String = reply.trim().chars().map(plain_digit).collect();
    if LONGEST < reply.chars().count() {
        return false;
    }
    let inside = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '\u{a0}' | '\u{2011}');
    let mut codes =
        reply.split(|c| !inside(c)).map(|it| it.trim_matches(|c: char| !c.is_ascii_digit()));
    let digits = |it: &str| it.chars().filter(char::is_ascii_digit).count();
    let found = codes.by_ref().filter(|it| (4..=8).contains(&digits(it)) && is_grouped(it)).count();
    // What stands with signs of time, place or money is another number: "12:30", "3,50 €", "10.0.0.1".
    let other = |c: char| ":/.,@€$£¥₽₹%°+".contains(c);
    let between = reply.char_indices().any(|(at, c)| {
        let near = |it: Option<char>| it.is_some_and(|c| c.is_ascii_digit());
        other(c)
            && (near(reply[..at].chars().next_back())
                && near(reply[at + c.len_utf8()..].chars().next())
                || "€$£¥₽₹%°".contains(c))
    });
    found == 1 && !between
}

/// A digit of any script as one of ASCII.
pub(crate) fn plain_digit(c: char) -> char {
    /// Where the digits of scripts begin: Arabic, Persian, Devanagari, Bengali, Thai, wide ones.
    const ZEROS: [u32; 6] = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
    let number = u32::from(c);
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&number));
    zero.and_then(|zero| char::from_digit(number - zero, 10)).unwrap_or(c)
}

/// One group of digits, or groups that are alike but for the last: "482-913", not "2026-11-23".
fn is_grouped(code: &str) -> bool {
    let groups: Vec<usize> = code
        .split(|c: char| !c.is_ascii_digit())
        .filter(|it| !it.is_empty())
        .map(str::len)
        .collect();
    let Some((last, others)) = groups.split_last() else { return false };
    others.windows(2).all(|it| it[0] == it[1]) && others.first().is_none_or(|it| last <= it)
}

/// Secrets in a text that is not one as a whole: card numbers, numbers of identity cards, and what
/// is called a password or a code ("the password is ..."). What stands for a secret already is none, and a text
/// with very many has none beyond those.
pub(crate) fn find_secrets(text: &str) -> Vec<(SecretKind, &str)> {
    let parts = outside_placeholders(text);
    let numbers = parts.iter().flat_map(|part| id_numbers(part)).take(MOST_FOUND);
    let labelled = parts.iter().flat_map(|part| labelled_secrets(part)).take(MOST_FOUND);
    numbers.chain(labelled).collect()
}

/// Most secrets of either sort that are found in one text.
const MOST_FOUND: usize = 64;

/// How every placeholder begins.
pub(crate) const OPENING: &str = "[secret ";

/// How long the placeholder is that a text begins with, in bytes.
pub(crate) fn placeholder_length(text: &str) -> Option<usize> {
    /// None is longer, so that a text with many beginnings is not searched to its end for each.
    const LONGEST: usize = 64;
    let inside = text.strip_prefix(OPENING)?;
    let inside = &inside[..inside.bytes().take(LONGEST).position(|byte| byte == b']')?];
    let (_, tag) = inside.split_once(" #")?;
    let is_tag = tag.len() == 8 && tag.bytes().all(|b| b.is_ascii_hexdigit());
    is_tag.then_some(OPENING.len() + inside.len() + 1)
}

/// What stands before, between and behind the placeholders of a text.
fn outside_placeholders(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(open) = text[at..].find(OPENING).map(|found| at + found) {
        at = match placeholder_length(&text[open..]) {
            Some(length) => {
                parts.push(&text[begin..open]);
                begin = open + length;
                begin
            }
            None => open + OPENING.len(),
        };
    }
    parts.push(&text[begin..]);
    parts
}

/// What may be the secret in an answer that is one: words that are not plain ones, without what stands
/// around them ("It is 482-913."), and numbers without what parts them.
pub(crate) fn secret_parts(answer: &str) -> Vec<String> {
    let answer: String = answer.chars().map(plain_digit).collect();
    let mut found = Vec::new();
    // Between letters of other scripts a code stands without blanks.
    for run in answer.split(|c: char| !c.is_ascii_graphic()) {
        let word = run.trim_matches(|c: char| c.is_ascii_punctuation());
        if 3 <= word.len() && word.chars().any(|c| !c.is_ascii_alphabetic()) {
            found.push(word.to_owned());
            // "code:482913", "code=Quince-41"
            let labelled_secrets = word.rsplit([':', '=']).next().unwrap_or_default();
            found.push(labelled_secrets.to_owned());
        }
    }
    let number = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '\u{a0}');
    for run in answer.split(|c| !number(c)) {
        let run = run.trim_matches(|c: char| !c.is_ascii_digit());
        let digits: String = run.chars().filter(char::is_ascii_digit).collect();
        if 3 <= digits.len() && digits.len() <= 24 {
            found.push(run.to_owned());
            found.push(digits);
        }
    }
    found.retain(|part| 3 <= part.chars().count());
    found.sort_unstable();
    found.dedup();
    found
}

/// Runs of digits, with blanks or hyphens between them, that are numbers of cards or persons.
fn id_numbers(text: &str) -> impl Iterator<Item = (SecretKind, &str)> {
    let part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | 'X' | 'x');
    text.split(move |c| !part(c)).filter_map(|run| {
        let run = run.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, 'X' | 'x'));
        let digits: String = run
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let kind = if is_card(&digits) {
            SecretKind::Card
        } else if is_chinese_id(&digits) {
            SecretKind::Identity
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

/// What follows "password is", "code:", "密码是" and the like: what stands in quotes, else up to the
/// next blank.
fn labelled_secrets(text: &str) -> Vec<(SecretKind, &str)> {
    const BINDERS: [&str; 9] = [" is ", ": ", ":", "=", "：", "是", "为", " ", ""];
    const QUOTES: [(char, char); 6] =
        [('"', '"'), ('\'', '\''), ('“', '”'), ('「', '」'), ('`', '`'), ('«', '»')];
    /// Bytes of a secret. What is longer is cut, so that a text of labels is not read to its end for each.
    const LONGEST: usize = 512;
    // ASCII alone: other letters change their length, and places would not be the same.
    let lower = text.to_ascii_lowercase();
    let passwords = PASSWORDS.iter().map(|word| (SecretKind::Password, *word));
    let codes = CODES.iter().chain(&["code"]).map(|word| (SecretKind::Code, *word));
    let words = passwords.chain(codes);
    let mut found = Vec::new();
    for (kind, word) in words {
        for (at, _) in lower.match_indices(word) {
            // "{{secret:bank}}" names one and holds none.
            let is_mention = lower[..at].ends_with("{{");
            if is_mention || !begins_word(&lower, at, word) {
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
            // Without anything between them only where scripts change: "密码abc1".
            if binder.is_empty() && word.starts_with(|c: char| c.is_ascii() || is_parted(c)) {
                continue;
            }
            let value = beginning(rest[binder.len()..].trim_start(), LONGEST);
            let first = value.chars().next();
            let quote = QUOTES.iter().find(|(open, _)| first == Some(*open));
            let (value, quoted) = if let Some((open, close)) = quote {
                let inner = &value[open.len_utf8()..];
                (inner.split(*close).next().unwrap_or_default(), true)
            } else {
                let end = |c: char| c.is_whitespace() || ",，。;；".contains(c);
                let value = value.split(end).next().unwrap_or_default();
                (value.trim_end_matches(['.', '\'', ')', '!', '?']), false)
            };
            // Only what cannot be an ordinary word: "password field" and "is wrong" tell none.
            let plain = value.chars().all(char::is_alphabetic);
            let binds = quoted || matches!(*binder, ": " | ":" | "=" | "：");
            if 4 <= value.chars().count() && (binds || !plain) {
                found.push((kind, value));
            }
            if found.len() == MOST_FOUND {
                return found;
            }
        }
    }
    found
}

/// So much of a text, to the end of a letter.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| begins_word(text, at, word))
}

/// Whether a word of letters that are parted by blanks stands there on its own: "pin" in "shopping" does
/// not.
fn begins_word(text: &str, at: usize, word: &str) -> bool {
    if !word.starts_with(|c: char| c.is_ascii_alphanumeric() || is_parted(c)) {
        return true;
    }
    let before = text[..at].chars().next_back();
    let after = text[at + word.len()..].chars().next();
    let goes_on = word.chars().count() <= 4 && after.is_some_and(char::is_alphabetic);
    !before.is_some_and(char::is_alphanumeric) && !goes_on
}

/// Letters of Europe that are not ASCII's.
fn is_parted(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{52f}')
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
            assert!(secret_asked_for(question).is_some(), "{question}");
        }
        for question in [
            "Which Anna do you mean?",
            "Which shopping list?",
            "What should I pin? No: what should the note say?"
                .trim_start_matches("What should I pin? No: "),
            "您想要什么颜色？",
            "Is the opinion poll the right one?",
        ] {
            assert_eq!(secret_asked_for(question), None, "{question}");
        }
    }

    #[test]
    fn questions_for_secrets_are_known_in_many_languages() {
        for question in [
            "¿Cuál es la contraseña?",
            "¿Qué código te llegó?",
            "Wie lautet das Passwort?",
            "Bitte den Bestätigungscode aus der SMS",
            "Quel est le mot de passe ?",
            "Quel est le code de vérification reçu ?",
            "Qual è il codice che hai ricevuto?",
            "Qual é a palavra-passe?",
            "Qual código chegou por SMS?",
            "Wat is het wachtwoord?",
            "Welke verificatiecode heb je gekregen?",
            "Jakie jest hasło?",
            "Jaki kod przyszedł SMS-em?",
            "Şifreniz nedir?",
            "SMS ile gelen doğrulama kodunu söyler misiniz?",
            "Какой пароль?",
            "Какой код пришёл в СМС?",
            "パスワードは何ですか",
            "認証コードを教えてください",
            "비밀번호가 뭐예요?",
            "문자로 온 인증번호는?",
            "收到的验证码是多少？",
            "登录密码是什么？",
            "ما هي كلمة المرور؟",
            "ما هو رمز التحقق؟",
            "पासवर्ड क्या है?",
            "एसएमएस में कौन सा कोड आया?",
        ] {
            assert!(secret_asked_for(question).is_some(), "{question}");
        }
        for question in [
            "¿Qué Ana quieres decir?",
            "Welche Anna meinst du?",
            "Welche Postleitzahl?",
            "Quelle couleur ?",
            "Welk kodak-toestel?",
            "Który sklep?",
            "Какой кодекс?",
            "Hangi kodak?",
            "どの色ですか",
            "어느 가게인가요?",
        ] {
            assert_eq!(secret_asked_for(question), None, "{question}");
        }
    }

    #[test]
    fn a_reply_that_looks_like_a_code_is_one() {
        for reply in [
            "482913",
            "4829",
            "48291377",
            "482 913",
            "482-913",
            "48 29 13",
            "Es ist 482913.",
            "是４８２９１３",
            "٤٨٢٩١٣",
            "code:482913",
        ] {
            assert!(is_code(reply), "{reply}");
        }
        for reply in [
            "yes",
            "3",
            "739",
            "12:30",
            "2026-11-23",
            "23.11.2026",
            "3.500,00",
            "$4500",
            "4500 €",
            "123456789",
            "192.168.1.10",
            "Anna",
            "",
            "the one from 2019, with the long text about how it was found in the year 1984",
        ] {
            assert!(!is_code(reply), "{reply}");
        }
    }

    #[test]
    fn cards_and_identity_numbers_are_found_by_their_check_digits() {
        let found = |text| find_secrets(text);
        assert_eq!(
            found("pay with 4111 1111 1111 1111 please"),
            [(SecretKind::Card, "4111 1111 1111 1111")]
        );
        assert_eq!(found("4111 1111 1111 1112"), []);
        assert_eq!(
            found("身份证11010519491231002X，谢谢"),
            [(SecretKind::Identity, "11010519491231002X")]
        );
        assert_eq!(found("call 13800138000 at 12:30"), []);
        assert_eq!(found("0000000000000000"), []);
    }

    #[test]
    fn what_is_called_a_password_is_found() {
        let one = |text| find_secrets(text).first().map(|(_, value)| (*value).to_owned());
        assert_eq!(one("Sign in; the password is hunter2, then stop").as_deref(), Some("hunter2"));
        assert_eq!(one("Password: \"s3 cret\" and go").as_deref(), Some("s3 cret"));
        assert_eq!(one("密码Quince-41，谢谢").as_deref(), Some("Quince-41"));
        assert_eq!(one("the code is 482913").as_deref(), Some("482913"));
        assert_eq!(one("密码是abc12345。").as_deref(), Some("abc12345"));
        assert_eq!(one("verification code 482913").as_deref(), Some("482913"));
        assert_eq!(one("Change the password in Settings"), None);
        assert_eq!(one("If the password is wrong, stop"), None);
        assert_eq!(one("Sign in with {{secret:bank-2}}"), None);
    }

    #[test]
    fn what_stands_for_a_secret_is_none() {
        let held = "[secret password 8-15 #0a1b2c3d]";
        for text in [
            format!("Sign in with {held}"),
            format!("the password is {held}, the code: [secret code 4-7 #00000001]."),
        ] {
            assert_eq!(find_secrets(&text), [], "{text}");
        }
        let text = format!("not {held}: the password is hunter2");
        assert_eq!(find_secrets(&text), [(SecretKind::Password, "hunter2")]);
        // Only what is one as a whole.
        let found = find_secrets("[secret password hunter2");
        assert!(found.contains(&(SecretKind::Password, "hunter2")), "{found:?}");
    }

    #[test]
    fn the_secret_is_found_in_an_answer_however_it_is_worded() {
        for answer in [
            "482913",
            "It is 482-913.",
            "482 913",
            "收到了，是482913这个",
            "482913是验证码",
            "They sent (482913)",
            "code:482913",
            "It's 482913, thanks!",
            "48-29-13",
        ] {
            assert!(
                secret_parts(answer).contains(&"482913".to_owned()),
                "{answer}: {:?}",
                secret_parts(answer)
            );
        }
        assert!(secret_parts("Put Mango-Tree-77 there").contains(&"Mango-Tree-77".to_owned()));
        assert!(secret_parts("CVV 739").contains(&"739".to_owned()));
        assert_eq!(secret_parts("the blue one, please"), [""; 0]);
    }

    #[test]
    fn texts_made_to_be_searched_for_ever_are_not() {
        for piece in ["pin:", "pin:xxxx ", "[secret ", "pin=a1 [secret ", "密码是"] {
            let text = piece.repeat(1 << 14);
            assert!(find_secrets(&text).len() <= 2 * MOST_FOUND, "{piece}");
        }
    }

    #[test]
    fn letters_that_change_their_length_are_survived() {
        for text in ["İİpassword a是K", "ẞßcode: İ", "Passwordİ=x"] {
            find_secrets(text);
            secret_asked_for(text);
            secret_parts(text);
        }
    }

    proptest! {
        #[test]
        fn any_text_around_a_word_is_survived(a in "[İKẞß是为:= a-z]{0,12}", b in "[İKẞß是为:= \"'0-9]{0,12}") {
            let text = format!("{a}password{b}");
            for (_, found) in find_secrets(&text) {
                prop_assert!(text.contains(found));
            }
            secret_parts(&text);
        }

        #[test]
        fn any_text_is_searched_without_fear(text in "\\PC{0,80}") {
            for (_, found) in find_secrets(&text) {
                prop_assert!(text.contains(found));
            }
            secret_asked_for(&text);
        }
    }
}
