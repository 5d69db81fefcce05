//! The things touched on the way to an act, without the controls that only lead there: menus, "Edit", "Delete".
use super::class::ActClass;
use super::kind_nouns::is_kind;
use super::phrases;
use super::text::{List, normalized, words};

/// What opens a menu, or the page on which a thing is changed.
#[rustfmt::skip]
static LEADS_ON: List = List::new("more|more options|more actions|options|menu|overflow|overflow menu|open menu|edit|details|info|weitere optionen|mehr optionen|mehr|optionen|menü|bearbeiten|más opciones|más|opciones|menú|editar|detalles|\
        plus d'options|autres options|plus|options supplémentaires|modifier|détails|mais opções|mais|opções|altre opzioni|altro|opzioni|modifica|dettagli|meer opties|meer|opties|bewerken|więcej opcji|więcej|opcje|edytuj|diğer seçenekler|daha fazla|seçenekler|düzenle|\
        другие параметры|ещё|еще|меню|изменить|редактировать|подробнее|інші параметри|більше|редагувати|更多|更多选项|更多選項|选项|菜单|编辑|編輯|詳細|その他|その他のオプション|メニュー|編集|옵션 더보기|더보기|메뉴|수정|편집|\
        خيارات إضافية|خيارات أخرى|المزيد|تعديل|ज़्यादा विकल्प|अधिक विकल्प|बदलाव करें|opsi lainnya|lainnya|edit|tùy chọn khác|thêm|chỉnh sửa|ตัวเลือกเพิ่มเติม|เพิ่มเติม|แก้ไข|fler alternativ|redigera|flere valg|flere muligheder|rediger|lisää vaihtoehtoja|muokkaa|další možnosti|upravit|további lehetőségek|szerkesztés|mai multe opțiuni|editați|περισσότερες επιλογές|επεξεργασία");
/// What stands around the word in the id of a control without a name: `action_delete`.
const AROUND_IDS: [&str; 9] =
    ["action", "menu", "btn", "button", "icon", "ic", "img", "image", "iv"];

/// The things touched on a path (the names of the last touches in one app), the newest first, back to one that closed
/// or declined something. A touch without a name stands for an unknown thing.
pub(super) fn things(path: &[String]) -> impl Iterator<Item = &str> {
    let names = path.iter().rev().map(|it| (it.as_str(), plain(it)));
    names
        .take_while(|(_, plain)| !phrases::declines(plain))
        .filter(|(_, plain)| !leads_on(plain))
        .map(|(name, _)| name)
}

fn plain(name: &str) -> String {
    let name = normalized(&name.replace('_', " "));
    let own: Vec<&str> = words(&name).filter(|it| !AROUND_IDS.contains(it)).collect();
    // Of a name in words the signs count too.
    if own.len() < words(&name).count() && !own.is_empty() { own.join(" ") } else { name }
}

/// Whether a control with this name (normalized) leads to the act, and is not the thing that it is for.
fn leads_on(name: &str) -> bool {
    let deletes = || {
        let commands = phrases::commands(name, phrases::NameOf::Button, false);
        let of_kind =
            |command: &str| command == name || words(name).count() <= 2 && words(name).all(is_kind);
        commands.iter().any(|it| it.of == ActClass::Delete && of_kind(&it.text))
    };
    LEADS_ON.iter().any(|it| it == name) || deletes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &[&str]) -> Vec<String> {
        let path: Vec<String> = path.iter().map(|it| (*it).to_owned()).collect();
        things(&path).map(str::to_owned).collect()
    }

    #[test]
    fn things_are_told_from_what_leads_to_them() {
        assert_eq!(told(&["Bike, Front tyre", "Delete"]), ["Bike, Front tyre"]);
        assert_eq!(told(&["Bike", "More options", "action_delete", "Löschen"]), ["Bike"]);
        assert_eq!(told(&["Bike", "Delete note", "删除"]), ["Bike"]);
        assert_eq!(told(&["Bike", "Cancel", "Books to read"]), ["Books to read"]);
        assert_eq!(told(&["Bike", "Delete", "Abbrechen"]), Vec::<String>::new());
        assert_eq!(
            told(&["Bike", "Delete old photos from Rome"])[0],
            "Delete old photos from Rome"
        );
        assert_eq!(told(&["Bike", ""]), ["", "Bike"]);
    }
}
