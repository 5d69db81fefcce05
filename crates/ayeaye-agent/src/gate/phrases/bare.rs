//! Names of controls of a word or two that have consequences in some places only: "Follow" in a social network,
//! "Get" in a store of apps, "Share" where something has been written. Compared with the whole name.
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::gate::class::ActClass::{
    self, Call, Delete, Grant, Install, Order, Pay, Publish, Send, Transfer,
};
use crate::gate::text::{entries, normalized, normalized_entries};

/// Where a name has consequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum When {
    Always,
    /// A field holds a text.
    Written,
    /// In a social network or a messenger.
    Social,
    /// In a store of apps.
    Store,
    /// The screen shows an amount, or the app sells or pays.
    Priced,
    /// In an app for money.
    Money,
    /// In an app for money, and on a button beside an amount where nothing else is sold: in shops and elsewhere it is a
    /// place.
    Traded,
    /// In an app for money whose screen shows an amount.
    Settled,
    /// On a button of a web page with an amount.
    Express,
    /// On a list of what was kept: messages, calls, downloads.
    Kept,
    /// Beside the name of a bin, or what says that something is lost for good.
    Bin,
    /// Beside the name of what stores files.
    Storage,
    /// The app is that of calls.
    Calls,
    /// On an icon, where there is neither mail nor a thing to buy: a folder or a cart is called so too.
    Icon,
    /// On what is switched.
    Switched,
    /// Where one of several apps is chosen.
    Chooser,
}

use When::{
    Always, Bin, Calls, Chooser, Express, Icon, Kept, Money, Priced, Settled, Social, Storage,
    Store, Switched, Traded, Written,
};

/// What a name does where, and the verbs by which a user asks for just that.
#[derive(Debug)]
pub(in crate::gate) struct Bare {
    pub(in crate::gate) class: ActClass,
    pub(in crate::gate) when: When,
    pub(in crate::gate) verbs: Vec<String>,
}

type NameRow = (ActClass, When, &'static str, &'static str);

#[rustfmt::skip]
const NAMES: &[NameRow] = &[
    (Publish, Always, "upload|upload now|hochladen|téléverser|subir|enviar arquivo|fazer upload|carregar arquivo|carica file|uploaden|prześlij plik|karşıya yükle|resim yükle|fotoğraf yükle|görsel yükle|video yükle|dosya yükle|belge yükle|загрузить видео|загрузить фото|завантажити відео|上传|上傳|アップロード|업로드|رفع ملف|अपलोड करें|unggah|tải lên|อัปโหลด|ladda upp|last opp|lataa palvelimeen|nahrát",
        "upload|back up|lade|hochlad|téléverse|sube|subir|envie|carica|prześlij|yükle|загрузи|завантаж|上传|上傳|アップロード|업로드|ارفع|अपलोड|unggah|tải lên|อัปโหลด|ladda upp|nahraj"),
    (Publish, Written, "comment|share|add comment|send comment|kommentieren|teilen|commenter|partager|comentar|compartir|compartilhar|commenta|condividi|reageren|delen|skomentuj|udostępnij|yorum yap|комментировать|поделиться|коментувати|поділитися|评论|評論|分享|コメント|コメントする|シェア|共有|paylaş|공유하기|댓글|공유|تعليق|مشاركة|टिप्पणी करें|शेयर करें|komentari|bagikan|bình luận|chia sẻ|แสดงความคิดเห็น|แชร์|kommentera|dela|del|jaa|sdílet|komentovat",
        "comment|share|post|publish|kommentier|teile|poste|commente|partage|publie|comenta|comparte|publica|comente|compartilhe|commenta|condividi|reageer|deel|skomentuj|udostępnij|paylaş|комментир|поделись|прокоммент|поділ|评论|分享|コメント|共有|シェア|댓글|공유|علق|شارك|टिप्पणी|शेयर|komentar|bagikan|bình luận|chia sẻ|แชร์|dela|jaa|sdílej"),
    (Send, Written, "reply|reply all|answer|antworten|allen antworten|répondre|répondre à tous|responder|responder a todos|rispondi|rispondi a tutti|beantwoorden|antwoorden|odpowiedz|yanıtla|ответить|ответить всем|відповісти|回复|回覆|全部回复|返信|全員に返信|답장|전체 답장|رد|جواب|उत्तर दें|जवाब दें|balas|trả lời|ตอบกลับ|svara|svar|vastaa|odpovědět|odpovedať|válasz|răspunde|απάντηση|отговор|odgovori|השב",
        ""),
    (Publish, Social, "follow|follow back|connect|join|join group|request to join|accept|accept request|confirm request|add friend|send request|subscribe|submit|\
        folgen|beitreten|annehmen|vernetzen|suivre|rejoindre|accepter|se connecter avec|ajouter|seguir|unirse|unirte|aceptar|conectar|agregar a amigos|participar|aceitar|adicionar|segui|unisciti|accetta|collegati|volgen|lid worden|accepteren|obserwuj|dołącz|zaakceptuj|takip et|katıl|kabul et|\
        подписаться|вступить|принять|добавить в друзья|підписатися|приєднатися|прийняти|关注|關注|回关|加好友|加入群聊|接受|通过验证|フォロー|フォローする|参加|承認|友達になる|팔로우|맞팔로우|가입|수락|친구 추가|متابعة|انضمام|قبول|إضافة صديق|फ़ॉलो करें|शामिल हों|स्वीकार करें|ikuti|gabung|terima|theo dõi|tham gia|chấp nhận|kết bạn|ติดตาม|เข้าร่วม|ยอมรับ|följ|følg|seuraa|sledovat|követés|urmărește|ακολουθήστε|последвай|prati|עקוב",
        "follow|connect|join|accept|subscribe|add|befriend|folge|folg|beitret|tritt|nimm|vernetz|suis|suivre|rejoins|accepte|sigue|seguir|únete|acepta|agrega|siga|participe|aceite|adicione|segui|unisciti|accetta|volg|word lid|accepteer|obserwuj|dołącz|zaakceptuj|takip|katıl|kabul|\
        подпишись|подписаться|вступи|прими|добавь|підпишись|приєднайся|прийми|додай|关注|關注|加|接受|通过|フォロー|参加|承認|팔로우|가입|수락|추가|تابع|انضم|اقبل|फ़ॉलो|शामिल|स्वीकार|ikuti|gabung|terima|theo dõi|tham gia|chấp nhận|kết bạn|ติดตาม|เข้าร่วม|ยอมรับ|följ|følg|seuraa|sleduj"),
    (Publish, Always, "accept request|accept friend request|accept invitation|accept invite|einladung annehmen|accepter l'invitation|aceptar invitación|aceitar convite|accetta invito|принять приглашение|接受邀请|招待を承認|초대 수락",
        "accept|join|nimm|annehm|accepte|acepta|aceite|accetta|прими|接受|承認|수락"),
    (Delete, Always, "log out|logout|sign out|signout|log out of this account|abmelden|ausloggen|se déconnecter|déconnexion|cerrar sesión|sair da conta|terminar sessão|esci dall'account|disconnetti account|uitloggen|afmelden|wyloguj|wyloguj się|oturumu kapat|çıkış yap|выйти из аккаунта|выйти из учётной записи|вийти з акаунта|退出登录|登出|ログアウト|サインアウト|로그아웃|تسجيل الخروج|साइन आउट करें|लॉग आउट करें|logout dari akun|đăng xuất|ออกจากระบบ|logga ut|log ud|logg ut|kirjaudu ulos|odhlásit se|odhlásiť sa|kijelentkezés|deconectare|αποσύνδεση|изход от профила|odjava|התנתק|\
        unfriend|leave group|leave chat|gruppe verlassen|quitter le groupe|salir del grupo|sair do grupo|abbandona gruppo|groep verlaten|opuść grupę|gruptan çık|выйти из группы|退出群聊|グループを退会|채팅방 나가기|탈퇴|turn off and delete|turn off & delete",
        "log out|log me out|sign out|sign me out|logout|leave|unfriend|remove|delete|melde|abmeld|logg|verlass|déconnecte|quitte|cierra|sal|salir|sair|saia|encerre|termine|esci|disconnetti|abbandona|log uit|meld|uitlog|verlaat|wyloguj|opuść|çıkış|kapat|выйди|выйти|вийди|退出|登出|ログアウト|サインアウト|退会|로그아웃|나가|탈퇴|اخرج|سجل الخروج|लॉग आउट|साइन आउट|keluar|đăng xuất|ออกจากระบบ|kirjaudu|odhlas"),
    (Delete, Social, "block|blockieren|bloquear|bloquer|blocca|blokkeren|zablokuj|engelle|заблокировать|заблокувати|拉黑|封鎖|ブロック|차단|حظر|ब्लॉक करें|blokir|chặn|บล็อก|blockera|bloker|blokker|estä|zablokovat|exit|verlassen|quitter|salir|sair|abbandona|verlaten|opuść|выйти|退出|나가기|keluar",
        "block|blockier|bloque|bloqui|blocca|blokk|zablokuj|engelle|заблокир|заблокуй|拉黑|封鎖|ブロック|차단|احظر|ब्लॉक|blokir|chặn|บล็อก|estä|exit|leave|verlass|quitte|sal|saia|sair|abbandona|verlaat|opuść|выйди|退出|나가|keluar"),
    (Delete, Always, "power off|shut down|herunterfahren|spegni telefono|выключить питание|关机|關機|電源を切る|전원 끄기",
        "power off|turn off|switch off|shut down|schalt|fahr|spegni|выключи|关机|關機|電源|전원"),
    (Delete, Always, "discard|discard changes|verwerfen|änderungen verwerfen|descartar|descartar cambios|descartar alterações|ignorer les modifications|scarta|elimina bozza|verwerpen|odrzuć zmiany|değişiklikleri sil|не сохранять|舍弃|放弃更改|捨棄|破棄|변경사항 삭제|buang|loại bỏ|kassera|kassér|forkast|hylkää|zahodit",
        "discard|throw away|cancel|leave|verwirf|verwerfe|brich|descarta|abandonne|scarta|verwerp|отмени|舍弃|放弃|破棄"),
    (Delete, Always, "clear call history|clear call log|delete call history|delete call log|clear history and data|清除通话记录|清空通话记录|通話履歴を消去|통화 기록 삭제", "clear|delete|empty|erase|remove|清除|清空|删除|消去|削除|삭제"),
    (Delete, Always, "unpair|entkoppeln|desvincular|dissocier|desemparelhar|dissocia|ontkoppelen|rozparuj|eşlemeyi kaldır|отменить сопряжение|取消配对|取消配對|ペアリングを解除|페어링 해제|إلغاء الإقران|bỏ ghép nối|ยกเลิกการจับคู่",
        "unpair|remove|forget|disconnect|entkopple|desvincula|dissocie|dissocia|ontkoppel|取消配对|解除|해제"),
    (Delete, Always, "close all tabs|alle tabs schließen|cerrar todas las pestañas|fermer tous les onglets|fechar todas as guias|chiudi tutte le schede|alle tabbladen sluiten|zamknij wszystkie karty|tüm sekmeleri kapat|закрыть все вкладки|关闭所有标签页|すべてのタブを閉じる|모든 탭 닫기",
        "close|schließ|cierra|ferme|feche|chiudi|sluit|zamknij|kapat|закрой|关闭|閉じ|닫"),
    (Delete, Kept, "clear all|clear list|alle entfernen|alles leeren|liste leeren|alles löschen|borrar lista|tout effacer|vider la liste|limpar tudo|limpiar todo|cancella elenco|alles wissen|wyczyść wszystko|wyczyść|tümünü temizle|очистить всё|очистить|очистити|全部清除|清除全部|全部清空|すべてクリア|모두 지우기|전체 지우기|bersihkan semua|xóa hết|ล้างทั้งหมด",
        "clear|delete|empty|erase|remove|leere|lösch|borra|limpia|vide|efface|limpe|cancella|svuota|wis|wyczyść|temizle|очисти|清除|清空|削除|消去|지워|bersihkan|xóa|ล้าง"),
    (Delete, Bin, "empty|empty now|empty it|empty all|clear|clear all|clear now|clean up|leeren|jetzt leeren|vider|vider maintenant|vaciar|vaciar ahora|svuota|svuota ora|esvaziar|esvaziar agora|legen|nu legen|leegmaken|opróżnij|opróżnij teraz|boşalt|şimdi boşalt|очистить|очистить сейчас|опустошить|очистити|спорожнити|空にする|今すぐ空にする|비우기|지금 비우기|إفراغ|تفريغ|إفراغ الآن|खाली करें|अभी खाली करें|kosongkan|kosongkan sekarang|dọn sạch|làm trống|ล้าง|เทขยะ|töm|töm nu|tøm|tøm nå|tøm nu|tyhjennä|vysypat|vyprázdnit|vysypať|vyprázdniť|ürítés|kiürítés|golește|goliți|άδειασμα|изпразни|изпразване|isprazni|רוקן|ריקון|خالی کردن|buida|husteu|tühjenda|iztukšot|ištuštinti|izprazni|испразни",
        "empty|delete|erase|clear|leere|leer|lösch|vide|supprime|efface|vacía|vacia|borra|elimina|svuota|cancella|esvazie|esvazi|apague|exclu|leeg|verwijder|opróżnij|usuń|boşalt|sil|очисти|опустоши|удали|спорожни|видали|清空|删除|空に|削除|비우|비워|삭제|أفرغ|احذف|खाली|हटा|kosongkan|hapus|dọn|xóa|ล้าง|ลบ|töm|tøm|tyhjennä|vysyp|vyprázdni|ürítsd|goleș|άδειασε|изпразни|isprazni|רוקן"),
    (Delete, Storage, "format|format drive|format card|format storage|formatieren|formatear|formater|formatar|formatta|formatteren|formatuj|biçimlendir|форматировать|форматувати|格式化|フォーマット|포맷|تهيئة|फ़ॉर्मैट करें|फॉर्मेट करें|format kartu|định dạng|ฟอร์แมต|formatera|formater|formatér|alusta|formátovat|formátovať|formázás|formatează|μορφοποίηση|форматиране|formatiraj|פורמט",
        "format|formatier|formatea|formate|formatta|formatteer|sformatuj|biçimlendir|отформатируй|格式化|フォーマット|포맷"),
    (Publish, Always, "anyone with the link|create link|create public link|enable link sharing|make public|jeder mit dem link|jeder, der über den link verfügt|link erstellen|cualquier persona con el enlace|cualquier usuario con el enlace|crear enlace|tous les utilisateurs disposant du lien|créer un lien|qualquer pessoa com o link|criar link|chiunque abbia il link|crea link|iedereen met de link|link maken|każda osoba mająca link|utwórz link|bağlantıya sahip olan herkes|bağlantı oluştur|все, у кого есть ссылка|создать ссылку|知道链接的任何人|创建链接|リンクを知っている全員|リンクを作成|링크가 있는 모든 사용자|링크 만들기",
        "link|share|public|teile|enlace|comparte|lien|partage|compartilhe|condividi|deel|udostępnij|bağlantı|paylaş|ссылк|поделись|链接|分享|リンク|共有|링크|공유"),
    (Grant, Always, "pair|pair now|koppeln|associer|vincular|emparejar|parear|accoppia|associa|sparuj|eşle|eşleştir|сопряжение|подключить устройство|配对|配對|ペア設定する|ペアリング|페어링|등록하고 연결|اقتران|पेयर करें|sandingkan|ghép nối|จับคู่|parkoppla|muodosta pariliitos|spárovat",
        "pair|koppel|kopple|associe|vincula|empareja|pareie|accoppia|associa|sparuj|eşle|eşleştir|配对|配對|ペア設定|ペアリング|페어링|sandingkan|ghép nối|จับคู่|parkoppla|spáruj"),
    (Order, Priced, "checkout|check out|continue to checkout|checkout now|check out now|zur kasse gehen|caja|caisse|finalizar la compra|pagar y finalizar|cassa|afrekenen|kasa|ödemeye geç|оформить|к оформлению|перейти к оформлению|оформити|结账|結帳|去买单|买单|買單|sepeti onayla|レジに進む|ご購入手続きへ|계산하기|체크아웃|إتمام الطلب|الدفع الآن|चेकआउट|चेकआउट करें|checkout sekarang|tiến hành đặt hàng|ชำระค่าสินค้า|till kassan|til kassen|kassalle|k pokladně",
        "checkout|check out|kasse|caja|caisse|cassa|afreken|kasa|оформ|结账|結帳|レジ|계산|चेकआउट"),
    (Transfer, Traded, "trade|invest|long|short|sell/short|buy/long|sell|sell all|sell now|verkaufen|vendre|vender|vendi|verkopen|sprzedaj|hemen sat|продать|продати|买入|卖出|買入|賣出|売却|売る|매도|매수|jual|bán|ขาย|बेचें|بيع", ""),
    (Transfer, Settled, "proceed|proceed anyway|confirm anyway|sign anyway|swap anyway|release|release payment|wire|wire money|schedule|schedule transfer|increase limit|raise limit|complete|finalize|finalise|execute order|accept offer|redeem|deposit|supply|mint|lend|borrow|repay|unstake|restake|delegate|bridge|wrap|unwrap|claim|\
        freigeben|freigabe|freigabe erteilen|ausführen|jetzt ausführen|auftrag erteilen|unterschreiben|signieren|autorisieren|limit erhöhen|zeichnen|auszahlen|einzahlen|firmar|firmar operación|firmar y enviar|ejecutar|autorizar|confirmar envío|realizar|tramitar|ordenar|invertir|esegui|esegui operazione|autorizza|disponi|firma|firma ora|investi|preleva|versa|\
        executar|efetuar|efetivar|assinar|assinar e enviar|investir|resgatar|effectuer|signer|exécuter|autoriser|retirer|uitvoeren|ondertekenen|akkoord|autoriseren|goedkeuren|storten|opnemen|beleggen|wykonaj|zrealizuj|podpisz|autoryzuj|zleć|wpłać|wypłać|gerçekleştir|işlemi onayla|imzala|\
        выполнить|исполнить|подписать|провести|одобрить|пополнить|вывести|внести|снять|виконати|підписати|провести|схвалити|поповнити|зняти|确定|確定|提交|办理|辦理|立即办理|确认办理|执行|執行|签名|簽名|签署|签约|同意|同意并签约|立即开通|开通|立即借|借款|借钱|去借钱|赎回|贖回|申购|认购|申購|抢购|立即抢购|定投|立即定投|投保|立即投保|捐赠|捐款|立即捐|赠送|投资|还款|立即还款|转入|存入|找人代付|\
        実行|実行する|取引を実行|決定|署名|署名する|出金する|入金する|チャージする|실행|실행하기|서명|서명하기|출금|출금하기|입금하기|투자하기|상환하기|대출받기|충전하기|تنفيذ|توقيع|وقّع|تفويض|إيداع|سحب|साइन करें|निकालें|निवेश करें|proses|tanda tangani|otorisasi|setujui|tarik|setor|investasi|thực hiện|ký|phê duyệt|duyệt|nạp|rút|đầu tư|ดำเนินการ|ลงนาม|อนุมัติ|ถอน|ฝาก|ลงทุน|\
        signera|skriv under|godkänn|utför|genomför|ta ut|sätt in|underskriv|signer|godkend|gennemfør|overfør|godkjenn|utfør|gjennomfør|allekirjoita|hyväksy|suorita|talleta|nosta|podepsat|provést|autorizovat|schválit|podpísať|vykonať|schváliť|aláírás|aláírom|jóváhagyás|végrehajtás|semnează|autorizează|execută|efectuează|aprobă|εκτέλεση|υπογραφή|έγκριση|изпълни|подпиши|одобри|potpiši|izvrši|odobri|ביצוע|בצע|חתום|חתימה", ""),
    (Order, Priced, "book|book it|reserve now|request uberx|request uber|request comfort|request ride|request taxi|request lyft|request bolt|back this project|back project|place bet|jetzt reservieren|réserver maintenant|reservar ahora|reservar agora|prenota|boek|boek nu|rezerwuj|rezervasyon|boka|bestill|varaa|rezervovat", ""),
    (Pay, Priced, "bet|pledge|chip in|back it|contribute|agree & join|wetten|apostar|parier|scommetti|wedden|postaw|bahis yap|сделать взнос|поддержать|投注|下注|ベットする|베팅하기", ""),
    (Pay, Express, "apple pay|google pay|gpay|g pay|samsung pay|paypal|klarna|shop pay|amazon pay|alipay|支付宝|微信支付|paypay|카카오페이|네이버페이", ""),
    (Transfer, Money, "stake|exchange|sign|connect|speed up|convert now|convert|swap|umwandeln|convertir|converter|兑换|兌換|闪兑|両替|환전", ""),
    (Transfer, Priced, "request|request now|anfordern|demander|solicitar|richiedi|запросить|收款|請求する", ""),
    (Order, Always, "bid|rent|place a bid|bieten|mieten|enchérir|louer|pujar|alquilar|alugar|noleggia|bieden|huren|licytuj|wypożycz|teklif ver|kirala|сделать ставку|взять напрокат|зробити ставку|орендувати|出价|租赁|租借|入札する|レンタル|입찰하기|대여", ""),
    (Pay, Always, "renew|try free|try for free|try it free|start trial|start your trial|begin trial|start your free trial|agree and pay|agree & pay|agree and subscribe|agree & subscribe|accept and subscribe|accept & subscribe|confirm and subscribe|confirm & subscribe|subscribe and pay|subscribe & pay|verlängern|jetzt gratis testen|renouveler|essayer gratuitement|renovar|probar gratis|prueba gratis|testar grátis|teste grátis|rinnova|prova gratis|verlengen|gratis proberen|odnów|wypróbuj za darmo|yenile ve öde|ücretsiz dene|продлить|попробовать бесплатно|подовжити|спробувати безкоштовно|免费试用|续订|無料で試す|무료 체험|جرّب مجانًا|تجديد|coba gratis|dùng thử miễn phí|ทดลองใช้ฟรี", ""),
    (Pay, Priced, "subscribe|upgrade|upgrade plan|join now|become a member|agree|i agree|get premium|abonnieren|abo abschließen|s'abonner|suscribirse|suscríbete|assinar|abbonati|abonneren|subskrybuj|abone ol|оформить подписку|подписаться|підписатися|订阅|訂閱|登録する|購読する|구독하기|구독|اشتراك|اشترك|सब्सक्राइब करें|langganan|berlangganan|đăng ký gói|สมัครสมาชิก|prenumerera|abonner|tilaa|předplatit", ""),
    (Publish, Always, "subscribe|subscribe to channel", "subscribe|follow"),
    (Install, Store, "get|free|update|update all|download|enable|install all|pre-register|try|holen|kostenlos|herunterladen|laden|aktualisieren|alle aktualisieren|obtenir|gratuit|télécharger|mettre à jour|tout mettre à jour|obtener|gratis|descargar|actualizar|actualizar todo|obter|grátis|baixar|atualizar|atualizar tudo|ottieni|scarica|aggiorna|aggiorna tutto|downloaden|updaten|bijwerken|alles updaten|pobierz|aktualizuj|al|ücretsiz|indir|güncelle|\
        получить|бесплатно|скачать|обновить|обновить все|загрузить|отримати|завантажити|оновити|获取|免费|下载|更新|全部更新|打开并下载|下載|取得|入手|無料|ダウンロード|アップデート|すべて更新|받기|무료|다운로드|업데이트|모두 업데이트|الحصول على|مجاني|تنزيل|تحميل|تحديث|تحديث الكل|पाएं|डाउनलोड करें|अपडेट करें|dapatkan|unduh|perbarui|perbarui semua|nhận|tải về|tải xuống|cập nhật|รับ|ดาวน์โหลด|อัปเดต|hämta|hent|lataa|päivitä|získat|stáhnout",
        ""),
    (Call, Calls, "answer|accept|accept call|pick up|redial|annehmen|abheben|répondre|décrocher|contestar|aceptar|atender|aceitar|rispondi|accetta|opnemen|beantwoorden|odbierz|cevapla|yanıtla|kabul et|ответить|принять|відповісти|прийняти|接听|接聽|接受|応答|応答する|받기|수락|رد|قبول|जवाब दें|स्वीकार करें|jawab|terima|trả lời|รับสาย|svara|besvar|vastaa|přijmout",
        "answer|accept|pick up|take|nimm|annehm|abheb|réponds|décroche|contesta|acepta|atenda|aceite|rispondi|accetta|neem|odbierz|cevapla|yanıtla|ответь|прими|відповідай|прийми|接|応答|받아|رد|उठा|jawab|angkat|nghe|รับ|svara|vastaa|přijmi"),
    (Call, Calls, "ligar", "ligue|liga|ligar|telefon"),
    (Grant, Chooser, "always|siempre|toujours|immer|sempre|altijd|zawsze|her zaman|всегда|завжди|始终|總是|一律|常時|항상|دائما|हमेशा|selalu|luôn chọn|ทุกครั้ง|alltid|aina|vždy", ""),
    (Call, Calls, "sos|emergency sos|sos call|notruf-sos|sos-notruf|llamada sos|appel sos|紧急求救|緊急sos|sos緊急通報|긴급 sos", ""),
    (Order, Priced, "buchen|reservieren|mieten|angebot annehmen|jetzt abschließen|pedir|ofertar|louer maintenant|入札|落札|抢购|搶購|拼单|加价|競標|입찰|즉시구매|đặt|จอง|hire|hire now|i'll take it|book again|арендовать|взять в аренду|орендувати|किराए पर लें|किराये पर लें|زايد|مزايدة|استئجار|rezervovat|foglalom|κράτηση", ""),
    (Pay, Priced, "join for|join for just|upgrade to pro|resubscribe|reactivate|reactivate subscription|become a patron|unlock now|unlock chapter|super like|get boosts|boost now|give|cheer|cheer 1|cheer 10|cheer 50|cheer 100|cheer 500|cheer 1000|cheer 5000|mitglied werden|jetzt abonnieren|jetzt testen|unterstützen|suscribirme|suscribirme ahora|unirme|hacerse miembro|dar propina|devenir membre|s'abonner maintenant|soutenir|tornar-se membro|seja membro|apoiar|diventa membro|sostieni|wspieraj|zostań członkiem|destekle|подключить|поддержать автора|внести|підключити|підтримати|サブスク登録|応援する|レンタルする|延長する|契約する|후원|اشترك الآن|سدد|ادعم|नवीनीकृत करें|अभी सदस्यता लें|dukung|ủng hộ|สนับสนุน|støt|støtt|podpořit|podporiť|támogatom|susține|подкрепи|podrži", ""),
    (Pay, Switched, "autopay|auto-pay|auto pay|auto-renew|auto renew|auto-renewal|automatic renewal|automatic payments|automatische verlängerung|automatisch verlängern|renovación automática|pago automático|renouvellement automatique|paiement automatique|renovação automática|pagamento automático|rinnovo automatico|automatisch verlengen|automatische verlenging|automatyczne odnawianie|automatyczne odnowienie|otomatik yenileme|otomatik ödeme|автопродление|автоплатёж|автоматическое продление|автопродовження|自动续费|自動續訂|自动续订|自动扣款|自動更新契約|自動継続|자동 갱신|자동 결제|التجديد التلقائي|الدفع التلقائي|ऑटो-रिन्यू|ऑटोपे|perpanjangan otomatis|bayar otomatis|tự động gia hạn|thanh toán tự động|ต่ออายุอัตโนมัติ|automatisk förnyelse|automatisk fornyelse|automaattinen uusiminen|automatické obnovení|automatické obnovenie|automatikus megújítás|reînnoire automată|αυτόματη ανανέωση|автоматично подновяване|automatska obnova|חידוש אוטומטי|تمدید خودکار", ""),
    (Delete, Icon, "bin|trash can|wastebasket|rubbish bin|recycle bin|papelera|papierkorb|mülleimer|corbeille|poubelle|lixeira|lixo|cestino|prullenbak|kosz|çöp kutusu|корзина|мусорная корзина|кошик|垃圾桶|回收站|垃圾箱|ゴミ箱|ごみ箱|휴지통|سلة المهملات|ट्रैश|कूड़ेदान|sampah|tong sampah|thùng rác|ถังขยะ|papperskorg|papperskorgen|papirkurv|papirkurven|roskakori|koš|kôš|lomtár|kuka|coș de gunoi|κάδος|κάδος απορριμμάτων|кошче|smeće|koš za smeće|פח|סל אשפה|سطل زباله",
        "delete|remove|trash|throw|bin|erase|lösch|entfern|elimina|borra|supprime|exclu|apag|cancella|verwijder|usuń|sil|удали|видали|删除|刪除|削除|삭제|احذف|मिटा|हटा|hapus|xóa|ลบ"),
    (Delete, Always, "退会|解約|注销|註銷|退群|해지|reboot now|restart phone|restart device", ""),
    (Delete, Social, "leave|ban|kick|ban from server|kicken|bannen|expulsar|banear|bannir|expulser|banir|espelli|banna|bannen|verwijder lid|zbanuj|wyrzuć|yasakla|gruptan at|забанить|исключить|забанити|вилучити|покинуть|покинути|вийти|禁言|踢出|キック|追放|추방|강퇴|مغادرة|طرد|حظر العضو|बैन करें|keluarkan|đuổi|rời|rời khỏi|เตะออก|ออกจากกลุ่ม|lämna|forlad|forlat|poistu|odejít|opustit|opustiť|kilépés|părăsește|αποχώρηση|напусни|napusti|עזוב|ترک",
        "leave|ban|kick|exit|verlass|quitte|sal|expuls|bann|esci|abbandon|opuść|забан|исключ|покин|вийди|退出|踢|キック|追放|退|추방|나가|غادر|keluar|rời|ออก|lämna|forlad|forlat|poistu|odejdi|opust"),
    (Publish, Social, "添加好友|加为好友|申请加好友|添加到通讯录|मित्र जोड़ें|फ़्रेंड जोड़ें|दोस्त जोड़ें|freundin hinzufügen|freund hinzufügen|freund:in hinzufügen|freund*in hinzufügen|freund/in hinzufügen|als freund hinzufügen|freundschaftsanfrage senden|agregar amigo|añadir amigo|añadir a amigos|añadir a mis amigos|ajouter en ami|ajouter comme ami|adicionar amigo|adicionar aos amigos|aggiungi amico|aggiungi agli amici|vriend toevoegen|dodaj do znajomych|dodaj znajomego|arkadaş ekle|arkadaşı ekle|додати в друзі|додати до друзів|友達申請|友達リクエスト|友達に追加|친구추가|친구로 추가|إضافة إلى الأصدقاء|tambah teman|tambahkan teman|tambah sebagai teman|thêm bạn bè|เพิ่มเพื่อน|เพิ่มเป็นเพื่อน|lägg till vän|tilføj ven|legg til venn|lisää kaveriksi|přidat přítele|přidat do přátel|pridať priateľa|ismerősnek jelölés|adaugă prieten|προσθήκη φίλου|добави приятел|добавяне на приятел|dodaj prijatelja|הוספת חבר|افزودن دوست",
        "add|befriend|friend|füge|freund|agrega|añade|amig|ajoute|adicion|aggiungi|voeg|dodaj|ekle|додай|加|添加|追加|友達|추가|친구|أضف|जोड़|tambah|thêm|kết bạn|เพิ่ม|lägg|tilføj|legg|lisää|přidej"),
    (Send, Social, "مشاركة الموقع", ""),
    (Order, Social, "apply|bewerben|aplicar|postular|candidati|candidatar|应聘|投递", "apply|bewirb|bewerb|aplica|postul|candida|应聘|投递"),
    (Call, Always, "accept call|answer call|redial|call again|wahlwiederholung|anruf annehmen|重拨|リダイヤル|재발신", "answer|accept|call|redial|ruf|nimm|重拨|打"),
];

/// What goes on to something that is paid again and again, beside what agrees.
#[rustfmt::skip]
const BEGINS: &[&str] = &[
    "start", "start now", "get started", "begin", "next", "try now", "try it now", "try it", "unlock", "upgrade", "join", "continue", "starten", "jetzt starten", "loslegen", "testen", "commencer", "démarrer", "empezar", "comenzar", "começar", "inizia", "prova", "start nu", "rozpocznij", "başla", "başlat", "начать", "попробовать", "почати", "开始", "立即开始", "开启", "始める", "開始", "시작", "시작하기", "ابدأ", "शुरू करें", "mulai", "bắt đầu", "เริ่ม",
];

static BY_NAME: LazyLock<HashMap<String, Vec<Bare>>> = LazyLock::new(|| {
    let mut all: HashMap<String, Vec<Bare>> = HashMap::new();
    for (class, when, names, verbs) in NAMES.iter().copied() {
        for name in entries(names) {
            let verbs = normalized_entries(verbs);
            all.entry(normalized(name)).or_default().push(Bare { class, when, verbs });
        }
    }
    all
});
static BEGINS_TEXTS: LazyLock<HashSet<String>> =
    LazyLock::new(|| BEGINS.iter().map(|it| normalized(it)).collect());

/// What a name (normalized) does, and where.
pub(in crate::gate) fn bare(name: &str) -> &'static [Bare] {
    BY_NAME.get(name).map_or(&[], Vec::as_slice)
}

/// Whether a name (normalized) begins something.
pub(in crate::gate) fn begins(name: &str) -> bool {
    BEGINS_TEXTS.contains(name)
}
