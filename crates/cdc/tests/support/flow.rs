//! A flow with its two tables, kept as a store keeps them: segments that never change, and rows marked as removed.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::*;
use arrow_schema::{DataType, Field, Fields, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_cdc::*;
use lakelet_store::{RowAddress, SegmentId};
use serde_json::Value;

use super::Case;
use super::json;
use super::predicate::Predicate;

/// A table of segments.
#[derive(Default)]
pub struct Segments(BTreeMap<SegmentId, (RecordBatch, Vec<bool>)>);

impl Segments {
    /// Stores rows, if there are any.
    pub fn append(&mut self, segment: SegmentId, rows: &RecordBatch) -> Option<SegmentId> {
        if rows.num_rows() == 0 {
            return None;
        }
        let old = self.0.insert(segment, (rows.clone(), vec![true; rows.num_rows()]));
        assert!(old.is_none(), "segment {segment} is used twice");
        Some(segment)
    }

    /// Marks rows as removed; each must be there.
    pub fn remove(&mut self, addresses: &[RowAddress]) {
        for address in addresses {
            let (_, live) = self.0.get_mut(&address.segment).expect("a removed row lies in a segment");
            assert!(std::mem::replace(&mut live[address.row as usize], false), "{address:?} is removed twice");
        }
    }

    pub fn batches(&self) -> Vec<RecordBatch> {
        self.stored().into_iter().map(|stored| stored.rows).collect()
    }

    pub fn stored(&self) -> Vec<StoredRows> {
        let part = |(&segment, (rows, live)): (&SegmentId, &(RecordBatch, Vec<bool>))| StoredRows {
            rows: filter_record_batch(rows, &BooleanArray::from(live.clone())).unwrap(),
            addresses: (0..)
                .zip(live)
                .filter(|(_, is_live)| **is_live)
                .map(|(row, _)| RowAddress { segment, row })
                .collect(),
        };
        self.0.iter().map(part).collect()
    }

    pub fn n_rows(&self) -> usize {
        self.0.values().map(|(_, live)| live.iter().filter(|is_live| **is_live).count()).sum()
    }

    pub fn row(&self, address: RowAddress) -> RecordBatch {
        self.0[&address.segment].0.slice(address.row as usize, 1)
    }
}

/// A flow, its state and its tables.
pub struct Flow {
    pub spec: ResolvedSpec,
    pub state: CdcState,
    pub target: Segments,
    pub events: Segments,
    pub options: ApplyOptions,
    source: SchemaRef,
    sequence: (Vec<String>, bool),
    delete_when: Option<Predicate>,
    truncate_when: Option<Predicate>,
    next_segment: SegmentId,
}

impl Flow {
    /// The flow of a case, over an empty target.
    pub fn create(case: &Case) -> Result<Self> {
        let source = json::schema(&case.schema());
        let spec = case.spec()?;
        let sequence = case.sequence().unwrap_or_default();
        let unresolved = |name: &str| {
            Diagnostic::new(ErrorClass::new("UNRESOLVED_COLUMN", "42703"), format!("There is no column {name}."))
        };
        let column = |name: &String| {
            let found = source.fields().iter().position(|field| same_name(field.name(), name));
            found.ok_or_else(|| Box::new(unresolved(name)))
        };
        let columns = sequence.0.iter().map(column).collect::<Result<Vec<_>>>()?;
        let sequence_type = if sequence.1 {
            DataType::Struct(columns.iter().map(|&at| Arc::new(source.field(at).clone())).collect::<Fields>())
        } else {
            columns.first().map_or(DataType::Null, |&at| source.field(at).data_type().clone())
        };
        let resolved = spec.resolve(&source, &sequence_type)?;
        let condition = |clause: &str| -> Result<Option<Predicate>> {
            let Some(text) = case.condition(clause) else { return Ok(None) };
            let predicate = Predicate::parse(text);
            for name in predicate.columns() {
                column(&name)?;
            }
            Ok(Some(predicate))
        };
        let names = columns.iter().map(|&at| source.field(at).name().clone()).collect();
        Ok(Self {
            state: CdcState::new(&resolved),
            spec: resolved,
            target: Segments::default(),
            events: Segments::default(),
            options: ApplyOptions::default(),
            sequence: (names, sequence.1),
            delete_when: condition("delete_when")?,
            truncate_when: condition("truncate_when")?,
            source,
            next_segment: 1,
        })
    }

    /// Rows of JSON with the flow's expressions evaluated.
    pub fn change_batch(&self, rows: &[Value]) -> ChangeBatch {
        let batch = json::batch(&self.source, rows);
        let columns: Vec<ArrayRef> =
            self.sequence.0.iter().map(|name| batch.column_by_name(name).unwrap().clone()).collect();
        let sequence: ArrayRef = if self.sequence.1 {
            let fields: Fields = self
                .sequence
                .0
                .iter()
                .map(|name| Arc::new(self.source.field_with_name(name).unwrap().clone()) as Arc<Field>)
                .collect();
            Arc::new(StructArray::try_new_with_length(fields, columns, None, rows.len()).unwrap())
        } else {
            columns[0].clone()
        };
        let evaluate = |condition: &Option<Predicate>| {
            let condition = condition.as_ref()?;
            Some(rows.iter().map(|row| condition.holds(row)).collect::<BooleanArray>())
        };
        ChangeBatch {
            rows: batch,
            sequence,
            is_delete: evaluate(&self.delete_when),
            is_truncate: evaluate(&self.truncate_when),
        }
    }

    /// One refresh: applies, commits, accepts.
    pub fn refresh(&mut self, rows: &[Value]) -> Result<CdcOutcome> {
        self.refresh_batch(&self.change_batch(rows))
    }

    pub fn refresh_batch(&mut self, batch: &ChangeBatch) -> Result<CdcOutcome> {
        let outcome = apply_changes(&self.spec, &self.state, batch, self.options)?;
        self.check_outcome(&outcome);
        let before = outcome.trace.as_ref().map(|_| self.rows());
        self.target.remove(&outcome.removed);
        self.events.remove(&outcome.removed_events);
        let placement = Placement {
            target: self.target.append(self.next_segment, &outcome.added),
            events: self.events.append(self.next_segment + 1, &outcome.events),
        };
        self.next_segment += 2;
        self.state.accept(&self.spec, &outcome, placement)?;
        assert_eq!(self.state.n_visible_rows(), self.target.n_rows());
        if let (Some(before), Some(trace)) = (before, outcome.trace.as_ref().filter(|trace| !trace.is_cut)) {
            assert_eq!(self.replay_trace(before, trace), self.rows(), "the steps of a trace lead to the target");
        }
        assert!(self.events.n_rows() - self.state.n_events() <= 1, "only a truncate is an event of no key");
        Ok(outcome)
    }

    /// Forgets the state and makes it anew from the tables.
    pub fn restart(&mut self) -> Result<()> {
        self.state = CdcState::rebuild(&self.spec, &self.events.stored(), &self.target.stored())?;
        Ok(())
    }

    /// What the outcome says about itself must be true.
    fn check_outcome(&self, outcome: &CdcOutcome) {
        assert_eq!(outcome.added.schema(), *self.spec.target_schema());
        assert_eq!(outcome.events.schema(), *self.spec.event_schema());
        let counts = outcome.counts;
        assert_eq!(counts.read, counts.upserts + counts.deletes + counts.truncates);
        assert_eq!(counts.rows_updated as usize, outcome.changed.len());
        assert_eq!((counts.rows_updated + counts.rows_inserted) as usize, outcome.added.num_rows());
        assert_eq!((counts.rows_updated + counts.rows_deleted) as usize, outcome.removed.len());
        assert_eq!(counts.keys_touched as usize, outcome.touched_keys.num_rows());
        assert_eq!(counts.rows_inserted as usize, outcome.inserted().count());
        assert_eq!(counts.rows_deleted as usize, outcome.deleted().count());
        let mut identity: Vec<usize> = Vec::new();
        for (index, field) in self.spec.target_schema().fields().iter().enumerate() {
            if self.spec.key_names().contains(&field.name().as_str()) || field.name() == BOUND_START {
                identity.push(index);
            }
        }
        for &(removed, added) in &outcome.changed {
            let before = self.target.row(outcome.removed[removed as usize]);
            let after = outcome.added.slice(added as usize, 1);
            let columns = |batch: &RecordBatch| batch.project(&identity).unwrap();
            if self.spec.scd_type() == ScdType::Type2 {
                assert_eq!(columns(&before), columns(&after), "a change keeps key and start");
            }
            assert_ne!(before, after, "a change changes something");
        }
    }

    /// What the steps of a trace make of a target.
    fn replay_trace(&self, mut rows: Vec<Vec<u8>>, trace: &Trace) -> Vec<Vec<u8>> {
        let schema = self.spec.target_schema();
        let row = |&version: &u32| {
            json::sorted_rows(&[trace.versions.slice(version as usize, 1)], schema).pop().expect("one row")
        };
        for event in &trace.events {
            assert!(!event.steps.is_empty());
            for step in &event.steps {
                for before in step.before.iter().map(row) {
                    let at = rows.iter().position(|row| *row == before).expect("a step ends a row that is there");
                    rows.swap_remove(at);
                }
                rows.extend(step.after.iter().map(row));
            }
        }
        rows.sort();
        rows
    }

    /// The target in a form that compares.
    pub fn rows(&self) -> Vec<Vec<u8>> {
        json::sorted_rows(&self.target.batches(), self.spec.target_schema())
    }

    /// Expected rows in the same form.
    pub fn expected(&self, rows: &[Value]) -> Vec<Vec<u8>> {
        for row in rows {
            let names: Vec<&String> = row.as_object().unwrap().keys().collect();
            let known = |name: &&&String| self.spec.target_schema().field_with_name(name).is_ok();
            assert_eq!(names.iter().filter(known).count(), names.len(), "{names:?} are not the target's columns");
        }
        json::sorted_rows(&[json::batch(self.spec.target_schema(), rows)], self.spec.target_schema())
    }

    /// The target for people.
    pub fn describe(&self) -> String {
        let all = concat_batches(self.spec.target_schema(), &self.target.batches()).unwrap();
        format!("{all:?}")
    }
}
