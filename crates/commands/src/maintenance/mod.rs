//! What keeps tables in order: VACUUM, ANALYZE and CLUSTER, and what runs the first two by itself.

pub mod autovacuum;
pub mod cluster;
pub mod statistics;
pub mod vacuum;
