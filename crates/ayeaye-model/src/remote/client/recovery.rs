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
        let recovery = match recovery {
            // Servers that count no further than to the limit: one token too many is a bound.
            Recovery::ShorterReply { tokens }
                if request.sampling.max_tokens.checked_sub(1) == Some(tokens) =>
            {
                Recovery::HalfReply
            }
            other => other,
        };
        let backoff = |after| backoff::delay(policy, counted + 1, after, rand::random());
        let (is_change, wait) = match recovery {
            Recovery::Retry { after } => (false, backoff(after)?),
            Recovery::RetryOnce if !request.has_been_repeated => {
                request.has_been_repeated = true;
                (false, backoff(None)?)
            }
            Recovery::WithoutFeature(feature)
                if self.api.is_optional(feature) && self.was_sent(request, feature) =>
            {
                tracing::info!("the model endpoint refuses {}: left out", feature.name());
                let unsupported = self.unsupported().with(feature);
                self.unsupported.fetch_or(unsupported.0, Ordering::Relaxed);
                (true, Duration::ZERO)
            }
            Recovery::OtherComputerTool if request.computer.is_some() => {
                self.change_computer_tool(request)?;
                (true, Duration::ZERO)
            }
            Recovery::FewerPictures { most } => {
                tracing::info!(
                    "the model endpoint takes {most} pictures in a request: no more are sent"
                );
                self.pictures.fetch_min(most, Ordering::Relaxed);
                request.prompt = Cow::Owned(request.prompt.with_last_pictures(most)?);
                (true, Duration::ZERO)
            }
            Recovery::FewerTokens { most }
                if !request.reply.is_capped && most < request.sampling.max_tokens =>
            {
                tracing::info!(
                    "the model endpoint allows replies of {most} tokens: no more are asked for"
                );
                self.tokens.fetch_min(most, Ordering::Relaxed);
                request.reply.is_capped = true;
                request.reply.most = request.reply.most.min(most);
                request.sampling.max_tokens = most;
                (true, Duration::ZERO)
            }
            Recovery::ShorterReply { tokens }
                if !request.reply.has_less_room && tokens < request.sampling.max_tokens =>
            {
                request.sampling.max_tokens = tokens;
                request.reply.has_less_room = true;
                (true, Duration::ZERO)
            }
            Recovery::HalfReply if LEAST_REPLY <= request.sampling.max_tokens / 2 => {
                request.sampling.max_tokens /= 2;
                (true, Duration::ZERO)
            }
            Recovery::ShorterPrompt | Recovery::ShorterReply { .. } | Recovery::HalfReply
                if !request.is_shortened =>
            {
                request.prompt = Cow::Owned(request.prompt.shortened()?);
                request.is_shortened = true;
                // There may be room again for all of the reply.
                request.sampling.max_tokens = request.reply.most;
                request.reply.has_less_room = false;
                (true, Duration::ZERO)
            }
            Recovery::GiveUp
            | Recovery::RetryOnce
            | Recovery::WithoutFeature(_)
            | Recovery::OtherComputerTool
            | Recovery::ShorterPrompt
            | Recovery::ShorterReply { .. }
            | Recovery::HalfReply
            | Recovery::FewerTokens { .. } => return None,
        };
        if is_change {
            request.changes += 1;
            request.unsupported = self.unsupported();
            let Request { prompt, sampling, unsupported, computer, .. } = &*request;
            request.body = self.body(prompt, *sampling, *unsupported, *computer);
        }
        (counted - u32::from(is_change) < policy.attempts).then_some(wait)
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
