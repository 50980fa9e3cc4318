//! USE and SET.

use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_syntax::statement::{SetVariable, Use};

use super::create::{no_schema, require_catalog, schema_name};
use super::{Outcome, Prepared};
use crate::planner::Engine;
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_use(target: &Use, scope: &Scope<'_>) -> Result<Prepared> {
        let mut session = scope.session.clone();
        match target {
            Use::Catalog(name) => {
                let catalog = name.parts.last().cloned().unwrap_or_default();
                require_catalog(&catalog, name, scope)?;
                session.catalog = catalog;
                session.schema = "default".to_owned();
            }
            Use::Schema(name) => {
                let (catalog, schema) = schema_name(name, scope);
                require_catalog(&catalog, name, scope)?;
                if !scope.store.schema_names(&catalog).iter().any(|standing| same_name(standing, &schema)) {
                    return Err(no_schema(&catalog, &schema, name));
                }
                session.catalog = catalog;
                session.schema = schema;
            }
        }
        Ok(Prepared::done(Outcome { session: Some(session), ..Outcome::default() }))
    }

    /// Settings that say what is so anyway are accepted; others are refused by name.
    pub(super) fn prepare_set(set: &SetVariable) -> Result<Prepared> {
        let value = set.value.as_ref().map(|value| value.text.trim().trim_matches(['\'', '"']).to_lowercase());
        let fits = matches!(
            (set.key.to_lowercase().as_str(), value.as_deref()),
            ("spark.sql.ansi.enabled", Some("true"))
                | ("spark.sql.session.timezone" | "timezone" | "time zone", Some("utc" | "etc/utc"))
        );
        if fits {
            return Ok(Prepared::done(Outcome::default()));
        }
        Err(Box::new(
            Diagnostic::new(ErrorClass::UNSUPPORTED_FEATURE, format!("Lakelet does not support SET {}.", set.key))
                .at(set.span)
                .hint("ANSI mode is always on, and the time zone is always UTC."),
        ))
    }
}
