//! What controls say that change something without any of the classes: a policy for reading refuses them.
//! Compared with the whole name of a control, or its first word.
use super::Table;

#[rustfmt::skip]
pub(super) const CHANGES: Table<()> = &[
    ((), "en", "save|like|unlike|love|follow|unfollow|subscribe|unsubscribe|join|leave|add|create|done|apply|archive|mute|unmute|pin|unpin|star|favorite|favourite|bookmark|block|report|accept|mark as read|mark as unread|mark as done|edit|rename|move|restore|vote|rate|react|snooze|enable|disable|turn on|turn off|reset|sync now|sign out|log out|undo|duplicate|check in|rsvp|check"),
    ((), "es", "guardar|me gusta|seguir|dejar de seguir|suscribirse|unirse|añadir|agregar|crear|listo|aplicar|archivar|silenciar|fijar|destacar|favorito|bloquear|aceptar solicitud|editar|mover|restaurar|votar|activar|desactivar|cerrar sesión"),
    ((), "fr", "enregistrer|j'aime|suivre|s'abonner|rejoindre|ajouter|créer|terminé|appliquer|archiver|épingler|favori|bloquer|modifier|renommer|déplacer|restaurer|voter|activer|désactiver|se déconnecter"),
    ((), "de", "speichern|gefällt mir|folgen|entfolgen|abonnieren|beitreten|hinzufügen|erstellen|anlegen|fertig|übernehmen|anwenden|archivieren|stummschalten|anheften|markieren|favorit|merken|blockieren|melden|bearbeiten|umbenennen|verschieben|wiederherstellen|abstimmen|aktivieren|deaktivieren|einschalten|ausschalten|abmelden|als gelesen markieren"),
    ((), "pt", "salvar|guardar|curtir|gosto|seguir|inscrever-se|participar|adicionar|criar|concluído|aplicar|arquivar|fixar|favorito|bloquear|editar|renomear|mover|restaurar|votar|ativar|desativar|sair da conta"),
    ((), "it", "salva|mi piace|segui|iscriviti|unisciti|aggiungi|crea|fine|applica|archivia|fissa|preferito|blocca|modifica|rinomina|sposta|ripristina|vota|attiva|disattiva|esci"),
    ((), "nl", "opslaan|vind ik leuk|volgen|abonneren|deelnemen|toevoegen|maken|gereed|toepassen|archiveren|vastzetten|favoriet|blokkeren|bewerken|verplaatsen|herstellen|stemmen|inschakelen|uitschakelen|uitloggen"),
    ((), "pl", "zapisz|lubię to|obserwuj|subskrybuj|dołącz|dodaj|utwórz|gotowe|zastosuj|archiwizuj|przypnij|ulubione|zablokuj|edytuj|przenieś|przywróć|głosuj|włącz|wyłącz|wyloguj"),
    ((), "tr", "kaydet|beğen|takip et|abone ol|katıl|ekle|oluştur|bitti|uygula|arşivle|sabitle|favori|engelle|düzenle|taşı|geri yükle|oy ver|aç|oturumu kapat"),
    ((), "ru", "сохранить|нравится|подписаться|отписаться|вступить|добавить|создать|готово|применить|архивировать|закрепить|в избранное|заблокировать|изменить|переименовать|переместить|восстановить|голосовать|включить|выключить|выйти"),
    ((), "uk", "зберегти|подобається|підписатися|приєднатися|додати|створити|готово|застосувати|архівувати|закріпити|заблокувати|змінити|перейменувати|перемістити|відновити|голосувати|увімкнути|вимкнути|вийти"),
    ((), "zh", "保存|儲存|点赞|赞|讚|关注|關注|取消关注|订阅|訂閱|加入|添加|新增|新建|创建|完成|应用|归档|静音|置顶|收藏|标记|拉黑|屏蔽|编辑|編輯|重命名|移动|恢复|投票|开启|关闭通知|退出登录|签到"),
    ((), "ja", "保存|いいね|フォロー|フォローする|登録|チャンネル登録|参加|追加|作成|完了|適用|アーカイブ|ミュート|ピン留め|お気に入り|ブロック|編集|名前を変更|移動|復元|投票|有効にする|無効にする|ログアウト"),
    ((), "ko", "저장|좋아요|팔로우|구독|가입|참여|추가|만들기|완료|적용|보관|고정|즐겨찾기|차단|수정|편집|이름 변경|이동|복원|투표|켜기|끄기|로그아웃"),
    ((), "ar", "حفظ|إعجاب|أعجبني|متابعة الحساب|اشتراك|انضمام|إضافة|إنشاء|تم|تطبيق|أرشفة|تثبيت في الأعلى|المفضلة|حظر|تعديل|نقل|استعادة|تصويت|تفعيل|تعطيل|تسجيل الخروج"),
    ((), "hi", "सेव करें|सहेजें|पसंद करें|फ़ॉलो करें|सदस्यता लें|शामिल हों|जोड़ें|बनाएं|हो गया|लागू करें|संग्रह करें|पिन करें|ब्लॉक करें|बदलाव करें|चालू करें|बंद करें|साइन आउट करें"),
    ((), "id", "simpan|suka|ikuti|berlangganan|gabung|tambah|tambahkan|buat|selesai|terapkan|arsipkan|sematkan|favorit|blokir|edit|ganti nama|pindahkan|pulihkan|aktifkan|nonaktifkan|keluar"),
    ((), "vi", "lưu|thích|theo dõi|đăng ký kênh|tham gia|thêm|tạo|xong|áp dụng|lưu trữ|ghim|yêu thích|chặn|chỉnh sửa|đổi tên|di chuyển|khôi phục|bật|tắt|đăng xuất"),
    ((), "th", "บันทึก|ถูกใจ|ติดตาม|สมัครรับข้อมูล|เข้าร่วม|เพิ่ม|สร้าง|เสร็จสิ้น|ใช้|เก็บถาวร|ปักหมุด|รายการโปรด|บล็อก|แก้ไข|ย้าย|กู้คืน|เปิดใช้|ปิดใช้|ออกจากระบบ"),
];

/// Words of resource ids that say the same.
pub(super) const IDS: &[&str] = &[
    "save",
    "like",
    "follow",
    "subscribe",
    "join",
    "add",
    "create",
    "done",
    "apply",
    "archive",
    "mute",
    "pin",
    "star",
    "favorite",
    "favourite",
    "bookmark",
    "block",
    "edit",
    "rename",
    "restore",
    "vote",
    "rate",
    "toggle",
    "fab",
];
