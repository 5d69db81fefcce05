//! What the answers of a person change in what the gate knows: their words, their secrets, their yes and no.
use super::{ActHistory, Refusal};
use crate::approval;
use crate::event::{Answer, AnswerSource, GateRecord};
use crate::gate::{self, ActClass, Rule};
use crate::privacy::{may_be_password, placeholders};
use crate::secret_text::{may_ask_for_secret, secret_asked_for};
use crate::{Question, QuestionKind};

/// Most refusals that are remembered.
const REFUSED: usize = 64;

/// What the answers to a question say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Yes,
    No,
    Neither,
}

impl Said {
    fn of(answers: &[String]) -> Self {
        let all = |is: fn(&str) -> bool| !answers.is_empty() && answers.iter().all(|it| is(it));
        if all(approval::is_yes) {
            Self::Yes
        } else if all(approval::is_no) {
            Self::No
        } else {
            Self::Neither
        }
    }
}

impl ActHistory {
    /// Takes an answer to this question into account. `asked` is the act that the gate asked about with it.
    pub(super) fn take_answer(
        &mut self,
        answer: &Answer,
        question: Option<&Question>,
        asked: Option<&GateRecord>,
    ) {
        let is_of_kind = |kind| question.is_some_and(|it| it.kind == kind);
        if is_of_kind(QuestionKind::Takeover) {
            self.path.clear();
        }
        let is_confirm = is_of_kind(QuestionKind::Confirm);
        let answers = &answer.answers;
        match answer.source.known() {
            Some(AnswerSource::Nobody) if is_confirm => {
                self.answered(asked, question, Said::Neither);
            }
            Some(AnswerSource::Guidance) => self.learn(answers, question, true),
            Some(AnswerSource::Client | AnswerSource::Manual) => {
                // What follows a yes may be in the words of the question.
                self.learn(answers, question, !is_confirm);
                if is_confirm {
                    let said = Said::of(answers);
                    let is_open = said == Said::Neither;
                    let undecided = asked.filter(|it| it.act.is_some() && is_open);
                    self.undecided = undecided.map(|it| in_words(it, question));
                    self.answered(asked, question, said);
                }
            }
            _ => {}
        }
    }

    /// Remembers what a person has said: the words, if these are their own, the people and the secrets in them.
    fn learn(&mut self, answers: &[String], question: Option<&Question>, has_own_words: bool) {
        // What is chosen from a list is in the words of who made the list.
        let options = question.map(|it| it.options.as_slice()).unwrap_or_default();
        for said in answers.iter().filter(|it| !options.contains(it)) {
            if has_own_words {
                self.words.push(said.clone());
            }
            self.remember_given(said);
        }
        if let Some(asked) = question.filter(|it| it.kind == QuestionKind::Info) {
            self.remember_people(answers, asked);
        }
        self.remember_secrets(answers, question);
    }

    /// Of people who share a name of theirs an answer tells which is meant, in whoever's words: it adds nobody.
    fn remember_people(&mut self, answers: &[String], asked: &Question) {
        for it in answers {
            let chosen = gate::chosen_person(&asked.text, &asked.options, it);
            self.words.extend(chosen.filter(|name| self.share_a_name(name)));
        }
    }

    /// Whether the user's words have a part of this name.
    fn share_a_name(&self, name: &str) -> bool {
        let parts: Vec<&str> = name.split_whitespace().collect();
        let said = |word: &str| parts.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
        self.words.iter().any(|it| it.split_whitespace().any(said))
    }

    fn remember_secrets(&mut self, answers: &[String], question: Option<&Question>) {
        for found in answers.iter().flat_map(|it| placeholders(it)) {
            let home = question.and_then(|it| home_of(&found, it)).unwrap_or_default();
            self.secrets.retain(|(known, _)| *known != found);
            self.secrets.push((found, home.to_owned()));
        }
    }

    /// Remembers the yes or no to what the gate has asked about.
    fn answered(&mut self, asked: Option<&GateRecord>, question: Option<&Question>, said: Said) {
        let Some(asked) = asked else { return };
        if said != Said::Yes {
            // What is neither is asked about again, where the gate has asked. Where the model has, nothing
            // else would hold it back.
            let marked = asked.class.as_deref() == Some(ActClass::Marked.name());
            self.forget_refusal(asked);
            if said == Said::No || marked {
                self.remember_refusal(asked, question, said);
            }
            return;
        }
        self.forget_refusal(asked);
        let app = match Rule::from_name(&asked.rule) {
            Some(Rule::UnnamedApp) => asked.evidence.clone(),
            Some(Rule::NoElements) => {
                asked.act.as_ref().map(|act| act.app.clone()).unwrap_or_default()
            }
            _ => return,
        };
        if let Some(class) = asked.class.as_deref().and_then(ActClass::from_name) {
            self.approved_apps.push((class, app));
        }
    }

    fn forget_refusal(&mut self, asked: &GateRecord) {
        let Some(act) = &asked.act else { return };
        self.refused.retain(|it| !approval::is_same_act(&it.act, act));
    }

    fn remember_refusal(&mut self, asked: &GateRecord, question: Option<&Question>, said: Said) {
        let Some(act) = asked.act.clone() else { return };
        if self.refused.len() == REFUSED {
            self.refused.remove(0);
        }
        self.refused.push(Refusal {
            act,
            plainly: said == Said::No,
            asked: in_words(asked, question),
            said: self.words.len(),
        });
    }
}

/// What the user was asked about: the sort of act, and the question. What it is aimed at may not be what it does: a key
/// sends what stands in another place.
fn in_words(asked: &GateRecord, question: Option<&Question>) -> String {
    /// Characters of a question.
    const LONGEST: usize = 400;
    let class = asked.class.as_deref().unwrap_or("act");
    let text = question.map_or("", |it| &it.text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(LONGEST).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{class}; the question was: {short}{cut}")
}

/// The app that a secret in an answer is for: the one in front when it was asked for. What only looks like a code in an
/// answer to any other question may be for whatever the task is about, but in a bank or a wallet is its own: no list of
/// words knows every way to ask for one.
fn home_of<'a>(secret: &str, question: &'a Question) -> Option<&'a str> {
    let asks = secret_asked_for(&question.text).is_some() || may_ask_for_secret(&question.text);
    let app = question.app.as_deref().filter(|it| !gate::is_home(it));
    app.filter(|it| asks || may_be_password(secret) || gate::has_money(it))
}
