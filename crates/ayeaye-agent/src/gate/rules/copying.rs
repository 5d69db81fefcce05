//! Copying and pasting, by which a secret that the user keeps may get where it may not be typed.
use super::ids::words_of;
use super::touches;
use crate::gate::class::ActClass;
use crate::gate::findings::Findings;
use crate::gate::request::ControlFacts;
use crate::gate::text::{List, find, normalized, words};
use crate::gate::verdict::Rule;

/// What copies, cuts or pastes, and where to.
#[rustfmt::skip]
static COPIES: List = List::new("copy|cut|paste|kopieren|ausschneiden|einfügen|copier|couper|coller|copiar|cortar|pegar|colar|recortar|copia|taglia|incolla|kopiëren|knippen|plakken|kopiuj|wytnij|wklej|kopyala|kes|yapıştır|\
        копировать|скопировать|вырезать|вставить|копіювати|вирізати|вставити|复制|複製|剪切|剪下|粘贴|貼上|コピー|切り取り|カット|貼り付け|ペースト|복사|잘라내기|붙여넣기|نسخ|قص|لصق|कॉपी करें|काटें|चिपकाएं|पेस्ट करें|salin|potong|tempel|\
        sao chép|cắt|dán|คัดลอก|ตัด|วาง|kopiera|klipp ut|klistra in|kopiér|klip|indsæt|kopier|klipp|lim inn|kopioi|leikkaa|liitä|kopírovat|vyjmout|vložit|kopírovať|vystrihnúť|vložiť|másolás|kivágás|beillesztés|copiați|decupați|inserați|lipiți|\
        αντιγραφή|αποκοπή|επικόλληση|копиране|изрязване|поставяне|kopiraj|izreži|zalijepi|העתקה|גזירה|הדבקה|clipboard|zwischenablage|presse-papiers|portapapeles|área de transferência|appunti|klembord|schowek|schowka|pano|panoya|буфер|剪贴板|剪貼簿|クリップボード|클립보드|📋");
/// Most words of what is their name: "Paste as plain text".
const MOST_WORDS: usize = 4;

/// Copying, cutting or pasting in a session whose words name a secret that is kept: what was typed into a field that can
/// be seen may be taken from there to any app and site.
pub(in crate::gate) fn copied_secrets(findings: &mut Findings<'_>) {
    let request = findings.request;
    if !request.history.names_kept_secret || !touches(request.gesture) {
        return;
    }
    if let Some(control) = request.screen.aimed.iter().find(|it| copies(it)) {
        let evidence = format!("copied or pasted: \"{}\"", control.name());
        findings.ask(ActClass::Password, Rule::SecretElsewhere, &evidence);
    }
}

fn copies(control: &ControlFacts) -> bool {
    let is_named = |name: &String| {
        let name = normalized(name);
        words(&name).count() <= MOST_WORDS
            && COPIES.iter().any(|it| find(&name, it).next().is_some())
    };
    let says = |it: &String| matches!(it.as_str(), "copy" | "cut" | "paste" | "clipboard");
    let by_id = || words_of(control.id_name()).iter().any(says);
    // What is offered for text that is selected hands it on: "Share", "Web search", "Translate".
    let of_selection = control.resource_id.starts_with("android:id/floating_toolbar");
    of_selection || control.names.iter().any(is_named) || control.names.is_empty() && by_id()
}
