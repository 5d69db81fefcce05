//! What an act may be: the classes that a user is asked about.
use crate::word_list;

word_list! {
    /// A kind of act with consequences, recognized by the control, the screen or the app it is aimed at.
    pub enum ActClass {
        /// Money is paid.
        Pay = "pay",
        /// Something is ordered or booked.
        Order = "order",
        /// Money is sent to somebody.
        Transfer = "transfer",
        /// Something is deleted, erased or uninstalled.
        Delete = "delete",
        /// An app is installed.
        Install = "install",
        /// An app gets a permission or power over the phone.
        Grant = "grant",
        /// Somebody is called.
        Call = "call",
        /// Something is made public.
        Publish = "publish",
        /// Something is sent to somebody.
        Send = "send",
        /// Something goes into a field for a password or a code.
        Password = "password",
        /// An address, or an app for money or secrets, that the user has not named is opened.
        Open = "open",
        /// A touch in an app for money, mail or messages whose screen does not say what is touched.
        Unreadable = "unreadable",
        /// A change of any kind: text typed, a switch moved.
        Change = "change",
        /// The model itself has asked for approval.
        Marked = "marked",
    }
}

impl ActClass {
    /// How a question names it: "The agent wants to …", "This would …".
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Pay => "pay",
            Self::Order => "place an order",
            Self::Transfer => "transfer money",
            Self::Delete => "delete something",
            Self::Install => "install an app",
            Self::Grant => "grant a permission",
            Self::Call => "make a call",
            Self::Publish => "publish something",
            Self::Send => "send something",
            Self::Password => "type into a field for a password or a code",
            Self::Open => "open something that you have not named",
            Self::Unreadable => "touch a screen that does not say what is on it",
            Self::Change => "change something",
            Self::Marked => "do something that it was not sure about",
        }
    }
}
