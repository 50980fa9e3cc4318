//! Texts around a lesson; the lesson's own texts are in its project.

use crate::messages::texts;

texts! {
    /// Lessons.
    LessonTexts, LESSON {
        panel: "Lesson",
        reset: "Reset to lesson",
        reset_text: "The workspace is emptied, tables, jobs, runs, files and editor tabs, and the lesson begins at its first step.",
        reset_confirm: "Empty it and start over",
        step_of: "Step {n} of {all}",
        back: "Back",
        next: "Next",
        steps: "Steps",
        prepare: "Prepare sample data",
        prepare_text: "These statements make the tables the tutorial starts from. Read them, then run them.",
        insert: "Insert",
        replace: "Replace what is there?",
        replace_file: "{path} is not as the lesson left it. What is in it now will be gone.",
        replace_job: "{message} The lesson's job takes its place and goes on with its runs; what you have set in it will be gone.",
        replace_confirm: "Replace",
        insert_and_run: "Insert and run",
        code: "Code",
        check: "Check",
        solution: "Show solution",
        notebook: "Open notebook {path}",
        choose: "Choose a lesson",
        unavailable: "The lesson could not be read. {message}",
        not_started: "The workspace does not hold the files of this tutorial.",
        started: "Tutorial {n} is ready. Nothing has been run.",
        do_it: "Do it",
        result_of_check: "Result of check",
        right: "Correct.",
        not_yet: "Not yet.",
        hint: "Hint",
        question: "Question {n}",
        answer: "Answer",
        earlier: "Move up: {thing}",
        later: "Move down: {thing}",
        no_result: "There is no result to look at yet: run the statements first.",
        table_missing: "There is no {table}.",
        file_missing: "There is no file {path} yet.",
        table_there: "{table} is still there.",
    }
}
