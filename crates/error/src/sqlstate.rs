//! The codes of errors, under the names of PostgreSQL 18's `errcodes.txt` without their `ERRCODE_`. A code is written here and
//! nowhere else.

// Class 00 - Successful Completion
pub const SUCCESSFUL_COMPLETION: &str = "00000";

// Class 01 - Warning
pub const WARNING: &str = "01000";
pub const WARNING_DYNAMIC_RESULT_SETS_RETURNED: &str = "0100C";
pub const WARNING_IMPLICIT_ZERO_BIT_PADDING: &str = "01008";
pub const WARNING_NULL_VALUE_ELIMINATED_IN_SET_FUNCTION: &str = "01003";
pub const WARNING_PRIVILEGE_NOT_GRANTED: &str = "01007";
pub const WARNING_PRIVILEGE_NOT_REVOKED: &str = "01006";
pub const WARNING_STRING_DATA_RIGHT_TRUNCATION: &str = "01004";
pub const WARNING_DEPRECATED_FEATURE: &str = "01P01";

// Class 02 - No Data (this is also a warning class per the SQL standard)
pub const NO_DATA: &str = "02000";
pub const NO_ADDITIONAL_DYNAMIC_RESULT_SETS_RETURNED: &str = "02001";

// Class 03 - SQL Statement Not Yet Complete
pub const SQL_STATEMENT_NOT_YET_COMPLETE: &str = "03000";

// Class 08 - Connection Exception
pub const CONNECTION_EXCEPTION: &str = "08000";
pub const CONNECTION_DOES_NOT_EXIST: &str = "08003";
pub const CONNECTION_FAILURE: &str = "08006";
pub const SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION: &str = "08001";
pub const SQLSERVER_REJECTED_ESTABLISHMENT_OF_SQLCONNECTION: &str = "08004";
pub const TRANSACTION_RESOLUTION_UNKNOWN: &str = "08007";
pub const PROTOCOL_VIOLATION: &str = "08P01";

// Class 09 - Triggered Action Exception
pub const TRIGGERED_ACTION_EXCEPTION: &str = "09000";

// Class 0A - Feature Not Supported
pub const FEATURE_NOT_SUPPORTED: &str = "0A000";

// Class 0B - Invalid Transaction Initiation
pub const INVALID_TRANSACTION_INITIATION: &str = "0B000";

// Class 0F - Locator Exception
pub const LOCATOR_EXCEPTION: &str = "0F000";
pub const L_E_INVALID_SPECIFICATION: &str = "0F001";

// Class 0L - Invalid Grantor
pub const INVALID_GRANTOR: &str = "0L000";
pub const INVALID_GRANT_OPERATION: &str = "0LP01";

// Class 0P - Invalid Role Specification
pub const INVALID_ROLE_SPECIFICATION: &str = "0P000";

// Class 0Z - Diagnostics Exception
pub const DIAGNOSTICS_EXCEPTION: &str = "0Z000";
pub const STACKED_DIAGNOSTICS_ACCESSED_WITHOUT_ACTIVE_HANDLER: &str = "0Z002";

// Class 10 - XQuery Error
pub const INVALID_ARGUMENT_FOR_XQUERY: &str = "10608";

// Class 20 - Case Not Found
pub const CASE_NOT_FOUND: &str = "20000";

// Class 21 - Cardinality Violation
pub const CARDINALITY_VIOLATION: &str = "21000";

// Class 22 - Data Exception
pub const DATA_EXCEPTION: &str = "22000";
pub const ARRAY_ELEMENT_ERROR: &str = "2202E";
pub const ARRAY_SUBSCRIPT_ERROR: &str = "2202E";
pub const CHARACTER_NOT_IN_REPERTOIRE: &str = "22021";
pub const DATETIME_FIELD_OVERFLOW: &str = "22008";
pub const DATETIME_VALUE_OUT_OF_RANGE: &str = "22008";
pub const DIVISION_BY_ZERO: &str = "22012";
pub const ERROR_IN_ASSIGNMENT: &str = "22005";
pub const ESCAPE_CHARACTER_CONFLICT: &str = "2200B";
pub const INDICATOR_OVERFLOW: &str = "22022";
pub const INTERVAL_FIELD_OVERFLOW: &str = "22015";
pub const INVALID_ARGUMENT_FOR_LOG: &str = "2201E";
pub const INVALID_ARGUMENT_FOR_NTILE: &str = "22014";
pub const INVALID_ARGUMENT_FOR_NTH_VALUE: &str = "22016";
pub const INVALID_ARGUMENT_FOR_POWER_FUNCTION: &str = "2201F";
pub const INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION: &str = "2201G";
pub const INVALID_CHARACTER_VALUE_FOR_CAST: &str = "22018";
pub const INVALID_DATETIME_FORMAT: &str = "22007";
pub const INVALID_ESCAPE_CHARACTER: &str = "22019";
pub const INVALID_ESCAPE_OCTET: &str = "2200D";
pub const INVALID_ESCAPE_SEQUENCE: &str = "22025";
pub const NONSTANDARD_USE_OF_ESCAPE_CHARACTER: &str = "22P06";
pub const INVALID_INDICATOR_PARAMETER_VALUE: &str = "22010";
pub const INVALID_PARAMETER_VALUE: &str = "22023";
pub const INVALID_PRECEDING_OR_FOLLOWING_SIZE: &str = "22013";
pub const INVALID_REGULAR_EXPRESSION: &str = "2201B";
pub const INVALID_ROW_COUNT_IN_LIMIT_CLAUSE: &str = "2201W";
pub const INVALID_ROW_COUNT_IN_RESULT_OFFSET_CLAUSE: &str = "2201X";
pub const INVALID_TABLESAMPLE_ARGUMENT: &str = "2202H";
pub const INVALID_TABLESAMPLE_REPEAT: &str = "2202G";
pub const INVALID_TIME_ZONE_DISPLACEMENT_VALUE: &str = "22009";
pub const INVALID_USE_OF_ESCAPE_CHARACTER: &str = "2200C";
pub const MOST_SPECIFIC_TYPE_MISMATCH: &str = "2200G";
pub const NULL_VALUE_NOT_ALLOWED: &str = "22004";
pub const NULL_VALUE_NO_INDICATOR_PARAMETER: &str = "22002";
pub const NUMERIC_VALUE_OUT_OF_RANGE: &str = "22003";
pub const SEQUENCE_GENERATOR_LIMIT_EXCEEDED: &str = "2200H";
pub const STRING_DATA_LENGTH_MISMATCH: &str = "22026";
pub const STRING_DATA_RIGHT_TRUNCATION: &str = "22001";
pub const SUBSTRING_ERROR: &str = "22011";
pub const TRIM_ERROR: &str = "22027";
pub const UNTERMINATED_C_STRING: &str = "22024";
pub const ZERO_LENGTH_CHARACTER_STRING: &str = "2200F";
pub const FLOATING_POINT_EXCEPTION: &str = "22P01";
pub const INVALID_TEXT_REPRESENTATION: &str = "22P02";
pub const INVALID_BINARY_REPRESENTATION: &str = "22P03";
pub const BAD_COPY_FILE_FORMAT: &str = "22P04";
pub const UNTRANSLATABLE_CHARACTER: &str = "22P05";
pub const NOT_AN_XML_DOCUMENT: &str = "2200L";
pub const INVALID_XML_DOCUMENT: &str = "2200M";
pub const INVALID_XML_CONTENT: &str = "2200N";
pub const INVALID_XML_COMMENT: &str = "2200S";
pub const INVALID_XML_PROCESSING_INSTRUCTION: &str = "2200T";
pub const DUPLICATE_JSON_OBJECT_KEY_VALUE: &str = "22030";
pub const INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION: &str = "22031";
pub const INVALID_JSON_TEXT: &str = "22032";
pub const INVALID_SQL_JSON_SUBSCRIPT: &str = "22033";
pub const MORE_THAN_ONE_SQL_JSON_ITEM: &str = "22034";
pub const NO_SQL_JSON_ITEM: &str = "22035";
pub const NON_NUMERIC_SQL_JSON_ITEM: &str = "22036";
pub const NON_UNIQUE_KEYS_IN_A_JSON_OBJECT: &str = "22037";
pub const SINGLETON_SQL_JSON_ITEM_REQUIRED: &str = "22038";
pub const SQL_JSON_ARRAY_NOT_FOUND: &str = "22039";
pub const SQL_JSON_MEMBER_NOT_FOUND: &str = "2203A";
pub const SQL_JSON_NUMBER_NOT_FOUND: &str = "2203B";
pub const SQL_JSON_OBJECT_NOT_FOUND: &str = "2203C";
pub const TOO_MANY_JSON_ARRAY_ELEMENTS: &str = "2203D";
pub const TOO_MANY_JSON_OBJECT_MEMBERS: &str = "2203E";
pub const SQL_JSON_SCALAR_REQUIRED: &str = "2203F";
pub const SQL_JSON_ITEM_CANNOT_BE_CAST_TO_TARGET_TYPE: &str = "2203G";

// Class 23 - Integrity Constraint Violation
pub const INTEGRITY_CONSTRAINT_VIOLATION: &str = "23000";
pub const RESTRICT_VIOLATION: &str = "23001";
pub const NOT_NULL_VIOLATION: &str = "23502";
pub const FOREIGN_KEY_VIOLATION: &str = "23503";
pub const UNIQUE_VIOLATION: &str = "23505";
pub const CHECK_VIOLATION: &str = "23514";
pub const EXCLUSION_VIOLATION: &str = "23P01";

// Class 24 - Invalid Cursor State
pub const INVALID_CURSOR_STATE: &str = "24000";

// Class 25 - Invalid Transaction State
pub const INVALID_TRANSACTION_STATE: &str = "25000";
pub const ACTIVE_SQL_TRANSACTION: &str = "25001";
pub const BRANCH_TRANSACTION_ALREADY_ACTIVE: &str = "25002";
pub const HELD_CURSOR_REQUIRES_SAME_ISOLATION_LEVEL: &str = "25008";
pub const INAPPROPRIATE_ACCESS_MODE_FOR_BRANCH_TRANSACTION: &str = "25003";
pub const INAPPROPRIATE_ISOLATION_LEVEL_FOR_BRANCH_TRANSACTION: &str = "25004";
pub const NO_ACTIVE_SQL_TRANSACTION_FOR_BRANCH_TRANSACTION: &str = "25005";
pub const READ_ONLY_SQL_TRANSACTION: &str = "25006";
pub const SCHEMA_AND_DATA_STATEMENT_MIXING_NOT_SUPPORTED: &str = "25007";
pub const NO_ACTIVE_SQL_TRANSACTION: &str = "25P01";
pub const IN_FAILED_SQL_TRANSACTION: &str = "25P02";
pub const IDLE_IN_TRANSACTION_SESSION_TIMEOUT: &str = "25P03";
pub const TRANSACTION_TIMEOUT: &str = "25P04";

// Class 26 - Invalid SQL Statement Name
pub const INVALID_SQL_STATEMENT_NAME: &str = "26000";

// Class 27 - Triggered Data Change Violation
pub const TRIGGERED_DATA_CHANGE_VIOLATION: &str = "27000";

// Class 28 - Invalid Authorization Specification
pub const INVALID_AUTHORIZATION_SPECIFICATION: &str = "28000";
pub const INVALID_PASSWORD: &str = "28P01";

// Class 2B - Dependent Privilege Descriptors Still Exist
pub const DEPENDENT_PRIVILEGE_DESCRIPTORS_STILL_EXIST: &str = "2B000";
pub const DEPENDENT_OBJECTS_STILL_EXIST: &str = "2BP01";

// Class 2D - Invalid Transaction Termination
pub const INVALID_TRANSACTION_TERMINATION: &str = "2D000";

// Class 2F - SQL Routine Exception
pub const SQL_ROUTINE_EXCEPTION: &str = "2F000";
pub const S_R_E_FUNCTION_EXECUTED_NO_RETURN_STATEMENT: &str = "2F005";
pub const S_R_E_MODIFYING_SQL_DATA_NOT_PERMITTED: &str = "2F002";
pub const S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED: &str = "2F003";
pub const S_R_E_READING_SQL_DATA_NOT_PERMITTED: &str = "2F004";

// Class 34 - Invalid Cursor Name
pub const INVALID_CURSOR_NAME: &str = "34000";

// Class 38 - External Routine Exception
pub const EXTERNAL_ROUTINE_EXCEPTION: &str = "38000";
pub const E_R_E_CONTAINING_SQL_NOT_PERMITTED: &str = "38001";
pub const E_R_E_MODIFYING_SQL_DATA_NOT_PERMITTED: &str = "38002";
pub const E_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED: &str = "38003";
pub const E_R_E_READING_SQL_DATA_NOT_PERMITTED: &str = "38004";

// Class 39 - External Routine Invocation Exception
pub const EXTERNAL_ROUTINE_INVOCATION_EXCEPTION: &str = "39000";
pub const E_R_I_E_INVALID_SQLSTATE_RETURNED: &str = "39001";
pub const E_R_I_E_NULL_VALUE_NOT_ALLOWED: &str = "39004";
pub const E_R_I_E_TRIGGER_PROTOCOL_VIOLATED: &str = "39P01";
pub const E_R_I_E_SRF_PROTOCOL_VIOLATED: &str = "39P02";
pub const E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED: &str = "39P03";

// Class 3B - Savepoint Exception
pub const SAVEPOINT_EXCEPTION: &str = "3B000";
pub const S_E_INVALID_SPECIFICATION: &str = "3B001";

// Class 3D - Invalid Catalog Name
pub const INVALID_CATALOG_NAME: &str = "3D000";

// Class 3F - Invalid Schema Name
pub const INVALID_SCHEMA_NAME: &str = "3F000";

// Class 40 - Transaction Rollback
pub const TRANSACTION_ROLLBACK: &str = "40000";
pub const T_R_INTEGRITY_CONSTRAINT_VIOLATION: &str = "40002";
pub const T_R_SERIALIZATION_FAILURE: &str = "40001";
pub const T_R_STATEMENT_COMPLETION_UNKNOWN: &str = "40003";
pub const T_R_DEADLOCK_DETECTED: &str = "40P01";

// Class 42 - Syntax Error or Access Rule Violation
pub const SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION: &str = "42000";
pub const SYNTAX_ERROR: &str = "42601";
pub const INSUFFICIENT_PRIVILEGE: &str = "42501";
pub const CANNOT_COERCE: &str = "42846";
pub const GROUPING_ERROR: &str = "42803";
pub const WINDOWING_ERROR: &str = "42P20";
pub const INVALID_RECURSION: &str = "42P19";
pub const INVALID_FOREIGN_KEY: &str = "42830";
pub const INVALID_NAME: &str = "42602";
pub const NAME_TOO_LONG: &str = "42622";
pub const RESERVED_NAME: &str = "42939";
pub const DATATYPE_MISMATCH: &str = "42804";
pub const INDETERMINATE_DATATYPE: &str = "42P18";
pub const COLLATION_MISMATCH: &str = "42P21";
pub const INDETERMINATE_COLLATION: &str = "42P22";
pub const WRONG_OBJECT_TYPE: &str = "42809";
pub const GENERATED_ALWAYS: &str = "428C9";
pub const UNDEFINED_COLUMN: &str = "42703";
pub const UNDEFINED_CURSOR: &str = "34000";
pub const UNDEFINED_DATABASE: &str = "3D000";
pub const UNDEFINED_FUNCTION: &str = "42883";
pub const UNDEFINED_PSTATEMENT: &str = "26000";
pub const UNDEFINED_SCHEMA: &str = "3F000";
pub const UNDEFINED_TABLE: &str = "42P01";
pub const UNDEFINED_PARAMETER: &str = "42P02";
pub const UNDEFINED_OBJECT: &str = "42704";
pub const DUPLICATE_COLUMN: &str = "42701";
pub const DUPLICATE_CURSOR: &str = "42P03";
pub const DUPLICATE_DATABASE: &str = "42P04";
pub const DUPLICATE_FUNCTION: &str = "42723";
pub const DUPLICATE_PSTATEMENT: &str = "42P05";
pub const DUPLICATE_SCHEMA: &str = "42P06";
pub const DUPLICATE_TABLE: &str = "42P07";
pub const DUPLICATE_ALIAS: &str = "42712";
pub const DUPLICATE_OBJECT: &str = "42710";
pub const AMBIGUOUS_COLUMN: &str = "42702";
pub const AMBIGUOUS_FUNCTION: &str = "42725";
pub const AMBIGUOUS_PARAMETER: &str = "42P08";
pub const AMBIGUOUS_ALIAS: &str = "42P09";
pub const INVALID_COLUMN_REFERENCE: &str = "42P10";
pub const INVALID_COLUMN_DEFINITION: &str = "42611";
pub const INVALID_CURSOR_DEFINITION: &str = "42P11";
pub const INVALID_DATABASE_DEFINITION: &str = "42P12";
pub const INVALID_FUNCTION_DEFINITION: &str = "42P13";
pub const INVALID_PSTATEMENT_DEFINITION: &str = "42P14";
pub const INVALID_SCHEMA_DEFINITION: &str = "42P15";
pub const INVALID_TABLE_DEFINITION: &str = "42P16";
pub const INVALID_OBJECT_DEFINITION: &str = "42P17";

// Class 44 - WITH CHECK OPTION Violation
pub const WITH_CHECK_OPTION_VIOLATION: &str = "44000";

// Class 53 - Insufficient Resources
pub const INSUFFICIENT_RESOURCES: &str = "53000";
pub const DISK_FULL: &str = "53100";
pub const OUT_OF_MEMORY: &str = "53200";
pub const TOO_MANY_CONNECTIONS: &str = "53300";
pub const CONFIGURATION_LIMIT_EXCEEDED: &str = "53400";

// Class 54 - Program Limit Exceeded
pub const PROGRAM_LIMIT_EXCEEDED: &str = "54000";
pub const STATEMENT_TOO_COMPLEX: &str = "54001";
pub const TOO_MANY_COLUMNS: &str = "54011";
pub const TOO_MANY_ARGUMENTS: &str = "54023";

// Class 55 - Object Not In Prerequisite State
pub const OBJECT_NOT_IN_PREREQUISITE_STATE: &str = "55000";
pub const OBJECT_IN_USE: &str = "55006";
pub const CANT_CHANGE_RUNTIME_PARAM: &str = "55P02";
pub const LOCK_NOT_AVAILABLE: &str = "55P03";
pub const UNSAFE_NEW_ENUM_VALUE_USAGE: &str = "55P04";

// Class 57 - Operator Intervention
pub const OPERATOR_INTERVENTION: &str = "57000";
pub const QUERY_CANCELED: &str = "57014";
pub const ADMIN_SHUTDOWN: &str = "57P01";
pub const CRASH_SHUTDOWN: &str = "57P02";
pub const CANNOT_CONNECT_NOW: &str = "57P03";
pub const DATABASE_DROPPED: &str = "57P04";
pub const IDLE_SESSION_TIMEOUT: &str = "57P05";

// Class 58 - System Error (errors external to PostgreSQL itself)
pub const SYSTEM_ERROR: &str = "58000";
pub const IO_ERROR: &str = "58030";
pub const UNDEFINED_FILE: &str = "58P01";
pub const DUPLICATE_FILE: &str = "58P02";

// Class 72 - Snapshot Failure
/// PostgreSQL's up to 16: here the undo log is cut that a snapshot needs (`max_undo_size`).
pub const SNAPSHOT_TOO_OLD: &str = "72000";

// Class F0 - Configuration File Error
pub const CONFIG_FILE_ERROR: &str = "F0000";
pub const LOCK_FILE_EXISTS: &str = "F0001";

// Class HV - Foreign Data Wrapper Error (SQL/MED)
pub const FDW_ERROR: &str = "HV000";
pub const FDW_COLUMN_NAME_NOT_FOUND: &str = "HV005";
pub const FDW_DYNAMIC_PARAMETER_VALUE_NEEDED: &str = "HV002";
pub const FDW_FUNCTION_SEQUENCE_ERROR: &str = "HV010";
pub const FDW_INCONSISTENT_DESCRIPTOR_INFORMATION: &str = "HV021";
pub const FDW_INVALID_ATTRIBUTE_VALUE: &str = "HV024";
pub const FDW_INVALID_COLUMN_NAME: &str = "HV007";
pub const FDW_INVALID_COLUMN_NUMBER: &str = "HV008";
pub const FDW_INVALID_DATA_TYPE: &str = "HV004";
pub const FDW_INVALID_DATA_TYPE_DESCRIPTORS: &str = "HV006";
pub const FDW_INVALID_DESCRIPTOR_FIELD_IDENTIFIER: &str = "HV091";
pub const FDW_INVALID_HANDLE: &str = "HV00B";
pub const FDW_INVALID_OPTION_INDEX: &str = "HV00C";
pub const FDW_INVALID_OPTION_NAME: &str = "HV00D";
pub const FDW_INVALID_STRING_LENGTH_OR_BUFFER_LENGTH: &str = "HV090";
pub const FDW_INVALID_STRING_FORMAT: &str = "HV00A";
pub const FDW_INVALID_USE_OF_NULL_POINTER: &str = "HV009";
pub const FDW_TOO_MANY_HANDLES: &str = "HV014";
pub const FDW_OUT_OF_MEMORY: &str = "HV001";
pub const FDW_NO_SCHEMAS: &str = "HV00P";
pub const FDW_OPTION_NAME_NOT_FOUND: &str = "HV00J";
pub const FDW_REPLY_HANDLE: &str = "HV00K";
pub const FDW_SCHEMA_NOT_FOUND: &str = "HV00Q";
pub const FDW_TABLE_NOT_FOUND: &str = "HV00R";
pub const FDW_UNABLE_TO_CREATE_EXECUTION: &str = "HV00L";
pub const FDW_UNABLE_TO_CREATE_REPLY: &str = "HV00M";
pub const FDW_UNABLE_TO_ESTABLISH_CONNECTION: &str = "HV00N";

// Class P0 - PL/pgSQL Error
pub const PLPGSQL_ERROR: &str = "P0000";
pub const RAISE_EXCEPTION: &str = "P0001";
pub const NO_DATA_FOUND: &str = "P0002";
pub const TOO_MANY_ROWS: &str = "P0003";
pub const ASSERT_FAILURE: &str = "P0004";

// Class XX - Internal Error
pub const INTERNAL_ERROR: &str = "XX000";
pub const DATA_CORRUPTED: &str = "XX001";
pub const INDEX_CORRUPTED: &str = "XX002";
