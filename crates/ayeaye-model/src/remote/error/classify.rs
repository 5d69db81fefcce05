//! What an error status and its words mean, and what to do then.
use std::time::Duration;

use ayeaye_agent::ModelErrorKind;

use super::super::computer_tool;
use super::Recovery;
use super::words::{
    self, CONTEXT_EXCEEDED, ContextRoom, DAILY_LIMIT, INVALID_KEY, NO_VISION, QUOTA_EXCEEDED,
    QUOTA_IF_NO_WAIT, most_pictures, most_tokens, room_for_reply, unsupported_feature,
};

/// What kind of error it is, what a person can do about it, and what is tried next.
type Verdict = (ModelErrorKind, &'static str, Recovery);

/// The verdict on an error status. `reason` is the endpoint's own message in lower case: many endpoints answer 400 to
/// everything, and only their words tell one case from another.
pub(super) fn classify(status: u16, reason: &str, retry_after: Option<Duration>) -> Verdict {
    let refusal = Refusal { status, reason, retry_after };
    // What is too large comes before what is not offered: such messages name parameters and pictures as well.
    refusal
        .rule_of_host()
        .or_else(|| refusal.too_large())
        .or_else(|| refusal.not_offered())
        .unwrap_or_else(|| refusal.by_status())
}

/// An answer with an error status.
struct Refusal<'a> {
    status: u16,
    reason: &'a str,
    retry_after: Option<Duration>,
}

impl Refusal<'_> {
    fn mentions(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.reason.contains(word))
    }

    /// What the host does not allow: this account, this task, this place, such a picture.
    fn rule_of_host(&self) -> Option<Verdict> {
        let (kind, hint) = match self.status {
            403 if words::is_used_up(self.reason) => (ModelErrorKind::QuotaExceeded, QUOTA_USED_UP),
            403 if words::is_moderated(self.reason) => (ModelErrorKind::Rejected, MODERATION),
            400 | 422 | 451 if self.mentions(&words::MODERATED) => {
                (ModelErrorKind::Rejected, MODERATION)
            }
            400 | 403 | 404 if self.mentions(&words::NOT_VERIFIED) => {
                (ModelErrorKind::Unauthorized, NOT_VERIFIED)
            }
            400 | 404 if self.mentions(&words::NO_PROVIDER) => {
                (ModelErrorKind::NotFound, NO_PROVIDER)
            }
            403 | 404 if self.mentions(&words::NOT_OPENED) => {
                (ModelErrorKind::Unauthorized, NOT_OPENED)
            }
            404 if self.mentions(&words::DATA_POLICY) => (ModelErrorKind::NotFound, DATA_POLICY),
            400 | 422 if self.mentions(&words::PICTURE_SIZE) => {
                (ModelErrorKind::Rejected, PICTURE_SIZE)
            }
            400 | 403 if self.mentions(&words::WRONG_PLACE) => {
                (ModelErrorKind::Unauthorized, WRONG_PLACE)
            }
            401 | 403 if words::is_of_provider(self.reason) => {
                (ModelErrorKind::Unauthorized, PROVIDER_KEY)
            }
            401 | 403 => (
                ModelErrorKind::Unauthorized,
                "the key is missing, wrong or not allowed this model: set AYEAYE_MODEL_API_KEY, or \
                 model.api-key in ayeaye.toml",
            ),
            _ => return None,
        };
        Some(give_up(kind, hint))
    }

    /// A limit that a smaller request may keep: on the prompt, the reply, or the number of pictures.
    fn too_large(&self) -> Option<Verdict> {
        if !matches!(self.status, 400 | 422 | 500) {
            return None;
        }
        if self.status == 500 && self.mentions(&words::SHARED_CONTEXT) {
            let retry = Recovery::Retry { after: self.retry_after };
            return Some((ModelErrorKind::Overloaded, SHARED_CONTEXT, retry));
        }
        if self.mentions(&CONTEXT_EXCEEDED) {
            return Some(prompt_too_long(self.reason));
        }
        if self.status != 500
            && let Some(most @ 1..) = most_tokens(self.reason)
        {
            return Some((
                ModelErrorKind::Rejected,
                "it allows no reply as long as this model is asked for: set model.max-tokens to less, or serve the \
                 model with a longer context (vLLM: --max-model-len)",
                Recovery::FewerTokens { most },
            ));
        }
        let Some(most @ 1..) = most_pictures(self.reason) else { return None };
        Some((
            ModelErrorKind::Rejected,
            "it takes fewer pictures in one request than this model is asked with: serve it with more \
             (vLLM: --limit-mm-per-prompt)",
            Recovery::FewerPictures { most },
        ))
    }

    /// What the endpoint does not have: such a model, pictures, the tool for computers, a feature.
    fn not_offered(&self) -> Option<Verdict> {
        let Self { status, reason, .. } = *self;
        match status {
            400 | 404 | 415 | 422 | 500 if self.refuses_pictures() => Some(give_up(
                ModelErrorKind::NoVision,
                "this model takes no pictures: choose one that sees, or serve this one with its vision \
                 part",
            )),
            400 | 404 | 422 if self.mentions(&words::NO_COMPUTER_TOOL) => {
                Some(give_up(ModelErrorKind::Rejected, NO_COMPUTER_TOOL))
            }
            400 | 404 if words::is_unknown_model(reason) => Some(give_up(
                ModelErrorKind::NotFound,
                if words::is_of_provider(reason) && !self.mentions(&words::NOT_OF_GATEWAY) {
                    PROVIDER_MODEL
                } else {
                    NO_SUCH_MODEL
                },
            )),
            400 | 404 | 422 if computer_tool::is_named_in(reason) => {
                Some((ModelErrorKind::Rejected, NO_GENERATION, Recovery::OtherComputerTool))
            }
            // A fault of the server's own may name what it failed at, which is no refusal of it; but llama.cpp's
            // server has no other status for this one.
            500 if !self.mentions(&["--jinja"]) => None,
            400 | 404 | 422 | 500 | 501 => {
                let feature = unsupported_feature(reason)?;
                Some((ModelErrorKind::Rejected, REJECTED, Recovery::WithoutFeature(feature)))
            }
            _ => None,
        }
    }

    fn refuses_pictures(&self) -> bool {
        most_pictures(self.reason) == Some(0)
            || self.mentions(&NO_VISION)
            || self.status != 500 && self.mentions(&["image_url"])
    }

    /// The verdict where words do not say more than the status, or only which of its meanings it has.
    fn by_status(&self) -> Verdict {
        let Self { status, retry_after, .. } = *self;
        match status {
            404 if words::is_of_provider(self.reason) => {
                give_up(ModelErrorKind::NotFound, PROVIDER_MODEL)
            }
            404 | 405 => give_up(ModelErrorKind::NotFound, NOT_FOUND),
            // It is said of the body, which is mostly pictures; by some hosts of its tokens.
            413 if self.mentions(&["token", "context"]) => prompt_too_long(""),
            413 => (ModelErrorKind::PromptTooLong, TOO_LARGE, Recovery::ShorterPrompt),
            407 => give_up(ModelErrorKind::Unreachable, PROXY_KEY),
            400 if self.mentions(&INVALID_KEY) && words::is_of_provider(self.reason) => {
                give_up(ModelErrorKind::Unauthorized, PROVIDER_KEY)
            }
            400 if self.mentions(&INVALID_KEY) => give_up(
                ModelErrorKind::Unauthorized,
                "the key is wrong: set AYEAYE_MODEL_API_KEY, or model.api-key in ayeaye.toml",
            ),
            400 | 422 if words::is_guarded(self.reason) => {
                give_up(ModelErrorKind::Rejected, MODERATION)
            }
            _ if self.is_used_up() => give_up(ModelErrorKind::QuotaExceeded, QUOTA_USED_UP),
            // A gateway has given up waiting, and what it waited for goes on behind it. The last is Cloudflare's; its
            // 522 is a connection that was never made, and 408 a request that did not come in time where it comes soon.
            504 | 524 => too_slow(),
            408 if self.mentions(&words::GATEWAY_TIMEOUT) => too_slow(),
            408 | 409 | 425 | 429 | 529 => busy(retry_after),
            500..=599 if self.mentions(&["overloaded", "high demand"]) => busy(retry_after),
            503 if self.mentions(&words::LOADING) => {
                let after = Some(retry_after.unwrap_or(LOADING_TAKES));
                (ModelErrorKind::Overloaded, LOADING, Recovery::Retry { after })
            }
            500 if self.mentions(&words::UNPARSED_REPLY) => {
                let once = Recovery::RetryOnce { after: None };
                (ModelErrorKind::ServerFault, UNPARSED_REPLY, once)
            }
            500..=599 => {
                (ModelErrorKind::ServerFault, FAULT, Recovery::Retry { after: retry_after })
            }
            // Nothing can be set that would make it able.
            400 if self.mentions(&["the stand-in for a model only"]) => {
                give_up(ModelErrorKind::Rejected, "`ayeaye setup` configures one")
            }
            // Of Portkey's gateway.
            400 if self.mentions(&["header is required"]) => give_up(
                ModelErrorKind::Rejected,
                "model.extra-headers has the headers that it wants",
            ),
            _ => give_up(ModelErrorKind::Rejected, REJECTED),
        }
    }

    /// Whether the quota of the key is used up.
    fn is_used_up(&self) -> bool {
        match self.status {
            402 => true,
            400 => self.mentions(&["billing"]) || self.mentions(&QUOTA_EXCEEDED),
            422 => self.mentions(&QUOTA_EXCEEDED),
            // What a minute or the last day allows is called so too, and says when there is more of it.
            429 => {
                self.mentions(&QUOTA_EXCEEDED)
                    || self.mentions(&DAILY_LIMIT)
                    || self.retry_after.is_none() && self.mentions(&QUOTA_IF_NO_WAIT)
            }
            _ => false,
        }
    }
}

fn give_up(kind: ModelErrorKind, hint: &'static str) -> Verdict {
    (kind, hint, Recovery::GiveUp)
}

pub(super) fn busy(retry_after: Option<Duration>) -> Verdict {
    let retry = Recovery::Retry { after: retry_after };
    (ModelErrorKind::Overloaded, "it is busy: try later", retry)
}

fn too_slow() -> Verdict {
    (ModelErrorKind::TimedOut, TOO_SLOW, Recovery::RetryOnce { after: None })
}

pub(super) const TOO_SLOW: &str =
    "it may be loading the model or be overloaded; a smaller picture or model answers sooner";

const LOADING: &str = "it is loading the model: try again when its log says that it is ready";

/// How long to leave a server alone that loads a model: some seconds to a minute, of which the attempts are to cover
/// most.
const LOADING_TAKES: Duration = Duration::from_secs(10);

const NOT_FOUND: &str = "either the path or the model's name is wrong: the base URL usually ends in /v1, and the \
     endpoint lists its models under /models";

const NO_SUCH_MODEL: &str =
    "the model's name is wrong: the endpoint lists its models under /models";

const PROVIDER_MODEL: &str = "that is what the gateway's provider says: correct the model, or the address of the provider, in \
     the gateway's settings";

const PROVIDER_KEY: &str = "that is what the gateway's provider says of the gateway's own key: correct it in the gateway's \
     settings";

pub(super) const SHARED_CONTEXT: &str =
    "requests that run at once share its context: start it with -np 1, or with a larger -c";

const UNPARSED_REPLY: &str = "it cannot read what the model has written: look at its log; where the model is asked with tools, \
     model.profile = \"generic-text\" does without";

pub(super) const NO_GENERATION: &str = "it takes this model with no generation of the computer-use tool: name one that can use \
     computers, or set model.profile = \"claude-chat\", which needs no such tool";

const NO_COMPUTER_TOOL: &str = "it takes this model without the computer-use tool: name one that can use computers, or set \
     model.profile to one that needs no such tool, \"gemini-chat\" with Gemini's OpenAI-compatible address or \"gpt\"";

const NOT_VERIFIED: &str = "the account has to be verified for this model at its host; where that is for streams alone, \
     model.stream = false does without";

const NO_PROVIDER: &str = "no provider that the account has enabled serves this model: enable one that does at its host, or \
     name another model";

const NOT_OPENED: &str = "the account has not activated this model: do so in its host's console";

const DATA_POLICY: &str = "the account's privacy settings rule out every provider of this model: change them at its host, or \
     name another model";

const PICTURE_SIZE: &str = "the picture is too small, too large or too narrow for this model: set model.max-pixels to another \
     number, or choose another model";

const WRONG_PLACE: &str =
    "its host does not serve this country or region: no setting helps, ask another endpoint";

const MODERATION: &str = "its moderation, or a gateway's guardrail, refuses the task or what the screen shows: ask another \
     endpoint, or a model on a machine of your own";

const TOO_LARGE: &str = "it, or a proxy in front of it, takes no request as large as this: have it take 20 MB (nginx: \
     client_max_body_size 20m), or send smaller pictures";

pub(super) const PROXY_KEY: &str = "the proxy that it is asked through wants a user name and password: put them into https_proxy, \
     http_proxy or all_proxy (http://user:password@host:port), or name the endpoint's host in no_proxy";

pub(super) const FAULT: &str = "the fault is on its side: look at its log";

const REJECTED: &str = "it does not take such a request: a parameter that it names can be set otherwise \
     or to \"none\" (model.temperature and the like, model.extra-body)";

const QUOTA_USED_UP: &str =
    "the quota of this key is used up, or a budget that is set at a gateway";

/// A prompt that does not fit, or that leaves too little of the context for the reply.
fn prompt_too_long(reason: &str) -> Verdict {
    let recovery = match room_for_reply(reason) {
        Some(ContextRoom::Tokens(tokens)) if LEAST_REPLY <= tokens => {
            Recovery::ShorterReply { tokens }
        }
        Some(ContextRoom::Less) => Recovery::HalfReply,
        _ => Recovery::ShorterPrompt,
    };
    (
        ModelErrorKind::PromptTooLong,
        "the prompt is longer than the model's context, or leaves too little of it for the reply: serve \
         the model with a longer one (8192 tokens, or 16384 for families that are shown several screens), or send smaller pictures",
        recovery,
    )
}

/// The least tokens that a reply with its reasons needs.
pub(in crate::remote) const LEAST_REPLY: u32 = 512;
