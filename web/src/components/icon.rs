//! Icons: lines on a grid of 20, told apart by shape alone.

use leptos::prelude::*;

/// An icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    Home,
    Learn,
    Sql,
    Notebook,
    Jobs,
    Flow,
    Data,
    More,
    Catalog,
    Schema,
    Table,
    StreamingTable,
    MaterializedView,
    View,
    Check,
    Cross,
    Ring,
    Clock,
    Padlock,
    UpstreamFailed,
    Slash,
    Warning,
    Stop,
    Repaired,
    Dash,
    Plus,
    Close,
    ChevronRight,
    ChevronLeft,
    Play,
    PlayAll,
    Refresh,
    Copy,
    ArrowRight,
    ArrowUp,
    ArrowDown,
    Branch,
}

impl Icon {
    /// The path, and whether it is filled rather than drawn in lines.
    fn path(self) -> (&'static str, bool) {
        match self {
            Self::Home => ("M3 9.5 10 3.5l7 6M5 8.5V16h3.5v-4h3v4H15V8.5", false),
            Self::Learn => (
                "M10 5.5C8 4 5.5 3.8 3 4v11c2.5-.2 5 0 7 1.5 2-1.5 4.500-1.700 7-1.500V4c-2.500-.2-5 0-7 1.500v11",
                false,
            ),
            Self::Sql => ("M3 4h14v12H3zM6 8l2.500 2L6 12M10.500 12.500H14", false),
            Self::Notebook => ("M5 3h11v14H5zM3 6h3M3 10h3M3 14h3M9 7h4M9 10h4", false),
            Self::Branch => ("M10 2.500 16 8.500 10 14.500 4 8.500zM4 8.500v8M16 8.500v8", false),
            Self::Jobs => (
                "M2.500 8h4v4h-4zM13.500 3.500h4v4h-4zM13.500 12.500h4v4h-4zM6.500 10h3.500M13.500 5.500H10v9h3.500",
                false,
            ),
            Self::Flow => (
                "M2.500 5c3 0 3 2 5 2s2-2 5-2 3 2 5 2M2.500 13c3 0 3 2 5 2s2-2 5-2 3 2 5 2M2.500 9c3 0 3 2 5 2s2-2 5-2 3 2 5 2",
                false,
            ),
            Self::Data => (
                "M4 5c0-1.200 2.700-2 6-2s6 .8 6 2-2.700 2-6 2-6-.8-6-2zM4 5v10c0 1.200 2.700 2 6 2s6-.8 6-2V5M4 10c0 1.200 2.700 2 6 2s6-.8 6-2",
                false,
            ),
            Self::More => (
                "M4 8.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zM10 8.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zM16 8.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z",
                true,
            ),
            Self::Catalog => ("M3 5h5l2 2h7v9H3z", false),
            Self::Schema => ("M3.500 4h13v4h-13zM3.500 12h13v4h-13zM10 8v4", false),
            Self::Table => ("M3 4h14v12H3zM3 8h14M3 12h14M8 8v8", false),
            Self::StreamingTable => ("M3 4h14v7M3 4v12h6M3 8h14M3 12h6M11 15h6m-2-2 2 2-2 2", false),
            Self::MaterializedView => ("M3 4h14v12H3zM3 8h14M6.500 13.500v-2M10 13.500v-3M13.500 13.500v-1", false),
            Self::View => (
                "M2 10c2-3.500 5-5 8-5s6 1.500 8 5c-2 3.500-5 5-8 5s-6-1.500-8-5zM10 7.800a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400z",
                false,
            ),
            Self::Check => (
                "M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm-1.200 11.700L5 9.900l1.400-1.400 2.400 2.400 4.900-4.900 1.400 1.400z",
                true,
            ),
            Self::Cross => (
                "M6.700 2h6.600L18 6.700v6.600L13.300 18H6.700L2 13.300V6.700zM7.400 6 6 7.400 8.600 10 6 12.600 7.400 14l2.600-2.600 2.600 2.600 1.400-1.400-2.600-2.600L14 7.400 12.600 6 10 8.600z",
                true,
            ),
            Self::Ring => ("M10 3a7 7 0 1 1-7 7", false),
            Self::Clock => ("M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 6v4l2.500 2", false),
            Self::Padlock => ("M5 9h10v8H5zM7 9V6a3 3 0 0 1 6 0v3", false),
            Self::UpstreamFailed => ("M4.500 5.500 9 10l-4.500 4.500M10.500 5.500 15 10l-4.500 4.500", false),
            Self::Slash => ("M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM5.200 14.800l9.600-9.600", false),
            Self::Warning => ("M10 3 18 17H2zM10 8v4M10 14.500h.01", false),
            Self::Stop => ("M4.500 4.500h11v11h-11zM7 10h6", false),
            Self::Repaired => {
                ("M4 10.500 7.500 14l5-5.500M13 3.500a3.200 3.200 0 0 0 3.900 3.900l-2.400 2.400M12 6l1-2.500", false)
            }
            Self::Dash => ("M5 10h10", false),
            Self::Plus => ("M10 4v12M4 10h12", false),
            Self::Close => ("M5 5l10 10M15 5 5 15", false),
            Self::ChevronRight => ("M7.500 4.500 13 10l-5.500 5.500", false),
            Self::ChevronLeft => ("M12.500 4.500 7 10l5.500 5.500", false),
            Self::Play => ("M6 4v12l10-6z", true),
            Self::PlayAll => ("M3 4v12l7.500-6zM10.500 4v12l7.500-6z", true),
            Self::Refresh => ("M16 6.500A7 7 0 1 0 17 10M16.500 3v4h-4", false),
            Self::Copy => ("M7 7h10v10H7zM13 7V3H3v10h4", false),
            Self::ArrowRight => ("M3 10h13M11.500 5.500 16 10l-4.500 4.500", false),
            Self::ArrowUp => ("M10 17V4M5.500 8.500 10 4l4.500 4.500", false),
            Self::ArrowDown => ("M10 3v13M5.500 11.500 10 16l4.500-4.500", false),
        }
    }
}

/// An icon for the eye only; words beside it or a name say the same.
pub fn icon(icon: Icon) -> impl IntoView {
    let (path, filled) = icon.path();
    view! {
        <svg class="icon" class:icon-filled=filled viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d=path></path>
        </svg>
    }
}
