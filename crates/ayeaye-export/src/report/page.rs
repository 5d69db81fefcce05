//! A page while it is being written, and the small parts that stand all over it.
use std::collections::{HashMap, HashSet};

use super::html::Html;
use super::item::Step;
use super::model::ReportModel;
use super::pictures::Pictures;
use crate::Blobs;
use crate::labels::{self, Tone};

/// A page that is being written.
pub(super) struct Page<'a> {
    pub(super) html: Html,
    pub(super) model: &'a ReportModel,
    pub(super) blobs: &'a dyn Blobs,
    pub(super) pictures: Pictures,
    /// Texts that many prompts share, and the step that shows them: by their hash.
    pub(super) texts: HashMap<String, u32>,
    /// Bytes of such texts that may still be shown.
    pub(super) texts_left: usize,
    /// Steps that have an anchor.
    pub(super) anchors: HashSet<u32>,
}

/// A step in a few words: the model's, else the action's.
pub(super) fn title(step: &Step, longest: usize) -> String {
    let comment = step.model_text.comment.text.trim();
    if !comment.is_empty() {
        return comment.chars().take(longest).collect();
    }
    match &step.action {
        Some(action) => {
            let labels::ActionText { verb, object, how } = labels::describe_action(action, longest);
            [verb, object, how]
                .iter()
                .filter(|it| !it.is_empty())
                .cloned()
                .collect::<Vec<_>>()
                .join(" ")
        }
        None => "Nothing was decided".to_owned(),
    }
}

pub(super) fn chip(html: &mut Html, tone: Tone, word: &'static str) {
    html.raw("<span class=\"chip ").raw(tone.class()).raw("\">").raw(word).raw("</span>");
}
