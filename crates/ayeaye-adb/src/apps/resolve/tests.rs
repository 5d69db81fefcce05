use proptest::prelude::*;

use super::*;

const PHONE: [&str; 9] = [
    "com.android.settings",
    "com.android.mms",
    "com.tencent.mm",
    "com.android.chrome",
    "com.example.notes",
    "org.example.shop.android",
    "com.a.player",
    "com.b.player",
    "com.google.android.dialer",
];

fn unread(packages: &[&str]) -> Vec<AppNames> {
    let named = |package: &&str| AppNames { package: (*package).to_owned(), ..AppNames::default() };
    packages.iter().map(named).collect()
}

fn found(name: &str) -> Result<&'static str, AppNameError> {
    resolve(name, &unread(&PHONE)).map(|(index, _)| PHONE[index])
}

fn app(package: &str, label: &str, original: &str) -> AppNames {
    let name = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
    let labels = Labels { label: name(label), original: name(original) };
    AppNames::of(package, labels)
}

#[test]
fn the_names_under_the_icons_come_first() {
    let phone = [
        app("com.android.settings", "Einstellungen", "Settings"),
        app("org.example.one", "Musik", ""),
        app("org.example.music", "Radio", ""),
        app("com.android.messaging", "Nachrichten", "Messages"),
        app("com.android.mms", "Nachrichten", "Messages"),
        app("org.a.mail", "Post", ""),
        app("org.b.mail", "Post", ""),
        app("org.example.long", "Wettervorhersage", ""),
        app("org.evil", "Settings", ""),
        app("de.mobile.android.app", "mobile.de", ""),
        app("com.booking", "", ""),
    ];
    let package =
        |name: &str| resolve(name, &phone).map(|(index, _)| phone[index].package.as_str());
    assert_eq!(package("einstellungen"), Ok("com.android.settings"));
    // Another app cannot take a well-known name away.
    assert_eq!(package("Settings"), Ok("com.android.settings"));
    assert_eq!(package("Musik"), Ok("org.example.one"));
    // Names that look like packages.
    assert_eq!(package("mobile.de"), Ok("de.mobile.android.app"));
    assert_eq!(package("Booking.com"), Ok("com.booking"));
    assert_eq!(
        package("Nachrichten app"),
        Err(AppNameError::Ambiguous(vec![
            "Nachrichten (com.android.messaging)".to_owned(),
            "Nachrichten (com.android.mms)".to_owned(),
        ]))
    );
    assert_eq!(package("Messages"), Ok("com.android.mms"));
    let several = package("post").unwrap_err().to_string();
    assert!(several.contains("Post (org.a.mail), Post (org.b.mail)"), "{several}");
    assert_eq!(resolve("Wetervorhersage", &phone), Ok((7, Certainty::Near)));
    assert_eq!(resolve("Einstelungen", &phone).unwrap().1, Certainty::Near);
    assert_eq!(resolve("Radio", &phone), Ok((2, Certainty::Named)));
    let none = package("Zzz").unwrap_err().to_string();
    assert!(none.contains("installed are Einstellungen (com.android.settings)"), "{none}");
    assert!(none.ends_with("and 6 more"), "{none}");
}

#[test]
fn one_more_is_never_told_without_its_name() {
    let told = |count: usize| resolve("Zzz", &unread(&PHONE[..count])).unwrap_err().to_string();
    assert!(told(6).ends_with(PHONE[5]), "{}", told(6));
    assert!(told(7).ends_with("and 2 more") && !told(7).contains(PHONE[5]), "{}", told(7));
}

/// Xiaomi's app for calls and contacts has an icon for either.
#[test]
fn an_app_with_several_icons_is_opened_by_the_one_that_is_named() {
    let phone = |contacts: &str, calls: &str| {
        let further = app("com.android.contacts", calls, "");
        let further = further.of_icon(Some(".TwelveKeyDialer".to_owned()), true);
        let first = app("com.android.contacts", contacts, "");
        let first = first.of_icon(Some(".People".to_owned()), false);
        let shop = app("org.example.shop", "Shop", "");
        apart(vec![first, shop, further])
    };
    for (contacts, calls) in [("Contacts", "Phone"), ("通讯录", "电话"), ("Kontakte", "Telefon")]
    {
        let phone = phone(contacts, calls);
        let found = |name: &str| resolve(name, &phone).map(|(index, _)| index);
        assert_eq!((found(contacts), found(calls)), (Ok(0), Ok(2)));
        assert_eq!(found("com.android.contacts"), Ok(0));
        assert_eq!(found("com.android.contacts/.TwelveKeyDialer"), Ok(2));
        assert_eq!(found("com.android.contacts/com.android.contacts.TwelveKeyDialer"), Ok(2));
        for (component, meant) in [(".People", 0), (".TwelveKeyDialer", 2)] {
            for component in [component.to_owned(), format!("com.android.contacts{component}")] {
                let name = format!("com.android.contacts/{component}");
                let those = (0..phone.len()).filter(|it| phone[*it].is_meant_by(&name));
                assert_eq!(those.collect::<Vec<_>>(), [meant], "{name}");
            }
        }
        assert_eq!(name_of_icon(2, &phone).as_deref(), Some(calls));
        assert_eq!(name_of_icon(1, &phone), None);
        let missing = found("Zzz").unwrap_err().to_string();
        assert_eq!(missing.matches("com.android.contacts").count(), 1, "{missing}");
    }
    // A name that the icon does not have, but the row of another name that it has.
    let chinese = phone("通讯录", "电话");
    let found = |name: &str| resolve(name, &chinese).map(|(index, _)| index);
    assert_eq!((found("Phone"), found("dialer"), found("Contacts")), (Ok(2), Ok(2), Ok(0)));
    assert_eq!(found("电话 app"), Ok(2));
    // Two icons of one name are one.
    let alike = phone("Contacts", "Contacts");
    assert_eq!(resolve("Contacts", &alike), Ok((0, Certainty::Named)));
    assert_eq!(name_of_icon(0, &alike), None);
}

#[test]
fn the_table_is_well_formed() {
    assert!(150 <= TABLE.len());
    for known in TABLE.iter() {
        assert!(
            known.packages.iter().all(|p| crate::quote::is_package(p)
                || *p == "com.Qunar"
                || *p == "com.icbc"
                || *p == "com.wuba"
                || *p == "com.discord"),
            "{known:?}"
        );
        assert!(known.names.iter().all(|name| !normalize(name).is_empty()), "{known:?}");
    }
}

#[test]
fn names_in_either_language_are_found() {
    for (name, package) in [
        ("微信", "com.tencent.mm"),
        ("WeChat", "com.tencent.mm"),
        ("we chat", "com.tencent.mm"),
        ("短信", "com.android.mms"),
        ("Messages", "com.android.mms"),
        ("Settings app", "com.android.settings"),
        ("com.android.chrome", "com.android.chrome"),
        ("com.android.chrome/.Main", "com.android.chrome"),
        ("Notes", "com.example.notes"),
        ("shop", "org.example.shop.android"),
        ("Phone", "com.google.android.dialer"),
        ("Setings", "com.android.settings"),
        ("Google Chrome Browser", "com.android.chrome"),
    ] {
        assert_eq!(found(name), Ok(package), "{name}");
    }
}

#[test]
fn what_is_unclear_or_missing_names_candidates() {
    let Err(AppNameError::Ambiguous(several)) = found("player") else { panic!() };
    assert_eq!(several, ["com.a.player", "com.b.player"]);
    let missing = found("com.android.chromium").unwrap_err();
    assert!(missing.to_string().contains("Chrome (com.android.chrome)"), "{missing}");
    assert!(found("Fotoshop Ultra").is_err());
    for near in ["com.android.setings", "com.android.settingz", "player.com"] {
        assert!(matches!(found(near), Err(AppNameError::Missing { .. })), "{near}");
    }
    assert!(matches!(found("mm"), Ok("com.tencent.mm")));
    assert!(matches!(found("'; reboot"), Err(AppNameError::Missing { .. })));
    assert!(matches!(found(""), Err(AppNameError::Missing { .. })));
}

#[test]
fn a_word_that_says_nothing_of_an_app_names_none() {
    let phone = [
        "com.ebay.mobile",
        "com.spotify.music",
        "com.samsung.android.app.notes",
        "org.example.shop.android.app",
    ];
    let found = |name: &str| resolve(name, &unread(&phone)).map(|(index, _)| phone[index]);
    for name in ["Chase Mobile", "mobile", "mob", "The App", "Apple Music", "My Android"] {
        let missing = found(name).unwrap_err();
        assert!(matches!(missing, AppNameError::Missing { .. }), "{name}: {missing}");
    }
    for (name, package) in [
        ("eBay", phone[0]),
        ("music", phone[1]),
        ("Music app", phone[1]),
        ("Spotify Music", phone[1]),
        ("Samsung Notes", phone[2]),
        ("shop", phone[3]),
    ] {
        assert_eq!(found(name), Ok(package), "{name}");
    }
}

#[test]
fn one_typo_is_forgiven_in_a_short_name_and_none_in_a_shorter_one() {
    assert_eq!(found("setings"), Ok("com.android.settings"));
    assert!(found("seting").is_err());
    assert!(found("nots").is_err());
}

proptest! {
    #[test]
    fn a_name_is_an_installed_app_or_has_a_few_installed_candidates(name in "\\PC{0,40}") {
        match found(&name) {
            Ok(package) => prop_assert!(PHONE.contains(&package)),
            Err(
                AppNameError::Missing { nearest: candidates, .. }
                | AppNameError::Ambiguous(candidates),
            ) => {
                prop_assert!(candidates.len() <= 5);
                let is_installed = |it: &String| PHONE.iter().any(|package| it.contains(package));
                prop_assert!(candidates.iter().all(is_installed), "{:?}", candidates);
            }
        }
    }
}
