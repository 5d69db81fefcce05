//! Whether the model's server gives it the context that a task takes, as far as the server tells.
use ayeaye_model::{ModelConfig, Severity};

use super::DoctorFinding;
use crate::command::model_servers::{Finder, ServerKind, family, tokens_needed};

/// The context of a model that has just been asked something: some servers tell it of loaded models only.
/// `None` where it cannot be known; whoever sells a model by the token is not asked.
pub(super) async fn served_context(settings: &ModelConfig) -> Option<DoctorFinding> {
    if !settings.endpoint.is_own() {
        return None;
    }
    let address = settings.endpoint.to_string();
    let (key, headers) = (settings.key.clone(), settings.extra_headers.clone());
    let finder = Finder::new(&address, key, headers).ok()?;
    let server = finder.look(&address).await?;
    let name = &settings.name;
    let offered = server.model_called(name)?;
    let context = match offered.context {
        Some(context) => context,
        None => finder.loaded_context(&server, &offered.name).await?,
    };
    let needed = tokens_needed(settings.profile.or_else(|| family(name, &settings.endpoint)));
    let title = server.kind.title();
    if u64::from(needed) <= context {
        let text =
            format!("{title} gives it {context} tokens of context, of which a task needs {needed}");
        return Some(DoctorFinding::new(Severity::Ok, "model", text));
    }
    let text = format!("{title} gives it {context} tokens of context, and a task needs {needed}");
    // What a model of Ollama's has of its own is stronger than what the server is started with.
    let raise = match server.kind {
        ServerKind::Ollama if offered.context.is_some() => {
            "`ayeaye setup` makes the same model with enough of it".to_owned()
        }
        kind => kind.how_to_raise(offered, needed),
    };
    Some(DoctorFinding::new(Severity::Warning, "model", text).with_hint(raise))
}
