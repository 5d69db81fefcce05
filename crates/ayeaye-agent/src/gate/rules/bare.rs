//! Short names that have consequences in some places only.
use super::ids;
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::confusables::readings;
use crate::gate::findings::Findings;
use crate::gate::phrases::{self, Bare, When};
use crate::gate::price::{amount, without_amount};
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::text::{List, holds as text_holds, mentions, normalized, words};
use crate::gate::verdict::Rule;

/// Looks at a control whose name tells nothing by itself; whether it has consequences here.
pub(super) fn bare(
    findings: &mut Findings<'_>,
    control: &ControlFacts,
    kind: Option<AppKind>,
    rule: Rule,
) -> bool {
    if !control.reacts || control.is_field() {
        return false;
    }
    let request = findings.request;
    // The further texts of a card tell of what it leads to.
    let is_button = control.kind.contains("Button");
    let own = if is_button { 3 } else { 1 };
    let mut names: Vec<String> =
        control.names.iter().take(own).flat_map(|it| readings(it)).collect();
    // Pages that draw themselves tell all texts of a button as one, a line each.
    let last_line = control.names.first().and_then(|it| it.lines().last()).filter(|_| is_button);
    names.extend(last_line.map(normalized));
    // Some currencies are told from words by their capitals.
    let written = control.names.iter().take(own).chain(&names);
    let priced: Vec<String> = written.filter_map(|it| without_amount(it)).collect();
    names.extend(priced);
    // "Yes, log out" logs out; "Yes, I agree" is what its dialog says.
    let behind = names.iter().filter_map(|it| phrases::after_yes(it));
    let behind = behind.filter(|it| phrases::agrees(it).is_none());
    let behind: Vec<String> = behind.map(str::to_owned).collect();
    names.extend(behind);
    let id = if control.names.is_empty() && control.hint.is_empty() {
        ids::plain_words(control)
    } else {
        String::new()
    };
    names.extend(id.split(' ').map(str::to_owned));
    names.extend((!id.is_empty()).then_some(id));
    let here = |it: &&Bare| holds(it.when, control, request, kind);
    // What stands beside a switch names it where nothing else does.
    let beside: Vec<String> = control.beside.iter().map(|it| normalized(it)).collect();
    let switched = |it: &&Bare| it.when == When::Switched && control.switch;
    let find = |name: &'_ String| phrases::bare(name).iter().find(here);
    let find_beside = |name: &'_ String| phrases::bare(name).iter().find(switched);
    let own = names.iter().find_map(|name| find(name).map(|it| (name, it)));
    let found =
        own.or_else(|| beside.iter().find_map(|name| find_beside(name).map(|it| (name, it))));
    let Some((name, bare)) = found else { return false };
    let evidence = format!("\"{name}\"");
    let asked = is_asked(request, control, bare);
    if asked && matches!(bare.class, ActClass::Order | ActClass::Grant) {
        // What leads to where an order is placed is no order yet; and the device that is paired is the one named.
        findings.pass(Rule::AskedFor, &evidence);
    } else {
        findings.class(bare.class, asked, rule, &evidence);
    }
    true
}

fn holds(
    when: When,
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> bool {
    let screen = request.screen;
    let money = kind.is_some_and(AppKind::has_money);
    let priced = || screen.texts.iter().any(|it| amount(it).is_some());
    match when {
        When::Always => true,
        When::Written => screen.written,
        When::Social => matches!(kind, Some(AppKind::Social | AppKind::Messenger)),
        When::Store => kind == Some(AppKind::Store),
        When::Priced => money || kind == Some(AppKind::Store) || priced(),
        When::Money => money,
        When::Settled => money && priced(),
        When::Kept => {
            let cleared = !matches!(kind, Some(AppKind::Launcher | AppKind::Shop))
                && request.package != "com.android.systemui";
            cleared && screen.header.iter().chain(&screen.titles).any(|it| tells(it, &KEPT))
        }
        When::Switched => control.switch,
        When::Icon => {
            let is_icon = ["ImageButton", "ImageView"].iter().any(|it| control.kind.ends_with(it));
            let folder = matches!(
                kind,
                Some(AppKind::Mail | AppKind::Shop | AppKind::Store | AppKind::Launcher)
            );
            is_icon && !folder && !priced()
        }
        When::Bin => {
            let others = || screen.texts.iter().filter(|it| !control.names.contains(it));
            let is_lost = others().any(|it| phrases::tells_of_loss(&normalized(it)));
            // A cart is called so too.
            let may_be_cart =
                matches!(kind, Some(AppKind::Shop | AppKind::Store | AppKind::Launcher))
                    || priced();
            is_lost || !may_be_cart && others().any(|it| tells(it, &BINS))
        }
        When::Storage => screen.texts.iter().any(|it| tells(it, &STORAGE)),
        When::Express => {
            let is_button =
                control.kind.ends_with("Button") && !control.kind.ends_with("RadioButton");
            kind == Some(AppKind::Browser) && is_button && priced()
        }
        When::Traded => {
            let place = matches!(kind, Some(AppKind::Shop | AppKind::Social | AppKind::Browser));
            money || !place && control.kind.ends_with("Button") && priced()
        }
        When::Chooser => {
            let activity = request.activity.to_ascii_lowercase();
            activity.contains("resolveractivity") || activity.contains("chooseractivity")
        }
        When::Calls => {
            // A call that comes in lies over other apps as a notification.
            const PARTS: [&str; 6] =
                ["dialer", "incallui", "telecom", "phone", "contacts", "systemui"];
            [request.package, &control.package].iter().any(|package| {
                package.to_ascii_lowercase().split('.').any(|it| PARTS.contains(&it))
            })
        }
    }
}

fn tells(text: &str, of: &List) -> bool {
    let text = normalized(text);
    of.iter().any(|it| text_holds(&text, it))
}

/// What is kept until somebody clears it.
#[rustfmt::skip]
static KEPT: List = List::new("history|messages|calls|call log|recents|recent calls|downloads|chats|conversations|inbox|clipboard|verlauf|anrufe|anrufliste|nachrichten|historial|llamadas|mensajes|historique|appels|messages|histórico|chamadas|mensagens|cronologia|chiamate|messaggi|geschiedenis|oproepen|berichten|historia|połączenia|wiadomości|geçmiş|aramalar|mesajlar|история|звонки|вызовы|сообщения|загрузки|історія|дзвінки|历史|記錄|记录|通话|消息|下载|履歴|通話|メッセージ|기록|통화|메시지|السجل|المكالمات|इतिहास|riwayat|pesan|lịch sử|tin nhắn|ประวัติ|ข้อความ");

/// What keeps what was deleted, until it is emptied.
#[rustfmt::skip]
static BINS: List = List::new("bin|trash|recycle bin|recently deleted|deleted items|deleted|spam|junk|papierkorb|mülleimer|gelöscht|gelöschte|gelöschte elemente|papelera|eliminados|eliminado|eliminadas|corbeille|éléments supprimés|supprimés|supprimé|lixeira|lixo|reciclagem|excluídos|apagados|itens excluídos|cestino|eliminati|prullenbak|prullenmand|verwijderd|verwijderde|kosz|koszu|usunięte|çöp kutusu|çöp kutusunu|çöp|silinenler|корзина|корзину|корзине|корзины|удаленные|удалённые|кошик|кошика|кошику|видалені|回收站|垃圾桶|垃圾箱|废纸篓|廢紙簍|資源回收筒|最近删除|最近刪除|ゴミ箱|ごみ箱|最近削除|휴지통|최근 삭제|سلة المهملات|المهملات|المحذوفات|ट्रैश|कूड़ेदान|रीसायकल बिन|sampah|tong sampah|thùng rác|đã xóa|ถังขยะ|papperskorg|papperskorgen|papirkurv|papirkurven|roskakori|roskakorin|koš|koša|kôš|kuka|lomtár|lomtárat|coș|coșul|coșul de gunoi|κάδος|κάδο|κάδου|кошче|кошчето|koš za smeće|smeće|סל|אשפה|סל אשפה|פח|سطل زباله|paperera|papereira|prügikast|miskaste|atkritne|šiukšliadėžė|smeti|отпад");

/// What stores files, and is empty once it was formatted.
#[rustfmt::skip]
static STORAGE: List = List::new("sd card|sd-karte|memory card|usb drive|usb storage|usb-stick|storage|speicher|speicherkarte|tarjeta sd|almacenamiento|carte sd|stockage|cartão sd|armazenamento|scheda sd|spazio di archiviazione|sd-kaart|opslag|karta sd|sd kart|depolama|sd-карта|карта памяти|накопитель|sd卡|sd 卡|存储|u盘|手机|sdカード|ストレージ|sd 카드|저장소|저장공간|بطاقة sd|sd कार्ड|एसडी कार्ड|स्टोरेज|kartu sd|thẻ sd|การ์ด sd");

/// Whether the user asks for just this; where they name somebody or something, it has to be there.
fn is_asked(request: &GateRequest<'_>, control: &ControlFacts, bare: &Bare) -> bool {
    let words = request.words;
    if bare.class == ActClass::Send {
        return super::asked::is_asked(request, ActClass::Send, control);
    }
    let shown = request.screen.texts.iter().map(String::as_str);
    let is_there = || words.name_object(&bare.verbs, shown, [request.label, request.package]);
    words.ask_by(&bare.verbs)
        && (bare.when != When::Social || is_there())
        && (bare.class != ActClass::Grant || names_device(request, control, bare))
}

/// Whether the user names the device that is to be paired: in what is said beside the control with the same verb, as in
/// "Pair with WH-1000?".
fn names_device(request: &GateRequest<'_>, control: &ControlFacts, bare: &Bare) -> bool {
    let is_verb = |word: &str| {
        word == "bluetooth" || bare.verbs.iter().any(|it| word.starts_with(it.as_str()))
    };
    request.screen.texts.iter().filter(|it| !control.names.contains(it)).any(|it| {
        let text = normalized(it);
        let rest: Vec<&str> = words(&text).filter(|it| !is_verb(it)).collect();
        bare.verbs.iter().any(|it| mentions(&text, it)) && request.words.name(&rest.join(" "))
    })
}
