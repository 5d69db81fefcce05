//! The models of all roles, from the settings.
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use ayeaye_agent::{Judge, Model, Models};
use ayeaye_model::{Endpoint, ExtraHeaders, ModelConfig, OfficialPrompt, RemoteModel};

use crate::config::{Config, RoleSettings, ValueError};
use crate::scripted_model::ScriptedClient;
use ayeaye_agent::bounded_file::bounded_file;

/// The model of the settings.
pub fn model(config: &Config) -> anyhow::Result<RemoteModel> {
    RemoteModel::new(model_config(config)?).context("the model's settings")
}

/// The endpoint and profile of the settings.
pub fn model_config(config: &Config) -> anyhow::Result<ModelConfig> {
    let settings = &config.model;
    let endpoint = Endpoint::parse(settings.base_url.as_str()).context("model.base-url")?;
    let mut model = ModelConfig::new(endpoint, &settings.name);
    model.key = settings.api_key.clone();
    model.extra_headers = settings.extra_headers.clone();
    model.profile = settings.profile;
    let prompt = settings.prompt.as_deref().map(imported_prompt).transpose();
    model.prompt = prompt.map_err(|problem| config.invalid("model.prompt", problem))?;
    model.space = settings.coordinates;
    model.max_pixels = settings.max_pixels;
    model.stream = settings.stream;
    model.calls = settings.calls.clone().or(&settings.call_table.of(&settings.name));
    model.limits.connect = settings.connect_timeout;
    model.limits.first_byte = settings.first_byte_timeout;
    model.limits.total = settings.timeout;
    model.retries.attempts = settings.retries + 1;
    model.prices = settings.prices.or_else(|| settings.price_table.of(&settings.name));
    Ok(model)
}

/// The prompt in this file, checked.
fn imported_prompt(path: &Path) -> Result<Arc<OfficialPrompt>, ValueError> {
    let read = || -> anyhow::Result<OfficialPrompt> {
        Ok(OfficialPrompt::parse(&bounded_file(path, ayeaye_model::LONGEST_PROMPT_FILE as u64)?)?)
    };
    let wrong = |err| ValueError::NotAPrompt { path: path.to_owned(), why: format!("{err:#}") };
    read().map(Arc::new).map_err(wrong)
}

/// The models of all roles, by the settings.
#[derive(Clone, Copy)]
pub(super) struct Roles<'a> {
    pub(super) config: &'a Config,
    /// The configuration of the model that acts.
    pub(super) acting: &'a ModelConfig,
    pub(super) model: &'a Arc<RemoteModel>,
    /// Whether there is no other model, whatever the settings say.
    pub(super) alone: bool,
}

impl Roles<'_> {
    pub(super) fn models(self) -> anyhow::Result<Models> {
        let settings = &self.config.model;
        let act: Arc<dyn Model> = if self.alone {
            Arc::new(ScriptedClient::new(self.model.clone()))
        } else {
            self.model.clone()
        };
        let fallback = match self.role(&settings.fallback, "model.fallback-*")? {
            same if Arc::ptr_eq(&same, self.model) => None,
            other => Some(other as Arc<dyn Model>),
        };
        // The scripted model cannot write captions.
        let caption = if self.config.run.caption && !self.alone {
            Some(self.role(&settings.caption, "model.caption-*")? as Arc<dyn Model>)
        } else {
            None
        };
        Ok(Models {
            act,
            fallback,
            plan: self.role(&settings.plan, "model.plan-*")?,
            reply: self.role(&settings.reply, "model.reply-*")?,
            caption,
        })
    }

    /// The judge, if the settings want one.
    pub(super) fn judge(self) -> anyhow::Result<Option<Judge>> {
        let evaluate = self.config.run.evaluate;
        if !evaluate.rounds() && !evaluate.sessions() {
            return Ok(None);
        }
        let model = self.role(&self.config.model.judge, "model.judge-*")?;
        Ok(Some(Judge { model, rounds: evaluate.rounds(), sessions: evaluate.sessions() }))
    }

    /// The model for one role; the one that acts where nothing else is set.
    fn role(self, role: &RoleSettings, keys: &'static str) -> anyhow::Result<Arc<RemoteModel>> {
        if self.alone || role.is_empty() {
            return Ok(self.model.clone());
        }
        let config = role_config(self.config, self.acting, role).context(keys)?;
        Ok(Arc::new(RemoteModel::new(config).context(keys)?))
    }
}

/// The configuration of the model for one role. A key is for one endpoint: if the role has a base URL of
/// its own, the key of the model that acts is not sent there.
fn role_config(
    config: &Config,
    acting: &ModelConfig,
    role: &RoleSettings,
) -> anyhow::Result<ModelConfig> {
    let mut model = acting.clone();
    if let Some(url) = &role.base_url {
        model.endpoint = Endpoint::parse(url.as_str())?;
        model.key = None;
        model.extra_headers = ExtraHeaders::default();
    }
    if role.api_key.is_some() {
        model.key.clone_from(&role.api_key);
    }
    if let Some(name) = &role.name {
        model.name.clone_from(name);
    }
    let same = model.name == acting.name && model.endpoint == acting.endpoint;
    // Settings for the acting model do not apply to another one.
    if !same || role.profile.is_some() {
        model.space = None;
        model.prompt = None;
        model.profile = role.profile;
    }
    if !same {
        model.max_pixels = None;
        model.prices = config.model.price_table.of(&model.name);
        model.calls = config.model.call_table.of(&model.name);
    }
    model.calls = role.calls.clone().or(&model.calls);
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::super::tests::settled;
    use super::*;

    fn role(text: &str) -> (ModelConfig, ModelConfig) {
        let config = settled(text);
        let acting = model_config(&config).unwrap();
        (role_config(&config, &acting, &config.model.judge).unwrap(), acting)
    }

    #[test]
    fn a_part_without_a_base_url_is_asked_like_the_model_that_acts() {
        let (judge, acting) = role(
            "[model]\nbase-url = 'https://a.example/v1'\napi-key = 'main'\nname = 'm'\n\
             coordinates = 'pixels'\nmax-pixels = 500000\ninput-price = 1\noutput-price = 2\n\
             judge-name = 'other'\nprices = ['oth* 3 4 0.5']\n",
        );
        assert_eq!((judge.name.as_str(), &judge.endpoint), ("other", &acting.endpoint));
        assert_eq!(judge.key, acting.key);
        // Settings for one model do not apply to another.
        assert_eq!((judge.space, judge.max_pixels), (None, None));
        assert_eq!(judge.prices.unwrap().cached, Some(0.5));
        assert_eq!(acting.prices.unwrap().cached, None);
        assert_eq!(
            (acting.space, acting.max_pixels),
            (Some(ayeaye_model::CoordSystem::PIXELS), Some(500_000))
        );
    }

    #[test]
    fn calls_are_set_by_the_model_by_its_name_and_by_the_part() {
        let of = |line: &str| line.parse::<ayeaye_model::CallSettings>().unwrap();
        let text = "[model]\nname = 'm-1'\ntemperature = 0.5\nstop = ['</a>', 'b c']\n\
                    options = ['m-* temperature=0.9 top-k=5', 'other thinking=off top-p=0.7']\n\
                    judge-options = 'max-tokens=99 top-p=0.1'\n";
        let table = "[model.extra-body]\ntop = { k = [1, 0x10, 2.5, true] }\n";
        let (judge, acting) = role(&format!("{text}{table}"));
        let stop = r#"stop=["</a>","b c"] extra-body={"top":{"k":[1,16,2.5,true]}}"#;
        assert_eq!(acting.calls, of(&format!("temperature=0.5 top-k=5 {stop}")));
        // The same model, except for settings of its role.
        let same = of(&format!("temperature=0.5 top-k=5 max-tokens=99 top-p=0.1 {stop}"));
        assert_eq!(judge.calls, same);
        let (judge, _) = role(&format!("{text}judge-name = 'other'\n{table}"));
        assert_eq!(judge.calls, of("thinking=off max-tokens=99 top-p=0.1"));
    }

    // On Windows a path with such a character is refused before.
    #[cfg(unix)]
    #[test]
    fn a_prompt_that_is_none_is_told_with_where_it_was_set() {
        let config = settled("[model]\nprompt = \"/no\\u001b[2J/such\"\n");
        let told = model_config(&config).unwrap_err();
        assert!(told.is::<crate::config::ConfigError>(), "{told:?}");
        let told = told.to_string();
        for part in
            ["`model.prompt` from ", "ayeaye.toml:2: ", "/no[2J/such: ", "model prompt import"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
    }

    #[test]
    fn a_key_is_sent_to_its_own_endpoint_only() {
        let main = "[model]\nbase-url = 'https://a.example/v1'\napi-key = 'main'\n";
        let (judge, _) = role(&format!("{main}judge-base-url = 'https://b.example/v1'\n"));
        assert_eq!(judge.key, None);
        let main_headers = format!("{main}extra-headers = {{ x-team = 'main' }}\n");
        let (judge, acting) =
            role(&format!("{main_headers}judge-base-url = 'https://b.example/v1'\n"));
        assert!(judge.extra_headers.is_empty() && !acting.extra_headers.is_empty());
        assert!(!role(&format!("{main_headers}judge-name = 'other'\n")).0.extra_headers.is_empty());
        let (judge, _) = role(&format!("{main}judge-base-url = 'https://b.example/v1'\n"));
        assert_eq!(judge.endpoint.to_string(), "https://b.example/v1");
        let own = format!("{main}judge-base-url = 'https://b.example/v1'\njudge-api-key = 'own'\n");
        assert_eq!(role(&own).0.key, ayeaye_model::Secret::new("own"));
        let same = format!("{main}judge-api-key = 'own'\n");
        let (judge, acting) = role(&same);
        assert_eq!(
            (judge.key, judge.endpoint),
            (ayeaye_model::Secret::new("own"), acting.endpoint)
        );
    }

    #[tokio::test]
    async fn parts_share_one_model_where_nothing_differs() {
        let models = |text: &str| {
            let config = settled(text);
            let acting = model_config(&config).unwrap();
            let model = Arc::new(RemoteModel::new(acting.clone()).unwrap());
            let roles = Roles { config: &config, acting: &acting, model: &model, alone: false };
            (roles.models().unwrap(), roles.judge().unwrap())
        };
        let (plain, judge) = models("");
        assert!(Arc::ptr_eq(&plain.act, &plain.plan) && Arc::ptr_eq(&plain.act, &plain.reply));
        assert!(plain.fallback.is_none() && plain.caption.is_none() && judge.is_none());
        let (all, judge) = models(
            "[model]\nfallback-profile = 'gelab'\nreply-name = 'r'\nplan-name = 'p'\n\
             [run]\ncaption = 'on'\nevaluate = 'both'\n",
        );
        assert_eq!((all.reply.name(), all.plan.name()), ("r", "p"));
        assert!(all.fallback.is_some(), "the same model in another way is another one");
        assert_eq!(all.caption.unwrap().name(), all.act.name());
        assert_eq!(judge.unwrap().model.name(), all.act.name());
    }
}
