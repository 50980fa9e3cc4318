use serde_json::json;

use super::*;

#[test]
fn what_is_read_is_written_back_as_it_was() {
    for settings in [
        json!({"name": "J"}),
        json!({"name": "J", "schedule": {"quartz_cron_expression": "0 0 9 * * ?", "timezone_id": "UTC", "new": [1]}}),
        json!({"schedule": {"quartz_cron_expression": "x", "timezone_id": "y", "pause_status": "PAUSED"}, "tasks": []}),
        json!({"trigger": {"pause_status": "UNPAUSED", "periodic": {"interval": 2, "unit": "HOURS"}}}),
        json!({"trigger": {"table_update": {"table_names": ["a.b.c", "a.b.d"], "condition": "ANY_UPDATED",
            "wait_after_last_change_seconds": 60}}}),
        json!({"trigger": {"file_arrival": {"url": "/in/"}, "periodic": {"interval": 2, "unit": "HOURS"}}}),
        json!({"triggers": [{"periodic": {"interval": 2, "unit": "HOURS"}}]}),
        json!({"continuous": {}}),
    ] {
        assert_eq!(ScheduleForm::read(&settings).write(&settings), settings);
    }
}

#[test]
fn another_kind_takes_the_place_of_the_former() {
    let cron = json!({"name": "J", "schedule": {"quartz_cron_expression": "0 0 9 * * ?", "timezone_id": "UTC"}});
    let mut form = ScheduleForm::read(&cron);
    form.kind = TriggerKind::Periodic;
    form.interval = " 3 ".to_owned();
    form.unit = "HOURS".to_owned();
    let periodic = json!({"name": "J", "trigger": {"periodic": {"interval": 3, "unit": "HOURS"}}});
    assert_eq!(form.write(&cron), periodic);
    form.kind = TriggerKind::Tables;
    form.tables = "a.b.c,\n\n a.b.d ".to_owned();
    form.all = true;
    form.paused = true;
    let tables = json!({"name": "J", "trigger": {
        "table_update": {"table_names": ["a.b.c", "a.b.d"], "condition": "ALL_UPDATED"}, "pause_status": "PAUSED"}});
    assert_eq!(form.write(&periodic), tables);
    form.kind = TriggerKind::None;
    assert_eq!(form.write(&tables), json!({"name": "J"}));
}

#[test]
fn a_pause_is_taken_away_again() {
    let paused = json!({"trigger": {"pause_status": "PAUSED", "periodic": {"interval": 1, "unit": "DAYS"}}});
    let mut form = ScheduleForm::read(&paused);
    assert!(form.paused);
    form.paused = false;
    assert_eq!(form.write(&paused)["trigger"]["pause_status"], "UNPAUSED");
}

#[test]
fn problems_of_triggers_are_told_from_others() {
    for path in ["schedule.timezone_id", "trigger", "triggers[0].periodic.unit", "continuous"] {
        assert!(is_about_triggers(path), "{path}");
    }
    for path in ["", "tasks[0].sql_task", "scheduled"] {
        assert!(!is_about_triggers(path), "{path}");
    }
}
