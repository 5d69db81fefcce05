//! The skills on the real phone: moves are carried out directly, without a server in between.
use std::time::Duration;

use ayeaye_agent::{DONE_BY_HAND, Key, Point};
use ayeaye_phone::{Component, Phone, PhoneOptions, PhoneState};
use tokio::time::{Instant, sleep, sleep_until};

use super::step::{NextAction, format_reply};
use super::{TaskProgress, UserReply, server};

/// More than any of the tasks takes.
const MOST_STEPS: usize = 40;

/// A task on a phone.
struct TaskRun {
    phone: Phone,
    progress: TaskProgress,
    /// The question that has not been answered.
    question: String,
    steps: usize,
}

impl TaskRun {
    fn new(task: &str) -> Self {
        Self::on(&Phone::new(PhoneOptions::default()), task)
    }

    fn on(phone: &Phone, task: &str) -> Self {
        let progress = TaskProgress::new(task);
        Self { phone: phone.clone(), progress, question: String::new(), steps: 0 }
    }

    /// Carries out one step; `Some` when it is not for the phone.
    async fn step(&mut self) -> Option<NextAction> {
        let next = server::decide(&self.phone, &self.progress).await;
        let reply = format_reply(&next);
        assert!(reply.ends_with(&format!("\tsummary:{}", next.summary)), "{reply}");
        self.progress.last_summary = next.summary;
        self.steps += 1;
        apply(&self.phone, next.action).await
    }

    /// Until it asks or ends.
    async fn run(&mut self) -> NextAction {
        loop {
            assert!(
                self.steps < MOST_STEPS,
                "{} is stuck: {}",
                self.progress.task,
                self.progress.last_summary
            );
            if let Some(end) = self.step().await {
                return end;
            }
        }
    }

    async fn asks(&mut self, words: &str) {
        let NextAction::Ask(question) = self.run().await else {
            panic!("{} asks nothing", self.progress.task)
        };
        assert!(question.contains(words), "{question}");
        self.question = question;
    }

    fn reply(&mut self, text: &str) {
        let question = std::mem::take(&mut self.question);
        self.progress.replies.push(UserReply { question, text: text.to_owned() });
    }

    async fn completes(&mut self, words: &str) -> PhoneState {
        let end = self.run().await;
        let NextAction::Complete(message) = &end else { panic!("{}: {end:?}", self.progress.task) };
        assert!(message.contains(words), "{message}");
        let state = self.phone.state();
        let counts = &state.counts;
        let wasted = [counts.dead_taps, counts.taps_in_transition, counts.text_without_focus];
        assert_eq!(wasted, [0; 3], "{:?}", state.actions);
        assert!(state.orders.is_empty(), "{:?}", state.orders);
        state
    }

    async fn aborts(&mut self, words: &str) {
        let end = self.run().await;
        assert!(
            matches!(&end, NextAction::Abort(why) if why.contains(words)),
            "{}: {end:?}",
            self.progress.task
        );
    }
}

async fn apply(phone: &Phone, act: NextAction) -> Option<NextAction> {
    let (width, height) = phone.display_size();
    #[expect(clippy::cast_precision_loss, reason = "a screen is a few thousand pixels")]
    let pixel = |at: Point| {
        (f32::from(at.x()) * width as f32 / 1000.0, f32::from(at.y()) * height as f32 / 1000.0)
    };
    match act {
        NextAction::Click(at) => {
            let (x, y) = pixel(at);
            phone.tap(x, y);
        }
        NextAction::Type { text, at, clear } => {
            let (x, y) = pixel(at);
            phone.tap(x, y);
            settle(phone).await;
            assert!(!clear || phone.clear_text());
            assert!(phone.commit_text(&text));
        }
        NextAction::Slide { from, to } => {
            sleep(Duration::from_millis(500)).await;
            phone.swipe(pixel(from), pixel(to), Duration::from_millis(500));
        }
        NextAction::OpenApp(label) => {
            let app = phone.packages().into_iter().find(|app| app.label == label).unwrap();
            phone.start_activity(&app.launcher.unwrap()).unwrap();
        }
        NextAction::Press(key) => {
            let code = match key {
                Key::Back => 4,
                Key::Enter => 66,
                Key::Power => 26,
                other => panic!("{other:?} is no key for these tasks"),
            };
            phone.key(code, false);
        }
        NextAction::Wait => sleep(Duration::from_secs(1)).await,
        end @ (NextAction::Ask(_) | NextAction::Complete(_) | NextAction::Abort(_)) => {
            return Some(end);
        }
    }
    settle(phone).await;
    None
}

async fn settle(phone: &Phone) {
    let cap = Instant::now() + Duration::from_secs(3);
    while let Some(still) = phone.settles_at()
        && Instant::now() < cap
    {
        sleep_until(still.clamp(Instant::now() + Duration::from_millis(1), cap)).await;
    }
}

fn open(phone: &Phone, package: &str, class: &str) {
    let class = format!("{package}.{class}");
    phone.start_activity(&Component { package: package.to_owned(), class }).unwrap();
}

fn sent(state: &PhoneState) -> Vec<(&str, &str)> {
    state.sent.iter().map(|sent| (sent.to.as_str(), sent.text.as_str())).collect()
}

const TELL_ANNA: &str = "In Messages, tell Anna: I am ten minutes late";
const TWO: &str = "There are two Annas: Anna Bauer and Anna Berg. Which one?";

#[tokio::test(start_paused = true)]
async fn a_message_goes_to_the_anna_who_is_meant() {
    let mut run = TaskRun::new(TELL_ANNA);
    run.asks(TWO).await;
    run.reply("Anna Berg");
    let state = run.completes("Sent to Anna Berg: “I am ten minutes late”").await;
    assert_eq!(sent(&state), [("Anna Berg", "I am ten minutes late")]);
    assert_eq!(run.steps, 8);
    let mut again = TaskRun::on(&run.phone, "Tell Anna Berg: I am ten minutes late");
    let state = again.completes("did not send it twice").await;
    assert_eq!(state.sent.len(), 1);
    let mut other = TaskRun::on(&run.phone, TELL_ANNA);
    other.asks(TWO).await;
    other.reply("the first one");
    let state = other.completes("Anna Bauer").await;
    assert_eq!(sent(&state)[1], ("Anna Bauer", "I am ten minutes late"));
    let mut asked = TaskRun::on(&run.phone, TELL_ANNA);
    asked.asks(TWO).await;
    asked.reply("Anna Bauer");
    let state = asked.completes("did not send it twice").await;
    assert_eq!(state.sent.len(), 2, "a question in between changes nothing of that");
}

#[tokio::test(start_paused = true)]
async fn whatever_is_on_the_screen_a_message_is_sent_once() {
    for at in 0..12 {
        for meddle in 0..4 {
            let mut run = TaskRun::new("告诉Anna：我晚到十分钟");
            let mut ended = None;
            for step in 0.. {
                if step == at {
                    match meddle {
                        0 => run.phone.key(3, false),
                        1 => open(&run.phone, "com.example.shop", "CartActivity"),
                        2 => run.phone.show_dialog(
                            "Shop isn't responding",
                            "",
                            &["Close app", "Wait"],
                        ),
                        _ => run.phone.receive_message("Mum", "Where are you?"),
                    }
                    settle(&run.phone).await;
                }
                match run.step().await {
                    Some(NextAction::Ask(question)) => {
                        run.question = question;
                        run.reply("Berg 那位");
                    }
                    Some(end) => {
                        ended = Some(end);
                        break;
                    }
                    None => {
                        assert!(step < MOST_STEPS, "{at} {meddle} {}", run.progress.last_summary);
                    }
                }
            }
            assert!(matches!(ended, Some(NextAction::Complete(_))), "{at} {meddle} {ended:?}");
            let state = run.phone.state();
            assert_eq!(sent(&state), [("Anna Berg", "我晚到十分钟")], "{at} {meddle}");
            assert_eq!(state.counts.dead_taps, 0, "{at} {meddle} {:?}", state.actions);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn messages_to_others() {
    let cases = [
        ("Text Ben Carter see you at 10:30", "Ben Carter", "see you at 10:30"),
        ("Send \"hi\" to priya", "Priya Nair", "hi"),
        ("Tell Mum that dinner is at 8", "Mum", "dinner is at 8"),
        ("给李伟发消息说明天见", "Li Wei 李伟", "明天见"),
    ];
    for (task, to, text) in cases {
        let state = TaskRun::new(task).completes(to).await;
        assert_eq!(sent(&state), [(to, text)], "{task}");
    }
    let mut run = TaskRun::new("Tell Zoe to call me");
    run.asks("no contact called Zoe. Whom do you mean?").await;
    run.reply("Emma");
    run.asks("What should the message say?").await;
    run.reply("Call me");
    let state = run.completes("Emma").await;
    assert_eq!(sent(&state), [("Emma Lindqvist", "Call me")]);
    let mut run = TaskRun::new(TELL_ANNA);
    for _ in 0..2 {
        run.asks("Which one?").await;
        run.reply("Follow the task and go on, ask nothing more");
    }
    run.aborts("could not find out").await;
    assert!(run.phone.state().sent.is_empty());
}

#[tokio::test(start_paused = true)]
async fn switches_are_switched() {
    let phone = Phone::new(PhoneOptions::default());
    let state = TaskRun::on(&phone, "Switch Wi-Fi off.").completes("Wi-Fi is off.").await;
    assert!(!state.wifi);
    let mut run = TaskRun::on(&phone, "Turn Bluetooth and Wi-Fi on");
    let state = run.completes("Wi-Fi is on. Bluetooth is on.").await;
    assert!(state.wifi && state.bluetooth);
    let state = TaskRun::on(&phone, "打开飞行模式").completes("飞行模式已打开").await;
    assert!(state.airplane && !state.wifi);
    open(&phone, "com.example.shop", "CartActivity");
    let state =
        TaskRun::on(&phone, "Disable airplane mode").completes("Airplane mode is off").await;
    assert!(!state.airplane);
}

#[tokio::test(start_paused = true)]
async fn a_note_is_saved_exactly() {
    let text = "东京 5月3日 🗼🍣 \"Hotel\" is $120, it's C:\\trips\\tokyo %s";
    let task = format!("Save a note titled \"Trip\" with the text \"{text}\"");
    let mut run = TaskRun::new(&task);
    let before = run.phone.state().notes.len();
    let state = run.completes(text).await;
    assert_eq!((state.notes[0].title.as_str(), state.notes[0].body.as_str()), ("Trip", text));
    assert_eq!(state.notes.len(), before + 1);
    let state = TaskRun::on(&run.phone, &task).completes("Trip").await;
    assert_eq!(state.notes.len(), before + 1);

    let mut run = TaskRun::new("Save a note titled \"Trip\"");
    run.asks("What should the note say?").await;
    run.reply("Milk");
    let state = run.completes("Milk").await;
    assert_eq!(state.notes[0].body, "Milk");
}

#[tokio::test(start_paused = true)]
async fn a_note_somebody_has_begun_is_kept() {
    let phone = Phone::new(PhoneOptions::default());
    open(&phone, "com.example.notes", "EditActivity");
    settle(&phone).await;
    let title = phone.state().nodes.into_iter().find(|node| node.id.ends_with("id/title")).unwrap();
    let (x, y) = title.center();
    phone.tap(x, y);
    settle(&phone).await;
    assert!(phone.commit_text("Mine"));
    let state = TaskRun::on(&phone, "Note: buy milk").completes("buy milk").await;
    assert_eq!(state.notes[0].body, "buy milk");
    assert_eq!(state.notes[1].title, "Mine");
}

#[tokio::test(start_paused = true)]
async fn shopping_stops_before_paying() {
    let mut run = TaskRun::new(
        "Find running shoes in size 42 for less than 50 euros in the Shop app, put them in the cart \
         and go on to the checkout, but stop before paying.",
    );
    let state = run.completes("Stride Running Shoes, size 42, €39.00").await;
    let [line] = &state.cart[..] else { panic!("{:?}", state.cart) };
    assert_eq!((line.size.as_str(), line.quantity), ("42", 1));
    assert!(state.foreground.class.ends_with("CheckoutActivity"));

    let mut run = TaskRun::new("Buy some sandals up to €29.99");
    run.asks("Which size?").await;
    run.reply("45");
    let state = run.completes("before paying").await;
    let [line] = &state.cart[..] else { panic!("{:?}", state.cart) };
    assert_eq!((line.name.as_str(), line.size.as_str()), ("Beach Sandals", "45"));

    // Only found; found by its description; nothing that cheap; nothing at all; no such size.
    let state =
        TaskRun::new("Find boots in the shop").completes("City Chelsea Boots for €129.00").await;
    assert!(state.cart.is_empty());
    let state = TaskRun::new("Buy shoes under 20 euros, size 40").completes("Beach Sandals").await;
    assert_eq!(state.cart[0].quantity, 1);
    TaskRun::new("Buy boots under 50 euros").aborts("the least is €129.00").await;
    TaskRun::new("Buy a kettle in the shop").aborts("nothing for “kettle”").await;
    TaskRun::new("Buy boots in size 52").aborts("does not come in size 52").await;
}

#[tokio::test(start_paused = true)]
async fn signing_in_asks_for_the_code() {
    let task = "Sign in to the Nimbus app as robin with the password Quince-41; the code comes to \
                my other phone.";
    let mut run = TaskRun::new(task);
    run.asks("What is the 6-digit code?").await;
    let code = run.phone.state().one_time_code;
    let wrong = if code == "111111" { "222222" } else { "111111" };
    run.reply(wrong);
    run.asks("not right").await;
    run.reply("it is not there yet");
    run.asks("I need 6 digits").await;
    run.progress.replies.clear();
    run.question = "What is the 6-digit code?".to_owned();
    run.reply(&format!("{} {}", &code[..3], &code[3..]));
    let state = run.completes("robin is signed in").await;
    assert_eq!(state.signed_in.as_deref(), Some("robin"));
    TaskRun::on(&run.phone, task).completes("robin").await;
    TaskRun::on(&run.phone, "Sign in as kim, password x")
        .aborts("robin is signed in already")
        .await;

    let mut run = TaskRun::new("Sign in to Nimbus");
    run.asks("user name").await;
    run.reply("robin");
    run.asks("password").await;
    run.reply("Quince-41");
    for _ in 0..3 {
        run.asks("6-digit code?").await;
        run.reply(wrong);
    }
    run.aborts("before the account is locked").await;
}

#[tokio::test(start_paused = true)]
async fn what_a_person_types_on_the_phone_is_not_typed_over() {
    let mut run = TaskRun::new("Sign in to the Nimbus app as robin");
    run.asks("password").await;
    let place = |phone: &Phone, id: &str| {
        let node = phone.state().nodes.into_iter().find(|node| node.id.ends_with(id));
        node.expect("the field is on the screen when it is asked for").center()
    };
    let type_into = async |phone: &Phone, id: &str, text: &str| {
        let (x, y) = place(phone, id);
        phone.tap(x, y);
        settle(phone).await;
        assert!(phone.clear_text());
        assert!(phone.commit_text(text));
        settle(phone).await;
    };
    run.reply(DONE_BY_HAND);
    run.asks("is empty. What is the password").await;
    type_into(&run.phone, "/password", "Quince-41").await;
    run.reply(DONE_BY_HAND);
    run.asks("6-digit code?").await;
    let code = run.phone.state().one_time_code;
    let wrong = if code == "111111" { "222222" } else { "111111" };
    type_into(&run.phone, "/code", wrong).await;
    run.reply(DONE_BY_HAND);
    run.asks("not right").await;
    type_into(&run.phone, "/code", &code).await;
    run.reply("I have typed it on the phone, it is done.");
    let state = run.completes("robin is signed in").await;
    assert_eq!(state.signed_in.as_deref(), Some("robin"));

    let mut run = TaskRun::new("Sign in to the Nimbus app as robin");
    for _ in 0..2 {
        run.asks("password").await;
        run.reply(DONE_BY_HAND);
    }
    run.aborts("Nobody has typed a password").await;
}

#[tokio::test(start_paused = true)]
async fn apps_are_opened_and_locks_too() {
    let phone = Phone::new(PhoneOptions::default());
    phone.press_power();
    settle(&phone).await;
    let state = TaskRun::on(&phone, "Please open the Clock app.").completes("Clock is open.").await;
    assert_eq!(state.foreground.package, "com.example.clock");
    phone.set_pin(Some("1234"));
    phone.press_power();
    settle(&phone).await;
    TaskRun::on(&phone, "打开设置").asks("解锁").await;
}

#[tokio::test(start_paused = true)]
async fn what_it_cannot_do_it_says() {
    for task in ["What is the weather in Paris?", "Is Wi-Fi on?", "Open Chess", "…", ""] {
        let mut run = TaskRun::new(task);
        run.aborts("only a stand-in for a model").await;
        assert_eq!(run.steps, 1);
    }
    TaskRun::new("今天天气怎么样").aborts("AYEAYE_MODEL_BASE_URL").await;
    TaskRun::new("Turn Wi-Fi off and tell Mum: hi").aborts("one thing at a time").await;
}

/// What the real client and the real profile make of it, over HTTP.
mod over_http {
    use ayeaye_agent::{
        Action, Decision, Frame, Gesture, HistoryItem, HistoryStep, Model as _, ModelError, Part,
        Prompt, ScreenSize, StepInput,
    };
    use ayeaye_model::{ModelConfig, RemoteModel, Secret};
    use tokio_util::sync::CancellationToken;

    use std::sync::Arc;

    use super::super::{ScriptedClient, ScriptedModel};
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    /// A phone that does not move, its scripted model, and what ends it when dropped.
    async fn scripted_model() -> (Phone, ModelConfig, tokio_util::sync::DropGuard) {
        let still = (Duration::ZERO, Duration::ZERO);
        let phone = Phone::new(PhoneOptions { transitions: still, ..PhoneOptions::default() });
        let down = CancellationToken::new();
        let config =
            ScriptedModel::start_with_delay(phone.clone(), &down, Duration::ZERO).await.unwrap();
        (phone, config, down.drop_guard())
    }

    fn client(config: &ModelConfig) -> ScriptedClient {
        ScriptedClient::new(Arc::new(RemoteModel::new(config.clone()).unwrap()))
    }

    fn prompt(
        model: &ScriptedClient,
        phone: &Phone,
        request: &str,
        history: &[HistoryItem],
    ) -> Prompt {
        let frame = phone.frame();
        let size = ScreenSize { width: frame.width, height: frame.height };
        let picture = model.picture(&Frame::new(size, frame.rgba).unwrap());
        model.prompt(&StepInput { history, ..StepInput::of(request, &picture) })
    }

    async fn decided(model: &ScriptedClient, prompt: &Prompt) -> Decision {
        let reply = model.call(prompt, LIMIT).await.unwrap();
        model.read(&reply, ScreenSize { width: 1, height: 1 }).unwrap()
    }

    async fn refusal(model: &ScriptedClient, prompt: &Prompt) -> ModelError {
        model.call(prompt, LIMIT).await.expect_err("refused")
    }

    #[tokio::test]
    async fn the_real_client_and_profile_understand_it() {
        let (phone, mut config, _down) = scripted_model().await;
        for stream in [true, false] {
            config.stream = stream;
            let model = client(&config);
            let first = decided(&model, &prompt(&model, &phone, TELL_ANNA, &[])).await;
            assert_eq!(first.action, Gesture::Awake { app: "Messages".to_owned() }.into());
            assert!(first.thought.contains("not in front") && first.explain == "Open Messages");
            let unknown = decided(&model, &prompt(&model, &phone, "Make tea", &[])).await;
            assert!(matches!(unknown.action, Action::Abort { .. }));
        }
        let text = "a <b> 「c」 \"d\" note: e,  summary : f,\nvalue: 50% C:\\x 东京 🗼";
        let task = format!("Save a note saying {text}");
        let model = client(&config);
        open(&phone, "com.example.notes", "EditActivity");
        let typed = decided(&model, &prompt(&model, &phone, &task, &[])).await;
        let Action::Gesture(Gesture::Type { text: typed, .. }) = typed.action else {
            panic!("{typed:?}")
        };
        assert_eq!(typed, text);
    }

    #[tokio::test]
    async fn an_answer_reaches_it() {
        let (phone, config, _down) = scripted_model().await;
        let model = client(&config);
        let request = "Save a note titled \"Trip\"";
        let asked = decided(&model, &prompt(&model, &phone, request, &[])).await;
        let Action::Info(question) = &asked.action else { panic!("{asked:?}") };
        assert_eq!(question.text, "What should the note say?");
        let history = [
            HistoryItem::Request(request.to_owned()),
            HistoryItem::Step(HistoryStep {
                step: 0,
                decision: asked,
                error: None,
                uncertain: None,
                asked: None,
                reply: None,
                app: None,
            }),
            HistoryItem::UserReply("Milk".to_owned()),
        ];
        let next = decided(&model, &prompt(&model, &phone, request, &history)).await;
        assert_eq!(next.action, Gesture::Awake { app: "Notes".to_owned() }.into());
    }

    #[tokio::test]
    async fn no_key_or_no_picture_is_refused() {
        let (phone, mut config, _down) = scripted_model().await;
        let model = client(&config);
        let whole = prompt(&model, &phone, TELL_ANNA, &[]);
        let mut blind = whole.clone();
        blind.messages[1].parts.retain(|part| matches!(part, Part::Text(_)));
        let error = refusal(&model, &blind).await.to_string();
        assert!(error.contains("400") && error.contains("0 pictures"), "{error}");
        let mut no_task = whole.clone();
        no_task.messages.remove(0);
        assert!(refusal(&model, &no_task).await.to_string().contains("need a model"));
        for key in [None, Secret::new("wrong")] {
            config.key = key;
            let model = client(&config);
            let error = refusal(&model, &whole).await.to_string();
            assert!(error.contains("401"), "{error}");
        }
        assert_eq!(phone.state().counts, ayeaye_phone::InputCounts::default());
    }

    #[tokio::test]
    async fn it_is_listed_and_ends_with_its_token() {
        let (_phone, config, down) = scripted_model().await;
        let model = RemoteModel::new(config.clone()).unwrap();
        let findings = model.check().await;
        assert!(findings.iter().any(|it| it.text.contains("is offered")), "{findings:?}");
        drop(down);
        let address = config.endpoint.to_string();
        let port: u16 = address.split([':', '/']).find_map(|part| part.parse().ok()).unwrap();
        let gone = async {
            while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LIMIT, gone).await.unwrap();
    }
}
