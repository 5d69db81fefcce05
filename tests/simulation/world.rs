//! Everything outside the agent, of one seed: time, faults, and what is true.
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use ayeaye_agent::Speculate;
use rand::RngExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::planted::Planted;
use crate::schedule::{Fault, Schedule, Site};

/// The shortest time of tokio's clock.
const TICK: Duration = Duration::from_millis(1);

/// How a process ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    Killed,
    PowerLost,
}

impl Crash {
    fn of(fault: Fault) -> Option<Self> {
        match fault {
            Fault::Killed => Some(Self::Killed),
            Fault::PowerLost => Some(Self::PowerLost),
            _ => None,
        }
    }
}

/// What the client is to do, besides following.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientFault {
    Cancelled,
    Paused,
    Gone,
    Repeated,
    SecondProcess,
    AnsweredTwice,
}

impl ClientFault {
    fn of(fault: Fault) -> Option<Self> {
        match fault {
            Fault::Cancelled => Some(Self::Cancelled),
            Fault::Paused => Some(Self::Paused),
            Fault::ClientGone => Some(Self::Gone),
            Fault::Repeated => Some(Self::Repeated),
            Fault::SecondProcess => Some(Self::SecondProcess),
            Fault::AnsweredTwice => Some(Self::AnsweredTwice),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub struct World {
    pub planted: Option<Planted>,
    /// Whether the model is asked about frames that may still move.
    pub speculate: Speculate,
    state: Mutex<State>,
    crash: watch::Sender<Option<Crash>>,
    client: watch::Sender<Vec<ClientFault>>,
}

#[derive(Debug)]
struct State {
    schedule: Schedule,
    calls: HashMap<Site, u32>,
    /// Time before this process, and when it began.
    before: Duration,
    begun: Option<Instant>,
    trace: Vec<String>,
    broken: Vec<String>,
    truth: Truth,
}

/// What is true, whatever anybody says.
#[derive(Debug, Default)]
pub struct Truth {
    /// How often the model decided on a gesture, as the record describes it.
    pub decided: HashMap<String, u32>,
    /// Gestures that want permission, and whether it was given.
    pub leave: HashMap<String, Option<bool>>,
    /// What a question asks permission for.
    pub asked: HashMap<String, String>,
    /// Gestures that arrived at the phone, and whether they were carried out.
    pub arrived: Vec<(String, bool)>,
    /// What the model said at the end, if it did.
    pub completed: HashSet<String>,
    pub aborted: HashSet<String>,
    /// The page on the screen, and the one that the last gesture led to.
    pub page: u32,
    pub page_of_gesture: u32,
    /// Which app is in front, by its number, and since when.
    pub front: u32,
    pub front_since: Duration,
    /// In which app each gesture was asked about.
    pub asked_in: HashMap<String, String>,
    /// In which app each gesture was decided.
    pub decided_in: HashMap<String, String>,
    /// Which one the phone has told of last.
    pub seen_front: u32,
    /// A model is being asked.
    pub thinking: bool,
}

/// The package of an app.
pub fn package(front: u32) -> String {
    format!("com.example.chat{front}")
}

impl World {
    pub fn new(seed: u64, planted: Option<Planted>) -> Self {
        let state = State {
            schedule: Schedule::from_seed(seed),
            calls: HashMap::new(),
            before: Duration::ZERO,
            begun: None,
            trace: Vec::new(),
            broken: Vec::new(),
            truth: Truth::default(),
        };
        let (crash, client) = (watch::Sender::new(None), watch::Sender::default());
        let speculate = if seed.is_multiple_of(2) { Speculate::On } else { Speculate::Auto };
        Self { planted, speculate, state: Mutex::new(state), crash, client }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn has(&self, planted: Planted) -> bool {
        self.planted == Some(planted)
    }

    /// A process begins: its clock goes on where the last one's stopped.
    pub fn process_begins(&self) {
        self.crash.send_replace(None);
        self.state().begun = Some(Instant::now());
    }

    pub fn process_ends(&self, time_until_the_next: Duration) {
        let now = self.now();
        let mut state = self.state();
        state.before = now + time_until_the_next;
        state.begun = None;
    }

    /// Since the beginning, over all processes.
    pub fn now(&self) -> Duration {
        let state = self.state();
        state.before + state.begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }

    /// A line of the trace.
    pub fn note(&self, line: impl fmt::Display) {
        let now = self.now().as_millis();
        self.state().trace.push(format!("{now:>9} ms  {line}"));
    }

    /// A promise was broken.
    pub fn broken(&self, what: impl fmt::Display) {
        self.note(format!("BROKEN {what}"));
        self.state().broken.push(what.to_string());
    }

    pub fn check(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broken(what());
        }
    }

    pub fn truth<T>(&self, use_it: impl FnOnce(&mut Truth) -> T) -> T {
        use_it(&mut self.state().truth)
    }

    /// Another app comes to the front, with a page of its own.
    pub fn switch_app(&self) {
        let now = self.now();
        self.note("another app comes to the front");
        self.truth(|truth| {
            truth.front += 1;
            truth.front_since = now;
            truth.page += 1;
        });
    }

    /// A number below `end`.
    pub fn random(&self, end: u32) -> u32 {
        self.state().schedule.rng.random_range(0..end)
    }

    pub fn steps(&self) -> u32 {
        self.state().schedule.steps
    }

    /// A call arrives somewhere. What strikes the whole process or its client is dealt with here.
    pub async fn arrive(&self, site: Site) -> Option<Fault> {
        let (here, anywhere) = {
            let mut state = self.state();
            let mut fault = |site: Site| {
                let nth = state.calls.entry(site).or_default();
                *nth += 1;
                let key = (site, *nth);
                state.schedule.faults.get(&key).copied()
            };
            (fault(site), fault(Site::Anywhere))
        };
        for fault in [here, anywhere].into_iter().flatten() {
            self.note(format!("at {site:?}: {fault:?}"));
            let (crash, client) = (Crash::of(fault), ClientFault::of(fault));
            if crash.is_none() && client.is_none() {
                continue;
            }
            // At a moment of its own. Time stands still while a thread is at work, so what threads had under way
            // is over when it strikes, and all who are told have been before anything goes on: else it would be
            // the machine's load that says how far a run gets meanwhile.
            sleep(TICK).await;
            if let Some(how) = crash {
                self.crash(how).await;
            }
            self.client.send_modify(|faults| faults.extend(client));
            sleep(TICK).await;
        }
        here
    }

    /// The process dies here and now.
    async fn crash(&self, how: Crash) {
        self.crash.send_replace(Some(how));
        std::future::pending::<()>().await;
    }

    /// Waits until the process dies.
    pub async fn crashed(&self) -> Crash {
        let mut crash = self.crash.subscribe();
        let crash = crash.wait_for(Option::is_some).await.expect("the world is there");
        crash.expect("it was waited for")
    }

    /// The next thing that the client is to do.
    pub async fn client_fault(&self) -> ClientFault {
        let mut faults = self.client.subscribe();
        faults.wait_for(|faults| !faults.is_empty()).await.expect("the world is there");
        let mut next = None;
        self.client.send_modify(|faults| next = Some(faults.remove(0)));
        next.expect("there is one")
    }

    pub fn answered_twice(&self) -> bool {
        let mut twice = false;
        self.client.send_if_modified(|faults| {
            let before = faults.len();
            faults.retain(|fault| *fault != ClientFault::AnsweredTwice);
            twice = faults.len() < before;
            twice
        });
        twice
    }

    pub fn take_trace(&self) -> (Vec<String>, Vec<String>) {
        let mut state = self.state();
        (std::mem::take(&mut state.trace), std::mem::take(&mut state.broken))
    }
}
