//! What leaves a screen or declines what it proposes. Compared with the whole name of a control.
use super::Table;

#[rustfmt::skip]
pub(super) const DECLINES: Table<()> = &[
    ((), "en", "cancel|don't allow|do not allow|deny|deny anyway|decline|reject|no|no thanks|no, thanks|not now|later|maybe later|remind me later|skip|close|dismiss|back|go back|navigate up|keep|don't install|don't send|don't delete|hang up|end call|undo"),
    ((), "es", "cancelar|no permitir|denegar|rechazar|no|no, gracias|ahora no|más tarde|omitir|cerrar|atrás|volver|desplazarse hacia arriba"),
    ((), "fr", "annuler|ne pas autoriser|refuser|non|non merci|pas maintenant|plus tard|ignorer|passer|fermer|retour|revenir en haut de la page"),
    ((), "de", "abbrechen|nicht zulassen|nicht erlauben|ablehnen|verweigern|nein|nein danke|nein, danke|nicht jetzt|später|überspringen|schließen|zurück|nach oben"),
    ((), "pt", "cancelar|não permitir|negar|recusar|não|não, obrigado|agora não|mais tarde|pular|ignorar|fechar|voltar"),
    ((), "it", "annulla|non consentire|nega|rifiuta|no|no, grazie|non ora|più tardi|salta|ignora|chiudi|indietro|torna indietro"),
    ((), "nl", "annuleren|niet toestaan|weigeren|nee|nee, bedankt|niet nu|later|overslaan|sluiten|terug|omhoog navigeren"),
    ((), "pl", "anuluj|nie zezwalaj|odmów|odrzuć|nie|nie, dziękuję|nie teraz|później|pomiń|zamknij|wstecz|wróć"),
    ((), "tr", "iptal|izin verme|reddet|hayır|hayır, teşekkürler|şimdi değil|daha sonra|atla|kapat|geri|vazgeç"),
    ((), "ru", "отмена|отменить|не разрешать|запретить|отклонить|нет|нет, спасибо|не сейчас|позже|пропустить|закрыть|назад"),
    ((), "uk", "скасувати|не дозволяти|заборонити|відхилити|ні|ні, дякую|не зараз|пізніше|пропустити|закрити|назад"),
    ((), "zh", "取消|不允许|不允許|拒绝|拒絕|禁止|否|不|不用了|不，谢谢|暂不|以后再说|稍后|稍後|跳过|略過|关闭|關閉|返回|向上导航"),
    ((), "ja", "キャンセル|許可しない|拒否|いいえ|後で|今はしない|スキップ|閉じる|戻る|上へ移動"),
    ((), "ko", "취소|허용 안함|허용 안 함|허용하지 않음|거부|거절|아니요|아니오|나중에|건너뛰기|닫기|뒤로|위로 이동"),
    ((), "ar", "إلغاء|عدم السماح|رفض|لا|لا، شكرًا|لا شكرا|ليس الآن|لاحقًا|تخطي|إغلاق|رجوع|عودة"),
    ((), "hi", "रद्द करें|अनुमति न दें|अस्वीकार करें|नहीं|नहीं, धन्यवाद|अभी नहीं|बाद में|छोड़ें|बंद करें|वापस जाएं"),
    ((), "id", "batal|jangan izinkan|tolak|tidak|tidak, terima kasih|jangan sekarang|nanti|lewati|tutup|kembali"),
    ((), "vi", "hủy|huỷ|không cho phép|từ chối|không|không, cảm ơn|để sau|lúc khác|bỏ qua|đóng|quay lại"),
    ((), "th", "ยกเลิก|ไม่อนุญาต|ปฏิเสธ|ไม่|ไม่เป็นไร|ไว้ทีหลัง|ข้าม|ปิด|กลับ"),
];
