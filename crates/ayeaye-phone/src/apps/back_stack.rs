//! The screens an app has open.

/// Never empty: the app's first screen stays.
#[derive(Debug)]
pub(crate) struct BackStack<S>(Vec<S>);

impl<S: Clone + PartialEq> BackStack<S> {
    pub(crate) fn new(first: S) -> Self {
        Self(vec![first])
    }

    /// The screen in front.
    pub(crate) fn top(&self) -> &S {
        self.0.last().expect("the first screen stays")
    }

    pub(crate) fn push(&mut self, screen: S) {
        self.0.push(screen);
    }

    /// Brings a screen to the front, without a second one of the same below it.
    pub(crate) fn raise(&mut self, screen: S) {
        if *self.top() != screen && self.0[0] != screen {
            self.0.retain(|other| *other != screen);
            self.0.push(screen);
        }
    }

    /// One screen back; `false` when the first one is in front.
    pub(crate) fn pop(&mut self) -> bool {
        let more = self.0.len() > 1;
        if more {
            self.0.pop();
        }
        more
    }

    /// Back to the first screen.
    pub(crate) fn reset(&mut self) {
        self.0.truncate(1);
    }
}
