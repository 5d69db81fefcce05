//! What is excepted, and what only sounds like it.
use super::*;

#[test]
fn what_is_excepted_is_found() {
    for (text, names) in [
        ("Delete all notes except Shopping", &["shopping"][..]),
        ("delete all notes except shopping and taxes", &["shopping", "taxes"]),
        ("Delete all notes but Shopping, Taxes and the note Work.", &["shopping", "taxes", "work"]),
        ("Delete all notes except Shopping and open Bike", &["shopping"]),
        ("Delete all notes except Shopping, then open Bike", &["shopping"]),
        ("Delete all notes, keep Shopping", &["shopping"]),
        ("Text Anna, not Ben, I'm at Anna's house", &["ben"]),
        ("Text Anna, not Ben: come except Carl", &["ben"]),
        ("text anna, not ben", &["ben"]),
        ("Delete all notes except Shopping in Keep", &["shopping"]),
        ("Text Anna, not Ben, but Carl", &["ben"]),
        ("Escribe a todos, menos a Ben, que llego tarde", &["ben"]),
        ("खरीदारी को छोड़कर सभी नोट हटाओ", &["खरीदारी"]),
        ("Tüm notları Alışveriş hariç sil", &["alisveris"]),
        ("Anna'ya evin dışında olduğumu yaz", &["evin"]),
        ("Lösche alle Notizen außer der Notiz Einkauf", &["einkauf"]),
        ("Alışveriş hariç tüm notları sil", &["alisveris"]),
        ("删除所有备忘录，除了购物备忘录和工作", &["工作", "购物"]),
        ("删除除购物外的所有备忘录", &["购物"]),
        ("メモは買い物以外を全部削除して", &["買い物"]),
        ("쇼핑은 빼고 모두 삭제해 줘", &["쇼핑"]),
    ] {
        let spared = spared_in(text);
        assert_eq!(spared.names, names, "{text}");
        assert!(!spared.is_unnamed, "{text}");
    }
}

#[test]
fn what_only_sounds_like_an_exception_is_none() {
    for text in [
        "Delete the mail, not archive it",
        "Delete the note Bike, but ask me first",
        "Text Anna: everyone comes except Ben",
        "Text everyone but keep it short",
        "Open the note Keep",
        "Text Anna that all but Ben came",
        "Escribe a Ana que llego en menos de veinte minutos",
        "Delete the photos, and then open Anna",
        "Write Anna a message saying I am not Ben",
        "删除备忘录购物",
        "Open Bike, but not now",
        "Das Training findet statt, sag Anna Bescheid",
        "Manda a las ocho menos cuarto un mensaje a Ana",
        "Manda al menos un mensaje a Ana",
        "Text Salvo and Anna that dinner is at 8",
        "Por favor, no WhatsApp mande uma mensagem para a Ana",
        "Abra a galeria e no Instagram publique a foto",
        "Envie a parte final para Ana",
        "Stuur Anna, nu Ben ziek is, een bericht",
        "Post on X: Coffee, not tea",
        "Post \"All but Tea\" on X",
        "删除那个是不是我的照片",
    ] {
        assert!(!spared_in(text).is_any(), "{text}");
    }
}

#[test]
fn an_exception_without_a_name_is_one() {
    for text in [
        "Delete all my notes except the newest",
        "Delete all notes except Shopping and the newest",
        "Delete all tabs except this one",
        "Delete all alarms except half past 7",
        "Delete all alarms except the one at seven",
        "Lösche alle Wecker außer dem um sieben",
        "Delete the photos and keep the videos",
        "Delete all photos, not the videos",
        "Supprime tout sauf les photos",
        "Lösche alle Fotos außer den Videos",
        "除了照片，删除所有文件",
        "删除所有闹钟，除了七点半的",
    ] {
        assert!(spared_in(text).is_unnamed, "{text}");
    }
}

#[test]
fn a_time_that_is_excepted_is_known_however_it_is_shown() {
    for (text, shown, is_spared) in [
        ("Delete all alarms except 7:30", "7:30", true),
        ("Delete all alarms except 7:30", "07:30", true),
        ("Delete all alarms except 7:30", "17:30", false),
        ("Delete all alarms except 7:30 PM", "19:30", true),
        ("Delete all alarms except 7:30 p.m.", "7:30 am", false),
        ("Delete all alarms except 7 and 8:15", "8:15", true),
        ("Delete the alarm at 7, not the one at 8", "8:00", true),
        ("Delete the alarm at 7, not the one at 8", "7:00", false),
        ("Delete the alarm at 7, not the one at 8", "8:30", false),
        ("Lösche alle Wecker außer dem um 7 Uhr 30", "7:30", true),
        ("Lösche alle Wecker außer dem um 7 Uhr", "wecker 8:00", false),
        ("删除所有闹钟，除了七点的", "7:00", true),
        ("删除所有闹钟，除了7:30的", "7:30", true),
        ("Delete all photos except 12", "img 12", true),
    ] {
        let spared = spared_in(text);
        assert!(!spared.is_unnamed, "{text}");
        assert_eq!(spared.are_shown(shown), is_spared, "{text}: {shown}");
    }
}
