//! A value for each lane of a run, by the lane's id.

use std::cell::RefCell;

/// A value for each lane, by the lane's id: the default one until something is noted.
#[derive(Debug, Default)]
pub(super) struct ByLane<T>(RefCell<Vec<(String, T)>>);

impl<T: Default> ByLane<T> {
    /// Reads or changes the value of a lane.
    pub(super) fn with<R>(&self, lane: &str, look: impl FnOnce(&mut T) -> R) -> R {
        let mut lanes = self.0.borrow_mut();
        if let Some((_, known)) = lanes.iter_mut().find(|(id, _)| id == lane) {
            return look(known);
        }
        let mut value = T::default();
        let result = look(&mut value);
        lanes.push((lane.to_owned(), value));
        result
    }
}
