//! Leave for acts that are asked about first: installing and removing apps, and what the gate asks about.
//!
//! A client that shows forms is asked in one, while its call waits or, from 2026-07-28 on, by a result that
//! has it call again. Any other is told what to ask its user, with a code; the
//! same call with that code goes ahead.
mod taken;

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::{Agent, ApprovalRequest, DeviceCommand, DeviceId, Principal, SessionId};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use futures::future::pending;
use rmcp::RoleServer;
use rmcp::model::ClientResult;
use rmcp::service::RequestContext;
use sha2::{Digest as _, Sha256};

pub(crate) use self::taken::TakenApproval;
use super::approval_form::{ApprovalOfForm, FormReply, PendingForm, yes_or_no};
use super::client_support::ClientSupport;
use super::elicitation::show_form;
use super::run_wait::RunWait;
use super::tool_error::ToolError;
use crate::one_time_codes::{CodeLimits, OneTimeCode, OneTimeCodes};
use crate::principal;
use crate::text::excerpt;

const LIMITS: CodeLimits = CodeLimits { age: Duration::from_mins(15), most: 64, most_each: 16 };

/// Acts that wait for a person's approval.
#[derive(Debug)]
pub(crate) struct Approvals {
    waiting: OneTimeCodes<Waiting>,
    /// The codes that were used last, newest first.
    used: Mutex<VecDeque<UsedCode>>,
}

/// A code whose act is under way or over: a client whose answer was lost asks again with it.
#[derive(Debug)]
struct UsedCode {
    code: String,
    principal: Principal,
    /// What it is for.
    about: String,
    /// The step that it was used for, and its session, once that is recorded.
    came_of_it: Option<(u32, SessionId)>,
    /// A person has said no meanwhile: it is not given back.
    declined: bool,
}

#[derive(Debug)]
struct Waiting {
    phone: PhoneAsked,
    subject: Subject,
}

impl Waiting {
    /// What a person is asked about, and on which phone, as a digest: it is the same for whatever is asked in the same words.
    fn about(&self) -> String {
        let asked = match &self.subject {
            Subject::Command(command) => format!("{command:?}"),
            Subject::Act(asked) => asked.question.clone(),
        };
        let digest = Sha256::digest(format!("{:?} {asked}", self.phone));
        URL_SAFE_NO_PAD.encode(digest)
    }
}

/// The phone that a person was asked about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PhoneAsked {
    device: DeviceId,
    /// What it is known by until its next boot: what it is reached by may be another phone's by then.
    identity: Option<String>,
}

impl PhoneAsked {
    /// The phone that is connected under this id now.
    pub(crate) async fn of(agent: &Agent, device: &DeviceId) -> Self {
        Self { device: device.clone(), identity: agent.phone_identity(device).await }
    }
}

/// What a code is for.
#[derive(Debug, Clone, PartialEq)]
enum Subject {
    /// This very command.
    Command(DeviceCommand),
    /// An act on an element of a screen.
    Act(Box<ApprovalRequest>),
}

impl Default for Approvals {
    fn default() -> Self {
        Self { waiting: OneTimeCodes::new(LIMITS), used: Mutex::default() }
    }
}

impl Approvals {
    /// Returns once a person has agreed to this act, with the approval if an approval code was given. Otherwise an
    /// error that says what to do.
    pub(super) async fn ask(
        &self,
        agent: &Agent,
        device: &DeviceId,
        command: &DeviceCommand,
        question: &str,
        code: Option<&str>,
        mut wait: RunWait<'_>,
    ) -> Result<Option<TakenApproval<'_>>, ToolError> {
        let ctx = wait.request();
        let principal = principal::of(ctx);
        let phone = PhoneAsked::of(agent, device).await;
        if let Some(code) = code {
            let wanted = Subject::Command(command.clone());
            return self.take(code, &phone, &principal, |it| *it == wanted).map(Some);
        }
        let subject = Subject::Command(command.clone());
        if self.in_a_form(agent, &phone, &subject, question, &mut wait).await? {
            return Ok(None);
        }
        let approval = self.issue(&phone, &principal, subject);
        let told = ToolError::needs_approval(question, &approval.code);
        PendingForm::put(ctx, question, approval);
        Err(told)
    }

    /// Returns once a person has agreed to the act that the gate asks about. Otherwise an error that says what to do.
    pub(super) async fn ask_for_act(
        &self,
        agent: &Agent,
        device: &DeviceId,
        asked: &ApprovalRequest,
        mut wait: RunWait<'_>,
    ) -> Result<(), ToolError> {
        let phone = PhoneAsked::of(agent, device).await;
        let subject = Subject::Act(Box::new(asked.clone()));
        if self.in_a_form(agent, &phone, &subject, &asked.question, &mut wait).await? {
            return Ok(());
        }
        Err(self.needs(&phone, asked, wait.request()))
    }

    /// The error for a client that has to ask its user, with an approval code for the answer.
    pub(super) fn needs(
        &self,
        phone: &PhoneAsked,
        asked: &ApprovalRequest,
        ctx: &RequestContext<RoleServer>,
    ) -> ToolError {
        let subject = Subject::Act(Box::new(asked.clone()));
        let approval = self.issue(phone, &principal::of(ctx), subject);
        let told = ToolError::needs_approval(&asked.question, &approval.code);
        PendingForm::put(ctx, &asked.question, approval);
        told
    }

    /// Issues an approval code for the act that the gate asks about.
    pub(crate) fn issue_code_for_act(
        &self,
        phone: &PhoneAsked,
        asked: &ApprovalRequest,
        principal: &Principal,
    ) -> String {
        self.issue(phone, principal, Subject::Act(Box::new(asked.clone()))).code
    }

    /// Takes the approval of such an act by its code.
    pub(crate) fn take_act(
        &self,
        phone: &PhoneAsked,
        code: &str,
        principal: &Principal,
    ) -> Result<TakenApproval<'_>, ToolError> {
        self.take(code, phone, principal, |it| matches!(it, Subject::Act(_)))
    }

    /// Withdraws the approvals of the act that a person said no to in a form. The form's own code may have expired, or
    /// be in use by another call.
    pub(super) fn declined(&self, no: &ApprovalOfForm, principal: &Principal) {
        self.end_all(&no.about, principal);
    }

    /// Ends the codes for something that a person has said no to: an earlier call may have been given one.
    fn end_all(&self, about: &str, principal: &Principal) {
        // Locked for both, as in `take`.
        let mut used = self.used();
        for it in used.iter_mut().filter(|it| it.principal == *principal && it.about == about) {
            it.declined = true;
        }
        self.waiting.end(|whose, it| whose == principal && it.about() == about);
    }

    /// Asks with `elicitation/create`, where the client shows forms: true for a yes, false where nobody has
    /// answered one, so that the client has to ask in its own way. A yes is for the phone that was there when it was
    /// asked.
    async fn in_a_form(
        &self,
        agent: &Agent,
        phone: &PhoneAsked,
        subject: &Subject,
        question: &str,
        wait: &mut RunWait<'_>,
    ) -> Result<bool, ToolError> {
        let ctx = wait.request();
        let client = ClientSupport::of(ctx);
        if !client.forms || client.modern {
            return Ok(false);
        }
        match show_form(agent, wait, yes_or_no(question), pending()).await {
            Ok(ClientResult::ElicitResult(result)) => match FormReply::of(&result) {
                FormReply::Yes if PhoneAsked::of(agent, &phone.device).await != *phone => {
                    Err(ToolError::other_phone(&phone.device))
                }
                FormReply::Yes => Ok(true),
                FormReply::No => {
                    let (phone, subject) = (phone.clone(), subject.clone());
                    self.end_all(&Waiting { phone, subject }.about(), &principal::of(ctx));
                    Err(ToolError::declined())
                }
                FormReply::Nothing => Ok(false),
            },
            Err(None) if ctx.ct.is_cancelled() => Err(ToolError::call_cancelled()),
            Ok(_) | Err(_) => Ok(false),
        }
    }

    /// Remembers what came of a code that was used.
    fn note_used(&self, code: &OneTimeCode<Waiting>, step: u32, in_session: SessionId) {
        let mut used = self.used();
        if let Some(used) = used.iter_mut().find(|it| it.is(&code.code, &code.principal)) {
            used.came_of_it = Some((step, in_session));
        }
    }

    /// Has a code wait again by which nothing was done.
    fn give_back(&self, code: OneTimeCode<Waiting>) {
        // Locked for both, as in `take`: nobody finds it in neither place.
        let mut used = self.used();
        let declined = used.iter().any(|it| it.is(&code.code, &code.principal) && it.declined);
        used.retain(|it| !it.is(&code.code, &code.principal));
        if !declined {
            self.waiting.put_back(code);
        }
    }

    fn used(&self) -> MutexGuard<'_, VecDeque<UsedCode>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn issue(&self, phone: &PhoneAsked, principal: &Principal, subject: Subject) -> ApprovalOfForm {
        let code = format!("{:08x}", rand::random::<u32>());
        let waiting = Waiting { phone: phone.clone(), subject };
        let about = waiting.about();
        self.waiting.add(code.clone(), principal, waiting);
        ApprovalOfForm { code, about }
    }

    /// The approval of this code, if it fits; it is good once.
    fn take(
        &self,
        code: &str,
        phone: &PhoneAsked,
        principal: &Principal,
        fits: impl Fn(&Subject) -> bool,
    ) -> Result<TakenApproval<'_>, ToolError> {
        let is_other_phone = Cell::new(false);
        let is_it = |whose: &Principal, it: &Waiting| {
            let is_asked = whose == principal && fits(&it.subject);
            is_other_phone.set(is_asked && it.phone.device == phone.device && it.phone != *phone);
            is_asked && it.phone == *phone
        };
        let mut used = self.used();
        let Some(taken) = self.waiting.take(code, is_it) else {
            let shown = excerpt(code, 20);
            return Err(match used.iter().find(|it| it.is(code, principal)) {
                Some(used) => ToolError::used_approval(&shown, used.came_of_it),
                None if is_other_phone.get() => ToolError::other_phone(&phone.device),
                None => ToolError::not_approved(&shown),
            });
        };
        let (code, principal) = (code.to_owned(), principal.clone());
        let about = taken.subject.about();
        let used_code = UsedCode { code, principal, about, came_of_it: None, declined: false };
        used.push_front(used_code);
        used.truncate(LIMITS.most);
        Ok(TakenApproval::new(self, taken))
    }
}

impl UsedCode {
    fn is(&self, code: &str, principal: &Principal) -> bool {
        self.code == code && self.principal == *principal
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::{Agreed, PackageFile};

    use super::*;

    fn phone(device: &str, identity: &str) -> PhoneAsked {
        PhoneAsked { device: DeviceId::new(device), identity: Some(identity.to_owned()) }
    }

    fn command(file: &str, sha256: &str) -> Subject {
        let package = PackageFile { name: "org.a".to_owned(), sha256: sha256.to_owned() };
        Subject::Command(DeviceCommand::Install { file: file.to_owned(), package: Some(package) })
    }

    #[tokio::test(start_paused = true)]
    async fn a_code_is_good_once_for_one_act_of_one_caller_on_one_phone() {
        let (approvals, me) = (Approvals::default(), Principal::local());
        let (other, moved, phone) = (phone("Y", "a"), phone("X", "b"), phone("X", "a"));
        let take_as = |code: &str, phone: &PhoneAsked, wanted: &Subject, who: &Principal| {
            approvals.take(code, phone, who, |it| it == wanted)
        };
        let take = |code: &str, phone: &PhoneAsked, file: &str| {
            take_as(code, phone, &command(file, "1"), &me)
        };
        let code = approvals.issue(&phone, &me, command("a.apk", "1")).code;
        let changed = take_as(&code, &phone, &command("a.apk", "2"), &me);
        assert!(changed.is_err(), "other contents of that file");
        assert!(take(&code, &phone, "b.apk").is_err());
        assert!(take(&code, &other, "a.apk").is_err());
        let told = take(&code, &moved, "a.apk").unwrap_err().to_string();
        assert!(told.contains("X is another phone now"), "another phone at its address: {told}");
        assert!(take("", &phone, "a.apk").is_err());
        let mut taken = take(&code, &phone, "a.apk").unwrap();
        // Whoever has not heard that it was carried out is told so, and nobody else.
        let anna = Principal::new("token:anna");
        let again =
            |who| take_as(&code, &phone, &command("a.apk", "1"), who).unwrap_err().to_string();
        assert!(again(&me).contains("was used already, and"), "{}", again(&me));
        assert!(again(&anna).contains("is not an approval"));
        let session = SessionId::new();
        taken.used(7, session);
        drop(taken);
        let told = again(&me);
        assert!(told.contains(&format!("used already, at step 7 of session {session}")), "{told}");
        assert!(told.contains("get_screenshot first"), "{told}");
        let late = approvals.issue(&phone, &me, command("a.apk", "1")).code;
        tokio::time::advance(LIMITS.age).await;
        assert!(take(&late, &phone, "a.apk").is_err());
    }

    #[test]
    fn a_no_ends_every_code_for_the_same_and_no_other() {
        let (approvals, me, phone) = (Approvals::default(), Principal::local(), phone("X", "a"));
        let anna = Principal::new("token:anna");
        let issue = |who: &Principal, file: &str| approvals.issue(&phone, who, command(file, "1"));
        let [first, held, again] = [(); 3].map(|()| issue(&me, "a.apk"));
        let (other, hers) = (issue(&me, "b.apk"), issue(&anna, "a.apk"));
        let take = |code: &str, who| approvals.take(code, &phone, who, |_| true);
        // In a call's hand when the no comes; the form's own code is not there any more.
        let in_hand = take(&held.code, &me).unwrap();
        drop(approvals.waiting.take(&again.code, |_, _| true).unwrap());
        approvals.declined(&again, &me);
        drop(in_hand);
        let is_good = |it: &ApprovalOfForm, who| take(&it.code, who).is_ok();
        assert!(!is_good(&first, &me) && !is_good(&again, &me) && !is_good(&held, &me));
        assert!(is_good(&other, &me) && is_good(&hers, &anna));
    }

    #[test]
    fn a_code_whose_act_is_not_begun_is_good_again_and_one_whose_end_nobody_waits_for_is_not() {
        let (approvals, me, phone) = (Approvals::default(), Principal::local(), phone("X", "a"));
        let code = approvals.issue(&phone, &me, command("a.apk", "1")).code;
        let take = || approvals.take(&code, &phone, &me, |_| true);
        let taken = take().unwrap();
        assert_eq!(taken.agreed(), Agreed::Command);
        assert!(take().is_err(), "two calls with one code");
        drop(taken);
        let mut taken = take().expect("nothing was begun");
        taken.begun();
        drop(taken);
        let told = take().unwrap_err().to_string();
        assert!(told.contains("was used already"), "{told}");
    }
}
