//! Leave for acts that are asked about first: installing and removing apps, and what the gate asks about.
//!
//! A client that shows forms is asked in one, while its call waits or, from 2026-07-28 on, by a result that
//! has it call again. Any other is told what to ask its user, with a code; the
//! same call with that code goes ahead.
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::{Agent, Agreed, DeviceCommand, DeviceId, LeaveRequest, Principal, SessionId};
use futures::future::pending;
use rmcp::RoleServer;
use rmcp::model::ClientResult;
use rmcp::service::RequestContext;

use super::approval_form::{FormReply, PendingForm, yes_or_no};
use super::client_support::ClientSupport;
use super::elicitation::show_form;
use super::run_wait::RunWait;
use super::tool_error::ToolError;
use crate::one_time_codes::{CodeLimits, OneTimeCodes};
use crate::principal;
use crate::text::excerpt;

const LIMITS: CodeLimits = CodeLimits { age: Duration::from_mins(15), most: 64, most_each: 16 };

/// Acts that wait for a person's leave.
#[derive(Debug)]
pub(crate) struct Approvals {
    waiting: OneTimeCodes<Waiting>,
    /// The codes that were used last, newest first.
    used: Mutex<VecDeque<UsedCode>>,
}

/// A code that is good no more: a client whose answer was lost asks again with it.
#[derive(Debug)]
struct UsedCode {
    code: String,
    principal: Principal,
    /// The step that it was used for, and its session, once that is recorded.
    came_of_it: Option<(u32, SessionId)>,
}

#[derive(Debug)]
struct Waiting {
    phone: PhoneAsked,
    subject: Subject,
}

/// The phone that a person was asked about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PhoneAsked {
    device: DeviceId,
    /// What it is known by until its next boot: what it is reached by may be another phone's by then.
    identity: Option<String>,
}

impl PhoneAsked {
    /// The one that is there now.
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
    Act(Box<LeaveRequest>),
}

impl Default for Approvals {
    fn default() -> Self {
        Self { waiting: OneTimeCodes::new(LIMITS), used: Mutex::default() }
    }
}

impl Approvals {
    /// Returns when a person has agreed to this act; otherwise the error that says what to do.
    pub(super) async fn ask(
        &self,
        agent: &Agent,
        device: &DeviceId,
        command: &DeviceCommand,
        question: &str,
        code: Option<&str>,
        mut wait: RunWait<'_>,
    ) -> Result<(), ToolError> {
        let ctx = wait.request();
        let principal = principal::of(ctx);
        let phone = PhoneAsked::of(agent, device).await;
        if let Some(code) = code {
            let wanted = Subject::Command(command.clone());
            let known = self.take(code, &phone, &principal, |it| *it == wanted).is_some();
            return if known { Ok(()) } else { Err(self.not_good(code, &principal)) };
        }
        if in_a_form(agent, &phone, question, &mut wait).await? {
            return Ok(());
        }
        let subject = Subject::Command(command.clone());
        let code = self.issue_code(&phone, &principal, subject);
        PendingForm::leave(ctx, question, &code);
        Err(ToolError::needs_approval(question, &code))
    }

    /// Returns when a person has agreed to what the gate asks about; otherwise the error that says what to
    /// do.
    pub(super) async fn ask_for_act(
        &self,
        agent: &Agent,
        device: &DeviceId,
        leave: &LeaveRequest,
        mut wait: RunWait<'_>,
    ) -> Result<(), ToolError> {
        let phone = PhoneAsked::of(agent, device).await;
        if in_a_form(agent, &phone, &leave.question, &mut wait).await? {
            return Ok(());
        }
        Err(self.needs(&phone, leave, wait.request()))
    }

    /// What a client is told that has to ask its user, with a code for the answer.
    pub(super) fn needs(
        &self,
        phone: &PhoneAsked,
        leave: &LeaveRequest,
        ctx: &RequestContext<RoleServer>,
    ) -> ToolError {
        let code = self.issue_code_for_act(phone, leave, &principal::of(ctx));
        PendingForm::leave(ctx, &leave.question, &code);
        ToolError::needs_approval(&leave.question, &code)
    }

    /// What a person has agreed to, by the code that was given for it; it is good once.
    pub(super) fn agreed(
        &self,
        phone: &PhoneAsked,
        code: &str,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<Agreed, ToolError> {
        self.take_act(phone, code, &principal::of(ctx))
    }

    /// A code for a person's yes to what the gate asks about.
    pub(crate) fn issue_code_for_act(
        &self,
        phone: &PhoneAsked,
        leave: &LeaveRequest,
        principal: &Principal,
    ) -> String {
        self.issue_code(phone, principal, Subject::Act(Box::new(leave.clone())))
    }

    /// What such a code is for; it is good once.
    pub(crate) fn take_act(
        &self,
        phone: &PhoneAsked,
        code: &str,
        principal: &Principal,
    ) -> Result<Agreed, ToolError> {
        let is_act = |it: &Subject| matches!(it, Subject::Act(_));
        match self.take(code, phone, principal, is_act) {
            Some(Subject::Act(leave)) => Ok(Agreed::Act(Box::new(leave.act))),
            _ => Err(self.not_good(code, principal)),
        }
    }

    /// Remembers what came of a code that was used.
    pub(super) fn note_used(
        &self,
        code: &str,
        principal: &Principal,
        step: u32,
        in_session: SessionId,
    ) {
        let mut used = self.used();
        if let Some(used) = used.iter_mut().find(|it| it.is(code, principal)) {
            used.came_of_it = Some((step, in_session));
        }
    }

    /// Forgets a code that was sent with another act than it was given for: nothing was done by it.
    pub(super) fn forget_used(&self, code: &str, principal: &Principal) {
        self.used().retain(|it| !it.is(code, principal));
    }

    /// Why this code is not taken.
    fn not_good(&self, code: &str, principal: &Principal) -> ToolError {
        let shown = excerpt(code, 20);
        match self.used().iter().find(|it| it.is(code, principal)) {
            Some(used) => ToolError::used_approval(&shown, used.came_of_it),
            None => ToolError::not_approved(&shown),
        }
    }

    fn used(&self) -> MutexGuard<'_, VecDeque<UsedCode>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn issue_code(&self, phone: &PhoneAsked, principal: &Principal, subject: Subject) -> String {
        let code = format!("{:08x}", rand::random::<u32>());
        self.waiting.add(code.clone(), principal, Waiting { phone: phone.clone(), subject });
        code
    }

    /// What this code was given for, if it fits; it is good once.
    fn take(
        &self,
        code: &str,
        phone: &PhoneAsked,
        principal: &Principal,
        fits: impl Fn(&Subject) -> bool,
    ) -> Option<Subject> {
        let is_it = |whose: &Principal, it: &Waiting| {
            it.phone == *phone && whose == principal && fits(&it.subject)
        };
        let (_, taken) = self.waiting.take(code, is_it)?;
        let (code, principal) = (code.to_owned(), principal.clone());
        let mut used = self.used();
        used.push_front(UsedCode { code, principal, came_of_it: None });
        used.truncate(LIMITS.most);
        Some(taken.subject)
    }
}

impl UsedCode {
    fn is(&self, code: &str, principal: &Principal) -> bool {
        self.code == code && self.principal == *principal
    }
}

/// Asks with `elicitation/create`, where the client shows forms: true for a yes, false where nobody has
/// answered one, so that the client has to ask in its own way. A yes is for the phone that was there when it was asked.
async fn in_a_form(
    agent: &Agent,
    phone: &PhoneAsked,
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
            FormReply::No => Err(ToolError::declined()),
            FormReply::Nothing => Ok(false),
        },
        Err(None) if ctx.ct.is_cancelled() => Err(ToolError::call_cancelled()),
        Ok(_) | Err(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::PackageFile;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_code_is_good_once_for_one_act_of_one_caller_on_one_phone() {
        let phone = |device: &str, identity: &str| PhoneAsked {
            device: DeviceId::new(device),
            identity: Some(identity.to_owned()),
        };
        let (approvals, me) = (Approvals::default(), Principal::local());
        let (other, moved, phone) = (phone("Y", "a"), phone("X", "b"), phone("X", "a"));
        let command = |file: &str, sha256: &str| {
            let package = PackageFile { name: "org.a".to_owned(), sha256: sha256.to_owned() };
            Subject::Command(DeviceCommand::Install {
                file: file.to_owned(),
                package: Some(package),
            })
        };
        let take_as = |code: &str, phone: &PhoneAsked, wanted: Subject| {
            approvals.take(code, phone, &me, |it| *it == wanted).is_some()
        };
        let take =
            |code: &str, phone: &PhoneAsked, file: &str| take_as(code, phone, command(file, "1"));
        let code = approvals.issue_code(&phone, &me, command("a.apk", "1"));
        assert!(!take_as(&code, &phone, command("a.apk", "2")), "other contents of that file");
        assert!(!take(&code, &phone, "b.apk"));
        assert!(!take(&code, &other, "a.apk"));
        assert!(!take(&code, &moved, "a.apk"), "another phone at its address");
        assert!(!take("", &phone, "a.apk"));
        assert!(take(&code, &phone, "a.apk"));
        assert!(!take(&code, &phone, "a.apk"));
        // Whoever has not heard that it was carried out is told so, and nobody else.
        let again = |who: &Principal| approvals.not_good(&code, who).to_string();
        assert!(again(&me).contains("was used already, and"), "{}", again(&me));
        assert!(again(&Principal::new("token:anna")).contains("is not an approval"));
        let session = SessionId::new();
        approvals.note_used(&code, &me, 7, session);
        let told = again(&me);
        assert!(told.contains(&format!("used already, at step 7 of session {session}")), "{told}");
        assert!(told.contains("get_screenshot first"), "{told}");
        let late = approvals.issue_code(&phone, &me, command("a.apk", "1"));
        tokio::time::advance(LIMITS.age).await;
        assert!(!take(&late, &phone, "a.apk"));
    }
}
