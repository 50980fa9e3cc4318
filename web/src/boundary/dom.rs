//! Small things asked of the document.

use std::cell::Cell;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlElement};

/// The part of the address after `#`, with it.
pub fn hash() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// The query of the page's own address, before `#`.
pub fn query() -> String {
    web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default()
}

/// Moves to another hash address: a new entry in the browser's history, or instead of the present one.
pub fn set_hash(hash: &str, replace: bool) {
    let Some(window) = web_sys::window() else { return };
    // Both can only fail for addresses of another origin.
    let _ = if replace { window.location().replace(hash) } else { window.location().set_hash(hash) };
}

/// Sets the title of the document.
pub fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// The root element, `<html>`.
pub fn root() -> Option<Element> {
    web_sys::window()?.document()?.document_element()
}

/// An element by its id.
pub fn by_id(id: &str) -> Option<HtmlElement> {
    web_sys::window()?.document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// The element that has the focus.
pub fn focused() -> Option<Element> {
    web_sys::window()?.document()?.active_element()
}

/// Whether the focus is in something that is written in, which has an undo of its own.
pub fn is_writing() -> bool {
    focused().is_some_and(|element| element.matches("input, textarea, select, [contenteditable=true]").unwrap_or(false))
}

/// The first element that a selector finds below `parent`.
pub fn find(parent: &Element, selector: &str) -> Option<HtmlElement> {
    parent.query_selector(selector).ok()??.dyn_into().ok()
}

/// Moves the focus to an element by its id, if there is one.
pub fn focus(id: &str) {
    if let Some(element) = by_id(id) {
        let _ = element.focus();
    }
}

/// Scrolls the row that an element stands in sideways until the element can be seen; nothing else moves.
pub fn show_in_row(id: &str) {
    let Some(element) = by_id(id) else { return };
    let Some(row) = element.parent_element() else { return };
    let (inner, outer) = (element.get_bounding_client_rect(), row.get_bounding_client_rect());
    let (before, behind) = (outer.left() - inner.left(), inner.right() - outer.right());
    let by = if before > 0.0 { -before } else { behind.max(0.0) };
    // A pixel is an i32 there; what is cut off is less than one.
    row.set_scroll_left(row.scroll_left() + by.round() as i32);
}

/// A number that no other call of this returns: for ids in the document.
pub fn unique_number() -> u32 {
    thread_local! {
        static NEXT: Cell<u32> = const { Cell::new(1) };
    }
    NEXT.with(|next| next.replace(next.get() + 1))
}

/// Milliseconds on a clock that never goes back.
pub fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Puts a text on the clipboard; whether that worked.
pub async fn copy(text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    JsFuture::from(window.navigator().clipboard().write_text(text)).await.is_ok()
}

/// Calls `observer` with the inner width and height of an element, now and whenever they change. Dropping it ends that.
pub struct SizeObserver {
    observer: web_sys::ResizeObserver,
    _callback: Closure<dyn FnMut(js_sys::Array)>,
}

impl SizeObserver {
    /// Begins to watch `element`; `None` in a browser without `ResizeObserver`.
    pub fn watch(element: &Element, observer: impl Fn(f64, f64) + 'static) -> Option<Self> {
        let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            if let Ok(entry) = entries.pop().dyn_into::<web_sys::ResizeObserverEntry>() {
                let size = entry.content_rect();
                observer(size.width(), size.height());
            }
        });
        let resize = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
        resize.observe(element);
        Some(Self { observer: resize, _callback: callback })
    }
}

impl Drop for SizeObserver {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
