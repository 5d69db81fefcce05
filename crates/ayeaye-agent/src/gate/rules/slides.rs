//! Controls that are slid or held instead of tapped: sliders that confirm, and buttons that record while they are held.
use crate::Gesture;
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::phrases;
use crate::gate::price::amount;
use crate::gate::request::{ControlFacts, GateRequest, ScreenFacts};
use crate::gate::text::{List, holds, normalized};

/// What a control does, and what says so, where it is slid or held and has no other word for it.
pub(super) fn slid_or_held(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> Option<(ActClass, String)> {
    match request.gesture {
        Gesture::Slide { .. } => confirmed(control, request.screen, kind),
        Gesture::LongPress { .. } => {
            confirmed(control, request.screen, kind).or_else(|| recorded(control, kind))
        }
        Gesture::Drag { .. } => recorded(control, kind),
        _ => None,
    }
}

/// What sliding a control confirms. Where nothing tells of money, the words around it say to what.
fn confirmed(
    control: &ControlFacts,
    screen: &ScreenFacts,
    kind: Option<AppKind>,
) -> Option<(ActClass, String)> {
    #[rustfmt::skip]
    static CONFIRMS: List = List::new("pay|betale|betala|maksaaksesi|maksaa|zaplatíte|zaplatiť|fizetéshez|платите|плаћање|plaćanje|plăti|πληρωμή|לתשלום|bezahlen|zahlen|pagar|payer|pagare|betalen|zapłacić|ödemek|оплаты|оплати|支付|付款|支払|결제|للدفع|membayar|thanh toán|ชำระเงิน|confirm|accept|book|complete|trade|tip|approve|authorize|continue|bestätigen|annehmen|confirmar|aceptar|aceitar|confirmer|accepter|confermare|accettare|bevestigen|accepteren|potwierdzić|\
        onaylamak|onayla|подтверждения|подтвердить|підтвердження|підтвердити|确认|確認|確定|확인|للتأكيد|पुष्टि|konfirmasi|mengonfirmasi|xác nhận|ยืนยัน|godkende|bekræfte|bekräfta|godkänna|bekrefte|vahvista|vahvistaaksesi|potvrdit|potvrdíte|megerősítéshez|потвърдите|potvrdu");
    let own = control.names.iter();
    // A slider without a name is called by what stands around it.
    let around = control.names.is_empty() && is_slider(control);
    let around = control.beside.iter().chain(&screen.said).filter(|_| around);
    let name = own.chain(around).find(|it| {
        let text = normalized(it);
        says_to_slide(&text) && CONFIRMS.iter().any(|word| holds(&text, word))
    })?;
    let class = match kind {
        Some(AppKind::Banking | AppKind::Wallet) => ActClass::Transfer,
        _ if screen.texts.iter().any(|it| amount(it).is_some()) => ActClass::Pay,
        Some(AppKind::Shop | AppKind::Store) => ActClass::Order,
        _ => screen.said.iter().find_map(|it| phrases::asked_by_dialog(&normalized(it)))?,
    };
    Some((class, format!("\"{name}\"")))
}

/// Messengers send what was recorded as soon as the finger lets go. A message of this kind that somebody has sent has its
/// length beside its name.
fn recorded(control: &ControlFacts, kind: Option<AppKind>) -> Option<(ActClass, String)> {
    #[rustfmt::skip]
    static RECORDS: List = List::new("voice message|voice note|voice clip|video message|video note|record audio|record voice|record video|hold to record|hold to talk|press and hold to|sprachnachricht|videonachricht|nota de voz|mensaje de voz|message vocal|mensagem de voz|\
        messaggio vocale|spraakbericht|wiadomość głosowa|sesli mesaj|голосовое сообщение|видеосообщение|голосове повідомлення|按住说话|按住 说话|按住說話|按住 說話|语音消息|語音訊息|音声メッセージ|ボイスメッセージ|音声を録音|음성 메시지|رسالة صوتية|वॉइस मैसेज|pesan suara|tin nhắn thoại|ข้อความเสียง|\
        röstmeddelande|talebesked|talemelding|ääniviesti|hlasová zpráva|hlasová správa|hangüzenet|mesaj vocal|φωνητικό μήνυμα|гласово съобщение|glasovna poruka|הודעה קולית");
    let sends = matches!(kind, Some(AppKind::Messenger | AppKind::Social));
    let told = control.names.len() <= 2 && !control.names.iter().any(|it| it.contains(':'));
    if !sends || !told || !control.reacts || control.is_field() {
        return None;
    }
    let name = control.names.iter().find(|it| {
        let text = normalized(it);
        RECORDS.iter().any(|word| holds(&text, word))
    })?;
    Some((ActClass::Send, format!("\"{name}\" held")))
}

/// Whether a control says that it is to be swiped up or down; all else that goes up or down moves a list.
pub(super) fn is_swiped(control: &ControlFacts) -> bool {
    #[rustfmt::skip]
    static WORDS: List = List::new("swipe up|slide up|pull up|drag up|nach oben wischen|nach oben schieben|desliza hacia arriba|deslizar hacia arriba|balayez vers le haut|glissez vers le haut|deslize para cima|scorri verso l'alto|veeg omhoog|przesuń w górę|\
        yukarı kaydır|проведите вверх|смахните вверх|проведіть вгору|上滑|向上滑动|上にスワイプ|위로 밀어|위로 스와이프|اسحب لأعلى|ऊपर स्वाइप|geser ke atas|vuốt lên|ปัดขึ้น|swipe down|slide down|pull down|drag down|nach unten wischen|nach unten schieben|nach unten ziehen|desliza hacia abajo|deslizar hacia abajo|balayez vers le bas|glissez vers le bas|deslize para baixo|\
        scorri verso il basso|veeg omlaag|przesuń w dół|aşağı kaydır|проведите вниз|смахните вниз|проведіть вниз|下滑|向下滑动|下にスワイプ|아래로 밀어|اسحب لأسفل|नीचे स्वाइप|geser ke bawah|vuốt xuống|ปัดลง");
    let said = |name: &String| {
        let text = normalized(name);
        WORDS.iter().any(|it| holds(&text, it))
    };
    control.names.iter().any(said)
}

/// Whether a control is slid, in whatever direction the finger goes.
pub(super) fn is_slid(control: &ControlFacts) -> bool {
    is_slider(control) || control.names.iter().any(|name| says_to_slide(&normalized(name)))
}

fn is_slider(control: &ControlFacts) -> bool {
    let kind = control.kind.rsplit('.').next().unwrap_or_default();
    kind.contains("SeekBar") || kind.contains("Slider")
}

/// Whether a text (normalized) tells people to slide something.
fn says_to_slide(text: &str) -> bool {
    #[rustfmt::skip]
    static WORDS: List = List::new("hold to|press and hold to|halten, um|gedrückt halten|mantén pulsado para|mantén presionado para|maintenez pour|tieni premuto per|mantenha pressionado|удерживайте|长按|長按|長押し|길게 눌러|اضغط مع الاستمرار|दबाकर रखें|tahan untuk|nhấn giữ|กดค้าง|slide to|swipe to|slide right|swipe right|wischen zum|wischen, um|schieben zum|ziehen zum|bestätigen wischen|bestätigen schieben|desliza para|deslizar para|faites glisser|glissez pour|glisser pour|\
        deslize para|scorri per|veeg om|przesuń, aby|kaydır|проведите|сдвиньте|проведіть|滑动|滑動|右滑|スライド|밀어서|اسحب|स्लाइड|स्वाइप|geser untuk|swipe untuk|vuốt để|trượt để|เลื่อนเพื่อ|\
        svep för|dra för|swipe for|stryg for|sveip for|pyyhkäise|přejetím|potiahnutím|posunutím|húzza el|csúsztassa|glisează pentru|σύρετε για|плъзнете|povuci za|prijeđi prstom|החלק כדי");
    WORDS.iter().any(|it| holds(text, it))
}
