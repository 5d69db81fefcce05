//! What fields say that ask for a password, a code, or what else proves who one is or pays.

#[rustfmt::skip]
pub(in crate::gate) const SECRETS: &[&str] = &[
    "password", "passcode", "passphrase", "pin", "otp", "cvv", "cvc", "cvv2", "cvc2", "security code", "verification code", "one-time code", "one-time password", "one-time passcode", "one time password", "card number", "2fa",
    "mtan", "pushtan", "sms-tan", "phototan", "chiptan", "recovery phrase", "seed phrase", "secret phrase", "mnemonic", "12-word phrase", "24-word phrase", "recovery code", "recovery key", "backup code", "private key", "secret key", "card verification", "expiry date", "expiration date", "expiry", "mm/yy", "mm / yy",
    "social security number", "ssn", "maiden name", "puk", "security answer", "security question", "secret answer", "memorable word", "word 1", "word 2", "word 3", "word #1",
    "passwort", "kennwort", "bestätigungscode", "sicherheitscode", "prüfcode", "kartennummer", "wiederherstellungsphrase", "wiederherstellungscode", "wiederherstellungsschlüssel", "einmalpasswort", "einmalcode", "geheimzahl", "prüfziffer", "kartenprüfnummer", "sicherheitsfrage", "ablaufdatum", "freigabecode",
    "contraseña", "código de verificación", "código de seguridad", "frase de recuperación", "frase semilla", "código de un solo uso", "clave de seguridad", "clave dinámica", "clave de un solo uso", "clave privada", "número de tarjeta", "fecha de caducidad", "token de seguridad",
    "mot de passe", "code de vérification", "code confidentiel", "phrase de récupération", "phrase secrète", "code à usage unique", "cryptogramme", "numéro de carte", "clé privée", "date d'expiration", "code secret",
    "senha", "código de segurança", "código de verificação", "frase de recuperação", "número do cartão", "código de uso único", "chave privada", "validade do cartão",
    "codice di verifica", "codice di sicurezza", "frase di recupero", "codice monouso", "codice otp", "numero della carta", "numero di carta", "chiave privata",
    "wachtwoord", "verificatiecode", "pincode", "herstelzin", "herstelcode", "eenmalige code", "beveiligingscode", "kaartnummer",
    "hasło", "kod weryfikacyjny", "fraza odzyskiwania", "kod jednorazowy", "hasło jednorazowe", "numer karty", "kod zabezpieczający", "klucz prywatny",
    "şifre", "parola", "doğrulama kodu", "güvenlik kodu", "kurtarma ifadesi", "kurtarma kodu", "tek kullanımlık", "kart numarası",
    "пароль", "код подтверждения", "код из смс", "секретная фраза", "сид-фраза", "фраза восстановления", "одноразовый код", "номер карты", "пин-код", "пин", "секретный код", "кодовое слово",
    "код підтвердження", "секретна фраза", "фраза відновлення", "одноразовий код", "номер картки", "пін-код", "пін",
    "密码", "密碼", "验证码", "驗證碼", "安全码", "安全碼", "助记词", "助憶詞", "动态码", "動態碼", "动态密码", "動態密碼", "口令", "校验码", "卡号", "卡號", "私钥", "私鑰", "恢复密钥", "有效期", "密保",
    "パスワード", "暗証番号", "認証コード", "確認コード", "復元フレーズ", "リカバリーフレーズ", "秘密鍵", "ワンタイム", "カード番号", "セキュリティコード", "合言葉",
    "비밀번호", "인증번호", "인증 코드", "복구 문구", "니모닉", "일회용", "카드 번호", "카드번호", "보안 코드", "보안코드", "개인 키",
    "كلمة المرور", "كلمة السر", "رمز التحقق", "عبارة الاسترداد", "رمز لمرة واحدة", "رقم البطاقة", "الرقم السري", "رمز الأمان", "المفتاح الخاص",
    "पासवर्ड", "ओटीपी", "सत्यापन कोड", "रिकवरी वाक्यांश", "वन-टाइम", "कार्ड नंबर", "सीवीवी", "पिन",
    "kata sandi", "kode verifikasi", "frasa pemulihan", "kode sekali pakai", "nomor kartu", "kode keamanan", "kode otp",
    "mật khẩu", "mã xác minh", "mã otp", "cụm từ khôi phục", "mã dùng một lần", "số thẻ", "mã bảo mật", "mã pin",
    "รหัสผ่าน", "รหัสยืนยัน", "วลีกู้คืน", "รหัสแบบใช้ครั้งเดียว", "หมายเลขบัตร", "รหัสลับ",
    "lösenord", "engångskod", "kortnummer", "säkerhetskod", "återställningsfras", "adgangskode", "engangskode", "gendannelsesfrase", "sikkerhedskode", "passord", "sikkerhetskode", "salasana", "kertakäyttökoodi", "palautuslauseke", "kortin numero", "turvakoodi",
    "heslo", "jednorázový kód", "obnovovací fráze", "číslo karty", "jelszó", "egyszer használatos", "helyreállítási kifejezés", "kártyaszám", "parolă", "cod unic", "frază de recuperare", "număr card", "numărul cardului", "κωδικός", "φράση ανάκτησης", "αριθμός κάρτας", "парола", "еднократен код", "номер на картата", "lozinka", "jednokratni kod", "broj kartice", "סיסמה", "ביטוי שחזור", "קוד חד פעמי", "קוד אימות", "מספר כרטיס",
];

/// Beside one of these a "tan" is that of a bank, and no word of Spanish ("¿Qué tan probable es …?").
pub(in crate::gate) const BESIDE_TAN: &[&str] = &[
    "eingeben",
    "eingabe",
    "code",
    "nummer",
    "verfahren",
    "enter",
    "your",
    "ihre",
    "deine",
    "sms",
    "bestätigen",
    "freigabe",
    "banking",
];

/// What fields beside one for a postal code ask for, which is called a PIN code in India.
#[rustfmt::skip]
pub(in crate::gate) const ADDRESS_PARTS: &[&str] = &[
    "city", "town", "district", "state", "address", "street", "locality", "landmark", "house", "flat", "building", "area", "country", "शहर", "ज़िला", "राज्य", "पता",
];
