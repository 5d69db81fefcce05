//! What is changed about a request after an attempt that failed.
use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::super::backoff;
use super::super::computer_tool::ComputerTool;
use super::super::error::{LEAST_REPLY, Recovery};
use super::super::features::OptionalFeature;
use super::{Client, Request};
use crate::RetryPolicy;

impl Client {
    /// Changes the request as far as the error calls for it. How long to wait before it is sent
    /// again; `None` to give up.
    pub(super) fn recover(
        &self,
        recovery: Recovery,
        request: &mut Request<'_>,
        attempts: u32,
        policy: &RetryPolicy,
    ) -> Option<Duration> {
        let counted = attempts.saturating_sub(request.changes);
        let after = match recovery {
            Recovery::Retry { after } => after,
            Recovery::RetryOnce { after } if !request.has_been_repeated => {
                request.has_been_repeated = true;
                after
            }
            other => {
                self.change(other, request)?;
                return (counted - 1 < policy.attempts).then_some(Duration::ZERO);
            }
        };
        let wait = backoff::delay(policy, counted + 1, after, rand::random())?;
        (counted < policy.attempts).then_some(wait)
    }

    /// Makes another request of it; `None` where it cannot be changed in that way, or was already.
    fn change(&self, recovery: Recovery, request: &mut Request<'_>) -> Option<()> {
        match recovery {
            Recovery::WithoutFeature(feature) => self.leave_out(feature, request)?,
            Recovery::OtherComputerTool => self.change_computer_tool(request)?,
            Recovery::FewerPictures { most } => self.keep_to_pictures(most, request)?,
            Recovery::FewerTokens { most } => self.keep_to_tokens(most, request)?,
            Recovery::ShorterReply { tokens } => {
                request.shorten_reply(tokens).or_else(|| request.shorten_prompt())?;
            }
            Recovery::HalfReply => request.halve_reply().or_else(|| request.shorten_prompt())?,
            Recovery::ShorterPrompt => request.shorten_prompt()?,
            Recovery::GiveUp | Recovery::Retry { .. } | Recovery::RetryOnce { .. } => return None,
        }
        request.changes += 1;
        request.unsupported = self.unsupported();
        let Request { prompt, sampling, unsupported, computer, .. } = &*request;
        request.body = self.body(prompt, *sampling, *unsupported, *computer);
        Some(())
    }

    /// Leaves out a feature that was refused, from now on.
    fn leave_out(&self, feature: OptionalFeature, request: &Request<'_>) -> Option<()> {
        if !self.api.is_optional(feature) || !self.was_sent(request, feature) {
            return None;
        }
        tracing::info!("the model endpoint refuses {}: left out", feature.name());
        let unsupported = self.unsupported().with(feature);
        self.unsupported.fetch_or(unsupported.0, Ordering::Relaxed);
        Some(())
    }

    /// Sends no more pictures in a request, from now on.
    fn keep_to_pictures(&self, most: usize, request: &mut Request<'_>) -> Option<()> {
        tracing::info!("the model endpoint takes {most} pictures in a request: no more are sent");
        self.pictures.fetch_min(most, Ordering::Relaxed);
        request.prompt = Cow::Owned(request.prompt.with_last_pictures(most)?);
        Some(())
    }

    /// Asks for replies of no more tokens, from now on.
    fn keep_to_tokens(&self, most: u32, request: &mut Request<'_>) -> Option<()> {
        if request.reply.is_capped || request.sampling.max_tokens <= most {
            return None;
        }
        tracing::info!("the model endpoint allows replies of {most} tokens: no more are asked for");
        self.tokens.fetch_min(most, Ordering::Relaxed);
        request.reply.is_capped = true;
        request.reply.most = request.reply.most.min(most);
        request.sampling.max_tokens = most;
        Some(())
    }

    /// Whether the body that was refused had this feature. Another call may have learned meanwhile that the
    /// endpoint does not take it.
    fn was_sent(&self, request: &Request<'_>, feature: OptionalFeature) -> bool {
        let Request { prompt, sampling, unsupported, .. } = request;
        self.request(prompt, *sampling, *unsupported, None).includes(feature)
    }

    /// Goes on with the next generation of the tool after the one that was refused. `None` when all were.
    fn change_computer_tool(&self, request: &mut Request<'_>) -> Option<()> {
        let refused = request.computer?;
        request.refused_tools.insert(refused);
        let next = ComputerTool::next(request.refused_tools, refused)?;
        tracing::info!(
            "the model endpoint refuses {}: it is asked with {}",
            refused.kind(),
            next.kind()
        );
        self.computer.store(next.code(), Ordering::Relaxed);
        request.computer = Some(next);
        Some(())
    }
}

impl Request<'_> {
    /// Asks for a reply of no more tokens, once.
    fn shorten_reply(&mut self, tokens: u32) -> Option<()> {
        // Servers that count no further than to the limit: one token too many is a bound.
        if self.sampling.max_tokens.checked_sub(1) == Some(tokens) {
            return self.halve_reply();
        }
        if self.reply.has_less_room || self.sampling.max_tokens <= tokens {
            return None;
        }
        self.sampling.max_tokens = tokens;
        self.reply.has_less_room = true;
        Some(())
    }

    /// Asks for a reply half as long, if that is enough for one.
    fn halve_reply(&mut self) -> Option<()> {
        let half = self.sampling.max_tokens / 2;
        if half < LEAST_REPLY {
            return None;
        }
        self.sampling.max_tokens = half;
        Some(())
    }

    /// Leaves out some of the history, once.
    fn shorten_prompt(&mut self) -> Option<()> {
        if self.is_shortened {
            return None;
        }
        self.prompt = Cow::Owned(self.prompt.shortened()?);
        self.is_shortened = true;
        // There may be room again for all of the reply.
        self.sampling.max_tokens = self.reply.most;
        self.reply.has_less_room = false;
        Some(())
    }
}
