//! Settings of a phone that are changed while it is driven, and put back.
use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// A change of one setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    /// The phone's name for it, such as `global/stay_on_while_plugged_in`; the device knows what it means.
    pub setting: String,
    /// The value before; `None` if it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value it is given.
    pub value: String,
}

/// What came of putting a setting back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutBack {
    /// It has its value from before.
    Done,
    /// It had a third value, which somebody else has given it: that stays.
    ChangedSince,
}

/// Where a phone says what it is about to change of itself, so that it is put back after a crash too.
#[async_trait]
pub trait ChangeLog: Send + Sync + fmt::Debug {
    /// To be called before a setting is changed; the change is on disk when this returns. On an error,
    /// which is a clause for people, the setting is not to be changed.
    async fn changing(&self, change: &SettingChange) -> Result<(), String>;
    /// To be called when it has been put back.
    async fn put_back(&self, change: &SettingChange, how: &PutBack);
}
