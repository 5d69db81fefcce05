//! Parts of a request that some endpoints support and others refuse the request for.

/// One such part. It is left out, or written in another way, from the first refusal on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionalFeature {
    /// Token counts at the end of a stream.
    StreamUsage,
    /// A JSON schema for the reply.
    ResponseSchema,
    /// Temperature and the other sampling parameters.
    Sampling,
    /// `max_tokens`, which newer models call `max_completion_tokens`.
    MaxTokens,
    /// Tools. Without them the model has only what the prompt's text says about its actions.
    Tools,
    /// The model's past calls of tools as calls, which some settings of Anthropic's API take only with the thinking
    /// that was in front of them. That is not kept; without them the history is told in words.
    PastCalls,
    /// A message of the system's, which some chat templates take not at all, or beside no picture. Without it the rules
    /// stand in front of what the user says first.
    SystemMessage,
}

impl OptionalFeature {
    #[cfg(test)]
    pub(super) const ALL: [Self; 7] = [
        Self::StreamUsage,
        Self::ResponseSchema,
        Self::Sampling,
        Self::MaxTokens,
        Self::Tools,
        Self::PastCalls,
        Self::SystemMessage,
    ];

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::StreamUsage => "`stream_options`",
            Self::ResponseSchema => "a schema for its reply",
            Self::Sampling => "sampling parameters such as temperature",
            Self::MaxTokens => "`max_tokens`",
            Self::Tools => "tools",
            Self::PastCalls => "past calls without the thinking in front of them",
            Self::SystemMessage => "a message of the system's",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Self::StreamUsage => 1,
            Self::ResponseSchema => 2,
            Self::Sampling => 4,
            Self::MaxTokens => 8,
            Self::Tools => 16,
            Self::PastCalls => 32,
            Self::SystemMessage => 64,
        }
    }
}

/// The set of features that an endpoint has refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UnsupportedFeatures(pub(super) u8);

impl UnsupportedFeatures {
    pub(super) fn contains(self, feature: OptionalFeature) -> bool {
        self.0 & feature.bit() != 0
    }

    #[must_use]
    pub(super) fn with(self, feature: OptionalFeature) -> Self {
        Self(self.0 | feature.bit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_told_apart() {
        let mut unsupported = UnsupportedFeatures::default();
        for feature in OptionalFeature::ALL {
            assert!(!unsupported.contains(feature), "{feature:?}");
            unsupported = unsupported.with(feature);
            assert!(unsupported.contains(feature), "{feature:?}");
        }
    }
}
