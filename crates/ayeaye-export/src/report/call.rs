//! One question to a model and its answer, as a page keeps and shows them.
use ayeaye_agent::journal::{BlobRef, LlmRequest, LlmResponse, PartFacts, TokenFacts};

use super::html::Clipped;
use super::story::{in_line, small};

/// The longest reply, and the longest words of a prompt together, in bytes.
pub(super) const LONGEST: usize = 20_000;
/// Pieces of a prompt.
const MOST_PIECES: usize = 64;

/// A call to a model.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: u32,
    pub(super) iteration: u32,
    pub(super) purpose: String,
    pub(super) model: Clipped,
    pub(super) prompt: Vec<Piece>,
    /// Bytes and pieces that are not kept.
    pub(super) missing: usize,
    pub(super) answer: Option<Reply>,
}

/// A piece of a prompt.
#[derive(Debug, Clone)]
pub(super) enum Piece {
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
    pub(super) tokens: TokenFacts,
    pub(super) ms: f64,
    pub(super) first_token_ms: Option<f64>,
}

impl Call {
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
        let mut left = LONGEST;
        for message in &request.messages {
            call.put(Piece::Role(Clipped::of(&message.role, 100).text), 0);
            for part in &message.parts {
                match part {
                    PartFacts::Text(text) => {
                        let clipped = Clipped::of(text, left);
                        left -= clipped.text.len();
                        if clipped.is_empty() {
                            call.missing += text.len();
                        } else {
                            call.put(Piece::Text(clipped), text.len());
                        }
                    }
                    PartFacts::TextBlob(blob) => {
                        let bytes = usize::try_from(blob.bytes).unwrap_or(usize::MAX);
                        call.put(Piece::Kept(small(blob)), bytes);
                    }
                    PartFacts::Picture(blob) => call.put(Piece::Picture(small(blob)), 0),
                }
            }
        }
        call
    }

    pub(super) fn hear(&mut self, response: &LlmResponse) {
        let clip = |text: &String| Clipped::of(text, 2000);
        self.answer = Some(Reply {
            used: response.success && response.kind == "final",
            raw: Clipped::of(response.raw_content.as_deref().unwrap_or(""), LONGEST),
            reasoning: Clipped::of(&response.reasoning, LONGEST),
            tools: response
                .tool_calls
                .iter()
                .take(8)
                .map(|call| (Clipped::of(&call.name, 200), in_line(&call.parameters, 2000)))
                .collect(),
            error: response.error.as_ref().map(clip),
            retries: response.retries.iter().take(8).map(clip).collect(),
            tokens: response.tokens,
            ms: response.latency_ms,
            first_token_ms: response.first_token_ms,
        });
    }

    pub(super) fn words(&self) -> usize {
        let prompt: usize = self
            .prompt
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => 64 + text.text.len(),
                Piece::Role(_) | Piece::Kept(_) | Piece::Picture(_) => 128,
            })
            .sum();
        let reply = self.answer.as_ref().map_or(0, |reply| {
            reply.raw.text.len()
                + reply.reasoning.text.len()
                + reply.tools.iter().map(|(_, it)| 200 + it.text.len()).sum::<usize>()
        });
        300 + prompt + reply
    }

    fn put(&mut self, piece: Piece, bytes: usize) {
        if self.prompt.len() < MOST_PIECES {
            self.prompt.push(piece);
        } else {
            self.missing = self.missing.saturating_add(bytes);
        }
    }
}
