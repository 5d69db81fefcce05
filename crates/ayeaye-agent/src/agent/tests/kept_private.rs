//! What the user keeps for themselves: secrets that are named in a task, and apps of which nothing is shown.
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::direct::{act, tap};
use crate::fakes::{Rig, ScriptedReply, click, complete, info, types, wait};
use crate::gate::Policy;
use crate::journal::{Fact, NoteKind};
use crate::{
    AgentError, Agreed, ContinueTask, DirectAction, DirectOutcome, Follower, Gesture, KeepText,
    NamedSecret, NamedSecretError, NamedSecrets, Part, Principal, PrivacySettings, Prompt,
    RedactPictures, SecretPlaces, StartTask, StopReason, UserInput,
};

const BANK: &str = "com.example.bank";
pub(super) const SIGN_IN: &str = r#"<hierarchy rotation="0"><node text="" class="android.widget.EditText"
    clickable="true" password="true" bounds="[0,60][60,120]"/></hierarchy>"#;

/// What the user has kept, by name.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<HashMap<String, NamedSecret>>);

impl Kept {
    pub(super) fn with(name: &str, value: &str) -> Arc<Self> {
        let kept = Self::default();
        kept.keep(name, value);
        Arc::new(kept)
    }

    fn keep(&self, name: &str, value: &str) {
        let places = SecretPlaces { apps: vec![BANK.to_owned()], hosts: Vec::new() };
        self.keep_for(name, value, places);
    }

    fn keep_for(&self, name: &str, value: &str, places: SecretPlaces) {
        let secret = NamedSecret { value: value.to_owned(), places };
        self.0.lock().unwrap().insert(name.to_owned(), secret);
    }
}

impl NamedSecrets for Kept {
    fn find(&self, name: &str) -> Result<Option<NamedSecret>, NamedSecretError> {
        Ok(self.0.lock().unwrap().get(name).cloned())
    }

    fn all(&self) -> Result<Arc<BTreeMap<String, NamedSecret>>, NamedSecretError> {
        let all = self.0.lock().unwrap();
        Ok(Arc::new(all.iter().map(|(name, kept)| (name.clone(), kept.clone())).collect()))
    }
}

fn at_the_bank(rig: &Rig) {
    rig.phone.fronts(BANK, "SignIn");
    rig.phone.shows(SIGN_IN, true);
}

fn prompts_with(rig: &Rig, text: &str) -> usize {
    rig.script.prompts().iter().filter(|prompt| format!("{prompt:?}").contains(text)).count()
}

const TASK: &str = "Sign in to the bank with {{secret:bank}}";

#[tokio::test(start_paused = true)]
async fn a_named_secret_is_typed_and_no_model_is_told_it() {
    let kept = Kept::with("bank", "Quince&41");
    // Also where every text is kept in full.
    for text in [KeepText::Redacted, KeepText::Full] {
        let privacy = PrivacySettings { text, ..PrivacySettings::default() };
        let rig = Rig::new([types("{{secret:bank}}", None), complete("I typed Quince&41")])
            .keeping(kept.clone())
            .privacy(privacy);
        at_the_bank(&rig);
        let report = rig.run_task(TASK).await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
        assert!(rig.phone.sent().last().unwrap().starts_with("TYPE Quince&41"));
        assert_eq!(report.message, "I typed {{secret:bank}}");
        assert_eq!(prompts_with(&rig, "Quince"), 0, "the model is told the name");
        assert_eq!(rig.files_with("Quince"), [""; 0], "{text:?}");
    }
}

/// From a field that can be seen it may be carried to any site.
#[tokio::test(start_paused = true)]
async fn a_model_copies_nothing_unasked_while_a_named_secret_is_in_the_task() {
    for (task, is_asked) in [(TASK, true), ("Read me the newest note", false)] {
        let rig = Rig::new([click(500), complete("done")]).keeping(Kept::with("bank", "Quince&41"));
        rig.phone.fronts(BANK, ".Main");
        let menu = r#"<hierarchy rotation="0"><node text="Copy" class="android.widget.Button"
            clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#;
        rig.phone.shows(menu, false);
        let report = rig.run_task(&format!("{task} in the bank")).await;
        assert_eq!(report.question.is_some(), is_asked, "{task}: {}", report.message);
    }
}

#[tokio::test(start_paused = true)]
async fn a_named_secret_that_comes_back_from_the_screen_is_not_passed_on() {
    let rig =
        Rig::new([types("{{secret:bank}}", None), info("The field says Quince&41. Is it right?")])
            .keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    let asked = rig.run_task(TASK).await;
    assert_eq!(asked.message, "The field says {{secret:bank}}. Is it right?");
    rig.script.adds([complete("done")]);
    rig.go_on(asked.session_id, UserInput::Reply("yes, Quince&41 is right".to_owned())).await;
    assert_eq!(prompts_with(&rig, "Quince"), 0);
    assert_eq!(rig.files_with("Quince"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_named_secret_is_black_and_kept_nowhere_in_whatever_way_an_app_shows_it() {
    for shown in [
        "DE89370400440532013000",
        "DE89 3704 0044 0532 0130 00",
        "de89370400440532013000",
        "DE89-3704-0044-0532-0130-00",
        "D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0",
    ] {
        let rig = Rig::new([click(1), complete("done")])
            .keeping(Kept::with("bank", "DE89370400440532013000"));
        let screen = format!(
            r#"<hierarchy rotation="0"><node text="Pay" clickable="true" bounds="[0,0][60,60]"/>
            <node text="To {shown}" clickable="false" bounds="[0,60][60,120]"/></hierarchy>"#
        );
        rig.phone.fronts(BANK, "Pay");
        rig.phone.shows(&screen, false);
        let report = rig.run_task(TASK).await;
        let blackened = |fact: &Fact| match fact {
            Fact::Observe(seen) => Some(seen.blackened),
            _ => None,
        };
        assert_eq!(rig.facts(report.session_id, blackened).await, [1, 1], "{shown}");
        assert_eq!(rig.files_with(shown), [""; 0], "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_the_user_has_not_named_is_not_typed() {
    let rig = Rig::new([types("{{secret:bank}}", None), complete("done")])
        .keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    rig.run_task("Look at my account").await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    assert_eq!(prompts_with(&rig, "Quince"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_named_secret_goes_into_its_own_app_only() {
    let rig = Rig::new([types("my code: {{secret:bank}}", None), complete("done")])
        .keeping(Kept::with("bank", "Quince&41"));
    rig.phone.fronts("com.example.chat", "Talk");
    rig.run_task(TASK).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    assert!(prompts_with(&rig, "secret-elsewhere") > 0, "the model is told why");
}

#[tokio::test(start_paused = true)]
async fn a_named_secret_goes_into_what_a_tap_opens_nowhere() {
    let at = |y| Some([500, y]);
    let script =
        [types("{{secret:bank}}", at(750)), types("{{secret:bank}}", at(10)), complete("")];
    let rig = Rig::new(script).keeping(Kept::with("bank", "Quince&41"));
    let link = r#"<node text="Our website" class="android.widget.Button" clickable="true" bounds="[0,0][60,59]"/>"#;
    at_the_bank(&rig);
    rig.phone.shows(&SIGN_IN.replace("</hierarchy>", &format!("{link}</hierarchy>")), true);
    rig.run_task(TASK).await;
    assert_eq!(rig.phone.gestures().len(), 1, "on the field only: {:?}", rig.phone.gestures());
    assert!(prompts_with(&rig, "Tap the field, and once it is focused type the secret") > 0);
}

#[tokio::test(start_paused = true)]
async fn a_secret_of_a_page_is_typed_on_that_page_only() {
    for (shown, typed) in [("bank.example/login", 1), ("bank.example.evil.net", 0), ("", 0)] {
        let kept = Arc::new(Kept::default());
        let (apps, hosts) =
            (vec!["com.android.chrome".to_owned()], vec!["bank.example".to_owned()]);
        kept.keep_for("bank", "Quince&41", SecretPlaces { apps, hosts });
        let rig = Rig::new([types("{{secret:bank}}", None), complete("done")]).keeping(kept);
        rig.phone.fronts("com.android.chrome", "Main");
        let bar = format!(
            r#"<node class="android.widget.EditText" resource-id="com.android.chrome:id/url_bar" text="{shown}" bounds="[0,0][900,90]"/>"#
        );
        rig.phone.shows(&SIGN_IN.replace("</hierarchy>", &format!("{bar}</hierarchy>")), true);
        rig.run_task(TASK).await;
        assert_eq!(rig.phone.gestures().len(), typed, "{shown}");
        let told = prompts_with(&rig, "given for bank.example");
        assert_eq!(told == 0, typed == 1, "{shown}: the model is told where it belongs");
        assert_eq!(prompts_with(&rig, "Quince"), 0);
    }
}

/// A password in the user's own words is typed on the site that they name, and asked about on any other.
#[tokio::test(start_paused = true)]
async fn a_password_in_the_words_goes_to_the_site_that_they_name() {
    const BY_ADDRESS: &str = "Sign in to github.com in Chrome with the password Hunter2!xQ";
    const BY_NAME: &str = "Sign in to GitHub in Chrome with the password Hunter2!xQ";
    for task in [BY_ADDRESS, BY_NAME] {
        for (shown, typed) in
            [("github.com/login", 1), ("evil.net", 0), ("github.evil.net", 0), ("", 1)]
        {
            let rig = Rig::new([types("Hunter2!xQ", None), complete("done")]);
            rig.phone.fronts("com.android.chrome", "Main");
            let bar = format!(
                r#"<node class="android.widget.EditText" resource-id="com.android.chrome:id/url_bar" text="{shown}" bounds="[0,0][900,90]"/>"#
            );
            rig.phone.shows(&SIGN_IN.replace("</hierarchy>", &format!("{bar}</hierarchy>")), true);
            let result = rig.run_task(task).await;
            assert_eq!(rig.phone.gestures().len(), typed, "{task}: {shown}");
            assert_eq!(result.question.is_some(), typed == 0, "{task}: {shown}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_names_a_secret_that_there_is_not_is_refused() {
    let kept = Arc::new(Kept::default());
    let rig = Rig::new([info("Which one?")]).keeping(kept.clone());
    let refused = rig.agent.start(rig.task(TASK)).await.unwrap_err();
    assert!(
        matches!(&refused, AgentError::Secret(NamedSecretError::Unknown(name)) if name == "bank"),
        "{refused:?}"
    );
    let asked = rig.run_task("Sign in").await;
    let answer = UserInput::Reply("{{secret:bank}}".to_owned());
    let next = rig.next(asked.session_id, answer.clone());
    assert!(matches!(rig.agent.resume(next).await, Err(AgentError::Secret(_))));
    // A new one counts at once, and an answer can name it too.
    kept.keep("bank", "Quince&41");
    at_the_bank(&rig);
    rig.script.adds([types("{{secret:bank}}", None), complete("done")]);
    rig.go_on(asked.session_id, answer).await;
    assert!(rig.phone.sent().last().unwrap().starts_with("TYPE Quince&41"));
}

/// Whoever holds another token can see what is typed on a phone that all share.
#[tokio::test(start_paused = true)]
async fn nobody_but_the_person_at_this_machine_has_their_secrets_typed() {
    let rig = Rig::new([info("Which one?"), types("{{secret:bank}}", None), complete("done")]);
    let rig = rig.keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    let principal = Principal::new("token:anna");
    let its = |task: &str| StartTask { principal: principal.clone(), ..rig.task(task) };
    let is_unknown = |refused: Result<Follower, AgentError>| {
        let refused = refused.unwrap_err();
        let unknown = AgentError::Secret(NamedSecretError::Unknown("bank".to_owned()));
        assert_eq!(refused.to_string(), unknown.to_string());
    };
    is_unknown(rig.agent.start(its(TASK)).await);
    let mut asked = rig.agent.start(its("Sign in")).await.unwrap();
    asked.finished().await;
    let session = asked.report().session_id;
    let next = |words: &str| ContinueTask {
        principal: principal.clone(),
        ..rig.next(session, UserInput::Reply(words.to_owned()))
    };
    is_unknown(rig.agent.resume(next("{{secret:bank}}")).await);
    let operator = Principal::operator();
    let by_operator = ContinueTask { principal: operator, ..next("{{secret:bank}}") };
    is_unknown(rig.agent.resume(by_operator).await);
    // Nor does a model that is talked into naming it.
    rig.agent.resume(next("the one of the bank")).await.unwrap().finished().await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

/// At the command line it is that person who speaks.
#[tokio::test(start_paused = true)]
async fn an_operator_names_the_secrets_of_the_person_at_this_machine() {
    let rig = Rig::new([info("Which one?"), types("{{secret:bank}}", None), complete("done")]);
    let rig = rig.keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    let own = rig.run_task("Sign in").await.session_id;
    let said = UserInput::Reply("{{secret:bank}}".to_owned());
    let next = ContinueTask { principal: Principal::operator(), ..rig.next(own, said) };
    rig.agent.resume(next).await.unwrap().finished().await;
    assert!(rig.phone.sent().last().unwrap().starts_with("TYPE Quince&41"));
    let shown = "Quince&41 and 482913";
    let hidden = "{{secret:bank}} and 482913";
    assert_eq!(rig.agent.without_named_secrets(shown, &Principal::local()), hidden);
    let anna = Principal::new("token:anna");
    assert_eq!(rig.agent.without_named_secrets(shown, &anna), shown, "not told that it is one");
}

#[tokio::test(start_paused = true)]
async fn a_named_secret_is_known_to_the_next_process() {
    let kept = Kept::with("bank", "Quince&41");
    let rig = Rig::new([click(1)]).steps(1).keeping(kept.clone());
    at_the_bank(&rig);
    let report = rig.run_task(TASK).await;
    let next = rig.restarted([types("{{secret:bank}}", None), complete("done")]).keeping(kept);
    at_the_bank(&next);
    let report = next.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
    assert!(next.phone.sent().last().unwrap().starts_with("TYPE Quince&41"));
}

#[tokio::test(start_paused = true)]
async fn of_a_private_app_nothing_is_shown_to_anybody() {
    let mut private = Policy::default();
    private.private_apps = vec!["com.example.*".to_owned()];
    let rig = Rig::new([click(1), complete("done")]).under(private);
    rig.phone.fronts("com.android.launcher3", "Home");
    let first = rig.run_task("Look").await;
    assert_eq!(first.stop_reason, StopReason::TaskCompletedSuccessfully);
    let sent = rig.script.prompts().len();
    rig.phone.fronts(BANK, "Accounts");
    rig.phone.shows(SIGN_IN, false);
    let asked = rig.go_on(first.session_id, UserInput::Task("Look again".to_owned())).await;
    assert_eq!(asked.stop_reason, StopReason::InfoActionNeedsReply);
    assert!(asked.message.contains("com.example.bank) private"), "{}", asked.message);
    assert_eq!(rig.script.prompts().len(), sent, "no model was asked");
    let kept = |fact: &Fact| match fact {
        Fact::Observe(seen) if seen.package == BANK => {
            Some(seen.screenshot.is_some() || seen.ui_tree.is_some())
        }
        _ => None,
    };
    let kept = rig.facts(first.session_id, kept).await;
    assert!(kept.iter().all(|it| !it), "{kept:?}");
}

const SHOWN: &str = r#"<hierarchy rotation="0"><node text="Quince&amp;41" class="android.widget.EditText"
    clickable="true" password="false" bounds="[0,0][60,120]"/></hierarchy>"#;

#[tokio::test(start_paused = true)]
async fn a_named_secret_that_the_screen_shows_is_black_on_what_models_are_sent() {
    for redact in [RedactPictures::Auto, RedactPictures::Never] {
        let rig = Rig::new([types("{{secret:bank}}", None), click(1), complete("done")])
            .keeping(Kept::with("bank", "Quince&41"))
            .limited(|limits| limits.redact = redact);
        rig.phone.fronts(BANK, "SignIn");
        rig.phone.shows(SHOWN, false);
        let report = rig.run_task(TASK).await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
        let prompts = rig.script.prompts();
        let black: Vec<_> = prompts.iter().map(begins_black).collect();
        let after = redact == RedactPictures::Auto;
        // Also before it was typed: another session may have left it there.
        assert_eq!(black, [after; 3], "{redact:?}");
    }
}

/// The model of a client that drives a phone itself looks at such pictures.
#[tokio::test(start_paused = true)]
async fn a_named_secret_that_the_screen_shows_is_black_for_the_client_too() {
    let rig = Rig::new([]).keeping(Kept::with("bank", "Quince&41"));
    let black = async |reader: Principal| {
        let phone = &*rig.phone;
        let frame = rig.agent.capture_for(phone, &reader).await.unwrap();
        frame.rgba()[..4] == [0, 0, 0, 255]
    };
    rig.phone.fronts(BANK, "SignIn");
    rig.phone.shows(SHOWN, false);
    assert!(black(Principal::local()).await);
    assert!(!black(Principal::new("token:anna")).await, "not told that it is one");
    rig.phone.fronts("com.example.other", "Main");
    assert!(!black(Principal::local()).await, "it is not typed there");
    // The picture may be of either app.
    rig.phone.fronts(BANK, "SignIn");
    rig.phone.captures_in(Duration::from_millis(300));
    let leaves = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        rig.phone.fronts("com.example.other", "Main");
    };
    let reader = Principal::local();
    let (shown, ()) = tokio::join!(rig.agent.capture_for(&*rig.phone, &reader), leaves);
    assert!(matches!(shown, Err(AgentError::ScreenWithheld { .. })), "{shown:?}");
    rig.phone.fronts(BANK, "SignIn");
    rig.phone.refuses_dumps();
    let error = rig.agent.capture_for(&*rig.phone, &Principal::local()).await.unwrap_err();
    assert!(matches!(error, AgentError::ScreenWithheld { .. }), "{error}");
}

/// It may be any session, of any server, that has typed it.
#[tokio::test(start_paused = true)]
async fn a_kept_secret_is_hidden_in_sessions_whose_words_do_not_name_it() {
    let kept = Kept::with("bank", "Quince&41");
    let looks = || [click(1), complete("It says Quince&41")];
    let rig = Rig::new(looks()).keeping(kept.clone());
    rig.phone.fronts(BANK, "SignIn");
    rig.phone.shows(SHOWN, false);
    let report = rig.run_task("Look at the bank").await;
    assert_eq!(report.message, "It says {{secret:bank}}");
    assert!(rig.script.prompts().iter().all(begins_black), "black for the model");
    // One that is kept while a session goes on counts from its next step on.
    kept.keep("mail", "Mango/77");
    rig.phone.shows(&SHOWN.replace("Quince&amp;41", "Mango/77"), false);
    rig.script.adds([click(1), complete("It says Mango/77")]);
    let report = rig
        .go_on(report.session_id, UserInput::Task("What does the bank show now?".to_owned()))
        .await;
    assert_eq!(report.message, "It says {{secret:mail}}");
    act(&rig.agent, tap(500, None)).await;
    assert_eq!(prompts_with(&rig, "Quince"), 0);
    for secret in ["Quince", "Mango"] {
        assert_eq!(rig.files_with(secret), [""; 0], "{secret}");
    }
    // Hidden it is, and typed by nobody whom the user has not told to.
    rig.script.adds([types("{{secret:bank}}", None), complete("done")]);
    let before = rig.phone.gestures().len();
    rig.run_task("Look at the bank").await;
    assert_eq!(rig.phone.gestures().len(), before);
}

#[tokio::test(start_paused = true)]
async fn in_other_apps_a_kept_secret_costs_no_picture() {
    let rig = Rig::new([complete("done")]).keeping(Kept::with("bank", "Quince&41"));
    rig.phone.refuses_dumps();
    let report = rig.run_task("Look").await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
    let stored = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(seen) => Some(seen.screenshot.is_some()),
        _ => None,
    });
    assert_eq!(stored.await, [true]);
}

#[tokio::test(start_paused = true)]
async fn whoever_writes_a_kept_secret_out_names_it() {
    let rig = Rig::new([types("{{secret:bank}}", None), complete("done")])
        .keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    rig.run_task("Sign in to the bank with Quince&41").await;
    assert!(rig.phone.sent().last().unwrap().starts_with("TYPE Quince&41"));
    assert_eq!(prompts_with(&rig, "Quince"), 0);
    assert_eq!(rig.files_with("Quince"), [""; 0]);
}

/// A name in place of a text would tell them that they have found it.
#[tokio::test(start_paused = true)]
async fn in_sessions_of_others_a_kept_secret_is_a_text_like_any_other() {
    let rig = Rig::new([complete("It says Quince&41")]).keeping(Kept::with("bank", "Quince&41"));
    let anna = Principal::new("token:anna");
    let task = StartTask { principal: anna.clone(), ..rig.task("Look") };
    let mut run = rig.agent.start(task).await.unwrap();
    run.finished().await;
    assert_eq!(run.report().message, "It says Quince&41");
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_was_given_in_one_session_is_hidden_in_all_of_its_owner() {
    let rig = Rig::new([info("What is the password?")]);
    let asked = rig.run_task("Sign in").await;
    rig.script.adds([types("Quince&41", None), complete("done")]);
    rig.go_on(asked.session_id, UserInput::Reply("Quince&41".to_owned())).await;
    rig.phone.shows(SHOWN, false);
    rig.script.adds([click(1), types("Quince&41", None), complete("It says Quince&41")]);
    let report = rig.run_task("Write Quince&41 once more").await;
    assert!(report.message.starts_with("It says [secret password"), "{}", report.message);
    // The phone is given it all the same: the user has said it.
    assert!(rig.phone.sent().last().unwrap().starts_with("TYPE Quince&41"));
    let black = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(seen) => Some(seen.blackened),
        _ => None,
    });
    assert_eq!(black.await[0], 1, "in the app in which it was typed");
    assert_eq!(rig.files_with("Quince"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_the_users_words_forbid_is_not_typed() {
    let rig = Rig::new([types("{{secret:bank}}", None), complete("done")])
        .keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    rig.run_task("Look at the bank. Never use {{secret:bank}}.").await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

fn typed_by_client(agreed: Agreed) -> DirectAction {
    let (text, point) = ("{{secret:bank}}".to_owned(), None);
    let gesture = Gesture::Type { text, point, clear: false, submit: false };
    DirectAction { gesture, agreed, principal: Principal::local(), ..tap(1, None) }
}

#[tokio::test(start_paused = true)]
async fn a_client_has_a_kept_secret_typed_only_with_a_persons_leave() {
    let rig = Rig::new([]).keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    let asked = act(&rig.agent, typed_by_client(Agreed::Nothing)).await;
    let DirectOutcome::NeedsApproval(leave) = asked.outcome else { panic!("{asked:?}") };
    assert!(leave.question.contains("{{secret:bank}}"), "{}", leave.question);
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let agreed = Agreed::Act(Box::new(leave.act));
    let done = act(&rig.agent, typed_by_client(agreed)).await;
    assert_eq!(done.outcome, DirectOutcome::Done);
    assert!(rig.phone.sent().last().unwrap().starts_with("TYPE Quince&41"));
    // A person who types it at the page is that person.
    let by_hand = DirectAction { by_hand: true, ..typed_by_client(Agreed::Nothing) };
    assert_eq!(act(&rig.agent, by_hand).await.outcome, DirectOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn in_a_session_whose_words_name_it_a_client_types_a_kept_secret_unasked() {
    let rig = Rig::new([info("Where?")]).keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    let session = rig.run_task(TASK).await.session_id;
    let typed = DirectAction { session_id: Some(session), ..typed_by_client(Agreed::Nothing) };
    assert_eq!(act(&rig.agent, typed).await.outcome, DirectOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn what_a_client_names_is_none_that_the_user_has_named() {
    let rig = Rig::new([types("{{secret:bank}}", None), complete("done")])
        .keeping(Kept::with("bank", "Quince&41"));
    at_the_bank(&rig);
    let by_hand = DirectAction { by_hand: true, ..typed_by_client(Agreed::Nothing) };
    let typed = act(&rig.agent, by_hand).await;
    assert_eq!(rig.phone.gestures().len(), 1);
    rig.go_on(typed.session_id, UserInput::Task("Look at my account".to_owned())).await;
    assert_eq!(rig.phone.gestures().len(), 1, "{:?}", rig.phone.gestures());
    assert_eq!(rig.files_with("Quince"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_picture_that_cannot_be_redacted_is_sent_to_no_model() {
    let rig = Rig::new([complete("done")]).limited(|limits| limits.redact = RedactPictures::Always);
    rig.phone.refuses_dumps();
    let asked = rig.run().await;
    assert_eq!(asked.stop_reason, StopReason::InfoActionNeedsReply);
    assert!(asked.message.contains("sent to no model"), "{}", asked.message);
    assert_eq!(rig.script.prompts().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_the_model_switches_off_is_black_and_asked_for_nothing() {
    let power =
        || ScriptedReply::Says(r#"{"function":"HOT_KEY","arguments":{"key":"POWER"}}"#.to_owned());
    for (redact, black) in [(RedactPictures::Always, true), (RedactPictures::Never, false)] {
        let acts = [power(), wait(1), complete("The screen is off.")];
        let rig = Rig::new(acts).limited(|limits| limits.redact = redact);
        rig.phone.shows(SIGN_IN, true);
        let follower = rig.begin().await;
        rig.script.is_asked(2).await;
        let dumps = rig.phone.dumps();
        let report = rig.ended(follower).await;
        assert_eq!(report.message, "The screen is off.", "{redact:?}");
        assert_eq!(rig.phone.dumps(), dumps, "{redact:?}: one that sleeps tells nothing");
        let prompts = rig.script.prompts();
        assert!(prompts[1..].iter().all(|prompt| begins_black(prompt) == black), "{redact:?}");
        let notes = rig.facts(report.session_id, |fact| match fact {
            Fact::Note { kind, .. } if *kind == NoteKind::PictureNotKept => Some(()),
            _ => None,
        });
        assert_eq!(notes.await, [(); 0], "{redact:?}");
    }
}

/// Whether the newest picture of a prompt is black in its first corner, which its first bytes tell.
fn begins_black(prompt: &Prompt) -> bool {
    let parts = prompt.messages.iter().flat_map(|message| &message.parts);
    let pictures = parts.filter_map(|part| match part {
        Part::Picture(picture) => Some(&picture.bytes),
        _ => None,
    });
    pictures.last().expect("there is a picture").starts_with(&[0, 0, 0])
}

/// An app may become private after its screens were recorded.
#[tokio::test(start_paused = true)]
async fn earlier_pictures_of_a_private_app_are_not_shown_again() {
    let rig = Rig::new([click(1), wait(1)]).steps(2);
    rig.script.shows_earlier(2);
    rig.phone.fronts("com.example.notes", "List");
    let session = rig.run().await.session_id;
    for (private, shown) in [("com.example.notes", &[][..]), ("com.example.other", &[1, 2][..])] {
        let mut policy = Policy::default();
        policy.private_apps = vec![private.to_owned()];
        let next = rig.restarted([wait(1)]).steps(1).under(policy);
        next.script.shows_earlier(2);
        next.phone.fronts("com.example.shop", "Main");
        next.go_on(session, UserInput::Nothing).await;
        assert_eq!(next.script.seen()[0].history_images, shown, "{private}");
    }
}

#[tokio::test(start_paused = true)]
async fn elements_that_may_be_of_a_private_app_are_not_kept() {
    let mut private = Policy::default();
    private.private_apps = vec!["com.example.bank".to_owned()];
    let rig = Rig::new([click(1), complete("done")]).under(private);
    rig.phone.dumps_in(Duration::from_millis(1500));
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    // It comes up while the screen before it is being read.
    rig.phone.fronts("com.example.bank", ".Balance");
    rig.phone
        .shows(r#"<hierarchy><node text="Balance 4711" bounds="[0,0][60,6]"/></hierarchy>"#, false);
    rig.ended(follower).await;
    assert_eq!(rig.files_with("Balance 4711"), [""; 0]);
}
