//! How many of something each principal has, so that nobody takes what is there for all.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ayeaye_agent::Principal;

/// Counts what each principal has. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct PerPrincipal(Arc<Mutex<HashMap<Principal, usize>>>);

/// Counts as one of its principal's until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted {
    all: PerPrincipal,
    principal: Principal,
}

impl PerPrincipal {
    /// One more of `principal`'s; `None` if they have `most` already.
    #[must_use]
    pub(crate) fn take(&self, principal: &Principal, most: usize) -> Option<Counted> {
        let mut counts = self.lock();
        let count = counts.get(principal).copied().unwrap_or_default();
        if most <= count {
            return None;
        }
        counts.insert(principal.clone(), count + 1);
        Some(Counted { all: self.clone(), principal: principal.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, usize>> {
        // No code that holds the lock can leave the counts half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.all.lock();
        if let Some(count) = counts.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_their_own_and_nobody_is_remembered_who_is_gone() {
        let (quota, anna) = (PerPrincipal::default(), Principal::new("token:anna"));
        let mut hers = vec![quota.take(&anna, 2).unwrap(), quota.take(&anna, 2).unwrap()];
        assert!(quota.take(&anna, 2).is_none());
        let mine = quota.take(&Principal::local(), 2).expect("others have their own");
        hers.pop();
        hers.push(quota.take(&anna, 2).expect("there is room again"));
        assert!(quota.take(&anna, 1).is_none(), "the bound may have become another");
        drop((hers, mine));
        assert!(quota.take(&anna, 0).is_none() && quota.is_empty());
    }
}
