use super::*;

fn cron(expression: &str, zone: &str) -> QuartzCron {
    QuartzCron::new(expression, zone).unwrap_or_else(|error| panic!("{error}"))
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// The next instants after `from`.
fn next(expression: &str, zone: &str, from: &str, n: usize) -> Vec<String> {
    let cron = cron(expression, zone);
    let mut instants = Vec::new();
    let mut now = at(from);
    while instants.len() < n {
        let Some(next) = cron.next_after(now) else { break };
        instants.push(next.to_string());
        now = next;
    }
    instants
}

fn refused(expression: &str) -> String {
    QuartzCron::new(expression, "UTC").map(|_| String::new()).unwrap_or_else(|error| error.to_string())
}

// The expressions and their meanings are those of Quartz's cron trigger tutorial.
#[test]
fn days_hours_and_steps() {
    let from = "2026-03-02T09:00:00Z";
    assert_eq!(next("0 0 12 * * ?", "UTC", from, 2), ["2026-03-02T12:00:00Z", "2026-03-03T12:00:00Z"]);
    assert_eq!(next("0 15 10 ? * *", "UTC", from, 1), ["2026-03-02T10:15:00Z"]);
    assert_eq!(next("0 0/5 14 * * ?", "UTC", from, 2), ["2026-03-02T14:00:00Z", "2026-03-02T14:05:00Z"]);
    assert_eq!(next("30 * * * * ?", "UTC", from, 2), ["2026-03-02T09:00:30Z", "2026-03-02T09:01:30Z"]);
    assert_eq!(next("0 0 9 * * ?", "UTC", from, 1), ["2026-03-03T09:00:00Z"], "after, not at");
}

#[test]
fn weekdays_count_from_sunday_1() {
    let from = "2026-03-02T09:00:00Z"; // A Monday.
    assert_eq!(next("0 0 6 ? * 2", "UTC", from, 1), ["2026-03-09T06:00:00Z"]);
    assert_eq!(next("0 0 6 ? * SUN", "UTC", from, 1), next("0 0 6 ? * 1", "UTC", from, 1));
    assert_eq!(next("0 15 10 ? * MON-FRI", "UTC", "2026-03-06T11:00:00Z", 1), ["2026-03-09T10:15:00Z"]);
    assert_eq!(next("0 15 10 ? * 6L", "UTC", from, 1), ["2026-03-27T10:15:00Z"], "the last Friday");
    assert_eq!(next("0 15 10 ? * 6#3", "UTC", from, 1), ["2026-03-20T10:15:00Z"], "the third Friday");
}

#[test]
fn last_days_nearest_weekdays_and_years() {
    let from = "2026-02-01T00:00:00Z";
    assert_eq!(next("0 15 10 L * ?", "UTC", from, 2), ["2026-02-28T10:15:00Z", "2026-03-31T10:15:00Z"]);
    assert_eq!(next("0 0 8 15W * ?", "UTC", from, 1), ["2026-02-16T08:00:00Z"], "the 15th is a Sunday");
    assert_eq!(next("0 0 0 29 2 ?", "UTC", from, 1), ["2028-02-29T00:00:00Z"]);
    assert_eq!(next("0 0 0 1 1 ? 2027", "UTC", from, 3), ["2027-01-01T00:00:00Z"], "and never again");
}

#[test]
fn wall_clocks_of_zones_change() {
    // Lisbon goes from 01:00 to 02:00 on 29 March and from 02:00 back to 01:00 on 25 October 2026.
    let nine = next("0 0 9 * * ?", "Europe/Lisbon", "2026-03-28T00:00:00Z", 2);
    assert_eq!(nine, ["2026-03-28T09:00:00Z", "2026-03-29T08:00:00Z"]);
    let skipped = next("0 30 1 * * ?", "Europe/Lisbon", "2026-03-28T12:00:00Z", 2);
    assert_eq!(skipped, ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]);
    let twice = next("0 30 1 * * ?", "Europe/Lisbon", "2026-10-24T12:00:00Z", 2);
    assert_eq!(twice, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
}

#[test]
fn what_quartz_refuses_is_refused() {
    for (expression, reason) in [
        ("", "0 of 6 or 7 fields"),
        ("0 9 * * *", "5 of 6 or 7 fields"),
        ("0 0 9 * * *", "one of day of month and day of week must be '?'"),
        ("0 0 9 ? * ?", "only one of"),
        ("? 0 9 ? * MON", "'?' stands for"),
        ("0 0 25 * * ?", "is no Quartz cron expression"),
        ("0 60 9 * * ?", "is no Quartz cron expression"),
        ("0 0 9 32 * ?", "is no Quartz cron expression"),
        ("0 0 9 ? * 8", "is no Quartz cron expression"),
        ("0 0 9 * 13 ?", "is no Quartz cron expression"),
        ("0 0 9 * * ? 2026 1", "is no Quartz cron expression"),
        ("@daily", "1 of 6 or 7 fields"),
        ("a b c d e ?", "is no Quartz cron expression"),
    ] {
        assert!(refused(expression).contains(reason), "{expression}: {}", refused(expression));
    }
    let zone = QuartzCron::new("0 0 9 * * ?", "Lisbon").unwrap_err();
    assert!(zone.to_string().contains("'Lisbon' is no known time zone"), "{zone}");
}

#[test]
fn an_expression_has_so_many_characters_at_most() {
    let minutes = |n: usize| format!("0 {} 9 * * ?", vec!["1"; n].join(","));
    let longest = minutes(95);
    assert_eq!(longest.len() + 1, EXPRESSION_CHARS_MAX);
    let longest = format!("{longest} ");
    assert_eq!(refused(&longest), "");
    assert!(refused(&format!("{longest} ")).contains("more than 200 characters"));
}

#[test]
fn instants_at_the_end_of_time_have_no_next() {
    assert_eq!(cron("0 0 9 * * ?", "UTC").next_after(Timestamp(i64::MAX)), None);
    assert_eq!(cron("0 0 0 30 2 ?", "UTC").next_after(at("2026-03-02T09:00:00Z")), None, "30 February");
}
