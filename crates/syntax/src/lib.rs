//! Text to statements, with places and recovery.

pub mod statement;
