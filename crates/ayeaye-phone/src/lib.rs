//! A phone that is not there.
//!
//! Read in this order: what the phone is ([`Phone`]), what it shows, and how it is reached over ADB.
mod phone;

pub use phone::{
    Component, Counts, Frame, Package, Phone, PhoneOptions, StartError, Started, State,
};
