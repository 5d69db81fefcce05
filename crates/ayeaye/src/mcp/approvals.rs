//! Leave for acts that are asked about first: installing and removing apps, and what the gate asks about.
//!
//! A client that shows forms is asked in one, while its call waits or, from 2026-07-28 on, by a result that
//! has it call again. Any other is told what to ask its user, with a code; the
//! same call with that code goes ahead.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ayeaye_agent::{Agent, Agreed, DeviceCommand, DeviceId, LeaveRequest, Principal};
use futures::future::pending;
use rmcp::RoleServer;
use rmcp::model::ClientResult;
use rmcp::service::RequestContext;
use tokio::time::Instant;

use super::approval_form::{FormReply, PendingForm, yes_or_no};
use super::client_support::ClientSupport;
use super::elicitation::show_form;
use super::run_wait::RunWait;
use super::tool_error::ToolError;
use crate::principal;
use crate::text::excerpt;

/// How long a code is good.
const MAX_AGE: Duration = Duration::from_mins(15);
/// The most codes that wait. Beyond that the oldest ends, of whoever asks if it has so many itself.
const MAX_WAITING: usize = 64;
const MAX_WAITING_EACH: usize = 16;

/// Acts that wait for a person's leave.
#[derive(Debug, Default)]
pub(crate) struct Approvals(Mutex<VecDeque<Waiting>>);

#[derive(Debug)]
struct Waiting {
    code: String,
    device: DeviceId,
    principal: Principal,
    subject: Subject,
    since: Instant,
}

/// What a code is for.
#[derive(Debug, Clone, PartialEq)]
enum Subject {
    /// This very command.
    Command(DeviceCommand),
    /// An act on an element of a screen.
    Act(Box<LeaveRequest>),
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
        if let Some(code) = code {
            let wanted = Subject::Command(command.clone());
            let known = self.take(code, device, &principal, |it| *it == wanted).is_some();
            return if known { Ok(()) } else { Err(ToolError::not_approved(&excerpt(code, 20))) };
        }
        if in_a_form(agent, question, &mut wait).await? {
            return Ok(());
        }
        let subject = Subject::Command(command.clone());
        let code = self.wait_for(device, &principal, subject);
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
        if in_a_form(agent, &leave.question, &mut wait).await? {
            return Ok(());
        }
        Err(self.needs(device, leave, wait.request()))
    }

    /// What a client is told that has to ask its user, with a code for the answer.
    pub(super) fn needs(
        &self,
        device: &DeviceId,
        leave: &LeaveRequest,
        ctx: &RequestContext<RoleServer>,
    ) -> ToolError {
        let code = self.wait_for_act(device, leave, &principal::of(ctx));
        PendingForm::leave(ctx, &leave.question, &code);
        ToolError::needs_approval(&leave.question, &code)
    }

    /// What a person has agreed to, by the code that was given for it; it is good once.
    pub(super) fn agreed(
        &self,
        device: &DeviceId,
        code: &str,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<Agreed, ToolError> {
        self.take_act(device, code, &principal::of(ctx))
    }

    /// A code for a person's yes to what the gate asks about.
    pub(crate) fn wait_for_act(
        &self,
        device: &DeviceId,
        leave: &LeaveRequest,
        principal: &Principal,
    ) -> String {
        self.wait_for(device, principal, Subject::Act(Box::new(leave.clone())))
    }

    /// What such a code is for; it is good once.
    pub(crate) fn take_act(
        &self,
        device: &DeviceId,
        code: &str,
        principal: &Principal,
    ) -> Result<Agreed, ToolError> {
        let is_act = |it: &Subject| matches!(it, Subject::Act(_));
        match self.take(code, device, principal, is_act) {
            Some(Subject::Act(leave)) => Ok(Agreed::Act(Box::new(leave.act))),
            _ => Err(ToolError::not_approved(&excerpt(code, 20))),
        }
    }

    fn wait_for(&self, device: &DeviceId, principal: &Principal, subject: Subject) -> String {
        let code = format!("{:08x}", rand::random::<u32>());
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let its = |it: &Waiting| it.principal == *principal;
        if MAX_WAITING <= waiting.len() {
            // Of who has many its own: nobody else's question ends for them.
            let has_many = MAX_WAITING_EACH <= waiting.iter().filter(|it| its(it)).count();
            if let Some(oldest) = waiting.iter().position(|it| !has_many || its(it)) {
                waiting.remove(oldest);
            }
        }
        waiting.push_back(Waiting {
            code: code.clone(),
            device: device.clone(),
            principal: principal.clone(),
            subject,
            since: Instant::now(),
        });
        code
    }

    /// What this code was given for, if it fits; it is good once.
    fn take(
        &self,
        code: &str,
        device: &DeviceId,
        principal: &Principal,
        fits: impl Fn(&Subject) -> bool,
    ) -> Option<Subject> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|it| it.since.elapsed() < MAX_AGE);
        let found = waiting.iter().position(|it| {
            it.code == code
                && it.device == *device
                && it.principal == *principal
                && fits(&it.subject)
        });
        found.and_then(|at| waiting.remove(at)).map(|it| it.subject)
    }
}

/// Asks with `elicitation/create`, where the client shows forms: true for a yes, false where nobody has
/// answered one, so that the client has to ask in its own way.
async fn in_a_form(
    agent: &Agent,
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
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_code_is_good_once_for_one_act_of_one_caller_on_one_phone() {
        let (approvals, phone, me) = (Approvals::default(), DeviceId::new("X"), Principal::local());
        let command =
            |file: &str| Subject::Command(DeviceCommand::Install { file: file.to_owned() });
        let take = |code: &str, phone: &DeviceId, file: &str| {
            let wanted = command(file);
            approvals.take(code, phone, &me, |it| *it == wanted).is_some()
        };
        let code = approvals.wait_for(&phone, &me, command("a.apk"));
        assert!(!take(&code, &phone, "b.apk"));
        assert!(!take(&code, &DeviceId::new("Y"), "a.apk"));
        assert!(!take("", &phone, "a.apk"));
        assert!(take(&code, &phone, "a.apk"));
        assert!(!take(&code, &phone, "a.apk"));
        let late = approvals.wait_for(&phone, &me, command("a.apk"));
        tokio::time::advance(MAX_AGE).await;
        assert!(!take(&late, &phone, "a.apk"));
    }

    #[test]
    fn codes_of_one_caller_end_nobody_elses() {
        let (approvals, phone) = (Approvals::default(), DeviceId::new("X"));
        let (me, anna) = (Principal::local(), Principal::new("anna"));
        let stop = DeviceCommand::StopApp { app: "a".to_owned() };
        let wait_for =
            |who: &Principal| approvals.wait_for(&phone, who, Subject::Command(stop.clone()));
        let take = |code: &str| approvals.take(code, &phone, &me, |_| true).is_some();
        let mine = wait_for(&me);
        for _ in 0..MAX_WAITING {
            wait_for(&anna);
        }
        assert!(take(&mine), "nobody else's codes end it");
        let first = wait_for(&me);
        for _ in 0..MAX_WAITING {
            wait_for(&me);
        }
        assert!(!take(&first), "there is an end to codes that wait");
    }
}
