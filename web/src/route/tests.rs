use super::*;

fn check_round_trip(address: &str, route: Route) {
    assert_eq!(Route::parse(address), route, "{address}");
    assert_eq!(route.to_string(), address);
}

#[test]
fn every_place_has_an_address_of_its_own() {
    check_round_trip("#/", Route::Home);
    check_round_trip("#/learn", Route::Lessons);
    check_round_trip("#/learn/t1", Route::Lesson { lesson: "t1".into(), step: None });
    check_round_trip("#/learn/t1/4", Route::Lesson { lesson: "t1".into(), step: Some(4) });
    check_round_trip("#/w", Route::Workspace);
    check_round_trip("#/w/sql", Route::Sql { tab: None });
    check_round_trip("#/w/sql/1%20control%20table", Route::Sql { tab: Some("1 control table".into()) });
    check_round_trip("#/w/nb/src/copy.py", Route::Notebook { path: Some("src/copy.py".into()) });
    check_round_trip("#/w/flow", Route::Flow);
    assert!(matches!(Route::parse("#/help/nothing"), Route::Unknown { .. }));
    check_round_trip("#/help/keys", Route::Help { page: "keys".into() });
}

#[test]
fn jobs_have_places_down_to_an_iteration() {
    let job = || "Market Analysis".to_owned();
    check_round_trip("#/w/jobs", Route::Jobs(JobPlace::List));
    check_round_trip("#/w/jobs/Market%20Analysis", Route::Jobs(JobPlace::Job { job: job() }));
    check_round_trip("#/w/jobs/Market%20Analysis/runs", Route::Jobs(JobPlace::Runs { job: job() }));
    check_round_trip(
        "#/w/jobs/Market%20Analysis/tasks/a%2Fb",
        Route::Jobs(JobPlace::Task { job: job(), task: "a/b".into() }),
    );
    check_round_trip(
        "#/w/jobs/Market%20Analysis/runs/3/process_markets/1",
        Route::Jobs(JobPlace::Run { job: job(), run: 3, task: Some("process_markets".into()), iteration: Some(1) }),
    );
}

#[test]
fn table_addresses_carry_tab_and_version() {
    let table = TableName::new("playground", "etl", "my table");
    check_round_trip(
        "#/w/data/playground/etl/my%20table",
        Route::Table { table: table.clone(), tab: TableTab::Data, version: None },
    );
    check_round_trip(
        "#/w/data/playground/etl/my%20table?v=3",
        Route::Table { table: table.clone(), tab: TableTab::Data, version: Some(3) },
    );
    check_round_trip(
        "#/w/data/playground/etl/my%20table?tab=history&v=3",
        Route::Table { table, tab: TableTab::History, version: Some(3) },
    );
}

#[test]
fn what_names_no_place_is_unknown() {
    for address in ["/nowhere", "/w/nowhere", "/learn/t1/x", "/w/jobs/a/b", "/w/jobs/a/runs/x", "/%zz", "/%"] {
        assert_eq!(Route::parse(&format!("#{address}")), Route::Unknown { address: address.into() });
    }
}

#[test]
fn an_unknown_tab_is_the_first_one() {
    let route = Route::parse("#/w/data/a/b/c?tab=nothing&v=x&v");
    assert!(matches!(route, Route::Table { tab: TableTab::Data, version: None, .. }));
}

#[test]
fn queries_are_decoded() {
    assert_eq!(
        query_parameters("?lang=pt-BR&theme=dark&test&=x&bad=%"),
        [("lang", "pt-BR"), ("theme", "dark"), ("test", "")].map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
}
