//! Bugs that are planted on purpose, to see that the checks find them. Each is one that a product of
//! this kind has had, or could have.

macro_rules! planted {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A bug on purpose.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Planted {
            $($(#[$doc])* $variant,)*
        }

        impl Planted {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

planted! {
    /// The record says that it is on the disk when it is not.
    NoSync = "no-sync",
    /// A failed sync is told as done.
    SyncErrorSwallowed = "sync-error-swallowed",
    /// A failed write is told as done.
    WriteErrorSwallowed = "write-error-swallowed",
    /// A killed process leaves one event less than it wrote.
    TailLost = "tail-lost",
    /// The last event is there twice after a restart.
    TailRepeated = "tail-repeated",
    /// Sessions are not found after a restart.
    SessionForgotten = "session-forgotten",
    /// A session stays locked by a process that is gone.
    LockLeaks = "lock-leaks",
    /// A phone stays taken by a process that is gone.
    LeaseLeaks = "lease-leaks",
    /// Everybody gets the phone.
    NoLease = "no-lease",
    /// The phone is given back as soon as it was given.
    LeaseDropped = "lease-dropped",
    /// What was changed on a phone is not remembered.
    ChangesForgotten = "changes-forgotten",
    /// A setting is told as put back and is not.
    PutBackLies = "put-back-lies",
    /// A picture that was kept is not there.
    PictureLost = "picture-lost",
    /// A gesture is sent again when the link breaks.
    ResentAfterLinkLost = "resent-after-link-lost",
    /// A gesture is sent again when there is no answer.
    ResentAfterTimeout = "resent-after-timeout",
    /// A gesture that failed is told as done.
    GestureErrorSwallowed = "gesture-error-swallowed",
    /// A capture that is cut short is taken as whole: the rest is the screen before.
    ShortCaptureTaken = "short-capture-taken",
    /// The last capture is handed out again.
    CaptureCached = "capture-cached",
    /// While a model thinks, nothing new is seen of the phone.
    BlindWhileThinking = "blind-while-thinking",
    /// A gesture arrives after it was told as done.
    GestureLate = "gesture-late",
    /// The phone says of an act that it has not begun it, though it has.
    BegunActDenied = "begun-act-denied",
    /// A capture has no time limit.
    CaptureHangs = "capture-hangs",
    /// A reply that cannot be read counts as done.
    UnreadableIsDone = "unreadable-is-done",
    /// An endpoint that fails counts as done.
    FailureIsDone = "failure-is-done",
    /// Of a reply that is cut short, the last decision is done again.
    CutShortRepeats = "cut-short-repeats",
    /// A question whether something may be done counts as leave.
    QuestionIsLeave = "question-is-leave",
}
