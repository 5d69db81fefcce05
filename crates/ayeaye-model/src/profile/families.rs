//! The families, a file each: names of models, prompt, verbs, picture and sampling.
use super::Profile;

mod agentcpm;
mod autoglm;
pub(super) mod claude;
mod claude_chat;
pub(super) mod gelab;
pub(super) mod gemini;
mod gemini_chat;
pub(super) mod generic;
mod glm_v;
mod gpt;
pub(super) mod gpt_computer;
mod kimi;
mod m3a;
mod mai;
mod mimo;
mod mobile_use;
mod owl;
pub(super) mod qwen;
mod seed;
mod step_api;
mod tools;
mod uitars;
mod uivenus;
mod uivenus2;
mod uivenus_navi;

/// Every family. Of several that know a model's name, the first is taken.
pub(super) const ALL: &[Profile] = &[
    Profile(&gelab::Gelab),
    Profile(&uitars::UI_TARS_1000),
    Profile(&seed::Seed),
    Profile(&uitars::UI_TARS),
    Profile(&autoglm::AUTOGLM),
    Profile(&mai::Mai),
    Profile(&owl::OwlOne),
    Profile(&owl::Owl),
    Profile(&qwen::QWEN_2_5),
    Profile(&qwen::QWEN_3),
    Profile(&claude::CLAUDE_20250124),
    Profile(&claude::CLAUDE),
    Profile(&gemini::Gemini),
    Profile(&uivenus2::UiVenus2),
    Profile(&uivenus_navi::UiVenusNavi),
    Profile(&uivenus::UiVenus),
    Profile(&mimo::Mimo),
    Profile(&agentcpm::AgentCpm),
    Profile(&step_api::StepApi),
    Profile(&m3a::M3a),
    Profile(&gpt_computer::GptComputer),
    Profile(&gpt::GPT),
    Profile(&claude_chat::CLAUDE_CHAT),
    Profile(&gemini_chat::GEMINI_CHAT),
    Profile(&kimi::KIMI),
    Profile(&glm_v::GLM_V),
    Profile(&generic::GENERIC),
    Profile(&generic::GENERIC_TEXT),
];
