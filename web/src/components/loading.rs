//! Content that has to be asked for: waiting, failed, or there.

use std::future::Future;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::Failure;
use crate::engine::{Answer, ENGINE_DOWN};
use crate::messages::tr;

/// Asks for something whenever `input` changes, and keeps the newest answer. What was there stays until the next
/// answer is; an answer that was overtaken is dropped. An engine that stopped is asked again once it is back.
pub fn asked<I, T, F>(input: impl Fn() -> I + 'static, ask: impl Fn(I) -> F + 'static) -> RwSignal<Option<Answer<T>>>
where
    I: 'static,
    T: Send + Sync + 'static,
    F: Future<Output = Answer<T>> + 'static,
{
    let answer = RwSignal::new(None);
    let newest = StoredValue::new(0_u32);
    let app = crate::state::use_app();
    let ready = Memo::new(move |_| app.is_ready());
    Effect::new(move || {
        let input = input();
        let ready = ready.get();
        if !ready && answer.with_untracked(Option::is_some) {
            return;
        }
        let number = newest.get_value() + 1;
        newest.set_value(number);
        let future = ask(input);
        spawn_local(async move {
            let result = future.await;
            if newest.try_get_value() != Some(number) {
                return;
            }
            let stopped = result.as_ref().is_err_and(|error| error.condition == ENGINE_DOWN);
            if !(stopped && answer.with_untracked(Option::is_some)) {
                answer.set(Some(result));
            }
        });
    });
    answer
}

/// Shows an answer: a line while it is awaited, the error, or what `view` makes of it.
pub fn loaded<T, V>(answer: RwSignal<Option<Answer<T>>>, view: impl Fn(T) -> V + Send + 'static) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    move || match answer.get() {
        None => view! { <p class="quiet">{tr!(common.loading)}</p> }.into_any(),
        Some(Err(error)) => view! { <Failure error/> }.into_any(),
        Some(Ok(value)) => view(value).into_any(),
    }
}
