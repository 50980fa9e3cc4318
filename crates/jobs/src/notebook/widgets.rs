//! `dbutils.widgets`.

use indexmap::IndexMap;

use super::{DbutilsError, DbutilsErrorKind};
use crate::parameters::{Origin, Parameter};

/// What a widget looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WidgetKind {
    /// Free text.
    Text,
    /// One of the choices.
    Dropdown,
    /// One of the choices, or free text.
    Combobox,
    /// Several of the choices.
    Multiselect,
}

/// A widget of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Widget {
    kind: WidgetKind,
    value: String,
    origin: Origin,
}

/// The widgets of a notebook. Values are always text.
///
/// In a job every parameter is a widget from the beginning, so that it can be read without being defined, and defining
/// it keeps the parameter's value. Elsewhere a widget exists once it is defined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Widgets {
    /// The parameters of the attempt; `None` outside of a job.
    parameters: Option<IndexMap<String, Parameter>>,
    widgets: IndexMap<String, Widget>,
    /// Defaults that were read in a job.
    defaults_read: IndexMap<String, String>,
}

impl Widgets {
    /// The widgets of a notebook that a person runs: none yet.
    pub fn interactive() -> Self {
        Self::default()
    }

    /// The widgets of a notebook that a job runs with `parameters`.
    pub fn in_job(parameters: &[Parameter]) -> Self {
        let mut widgets = Self::default();
        for parameter in parameters {
            let widget = Widget { kind: WidgetKind::Text, value: parameter.value.clone(), origin: parameter.origin };
            widgets.widgets.insert(parameter.name.clone(), widget);
        }
        let by_name = parameters.iter().map(|parameter| (parameter.name.clone(), parameter.clone()));
        widgets.parameters = Some(by_name.collect());
        widgets
    }

    /// `dbutils.widgets.text`: a widget that exists keeps its value.
    pub fn text(&mut self, name: &str, default: &str) {
        self.define(name, WidgetKind::Text, default);
    }

    /// `dbutils.widgets.combobox`: the default need not be a choice.
    pub fn combobox(&mut self, name: &str, default: &str) {
        self.define(name, WidgetKind::Combobox, default);
    }

    /// `dbutils.widgets.dropdown`.
    ///
    /// # Errors
    /// `default_not_in_choices`.
    pub fn dropdown(&mut self, name: &str, default: &str, choices: &[String]) -> Result<(), DbutilsError> {
        self.define_with_choices(name, WidgetKind::Dropdown, default, choices)
    }

    /// `dbutils.widgets.multiselect`.
    ///
    /// # Errors
    /// `default_not_in_choices`.
    pub fn multiselect(&mut self, name: &str, default: &str, choices: &[String]) -> Result<(), DbutilsError> {
        self.define_with_choices(name, WidgetKind::Multiselect, default, choices)
    }

    /// What a person picks or types on the page; several values for a multiselect.
    ///
    /// # Errors
    /// `InputWidgetNotDefined`.
    pub fn select(&mut self, name: &str, values: &[String]) -> Result<(), DbutilsError> {
        let widget = self.widgets.get_mut(name).ok_or_else(|| not_defined(name))?;
        widget.value = values.join(",");
        widget.origin = Origin::Run;
        Ok(())
    }

    /// `dbutils.widgets.get`; the chosen values of a multiselect are joined by commas.
    ///
    /// # Errors
    /// `InputWidgetNotDefined`.
    pub fn get(&mut self, name: &str) -> Result<String, DbutilsError> {
        let widget = self.widgets.get(name).ok_or_else(|| not_defined(name))?;
        let (value, is_default) = (widget.value.clone(), widget.origin == Origin::Default);
        if is_default {
            self.note_default(name, &value);
        }
        Ok(value)
    }

    /// The deprecated `dbutils.widgets.getArgument`: the default instead of an error.
    pub fn get_argument(&mut self, name: &str, default: &str) -> String {
        self.get(name).unwrap_or_else(|_| {
            self.note_default(name, default);
            default.to_owned()
        })
    }

    /// `dbutils.widgets.getAll`, in the order of definition.
    pub fn get_all(&mut self) -> IndexMap<String, String> {
        let names: Vec<String> = self.widgets.keys().cloned().collect();
        let values = names.into_iter().filter_map(|name| self.get(&name).ok().map(|value| (name, value)));
        values.collect()
    }

    /// `dbutils.widgets.remove`.
    ///
    /// # Errors
    /// `InputWidgetNotDefined`.
    pub fn remove(&mut self, name: &str) -> Result<(), DbutilsError> {
        self.widgets.shift_remove(name).map(|_| ()).ok_or_else(|| not_defined(name))
    }

    /// `dbutils.widgets.removeAll`.
    pub fn remove_all(&mut self) {
        self.widgets.clear();
    }

    /// The kind of a widget, where it exists.
    pub fn kind(&self, name: &str) -> Option<WidgetKind> {
        self.widgets.get(name).map(|widget| widget.kind)
    }

    /// Where a widget's value comes from, where it exists.
    pub fn origin(&self, name: &str) -> Option<Origin> {
        self.widgets.get(name).map(|widget| widget.origin)
    }

    /// Widgets that were read in a job although nobody passed a value, with their defaults: what an attempt reports.
    pub fn defaults_read(&self) -> impl Iterator<Item = (&str, &str)> {
        self.defaults_read.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    fn note_default(&mut self, name: &str, value: &str) {
        if self.parameters.is_some() {
            self.defaults_read.insert(name.to_owned(), value.to_owned());
        }
    }

    fn define_with_choices(
        &mut self,
        name: &str,
        kind: WidgetKind,
        default: &str,
        choices: &[String],
    ) -> Result<(), DbutilsError> {
        if !choices.iter().any(|choice| choice == default) {
            let message =
                format!("The default '{default}' of widget {name} is none of its choices: {}.", choices.join(", "));
            return Err(DbutilsError::new(DbutilsErrorKind::DefaultNotInChoices, message));
        }
        self.define(name, kind, default);
        Ok(())
    }

    fn define(&mut self, name: &str, kind: WidgetKind, default: &str) {
        if let Some(widget) = self.widgets.get_mut(name) {
            widget.kind = kind;
            return;
        }
        let parameter = self.parameters.as_ref().and_then(|parameters| parameters.get(name));
        let (value, origin) = parameter.map_or((default, Origin::Default), |p| (p.value.as_str(), p.origin));
        let widget = Widget { kind, value: value.to_owned(), origin };
        self.widgets.insert(name.to_owned(), widget);
    }
}

fn not_defined(name: &str) -> DbutilsError {
    let message = format!("com.databricks.dbutils_v1.InputWidgetNotDefined: No input widget named {name} is defined");
    DbutilsError::new(DbutilsErrorKind::InputWidgetNotDefined, message)
}
