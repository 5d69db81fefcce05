//! A small map of bounded size.
use std::collections::VecDeque;

/// Keeps at most `MOST` keys: a new one takes the place of the one that was put longest ago. It is searched from end to
/// end, so it is for hundreds of keys rather than for very many.
#[derive(Debug)]
pub(super) struct RecentMap<K, V, const MOST: usize>(VecDeque<(K, V)>);

impl<K, V, const MOST: usize> Default for RecentMap<K, V, MOST> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K: PartialEq, V, const MOST: usize> RecentMap<K, V, MOST> {
    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.iter_mut().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    pub(super) fn take(&mut self, key: &K) -> Option<V> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        self.0.remove(at).map(|(_, value)| value)
    }

    pub(super) fn put(&mut self, key: K, value: V) {
        self.take(&key);
        self.0.push_back((key, value));
        if MOST < self.0.len() {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_was_put_longest_ago_makes_room_and_never_the_new_one() {
        let mut map = RecentMap::<_, _, 2>::default();
        map.put(3, "three");
        map.put(2, "two");
        map.put(3, "three again");
        map.put(1, "one");
        assert_eq!(map.get_mut(&3).copied(), Some("three again"));
        assert_eq!(map.get_mut(&2), None);
        assert_eq!(map.take(&1), Some("one"));
        assert_eq!(map.take(&1), None);
    }
}
