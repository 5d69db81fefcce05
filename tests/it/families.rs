//! The five tasks of the first issue with every profile, each against a server that behaves as its
//! family's own.
use std::collections::BTreeSet;
use std::time::Duration;

use ayeaye_agent::Speculate;
use ayeaye_model::{Endpoint, ModelConfig, Profile, Secret};
use ayeaye_phone::{InputCounts, Phone, PhoneOptions, VirtualPhone};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::families::mobile_use::MobileUse;
use crate::support::families::native::Native;
use crate::support::families::{
    FakeFamily, FamilyServer, Task, TaskOracle, Wire, fake_families, oracle,
};
use crate::support::{Answer, FakeVlm, KEY, Rig, RigOptions};

/// What one profile's five tasks run on.
struct FamilyRun {
    profile: &'static str,
    rig: Rig,
    server: FamilyServer,
}

impl FamilyRun {
    async fn new(family: Box<dyn FakeFamily>) -> Self {
        let (model, profile) = (family.model(), family.profile());
        // Small, for it is drawn and encoded some fifty times for each of many profiles.
        let virtual_phone = VirtualPhone::new(Phone::new(PhoneOptions {
            width: 360,
            height: 800,
            density: 140,
            transitions: (Duration::from_millis(5), Duration::from_millis(20)),
            ..PhoneOptions::default()
        }));
        let mut options = RigOptions { virtual_phone, ..RigOptions::default() };
        // What was said of a frame that still moved is asked again: these servers expect each reply in the history.
        options.limits.speculate = Speculate::Off;
        let phone = options.virtual_phone.phone().clone();
        let version = if family.wire() == Wire::Gemini { "v1beta" } else { "v1" };
        let oracle = TaskOracle::new(phone, family.abilities());
        let server = FamilyServer::start(family, oracle).await;
        let endpoint = Endpoint::parse(&format!("http://{}/{version}", server.address)).unwrap();
        let mut config = ModelConfig::new(endpoint, model);
        config.key = Secret::new(KEY);
        config.profile = Some(profile.parse().unwrap());
        config.limits.total = Duration::from_mins(1);
        config.retries.attempts = 2;
        config.retries.initial_backoff = Duration::from_millis(20);
        options.model = Some(config);
        let vlm = FakeVlm::start(|_| Answer::Silence).await;
        Self { profile, rig: Rig::with(vlm, options).await, server }
    }

    /// Starts a task and brings it to its end, answering what is asked.
    async fn carry_out(&self, task: Task) -> Value {
        let profile = self.profile;
        self.server.begin(task);
        let mut result = self.rig.start(task.words()).await;
        for _ in 0..8 {
            let more = match result["stop_reason"].as_str() {
                Some("INFO_ACTION_NEEDS_REPLY") => {
                    let asked = result["question"]["text"].as_str().unwrap();
                    assert!(!asked.is_empty());
                    // On a busy machine a screen's elements may come too late for the gate.
                    if asked.contains("touch a screen that does not say what is on it") {
                        json!({ "reply_from_client": "Yes" })
                    } else {
                        self.before_the_answer(task, asked);
                        json!({ "reply_from_client": self.answer(task) })
                    }
                }
                // Still running: on a busy machine the wait of a call can be too short.
                Some("MAX_STEPS_REACHED" | "STILL_RUNNING") => json!({}),
                _ => break,
            };
            result = self.rig.go_on(&result, more).await;
        }
        assert_eq!(self.server.complaints(), Vec::<String>::new(), "{profile}, {task:?}");
        let end = &result["stop_reason"];
        assert_eq!(end, "TASK_COMPLETED_SUCCESSFULLY", "{profile}, {task:?}: {result}");
        result
    }

    fn before_the_answer(&self, task: Task, asked: &str) {
        let state = self.rig.virtual_phone.phone().state();
        match task {
            Task::Message => assert!(state.sent.is_empty(), "{:?}", state.sent),
            Task::SignIn => assert_eq!(state.signed_in, None),
            Task::Wifi | Task::Note | Task::Shop | Task::Aim => {
                panic!("{}, {task:?} needs no answer: {asked}", self.profile)
            }
        }
    }

    fn answer(&self, task: Task) -> String {
        match task {
            Task::Message => "The one called Berg, please".to_owned(),
            _ => format!("It is {}.", self.rig.virtual_phone.phone().state().one_time_code),
        }
    }

    /// What the phone itself has to say of a task.
    fn judge(&self, task: Task) {
        let state = self.rig.virtual_phone.phone().state();
        match task {
            Task::Wifi => assert!(!state.wifi && state.bluetooth),
            Task::Note => {
                let note = (state.notes[0].title.as_str(), state.notes[0].body.as_str());
                assert_eq!(note, (oracle::NOTE_TITLE, oracle::NOTE_TEXT));
            }
            Task::Shop => {
                assert!(state.orders.is_empty(), "{:?}", state.orders);
                let [line] = state.cart.as_slice() else { panic!("{:?}", state.cart) };
                let line = (line.name.as_str(), line.size.as_str(), line.quantity);
                assert_eq!(line, ("Stride Running Shoes", "42", 1));
                assert!(state.foreground.class.ends_with("CheckoutActivity"));
            }
            Task::Message => {
                let [sent] = state.sent.as_slice() else { panic!("{:?}", state.sent) };
                assert_eq!((sent.to.as_str(), sent.text.as_str()), ("Anna Berg", oracle::MESSAGE));
            }
            Task::SignIn => assert_eq!(state.signed_in.as_deref(), Some("robin")),
            Task::Aim => assert_eq!(state.foreground.package, "com.android.settings"),
        }
        let InputCounts {
            dead_taps,
            taps_in_transition,
            taps_off_screen,
            input_while_off,
            text_without_focus,
            unknown_keys,
            ..
        } = state.counts;
        let touches = [dead_taps, taps_in_transition, taps_off_screen, input_while_off];
        assert_eq!(touches, [0; 4], "{}, {task:?}: {:?}", self.profile, state.actions);
        assert_eq!(
            [text_without_focus, unknown_keys],
            [0; 2],
            "{}, {task:?}: {:?}",
            self.profile,
            state.actions
        );
        let wire = self.rig.virtual_phone.adb_counts();
        let odd =
            [wire.syntax_errors, wire.unknown_commands, wire.malformed_commands, wire.monkeys];
        assert_eq!(odd, [0; 4], "{wire:?}");
    }
}

fn fake_family(profile: &str) -> Box<dyn FakeFamily> {
    let mut all = fake_families().into_iter();
    all.find(|family| family.profile() == profile)
        .unwrap_or_else(|| panic!("no fake server speaks {profile}"))
}

async fn five_tasks(profile: &'static str) {
    let run = FamilyRun::new(fake_family(profile)).await;
    for task in Task::FIVE {
        run.carry_out(task).await;
        run.judge(task);
    }
    // A mind that was not asked has shown nothing.
    assert!(25 < run.server.requests(), "{} requests", run.server.requests());
}

/// All of them at the same time: most of what a task takes is waiting for screens.
async fn all_five_tasks(profiles: &[&'static str]) {
    let mut running = JoinSet::new();
    for profile in profiles {
        running.spawn(five_tasks(profile));
    }
    let mut wrong = 0;
    while let Some(done) = running.join_next().await {
        // The panic has been printed, with the profile's name in it.
        wrong += usize::from(done.is_err());
    }
    assert_eq!(wrong, 0, "of {} profiles", profiles.len());
}

/// The tests, and the list of the profiles in them.
macro_rules! families {
    ($($test:ident = [$($profile:literal),*],)*) => {
        const TESTED: &[&str] = &[$($($profile),*),*];
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                all_five_tasks(&[$($profile),*]).await;
            }
        )*
    };
}

families! {
    the_five_tasks_by_step_and_bytedance = ["gelab", "step-api", "ui-tars", "ui-tars-1000", "seed"],
    the_five_tasks_by_zhipu_and_others =
        ["autoglm", "glm-v", "ui-venus", "agentcpm-gui", "m3a", "kimi"],
    the_five_tasks_by_ant_and_xiaomi = ["ui-venus-navi", "ui-venus-2", "mimo-vl"],
    the_five_tasks_by_alibaba = ["qwen2.5-vl", "qwen3-vl", "mai-ui", "gui-owl", "gui-owl-1"],
    the_five_tasks_by_any_model = ["generic", "generic-text", "gpt", "claude-chat", "gemini-chat"],
    the_five_tasks_by_own_apis = ["claude", "claude-20250124", "gemini", "gpt-computer"],
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_carries_out_the_five_tasks_with_whichever_generation_of_its_tool_is_taken() {
    let mut running = JoinSet::new();
    for (fake, refusals) in [(Native::Toolset, 0), (Native::Unheard, 1), (Native::OtherHost, 1)] {
        running.spawn(async move {
            let run = FamilyRun::new(Box::new(fake)).await;
            for task in Task::FIVE {
                run.carry_out(task).await;
                run.judge(task);
            }
            // It is found out once, and kept for all sessions.
            assert_eq!(run.server.refusals(), refusals, "{fake:?}");
        });
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
}

/// The hosted GUI-Owl, under the name that its host has for it.
#[tokio::test(flavor = "multi_thread")]
async fn gui_plus_carries_out_the_five_tasks() {
    let run = FamilyRun::new(Box::new(MobileUse::GuiPlus)).await;
    for task in Task::FIVE {
        run.carry_out(task).await;
        run.judge(task);
    }
}

/// One tap on a screen that is turned, and on one whose size is overridden, in each kind of numbers:
/// what the phone says of its size, the picture and the tap have to be of the same screen.
async fn taps_on_every_screen(profile: &'static str) {
    let run = FamilyRun::new(fake_family(profile)).await;
    let phone = run.rig.virtual_phone.phone().clone();
    for size in [None, Some((450, 920))] {
        phone.set_size_override(size);
        for turns in 0..4 {
            phone.set_rotation(turns);
            run.carry_out(Task::Aim).await;
            run.judge(Task::Aim);
            let (width, height) = phone.display_size();
            assert_eq!(turns % 2 == 1, height < width, "{profile}: turned {turns}");
        }
    }
    assert_eq!(run.server.requests(), 16, "{profile}: one tap each, and the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tap_lands_on_turned_and_resized_screens_in_every_kind_of_numbers() {
    let mut running = JoinSet::new();
    for profile in ["gelab", "qwen3-vl", "kimi", "gpt", "ui-tars", "m3a", "claude", "gemini"] {
        running.spawn(taps_on_every_screen(profile));
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
}

#[test]
fn every_profile_has_carried_out_the_five_tasks() {
    let all: BTreeSet<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
    let tested: BTreeSet<&str> = TESTED.iter().copied().collect();
    let spoken: BTreeSet<&str> = fake_families().iter().map(|family| family.profile()).collect();
    assert_eq!(tested, all);
    assert_eq!(spoken, all);
}

#[test]
fn every_profile_is_found_by_the_name_of_its_models() {
    for family in fake_families().iter().filter(|family| family.is_chosen_by_name()) {
        let home = match family.wire() {
            Wire::Chat => "http://127.0.0.1:8000/v1",
            Wire::Anthropic => "https://api.anthropic.com/v1",
            Wire::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Wire::Responses => "https://api.openai.com/v1",
        };
        let found = Profile::for_model(family.model(), &Endpoint::parse(home).unwrap());
        assert_eq!(found.name(), family.profile(), "{}", family.model());
    }
}
