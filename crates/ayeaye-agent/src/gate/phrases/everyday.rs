//! Names that hold the word of a command and mean something of every day: "Ordina per prezzo" sorts, "待付款" is a state.
use super::Table;
use crate::gate::class::ActClass::{self, Order, Pay, Transfer};
use crate::gate::text::is_spaced;

/// What holds a command's word and is none, where it holds no amount: "Ordina per domani" orders.
#[rustfmt::skip]
pub(super) const EVERYDAY: Table<()> = &[
    ((), "it", "ordina per prezzo|ordina per rilevanza|ordina per data|ordina per nome|ordina per popolarità|ordina per valutazione|ordina per distanza|ordina per novità"),
    ((), "es", "carrito de compra|carrito de la compra|carro de compra|carro de la compra|cesta de compra|cesta de la compra|bolsa de compra|bolsa de la compra|lista de compra|recargar página|recargar la página|recargar esta página"),
    ((), "fr", "régler l'alarme|régler l'heure|régler la date|régler le réveil|régler le minuteur|régler la minuterie|régler le volume|régler le son|régler la luminosité|régler la température|recharger la page|recharger cette page"),
    ((), "pt", "recarregar página|recarregar a página|recarregar esta página"),
    ((), "tr", "daha fazla yükle|daha fazlasını yükle|resim yükle|fotoğraf yükle|görsel yükle|video yükle|dosya yükle|belge yükle|sayfayı yeniden yükle"),
    ((), "ru", "установить будильник|установить таймер|установить напоминание|установить обои|установить как обои|установить время|установить дату|установить мелодию|установить рингтон|установить яркость|установить громкость|установить фото|установить аватар|установить статус|установить пароль|установить лимит|\
        перевести на русский|перевести на английский|перевести на немецкий|перевести на французский|перевести на испанский|перевести на итальянский|перевести на украинский|перевести на китайский|перевести на японский|перевести на турецкий|перевести на другой язык|перевести на язык|\
        перевести страницу|перевести текст|перевести сообщение|перевести сообщения|перевести комментарий|перевести комментарии|перевести публикацию|перевести отзыв|перевести отзывы|перевести пост|перевести слово|перевести чат|перевести с английского|перевести с немецкого|перевести с французского|перевести с испанского|перевести с китайского|перевести с японского"),
    ((), "uk", "встановити будильник|встановити таймер|встановити нагадування|встановити шпалери|встановити обої|встановити час|встановити дату|встановити мелодію|встановити яскравість|встановити гучність|встановити фото|встановити пароль|\
        установити будильник|установити таймер|установити нагадування|установити шпалери|установити обої|установити час|установити дату|установити мелодію|установити яскравість|установити гучність|установити фото|установити пароль"),
    ((), "bg", "преведи на български|преведи на английски|преведи страницата|преведи текста|преведи съобщението"),
    ((), "pl", "połącz z siecią|połącz z wi-fi|połącz z bluetooth|połącz z urządzeniem|połącz z internetem|połącz z komputerem|połącz z telewizorem"),
    ((), "zh", "生活缴费|生活繳費"),
    ((), "ja", "投稿を見る|投稿を表示|投稿を検索|投稿を保存|投稿一覧|投稿数"),
    ((), "ko", "고속 충전|고속충전|급속 충전|급속충전|무선 충전|무선충전|배터리 충전|충전 중|충전중|충전기|충전 보호|충전 알림"),
    ((), "ar", "تثبيت المحادثة|تثبيت الدردشة|تثبيت الرسالة|تثبيت الشاشة|تثبيت في الأعلى"),
    ((), "th", "ที่อยู่จัดส่ง|ที่อยู่ในการจัดส่ง|ที่อยู่สำหรับจัดส่ง|การจัดส่ง|ค่าจัดส่ง|จัดส่งฟรี|ส่งฟรี|ขนส่ง|โทรทัศน์"),
];

/// Where a name has a meaning of every day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Where {
    /// In the settings of the phone.
    Settings,
    /// In a messenger.
    Messenger,
    /// Where something is read that may be in another language, and nothing tells of money.
    Reading,
    /// In a browser whose page tells nothing of money.
    Browser,
    /// In a shop, of what is no button.
    Shop,
    /// On the first page of an app for money, where it opens a form.
    MoneyHome,
    /// Between German words; of a tab, and not of a button.
    GermanTab,
}

/// Compared with the whole name.
pub(super) const PLACES: &[(Where, &str)] = &[
    (Where::Settings, "połącz|cài đặt ứng dụng"),
    (Where::Messenger, "تثبيت|إلغاء التثبيت"),
    (Where::Reading, "перевести|преведи"),
    // What a page calls all of its cookies.
    (
        Where::Browser,
        "recarregar|recargar|recharger|すべて許可|すべて許可する|すべてを許可|allow all cookies|alle cookies zulassen|alle cookies erlauben|permitir todas las cookies|autoriser tous les cookies|permitir todos os cookies|consenti tutti i cookie|alle cookies toestaan|zezwól na wszystkie pliki cookie|tüm çerezlere izin ver|разрешить все cookie|разрешить все файлы cookie|允许所有 cookie|允许所有cookie|모든 쿠키 허용",
    ),
    (
        Where::Shop,
        "buy again|buy it again|erneut kaufen|nochmals kaufen|acheter à nouveau|acheter de nouveau|comprar de nuevo|volver a comprar|comprar novamente|comprar de novo|acquista di nuovo|opnieuw kopen|kup ponownie|tekrar satın al|купить снова|купить ещё раз|再次购买|もう一度購入|もう一度買う|再度購入|다시 구매|재구매|फिर से खरीदें|beli lagi|mua lại",
    ),
    (
        Where::MoneyHome,
        "send money|transfer money|make a transfer|new transfer|geld senden|geld überweisen|überweisung|neue überweisung|enviar dinero|hacer una transferencia|nueva transferencia|envoyer de l'argent|faire un virement|nouveau virement|enviar dinheiro|fazer transferência|nova transferência|invia denaro|fai un bonifico|nuovo bonifico|geld overmaken|geld sturen|wyślij pieniądze|nowy przelew|para gönder|отправить деньги|перевести деньги|надіслати гроші|переказати гроші|转账|轉帳|转账汇款|送金|送金する|송금|송금하기|إرسال الأموال|पैसे भेजें|kirim uang|chuyển tiền|โอนเงิน|skicka pengar|send penge|send penger",
    ),
    (Where::GermanTab, "wissen"),
];

/// What makes of an act a state it is in, right behind its word, whatever follows.
const STATES: &[&str] = &["済み", "済", "된", "됨"];
/// What makes of an act a state, at the end of a name only: "succeeded", "failed", "done".
const ENDS: &[&str] = &["成功", "失败", "失敗", "완료", "실패"];
/// What makes of a word for money the name of a thing, at the end of a name. What else is done has a word that is a
/// thing as well: "删除记录" deletes records.
#[rustfmt::skip]
const THINGS: &[&str] = &[
    "记录", "記錄", "紀錄", "中心", "密码", "密碼", "管理", "设置", "設定", "详情", "詳情", "状态", "狀態", "信息", "資訊", "明细", "明細",
    "記録", "履歴", "詳細", "状況", "状態", "情報", "番号", "一覧", "期限", "方法", "を見る", "を表示",
    "내역", "후기", "정보", "설정", "기록", "상태", "상세", "번호", "목록", "조회", "보기",
];
/// What makes of an act a state it is in or not yet, right before its word.
const BEFORE: &[&str] = &["已", "未"];
/// What does so only before what costs money: "招待送信" sends.
const BEFORE_MONEY: &[&str] = &["待"];
/// With one of these something is done all the same: "确认付款信息" pays.
#[rustfmt::skip]
const ACTS: &[&str] = &[
    "确认", "確認", "确定", "確定", "立即", "立刻", "马上", "馬上", "提交", "同意", "授权", "授權", "一键", "并", "去", "我已", "使用", "今すぐ", "進む", "する", "하기", "확인", "진행", "지금", "바로", "동의", "자동",
];

/// Whether the word of a command, where it stands in a name (normalized), tells of a state or a thing. Only of
/// scripts that write on without a blank: where words stand apart, a phrase is the whole of them.
pub(super) fn is_no_act(name: &str, at: usize, word: &str, class: ActClass) -> bool {
    let is_unspaced = |c: char| c.is_alphabetic() && !is_spaced(c);
    if !word.chars().all(|c| is_unspaced(c) || c == ' ') || ACTS.iter().any(|it| name.contains(it))
    {
        return false;
    }
    let money = matches!(class, Pay | Order | Transfer);
    let (before, behind) = (&name[..at], &name[at + word.len()..]);
    let state = |list: &[&str]| list.iter().any(|it| before.ends_with(it));
    if state(BEFORE) || money && state(BEFORE_MONEY) {
        return true;
    }
    let behind = behind.trim_start();
    if STATES.iter().any(|it| behind.starts_with(it)) {
        return true;
    }
    let mut rest = behind;
    let ends = ENDS.iter().chain(if money { THINGS } else { &[] });
    while let Some(next) = ends.clone().find_map(|it| rest.strip_prefix(it)) {
        rest = next.trim_start();
    }
    rest.len() < behind.len() && !rest.contains(char::is_alphabetic)
}
