//! Bundle files that are put in as a whole: as a lesson gives them, beside what its reader has built by hand.

use lakelet_base::{Diagnostic, Result};
use lakelet_bundle::{JobResource, normalize_path, read_bundle, remove_job};

use super::documents::{self, JobNumbers};
use super::requests::{JOB_EXISTS, cannot_save};
use crate::project::bad_file;
use crate::workspace::Workspace;

impl Workspace {
    /// Writes a bundle file. Each of its jobs is the only one of its name then: with `replace`, one in another file is
    /// taken out of that, and its runs go on as those of the new one, behind runs that this has already.
    ///
    /// # Errors
    /// Another file has a job of the same name and `replace` is not set, a run of that job is going on, or a file cannot
    /// be written.
    pub fn save_job_file(&mut self, path: &str, text: String, replace: bool) -> Result<()> {
        let mut project = self.project.project().clone();
        project.put_text(path, text).map_err(bad_file)?;
        let path = normalize_path(path).unwrap_or_default();
        let bundle = read_bundle(&project, None);
        let (new, others): (Vec<&JobResource>, Vec<&JobResource>) =
            bundle.jobs.iter().partition(|job| job.path == path);
        let heir = |job: &JobResource| new.iter().find(|new| new.name() == job.name()).map(|new| new.key.clone());
        let replaced: Vec<(&JobResource, String)> =
            others.into_iter().filter_map(|job| heir(job).map(|heir| (job, heir))).collect();
        if let Some((job, _)) = replaced.first().filter(|_| !replace) {
            let message = format!("There is a job {} already, in {}.", job.name(), job.path);
            let hint = "Let the new one take its place, or give it another name.";
            return Err(Box::new(Diagnostic::new(JOB_EXISTS, message).hint(hint)));
        }
        let mut counters = self.jobs.counters.clone();
        let mut runs = Vec::new();
        for (job, heir) in replaced {
            let own: Vec<u64> = self.jobs.runs_of(&job.key).map(|record| record.document.run.run_id()).collect();
            self.refuse_while_running(&own)?;
            remove_job(&mut project, job).map_err(cannot_save)?;
            let Some(numbers) = counters.jobs.remove(&job.key) else { continue };
            let known = counters.jobs.entry(heir.clone()).or_insert(JobNumbers { id: numbers.id, n_runs: 0 });
            let before = known.n_runs;
            known.n_runs += numbers.n_runs;
            for run_id in own {
                let Some(record) = self.jobs.runs.get(&run_id) else { continue };
                let mut document = record.document.clone();
                document.job_key.clone_from(&heir);
                document.number += before;
                runs.push((run_id, document));
            }
        }
        let mut transaction = self.core.store.begin();
        for (run_id, document) in &runs {
            documents::write(&mut transaction, documents::run_key(*run_id), document)?;
        }
        documents::write(&mut transaction, documents::COUNTERS_KEY.to_owned(), &counters)?;
        let changed = self.project.changed(project, &mut transaction);
        self.commit_project(changed, transaction)?;
        self.jobs.counters = counters;
        for (run_id, document) in runs {
            if let Some(record) = self.jobs.runs.get_mut(&run_id) {
                record.document = document;
            }
        }
        Ok(())
    }
}
