//! The families, a file each: what a model is called, what it is asked, its verbs, its picture and its
//! sampling.
pub(super) mod agentcpm;
pub(super) mod autoglm;
pub(super) mod claude;
pub(super) mod claude_chat;
pub(super) mod gelab;
pub(super) mod gemini;
pub(super) mod gemini_chat;
pub(super) mod generic;
pub(super) mod glm_v;
pub(super) mod gpt;
pub(super) mod kimi;
pub(super) mod m3a;
pub(super) mod mai;
pub(super) mod mobile_use;
pub(super) mod owl;
pub(super) mod qwen;
pub(super) mod seed;
pub(super) mod step_api;
pub(super) mod tools;
pub(super) mod uitars;
pub(super) mod uivenus;
