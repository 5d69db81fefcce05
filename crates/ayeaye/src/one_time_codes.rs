//! Codes that are good once and soon, for one thing each: bounded, and fairly so between principals.
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::Principal;
use tokio::time::Instant;

/// How many codes may wait, and how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeLimits {
    /// How long a code is good.
    pub(crate) age: Duration,
    /// The most codes that wait. Beyond that the oldest ends, of whoever asks if it has so many itself.
    pub(crate) most: usize,
    pub(crate) most_each: usize,
}

/// The codes that wait, with what each is for.
#[derive(Debug)]
pub(crate) struct OneTimeCodes<T> {
    limits: CodeLimits,
    waiting: Mutex<VecDeque<OneTimeCode<T>>>,
}

/// A code, whose it is, and what for.
#[derive(Debug)]
pub(crate) struct OneTimeCode<T> {
    pub(crate) code: String,
    pub(crate) principal: Principal,
    pub(crate) subject: T,
    until: Instant,
}

impl<T> OneTimeCodes<T> {
    pub(crate) const fn new(limits: CodeLimits) -> Self {
        Self { limits, waiting: Mutex::new(VecDeque::new()) }
    }

    /// Has a code, or the hash of one, wait for its use.
    pub(crate) fn add(&self, code: String, principal: &Principal, subject: T) {
        let until = Instant::now() + self.limits.age;
        self.insert(OneTimeCode { code, principal: principal.clone(), subject, until });
    }

    /// Has a code wait again that was taken for nothing, as long as it would have waited anyway.
    pub(crate) fn put_back(&self, taken: OneTimeCode<T>) {
        self.insert(taken);
    }

    fn insert(&self, code: OneTimeCode<T>) {
        let mut waiting = self.lock();
        let its = |it: &OneTimeCode<T>| it.principal == code.principal;
        if self.limits.most <= waiting.len() {
            // Of who has many its own: nobody else's code ends for them.
            let has_many = self.limits.most_each <= waiting.iter().filter(|it| its(it)).count();
            if let Some(oldest) = waiting.iter().position(|it| !has_many || its(it)) {
                waiting.remove(oldest);
            }
        }
        let place = waiting.partition_point(|it| it.until <= code.until);
        waiting.insert(place, code);
    }

    /// Whose code this is, and what for; it is good once, and left as it is where it does not fit.
    pub(crate) fn take(
        &self,
        code: &str,
        fits: impl Fn(&Principal, &T) -> bool,
    ) -> Option<OneTimeCode<T>> {
        let now = Instant::now();
        let mut waiting = self.lock();
        waiting.retain(|it| now < it.until);
        let found =
            waiting.iter().position(|it| it.code == code && fits(&it.principal, &it.subject))?;
        waiting.remove(found)
    }

    /// Ends the codes that are meant.
    pub(crate) fn end(&self, is_meant: impl Fn(&Principal, &T) -> bool) {
        self.lock().retain(|it| !is_meant(&it.principal, &it.subject));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<OneTimeCode<T>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: CodeLimits = CodeLimits { age: Duration::from_mins(1), most: 4, most_each: 2 };

    fn is_good(codes: &OneTimeCodes<u8>, code: &str) -> bool {
        codes.take(code, |_, _| true).is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn a_code_is_good_once_and_soon_for_what_it_fits() {
        let (codes, me) = (OneTimeCodes::new(LIMITS), Principal::local());
        codes.add("a".to_owned(), &me, 7);
        assert!(codes.take("a", |_, subject| *subject == 8).is_none());
        assert!(codes.take("b", |_, _| true).is_none());
        let taken = codes.take("a", |_, subject| *subject == 7).unwrap();
        assert_eq!((&taken.principal, taken.subject), (&me, 7));
        assert!(!is_good(&codes, "a"));
        tokio::time::advance(LIMITS.age / 2).await;
        codes.put_back(taken);
        let taken = codes.take("a", |_, _| true).expect("it was taken for nothing");
        codes.put_back(taken);
        tokio::time::advance(LIMITS.age / 2).await;
        assert!(!is_good(&codes, "a"), "it gets no longer time by that");
        codes.add("late".to_owned(), &me, 7);
        tokio::time::advance(LIMITS.age).await;
        assert!(!is_good(&codes, "late"));
    }

    #[test]
    fn codes_of_one_principal_end_nobody_elses() {
        let codes = OneTimeCodes::new(LIMITS);
        let (me, anna) = (Principal::local(), Principal::new("anna"));
        codes.add("mine".to_owned(), &me, 0);
        for number in 0..LIMITS.most {
            codes.add(format!("anna {number}"), &anna, 0);
        }
        assert!(!is_good(&codes, "anna 0"), "there is an end to codes that wait");
        assert!(is_good(&codes, "mine"), "nobody else's codes end it");
    }

    #[test]
    fn who_has_few_codes_gets_another_one_for_the_oldest() {
        let codes = OneTimeCodes::new(LIMITS);
        for number in 0..LIMITS.most {
            codes.add(number.to_string(), &Principal::new("anna"), 0);
        }
        codes.add("mine".to_owned(), &Principal::local(), 0);
        assert!(!is_good(&codes, "0"));
        assert!(is_good(&codes, "1") && is_good(&codes, "mine"));
    }
}
