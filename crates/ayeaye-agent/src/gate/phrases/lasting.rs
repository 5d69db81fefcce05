//! What binds for longer than a tap: subscriptions and money put in, accounts, devices, whole phones.
use super::Table;
use crate::gate::class::ActClass::{
    self, Delete, Grant, Install, Order, Pay, Publish, Send, Transfer,
};

#[rustfmt::skip]
pub(super) const CONTROLS: Table<ActClass> = &[
    (Pay, "en", "add money|continue to payment|proceed to checkout|checkout as guest|renew subscription|renew now|subscribe for|upgrade to premium|upgrade now|go premium|unlock pro|unlock premium|rent for|rent movie|send tip|leave a tip|add tip|request money|pay later|start membership|join now for"),
    (Pay, "es", "recargar|recargar ahora|añadir dinero|renovar suscripción|suscribirse por|hazte premium|empezar prueba gratuita"),
    (Pay, "fr", "recharger|ajouter de l'argent|renouveler l'abonnement|s'abonner pour|passer à premium|commencer l'essai gratuit"),
    (Pay, "de", "guthaben aufladen|jetzt aufladen|geld hinzufügen|zur kasse|abo verlängern|abonnieren für|premium holen|gratis testen|kostenlos testen"),
    (Pay, "pt", "recarregar|adicionar dinheiro|renovar assinatura|assinar por|assinar agora|iniciar teste gratuito"),
    (Pay, "it", "ricarica ora|ricarica credito|aggiungi denaro|rinnova abbonamento|abbonati ora|abbonati a|inizia la prova gratuita"),
    (Pay, "nl", "opwaarderen|geld toevoegen|abonnement verlengen|nu abonneren|naar de kassa"),
    (Pay, "pl", "doładuj|doładuj konto|dodaj środki|odnów subskrypcję|subskrybuj za|do kasy"),
    (Pay, "tr", "bakiye yükle|para yükle|abone ol ve öde|aboneliği yenile|premium'a geç"),
    (Pay, "ru", "пополнить|пополнить счёт|пополнить счет|подписаться за|оформить подписку|продлить подписку"),
    (Pay, "uk", "поповнити|поповнити рахунок|підписатися за|оформити підписку"),
    (Pay, "zh", "还款|立即还款|續費|续费|立即续费|开通会员|立即开通|開通會員|塞钱进红包|加值|儲值|连续包月"),
    (Pay, "ja", "チャージする|入金する|定期購入|有料プランに|無料トライアルを開始"),
    (Pay, "ko", "충전하기|충전|정기결제|이용권 구매|무료 체험 시작"),
    (Pay, "ar", "اشحن الرصيد|شحن الرصيد|اشترك مقابل|تجديد الاشتراك"),
    (Pay, "hi", "रिचार्ज करें|रिचार्ज|पैसे जोड़ें|सदस्यता लें"),
    (Pay, "id", "isi saldo|isi ulang|lanjut ke pembayaran|mulai langganan"),
    (Pay, "vi", "nạp ngay|nạp thẻ|gia hạn gói"),
    (Pay, "th", "เติมเงิน|ต่ออายุ|สมัครสมาชิกแบบชำระเงิน"),
    (Order, "en", "get for|request uber|confirm pickup|hire now"),
    (Transfer, "en", "approve transaction|confirm transaction|sign transaction|swap tokens|confirm swap|buy crypto|sell crypto|sell btc|sell eth|convert to usd|redeem"),
    (Transfer, "zh", "确认收货|確認收貨"),
    (Transfer, "ru", "снять деньги|вывести деньги|вывести средства"),
    (Transfer, "ar", "تحويل|سحب الأموال"),
    (Delete, "en", "reset settings|reset all settings|reset network settings|close account|deactivate account|deactivate|unsubscribe|cancel subscription|cancel membership|cancel booking|cancel reservation|cancel trip|cancel ride|exit group|block contact|block user|report and block|report & block|block number|forget network|forget device|sign out of all devices|log out of all devices|revoke"),
    (Delete, "es", "restablecer teléfono|restablecer todo|darse de baja|cancelar suscripción|cancelar reserva|cancelar pedido|bloquear contacto|cerrar cuenta"),
    (Delete, "fr", "réinitialiser le téléphone|réinitialiser tout|se désabonner|résilier|annuler la réservation|annuler la commande|fermer le compte|bloquer le contact"),
    (Delete, "de", "auf werkseinstellungen zurücksetzen|telefon zurücksetzen|alles zurücksetzen|abo kündigen|buchung stornieren|bestellung stornieren|stornieren|konto schließen|kontakt blockieren|kündigen"),
    (Delete, "pt", "redefinir telefone|redefinir tudo|restaurar padrão de fábrica|cancelar assinatura|encerrar conta|bloquear contato"),
    (Delete, "it", "annulla prenotazione|annulla ordine|ripristina telefono|ripristino dati di fabbrica|annulla abbonamento|chiudi account|blocca contatto"),
    (Delete, "nl", "telefoon resetten|fabrieksinstellingen herstellen|abonnement opzeggen|account sluiten"),
    (Delete, "pl", "resetuj telefon|przywróć ustawienia fabryczne|anuluj subskrypcję|zamknij konto"),
    (Delete, "tr", "telefonu sıfırla|fabrika ayarlarına dön|aboneliği iptal et|hesabı kapat"),
    (Delete, "ru", "сбросить настройки|сбросить телефон|отменить подписку|закрыть счёт|заблокировать контакт"),
    (Delete, "uk", "скинути налаштування|скинути телефон|скасувати підписку"),
    (Delete, "zh", "清除全部数据|清除所有数据|还原所有设置|取消订阅|退订|取消订单|取消預訂|取消预订|申请退款|拉黑|加入黑名单|退出所有设备"),
    (Delete, "ja", "予約をキャンセル|注文をキャンセル|初期化|初期化する|リセットする|解約する|退会する|ブロックする"),
    (Delete, "ko", "탈퇴하기|회원탈퇴|회원 탈퇴|예약 취소|주문 취소|구독 취소|차단하기"),
    (Delete, "ar", "إعادة ضبط المصنع|إعادة ضبط الهاتف|إلغاء الاشتراك"),
    (Delete, "hi", "हटा दें|मिटा दें|फ़ोन रीसेट करें|सदस्यता रद्द करें"),
    (Delete, "id", "reset ponsel|batalkan langganan|tutup akun"),
    (Delete, "vi", "đặt lại điện thoại"),
    (Delete, "th", "ยกเลิกการสมัคร"),
    (Install, "en", "download apk|update all apps"),
    (Grant, "en", "turn off 2-step verification|turn off two-factor authentication|disable two-factor authentication|disable 2-step verification|activate device admin|authorize app|authorise app|authorize|authorise|link device|link a device|pair device|trust this device|trust this computer|turn on accessibility|sign in with google|sign in with apple|continue with google|continue with facebook|accept and continue"),
    (Grant, "de", "bestätigung in zwei schritten deaktivieren|zwei-faktor-authentifizierung deaktivieren|gerät verknüpfen|gerät koppeln|mit google anmelden|weiter mit google"),
    (Grant, "es", "vincular dispositivo|iniciar sesión con google|continuar con google"),
    (Grant, "fr", "associer l'appareil|se connecter avec google|continuer avec google"),
    (Grant, "zh", "激活设备管理器|信任此设备|授权登录|关闭两步验证|关闭双重认证|同意并继续|确认登录|绑定设备|关联设备"),
    (Send, "en", "share location|share live location|share my location|invite friends|invite contacts|share via"),
    (Send, "zh", "共享位置|共享实时位置|分享到微信|邀请好友"),
    (Send, "de", "standort teilen|live-standort teilen|freunde einladen"),
    (Send, "es", "compartir ubicación|invitar amigos"),
    (Send, "fr", "partager la position|inviter des amis"),
    (Publish, "en", "repost|retweet|your story|post story|upload video|upload reel|publish now"),
    (Publish, "zh", "发表评论|发布评论|转发微博"),
];

/// What of it a user asks for, in words of its own.
#[rustfmt::skip]
pub(super) const INTENTS: Table<ActClass> = &[
    (Delete, "en", "cancel my booking|cancel the booking|cancel my reservation|cancel my trip|cancel my ride|exit the group|unsubscribe|deactivate|block|forget|cancel my subscription|cancel the subscription|close my account|sign out|log out"),
    (Delete, "es", "bloquea|cancela la suscripción|restablece"),
    (Delete, "fr", "désabonne|bloque|résilie|réinitialise"),
    (Delete, "de", "storniere|kündige|blockier|blockiere|setze|zurücksetz"),
    (Delete, "zh", "取消预订|退款|取消订阅|退订|拉黑|恢复出厂|注销"),
    (Grant, "en", "pair|link|authorize|sign in|log in"),
    (Grant, "de", "verknüpf|kopple|koppel|anmelde|melde"),
    (Grant, "zh", "绑定|登录|关联"),
    (Publish, "en", "repost|retweet|upload"),
];

/// What holds a word of it and is none.
#[rustfmt::skip]
pub(super) const HARMLESS: Table<()> = &[
    ((), "en", "block list|blocked numbers|not paired|forgot password|reset filters|reset password|reset zoom|reset timer"),
    ((), "ja", "初期化しない"),
];
