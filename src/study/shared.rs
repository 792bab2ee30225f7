//! Parts that several studies have in common.

pub(crate) mod adaptation;
