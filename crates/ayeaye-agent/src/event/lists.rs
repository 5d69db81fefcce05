//! The closed lists of the record. Existing words never change; later versions may add some.
use crate::word_list;

word_list! {
    /// The kinds of agents.
    pub enum AgentType {
        /// Splits a request into subtasks over apps.
        HostAgent = "HostAgent",
        /// Carries out a request or a subtask on the screen.
        AppAgent = "AppAgent",
        /// No agent: the client acts itself.
        Client = "Client",
    }
}

word_list! {
    /// The state of an agent, by UFO's names; also how a step or a subtask ended.
    pub enum AgentState {
        /// At work.
        Continue = "CONTINUE",
        /// The host agent has assigned a subtask.
        Assign = "ASSIGN",
        /// Waiting for an answer.
        Pending = "PENDING",
        /// Waiting for an approval.
        Confirm = "CONFIRM",
        /// Looking again.
        Screenshot = "SCREENSHOT",
        /// Completed.
        Finish = "FINISH",
        /// Given up.
        Fail = "FAIL",
        /// Something went wrong.
        Error = "ERROR",
    }
}

word_list! {
    /// How a round ended.
    pub enum RoundStatus {
        /// Completed.
        Finish = "FINISH",
        /// Given up.
        Fail = "FAIL",
        /// Replaced by the next request.
        Dropped = "DROPPED",
    }
}

word_list! {
    /// Why a run continues a session.
    pub enum ResumeReason {
        /// A question was answered.
        Reply = "reply",
        /// The user added something unasked.
        Guidance = "guidance",
        /// There is a new request.
        NextRound = "next_round",
        /// The same round goes on.
        GoOn = "go_on",
        /// The client acts itself.
        Direct = "direct",
        /// The client acts itself while a question of the agent waits.
        DirectAsked = "direct_asked",
        /// The user gives up what waits.
        GivenUp = "given_up",
    }
}

word_list! {
    /// The purpose of a model call.
    pub enum CallPurpose {
        /// Decide the next action.
        Act = "act",
        /// Decide again, after a reply that could not be used.
        Repair = "repair",
        /// Answer a question in the user's place.
        AutoReply = "auto_reply",
        /// Plan, as the host agent.
        Plan = "plan",
        /// Describe the screen.
        Caption = "caption",
        /// Evaluate the result.
        Evaluate = "evaluate",
    }
}

word_list! {
    /// Whether a model's reply was acted on.
    pub enum ResponseKind {
        /// It was acted on.
        Final = "final",
        /// It was not.
        Intermediate = "intermediate",
    }
}

word_list! {
    /// Who answered a question.
    pub enum AnswerSource {
        /// The client.
        Client = "client",
        /// A model.
        Auto = "auto",
        /// An operator on the server's side.
        Manual = "manual",
        /// Nobody: the agent was told to go on.
        Nobody = "none",
        /// Not an answer: the user added something unasked.
        Guidance = "guidance",
    }
}

word_list! {
    /// The thing that had ended when a snapshot of the screen was taken.
    pub enum SnapshotScope {
        /// A subtask.
        SubRound = "sub_round",
        /// A round.
        Round = "round",
        /// A run.
        Session = "session",
    }
}

word_list! {
    /// The sections of the blackboard.
    pub enum BlackboardSection {
        /// What the user asked for, by round.
        Requests = "requests",
        /// Questions and their answers.
        Questions = "questions",
        /// Notes of the agents.
        Notes = "notes",
        /// Results of subtasks.
        Results = "results",
    }
}

word_list! {
    /// What an evaluation is of.
    pub enum EvaluationLevel {
        /// The request of a round.
        Round = "round",
        /// All requests of the session.
        Session = "session",
    }
}

word_list! {
    /// An evaluation's answer: was it carried out?
    pub enum Judgement {
        /// It was.
        Yes = "yes",
        /// It was not.
        No = "no",
        /// It cannot be told.
        Unsure = "unsure",
    }
}

word_list! {
    /// The kinds of notes.
    pub enum NoteKind {
        /// A torn last line was cut off.
        Recovered = "recovered",
        /// The client controls the phone itself in this round.
        DirectControl = "direct_control",
        /// A picture was not stored, since it may show a secret.
        PictureNotKept = "picture_not_kept",
        /// The phone does not say what its screen consists of.
        NoElements = "no_elements",
        /// The fallback model took over.
        ModelFallback = "model_fallback",
        /// A recorded step did not fit, and the model took over.
        ReplayEnded = "replay_ended",
        /// A setting of the phone is about to be changed, to be put back.
        SettingChanged = "setting_changed",
        /// The gate has asked about an act or refused it: [`GateRecord`](super::GateRecord) as figures.
        Gate = "gate",
        /// It was put back, or somebody else has changed it since.
        SettingPutBack = "setting_put_back",
        /// A message was not taken: its question or its request is over.
        MessageDropped = "message_dropped",
        /// From here on the session is under a narrower policy.
        PolicyNarrowed = "policy_narrowed",
        /// The phone has gone away and is waited for.
        DeviceAway = "device_away",
        /// It is there again.
        DeviceBack = "device_back",
        /// The screen was off at the look behind an act, which may have had no effect.
        ActInDoubt = "act_in_doubt",
    }
}
