//! How foreign text is written in prompts: as in every other prompt, [`ayeaye_agent::prompt_text`] says.
pub(super) use ayeaye_agent::prompt_text::{
    LONGEST_LINE, LONGEST_TASK, LONGEST_TEXT, escape_tags, is_unsafe, own_words, plain_line,
    quote_untrusted, truncated, unicode_escape, verbatim, without_role_tokens, without_tags,
};
