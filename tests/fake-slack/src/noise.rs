//! Noise in the delivery of events to the bot: they come twice, wait, and overtake each other.

use crate::faults::Order;
use crate::random::Random;

/// Decides the order of deliveries. Events are named by their numbers.
#[derive(Debug)]
pub(crate) struct Noise {
    /// True if all events wait.
    pub(crate) holding: bool,
    /// How many events may be under way at once, and so overtake each other; 0 keeps the order.
    pub(crate) window: usize,
    /// Every nth event comes twice; 0 for none.
    pub(crate) duplicate_every: u64,
    /// How probable it is that an event comes twice.
    pub(crate) duplicate_ratio: f64,
    pub(crate) random: Random,
    seen: u64,
    waiting: Vec<usize>,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            holding: false,
            window: 0,
            duplicate_every: 0,
            duplicate_ratio: 0.0,
            random: Random::new(0),
            seen: 0,
            waiting: Vec::new(),
        }
    }
}

impl Noise {
    /// Adds a new event; returns the events to deliver now.
    pub(crate) fn pass(&mut self, event: usize) -> Vec<usize> {
        self.seen += 1;
        self.waiting.push(event);
        let nth = self.duplicate_every > 0 && self.seen.is_multiple_of(self.duplicate_every);
        if nth || self.random.chance(self.duplicate_ratio) {
            self.waiting.push(event);
        }
        let mut now = Vec::new();
        while !self.holding && self.waiting.len() > self.window {
            let next = if self.window == 0 {
                0
            } else {
                self.random.below(self.waiting.len())
            };
            now.push(self.waiting.remove(next));
        }
        now
    }

    /// Ends the waiting; returns the events that waited.
    pub(crate) fn release(&mut self, order: Order) -> Vec<usize> {
        self.holding = false;
        let mut waiting = std::mem::take(&mut self.waiting);
        match order {
            Order::Kept => {}
            Order::Reversed => waiting.reverse(),
            Order::Shuffled(seed) => {
                let mut random = Random::new(seed);
                for end in (1..waiting.len()).rev() {
                    waiting.swap(end, random.below(end + 1));
                }
            }
        }
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_faults_every_event_passes_at_once() {
        let mut noise = Noise::default();
        assert_eq!(noise.pass(1), [1]);
        assert_eq!(noise.pass(2), [2]);
    }

    #[test]
    fn a_window_changes_the_order_and_loses_nothing() {
        let mut noise = Noise {
            window: 5,
            random: Random::new(7),
            ..Noise::default()
        };
        let mut all: Vec<usize> = (0..50).flat_map(|event| noise.pass(event)).collect();
        all.extend(noise.release(Order::Kept));
        assert!(!all.is_sorted());
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn every_third_event_comes_twice() {
        let mut noise = Noise {
            duplicate_every: 3,
            ..Noise::default()
        };
        let all: Vec<usize> = (1..=6).flat_map(|event| noise.pass(event)).collect();
        assert_eq!(all, [1, 2, 3, 3, 4, 5, 6, 6]);
    }
}
