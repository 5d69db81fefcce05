//! What users ask for: the verbs of each class, and what is only asked about.
use std::sync::LazyLock;

use super::Table;
use crate::gate::class::ActClass::{
    self, Call, Delete, Grant, Install, Order, Pay, Publish, Send, Transfer,
};
use crate::gate::text::{holds, normalized};

/// Stems: of Latin, Cyrillic, Greek and Arabic ones of four letters or more, forms count too.
#[rustfmt::skip]
pub(super) const INTENTS: Table<ActClass> = &[
    (Send, "en", "send|sends|text|tell|message|msg|write|reply|answer|respond|forward|email|e-mail|mail|notify|inform|let|ask|whatsapp|sms|share|wish|congratulate|thank|remind|invite"),
    (Send, "es", "envía|envia|enviar|enviale|manda|mándale|escribe|dile|responde|contesta|avisa|reenvía|pregunta|escribir|decir|avisar|reenviar"),
    (Send, "fr", "envoie|envoyer|envoyez|écris|dis|dites|réponds|répondre|préviens|transfère|message|demande|écrire|dire|prévenir"),
    (Send, "de", "sende|senden|schick|schicke|schreib|schreibe|antworte|sag|sage|teile|leite|frag"),
    (Send, "pt", "envie|enviar|envia|mande|manda|mandar|escreva|diga|responda|avise|encaminhe|pergunte|escrever|dizer|responder|avisar"),
    (Send, "it", "invia|inviare|manda|mandare|scrivi|scrivere|dille|digli|rispondi|avvisa|inoltra|chiedi"),
    (Send, "nl", "stuur|sturen|verstuur|schrijf|zeg|antwoord|vertel|vraag"),
    (Send, "pl", "wyślij|napisz|powiedz|odpisz|odpowiedz|przekaż|zapytaj"),
    (Send, "tr", "gönder|yaz|söyle|yanıtla|cevap|ilet|mesaj at|sor|haber ver"),
    (Send, "ru", "отправь|отправить|напиши|написать|скажи|ответь|передай|сообщи|перешли|пришли|спроси"),
    (Send, "uk", "надішли|відправ|напиши|скажи|відповідь|передай|повідом|перешли|запитай"),
    (Send, "zh", "发消息|发短信|发信息|发送|发给|发一条|发个|发邮件|发微信|發訊息|發簡訊|發送|發給|告诉|告訴|回复|回覆|转告|写信|问一下|传给"),
    (Send, "ja", "送|伝え|返信|メールして|知らせ|連絡して"),
    (Send, "ko", "보내|알려|답장|전해|문자해"),
    (Send, "ar", "أرسل|ارسل|اكتب|أخبر|رد|راسل"),
    (Send, "hi", "भेज|बता|लिख|जवाब"),
    (Send, "id", "kirim|kirimkan|tulis|beri tahu|balas|sampaikan"),
    (Send, "vi", "gửi|nhắn|viết|trả lời|báo"),
    (Send, "th", "ส่ง|บอก|เขียน|ตอบ|แจ้ง"),
    (Delete, "en", "delete|remove|erase|clear|uninstall|wipe|empty|clean|trash|get rid|reset"),
    (Delete, "es", "elimina|borra|quita|desinstala|vacía|limpia"),
    (Delete, "fr", "supprime|efface|enlève|désinstalle|vide la|retire"),
    (Delete, "de", "lösch|lösche|löschen|entfern|deinstallier|leere"),
    (Delete, "pt", "exclua|excluir|apague|apagar|elimine|remova|remover|desinstale|esvazie|limpe"),
    (Delete, "it", "elimina|cancella|rimuovi|disinstalla|svuota"),
    (Delete, "nl", "verwijder|wis|wissen|leeg|gooi"),
    (Delete, "pl", "usuń|skasuj|odinstaluj|opróżnij|wyczyść"),
    (Delete, "tr", "sil|kaldır|temizle|boşalt"),
    (Delete, "ru", "удали|сотри|очисти|убери"),
    (Delete, "uk", "видали|зітри|очисти|прибери"),
    (Delete, "zh", "删|刪|清空|清除|卸载|移除|解除安裝"),
    (Delete, "ja", "削除|消し|消して|消去|アンインストール"),
    (Delete, "ko", "삭제|지워|제거"),
    (Delete, "ar", "احذف|حذف|امسح|أزل"),
    (Delete, "hi", "हटा|मिटा|डिलीट"),
    (Delete, "id", "hapus|copot|bersihkan|kosongkan"),
    (Delete, "vi", "xóa|gỡ cài|dọn sạch"),
    (Delete, "th", "ลบ|ถอน|ล้าง"),
    (Call, "en", "call|phone|ring|dial|facetime|videocall"),
    (Call, "es", "llama|llamar|llámale|telefonea|videollama"),
    (Call, "fr", "appelle|appeler|appelez|téléphone"),
    (Call, "de", "ruf|rufe|anruf|anrufen|telefonier"),
    (Call, "pt", "ligue|ligar|telefone|chame"),
    (Call, "it", "chiama|telefona|chiamare"),
    (Call, "nl", "bel|bellen"),
    (Call, "pl", "zadzwoń|dzwoń"),
    (Call, "tr", "ara|telefon et"),
    (Call, "ru", "позвони|набери"),
    (Call, "uk", "подзвони|зателефонуй|набери"),
    (Call, "zh", "打电话|打電話|呼叫|拨打|撥打|致电|视频通话|语音通话"),
    (Call, "ja", "電話|通話"),
    (Call, "ko", "전화|통화"),
    (Call, "ar", "اتصل|هاتف"),
    (Call, "hi", "कॉल|फ़ोन कर"),
    (Call, "id", "telepon|panggil|hubungi"),
    (Call, "vi", "gọi"),
    (Call, "th", "โทร"),
    (Publish, "en", "post|publish|tweet|share|upload|comment|review|submit"),
    (Publish, "es", "publica|comparte|sube|comenta"),
    (Publish, "fr", "publie|poste|partage|commente"),
    (Publish, "de", "poste|veröffentlich|teile|kommentier"),
    (Publish, "pt", "publique|poste|compartilhe|comente"),
    (Publish, "it", "pubblica|posta|condividi|commenta"),
    (Publish, "nl", "plaats|publiceer|deel|post"),
    (Publish, "pl", "opublikuj|udostępnij|wrzuć|skomentuj"),
    (Publish, "tr", "paylaş|yayınla|yorum"),
    (Publish, "ru", "опубликуй|запости|выложи|поделись"),
    (Publish, "uk", "опублікуй|виклади|поділись"),
    (Publish, "zh", "发布|發佈|发表|發表|发微博|发帖|发个帖|发朋友圈|发一条朋友圈|发条朋友圈|发个朋友圈|发一条微博|发条微博|发个微博|发动态|发一条动态|发条动态|发个动态|评论|分享"),
    (Publish, "ja", "投稿|公開|ツイート|シェア"),
    (Publish, "ko", "게시|올려|공유"),
    (Publish, "ar", "انشر|شارك"),
    (Publish, "hi", "पोस्ट|शेयर"),
    (Publish, "id", "posting|bagikan|unggah"),
    (Publish, "vi", "đăng bài|chia sẻ"),
    (Publish, "th", "โพสต์|แชร์"),
    (Install, "en", "install|download|update|get"),
    (Install, "es", "instala|descarga|actualiza"),
    (Install, "fr", "installe|télécharge"),
    (Install, "de", "installier|lade|aktualisier"),
    (Install, "pt", "instale|instalar|baixe"),
    (Install, "it", "installa|scarica"),
    (Install, "nl", "installeer|download"),
    (Install, "pl", "zainstaluj|pobierz"),
    (Install, "tr", "yükle|indir"),
    (Install, "ru", "установи|скачай"),
    (Install, "uk", "встанови|завантаж|установи"),
    (Install, "zh", "安装|安裝|下载|下載"),
    (Install, "ja", "インストール|ダウンロード"),
    (Install, "ko", "설치|다운로드"),
    (Install, "ar", "ثبت|ثبّت|نزل"),
    (Install, "hi", "इंस्टॉल|डाउनलोड"),
    (Install, "id", "pasang|instal|unduh"),
    (Install, "vi", "cài|tải"),
    (Install, "th", "ติดตั้ง|ดาวน์โหลด"),
    (Order, "", "order|buy|book|purchase|compra|pide|encarga|reserva|achète|commande|réserve|kauf|bestell|buch|compre|peça|encomende|acquista|ordina|prenota|koop|bestel|kup|zamów|satın al|sipariş|купи|закажи|замов|买|買|订|訂|下单|購入|注文|予約|구매|주문|예약|اشتر|اطلب|खरीद|ऑर्डर|beli|pesan|mua|đặt|ซื้อ|สั่ง|จอง"),
    (Pay, "", "pay|paga|paie|payer|bezahl|zahl|pague|betaal|zapłać|opłać|öde|оплати|заплати|сплати|付|支付|缴|充值|支払|払|결제|지불|ادفع|भुगतान|bayar|thanh toán|trả|จ่าย|ชำระ|buy|subscribe|donate"),
    (Transfer, "", "transfer|send|wire|transfiere|envía|vire|überweis|transfira|envie|bonifico|invia|overmak|maak over|przelej|gönder|переведи|перекажи|转|轉|汇|送金|振込|송금|이체|حول|ट्रांसफर|kirim|chuyển|โอน"),
    (Grant, "", "allow|grant|permit|permission|give access|permite|permiso|autorise|autorisation|erlaub|berechtigung|permita|permissão|consenti|permesso|toestaan|toestemming|zezwól|zezwolenie|izin|разреши|разрешение|дозволь|дозвіл|允许|允許|权限|授权|許可|허용|권한|اسمح|إذن|अनुमति|izinkan|cho phép|quyền|อนุญาต|สิทธิ์"),
];

static FORGETTING_TEXTS: LazyLock<Vec<String>> =
    LazyLock::new(|| FORGETTING.iter().map(|it| normalized(it)).collect());

/// "Do not forget to …" asks for it.
const FORGETTING: &[&str] = &[
    "don't forget to",
    "dont forget to",
    "do not forget to",
    "never forget to",
    "nicht vergessen",
    "vergiss nicht",
    "no te olvides de",
    "no se olvide de",
    "no olvides",
    "n'oublie pas",
    "n'oubliez pas",
    "não se esqueça",
    "não esqueça",
    "não te esqueças",
    "non dimenticarti di",
    "non dimenticare",
    "vergeet niet",
    "nie zapomnij",
    "не забудь",
    "别忘了",
    "不要忘记",
    "別忘了",
    "忘れずに",
    "忘れないで",
    "잊지 말고",
    "잊지 마",
    "glöm inte att",
    "glöm inte",
    "glem ikke at",
    "glem ikke å",
    "glem ikke",
    "älä unohda",
    "nezapomeň",
    "nu uita",
    "unutma",
    "не забывай",
    "لا تنس",
    "मत भूल",
    "jangan lupa",
    "đừng quên",
    "อย่าลืม",
];

/// The words of a user (normalized) without what only looks like a "not".
pub(in crate::gate) fn forgetting(text: &str) -> String {
    let mut rest = text.to_owned();
    for phrase in FORGETTING_TEXTS.iter() {
        if rest.contains(phrase) {
            rest = rest.replace(phrase, " ");
        }
    }
    rest
}

/// What stands before a verb that is only asked about: "how do I delete my account".
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "how do", "how does", "how to", "how can", "how could", "how would", "how is", "how are", "how much", "how long", "what happens", "what would happen", "whether", "should i", "why", "is it possible", "possible to", "what it costs to", "what does it cost to", "when i",
    "wie man", "wie ich", "wie kann", "wie lange", "was passiert", "ob ich", "ob man", "möglich", "warum", "cómo", "qué pasa si", "si puedo", "por qué", "comment", "que se passe", "si je peux", "pourquoi",
    "como", "o que acontece", "se posso", "come si", "come posso", "cosa succede", "perché", "hoe", "wat gebeurt", "jak", "co się stanie", "nasıl", "ne olur", "как", "что будет", "можно ли", "як", "що буде",
    "怎么", "怎麼", "怎样", "如何", "是否", "能不能", "可不可以", "为什么", "どうやって", "方法", "どうすれば", "어떻게", "방법", "كيف", "ماذا يحدث", "कैसे", "bagaimana", "làm thế nào", "làm sao", "cách", "อย่างไร", "ยังไง", "hur", "hvordan", "miten", "kuinka", "hogyan", "cum", "πώς", "איך",
];

static ASKING_TEXTS: LazyLock<Vec<String>> =
    LazyLock::new(|| ASKING.iter().map(|it| normalized(it)).collect());

/// Whether the verb that stands at this place is only asked about, in its part of the sentence.
pub(in crate::gate) fn is_asked_about(text: &str, at: usize) -> bool {
    let clause = |c: char| {
        matches!(
            c,
            '.' | ',' | ';' | '!' | '?' | ':' | '。' | '，' | '；' | '！' | '？' | '：' | '\n'
        )
    };
    let before = text[..at].rsplit(clause).next().unwrap_or_default();
    // "and" begins a request of its own: "find out how it ended and text Anna".
    let own = [" and ", " und ", " y ", " et ", " e ", " ve ", " и ", " dan ", " och ", " og "];
    let from = own.iter().filter_map(|it| before.rfind(it).map(|at| at + it.len())).max();
    let part = &before[from.unwrap_or_default()..];
    ASKING_TEXTS.iter().any(|it| holds(part, it))
}
