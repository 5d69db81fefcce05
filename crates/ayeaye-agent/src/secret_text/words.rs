//! Words for what is secret, in the languages most questions are asked in.

/// Latin and Cyrillic ones count where a word begins.
#[rustfmt::skip]
pub(super) const PASSWORDS: &[&str] = &[
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
    // Romanian and Latvian, whose word for it is another one in Italian.
    "parola ta", "parola dvs", "parola dumneavoastră", "parola contului", "introdu parola", "introduceți parola",
    "care este parola", "care e parola", "jūsu parole", "kāda ir parole", "paroli", "parolei",
    // Catalan, Galician, Basque, Slovenian, Croatian, Serbian, Macedonian, Bulgarian, Albanian.
    "contrasenya", "contrasinal", "pasahitz", "geslo", "gesla", "lozink", "лозинк", "парола", "fjalëkalim",
    // Estonian, Lithuanian, Icelandic, Irish, Welsh, Afrikaans.
    "parool", "salasõna", "slaptažod", "lykilorð", "pasfhocal", "cyfrinair", "wagwoord",
    // Malay, Swahili, Hausa, Zulu, Azerbaijani, Uzbek, Kazakh, Mongolian, Georgian, Armenian.
    "kata laluan", "nenosiri", "neno la siri", "kalmar sirri", "iphasiwedi", "parolun", "parolingiz", "құпиясөз", "құпия сөз", "нууц үг", "პაროლ",
    "գաղտնաբառ",
    // Persian, Urdu, Bengali, Gujarati, Punjabi, Tamil, Telugu, Kannada, Malayalam, Sinhala, Khmer, Lao, Burmese.
    "گذرواژه", "پاس ورڈ", "পাসওয়ার্ড", "পাসওয়ার্ড", "પાસવર્ડ", "ਪਾਸਵਰਡ", "கடவுச்சொல்", "పాస్‌వర్డ్", "పాస్వర్డ్", "ಪಾಸ್‌ವರ್ಡ್", "ಪಾಸ್ವರ್ಡ್",
    "പാസ്‌വേഡ്", "പാസ്വേഡ്", "මුරපද", "ពាក្យសម្ងាត់", "ລະຫັດຜ່ານ", "စကားဝှက်",
    // What is drawn instead of typed.
    "unlock pattern", "lock pattern", "entsperrmuster", "ontgrendelingspatroon", "schéma de déverrouillage", "patrón de desbloqueo",
    "padrão de desbloqueio", "sequenza di sblocco", "wzór odblokowania", "kilit açma deseni", "графический ключ", "графічний ключ", "解锁图案",
    "解鎖圖案", "手势密码", "ロック解除パターン", "잠금 해제 패턴", "잠금해제 패턴",
];
/// Words that say "code" and no more.
#[rustfmt::skip]
pub(super) const PLAIN_CODES: &[&str] = &[
    "code", "kode", "kod", "kodu", "kodem", "kód", "kódot", "código", "codigo", "codice", "codul", "cod de",
    "код", "кода", "коду", "кодом", "رمز", "كود", "कोड", "รหัส",
];
#[rustfmt::skip]
pub(super) const CODES: &[&str] = &[
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
pub(super) const ENDINGS: &[&str] =
    &["passwort", "kennwort", "wachtwoord", "lösenord", "passord", "code", "koodi"];

/// What else proves who one is, or pays: what fields ask for, and questions.
#[rustfmt::skip]
pub(crate) const PROOFS: &[&str] = &[
    "password", "passcode", "passphrase", "pin", "otp", "cvv", "cvc", "cvv2", "cvc2", "security code",
    "verification code", "one-time code", "one-time password", "one-time passcode", "one time password",
    "card number", "2fa",
    "mtan", "pushtan", "sms-tan", "phototan", "chiptan", "recovery code", "recovery key", "backup code",
    "private key", "secret key", "card verification",
    "social security number", "ssn", "maiden name", "puk", "security answer", "security question", "secret answer",
    "memorable word",
    "passwort", "kennwort", "bestätigungscode", "sicherheitscode", "prüfcode", "kartennummer",
    "wiederherstellungscode", "wiederherstellungsschlüssel", "einmalpasswort", "einmalcode", "geheimzahl",
    "prüfziffer", "kartenprüfnummer", "sicherheitsfrage", "freigabecode",
    "contraseña", "código de verificación", "código de seguridad", "código de un solo uso", "clave de seguridad",
    "clave dinámica", "clave de un solo uso", "clave privada", "número de tarjeta", "token de seguridad",
    "mot de passe", "code de vérification", "code confidentiel", "code à usage unique", "cryptogramme",
    "numéro de carte", "clé privée", "code secret",
    "senha", "código sms", "código de segurança", "código de verificação", "número do cartão", "código de uso único",
    "chave privada",
    "codice di verifica", "codice di sicurezza", "codice monouso", "codice otp", "numero della carta",
    "numero di carta", "chiave privata",
    "wachtwoord", "verificatiecode", "pincode", "herstelcode", "eenmalige code", "beveiligingscode", "kaartnummer",
    "hasło", "kod blik", "kod sms", "kod weryfikacyjny", "kod jednorazowy", "hasło jednorazowe", "numer karty", "kod zabezpieczający",
    "klucz prywatny",
    "şifre", "sms kodu", "doğrulama kodu", "güvenlik kodu", "kurtarma kodu", "kart numarası",
    "пароль", "код подтверждения", "код из смс", "код из sms", "одноразовый код", "номер карты", "пин-код", "пин", "секретный код",
    "кодовое слово",
    "код підтвердження", "одноразовий код", "номер картки", "пін-код", "пін",
    "密码", "密碼", "验证码", "驗證碼", "安全码", "安全碼", "动态码", "動態碼", "动态密码", "動態密碼", "口令", "校验码", "卡号", "卡號", "私钥", "私鑰", "恢复密钥",
    "密保",
    "パスワード", "暗証番号", "認証コード", "認証番号", "確認コード", "秘密鍵", "ワンタイム", "カード番号", "セキュリティコード", "合言葉",
    "비밀번호", "인증번호", "인증 코드", "카드 번호", "카드번호", "보안 코드", "보안코드", "개인 키",
    "كلمة المرور", "كلمة السر", "رمز التحقق", "رمز التأكيد", "رمز لمرة واحدة", "رقم البطاقة", "الرقم السري", "رمز الأمان",
    "المفتاح الخاص",
    "पासवर्ड", "ओटीपी", "सत्यापन कोड", "वन-टाइम", "कार्ड नंबर", "सीवीवी", "पिन",
    "kata sandi", "kode verifikasi", "kode sekali pakai", "nomor kartu", "kode keamanan", "kode otp",
    "mật khẩu", "mã xác minh", "mã otp", "mã dùng một lần", "số thẻ", "mã bảo mật", "mã pin",
    "รหัสผ่าน", "รหัสยืนยัน", "รหัสแบบใช้ครั้งเดียว", "หมายเลขบัตร", "รหัสลับ",
    "lösenord", "engångskod", "kortnummer", "säkerhetskod", "adgangskode", "engangskode", "sikkerhedskode", "passord",
    "sikkerhetskode", "salasana", "kertakäyttökoodi", "kortin numero", "turvakoodi",
    "heslo", "jednorázový kód", "číslo karty", "jelszó", "kártyaszám", "parolă", "cod unic", "număr card",
    "numărul cardului", "κωδικός", "αριθμός κάρτας", "парола", "еднократен код", "номер на картата", "lozinka",
    "jednokratni kod", "broj kartice", "סיסמה", "קוד חד פעמי", "קוד אימות", "מספר כרטיס",
];

/// Words that ask together for what proves who one is: the digits of a message or a card, what a bank has sent, and how
/// a phone is unlocked.
#[rustfmt::skip]
pub(super) const PROVING_PAIRS: &[[&[&str]; 2]] = &[
    [
        &["digits", "digit", "ziffern", "chiffres", "dígitos", "digitos", "cifre", "cijfers", "cyfry", "cyfr", "haneli", "rakam", "цифры", "цифр", "цифри", "位数字", "位數字", "几位数", "桁の", "자리 숫자", "अंक", "chữ số", "siffror", "siffrorna", "cifrene", "sifrene"],
        &["sms", "text message", "unlock", "card", "bank", "authenticator", "entsperr", "karte", "rückseite", "déverrouill", "carte", "desbloque", "tarjeta", "cartão", "sblocc", "carta", "ontgrendel", "kaart", "pas", "odblok", "karty", "kilid", "kartı", "смс", "разблок", "карты", "карте", "карта", "картки", "розблок", "短信", "簡訊", "解锁", "解鎖", "卡", "銀行", "银行", "ロック解除", "カード", "문자", "카드", "은행", "잠금", "कार्ड", "एसएमएस", "thẻ", "kort", "kortet"],
    ],
    [
        &["sms", "text message", "смс", "短信", "簡訊", "ショートメール", "문자"],
        &["from your bank", "from the bank", "by your bank", "by the bank", "von deiner bank", "von ihrer bank", "von der bank", "de ta banque", "de votre banque", "de la banque", "de tu banco", "del banco", "do banco", "do seu banco", "della banca", "dalla banca", "van je bank", "van de bank", "z banku", "bankadan", "от банка", "из банка", "від банку", "з банку", "银行发", "銀行發", "银行的短信", "銀行から", "은행에서"],
    ],
    [
        &["how do you unlock", "how do i unlock", "how can i unlock", "what unlocks", "wie entsperr", "womit entsperr", "comment déverrouill", "cómo desbloque", "como desbloque", "come sblocc", "hoe ontgrendel", "как разблок", "як розблок", "怎么解锁", "如何解锁", "怎麼解鎖", "ロック解除の方法", "어떻게 잠금"],
        &["phone", "device", "screen", "tablet", "telefon", "handy", "gerät", "bildschirm", "téléphone", "appareil", "écran", "teléfono", "telefone", "móvil", "celular", "pantalla", "tela", "telefono", "schermo", "scherm", "телефон", "экран", "екран", "手机", "手機", "屏", "スマホ", "端末", "휴대", "폰"],
    ],
];

/// Secrets that are several words.
#[rustfmt::skip]
pub(crate) const PHRASES: &[&str] = &[
    "recovery phrase", "seed phrase", "secret phrase", "mnemonic", "12-word phrase", "24-word phrase",
    "wiederherstellungsphrase", "frase de recuperación", "frase semilla", "phrase de récupération", "phrase secrète",
    "frase de recuperação", "frase di recupero", "herstelzin", "fraza odzyskiwania", "kurtarma ifadesi",
    "секретная фраза", "сид-фраза", "фраза восстановления", "секретна фраза", "фраза відновлення", "助记词", "助憶詞",
    "復元フレーズ", "リカバリーフレーズ", "복구 문구", "니모닉", "عبارة الاسترداد", "रिकवरी वाक्यांश", "frasa pemulihan",
    "cụm từ khôi phục", "วลีกู้คืน", "återställningsfras", "gendannelsesfrase", "palautuslauseke", "obnovovací fráze",
    "helyreállítási kifejezés", "frază de recuperare", "φράση ανάκτησης", "ביטוי שחזור",
    "recovery words", "seed words", "backup phrase", "wiederherstellungswörter",
];

/// Keys and tokens.
#[rustfmt::skip]
pub(super) const KEYS: &[&str] = &[
    "wi-fi key", "wifi key", "wi-fi-key", "wifi-key", "wlan key", "network key", "wpa key", "access key", "access token",
    "api key", "api-key", "api token", "auth token", "bearer token", "session token", "recovery key", "private key",
    "secret key", "secretkey", "encryption key", "puk",
    "wlan-schlüssel", "wlan schlüssel", "netzwerkschlüssel", "zugriffsschlüssel", "zugangsschlüssel", "api-schlüssel",
    "zugriffstoken", "zugangstoken", "wiederherstellungsschlüssel",
    "wifi-sleutel", "wi-fi-sleutel", "netwerksleutel", "toegangssleutel", "api-sleutel", "toegangstoken",
    "clé wi-fi", "clé wifi", "clé wpa", "clé réseau", "clé d'accès", "clé d’accès", "clé api", "clé privée",
    "jeton d'accès", "jeton d’accès",
    "token de acceso", "token de acesso", "token di accesso", "chave wi-fi", "chave wifi", "chave de rede",
    "chave de acesso", "chave de api", "chave privada", "chiave wi-fi", "chiave wifi", "chiave di rete",
    "chiave di accesso", "chiave api", "chiave privata",
    "klucz wi-fi", "klucz wifi", "klucz sieci", "klucz api", "klucz dostępu", "token dostępu", "klíč wi-fi",
    "klíč k wi-fi", "přístupový token", "wi-fi anahtarı", "wifi anahtarı", "ağ anahtarı", "api anahtarı",
    "erişim anahtarı", "kunci wi-fi", "kunci wifi", "token akses", "kunci api", "khóa wi-fi", "khóa api",
    "ключ wi-fi", "ключ от wi-fi", "ключ сети", "ключ api", "api-ключ", "ключ доступа", "токен доступа", "ключ мережі",
    "ключ доступу", "токен доступу",
    "密钥", "密鑰", "金鑰", "令牌", "私钥", "私鑰", "アクセスキー", "アクセストークン", "apiキー", "暗号化キー", "ネットワークキー", "秘密鍵",
    "액세스 토큰", "액세스 키", "api 키", "보안 키", "네트워크 키", "와이파이 키", "مفتاح الشبكة", "مفتاح الوصول", "एक्सेस टोकन",
];

/// What somebody signs in with, as a whole.
#[rustfmt::skip]
pub(super) const LOGINS: &[&str] = &[
    "login for", "login details", "login data", "login information", "login info", "sign-in details", "sign in details",
    "logon details",
    "zugangsdaten", "anmeldedaten", "logindaten", "login-daten", "login für", "inloggegevens", "inloguppgifter",
    "loginoplysninger", "påloggingsinformasjon", "kirjautumistiedot",
    "identifiants", "données de connexion", "datos de acceso", "datos de inicio de sesión", "credencial",
    "dados de acesso", "dados de login", "credenziali", "dati di accesso", "date de conectare",
    "dane logowania", "danych logowania", "přihlašovací údaje", "bejelentkezési adat", "giriş bilgi", "kredensial",
    "thông tin đăng nhập", "данные для входа", "логин и", "дані для входу", "στοιχεία σύνδεσης",
    "登录信息", "登入資訊", "登錄信息", "ログイン情報", "로그인 정보", "بيانات الدخول", "بيانات تسجيل الدخول", "פרטי התחברות", "लॉगिन विवरण",
    "ข้อมูลเข้าสู่ระบบ",
];

/// Words of questions that may be answered with a secret, or with something else.
#[rustfmt::skip]
pub(super) const PERHAPS: &[&str] = &[
    "login", "logon", "token", "key", "schlüssel", "sleutel", "clé", "jeton", "llave", "chave", "chiave", "klucz", "klíč",
    "anahtar", "ключ", "токен", "логин", "логін", "トークン", "토큰", "टोकन",
];

/// What stands beside a code in a reply that is little else: "it's 482913", "是482913".
#[rustfmt::skip]
pub(super) const BESIDE_CODES: &[&str] = &[
    "it", "its", "is", "s", "the", "my", "your", "this", "that", "here", "yes", "ok", "okay", "sure", "please", "thanks", "thank", "you", "code", "pin",
    "es", "ist", "das", "der", "mein", "lautet", "hier", "ja", "bitte", "danke", "het", "de", "mijn", "dank", "je", "kode", "koden", "kod", "er", "är",
    "c", "est", "ce", "le", "mon", "voici", "oui", "merci", "el", "mi", "código", "codigo", "sí", "si", "gracias", "é", "o", "meu", "sim",
    "obrigado", "obrigada", "è", "il", "mio", "codice", "ecco", "sì", "grazie", "codul", "este", "da",
    "to", "jest", "mój", "tak", "kód", "je", "ano", "bu", "kodu", "evet", "ini", "kodenya", "ya", "là", "mã",
    "это", "код", "вот", "да", "це", "ось", "так", "είναι",
    "是", "它是", "这是", "這是", "就是", "号码是", "號碼是", "码是", "验证码", "验证码是", "是验证码", "驗證碼是", "这个", "這個", "是的", "好的", "收到了", "谢谢", "謝謝",
    "です", "これです", "コードは", "はい", "입니다", "이에요", "예요", "이요", "코드는", "네", "هو", "هي", "الرمز", "رمز", "نعم", "है", "यह", "कोड",
    "คือ", "รหัส", "รหัสคือ", "ครับ", "ค่ะ",
];

/// Right before or behind one of these a "tan" is that of a bank, and no colour and no word of Spanish ("¿Qué tan
/// probable es …?").
pub(super) const BEFORE_TAN: [&str; 10] =
    ["sms", "push", "photo", "chip", "mobile", "ihre", "deine", "meine", "gültige", "neue"];
pub(super) const BEHIND_TAN: [&str; 9] = [
    "eingeben",
    "eingabe",
    "nummer",
    "verfahren",
    "bestätigen",
    "freigabe",
    "freigeben",
    "generator",
    "banking",
];

/// What makes a "code" one that everybody may know, in one word with it or before it: "Strichcode", "dress code".
#[rustfmt::skip]
const FRONTS_OF_OTHER_CODES: &[&str] = &[
    "promo", "promotion", "coupon", "discount", "gift", "voucher", "referral", "invite", "rabatt", "gutschein", "aktion",
    "aktions", "korting", "kortings", "cadeau", "promotie", "zip", "postal", "post", "area", "country", "land", "länder",
    "landes", "vorwahl", "regio", "qr", "bar", "strich", "streepjes", "streckkods", "source", "quell", "quel", "bron",
    "dress", "kleider", "language", "sprach", "taal", "product", "produkt", "article", "artikel", "color", "colour", "farb",
    "farben", "kleur", "error", "fehler", "fout", "status", "exit", "morse", "currency", "airport", "flight",
    "pickup", "collection", "parcel", "package", "order", "tracking", "booking", "reservation", "shipment", "shipping",
    "abhol", "abholungs", "paket", "sendungs", "bestell", "bestellungs", "buchungs", "reservierungs",
    "afhaal", "ophaal", "pakket", "bestel", "boekings", "reserverings", "sipariş", "kargo", "rezervasyon", "takip",
    "पिकअप", "ऑर्डर", "बुकिंग", "पार्सल",
];

/// What makes a "code" one that everybody may know, behind it, in languages that put it there: "código da encomenda",
/// "code de suivi". Beginnings of words.
#[rustfmt::skip]
pub(super) const BACKS_OF_OTHER_CODES: &[&str] = &[
    "pickup", "pick-up", "pick up", "parcel", "package", "order", "booking", "reservation", "shipment",
    "abholung", "paket", "sendung", "bestellung", "buchung", "reservierung", "pakket", "bestelling", "boeking",
    "postal", "promo", "colis", "commande", "suivi", "réservation", "réduction",
    "recogida", "paquete", "pedido", "seguimiento", "reserva", "envío", "descuento", "barras",
    "encomenda", "rastreio", "rastreamento", "recolha", "desconto",
    "pacco", "ordine", "spedizione", "prenotazione", "tracciamento", "sconto", "colet", "comand", "rezerv", "poștal",
    "odbioru", "przesył", "paczki", "zamówieni", "rezerwacji", "pocztow", "zásilk", "objednávk", "rezervac",
    "заказа", "посылк", "бронирован", "получени", "отслеживан", "замовлен", "посилк", "бронюван",
    "pesanan",
    "الطلب", "الحجز", "الاستلام", "التتبع", "الشحنة", "พัสดุ", "การจอง", "คำสั่งซื้อ", "รับสินค้า",
];

/// What stands between a code and whose it is: "of the", "da".
#[rustfmt::skip]
pub(super) const LINKS: &[&str] = &[
    "of", "for", "the", "my", "your", "a", "von", "für", "zur", "zum", "der", "die", "das", "deine", "deiner", "ihrer", "van", "voor", "de", "het",
    "du", "des", "d", "la", "le", "l", "pour", "del", "para", "da", "do", "a", "o", "dell", "della", "di", "per", "il", "na", "к", "для", "на",
    // With these words parcels are handed out, and cash is: "code de retrait du colis".
    "retrait", "retirada", "levantamento", "ritiro",
];

/// What is handed out for a code that is a secret: "cash pick-up code", "код получения наличных".
#[rustfmt::skip]
pub(super) const CASH: &[&str] = &[
    "cash", "money", "atm", "bargeld", "geld", "contant", "argent", "espèces", "efectivo", "dinero", "dinheiro", "contanti", "denaro", "numerar",
    "gotówk", "hotovost", "налич", "деньг", "денег", "готівк", "नकद", "نقد", "เงินสด",
];

/// Whether a code with this word before it is no secret.
pub(crate) fn is_of_other_code(front: &str) -> bool {
    FRONTS_OF_OTHER_CODES.contains(&front)
}

/// What follows a number that counts or measures: "150000 steps". Of scripts without blanks, beginnings of words. None
/// that says something else as often ("482913 pas sûr", "482913 mal testen").
#[rustfmt::skip]
pub(super) const UNITS: &[&str] = &[
    "piece", "pieces", "pcs", "step", "steps", "people", "persons", "photo", "photos", "picture", "pictures", "page", "pages", "item", "items", "copies",
    "times", "views", "likes", "followers", "votes", "points", "words", "characters", "unit", "units", "guests", "seats", "tickets", "percent",
    "sec", "seconds", "mins", "minutes", "hours", "days", "weeks", "months", "years", "m", "cm", "mm", "km", "miles", "meters", "metres", "feet",
    "g", "kg", "kilo", "lb", "lbs", "l", "ml", "kcal", "calories", "kwh", "kb", "mb", "gb",
    "euro", "euros", "eur", "dollar", "dollars", "usd", "pounds", "gbp", "chf", "cent", "cents", "yen", "yuan", "rmb", "rupees", "inr",
    // German, Dutch, the languages of the north.
    "stück", "stk", "schritte", "leute", "personen", "fotos", "bilder", "seiten", "exemplare", "punkte", "stimmen", "einwohner", "prozent",
    "sekunden", "minuten", "stunden", "tage", "wochen", "monate", "jahre", "meter", "kilometer", "gramm", "liter",
    "stuks", "stappen", "mensen", "keer", "foto", "pagina", "uur", "dagen", "weken", "maanden", "jaar",
    "stycken", "steg", "personer", "gånger", "sidor", "minuter", "timmar", "dagar", "kronor", "kr",
    // French, Spanish, Portuguese, Italian.
    "pièces", "personnes", "fois", "exemplaires", "unités", "habitants", "heures", "jours", "semaines", "mois", "ans", "mètres", "litres",
    "piezas", "pasos", "personas", "veces", "páginas", "unidades", "puntos", "minutos", "horas", "días", "semanas", "años", "pesos", "metros", "litros",
    "peças", "passos", "pessoas", "vezes", "pontos", "dias", "meses", "anos", "reais", "gramas",
    "pezzi", "passi", "persone", "volte", "pagine", "punti", "abitanti", "minuti", "ore", "giorni", "settimane", "mesi", "anni", "metri", "litri",
    // Polish, Turkish, Indonesian, Vietnamese, Russian, Ukrainian.
    "sztuk", "szt", "kroków", "osób", "razy", "zdjęć", "stron", "minut", "godzin", "dni", "lat", "zł", "złotych",
    "adet", "adım", "kişi", "kez", "fotoğraf", "sayfa", "dakika", "saat", "gün", "lira", "tl",
    "buah", "orang", "halaman", "menit", "rupiah", "người", "lần", "trang", "phút", "ngày", "đồng",
    "штук", "шт", "шагов", "человек", "раз", "фото", "страниц", "минут", "часов", "дней", "лет", "рублей", "руб", "км", "кг",
    "кроків", "осіб", "разів", "сторінок", "хвилин", "годин", "днів", "гривень", "грн",
    // Chinese, Japanese, Korean, Arabic, Hindi, Thai.
    "个", "個", "人", "步", "歩", "张", "張", "枚", "件", "次", "页", "頁", "分钟", "分鐘", "小时", "天", "元", "块", "円", "米", "公里", "公斤", "号", "號",
    "ページ", "キロ", "개", "명", "장", "원", "걸음", "شخص", "دقيقة", "صورة", "ريال", "جنيه", "دولار", "लोग", "रुपये", "บาท", "คน",
];

/// What stands before the number of a place or a means of travel: "Room 4012". Of scripts without blanks, ends of
/// words.
#[rustfmt::skip]
pub(super) const PLACES: &[&str] = &[
    "order", "booking", "invoice", "ticket", "bestellung", "buchung", "rechnung", "commande", "pedido", "ordine", "заказ", "订单", "訂單",
    "gate", "room", "flight", "platform", "train", "bus", "tram", "seat", "row", "hall", "house", "apartment", "floor", "table", "page",
    "halle", "zimmer", "raum", "gleis", "flug", "zug", "linie", "sitz", "reihe", "haus", "hausnummer", "wohnung", "etage", "tisch", "seite",
    "hal", "zaal", "kamer", "vlucht", "spoor", "perron", "trein", "stoel", "rij", "rum", "plattform", "tåg",
    "porte", "salle", "chambre", "vol", "quai", "voie", "siège", "rang", "puerta", "sala", "habitación", "vuelo", "andén", "tren", "asiento", "fila",
    "portão", "quarto", "voo", "trem", "comboio", "assento", "stanza", "camera", "volo", "binario", "treno", "posto",
    "pokój", "peron", "lot", "pociąg", "miejsce", "oda", "kapı", "uçuş", "kamar", "phòng", "комната", "кабинет", "рейс", "поезд", "зал", "платформа", "место",
    "号", "號", "第", "室", "房间", "房間", "航班", "车次", "站台", "登机口", "座位", "部屋", "ゲート", "방", "게이트",
];
