//! Where an arrow key leads in a drawn graph.

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Right,
    Left,
    Up,
    Down,
}

impl Direction {
    /// The direction of an arrow key.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "ArrowRight" => Some(Self::Right),
            "ArrowLeft" => Some(Self::Left),
            "ArrowUp" => Some(Self::Up),
            "ArrowDown" => Some(Self::Down),
            _ => None,
        }
    }

    /// How far `to` is from `from` in this direction, and how far aside.
    fn distance(self, from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        match self {
            Self::Right => (dx, dy.abs()),
            Self::Left => (-dx, dy.abs()),
            Self::Down => (dy, dx.abs()),
            Self::Up => (-dy, dx.abs()),
        }
    }
}

/// The box an arrow key leads to from `key`: along a line where one leads that way, else the nearest box there.
/// `places` are keys with the centers of their boxes, `links` the lines.
pub fn neighbor(
    places: &[(String, f64, f64)],
    links: &[(String, String)],
    key: &str,
    direction: Direction,
) -> Option<String> {
    let (_, x, y) = places.iter().find(|(other, ..)| other == key)?;
    let linked =
        |other: &str| links.iter().any(|(from, to)| (from == key && to == other) || (to == key && from == other));
    places
        .iter()
        .filter(|(other, ..)| other != key)
        .filter_map(|(other, other_x, other_y)| {
            let (ahead, aside) = direction.distance((*x, *y), (*other_x, *other_y));
            (ahead > 1.0).then_some((!linked(other), ahead + 3.0 * aside, other))
        })
        .min_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(std::cmp::Ordering::Equal))
        .map(|(_, _, other)| other.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_lines_before_they_jump() {
        let places = [("a", 0.0, 0.0), ("b", 100.0, 80.0), ("c", 100.0, 0.0), ("d", 0.0, 80.0)]
            .map(|(key, x, y)| (key.to_owned(), x, y));
        let links = [("a".to_owned(), "b".to_owned())];
        let to = |from, direction| neighbor(&places, &links, from, direction);
        assert_eq!(to("a", Direction::Right).as_deref(), Some("b"));
        assert_eq!(to("b", Direction::Left).as_deref(), Some("a"));
        assert_eq!(to("b", Direction::Up).as_deref(), Some("a"));
        assert_eq!(to("c", Direction::Left).as_deref(), Some("a"));
        assert_eq!(to("a", Direction::Left), None);
        assert_eq!(to("x", Direction::Left), None);
    }
}
