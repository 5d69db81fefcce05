//! Whether a client that takes the server's token from its environment will find it there.
use std::path::PathBuf;

use ayeaye_model::Secret;
use serde_json::{Value, json};

use crate::clients::Client;
use crate::config::{Environment, TOKEN_VARIABLE};
use crate::text::shell_word;

/// The variable that an entry names, as it is where this command was called.
#[derive(Debug)]
pub(super) struct TokenVariable {
    client: Client,
    state: VariableState,
    /// The file that the token is in.
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VariableState {
    Set,
    Another,
    NotSet,
}

impl TokenVariable {
    pub(super) fn new(
        client: Client,
        environment: &Environment,
        token: &Secret,
        file: Option<PathBuf>,
    ) -> Self {
        let state = match environment.get(TOKEN_VARIABLE) {
            Some(value) if value == token.expose() => VariableState::Set,
            Some(_) => VariableState::Another,
            None => VariableState::NotSet,
        };
        Self { client, state, file }
    }

    /// Whether a client that is started from here has the token.
    pub(super) fn is_set(&self) -> bool {
        self.state == VariableState::Set
    }

    /// What a person has to do, or to know.
    pub(super) fn note(&self) -> Option<String> {
        let takes = format!("{} takes the token from the variable {TOKEN_VARIABLE}", self.client);
        let has_window = self.client.has_window();
        let is = match self.state {
            VariableState::Set if has_window => {
                return Some(format!(
                    "{takes}, as this shell has it; started from the desktop it needs it in the desktop's environment"
                ));
            }
            VariableState::Set => return None,
            VariableState::NotSet => "which is not set here",
            VariableState::Another => "which here is not the server's",
        };
        let where_to = if has_window {
            ", and start it from that shell, or set it in the desktop's environment"
        } else {
            ", before it is started"
        };
        let set = self.set_with();
        Some(format!("{takes}, {is}, and the server refuses it without (401): {set}{where_to}"))
    }

    pub(super) fn fact(&self) -> Value {
        let state = match self.state {
            VariableState::Set => "set",
            VariableState::Another => "another",
            VariableState::NotSet => "not_set",
        };
        json!({ "name": TOKEN_VARIABLE, "state": state, "set_with": self.set_with() })
    }

    /// The line for a shell. Where the token is in no file it is a setting, and a person knows it.
    fn set_with(&self) -> String {
        let file = self.file.as_ref().map(|file| shell_word(&file.display().to_string()));
        match file {
            Some(file) if cfg!(windows) => format!("$env:{TOKEN_VARIABLE} = Get-Content {file}"),
            None if cfg!(windows) => format!("$env:{TOKEN_VARIABLE} = 'the value of http.token'"),
            Some(file) => format!("export {TOKEN_VARIABLE}=\"$(cat {file})\""),
            None => format!("export {TOKEN_VARIABLE}='the value of http.token'"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(client: Client, value: Option<&str>) -> TokenVariable {
        let token = Secret::new("canary-0123456789").unwrap();
        let environment = Environment::of(value.map(|it| (TOKEN_VARIABLE, it)));
        TokenVariable::new(client, &environment, &token, Some("/d/http-token".into()))
    }

    #[test]
    fn a_client_that_will_not_have_the_token_is_told_how_to_get_it() {
        for value in [None, Some("other")] {
            for client in Client::ALL.into_iter().filter(|it| it.takes_variables()) {
                let variable = of(client, value);
                let note = variable.note().unwrap_or_default();
                assert!(!variable.is_set() && note.contains("/d/http-token"), "{note}");
                assert!(!note.contains("canary") && !note.contains("other\""), "{note}");
                assert_eq!(note.contains("desktop"), client.has_window(), "{note}");
            }
        }
        assert_eq!(of(Client::Codex, None).fact()["state"], "not_set");
        assert_eq!(of(Client::Codex, Some("other")).fact()["state"], "another");
        let set = of(Client::Codex, Some("canary-0123456789"));
        assert!(set.is_set() && set.note().is_none());
        // What this shell has, a program with a window may not have.
        assert!(of(Client::Cursor, Some("canary-0123456789")).note().is_some());
    }
}
