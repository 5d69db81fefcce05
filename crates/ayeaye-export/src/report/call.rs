//! One question to a model and its answer, as a page keeps them.
use ayeaye_agent::journal::{
    BlobRef, LlmRequest, LlmResponse, PartRecord, ResponseKind, TokenRecord,
};

use super::clip::{clip_blob, json_text};
use super::html::Clipped;

/// The longest reply, and the longest words of a prompt together, in bytes.
const MAX_PROMPT: usize = 20_000;
/// Pieces of a prompt.
const MAX_PARTS: usize = 64;

/// A call to a model.
#[derive(Debug, Clone)]
pub(super) struct ModelCall {
    pub(super) id: u32,
    pub(super) iteration: u32,
    pub(super) purpose: String,
    pub(super) model: Clipped,
    pub(super) prompt: Vec<PromptPart>,
    /// Bytes and pieces that are not kept.
    pub(super) missing: usize,
    pub(super) answer: Option<Reply>,
}

/// A piece of a prompt.
#[derive(Debug, Clone)]
pub(super) enum PromptPart {
    /// Who speaks from here on.
    Role(String),
    Text(Clipped),
    /// Words that are kept once for many prompts.
    Kept(BlobRef),
    Picture(BlobRef),
}

/// What came back.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    /// Whether the step went on with it.
    pub(super) used: bool,
    pub(super) raw: Clipped,
    pub(super) reasoning: Clipped,
    pub(super) tools: Vec<(Clipped, Clipped)>,
    pub(super) error: Option<Clipped>,
    pub(super) retries: Vec<Clipped>,
    pub(super) tokens: TokenRecord,
    pub(super) ms: f64,
    pub(super) first_token_ms: Option<f64>,
}

impl Reply {
    /// Whether the model said anything: an endpoint that never answered did not.
    pub(super) fn has_words(&self) -> bool {
        !self.raw.is_empty() || !self.reasoning.is_empty() || !self.tools.is_empty()
    }
}

impl ModelCall {
    pub(super) fn new(request: &LlmRequest) -> Self {
        let mut call = Self {
            id: request.call_id,
            iteration: request.iteration,
            purpose: Clipped::of(&request.purpose, 100).text,
            model: Clipped::of(&request.model, 200),
            prompt: Vec::new(),
            missing: 0,
            answer: None,
        };
        let mut left = MAX_PROMPT;
        for message in &request.messages {
            call.put(PromptPart::Role(Clipped::of(&message.role, 100).text), 0);
            for part in &message.parts {
                match part {
                    PartRecord::Text(text) => {
                        let clipped = Clipped::of(text, left);
                        left -= clipped.text.len();
                        if clipped.is_empty() {
                            call.missing += text.len();
                        } else {
                            call.put(PromptPart::Text(clipped), text.len());
                        }
                    }
                    PartRecord::TextBlob(blob) => {
                        let bytes = usize::try_from(blob.bytes).unwrap_or(usize::MAX);
                        call.put(PromptPart::Kept(clip_blob(blob)), bytes);
                    }
                    PartRecord::Picture(blob) => call.put(PromptPart::Picture(clip_blob(blob)), 0),
                }
            }
        }
        call
    }

    pub(super) fn on_response(&mut self, response: &LlmResponse) {
        let clip = |text: &String| Clipped::of(text, 2000);
        self.answer = Some(Reply {
            used: response.success && response.kind == ResponseKind::Final,
            raw: Clipped::of(response.raw_content.as_deref().unwrap_or(""), MAX_PROMPT),
            reasoning: Clipped::of(&response.reasoning, MAX_PROMPT),
            tools: response
                .tool_calls
                .iter()
                .take(8)
                .map(|call| (Clipped::of(&call.name, 200), json_text(&call.parameters, 2000)))
                .collect(),
            error: response.error.as_ref().map(clip),
            retries: response.retries.iter().take(8).map(clip).collect(),
            tokens: response.tokens,
            ms: response.latency_ms,
            first_token_ms: response.first_token_ms,
        });
    }

    pub(super) fn text_len(&self) -> usize {
        let prompt: usize = self
            .prompt
            .iter()
            .map(|piece| match piece {
                PromptPart::Text(text) => 64 + text.text.len(),
                PromptPart::Role(_) | PromptPart::Kept(_) | PromptPart::Picture(_) => 128,
            })
            .sum();
        let reply = self.answer.as_ref().map_or(0, |reply| {
            reply.raw.text.len()
                + reply.reasoning.text.len()
                + reply.tools.iter().map(|(_, it)| 200 + it.text.len()).sum::<usize>()
        });
        300 + prompt + reply
    }

    fn put(&mut self, piece: PromptPart, bytes: usize) {
        if self.prompt.len() < MAX_PARTS {
            self.prompt.push(piece);
        } else {
            self.missing = self.missing.saturating_add(bytes);
        }
    }
}
