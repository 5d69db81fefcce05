//! The open screens of an app.

/// Never empty: the first screen stays.
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

    /// Brings a screen to the front instead of opening it a second time.
    pub(crate) fn raise(&mut self, screen: S) {
        if *self.top() != screen && self.0[0] != screen {
            self.0.retain(|other| *other != screen);
            self.0.push(screen);
        }
    }

    /// Goes one screen back; `false` from the first one.
    pub(crate) fn pop(&mut self) -> bool {
        let more = self.0.len() > 1;
        if more {
            self.0.pop();
        }
        more
    }

    /// Goes back to the first screen.
    pub(crate) fn reset(&mut self) {
        self.0.truncate(1);
    }
}
