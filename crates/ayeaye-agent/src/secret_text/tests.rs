//! What is told as a secret, and what is not.
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
        "Care este parola ta?",
        "Introdu parola",
        "Quina és la contrasenya?",
        "Kakšno je vaše geslo?",
        "Mis on sinu parool?",
        "Kāda ir parole?",
        "Koks jūsų slaptažodis?",
        "আপনার পাসওয়ার্ড কী?",
        "உங்கள் கடவுச்சொல் என்ன?",
        "Apakah kata laluan anda?",
        "آپ کا پاس ورڈ کیا ہے؟",
        "Nenosiri lako ni nini?",
        "Which unlock pattern do you use?",
        "Welches Entsperrmuster?",
    ] {
        assert!(secret_asked_for(question).is_some(), "{question}");
    }
    for question in [
        "¿Qué Ana quieres decir?",
        "Welche Anna meinst du?",
        "Quali parole devo cercare?",
        "Which knitting pattern?",
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
fn questions_for_phrases_keys_and_logins_are_known() {
    for question in [
        "What is your wallet's recovery phrase?",
        "What is the seed phrase?",
        "Which backup code shall I use?",
        "What is the private key?",
        "What is the Wi-Fi key?",
        "Which access token does the app need?",
        "What is the API key for the weather app?",
        "What is the PUK of the SIM card?",
        "Which TAN did the bank send?",
        "Bitte die TAN eingeben",
        "bitte tan eingeben",
        "Wie lautet die sms-tan?",
        "Welche tan-nummer?",
        "What is the login for the bank?",
        "What are your sign-in details?",
        "What was your mother's maiden name?",
        "Wie lautet die Wiederherstellungsphrase?",
        "Wie lauten die Zugangsdaten?",
        "Wie lautet der WLAN-Schlüssel?",
        "Quelle est la phrase de récupération ?",
        "Quels sont vos identifiants ?",
        "¿Cuál es la frase de recuperación?",
        "¿Cuáles son los datos de acceso?",
        "Qual é a chave Wi-Fi?",
        "Quali sono le credenziali?",
        "Какая секретная фраза?",
        "Какой токен доступа?",
        "助记词是什么？",
        "登录信息是什么？",
        "復元フレーズは何ですか",
        "복구 문구가 뭐예요?",
    ] {
        assert!(secret_asked_for(question).is_some(), "{question}");
    }
    for question in [
        "Which login page do you mean?",
        "Which token do you want to swap?",
        "Which key shall I press?",
        "¿Qué tan urgente es?",
        "¿Qué tan largo debe ser el SMS?",
        "Shall I order the tan or the black version of your shoes?",
        "Shall I enter tan as the colour code?",
        "Which secretary do you mean?",
        "¿Quiere claveles?",
        "Which dress code?",
        "Which ZIP code shall I use?",
        "Welcher Ländercode?",
        "When does the card's expiry matter?",
        "Quale parola devo cercare?",
        "일회용 수저가 필요하세요?",
        "Which expiry date shall I filter by?",
    ] {
        assert_eq!(secret_asked_for(question), None, "{question}");
    }
    for question in ["Which login page do you mean?", "What is the token?", "Какой токен?"]
    {
        assert!(may_ask_for_secret(question), "{question}");
    }
    for question in ["Which keyboard?", "Which Anna do you mean?", "When shall I log in?"] {
        assert!(!may_ask_for_secret(question), "{question}");
    }
}

#[test]
fn questions_for_secrets_are_known_however_they_are_spelled() {
    for question in [
        "What is your bаnk pаsswоrd?",
        "What is your pass-word?",
        "What is your p a s s w o r d?",
        "What is your P.A.S.S.W.O.R.D?",
        "What is your P4ssw0rd?",
        "What is your 𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝?",
        "Wie lautet dein Kenn\u{200b}wort für die Bank?",
        "Your p-i-n?",
        "Please enter the six digits you just got by SMS",
        "What does the SMS from your bank say?",
        "How do you unlock this phone (digits)?",
        "What is the 16-digit number on your card and the 3 digits on the back?",
        "Welche sechs Ziffern stehen in der SMS?",
        "Wie entsperrst du das Handy?",
    ] {
        assert!(secret_asked_for(question).is_some(), "{question}");
    }
    for question in [
        "What should the SMS to Anna say?",
        "Shall I send the SMS to the bank?",
        "How many digits has the order number?",
        "Shall I unlock the phone?",
        "Which check-in shall I use, the one at 3 p.m. or 4 p.m.?",
        "Is it a pick-up, or shall I up in the list?",
        "Shall I opt-in to the newsletter?",
        "Is plan A or plan B better?",
        "Which of K, L, M and N is it?",
        "Wo finde ich den Wort-Puzzle-Pass?",
        "Какой магазин на ул. Ленина, 5?",
    ] {
        assert_eq!(secret_asked_for(question), None, "{question}");
    }
}

#[test]
fn codes_of_parcels_orders_and_bookings_are_no_secrets() {
    for question in [
        "What is the pick-up code and the time?",
        "What is the pickup code?",
        "Which tracking code is on the parcel?",
        "What is the code of the parcel?",
        "What's the code for my order?",
        "Wie lautet der Abholcode?",
        "Welcher Buchungscode?",
        "Wat is de afhaalcode?",
        "Qual é o código da encomenda?",
        "Qual código de rastreio?",
        "¿Cuál es el código de recogida?",
        "¿Qué código postal?",
        "Quel est le code de retrait du colis ?",
        "Qual é o código de levantamento da encomenda?",
        "Qual è il codice di ritiro del pacco?",
        "Qual è il codice dell'ordine?",
        "Jaki jest kod odbioru?",
        "Какой код заказа?",
        "取件码是多少？",
        "ما هو رمز الحجز؟",
        "बुकिंग कोड क्या है?",
    ] {
        assert_eq!(secret_asked_for(question), None, "{question}");
    }
    for question in [
        "What is the verification code for the order?",
        "What is the back-up code?",
        "Qual é o código de verificação da encomenda?",
        "Which code did they send for the parcel?",
        "Que código?",
        "What is the code for the bank?",
        "Quel est le code reçu pour la commande ?",
        "Код из СМС?",
        // What pays out cash.
        "Qual é o código de levantamento do MB WAY?",
        "Quel est le code de retrait ?",
        "Qual é o código de retirada?",
        "Qual è il codice di ritiro?",
        "What is the cash pick-up code?",
        "Какой код получения наличных?",
    ] {
        assert!(secret_asked_for(question).is_some(), "{question}");
    }
    let withdrawal = find_secrets("o código de levantamento: 4829130000");
    assert_eq!(withdrawal, [(SecretKind::Code, "4829130000")]);
    for text in [
        "the parcel code is 4471-KX9",
        "the code for the parcel is 447193",
        "código da encomenda: 447193",
    ] {
        assert_eq!(find_secrets(text), [], "{text}");
    }
}

#[test]
fn a_reply_that_looks_like_a_code_is_one() {
    for (reply, code) in [
        ("482913", "482913"),
        ("4829", "4829"),
        ("48291377", "48291377"),
        ("482 913", "482 913"),
        ("482-913", "482-913"),
        ("48 29 13", "48 29 13"),
        ("Es ist 482913.", "482913"),
        ("it's 482 913", "482 913"),
        ("It’s 4829, thanks!", "4829"),
        ("They sent me 482913.", "482913"),
        ("Le code est 482913, merci", "482913"),
        ("是４８２９１３", "４８２９１３"),
        ("收到了，是482913这个", "482913"),
        ("4829です", "4829"),
        ("٤٨٢٩١٣", "٤٨٢٩١٣"),
        ("code:482913", "482913"),
        ("482913 kam gerade", "482913"),
        ("482913, valid 5 min", "482913"),
        ("SMS 2: 482913", "482913"),
        ("1. 482913", "482913"),
        ("1. 4829", "4829"),
        ("at 16:45: 482913", "482913"),
        ("In 2026: 482913", "482913"),
        ("48291377 works", "48291377"),
        ("the app sent 4829137", "4829137"),
        ("482913 mal testen", "482913"),
        ("482913, pas sûr", "482913"),
        ("Da stand 482913", "482913"),
        ("482913刚收到的", "482913"),
        ("Code - 482913", "482913"),
    ] {
        assert_eq!(code_in(reply), Some(code), "{reply}");
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
        "192.168.1.10:8080",
        "12345,67",
        "482913 or 739204",
        "Anna",
        "",
        "the one from 2019, with the long text about how it was found in the year 1984",
    ] {
        assert_eq!(code_in(reply), None, "{reply}");
    }
}

#[test]
fn an_everyday_answer_with_a_number_is_no_code() {
    for reply in [
        "Flight LH 2134, gate 12",
        "Flug LH 2134, Gate 12",
        "The one from 2025, not the newest.",
        "2025",
        "im Jahr 2027",
        "Zimmer 4012",
        "Ja, 1500 Stück",
        "150000 Stück",
        "There were 150000 people",
        "150000 pasos",
        "150000 euros, please",
        "150000円です",
        "Room 401234",
        "In Halle 123456",
        "房间401234",
        "482913 is my order",
        "Freitag, Halle 4, Stand 1203",
        "Sim, e junta o número 4471-KX",
        "4471-KX, at 16:45. Tell him gate 12, not 10.",
        "my order 482913",
        "Abholcode 482913",
        "LH2134",
        "#48291",
        "1500個",
    ] {
        assert_eq!(code_in(reply), None, "{reply}");
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
fn times_dates_and_years_are_hardly_ever_secrets() {
    let parts = secret_parts("4471-KX, at 16:45. Tell him gate 12, not 10.");
    assert!(parts.contains(&"4471-KX".to_owned()), "{parts:?}");
    assert!(!parts.iter().any(|it| it.contains("16")), "{parts:?}");
    // Where nothing else may be what was asked for, it may be a time, a year or a count after all.
    for answer in ["16:45", "it is 1984", "1500 times", "23.11.1984"] {
        assert!(!secret_parts(answer).is_empty(), "{answer}");
    }
    for answer in [
        "at 16:45, please",
        "the one from 2025",
        "on 2026-11-23",
        "am 23.11.2026 um 9:05",
        "gate 12",
    ] {
        assert_eq!(likely_parts(answer), [""; 0], "{answer}");
    }
    let login = secret_parts("anna-9 and 7:30Sunshine");
    assert!(login.contains(&"7:30Sunshine".to_owned()), "{login:?}");
    for (answer, part) in [
        ("use 48291 as the PIN", "48291"),
        ("4829 works", "4829"),
        ("the token 9313 from the app", "9313"),
        ("1500 Stück", "1500"),
        ("anna-9 and 7:30Sunshine", "7:30Sunshine"),
        ("4829 is the token", "4829"),
        ("482 913 works", "482 913"),
        ("at 16:45: 482913", "482913"),
        ("Gelb-Teich22, 3000 times", "Gelb-Teich22"),
    ] {
        assert!(likely_parts(answer).contains(&part.to_owned()), "{answer}");
    }
}

#[test]
fn texts_made_to_be_searched_for_ever_are_not() {
    for piece in [
        "pin:",
        "pin:xxxx ",
        "[secret ",
        "pin=a1 [secret ",
        "密码是",
        "password",
        "passwort ",
        "pin for ",
        "pin \n",
        "pin\"* ",
    ] {
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
        code_in(&text);
    }
}
