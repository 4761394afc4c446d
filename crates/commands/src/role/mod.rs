//! Roles, and the settings that their sessions begin with.

pub mod db_role_setting;
pub mod user;
