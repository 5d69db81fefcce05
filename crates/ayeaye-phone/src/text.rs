//! Icons and line breaking, for layout and drawing alike.
pub(crate) mod icons;
pub(crate) mod lines;
