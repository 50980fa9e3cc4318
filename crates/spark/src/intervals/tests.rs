use lakelet_types::IntervalUnits;

use super::literal::{day_time_of, year_month_of};

fn units(text: &str) -> IntervalUnits {
    IntervalUnits::parse(text).expect("units of an interval")
}

#[test]
fn text_is_read_as_its_units_say() {
    assert_eq!(year_month_of("1-2", units("year to month")), Some(14));
    assert_eq!(year_month_of("-1-2", units("year to month")), Some(-14));
    assert_eq!(year_month_of("INTERVAL '-3' MONTH", units("month")), Some(-3));
    assert_eq!(year_month_of("1-12", units("year to month")), None);
    assert_eq!(day_time_of("5", units("day")), Some(5 * 86_400_000_000));
    assert_eq!(day_time_of("1 02:03:04.5", units("day to second")), Some(93_784_500_000));
    assert_eq!(day_time_of("-1 02", units("day to hour")), Some(-93_600_000_000));
    assert_eq!(day_time_of("36", units("hour")), Some(129_600_000_000));
    assert_eq!(day_time_of("1 24:00", units("day to minute")), None);
    assert_eq!(day_time_of("1", units("day to second")), None);
}
