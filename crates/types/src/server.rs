//! Functions that only the server can answer: its statistics, locks and settings, what its sessions do, and what is to be
//! said of features by the layer that has them or not. They are declared here; [`crate::session::Session::answer`] and
//! [`crate::session::Session::answer_rows`] answer them by their names.

use arrow_array::ArrayRef;

use crate::column::{Argument, Parameter, SqlType};
use crate::datum::{ColumnBuilder, Datum};
use crate::error::{Error, Result};
use crate::function::{Call, Function};
use crate::oid::{self, Oid};
use crate::pg_lsn::pg_lsn;
use crate::repr::Repr;
use crate::set_returning::{Set, SetCall, SetFunction};
use crate::sql::*;

/// Declares functions of the same arguments and result: `(types) -> RESULT: names;`.
macro_rules! answered {
    ($($types:tt -> $result:ident: $($name:ident)*;)*) => { &[$($(answered!(@one $types $result $name)),*),*] };
    (@one ($($ty:ty),*) $result:ident $name:ident) => {
        Function {
            name: stringify!($name),
            arguments: &[$(<<$ty as Parameter>::Type as SqlType>::OID),*],
            result: oid::$result,
            strict: true $(&& <$ty as Parameter>::STRICT)*,
            kernel: {
                fn kernel(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
                    let strict = true $(&& <$ty as Parameter>::STRICT)*;
                    values(stringify!($name), strict, oid::$result, call, arguments)
                }
                kernel
            },
        }
    };
}

/// The same for functions that return sets.
macro_rules! answered_sets {
    ($($types:tt -> $result:ident: $($name:ident)*;)*) => { &[$($(answered_sets!(@one $types $result $name)),*),*] };
    (@one ($($ty:ty),*) $result:ident $name:ident) => {
        SetFunction {
            name: stringify!($name),
            arguments: &[$(<<$ty as Parameter>::Type as SqlType>::OID),*],
            result: oid::$result,
            strict: true $(&& <$ty as Parameter>::STRICT)*,
            start: |call: &SetCall<'_>| rows(stringify!($name), call),
        }
    };
}

/// A row's arguments.
fn given(arguments: &[Argument], row: usize) -> Vec<Datum> {
    arguments.iter().map(|argument| Datum::of(argument.array(), argument.index(row))).collect()
}

fn values(name: &'static str, strict: bool, result: Oid, call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let repr = Repr::of(result, -1).ok_or_else(|| Error::unsupported(name))?;
    let mut out = ColumnBuilder::new(repr, call.rows);
    for row in 0..call.rows {
        let arguments = given(arguments, row);
        match strict && arguments.iter().any(Datum::is_null) {
            true => out.push(&Datum::Null),
            false => out.push(&call.context.session.answer(name, &arguments)?),
        }
    }
    Ok(out.finish())
}

fn rows(name: &'static str, call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let arguments = given(call.arguments, call.row);
    call.context.session.answer_set(name, &arguments)
}

pub const FUNCTIONS: &[Function] = answered! {
    // Tables and indexes.
    (oid_) -> INT8:
        pg_stat_get_numscans pg_stat_get_tuples_returned pg_stat_get_tuples_fetched pg_stat_get_tuples_inserted
        pg_stat_get_tuples_updated pg_stat_get_tuples_deleted pg_stat_get_tuples_hot_updated
        pg_stat_get_tuples_newpage_updated pg_stat_get_live_tuples pg_stat_get_dead_tuples
        pg_stat_get_mod_since_analyze pg_stat_get_ins_since_vacuum pg_stat_get_vacuum_count
        pg_stat_get_autovacuum_count pg_stat_get_analyze_count pg_stat_get_autoanalyze_count
        pg_stat_get_blocks_fetched pg_stat_get_blocks_hit pg_stat_get_xact_numscans
        pg_stat_get_xact_tuples_returned pg_stat_get_xact_tuples_fetched pg_stat_get_xact_tuples_inserted
        pg_stat_get_xact_tuples_updated pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_hot_updated
        pg_stat_get_xact_tuples_newpage_updated pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit;
    (oid_) -> TIMESTAMPTZ:
        pg_stat_get_lastscan pg_stat_get_last_vacuum_time pg_stat_get_last_autovacuum_time
        pg_stat_get_last_analyze_time pg_stat_get_last_autoanalyze_time;
    (oid_) -> FLOAT8:
        pg_stat_get_total_vacuum_time pg_stat_get_total_autovacuum_time pg_stat_get_total_analyze_time
        pg_stat_get_total_autoanalyze_time;
    // Functions.
    (oid_) -> INT8: pg_stat_get_function_calls pg_stat_get_xact_function_calls;
    (oid_) -> FLOAT8:
        pg_stat_get_function_total_time pg_stat_get_function_self_time pg_stat_get_xact_function_total_time
        pg_stat_get_xact_function_self_time;
    // Databases.
    (oid_) -> INT4: pg_stat_get_db_numbackends;
    (oid_) -> INT8:
        pg_stat_get_db_xact_commit pg_stat_get_db_xact_rollback pg_stat_get_db_blocks_fetched
        pg_stat_get_db_blocks_hit pg_stat_get_db_tuples_returned pg_stat_get_db_tuples_fetched
        pg_stat_get_db_tuples_inserted pg_stat_get_db_tuples_updated pg_stat_get_db_tuples_deleted
        pg_stat_get_db_conflict_all pg_stat_get_db_conflict_bufferpin pg_stat_get_db_conflict_lock
        pg_stat_get_db_conflict_logicalslot pg_stat_get_db_conflict_snapshot
        pg_stat_get_db_conflict_startup_deadlock pg_stat_get_db_conflict_tablespace pg_stat_get_db_temp_files
        pg_stat_get_db_temp_bytes pg_stat_get_db_deadlocks pg_stat_get_db_checksum_failures
        pg_stat_get_db_sessions pg_stat_get_db_sessions_abandoned pg_stat_get_db_sessions_fatal
        pg_stat_get_db_sessions_killed pg_stat_get_db_parallel_workers_to_launch
        pg_stat_get_db_parallel_workers_launched;
    (oid_) -> FLOAT8:
        pg_stat_get_db_blk_read_time pg_stat_get_db_blk_write_time pg_stat_get_db_session_time
        pg_stat_get_db_active_time pg_stat_get_db_idle_in_transaction_time;
    (oid_) -> TIMESTAMPTZ: pg_stat_get_db_stat_reset_time pg_stat_get_db_checksum_last_failure;
    // The server's parts.
    () -> INT8:
        pg_stat_get_bgwriter_buf_written_clean pg_stat_get_bgwriter_maxwritten_clean pg_stat_get_buf_alloc
        pg_stat_get_checkpointer_num_timed pg_stat_get_checkpointer_num_requested
        pg_stat_get_checkpointer_num_performed pg_stat_get_checkpointer_restartpoints_timed
        pg_stat_get_checkpointer_restartpoints_requested pg_stat_get_checkpointer_restartpoints_performed
        pg_stat_get_checkpointer_buffers_written pg_stat_get_checkpointer_slru_written;
    () -> FLOAT8: pg_stat_get_checkpointer_write_time pg_stat_get_checkpointer_sync_time;
    () -> TIMESTAMPTZ:
        pg_stat_get_bgwriter_stat_reset_time pg_stat_get_checkpointer_stat_reset_time
        pg_stat_get_snapshot_timestamp;
    () -> RECORD: pg_stat_get_archiver pg_stat_get_wal pg_stat_get_wal_receiver;
    (oid_) -> RECORD: pg_stat_get_subscription_stats;
    () -> VOID: pg_stat_clear_snapshot pg_stat_force_next_flush;
    // Sessions.
    (int4) -> TEXT:
        pg_stat_get_backend_activity pg_stat_get_backend_wait_event_type pg_stat_get_backend_wait_event;
    (int4) -> TIMESTAMPTZ:
        pg_stat_get_backend_activity_start pg_stat_get_backend_xact_start pg_stat_get_backend_start;
    (int4) -> INT4: pg_stat_get_backend_pid pg_stat_get_backend_client_port;
    (int4) -> OID: pg_stat_get_backend_dbid pg_stat_get_backend_userid;
    (int4) -> INET: pg_stat_get_backend_client_addr;
    () -> INET: inet_client_addr inet_server_addr;
    () -> INT4: inet_client_port inet_server_port;
    // What its administrators ask for.
    () -> BOOL: pg_reload_conf;
    // The log.
    (pg_lsn) -> TEXT: pg_walfile_name;
    () -> PG_LSN: pg_current_wal_lsn pg_current_wal_insert_lsn pg_current_wal_flush_lsn;
    // Objects.
    (oid_) -> BOOL: pg_is_other_temp_schema;
    (regclass, boolean) -> INT4: pg_relation_is_updatable;
    (regclass, int2, boolean) -> BOOL: pg_column_is_updatable;
    (oid_) -> BOOL: row_security_active;
    (oid_) -> TEXT: pg_tablespace_location pg_get_statisticsobjdef_columns;
    (regclass) -> OID: pg_relation_filenode;
    (regclass) -> TEXT: pg_relation_filepath;
    (oid_) -> TEXT_ARRAY: pg_get_statisticsobjdef_expressions;
    (regclass) -> BOOL: pg_relation_is_publishable;
    (regclass) -> REGCLASS: pg_partition_root;
    (oid_) -> INT8: pg_tablespace_size;
    (name) -> INT8: pg_tablespace_size;
    (oid_, int2) -> INT4: _pg_index_position;
    (oid_, int8) -> TEXT: pg_indexam_progress_phasename;
};

pub const SETS: &[SetFunction] = answered_sets! {
    (Option<int4>) -> RECORD: pg_stat_get_activity;
    () -> INT4: pg_stat_get_backend_idset;
    (text) -> RECORD: pg_stat_get_progress_info;
    () -> RECORD:
        pg_lock_status pg_show_all_settings pg_show_all_file_settings pg_hba_file_rules pg_ident_file_mappings
        pg_stat_get_io pg_stat_get_slru pg_get_aios pg_stat_get_aios pg_stat_get_aio_backends pg_stat_get_devices pg_stat_get_undo
        pg_buffercache_pages pg_buffercache_summary pg_buffercache_usage_counts pg_prepared_statement pg_cursor pg_prepared_xact
        pg_stat_get_wal_senders pg_get_replication_slots pg_show_replication_origin_status
        pg_stat_get_recovery_prefetch pg_available_extensions pg_available_extension_versions;
    (Option<oid_>) -> RECORD: pg_stat_get_subscription;
    (regclass) -> REGCLASS: pg_partition_ancestors;
    (regclass) -> RECORD: pg_partition_tree;
    () -> TEXT: pg_listening_channels;
    (oid_) -> OID: pg_tablespace_databases;
};
