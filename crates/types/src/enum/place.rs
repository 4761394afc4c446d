//! Where labels have their places.
//!
//! Places are numbers of 96 bits. Those that a type begins with lie in the middle of them, 2^64 apart; one that is added at an end
//! lies as far from the last, one between two others halfway. So 64 labels find room at one and the same point, and two thousand
//! million at either end.

/// How far apart labels are where nothing else says it.
const STEP: u128 = 1 << 64;
/// Where the first label of a type is.
const FIRST: u128 = 1 << 95;
/// No place is as high.
const END: u128 = 1 << 96;

/// The place of a label that a type begins with, from 0.
pub fn initial(number: usize) -> u128 {
    FIRST + number as u128 * STEP
}

/// The places of the labels between which a new one comes; `None`: it is the first, or the last.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours {
    pub before: Option<u128>,
    pub behind: Option<u128>,
}

/// The place of a new label; `None`: there is no room.
pub fn between(neighbours: Neighbours) -> Option<u128> {
    let place = match (neighbours.before, neighbours.behind) {
        (None, None) => FIRST,
        (Some(last), None) => last + STEP,
        (None, Some(first)) => first.checked_sub(STEP)?,
        (Some(before), Some(behind)) => {
            assert!(before < behind, "labels are given in their order");
            before + (behind - before) / 2
        }
    };
    let is_new = neighbours.before.is_none_or(|before| before < place);
    (is_new && place < END).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_between_two_labels() {
        let (before, mut behind) = (initial(0), initial(1));
        for _ in 0..64 {
            let place = between(Neighbours { before: Some(before), behind: Some(behind) }).unwrap();
            assert!(before < place && place < behind);
            behind = place;
        }
        assert_eq!(between(Neighbours { before: Some(before), behind: Some(behind) }), None);
    }

    #[test]
    fn places_at_the_ends_have_the_same_distance() {
        assert_eq!(between(Neighbours { before: None, behind: None }), Some(initial(0)));
        assert_eq!(between(Neighbours { before: Some(initial(2)), behind: None }), Some(initial(3)));
        assert_eq!(between(Neighbours { before: None, behind: Some(initial(0)) }), Some(FIRST - STEP));
        assert_eq!(between(Neighbours { before: Some(END - 1), behind: None }), None);
        assert_eq!(between(Neighbours { before: None, behind: Some(1) }), None);
    }
}
