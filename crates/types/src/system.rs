//! System information: what functions tell of the session and of the catalog, by asking [`crate::session::Session`] and
//! [`crate::names::Names`].

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use error::sqlstate;

use crate::array::ArrayBuilder;
use crate::array::value::name_array;
use crate::column::Argument;
use crate::context::Context;
use crate::datetime::timestamptz;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::{Call, Function};
use crate::names::*;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::sql::*;
use crate::{functions, reg};

pub const FUNCTIONS: &[&[Function]] =
    &[SESSION, TRANSACTIONS, OBJECTS, VISIBLE, DEFINITIONS, TYPEOF, crate::input_check::FUNCTIONS];

const SESSION: &[Function] = functions! {
    version[context]() -> text = |c: &Context| c.session.version();
    current_database[context]() -> name = |c: &Context| c.session.database();
    current_schema[context]() -> Option<name> = |c: &Context| Result::Ok(c.session.search_path(false)?.into_iter().next());
    current_schemas[context](boolean) -> name_array = current_schemas;
    current_user[context]() -> name = |c: &Context| c.session.current_user();
    getpgusername[context]() -> name = |c: &Context| c.session.current_user();
    session_user[context]() -> name = |c: &Context| c.session.session_user();
    system_user[context]() -> Option<text> = |c: &Context| c.session.system_user();
    current_query[context]() -> Option<text> = |c: &Context| c.session.query();
    pg_backend_pid[context]() -> int4 = |c: &Context| c.session.process_id();
    pg_my_temp_schema[context]() -> oid_ = |c: &Context| c.session.temporary_namespace();
    pg_cancel_backend[context](int4) -> boolean = |c: &Context, pid| c.session.signal(pid, false);
    pg_terminate_backend[context](int4, int8) -> boolean = terminate;
    pg_postmaster_start_time[context]() -> timestamptz = |c: &Context| Result::Ok(c.session.server_times()?.0);
    pg_conf_load_time[context]() -> timestamptz = |c: &Context| Result::Ok(c.session.server_times()?.1);
    pg_is_in_recovery() -> boolean = || Result::Ok(false);
    pg_jit_available() -> boolean = || Result::Ok(false);
    getdatabaseencoding() -> name = || Result::Ok("UTF8");
    pg_client_encoding[context]() -> name = |c| current_setting(c, "client_encoding");
    current_setting[context](text) -> text = current_setting;
    current_setting[context](text, boolean) -> Option<text> = |c: &Context, name, missing_ok| match missing_ok {
        true => c.session.setting(name),
        false => current_setting(c, name).map(Some),
    };
    set_config[context](Option<text>, Option<text>, Option<boolean>) -> text = set_config;
    currval[context](regclass) -> int8 = |c: &Context, sequence| c.session.currval(sequence);
    lastval[context]() -> int8 = |c: &Context| c.session.lastval();
};

fn current_schemas(context: &Context, implicit: bool) -> Result<Vec<u8>> {
    let mut names = ArrayBuilder::new(oid::NAME, Repr::Text);
    for name in context.session.search_path(implicit)? {
        names.push(Some(Scalar::Bytes(name.as_bytes())))?;
    }
    names.finish_list()
}

fn current_setting(context: &Context, name: &str) -> Result<String> {
    let unknown = || Error::new(sqlstate::UNDEFINED_OBJECT, format!("unrecognized configuration parameter \"{name}\""));
    context.session.setting(name)?.ok_or_else(unknown)
}

fn set_config(context: &Context, name: Option<&str>, value: Option<&str>, local: Option<bool>) -> Result<String> {
    let name = name.ok_or_else(|| Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "SET requires parameter name"))?;
    context.session.set(name, value, local.unwrap_or(false))
}

fn terminate(context: &Context, process: i32, timeout: i64) -> Result<bool> {
    match timeout {
        ..0 => Err(Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "\"timeout\" must not be negative")),
        0 => context.session.signal(process, true),
        _ => Err(Error::unsupported("waiting for a backend's end")),
    }
}

const TRANSACTIONS: &[Function] = functions! {
    pg_export_snapshot[context]() -> text = |c: &Context| c.session.export_snapshot();
    txid_current[context]() -> int8 = |c| Result::Ok(assigned(c)? as i64);
    txid_current_if_assigned[context]() -> Option<int8> =
        |c: &Context| Result::Ok(c.session.transaction_id(false)?.map(|id| id as i64));
    txid_status[context](int8) -> Option<text> = |c: &Context, id: i64| c.session.transaction_status(id as u64);
    pg_current_xact_id[context]() -> xid8 = assigned;
    pg_current_xact_id_if_assigned[context]() -> Option<xid8> = |c: &Context| c.session.transaction_id(false);
    pg_xact_status[context](xid8) -> Option<text> = |c: &Context, id| c.session.transaction_status(id);
};

fn assigned(context: &Context) -> Result<u64> {
    let id = context.session.transaction_id(true)?;
    id.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "the transaction has no id"))
}

const OBJECTS: &[Function] = functions! {
    pg_get_userbyid[context](oid_) -> name =
        |c: &Context, role| Result::Ok(c.names.role_name(role).unwrap_or_else(|| format!("unknown (OID={role})")));
    format_type[context](Option<oid_>, Option<int4>) -> Option<text> =
        |c: &Context, ty: Option<u32>, typmod| Result::Ok(ty.map(|ty| format_type(c, ty, typmod)));
    pg_basetype[context](regtype) -> Option<regtype> = |c: &Context, ty| Result::Ok(c.names.base_type(ty));
    obj_description[context](oid_) -> Option<text> = |c: &Context, object| Result::Ok(c.names.comment(0, object, 0));
    obj_description[context](oid_, name) -> Option<text> = comment;
    shobj_description[context](oid_, name) -> Option<text> = shared_comment;
    col_description[context](oid_, int4) -> Option<text> =
        |c: &Context, table, column| Result::Ok(c.names.comment(PG_CLASS, table, column));
    pg_indexam_has_property[context](oid_, text) -> Option<boolean> =
        |c, am, property| index_property(c, PropertyOf::AccessMethod(am), property);
    pg_index_has_property[context](regclass, text) -> Option<boolean> =
        |c, index, property| index_property(c, PropertyOf::Index(index), property);
    pg_index_column_has_property[context](regclass, int4, text) -> Option<boolean> =
        |c, index, column, property| index_property(c, PropertyOf::Column(index, column), property);
    pg_get_serial_sequence[context](text, text) -> Option<text> = serial_sequence;
};

/// As `format_type`, which knows no error.
pub(crate) fn format_type(context: &Context, ty: Oid, typmod: Option<i32>) -> String {
    match ty {
        oid::INVALID => "-".to_string(),
        _ => context.names.type_name(ty, typmod).unwrap_or_else(|| "???".to_string()),
    }
}

fn comment(context: &Context, object: Oid, catalog: &str) -> Result<Option<String>> {
    let catalog = context.names.find(Named::Relation, &["pg_catalog".to_string(), catalog.to_string()])?;
    Ok(catalog.first().and_then(|&catalog| context.names.comment(catalog, object, 0)))
}

fn shared_comment(context: &Context, object: Oid, catalog: &str) -> Result<Option<String>> {
    let catalog = context.names.find(Named::Relation, &["pg_catalog".to_string(), catalog.to_string()])?;
    Ok(catalog.first().and_then(|&catalog| context.names.shared_comment(catalog, object)))
}

fn index_property(context: &Context, of: PropertyOf, property: &str) -> Result<Option<bool>> {
    Ok(context.names.index_property(of, property))
}

fn serial_sequence(context: &Context, table: &str, column: &str) -> Result<Option<String>> {
    let table = reg::relation(context, table)?;
    let column = context.names.column(table, column)?;
    let sequence = context.names.owned_sequence(table, column);
    Ok(sequence.and_then(|sequence| context.names.qualified_relation(sequence)))
}

const VISIBLE: &[Function] = functions! {
    pg_table_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_CLASS, o);
    pg_type_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_TYPE, o);
    pg_function_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_PROC, o);
    pg_operator_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_OPERATOR, o);
    pg_opclass_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_OPCLASS, o);
    pg_opfamily_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_OPFAMILY, o);
    pg_collation_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_COLLATION, o);
    pg_conversion_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_CONVERSION, o);
    pg_statistics_obj_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_STATISTIC_EXT, o);
    pg_ts_parser_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_TS_PARSER, o);
    pg_ts_dict_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_TS_DICT, o);
    pg_ts_template_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_TS_TEMPLATE, o);
    pg_ts_config_is_visible[context](oid_) -> Option<boolean> = |c, o| is_visible(c, PG_TS_CONFIG, o);
};

fn is_visible(context: &Context, catalog: Oid, object: Oid) -> Result<Option<bool>> {
    Ok(context.names.is_visible(catalog, object))
}

const DEFINITIONS: &[Function] = functions! {
    pg_get_expr[context](pg_node_tree, oid_) -> Option<text> =
        |c, text, relation| definition(c, Definition::Expression { text, relation, pretty: false });
    pg_get_expr[context](pg_node_tree, oid_, boolean) -> Option<text> =
        |c, text, relation, pretty| definition(c, Definition::Expression { text, relation, pretty });
    pg_get_indexdef[context](oid_) -> Option<text> =
        |c, index| definition(c, Definition::Index { index, column: 0, pretty: false });
    pg_get_indexdef[context](oid_, int4, boolean) -> Option<text> =
        |c, index, column, pretty| definition(c, Definition::Index { index, column, pretty });
    pg_get_constraintdef[context](oid_) -> Option<text> =
        |c, constraint| definition(c, Definition::Constraint { constraint, pretty: false });
    pg_get_constraintdef[context](oid_, boolean) -> Option<text> =
        |c, constraint, pretty| definition(c, Definition::Constraint { constraint, pretty });
    pg_get_viewdef[context](oid_) -> Option<text> = |c, view| view_definition(c, view, false, -1);
    pg_get_viewdef[context](oid_, boolean) -> Option<text> = |c, view, pretty| view_definition(c, view, pretty, 0);
    pg_get_viewdef[context](oid_, int4) -> Option<text> = |c, view, wrap| view_definition(c, view, true, wrap);
    pg_get_viewdef[context](text) -> Option<text> = |c, view| view_definition(c, reg::relation(c, view)?, false, -1);
    pg_get_viewdef[context](text, boolean) -> Option<text> =
        |c, view, pretty| view_definition(c, reg::relation(c, view)?, pretty, 0);
    row_security_active[context](text) -> boolean = row_security_active;
    pg_get_ruledef[context](oid_) -> Option<text> = |c, rule| definition(c, Definition::Rule { rule, pretty: false });
    pg_get_ruledef[context](oid_, boolean) -> Option<text> =
        |c, rule, pretty| definition(c, Definition::Rule { rule, pretty });
    pg_get_triggerdef[context](oid_) -> Option<text> =
        |c, trigger| definition(c, Definition::Trigger { trigger, pretty: false });
    pg_get_triggerdef[context](oid_, boolean) -> Option<text> =
        |c, trigger, pretty| definition(c, Definition::Trigger { trigger, pretty });
    pg_get_functiondef[context](oid_) -> Option<text> = |c, function| definition(c, Definition::Function { function });
    pg_get_function_arguments[context](oid_) -> Option<text> =
        |c, function| definition(c, Definition::FunctionArguments { function });
    pg_get_function_identity_arguments[context](oid_) -> Option<text> =
        |c, function| definition(c, Definition::FunctionIdentityArguments { function });
    pg_get_function_result[context](oid_) -> Option<text> =
        |c, function| definition(c, Definition::FunctionResult { function });
    pg_get_function_arg_default[context](oid_, int4) -> Option<text> =
        |c, function, argument| definition(c, Definition::FunctionArgumentDefault { function, argument });
    pg_get_function_sqlbody[context](oid_) -> Option<text> =
        |c, function| definition(c, Definition::FunctionBody { function });
    pg_get_partkeydef[context](oid_) -> Option<text> =
        |c, relation| definition(c, Definition::PartitionKey { relation });
    pg_get_partition_constraintdef[context](oid_) -> Option<text> =
        |c, relation| definition(c, Definition::PartitionConstraint { relation });
    pg_get_statisticsobjdef[context](oid_) -> Option<text> =
        |c, statistics| definition(c, Definition::Statistics { statistics });
    pg_describe_object[context](oid_, oid_, int4) -> Option<text> =
        |c, catalog, object, column| definition(c, Definition::Object { catalog, object, column });
};

fn definition(context: &Context, what: Definition<'_>) -> Result<Option<String>> {
    context.names.definition(what)
}

fn row_security_active(context: &Context, table: &str) -> Result<bool> {
    let table = reg::relation(context, table)?;
    Ok(context.session.answer("row_security_active", &[Datum::U32(table)])? == Datum::Bool(true))
}

fn view_definition(context: &Context, view: Oid, pretty: bool, wrap: i32) -> Result<Option<String>> {
    definition(context, Definition::View { view, pretty, wrap })
}

/// What looks at its argument's type and not at its value.
const TYPEOF: &[Function] = &[Function {
    name: "pg_typeof",
    arguments: &[oid::ANY],
    result: oid::REGTYPE,
    strict: false,
    kernel: typeof_kernel,
}];

fn typeof_kernel(call: &Call<'_>, _: &[Argument]) -> Result<ArrayRef> {
    Ok(Arc::new(UInt32Array::from_value(call.arguments[0], call.rows)))
}
