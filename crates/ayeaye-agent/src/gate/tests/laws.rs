//! What holds whatever the gate is told.
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::{DeviceCommand, Direction, Key, PackageFile};

/// Texts of any kind, among them what means something to the gate.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        prop::sample::select(vec![
            "Pay €49.95",
            "Delete all",
            "立即购买",
            "Send",
            "Don't allow",
            "Accessibility",
            "Anna",
            "Cancel",
            "Order history",
            "Удалить",
            "send Anna a message",
            "delete the note",
            "do not pay",
            "42",
            "",
            "İ\u{307}\u{200b}",
            "ẞ¥１２",
            "https://evil.example/?a",
            "javascript:x",
            "482913",
            "4111 1111 1111 1111",
        ])
        .prop_map(str::to_owned),
    ]
}

fn package() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z.]{0,12}",
        prop::sample::select(vec![
            "com.example.shop",
            "com.android.settings",
            "com.android.launcher3",
            "com.android.chrome",
            "com.somebank",
            "com.android.vpndialogs",
            "com.google.android.packageinstaller",
            "com.google.android.permissioncontroller",
            "",
        ])
        .prop_map(str::to_owned),
    ]
}

fn control() -> impl Strategy<Value = ControlFacts> {
    (vec(text(), 0..4), text(), "[a-zA-Z_:/]{0,16}", package(), any::<[bool; 4]>()).prop_map(
        |(names, hint, id, package, [password, reacts, switch, field])| ControlFacts {
            content: names.first().cloned().unwrap_or_default(),
            beside: names.iter().take(1).cloned().collect(),
            names,
            hint,
            resource_id: id,
            package,
            kind: if field { "android.widget.EditText" } else { "android.widget.Button" }.into(),
            password,
            reacts,
            switch,
        },
    )
}

fn screen() -> impl Strategy<Value = ScreenFacts> {
    let some = || vec(text(), 0..4);
    (
        (any::<[bool; 7]>(), text(), some(), vec(control(), 0..3), proptest::option::of(control())),
        (vec(control(), 0..3), some(), some(), some(), some()),
    )
        .prop_map(
            |(
                (
                    [
                        readable,
                        hidden_input,
                        can_decline,
                        is_only_choice,
                        written,
                        on_keyboard,
                        is_pressed,
                    ],
                    dialed,
                    said,
                    aimed,
                    focused,
                ),
                (controls, titles, header, texts, recipients),
            )| {
                ScreenFacts {
                    unseen: Vec::new(),
                    readable,
                    unusable_list: false,
                    aimed,
                    focused,
                    controls,
                    titles,
                    header,
                    texts,
                    recipients,
                    said,
                    can_decline,
                    is_only_choice,
                    hidden_input,
                    on_keyboard,
                    on_field: false,
                    locked: false,
                    digit_pad: false,
                    place: TouchPlace::default(),
                    words_there: TouchWords::default(),
                    is_pressed,
                    line_field: None,
                    dialed,
                    written,
                    draft: String::new(),
                    filled: String::new(),
                    line: Vec::new(),
                    telling: Vec::new(),
                    hints: Vec::new(),
                    subject: SubjectFacts::default(),
                }
            },
        )
}

fn gesture() -> impl Strategy<Value = Gesture> {
    let point = || (0i64..=1000, 0i64..=1000).prop_map(|(x, y)| Point::new(x, y).unwrap());
    prop_oneof![
        point().prop_map(|point| Gesture::Click { point }),
        point().prop_map(|point| Gesture::DoubleClick { point }),
        (text(), proptest::option::of(point()), any::<bool>())
            .prop_map(|(text, point, submit)| Gesture::Type { text, point, clear: false, submit }),
        (point(), point()).prop_map(|(from, to)| Gesture::Drag { from, to }),
        (point(), point()).prop_map(|(from, to)| Gesture::Slide {
            from,
            to,
            duration: std::time::Duration::from_millis(300)
        }),
        Just(Gesture::Scroll { direction: Direction::Down, at: None }),
        prop_oneof![text(), package()].prop_map(|app| Gesture::Awake { app }),
        prop::sample::select(Key::ALL.to_vec()).prop_map(|key| Gesture::HotKey { key }),
        text().prop_map(|url| Gesture::Command(DeviceCommand::OpenUrl { url })),
        (text(), prop::option::of(text())).prop_map(|(file, name)| {
            let package = name.map(|name| PackageFile { name, sha256: String::new() });
            Gesture::Command(DeviceCommand::Install { file, package })
        }),
        text().prop_map(|app| Gesture::Command(DeviceCommand::Uninstall { app })),
        (text(), text())
            .prop_map(|(file, to)| Gesture::Command(DeviceCommand::SendFile { file, to })),
    ]
}

fn policy() -> impl Strategy<Value = Policy> {
    let some = || proptest::option::of(1u32..5);
    (
        prop::sample::select(PolicyProfile::ALL.to_vec()),
        vec(package(), 0..2),
        vec(vec(package(), 0..2), 0..2),
        vec("[a-z.]{0,8}", 0..2),
        (some(), some()),
    )
        .prop_map(|(profile, deny_apps, allow_apps, deny_hosts, (taps, typed))| {
            let mut policy = Policy { allow_apps, deny_apps, deny_hosts, ..Policy::of(profile) };
            policy.budgets.taps_per_minute = taps;
            policy.budgets.typed_characters = typed.map(u64::from);
            policy
        })
}

fn history() -> impl Strategy<Value = GateHistory> {
    (0u32..6, 0u64..6, vec(text(), 0..2), vec(package(), 0..2), any::<[bool; 3]>()).prop_map(
        |(taps, typed, touched, secrets, [names_kept_secret, by_client, own_secret])| GateHistory {
            approved_apps: Vec::new(),
            taps,
            typed,
            path: touched.clone(),
            secrets_of_others: touched.clone(),
            secret_sentences: Vec::new(),
            said_secrets: Vec::new(),
            unnamed_secrets: secrets.iter().map(|it| format!("{{{{secret:{it}}}}}")).collect(),
            touched,
            secrets,
            names_kept_secret,
            by_client,
            own_secret,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn it_always_decides_and_a_restriction_more_never_allows_more(
        (one, other) in (policy(), policy()),
        (task, answer) in (text(), text()),
        gesture in gesture(),
        (package, activity, label) in (package(), text(), text()),
        screen in screen(),
        history in history(),
        marked in any::<bool>(),
    ) {
        let words = UserWords::new([task.as_str(), answer.as_str()]);
        let request = GateRequest {
            words: &words,
            gesture: &gesture,
            package: &package,
            activity: &activity,
            label: &label,
            screen: &screen,
            history: &history,
            marked,
        };
        let (wide, narrow) = (judge(&one, &request), judge(&one.narrowed(&other), &request));
        prop_assert!(wide.severity() <= narrow.severity(), "{wide:?} became {narrow:?}");
        prop_assert!(judge(&other, &request).severity() <= narrow.severity());
        prop_assert_eq!(&narrow, &judge(&one.narrowed(&other), &request));
        // What the model asks about itself is never just done.
        if marked {
            prop_assert!(0 < wide.severity());
        }
        if let GateDecision::Confirm(ask) = wide.decision {
            prop_assert!(!ask.text(str::to_owned).is_empty());
        }
    }

    #[test]
    fn any_dump_gives_facts(inner in "[<>/a-z\"= \\[\\],0-9]{0,120}", gesture in gesture()) {
        let xml = format!("<hierarchy>{inner}</hierarchy>");
        let elements = Elements::read(&xml);
        ScreenFacts::new(elements.as_ref(), &gesture, SIZE, false);
    }
}
