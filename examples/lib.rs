//! The examples are programs of their own, in this folder.
