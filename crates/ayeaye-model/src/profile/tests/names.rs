//! Which profile is taken for which model.
use super::super::{Profile, ProfileInfo};
use crate::Endpoint;

#[test]
fn what_is_listed_of_profiles_is_for_people() {
    let all: Vec<ProfileInfo> = Profile::ALL.iter().map(|profile| profile.listed()).collect();
    let any: Vec<_> = all.iter().filter(|it| it.is_default).map(|it| it.name).collect();
    assert_eq!(any, ["generic"]);
    for it in all {
        assert!(!it.picture.contains(&u32::MAX.to_string()), "{}: {}", it.name, it.picture);
    }
}

#[test]
fn a_profile_is_found_by_its_own_name() {
    for profile in Profile::ALL {
        assert_eq!(profile.name().parse(), Ok(*profile));
        assert_eq!(profile.name(), profile.name().to_ascii_lowercase());
    }
    assert!("mystery".parse::<Profile>().unwrap_err().to_string().contains("model list"));
}

const NAMES: &[(&str, &[&str])] = &[
    ("gelab", &["gelab-zero-4b-preview", "stepfun-ai/GELab-Zero-4B", "Step-GUI-8B"]),
    (
        "ui-tars",
        &[
            "ByteDance-Seed/UI-TARS-1.5-7B",
            "bytedance/ui-tars-1.5-7b",
            "ui-tars-1.5-7b-mlx",
            "hf.co/Mungert/UI-TARS-1.5-7B-GGUF:Q4_K_M",
            "ui-tars",
        ],
    ),
    (
        "ui-tars-1000",
        &[
            "doubao-1-5-ui-tars-250428",
            "Doubao-1.5-UI-TARS",
            "doubao-1-5-thinking-vision-pro-250428",
            "ByteDance-Seed/UI-TARS-7B-DPO",
            "bytedance-research/UI-TARS-72B-SFT",
            "UI-TARS-2B-SFT",
            "doubao-seed-1-6-vision-250815",
        ],
    ),
    (
        "seed",
        &[
            "doubao-seed-1-8-251228",
            "Doubao-Seed-1.8",
            "doubao-seed-2-0-pro-260215",
            "doubao-seed-2-0-lite",
            "bytedance-seed/seed-2.0-mini",
            "UI-TARS-2",
            "bytedance/ui-tars-2-preview",
        ],
    ),
    ("autoglm", &["zai-org/AutoGLM-Phone-9B", "autoglm-phone", "AutoGLM-Phone-9B-Multilingual"]),
    (
        "qwen2.5-vl",
        &[
            "Qwen/Qwen2.5-VL-7B-Instruct",
            "Qwen/Qwen2.5-VL-72B-Instruct-AWQ",
            "qwen2.5vl:7b",
            "qwen/qwen-2.5-vl-7b-instruct",
            "qwen/qwen2.5-vl-72b-instruct:free",
            "mlx-community/Qwen2_5-VL-3B-4bit",
            "qwen-vl-max",
            "qwen-vl-plus-latest",
        ],
    ),
    (
        "qwen3-vl",
        &[
            "Qwen/Qwen3-VL-4B-Instruct",
            "Qwen/Qwen3-VL-235B-A22B-Thinking-FP8",
            "qwen3-vl:8b",
            "qwen3-vl-plus",
            "Qwen/Qwen3.5-9B",
            "qwen3.5:9b",
            "qwen3.6-plus",
            "qwen3.7-plus",
        ],
    ),
    ("gui-owl-1", &["mPLUG/GUI-Owl-7B", "mPLUG/GUI-Owl-32B", "mradermacher/GUI-Owl-7B-GGUF"]),
    (
        "gui-owl",
        &[
            "mPLUG/GUI-Owl-1.5-8B-Instruct",
            "GUI-Owl-1.5-32B-Thinking",
            "gui_owl_1.5_4b",
            "gui-plus-2026-02-26",
        ],
    ),
    ("mai-ui", &["Tongyi-MAI/MAI-UI-8B", "MAI-UI-2B", "mai_ui_32b", "mradermacher/MAI-UI-8B-GGUF"]),
    ("ui-venus", &["inclusionAI/UI-Venus-1.5-8B", "UI-Venus-1.5-30B-A3B", "ui-venus-1.5:2b"]),
    ("ui-venus-2", &["inclusionAI/UI-Venus-2-9B", "UI-Venus-2-27B", "ui-venus-2:9b"]),
    ("ui-venus-navi", &["inclusionAI/UI-Venus-Navi-7B", "UI-Venus-Navi-72B"]),
    ("mimo-vl", &["XiaomiMiMo/MiMo-VL-7B-RL-2508", "mimo-vl:7b"]),
    ("agentcpm-gui", &["openbmb/AgentCPM-GUI", "agentcpm-gui-8b"]),
    ("step-api", &["step-api", "step-1o-turbo-vision", "step-3"]),
    ("m3a", &["m3a-gpt", "androidworld-agent"]),
    ("gpt", &["gpt-4o", "gpt-5.2", "openai/gpt-5-mini", "chatgpt-4o-latest"]),
    ("claude-chat", &["claude-sonnet-4-5-20250929", "anthropic/claude-opus-4.7"]),
    ("gemini-chat", &["gemini-3-pro-preview", "google/gemini-2.5-flash"]),
    ("kimi", &["kimi-k2.5", "moonshotai/Kimi-K2.6"]),
    ("glm-v", &["glm-4.5v", "zai-org/GLM-4.6V-Flash", "THUDM/GLM-4.1V-9B-Thinking"]),
    (
        "generic",
        &[
            "gpt-oss-20b",
            "llama3.2-vision",
            "minicpm-v",
            "glm-4.6",
            "m3",
            "gui-plus",
            "Seed-OSS-36B-Instruct",
        ],
    ),
    // They see nothing, or count otherwise.
    ("generic", &["qwen3-coder:30b", "Qwen/Qwen2-VL-7B-Instruct", "qwen2.5-coder:7b", "qwen3:8b"]),
];

#[test]
fn a_profile_is_found_by_the_models_name() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for (profile, names) in NAMES {
        for name in *names {
            assert_eq!(Profile::for_model(name, &endpoint).name(), *profile, "{name}");
        }
    }
}

/// An API of its own is spoken only where it is at home; elsewhere the same models answer chats.
#[test]
fn apis_of_their_own_are_spoken_at_home() {
    let home = Endpoint::parse("https://api.anthropic.com/v1").unwrap();
    for name in
        ["claude-opus-4-7", "claude-sonnet-5", "claude-opus-4-5-20251101", "claude-sonnet-4-6"]
    {
        assert_eq!(Profile::for_model(name, &home).name(), "claude", "{name}");
    }
    for name in [
        "claude-sonnet-4-5-20250929",
        "claude-haiku-4-5",
        "claude-opus-4-1-20250805",
        "claude-3-7-sonnet-latest",
        "claude-sonnet-4-20250514",
    ] {
        assert_eq!(Profile::for_model(name, &home).name(), "claude-20250124", "{name}");
    }
    let google = "https://generativelanguage.googleapis.com";
    for (base, profile) in
        [("", "gemini"), ("/v1beta", "gemini"), ("/v1beta/openai", "gemini-chat")]
    {
        let endpoint = Endpoint::parse(&format!("{google}{base}")).unwrap();
        assert_eq!(Profile::for_model("gemini-3.5-flash", &endpoint).name(), profile, "{base}");
    }
    let router = Endpoint::parse("https://router.example/api/v1").unwrap();
    let chat = Profile::for_model("anthropic/claude-sonnet-4.5", &router);
    assert_eq!(chat.name(), "claude-chat");
    assert_eq!(Profile::for_model("google/gemini-3-pro", &router).name(), "gemini-chat");
}
