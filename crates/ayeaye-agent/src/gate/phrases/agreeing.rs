//! What agrees to something without saying to what, and what is said when something is lost for good.
use super::Table;

/// Compared with the whole name of a control.
#[rustfmt::skip]
pub(super) const AGREES: Table<()> = &[
    ((), "en", "ok|okay|o.k.|yes|yep|sure|yes, i'm sure|i'm sure|continue|continue anyway|confirm|confirm and continue|proceed|proceed anyway|accept|accept all|accept & continue|agree|i agree|agree and continue|go ahead|go|do it|i understand|approve|authorize|authorise|activate|enable|turn on|apply|execute|finish|submit"),
    ((), "es", "aceptar|sí|sí, estoy seguro|continuar|confirmar|de acuerdo|proceder|aprobar|autorizar|activar|estoy de acuerdo|seguir"),
    ((), "fr", "oui|continuer|confirmer|accepter|valider|d'accord|j'accepte|poursuivre|approuver|activer"),
    ((), "de", "ja|weiter|fortfahren|bestätigen|zustimmen|akzeptieren|einverstanden|trotzdem fortfahren|genehmigen|aktivieren|fertigstellen"),
    ((), "pt", "sim|continuar|confirmar|aceitar|concordo|prosseguir|aprovar|ativar"),
    ((), "it", "sì|continua|conferma|accetta|procedi|d'accordo|approva|attiva"),
    ((), "nl", "ja|doorgaan|bevestigen|akkoord|verder|accepteren|goedkeuren"),
    ((), "pl", "tak|kontynuuj|dalej|potwierdź|potwierdzam|akceptuj|zgadzam się|zatwierdź"),
    ((), "tr", "evet|tamam|devam|devam et|onayla|kabul et|kabul ediyorum"),
    ((), "ru", "да|ок|продолжить|подтвердить|подтверждаю|принять|согласен|согласиться|хорошо|далее"),
    ((), "uk", "так|ок|продовжити|підтвердити|прийняти|погоджуюсь|гаразд|далі"),
    ((), "zh", "确定|確定|确认|確認|是|是的|好|好的|继续|繼續|同意|接受|同意并继续|允许并继续|仍然继续|立即确认|批准"),
    ((), "ja", "はい|続行|続ける|確認|確定|確定する|同意|同意する|承認|承認する|了解"),
    ((), "ko", "확인|예|네|계속|계속하기|동의|동의함|승인|진행"),
    ((), "ar", "موافق|نعم|متابعة|تأكيد|حسنا|حسنًا|قبول|استمرار|أوافق"),
    ((), "hi", "ठीक है|ठीक|हां|हाँ|जारी रखें|पुष्टि करें|स्वीकार करें|सहमत हूं"),
    ((), "id", "ya|oke|lanjut|lanjutkan|konfirmasi|setuju|terima"),
    ((), "vi", "có|đồng ý|tiếp tục|xác nhận|chấp nhận"),
    ((), "th", "ตกลง|ใช่|ดำเนินการต่อ|ยืนยัน|ยอมรับ|ต่อไป"),
];

/// Those that stand for a decision about money where an amount is on the screen.
#[rustfmt::skip]
pub(super) const CONFIRMS: &str = "confirm|confirm and continue|confirmar|confirmer|valider|bestätigen|conferma|bevestigen|potwierdź|potwierdzam|zatwierdź|onayla|onaylıyorum|i confirm|je confirme|confirmo|confermo|ich bestätige|ik bevestig|подтвердить|подтверждаю|підтвердити|підтверджую|确认|確認|立即确认|\
    確定する|承認|승인|تأكيد|पुष्टि करें|konfirmasi|xác nhận|ยืนยัน|approve|authorize|authorise|execute|επιβεβαίωση|אישור|bekräfta|potvrdit";

/// Those that only agree: beside something that is paid again and again, which another control begins, they are the
/// other choice.
#[rustfmt::skip]
pub(super) const MERELY: &str = "ok|okay|o.k.|accept|accept all|agree|i agree|aceptar|de acuerdo|estoy de acuerdo|accepter|d'accord|j'accepte|zustimmen|akzeptieren|einverstanden|aceitar|concordo|accetta|d'accordo|akkoord|accepteren|akceptuj|zgadzam się|kabul et|kabul ediyorum|\
    ок|принять|согласен|согласиться|прийняти|погоджуюсь|同意|接受|同意する|동의|동의함|موافق|قبول|أوافق|स्वीकार करें|सहमत हूं|ठीक है|setuju|terima|đồng ý|chấp nhận|ตกลง|ยอมรับ|souhlasím|súhlasím|elfogadom|αποδοχή|приемам|prihvaćam";

/// What answers a question with yes, and nothing else.
#[rustfmt::skip]
pub(super) const YES: &str = "yes|yep|sí|si|oui|ja|jo|sim|sì|tak|evet|да|так|是|是的|はい|예|네|نعم|हां|हाँ|ya|có|ใช่|ano|áno|igen|kyllä|ναι|כן|taip|jā|jah|já";

/// What agrees beside what buttons say and people answer: that one is sure, and wants it.
#[rustfmt::skip]
pub(super) const SURE: &str = "i am sure|im sure|i'm certain|i am certain|i confirm|i accept|i do|i want it|i want this|i want to|go for it|let's go|let's do it|do it anyway|that's right|carry on|ich bin sicher|ich bin mir sicher|bin sicher|sicher|ich bestätige|ich stimme zu|ich akzeptiere|los|los geht's|estoy seguro|estoy segura|seguro|quiero continuar|je suis sûr|je suis sûre|je suis certain|je suis certaine|je veux continuer|\
    tenho certeza|tenho a certeza|quero continuar|sono sicuro|sono sicura|voglio continuare|ik weet het zeker|ik ga akkoord|ik bevestig|zeker|jestem pewien|jestem pewna|na pewno|eminim|я уверен|я уверена|уверен|уверена|я согласен|я согласна|я подтверждаю|я впевнений|я впевнена|впевнений|впевнена|我确定|我確定|我同意|我确认|確かです|間違いありません|進む|次に進む|続行する|確認する|확실합니다|확실해요|진행하기|أنا متأكد|متأكد|أكمل|मुझे यकीन है|हाँ मुझे यकीन है|\
    saya yakin|yakin|tôi chắc chắn|chắc chắn|ฉันแน่ใจ|แน่ใจ|jag är säker|jeg er sikker|olen varma|jsem si jistý|jsem si jistá|som si istý|som si istá|biztos vagyok|biztos|sunt sigur|sunt sigură|είμαι σίγουρος|είμαι σίγουρη|сигурен съм|сигурна съм|siguran sam|sigurna sam|אני בטוח|אני בטוחה";

/// What people answer with, and buttons do not say: it tells of what was done, or is a key.
pub(super) const NO_BUTTONS: &str = "y|confirmed|allowed|approved|agreed|bestätigt|genehmigt";

/// What takes note, or agrees with more feeling than words.
#[rustfmt::skip]
pub(super) const EMPHASIS: &str = "got it|understood|sounds good|looks good|absolutely|definitely|certainly|all right|alright|fine|great|perfect|no problem|of course|verstanden|alles klar|in ordnung|auf jeden fall|entendido|perfecto|por supuesto|compris|j'ai compris|c'est compris|parfait|bien sûr|entendi|entendido|perfeito|ho capito|capito|perfetto|begrepen|ik begrijp het|rozumiem|zrozumiałem|anladım|понятно|понял|поняла|ясно|зрозуміло|知道了|我知道了|我已知晓|已知晓|明白|明白了|我明白了|わかりました|分かりました|承知しました|알겠습니다|알겠어요|فهمت|समझ गया|समझ गई|mengerti|saya mengerti|đã hiểu|tôi hiểu|เข้าใจแล้ว|jag förstår|uppfattat|forstået|forstått|ymmärrän|selvä|rozumím|rozumiem|értem|am înțeles|κατάλαβα|разбрах|razumijem|הבנתי";

/// What stands beside an agreement and says nothing more.
#[rustfmt::skip]
pub(super) const FILLERS: &str = "and|then|now|anyway|still|really|all|it|this|s|sec|und|jetzt|nun|trotzdem|dennoch|y|ahora|de todos modos|de todas formas|igualmente|et|maintenant|quand même|e|agora|mesmo assim|ora|adesso|subito|comunque|en|nu|toch|i|teraz|mimo to|ve|şimdi|yine de|и|сейчас|все равно|всё равно|і|та|й|зараз|все одно|并|並|且|并且|现在|現在|立即|马上|馬上|仍然|仍要|仍|了|して|する|します|で|今すぐ|このまま|そのまま|それでも|하고|하기|합니다|할게요|지금|그대로|그래도|및|후|و|الآن|على أي حال|ومتابعة|والمتابعة|और|अभी|फिर भी|dan|sekarang|tetap|và|ngay|vẫn|และ|ทันที|och|ändå|og|alligevel|nå|likevel|ja|nyt|silti|a|teď|nyní|přesto|napriek tomu|és|most|mégis|și|acum|oricum|και|τώρα|сега|въпреки това|sada|svejedno|עכשיו|בכל זאת";

/// What stands beside an agreement to an amount.
pub(super) const BESIDE_AMOUNTS: &str = "for|at|of|the|total|plan|mo|month|year|week|fr|sfr|monat|jahr|mois|mes|mese|für|zu|von|por|pour|de|per|di|da|voor|van|za|için|за|на|共|合计|合計|で|원에|untuk|với|สำหรับ|för";

/// What agrees elsewhere, and begins a price: "da 10 €" in Italian, "po 10 zł" in Polish.
pub(super) const FROM: &str = "da|po|да|по";

/// What says on a button with an amount in its name that this is the end of it.
#[rustfmt::skip]
pub(super) const SETTLES: &str = "done|complete|finalize|finalise|place|get it|get it now|buy it|next|start|start now|start plan|activate|activate plan|activate now|continue|go|get plan|upgrade|upgrade now|slide|weiter|starten|jetzt starten|aktivieren|jetzt aktivieren|suivant|démarrer|activer|siguiente|activar|empezar|próximo|ativar|avanti|attiva|inizia|volgende|activeren|dalej|aktywuj|далее|активировать|下一步|开通|立即开通|激活|次へ|다음|fertig|abschließen|jetzt abschließen|terminer|finaliser|terminar|finalizar|completar|completa|concludi|concluir|completare|voltooien|afronden|zakończ|sfinalizuj|tamamla|bitir|готово|завершить|оформить|завершити|оформити|完成|完了|完了する|완료|완료하기|إتمام|تم|पूरा करें|selesai|selesaikan|hoàn tất|hoàn thành|เสร็จสิ้น|slutför|gennemfør|fullfør|viimeistele|dokončit|dokončiť|befejezés|finalizează|ολοκλήρωση|завърши|završi|סיום";

/// What a control says that begins a subscription, as the beginnings of words, or anywhere in scripts without blanks.
#[rustfmt::skip]
pub(super) const SUBSCRIBES: &str = "subscri|abonn|suscri|assina|abbona|subskryb|abone|подписк|подписат|підписк|підписат|订阅|訂閱|購読|구독|اشتراك|اشترك|langganan|berlangganan|prenumer|předplat|előfizet";

/// What is said when something is lost.
#[rustfmt::skip]
pub(super) const LOSSES: &str = "cannot be undone|can't be undone|can not be undone|cannot be reversed|permanently|gone for good|gone forever|will be lost|will be erased|will be deleted|will be removed|irreversible|\
    no se puede deshacer|se perderán|de forma permanente|irréversible|ne peut pas être annulée|définitivement|seront supprimé|kann nicht rückgängig|nicht rückgängig gemacht|unwiderruflich|endgültig|\
    não pode ser desfeit|permanentemente|não poderá ser desfeita|non può essere annullata|definitivamente|kan niet ongedaan|permanent verwijderd|nie można cofnąć|trwale|geri alınamaz|kalıcı olarak|\
    нельзя отменить|невозможно отменить|безвозвратно|будут удалены|неможливо скасувати|назавжди|无法撤销|无法恢复|不可恢复|永久|將被刪除|将被删除|無法復原|元に戻せません|元に戻すことはできません|完全に削除|되돌릴 수 없|영구적으로|복구할 수 없|\
    لا يمكن التراجع|نهائيا|पूर्ववत नहीं|हमेशा के लिए|tidak dapat diurungkan|tidak dapat dibatalkan|secara permanen|không thể hoàn tác|vĩnh viễn|ไม่สามารถยกเลิกได้|อย่างถาวร";

/// What is said where somebody else asks to be let in: into an account, or to a file.
#[rustfmt::skip]
pub(super) const ACCESS: &str = "trying to sign in|trying to log in|approve sign-in|approve sign in|sign-in request|login request|access request|wants access|requests access|requested access|anmeldeversuch|gerade, dich anzumelden|gerade, sich anzumelden|anmeldung genehmigen|zugriffsanfrage|intentando iniciar sesión|intentas iniciar sesión|tentez de vous connecter|tentative de connexion|tentando fazer login|\
    tentando di accedere|cercando di accedere|tentativo di accesso|probeer je in te loggen|próba logowania|пытаетесь войти|попытка входа|尝试登录|登录确认|登入確認|嘗試登入|ログインしようとして|ログインの承認|로그인하려고|로그인 시도|\
    wants to sign in|wants to log in|sign-in attempt|login attempt|approve login|approve this login|sign in requested|sign-in requested|try to sign in|try to log in|trying to recover|are you logging in|are you signing in|did you just sign in|did you just log in|was this you|was that you|was it you|is it you|is this you|new sign-in on|new sign-in from|bist du das|warst du das|sind sie das|waren sie das|möchten sie sich anmelden|möchtest du dich anmelden|\
    versuchst du, dich anzumelden|versuchst du dich anzumelden|versuchen sie, sich anzumelden|versuchst du, dich einzuloggen|möchte sich anmelden|anmeldeanfrage|anmeldung bestätigen|konto wiederherzustellen|intentando acceder|intentas acceder|intento de acceso|intento de inicio de sesión|solicitud de inicio de sesión|quiere iniciar sesión|essayez-vous de vous connecter|essayez de vous connecter|essaies-tu de te connecter|souhaite se connecter|demande de connexion|\
    está tentando fazer login|tentando entrar|tentar iniciar sessão|tentativa de login|tentativa de início de sessão|pedido de login|quer fazer login|stai provando ad accedere|cerca di accedere|richiesta di accesso|vuole accedere|probeert u in te loggen|probeer je je aan te melden|probeer je aan te melden|inlogpoging|inlogverzoek|próbujesz się zalogować|próba zalogowania|chce się zalogować|oturum açmaya mı|oturum açmaya çalış|giriş yapmaya mı|giriş yapmaya çalış|oturum açma isteği|giriş isteği|\
    пытаетесь ли вы войти|пытается войти|подтвердите вход|запрос на вход|хочет войти|намагаєтеся ввійти|намагаєтеся увійти|намагаєтесь увійти|спроба входу|запит на вхід|намагається увійти|是您在登录|是你在登录|登录请求|正在登录您的|登入要求|登入請求|ログインを試み|ログインの試行|ログイン リクエスト|ログインリクエスト|로그인을 시도|로그인하시려|로그인 요청|\
    تحاول تسجيل الدخول|محاولة تسجيل الدخول|محاولة تسجيل دخول|طلب تسجيل الدخول|يريد تسجيل الدخول|साइन इन करने की कोशिश|साइन-इन करने की कोशिश|लॉग इन करने की कोशिश|लॉगिन करने की कोशिश|साइन इन का अनुरोध|लॉगिन का अनुरोध|mencoba login|mencoba masuk|upaya login|permintaan login|permintaan masuk|cố đăng nhập|cố gắng đăng nhập|yêu cầu đăng nhập|พยายามลงชื่อเข้าใช้|พยายามเข้าสู่ระบบ|คำขอลงชื่อเข้าใช้|คำขอเข้าสู่ระบบ|\
    försöker du logga in|försöker logga in|inloggningsförsök|forsøger du at logge ind|prøver du at logge ind|loginforsøg|prøver du å logge|påloggingsforsøk|yritätkö kirjautua|yrität kirjautua|kirjautumisyritys|pokoušíte se přihlásit|snažíte se přihlásit|pokus o přihlášení|pokúšate sa prihlásiť|snažíte sa prihlásiť|pokus o prihlásenie|próbál bejelentkezni|bejelentkezni próbál|bejelentkezési kísérlet|\
    încerci să te conectezi|încercați să vă conectați|tentativă de conectare|προσπαθείτε να συνδεθείτε|προσπάθεια σύνδεσης|опитвате ли се да влезете|опитвате се да влезете|опит за вход|pokušavate li se prijaviti|pokušavate se prijaviti|pokušaj prijave|מנסה להיכנס|מנסים להיכנס|ניסיון כניסה|ניסיון התחברות|מנסה להתחבר|سعی دارید وارد شوید|سعی می‌کنید وارد شوید|تلاش برای ورود|درخواست ورود";

/// What lets somebody in there, beside what agrees.
#[rustfmt::skip]
pub(super) const LETS_IN: &str = "share|sign in|log in|give access|yes, it's me|yes, it was me|it's me|teilen|anmelden|ja, das bin ich|ja, ich bin es|sí, soy yo|oui, c'est moi|sim, sou eu|sì, sono io|да, это я|登录|登入|确认登录|是，是我本人|是我|はい、私です|ログイン|예, 본인입니다|로그인|trust|trust device|trust this device|this was me|that was me|it was me|vertrauen|das bin ich|das war ich|ich bin's|soy yo|fui yo|confiar|c'est moi|c'était moi|faire confiance|sou eu|fui eu|sono io|autorizza|considera attendibile|ik ben het|vertrouwen|to ja|zaufaj|benim|bendim|güven|это я|доверять|це я|довіряти|是我本人|本人操作|是本人|信任|私です|自分です|信頼する|본인입니다|본인이 맞습니다|신뢰|أنا|هذا أنا|الوثوق|यह मैं हूं|मैं ही हूं|भरोसा करें|ini saya|percayai|là tôi|tin cậy|ฉันเอง|เป็นฉันเอง|เชื่อถือ|det är jag|det var jag|det er mig|det er meg|se olen minä|jsem to já|som to ja|én vagyok az|eu sunt|εγώ είμαι|аз съм|to sam ja|זה אני|זו אני|منم";

/// What says, anywhere in a name, that it is whoever holds the phone who asks to be let in.
#[rustfmt::skip]
pub(super) const IS_ME: &str = "it's me|it was me|this was me|that was me|ich bin's|ich bin es|das bin ich|das war ich|soy yo|fui yo|c'est moi|c'était moi|sou eu|fui eu|sono io|ik ben het|to ja|benim|bendim|это я|це я|我本人|是我|私です|自分です|本人です|본인입니다|본인이 맞습니다|هذا أنا|यह मैं|ini saya|là tôi|ฉันเอง|det är jag|det er mig|det er meg|se olen minä|jsem to já|som to ja|én vagyok|eu sunt|εγώ είμαι|аз съм|to sam ja|זה אני|זו אני";

/// What says there that it is somebody else.
#[rustfmt::skip]
pub(super) const NOT_ME: &str = "not me|wasn't me|not you|nicht ich|no soy yo|no fui yo|pas moi|não sou eu|non sono io|ik ben het niet|to nie ja|ben değilim|это не я|це не я|不是我|非本人|私ではありません|自分ではない|본인이 아닙|لست أنا|ليس أنا|मैं नहीं|bukan|không phải|ไม่ใช่|inte jag|ikke mig|ikke meg|en se ollut minä|nejsem to já|nie som to ja|nem én|nu sunt eu|δεν είμαι εγώ|не съм аз|nisam ja|לא אני|من نیستم";

/// What a field says into which a message to somebody is typed.
#[rustfmt::skip]
pub(super) const MESSAGES: &str = "message|reply|chat message|text message|sms|imessage|nachricht|antwort|mensaje|mensagem|messaggio|bericht|wiadomość|mesaj|сообщение|повідомлення|消息|信息|短信|讯息|訊息|回复|回覆|\
    メッセージ|返信|메시지|메세지|답장|رسالة|संदेश|मैसेज|pesan|tin nhắn|ข้อความ|répondre|responder|rispondi|ответить|μήνυμα|הודעה|meddelande|zpráva";

/// What a field says into which something for everybody is typed.
#[rustfmt::skip]
pub(super) const COMMENTS: &str = "comment|add a comment|what's happening|what's on your mind|tweet|kommentar|kommentieren|comentario|comentário|commentaire|commento|komentarz|yorum|комментарий|коментар|评论|評論|留言|コメント|댓글|تعليق|टिप्पणी|komentar|bình luận|ความคิดเห็น";

/// What the empty field of a message or a comment shows as its text, on phones that tell no hints; with or without an
/// ellipsis.
#[rustfmt::skip]
pub(super) const EMPTY: &str = "message|text message|sms message|rcs message|chat message|type a message|type message|type your message|write a message|write message|enter message|enter a message|send a message|send message|your message|imessage|reply|write a reply|add a comment|write a comment|comment|nachricht|textnachricht|sms|sms-nachricht|nachricht schreiben|nachricht eingeben|antworten|kommentar hinzufügen|kommentieren|\
    mensaje|mensaje de texto|escribe un mensaje|escribir mensaje|responder|añade un comentario|mensagem|mensagem de texto|digite uma mensagem|adicione um comentário|message texte|écrire un message|écrivez un message|ajouter un commentaire|messaggio|messaggio di testo|scrivi un messaggio|aggiungi un commento|bericht|typ een bericht|bericht typen|\
    wiadomość|wiadomość tekstowa|napisz wiadomość|mesaj|kısa mesaj|mesaj yaz|bir mesaj yaz|сообщение|введите сообщение|написать сообщение|текстовое сообщение|повідомлення|消息|信息|短信|输入消息|发消息|发送消息|傳送訊息|訊息|说点什么|写评论|メッセージ|メッセージを入力|テキスト メッセージ|메시지|메시지 입력|문자 메시지|رسالة|اكتب رسالة|संदेश|मैसेज|pesan|ketik pesan|tin nhắn|nhập tin nhắn|ข้อความ|พิมพ์ข้อความ";

/// Signs in place of words, as icons are read out or drawn.
pub(super) const SIGNS: &[(&str, super::ActClass)] = &[
    ("🗑", super::ActClass::Delete),
    ("❌🗑", super::ActClass::Delete),
    ("📞", super::ActClass::Call),
    ("☎", super::ActClass::Call),
    ("📲", super::ActClass::Call),
    ("🤙", super::ActClass::Call),
    ("➤", super::ActClass::Send),
    ("📤", super::ActClass::Send),
    ("📨", super::ActClass::Send),
    ("📩", super::ActClass::Send),
    ("✈", super::ActClass::Send),
    ("💳", super::ActClass::Pay),
    ("💸", super::ActClass::Transfer),
    ("💰", super::ActClass::Pay),
    ("💵", super::ActClass::Pay),
];
