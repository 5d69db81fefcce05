//! What has to be true of every family.
pub(crate) mod corpus;
mod forms;
mod names;
mod own_clients;
mod prompts;
mod recorded;
mod rendered;
mod rules;
pub(crate) mod sample;
mod verbs;
