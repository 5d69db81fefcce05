//! Files written by Google's own packager (aapt2 2.19) for an app made for this: five languages, with
//! the texts of one language in a part of their own, and with tables that list only what is there.
use proptest::prelude::*;

use super::*;

mod hostile;

const PLAIN: [&[u8]; 2] =
    [include_bytes!("samples/plain.manifest"), include_bytes!("samples/plain.arsc")];
const SPARSE: [&[u8]; 2] =
    [include_bytes!("samples/sparse.manifest"), include_bytes!("samples/sparse.arsc")];
const SPLIT: [&[u8]; 2] =
    [include_bytes!("samples/split.manifest"), include_bytes!("samples/split.arsc")];
const SPLIT_ZH: &[u8] = include_bytes!("samples/split.zh.arsc");

const MAIN: Option<&str> = Some("org.example.weather.Main");

fn label([manifest, table]: [&[u8]; 2], activity: Option<&str>, locales: &str) -> String {
    labels(manifest, &[table], activity, &parse_locales(locales)).label.unwrap()
}

#[test]
fn an_app_has_the_name_of_the_phones_language() {
    for sample in [PLAIN, SPARSE] {
        for (locales, of_icon, of_app) in [
            ("en-US", "Weather", "Weather & Co"),
            ("zh-Hans-CN", "天气", "天气和公司"),
            ("zh_CN", "天气", "天气和公司"),
            // Singapore writes Chinese as the mainland does, Taiwan does not.
            ("zh-Hans-SG", "天气", "天气和公司"),
            ("zh-Hant-TW,en-US", "Weather", "Weather & Co"),
            ("pt-BR", "Clima", "Clima e Cia"),
            ("pt-PT", "Clima", "Clima e Cia"),
            ("ar-EG", "الطقس", "الطقس وشركاه"),
            ("sr-Latn-RS", "Vreme", "Vreme i dr."),
            // Without a script, Serbian is Cyrillic.
            ("sr-RS", "Weather", "Weather & Co"),
            // The first language that the app has; English is what it was written in.
            ("de-DE,ar", "الطقس", "الطقس وشركاه"),
            ("de-DE,en-GB,ar", "Weather", "Weather & Co"),
            ("", "Weather", "Weather & Co"),
        ] {
            assert_eq!(label(sample, MAIN, locales), of_icon, "{locales}");
            assert_eq!(label(sample, Some(".Main"), locales), of_icon, "{locales}");
            assert_eq!(label(sample, None, locales), of_app, "{locales}");
        }
        assert_eq!(label(sample, Some("org.example.weather.Other"), "ar"), "Plain");
    }
}

#[test]
fn the_name_it_was_written_with_is_known_too() {
    let names = labels(PLAIN[0], &[PLAIN[1]], MAIN, &parse_locales("ar"));
    assert_eq!(names.original.as_deref(), Some("Weather"));
    let names = labels(PLAIN[0], &[PLAIN[1]], MAIN, &parse_locales("en"));
    assert_eq!(names.original, None);
}

#[test]
fn a_language_may_come_in_a_part_of_its_own() {
    let locales = parse_locales("zh-CN");
    let alone = labels(SPLIT[0], &[SPLIT[1]], MAIN, &locales);
    assert_eq!(alone.label.as_deref(), Some("Weather"));
    let both = labels(SPLIT[0], &[SPLIT[1], SPLIT_ZH], MAIN, &locales);
    assert_eq!(both.label.as_deref(), Some("天气"));
    assert_eq!(both.original.as_deref(), Some("Weather"));
}

#[test]
fn locales_are_read_as_phones_write_them() {
    let read = |text: &str| parse_locales(text).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(read("zh-Hans-CN,en-US"), ["zh-Hans-CN", "en-US"]);
    assert_eq!(read("zh_TW_#Hant,in_ID,iw"), ["zh-Hant-TW", "id-ID", "he"]);
    assert_eq!(read("es-419-x-y, sr-Latn"), ["es-419", "sr-Latn"]);
    assert_eq!(read("null"), [""; 0]);
    assert_eq!(read("1,,d,x1-US"), [""; 0]);
}

#[test]
fn the_nearest_region_wins() {
    let suits = |wanted: &str, offered: &str| {
        Locale::parse(wanted).unwrap().suits(&Locale::parse(offered).unwrap())
    };
    assert!(suits("es-MX", "es-419") > suits("es-MX", "es-AR"));
    assert!(suits("es-MX", "es-AR") > suits("es-MX", "es"));
    assert!(suits("es-MX", "es") > suits("es-MX", "es-ES"));
    assert!(suits("en-AU", "en-GB") > suits("en-AU", "en"));
    assert!(suits("en-AU", "en") > suits("en-AU", "en-US"));
    assert_eq!(suits("zh-TW", "zh-CN"), None);
    assert!(suits("zh-HK", "zh-TW").is_some());
    assert_eq!(suits("de", "fr"), None);
}

#[test]
fn every_cut_file_is_an_app_without_a_name_or_the_same_one() {
    let locales = parse_locales("ar");
    for [manifest, table] in [PLAIN, SPARSE, SPLIT] {
        for end in 0..table.len() {
            labels(manifest, &[&table[..end]], MAIN, &locales);
        }
        for end in 0..manifest.len() {
            assert_eq!(labels(&manifest[..end], &[table], MAIN, &locales), Labels::default());
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_not_told_as_a_damaged_package() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str| package_of_file(&folder.path().join(name)).unwrap_err();
    assert!(matches!(told("none.apk"), NoPackage::Unreadable(_)));
    std::fs::write(folder.path().join("text.apk"), "no package").unwrap();
    assert!(matches!(told("text.apk"), NoPackage::NotAPackage));
}

proptest! {
    #[test]
    fn no_file_does_harm(
        sample in 0_usize..3,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
        in_manifest: bool,
    ) {
        let [manifest, table] = [PLAIN, SPARSE, SPLIT][sample].map(<[u8]>::to_vec);
        let mut files = [manifest, table];
        let changed = &mut files[usize::from(!in_manifest)];
        for (at, byte) in changes {
            let at = at.index(changed.len());
            changed[at] = byte;
        }
        let names = labels(&files[0], &[&files[1]], MAIN, &parse_locales("ar,zh-CN"));
        let short = |name: &Option<String>| name.as_ref().is_none_or(|it| it.chars().count() <= 128);
        prop_assert!(short(&names.label) && short(&names.original));
    }
}
