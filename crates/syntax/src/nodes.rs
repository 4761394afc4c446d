//! The nodes of raw trees, with PostgreSQL 18's names and comments. Generated from its headers by
//! `tests/generated.rs`.

use crate::read::{enumeration, node, nodes};
use crate::value::{Constant, ParseLoc};

node! {
    /// Ad-hoc node for AT_AlterConstraint
    ATAlterConstraint {
        /// Constraint name
        conname: Option<Box<str>>,
        /// changing enforceability properties?
        alter_enforceability: bool,
        /// ENFORCED?
        is_enforced: bool,
        /// changing deferrability properties?
        alter_deferrability: bool,
        /// DEFERRABLE?
        deferrable: bool,
        /// INITIALLY DEFERRED?
        initdeferred: bool,
        /// changing inheritability properties
        alter_inheritability: bool,
        noinherit: bool,
    }
}

node! {
    /// A_ArrayExpr - an ARRAY\[\] construct
    A_ArrayExpr {
        /// array element expressions
        elements: Vec<Node>,
        /// start of the element list
        list_start: ParseLoc,
        /// end of the elements list
        list_end: ParseLoc,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    A_Const {
        val: Constant,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    A_Expr {
        /// see above
        kind: A_Expr_Kind,
        /// possibly-qualified name of operator
        name: Vec<Node>,
        /// left argument, or NULL if none
        lexpr: Option<Node>,
        /// right argument, or NULL if none
        rexpr: Option<Node>,
        /// If rexpr is a list of some kind, we separately track its starting and ending location; it's not the same
        /// as the starting and ending location of the token itself.
        rexpr_list_start: ParseLoc,
        rexpr_list_end: ParseLoc,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// A_Indices - array subscript or slice bounds (\[idx\] or \[lidx:uidx\]) In slice case, either or both of lidx
    /// and uidx can be NULL (omitted). In non-slice case, uidx holds the single subscript and lidx is always NULL.
    A_Indices {
        /// true if slice (i.e., colon present)
        is_slice: bool,
        /// slice lower bound, if any
        lidx: Option<Node>,
        /// subscript, or slice upper bound if any
        uidx: Option<Node>,
    }
}

node! {
    /// A_Indirection - select a field and/or array element from an expression The indirection list can contain
    /// A_Indices nodes (representing subscripting), String nodes (representing field selection --- the string value
    /// is the name of the field to select), and A_Star nodes (representing selection of all fields of a composite
    /// type). For example, a complex selection operation like (foo).field1\[42\]\[7\].field2 would be represented
    /// with a single A_Indirection node having a 4-element indirection list. Currently, A_Star must appear only as
    /// the last list element --- the grammar is responsible for enforcing this!
    A_Indirection {
        /// the thing being selected from
        arg: Option<Node>,
        /// subscripts and/or field names and/or *
        indirection: Vec<Node>,
    }
}

node! {
    /// A_Star - '*' representing all columns of a table or compound field This can appear within ColumnRef.fields,
    /// A_Indirection.indirection, and ResTarget.indirection lists.
    A_Star {
    }
}

node! {
    /// An access privilege, with optional list of column names priv_name == NULL denotes ALL PRIVILEGES (only used
    /// with a column list) cols == NIL denotes "all columns" Note that simple "ALL PRIVILEGES" is represented as a
    /// NIL list, not an AccessPriv with both fields null.
    AccessPriv {
        /// string name of privilege
        priv_name: Option<Box<str>>,
        /// list of String
        cols: Vec<Node>,
    }
}

node! {
    /// Alias - specifies an alias for a range variable; the alias might also specify renaming of columns within the
    /// table. Note: colnames is a list of String nodes. In Alias structs associated with RTEs, there may be entries
    /// corresponding to dropped columns; these are normally empty strings (""). See parsenodes.h for info.
    Alias {
        /// aliased rel name (never qualified)
        aliasname: Option<Box<str>>,
        /// optional list of column aliases
        colnames: Vec<Node>,
    }
}

node! {
    /// Alter Collation
    AlterCollationStmt {
        collname: Vec<Node>,
    }
}

node! {
    AlterDatabaseRefreshCollStmt {
        dbname: Option<Box<str>>,
    }
}

node! {
    AlterDatabaseSetStmt {
        /// database name
        dbname: Option<Box<str>>,
        /// SET or RESET subcommand
        setstmt: Option<Box<VariableSetStmt>>,
    }
}

node! {
    /// Alter Database
    AlterDatabaseStmt {
        /// name of database to alter
        dbname: Option<Box<str>>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    /// Alter Default Privileges Statement
    AlterDefaultPrivilegesStmt {
        /// list of DefElem
        options: Vec<Node>,
        /// GRANT/REVOKE action (with objects=NIL)
        action: Option<Box<GrantStmt>>,
    }
}

node! {
    /// Alter Domain The fields are used in different ways by the different variants of this command.
    AlterDomainStmt {
        /// T = alter column default N = alter column drop not null O = alter column set not null C = add constraint
        /// X = drop constraint
        subtype: char,
        /// domain to work on
        type_name: Vec<Node>,
        /// column or constraint name to act on
        name: Option<Box<str>>,
        /// definition of default or constraint
        def: Option<Node>,
        /// RESTRICT or CASCADE for DROP cases
        behavior: DropBehavior,
        /// skip error if missing?
        missing_ok: bool,
    }
}

node! {
    /// Alter Type Statement, enum types
    AlterEnumStmt {
        /// qualified name (list of String)
        type_name: Vec<Node>,
        /// old enum value's name, if renaming
        old_val: Option<Box<str>>,
        /// new enum value's name
        new_val: Option<Box<str>>,
        /// neighboring enum value, if specified
        new_val_neighbor: Option<Box<str>>,
        /// place new enum value after neighbor?
        new_val_is_after: bool,
        /// no error if new already exists?
        skip_if_new_val_exists: bool,
    }
}

node! {
    /// Alter EVENT TRIGGER Statement
    AlterEventTrigStmt {
        /// TRIGGER's name
        trigname: Option<Box<str>>,
        /// trigger's firing configuration WRT session_replication_role
        tgenabled: char,
    }
}

node! {
    AlterExtensionContentsStmt {
        /// Extension's name
        extname: Option<Box<str>>,
        /// +1 = add object, -1 = drop object
        action: i32,
        /// Object's type
        objtype: ObjectType,
        /// Qualified name of the object
        object: Option<Node>,
    }
}

node! {
    /// Only used for ALTER EXTENSION UPDATE; later might need an action field
    AlterExtensionStmt {
        extname: Option<Box<str>>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    AlterFdwStmt {
        /// foreign-data wrapper name
        fdwname: Option<Box<str>>,
        /// HANDLER/VALIDATOR options
        func_options: Vec<Node>,
        /// generic options to FDW
        options: Vec<Node>,
    }
}

node! {
    AlterForeignServerStmt {
        /// server name
        servername: Option<Box<str>>,
        /// optional server version
        version: Option<Box<str>>,
        /// generic options to server
        options: Vec<Node>,
        /// version specified
        has_version: bool,
    }
}

node! {
    AlterFunctionStmt {
        objtype: ObjectType,
        /// name and args of function
        func: Option<Box<ObjectWithArgs>>,
        /// list of DefElem
        actions: Vec<Node>,
    }
}

node! {
    /// ALTER object DEPENDS ON EXTENSION extname
    AlterObjectDependsStmt {
        /// OBJECT_FUNCTION, OBJECT_TRIGGER, etc
        object_type: ObjectType,
        /// in case a table is involved
        relation: Option<Box<RangeVar>>,
        /// name of the object
        object: Option<Node>,
        /// set true to remove dep rather than add
        remove: bool,
    }
}

node! {
    /// ALTER object SET SCHEMA Statement
    AlterObjectSchemaStmt {
        /// OBJECT_TABLE, OBJECT_TYPE, etc
        object_type: ObjectType,
        /// in case it's a table
        relation: Option<Box<RangeVar>>,
        /// in case it's some other object
        object: Option<Node>,
        /// the new schema
        newschema: Option<Box<str>>,
        /// skip error if missing?
        missing_ok: bool,
    }
}

node! {
    /// Alter Operator Family Statement
    AlterOpFamilyStmt {
        /// qualified name (list of String)
        opfamilyname: Vec<Node>,
        /// name of index AM opfamily is for
        amname: Option<Box<str>>,
        /// ADD or DROP the items?
        is_drop: bool,
        /// List of CreateOpClassItem nodes
        items: Vec<Node>,
    }
}

node! {
    /// Alter Operator Set ( this-n-that )
    AlterOperatorStmt {
        /// operator name and argument types
        opername: Option<Box<ObjectWithArgs>>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    /// Alter Object Owner Statement
    AlterOwnerStmt {
        /// OBJECT_TABLE, OBJECT_TYPE, etc
        object_type: ObjectType,
        /// in case it's a table
        relation: Option<Box<RangeVar>>,
        /// in case it's some other object
        object: Option<Node>,
        /// the new owner
        newowner: Option<Box<RoleSpec>>,
    }
}

node! {
    /// Alter POLICY Statement
    AlterPolicyStmt {
        /// Policy's name
        policy_name: Option<Box<str>>,
        /// the table name the policy applies to
        table: Option<Box<RangeVar>>,
        /// the roles associated with the policy
        roles: Vec<Node>,
        /// the policy's condition
        qual: Option<Node>,
        /// the policy's WITH CHECK condition.
        with_check: Option<Node>,
    }
}

node! {
    AlterPublicationStmt {
        /// Name of the publication
        pubname: Option<Box<str>>,
        /// List of DefElem nodes
        options: Vec<Node>,
        /// Optional list of publication objects
        pubobjects: Vec<Node>,
        /// Special publication for all tables in db
        for_all_tables: bool,
        /// What action to perform with the given objects
        action: AlterPublicationAction,
    }
}

node! {
    AlterRoleSetStmt {
        /// role
        role: Option<Box<RoleSpec>>,
        /// database name, or NULL
        database: Option<Box<str>>,
        /// SET or RESET subcommand
        setstmt: Option<Box<VariableSetStmt>>,
    }
}

node! {
    AlterRoleStmt {
        /// role
        role: Option<Box<RoleSpec>>,
        /// List of DefElem nodes
        options: Vec<Node>,
        /// +1 = add members, -1 = drop members
        action: i32,
    }
}

node! {
    AlterSeqStmt {
        /// the sequence to alter
        sequence: Option<Box<RangeVar>>,
        options: Vec<Node>,
        for_identity: bool,
        /// skip error if a role is missing?
        missing_ok: bool,
    }
}

node! {
    /// Alter Statistics Statement
    AlterStatsStmt {
        /// qualified name (list of String)
        defnames: Vec<Node>,
        /// statistics target
        stxstattarget: Option<Node>,
        /// skip error if statistics object is missing
        missing_ok: bool,
    }
}

node! {
    AlterSubscriptionStmt {
        /// ALTER_SUBSCRIPTION_OPTIONS, etc
        kind: AlterSubscriptionType,
        /// Name of the subscription
        subname: Option<Box<str>>,
        /// Connection string to publisher
        conninfo: Option<Box<str>>,
        /// One or more publication to subscribe to
        publication: Vec<Node>,
        /// List of DefElem nodes
        options: Vec<Node>,
        /// location of conninfo's string constant; only set when conninfo is
        conninfo_location: ParseLoc,
    }
}

node! {
    /// Alter System Statement
    AlterSystemStmt {
        /// SET subcommand
        setstmt: Option<Box<VariableSetStmt>>,
    }
}

node! {
    AlterTSConfigurationStmt {
        /// ALTER_TSCONFIG_ADD_MAPPING, etc
        kind: AlterTSConfigType,
        /// qualified name (list of String)
        cfgname: Vec<Node>,
        /// list of String
        tokentype: Vec<Node>,
        /// list of list of String
        dicts: Vec<Node>,
        /// if true - remove old variant
        r#override: bool,
        /// if true - replace dictionary by another
        replace: bool,
        /// for DROP - skip error if missing?
        missing_ok: bool,
    }
}

node! {
    /// TS Dictionary stmts: DefineStmt, RenameStmt and DropStmt are default
    AlterTSDictionaryStmt {
        /// qualified name (list of String)
        dictname: Vec<Node>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    AlterTableCmd {
        /// Type of table alteration to apply
        subtype: AlterTableType,
        /// column, constraint, or trigger to act on, or tablespace, access method
        name: Option<Box<str>>,
        /// attribute number for columns referenced by number
        num: i32,
        newowner: Option<Box<RoleSpec>>,
        /// definition of new column, index, constraint, or parent table
        def: Option<Node>,
        /// RESTRICT or CASCADE for DROP cases
        behavior: DropBehavior,
        /// skip error if missing?
        missing_ok: bool,
        /// exec-time recursion
        recurse: bool,
    }
}

node! {
    AlterTableMoveAllStmt {
        orig_tablespacename: Option<Box<str>>,
        /// Object type to move
        objtype: ObjectType,
        /// List of roles to move objects of
        roles: Vec<Node>,
        new_tablespacename: Option<Box<str>>,
        nowait: bool,
    }
}

node! {
    AlterTableSpaceOptionsStmt {
        tablespacename: Option<Box<str>>,
        options: Vec<Node>,
        is_reset: bool,
    }
}

node! {
    /// Alter Table
    AlterTableStmt {
        /// table to work on
        relation: Option<Box<RangeVar>>,
        /// list of subcommands
        cmds: Vec<Node>,
        /// type of object
        objtype: ObjectType,
        /// skip error if table missing
        missing_ok: bool,
    }
}

node! {
    /// Alter Type Set ( this-n-that )
    AlterTypeStmt {
        /// type name (possibly qualified)
        type_name: Vec<Node>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    AlterUserMappingStmt {
        /// user role
        user: Option<Box<RoleSpec>>,
        /// server name
        servername: Option<Box<str>>,
        /// generic options to server
        options: Vec<Node>,
    }
}

node! {
    BoolExpr {
        boolop: BoolExprType,
        /// arguments to this expression
        args: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    BooleanTest {
        /// input expression
        arg: Option<Node>,
        /// test type
        booltesttype: BoolTestType,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    CTECycleClause {
        cycle_col_list: Vec<Node>,
        cycle_mark_column: Option<Box<str>>,
        cycle_mark_value: Option<Node>,
        cycle_mark_default: Option<Node>,
        cycle_path_column: Option<Box<str>>,
        location: ParseLoc,
        /// common type of _value and _default
        cycle_mark_type: u32,
        cycle_mark_typmod: i32,
        cycle_mark_collation: u32,
        /// \<\> operator for type
        cycle_mark_neop: u32,
    }
}

node! {
    CTESearchClause {
        search_col_list: Vec<Node>,
        search_breadth_first: bool,
        search_seq_column: Option<Box<str>>,
        location: ParseLoc,
    }
}

node! {
    /// CALL statement OUT-mode arguments are removed from the transformed funcexpr. The outargs list contains
    /// copies of the expressions for all output arguments, in the order of the procedure's declared arguments.
    /// (outargs is never evaluated, but is useful to the caller as a reference for what to assign to.) The
    /// transformed call state is not relevant in the query jumbling, only the function call is.
    CallStmt {
        /// from the parser
        funccall: Option<Box<FuncCall>>,
        /// transformed output-argument expressions
        outargs: Vec<Node>,
    }
}

node! {
    /// CaseExpr - a CASE expression We support two distinct forms of CASE expression: CASE WHEN boolexpr THEN expr
    /// \[ WHEN boolexpr THEN expr ... \] CASE testexpr WHEN compexpr THEN expr \[ WHEN compexpr THEN expr ... \]
    /// These are distinguishable by the "arg" field being NULL in the first case and the testexpr in the second
    /// case. In the raw grammar output for the second form, the condition expressions of the WHEN clauses are just
    /// the comparison values. Parse analysis converts these to valid boolean expressions of the form CaseTestExpr
    /// '=' compexpr where the CaseTestExpr node is a placeholder that emits the correct value at runtime. This
    /// structure is used so that the testexpr need be evaluated only once. Note that after parse analysis, the
    /// condition expressions always yield boolean. Note: we can test whether a CaseExpr has been through parse
    /// analysis yet by checking whether casetype is InvalidOid or not.
    CaseExpr {
        /// type of expression result
        casetype: u32,
        /// OID of collation, or InvalidOid if none
        casecollid: u32,
        /// implicit equality comparison argument
        arg: Option<Node>,
        /// the arguments (list of WHEN clauses)
        args: Vec<Node>,
        /// the default result (ELSE clause)
        defresult: Option<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// CaseWhen - one arm of a CASE expression
    CaseWhen {
        /// condition expression
        expr: Option<Node>,
        /// substitution result
        result: Option<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Checkpoint Statement
    CheckPointStmt {
    }
}

node! {
    /// Close Portal Statement
    ClosePortalStmt {
        /// name of the portal (cursor)
        portalname: Option<Box<str>>,
    }
}

node! {
    /// Cluster Statement (support pbrown's cluster index implementation)
    ClusterStmt {
        /// relation being indexed, or NULL if all
        relation: Option<Box<RangeVar>>,
        /// original index defined
        indexname: Option<Box<str>>,
        /// list of DefElem nodes
        params: Vec<Node>,
    }
}

node! {
    /// CoalesceExpr - a COALESCE expression
    CoalesceExpr {
        /// type of expression result
        coalescetype: u32,
        /// OID of collation, or InvalidOid if none
        coalescecollid: u32,
        /// the arguments
        args: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// CollateClause - a COLLATE expression
    CollateClause {
        /// input expression
        arg: Option<Node>,
        /// possibly-qualified collation name
        collname: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// ColumnDef - column definition (used in various creates) If the column has a default value, we may have the
    /// value expression in either "raw" form (an untransformed parse tree) or "cooked" form (a post-parse-analysis,
    /// executable expression tree), depending on how this ColumnDef node was created (by parsing, or by inheritance
    /// from an existing relation). We should never have both in the same node! Similarly, we may have a COLLATE
    /// specification in either raw form (represented as a CollateClause with arg==NULL) or cooked form (the
    /// collation's OID). The constraints list may contain a CONSTR_DEFAULT item in a raw parsetree produced by
    /// gram.y, but transformCreateStmt will remove the item and set raw_default instead. CONSTR_DEFAULT items
    /// should not appear in any subsequent processing.
    ColumnDef {
        /// name of column
        colname: Option<Box<str>>,
        /// type of column
        type_name: Option<Box<TypeName>>,
        /// compression method for column
        compression: Option<Box<str>>,
        /// number of times column is inherited
        inhcount: i32,
        /// column has local (non-inherited) def'n
        is_local: bool,
        /// NOT NULL constraint specified?
        is_not_null: bool,
        /// column definition came from table type
        is_from_type: bool,
        /// attstorage setting, or 0 for default
        storage: char,
        /// attstorage setting name or NULL for default
        storage_name: Option<Box<str>>,
        /// default value (untransformed parse tree)
        raw_default: Option<Node>,
        /// default value (transformed expr tree)
        cooked_default: Option<Node>,
        /// attidentity setting
        identity: char,
        /// to store identity sequence name for ALTER TABLE ... ADD COLUMN
        identity_sequence: Option<Box<RangeVar>>,
        /// attgenerated setting
        generated: char,
        /// untransformed COLLATE spec, if any
        coll_clause: Option<Box<CollateClause>>,
        /// collation OID (InvalidOid if not set)
        coll_oid: u32,
        /// other constraints on column
        constraints: Vec<Node>,
        /// per-column FDW options
        fdwoptions: Vec<Node>,
        /// parse location, or -1 if none/unknown
        location: ParseLoc,
    }
}

node! {
    /// ColumnRef - specifies a reference to a column, or possibly a whole tuple The "fields" list must be nonempty.
    /// It can contain String nodes (representing names) and A_Star nodes (representing occurrence of a '*').
    /// Currently, A_Star must appear only as the last list element --- the grammar is responsible for enforcing
    /// this! Note: any container subscripting or selection of fields from composite columns is represented by an
    /// A_Indirection node above the ColumnRef. However, for simplicity in the normal case, initial field selection
    /// from a table name is represented within ColumnRef and not by adding A_Indirection.
    ColumnRef {
        /// field names (String nodes) or A_Star
        fields: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Comment On Statement
    CommentStmt {
        /// Object's type
        objtype: ObjectType,
        /// Qualified name of the object
        object: Option<Node>,
        /// Comment to insert, or NULL to remove
        comment: Option<Box<str>>,
    }
}

node! {
    CommonTableExpr {
        /// Query name (never qualified). The string name is included in the query jumbling because RTE_CTE RTEs
        /// need it.
        ctename: Option<Box<str>>,
        /// optional list of column names
        aliascolnames: Vec<Node>,
        /// is this an optimization fence?
        ctematerialized: CTEMaterialize,
        /// the CTE's subquery
        ctequery: Option<Node>,
        search_clause: Option<Box<CTESearchClause>>,
        cycle_clause: Option<Box<CTECycleClause>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
        /// is this CTE actually recursive?
        cterecursive: bool,
        /// Number of RTEs referencing this CTE (excluding internal self-references), irrelevant for query jumbling.
        cterefcount: i32,
        /// list of output column names
        ctecolnames: Vec<Node>,
        /// OID list of output column type OIDs
        ctecoltypes: Vec<Node>,
        /// integer list of output column typmods
        ctecoltypmods: Vec<Node>,
        /// OID list of column collation OIDs
        ctecolcollations: Vec<Node>,
    }
}

node! {
    /// Create Type Statement, composite types
    CompositeTypeStmt {
        /// the composite type to be created
        typevar: Option<Box<RangeVar>>,
        /// list of ColumnDef nodes
        coldeflist: Vec<Node>,
    }
}

node! {
    Constraint {
        /// see above
        contype: ConstrType,
        /// Constraint name, or NULL if unnamed
        conname: Option<Box<str>>,
        /// DEFERRABLE?
        deferrable: bool,
        /// INITIALLY DEFERRED?
        initdeferred: bool,
        /// enforced constraint?
        is_enforced: bool,
        /// skip validation of existing rows?
        skip_validation: bool,
        /// mark the new constraint as valid?
        initially_valid: bool,
        /// is constraint non-inheritable?
        is_no_inherit: bool,
        /// CHECK or DEFAULT expression, as untransformed parse tree
        raw_expr: Option<Node>,
        /// CHECK or DEFAULT expression, as nodeToString representation
        cooked_expr: Option<Box<str>>,
        /// ALWAYS or BY DEFAULT
        generated_when: char,
        /// STORED or VIRTUAL
        generated_kind: char,
        /// null treatment for UNIQUE constraints
        nulls_not_distinct: bool,
        /// String nodes naming referenced key column(s); for UNIQUE/PK/NOT NULL
        keys: Vec<Node>,
        /// WITHOUT OVERLAPS specified
        without_overlaps: bool,
        /// String nodes naming referenced nonkey column(s); for UNIQUE/PK
        including: Vec<Node>,
        /// list of (IndexElem, operator name) pairs; for exclusion constraints
        exclusions: Vec<Node>,
        /// options from WITH clause
        options: Vec<Node>,
        /// existing index to use; otherwise NULL
        indexname: Option<Box<str>>,
        /// index tablespace; NULL for default
        indexspace: Option<Box<str>>,
        /// reset default_tablespace prior to creating the index
        reset_default_tblspc: bool,
        /// index access method; NULL for default
        access_method: Option<Box<str>>,
        /// partial index predicate
        where_clause: Option<Node>,
        /// Primary key table
        pktable: Option<Box<RangeVar>>,
        /// Attributes of foreign key
        fk_attrs: Vec<Node>,
        /// Corresponding attrs in PK table
        pk_attrs: Vec<Node>,
        /// Last attribute of FK uses PERIOD
        fk_with_period: bool,
        /// Last attribute of PK uses PERIOD
        pk_with_period: bool,
        /// FULL, PARTIAL, SIMPLE
        fk_matchtype: char,
        /// ON UPDATE action
        fk_upd_action: char,
        /// ON DELETE action
        fk_del_action: char,
        /// ON DELETE SET NULL/DEFAULT (col1, col2)
        fk_del_set_cols: Vec<Node>,
        /// pg_constraint.conpfeqop of my former self
        old_conpfeqop: Vec<Node>,
        /// pg_constraint.confrelid of my former self
        old_pktable_oid: u32,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// SET CONSTRAINTS Statement
    ConstraintsSetStmt {
        /// List of names as RangeVars
        constraints: Vec<Node>,
        deferred: bool,
    }
}

node! {
    /// Copy Statement We support "COPY relation FROM file", "COPY relation TO file", and "COPY (query) TO file". In
    /// any given CopyStmt, exactly one of "relation" and "query" must be non-NULL.
    CopyStmt {
        /// the relation to copy
        relation: Option<Box<RangeVar>>,
        /// the query (SELECT or DML statement with RETURNING) to copy, as a raw parse tree
        query: Option<Node>,
        /// List of column names (as Strings), or NIL for all columns
        attlist: Vec<Node>,
        /// TO or FROM
        is_from: bool,
        /// is 'filename' a program to popen?
        is_program: bool,
        /// filename, or NULL for STDIN/STDOUT
        filename: Option<Box<str>>,
        /// List of DefElem nodes
        options: Vec<Node>,
        /// WHERE condition (or NULL)
        where_clause: Option<Node>,
    }
}

node! {
    /// Create ACCESS METHOD Statement
    CreateAmStmt {
        /// access method name
        amname: Option<Box<str>>,
        /// handler function name
        handler_name: Vec<Node>,
        /// type of access method
        amtype: char,
    }
}

node! {
    /// CREATE CAST Statement
    CreateCastStmt {
        sourcetype: Option<Box<TypeName>>,
        targettype: Option<Box<TypeName>>,
        func: Option<Box<ObjectWithArgs>>,
        context: CoercionContext,
        inout: bool,
    }
}

node! {
    /// CREATE CONVERSION Statement
    CreateConversionStmt {
        /// Name of the conversion
        conversion_name: Vec<Node>,
        /// source encoding name
        for_encoding_name: Option<Box<str>>,
        /// destination encoding name
        to_encoding_name: Option<Box<str>>,
        /// qualified conversion function name
        func_name: Vec<Node>,
        /// is this a default conversion?
        def: bool,
    }
}

node! {
    /// Create Domain Statement
    CreateDomainStmt {
        /// qualified name (list of String)
        domainname: Vec<Node>,
        /// the base type
        type_name: Option<Box<TypeName>>,
        /// untransformed COLLATE spec, if any
        coll_clause: Option<Box<CollateClause>>,
        /// constraints (list of Constraint nodes)
        constraints: Vec<Node>,
    }
}

node! {
    /// Create Type Statement, enum types
    CreateEnumStmt {
        /// qualified name (list of String)
        type_name: Vec<Node>,
        /// enum values (list of String)
        vals: Vec<Node>,
    }
}

node! {
    /// Create EVENT TRIGGER Statement
    CreateEventTrigStmt {
        /// TRIGGER's name
        trigname: Option<Box<str>>,
        /// event's identifier
        eventname: Option<Box<str>>,
        /// list of DefElems indicating filtering
        whenclause: Vec<Node>,
        /// qual. name of function to call
        funcname: Vec<Node>,
    }
}

node! {
    /// Create/Alter Extension Statements
    CreateExtensionStmt {
        extname: Option<Box<str>>,
        /// just do nothing if it already exists?
        if_not_exists: bool,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    /// Create/Alter FOREIGN DATA WRAPPER Statements
    CreateFdwStmt {
        /// foreign-data wrapper name
        fdwname: Option<Box<str>>,
        /// HANDLER/VALIDATOR options
        func_options: Vec<Node>,
        /// generic options to FDW
        options: Vec<Node>,
    }
}

node! {
    /// Create/Alter FOREIGN SERVER Statements
    CreateForeignServerStmt {
        /// server name
        servername: Option<Box<str>>,
        /// optional server type
        servertype: Option<Box<str>>,
        /// optional server version
        version: Option<Box<str>>,
        /// FDW name
        fdwname: Option<Box<str>>,
        /// just do nothing if it already exists?
        if_not_exists: bool,
        /// generic options to server
        options: Vec<Node>,
    }
}

node! {
    /// Create FOREIGN TABLE Statement
    CreateForeignTableStmt {
        base: CreateStmt,
        servername: Option<Box<str>>,
        options: Vec<Node>,
    }
}

node! {
    /// Create Function Statement
    CreateFunctionStmt {
        /// it's really CREATE PROCEDURE
        is_procedure: bool,
        /// T =\> replace if already exists
        replace: bool,
        /// qualified name of function to create
        funcname: Vec<Node>,
        /// a list of FunctionParameter
        parameters: Vec<Node>,
        /// the return type
        return_type: Option<Box<TypeName>>,
        /// a list of DefElem
        options: Vec<Node>,
        sql_body: Option<Node>,
    }
}

node! {
    CreateOpClassItem {
        /// see codes above
        itemtype: i32,
        /// operator or function name and args
        name: Option<Box<ObjectWithArgs>>,
        /// strategy num or support proc num
        number: i32,
        /// only used for ordering operators
        order_family: Vec<Node>,
        /// amproclefttype/amprocrighttype or amoplefttype/amoprighttype
        class_args: Vec<Node>,
        /// datatype stored in index
        storedtype: Option<Box<TypeName>>,
    }
}

node! {
    /// Create Operator Class Statement
    CreateOpClassStmt {
        /// qualified name (list of String)
        opclassname: Vec<Node>,
        /// qualified name (ditto); NIL if omitted
        opfamilyname: Vec<Node>,
        /// name of index AM opclass is for
        amname: Option<Box<str>>,
        /// datatype of indexed column
        datatype: Option<Box<TypeName>>,
        /// List of CreateOpClassItem nodes
        items: Vec<Node>,
        /// Should be marked as default for type?
        is_default: bool,
    }
}

node! {
    /// Create Operator Family Statement
    CreateOpFamilyStmt {
        /// qualified name (list of String)
        opfamilyname: Vec<Node>,
        /// name of index AM opfamily is for
        amname: Option<Box<str>>,
    }
}

node! {
    /// Create LANGUAGE Statements
    CreatePLangStmt {
        /// T =\> replace if already exists
        replace: bool,
        /// PL name
        plname: Option<Box<str>>,
        /// PL call handler function (qual. name)
        plhandler: Vec<Node>,
        /// optional inline function (qual. name)
        plinline: Vec<Node>,
        /// optional validator function (qual. name)
        plvalidator: Vec<Node>,
        /// PL is trusted
        pltrusted: bool,
    }
}

node! {
    /// Create POLICY Statement
    CreatePolicyStmt {
        /// Policy's name
        policy_name: Option<Box<str>>,
        /// the table name the policy applies to
        table: Option<Box<RangeVar>>,
        /// the command name the policy applies to
        cmd_name: Option<Box<str>>,
        /// restrictive or permissive policy
        permissive: bool,
        /// the roles associated with the policy
        roles: Vec<Node>,
        /// the policy's condition
        qual: Option<Node>,
        /// the policy's WITH CHECK condition.
        with_check: Option<Node>,
    }
}

node! {
    CreatePublicationStmt {
        /// Name of the publication
        pubname: Option<Box<str>>,
        /// List of DefElem nodes
        options: Vec<Node>,
        /// Optional list of publication objects
        pubobjects: Vec<Node>,
        /// Special publication for all tables in db
        for_all_tables: bool,
    }
}

node! {
    /// Create Type Statement, range types
    CreateRangeStmt {
        /// qualified name (list of String)
        type_name: Vec<Node>,
        /// range parameters (list of DefElem)
        params: Vec<Node>,
    }
}

node! {
    CreateRoleStmt {
        /// ROLE/USER/GROUP
        stmt_type: RoleStmtType,
        /// role name
        role: Option<Box<str>>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    /// Create Schema Statement NOTE: the schemaElts list contains raw parsetrees for component statements of the
    /// schema, such as CREATE TABLE, GRANT, etc. These are analyzed and executed after the schema itself is
    /// created.
    CreateSchemaStmt {
        /// the name of the schema to create
        schemaname: Option<Box<str>>,
        /// the owner of the created schema
        authrole: Option<Box<RoleSpec>>,
        /// schema components (list of parsenodes)
        schema_elts: Vec<Node>,
        /// just do nothing if schema already exists?
        if_not_exists: bool,
    }
}

node! {
    /// {Create|Alter} SEQUENCE Statement
    CreateSeqStmt {
        /// the sequence to create
        sequence: Option<Box<RangeVar>>,
        options: Vec<Node>,
        /// ID of owner, or InvalidOid for default
        owner_id: u32,
        for_identity: bool,
        /// just do nothing if it already exists?
        if_not_exists: bool,
    }
}

node! {
    /// Create Statistics Statement
    CreateStatsStmt {
        /// qualified name (list of String)
        defnames: Vec<Node>,
        /// stat types (list of String)
        stat_types: Vec<Node>,
        /// expressions to build statistics on
        exprs: Vec<Node>,
        /// rels to build stats on (list of RangeVar)
        relations: Vec<Node>,
        /// comment to apply to stats, or NULL
        stxcomment: Option<Box<str>>,
        /// true when transformStatsStmt is finished
        transformed: bool,
        /// do nothing if stats name already exists
        if_not_exists: bool,
        /// OID of owner, or InvalidOid for default
        owner: u32,
    }
}

node! {
    /// Create Table Statement NOTE: in the raw gram.y output, ColumnDef and Constraint nodes are intermixed in
    /// tableElts, and constraints and nnconstraints are NIL. After parse analysis, tableElts contains just
    /// ColumnDefs, nnconstraints contains Constraint nodes of CONSTR_NOTNULL type from various sources, and
    /// constraints contains just CONSTR_CHECK Constraint nodes.
    CreateStmt {
        /// relation to create
        relation: Option<Box<RangeVar>>,
        /// column definitions (list of ColumnDef)
        table_elts: Vec<Node>,
        /// relations to inherit from (list of RangeVar)
        inh_relations: Vec<Node>,
        /// FOR VALUES clause
        partbound: Option<Box<PartitionBoundSpec>>,
        /// PARTITION BY clause
        partspec: Option<Box<PartitionSpec>>,
        /// OF typename
        of_typename: Option<Box<TypeName>>,
        /// constraints (list of Constraint nodes)
        constraints: Vec<Node>,
        /// NOT NULL constraints (ditto)
        nnconstraints: Vec<Node>,
        /// options from WITH clause
        options: Vec<Node>,
        /// what do we do at COMMIT?
        oncommit: OnCommitAction,
        /// table space to use, or NULL
        tablespacename: Option<Box<str>>,
        /// table access method
        access_method: Option<Box<str>>,
        /// just do nothing if it already exists?
        if_not_exists: bool,
    }
}

node! {
    CreateSubscriptionStmt {
        /// Name of the subscription
        subname: Option<Box<str>>,
        /// Connection string to publisher
        conninfo: Option<Box<str>>,
        /// One or more publication to subscribe to
        publication: Vec<Node>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    /// CREATE TABLE AS Statement (a/k/a SELECT INTO) A query written as CREATE TABLE AS will produce this node type
    /// natively. A query written as SELECT ... INTO will be transformed to this form during parse analysis. A query
    /// written as CREATE MATERIALIZED view will produce this node type, during parse analysis, since it needs all
    /// the same data. The "query" field is handled similarly to EXPLAIN, though note that it can be a SELECT or an
    /// EXECUTE, but not other DML statements.
    CreateTableAsStmt {
        /// the query (see comments above)
        query: Option<Node>,
        /// destination table
        into: Option<Box<IntoClause>>,
        /// OBJECT_TABLE or OBJECT_MATVIEW
        objtype: ObjectType,
        /// it was written as SELECT INTO
        is_select_into: bool,
        /// just do nothing if it already exists?
        if_not_exists: bool,
    }
}

node! {
    /// Create/Drop Table Space Statements
    CreateTableSpaceStmt {
        tablespacename: Option<Box<str>>,
        owner: Option<Box<RoleSpec>>,
        location: Option<Box<str>>,
        options: Vec<Node>,
    }
}

node! {
    /// CREATE TRANSFORM Statement
    CreateTransformStmt {
        replace: bool,
        type_name: Option<Box<TypeName>>,
        lang: Option<Box<str>>,
        fromsql: Option<Box<ObjectWithArgs>>,
        tosql: Option<Box<ObjectWithArgs>>,
    }
}

node! {
    /// Create TRIGGER Statement
    CreateTrigStmt {
        /// replace trigger if already exists
        replace: bool,
        /// This is a constraint trigger
        isconstraint: bool,
        /// TRIGGER's name
        trigname: Option<Box<str>>,
        /// relation trigger is on
        relation: Option<Box<RangeVar>>,
        /// qual. name of function to call
        funcname: Vec<Node>,
        /// list of String or NIL
        args: Vec<Node>,
        /// ROW/STATEMENT
        row: bool,
        /// BEFORE, AFTER, or INSTEAD
        timing: i32,
        /// "OR" of INSERT/UPDATE/DELETE/TRUNCATE
        events: i32,
        /// column names, or NIL for all columns
        columns: Vec<Node>,
        /// qual expression, or NULL if none
        when_clause: Option<Node>,
        /// TriggerTransition nodes, or NIL if none
        transition_rels: Vec<Node>,
        /// \[NOT\] DEFERRABLE
        deferrable: bool,
        /// INITIALLY {DEFERRED|IMMEDIATE}
        initdeferred: bool,
        /// opposite relation, if RI trigger
        constrrel: Option<Box<RangeVar>>,
    }
}

node! {
    /// Create/Drop USER MAPPING Statements
    CreateUserMappingStmt {
        /// user role
        user: Option<Box<RoleSpec>>,
        /// server name
        servername: Option<Box<str>>,
        /// just do nothing if it already exists?
        if_not_exists: bool,
        /// generic options to server
        options: Vec<Node>,
    }
}

node! {
    /// Createdb Statement
    CreatedbStmt {
        /// name of database to create
        dbname: Option<Box<str>>,
        /// List of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    /// Node representing \[WHERE\] CURRENT OF cursor_name CURRENT OF is a bit like a Var, in that it carries the
    /// rangetable index of the target relation being constrained; this aids placing the expression correctly during
    /// planning. We can assume however that its "levelsup" is always zero, due to the syntactic constraints on
    /// where it can appear. Also, cvarno will always be a true RT index, never INNER_VAR etc. The referenced cursor
    /// can be represented either as a hardwired string or as a reference to a run-time parameter of type REFCURSOR.
    /// The latter case is for the convenience of plpgsql.
    CurrentOfExpr {
        /// RT index of target relation
        cvarno: u32,
        /// name of referenced cursor, or NULL
        cursor_name: Option<Box<str>>,
        /// refcursor parameter number, or 0
        cursor_param: i32,
    }
}

node! {
    /// DEALLOCATE Statement
    DeallocateStmt {
        /// The name of the plan to remove, NULL if DEALLOCATE ALL
        name: Option<Box<str>>,
        /// True if DEALLOCATE ALL. This is redundant with "name == NULL", but we make it a separate field so that
        /// exactly this condition (and not the precise name) will be accounted for in query jumbling.
        isall: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// parallel mode OK
    DeclareCursorStmt {
        /// name of the portal (cursor)
        portalname: Option<Box<str>>,
        /// bitmask of options (see above)
        options: i32,
        /// the query (see comments above)
        query: Option<Node>,
    }
}

node! {
    DefElem {
        /// NULL if unqualified name
        defnamespace: Option<Box<str>>,
        defname: Option<Box<str>>,
        /// typically Integer, Float, String, or TypeName
        arg: Option<Node>,
        /// unspecified action, or SET/ADD/DROP
        defaction: DefElemAction,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Create {Aggregate|Operator|Type} Statement
    DefineStmt {
        /// aggregate, operator, type
        kind: ObjectType,
        /// hack to signal old CREATE AGG syntax
        oldstyle: bool,
        /// qualified name (list of String)
        defnames: Vec<Node>,
        /// a list of TypeName (if needed)
        args: Vec<Node>,
        /// a list of DefElem
        definition: Vec<Node>,
        /// just do nothing if it already exists?
        if_not_exists: bool,
        /// replace if already exists?
        replace: bool,
    }
}

node! {
    /// Delete Statement
    DeleteStmt {
        /// relation to delete from
        relation: Option<Box<RangeVar>>,
        /// optional using clause for more tables
        using_clause: Vec<Node>,
        /// qualifications
        where_clause: Option<Node>,
        /// RETURNING clause
        returning_clause: Option<Box<ReturningClause>>,
        /// WITH clause
        with_clause: Option<Box<WithClause>>,
    }
}

node! {
    DiscardStmt {
        target: DiscardMode,
    }
}

node! {
    /// DO Statement DoStmt is the raw parser output, InlineCodeBlock is the execution-time API
    DoStmt {
        /// List of DefElem nodes
        args: Vec<Node>,
    }
}

node! {
    /// DROP OWNED statement
    DropOwnedStmt {
        roles: Vec<Node>,
        behavior: DropBehavior,
    }
}

node! {
    DropRoleStmt {
        /// List of roles to remove
        roles: Vec<Node>,
        /// skip error if a role is missing?
        missing_ok: bool,
    }
}

node! {
    /// Drop Table|Sequence|View|Index|Type|Domain|Conversion|Schema Statement
    DropStmt {
        /// list of names
        objects: Vec<Node>,
        /// object type
        remove_type: ObjectType,
        /// RESTRICT or CASCADE behavior
        behavior: DropBehavior,
        /// skip error if object is missing?
        missing_ok: bool,
        /// drop index concurrently?
        concurrent: bool,
    }
}

node! {
    DropSubscriptionStmt {
        /// Name of the subscription
        subname: Option<Box<str>>,
        /// Skip error if missing?
        missing_ok: bool,
        /// RESTRICT or CASCADE behavior
        behavior: DropBehavior,
    }
}

node! {
    DropTableSpaceStmt {
        tablespacename: Option<Box<str>>,
        /// skip error if missing?
        missing_ok: bool,
    }
}

node! {
    DropUserMappingStmt {
        /// user role
        user: Option<Box<RoleSpec>>,
        /// server name
        servername: Option<Box<str>>,
        /// ignore missing mappings
        missing_ok: bool,
    }
}

node! {
    /// Dropdb Statement
    DropdbStmt {
        /// database to drop
        dbname: Option<Box<str>>,
        /// skip error if db is missing?
        missing_ok: bool,
        /// currently only FORCE is supported
        options: Vec<Node>,
    }
}

node! {
    /// EXECUTE Statement
    ExecuteStmt {
        /// The name of the plan to execute
        name: Option<Box<str>>,
        /// Values to assign to parameters
        params: Vec<Node>,
    }
}

node! {
    /// Explain Statement The "query" field is initially a raw parse tree, and is converted to a Query node during
    /// parse analysis. Note that rewriting and planning of the query are always postponed until execution.
    ExplainStmt {
        /// the query (see comments above)
        query: Option<Node>,
        /// list of DefElem nodes
        options: Vec<Node>,
    }
}

node! {
    FetchStmt {
        /// see above
        direction: FetchDirection,
        /// number of rows, or position argument
        how_many: i64,
        /// name of portal (cursor)
        portalname: Option<Box<str>>,
        /// true if MOVE
        ismove: bool,
    }
}

node! {
    /// FuncCall - a function or aggregate invocation agg_order (if not NIL) indicates we saw 'foo(... ORDER BY
    /// ...)', or if agg_within_group is true, it was 'foo(...) WITHIN GROUP (ORDER BY ...)'. agg_star indicates we
    /// saw a 'foo(*)' construct, while agg_distinct indicates we saw 'foo(DISTINCT ...)'. In any of these cases,
    /// the construct *must* be an aggregate call. Otherwise, it might be either an aggregate or some other kind of
    /// function. However, if FILTER or OVER is present it had better be an aggregate or window function. Normally,
    /// you'd initialize this via makeFuncCall() and then only change the parts of the struct its defaults don't
    /// match afterwards, as needed.
    FuncCall {
        /// qualified name of function
        funcname: Vec<Node>,
        /// the arguments (list of exprs)
        args: Vec<Node>,
        /// ORDER BY (list of SortBy)
        agg_order: Vec<Node>,
        /// FILTER clause, if any
        agg_filter: Option<Node>,
        /// OVER clause, if any
        over: Option<Box<WindowDef>>,
        /// ORDER BY appeared in WITHIN GROUP
        agg_within_group: bool,
        /// argument was really '*'
        agg_star: bool,
        /// arguments were labeled DISTINCT
        agg_distinct: bool,
        /// last argument was labeled VARIADIC
        func_variadic: bool,
        /// how to display this node
        funcformat: CoercionForm,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    FunctionParameter {
        /// parameter name, or NULL if not given
        name: Option<Box<str>>,
        /// TypeName for parameter type
        arg_type: Option<Box<TypeName>>,
        /// IN/OUT/etc
        mode: FunctionParameterMode,
        /// raw default expr, or NULL if not given
        defexpr: Option<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Grant/Revoke Role Statement Note: because of the parsing ambiguity with the GRANT \<privileges\> statement,
    /// granted_roles is a list of AccessPriv; the execution code should complain if any column lists appear.
    /// grantee_roles is a list of role names, as String values.
    GrantRoleStmt {
        /// list of roles to be granted/revoked
        granted_roles: Vec<Node>,
        /// list of member roles to add/delete
        grantee_roles: Vec<Node>,
        /// true = GRANT, false = REVOKE
        is_grant: bool,
        /// options e.g. WITH GRANT OPTION
        opt: Vec<Node>,
        /// set grantor to other than current role
        grantor: Option<Box<RoleSpec>>,
        /// drop behavior (for REVOKE)
        behavior: DropBehavior,
    }
}

node! {
    GrantStmt {
        /// true = GRANT, false = REVOKE
        is_grant: bool,
        /// type of the grant target
        targtype: GrantTargetType,
        /// kind of object being operated on
        objtype: ObjectType,
        /// list of RangeVar nodes, ObjectWithArgs nodes, or plain names (as String values)
        objects: Vec<Node>,
        /// list of AccessPriv nodes
        privileges: Vec<Node>,
        /// list of RoleSpec nodes
        grantees: Vec<Node>,
        /// grant or revoke grant option
        grant_option: bool,
        grantor: Option<Box<RoleSpec>>,
        /// drop behavior (for REVOKE)
        behavior: DropBehavior,
    }
}

node! {
    /// GroupingFunc A GroupingFunc is a GROUPING(...) expression, which behaves in many ways like an aggregate
    /// function (e.g. it "belongs" to a specific query level, which might not be the one immediately containing
    /// it), but also differs in an important respect: it never evaluates its arguments, they merely designate
    /// expressions from the GROUP BY clause of the query level to which it belongs. The spec defines the evaluation
    /// of GROUPING() purely by syntactic replacement, but we make it a real expression for optimization purposes so
    /// that one Agg node can handle multiple grouping sets at once. Evaluating the result only needs the column
    /// positions to check against the grouping set being projected. However, for EXPLAIN to produce meaningful
    /// output, we have to keep the original expressions around, since expression deparse does not give us any
    /// feasible way to get at the GROUP BY clause. Also, we treat two GroupingFunc nodes as equal if they have
    /// equal arguments lists and agglevelsup, without comparing the refs and cols annotations. In raw parse output
    /// we have only the args list; parse analysis fills in the refs list, and the planner fills in the cols list.
    /// All the fields used as information for an internal state are irrelevant for the query jumbling.
    GroupingFunc {
        /// arguments, not evaluated but kept for benefit of EXPLAIN etc.
        args: Vec<Node>,
        /// ressortgrouprefs of arguments
        refs: Vec<Node>,
        /// actual column positions set by planner
        cols: Vec<Node>,
        /// same as Aggref.agglevelsup
        agglevelsup: u32,
        /// token location
        location: ParseLoc,
    }
}

node! {
    GroupingSet {
        kind: GroupingSetKind,
        content: Vec<Node>,
        location: ParseLoc,
    }
}

node! {
    ImportForeignSchemaStmt {
        /// FDW server name
        server_name: Option<Box<str>>,
        /// remote schema name to query
        remote_schema: Option<Box<str>>,
        /// local schema to create objects in
        local_schema: Option<Box<str>>,
        /// type of table list
        list_type: ImportForeignSchemaType,
        /// List of RangeVar
        table_list: Vec<Node>,
        /// list of options to pass to FDW
        options: Vec<Node>,
    }
}

node! {
    /// IndexElem - index parameters (used in CREATE INDEX, and in ON CONFLICT) For a plain index attribute, 'name'
    /// is the name of the table column to index, and 'expr' is NULL. For an index expression, 'name' is NULL and
    /// 'expr' is the expression tree.
    IndexElem {
        /// name of attribute to index, or NULL
        name: Option<Box<str>>,
        /// expression to index, or NULL
        expr: Option<Node>,
        /// name for index column; NULL = default
        indexcolname: Option<Box<str>>,
        /// name of collation; NIL = default
        collation: Vec<Node>,
        /// name of desired opclass; NIL = default
        opclass: Vec<Node>,
        /// opclass-specific options, or NIL
        opclassopts: Vec<Node>,
        /// ASC/DESC/default
        ordering: SortByDir,
        /// FIRST/LAST/default
        nulls_ordering: SortByNulls,
    }
}

node! {
    /// Create Index Statement This represents creation of an index and/or an associated constraint. If isconstraint
    /// is true, we should create a pg_constraint entry along with the index. But if indexOid isn't InvalidOid, we
    /// are not creating an index, just a UNIQUE/PKEY constraint using an existing index. isconstraint must always
    /// be true in this case, and the fields describing the index properties are empty.
    IndexStmt {
        /// name of new index, or NULL for default
        idxname: Option<Box<str>>,
        /// relation to build index on
        relation: Option<Box<RangeVar>>,
        /// name of access method (eg. btree)
        access_method: Option<Box<str>>,
        /// tablespace, or NULL for default
        table_space: Option<Box<str>>,
        /// columns to index: a list of IndexElem
        index_params: Vec<Node>,
        /// additional columns to index: a list of IndexElem
        index_including_params: Vec<Node>,
        /// WITH clause options: a list of DefElem
        options: Vec<Node>,
        /// qualification (partial-index predicate)
        where_clause: Option<Node>,
        /// exclusion operator names, or NIL if none
        exclude_op_names: Vec<Node>,
        /// comment to apply to index, or NULL
        idxcomment: Option<Box<str>>,
        /// OID of an existing index, if any
        index_oid: u32,
        /// relfilenumber of existing storage, if any
        old_number: u32,
        /// rd_createSubid of oldNumber
        old_create_subid: u32,
        /// rd_firstRelfilelocatorSubid of oldNumber
        old_first_relfilelocator_subid: u32,
        /// is index unique?
        unique: bool,
        /// null treatment for UNIQUE constraints
        nulls_not_distinct: bool,
        /// is index a primary key?
        primary: bool,
        /// is it for a pkey/unique constraint?
        isconstraint: bool,
        /// is the constraint WITHOUT OVERLAPS?
        iswithoutoverlaps: bool,
        /// is the constraint DEFERRABLE?
        deferrable: bool,
        /// is the constraint INITIALLY DEFERRED?
        initdeferred: bool,
        /// true when transformIndexStmt is finished
        transformed: bool,
        /// should this be a concurrent index build?
        concurrent: bool,
        /// just do nothing if index already exists?
        if_not_exists: bool,
        /// reset default_tablespace prior to executing
        reset_default_tblspc: bool,
    }
}

node! {
    /// InferClause - ON CONFLICT unique index inference clause Note: InferClause does not propagate into the Query
    /// representation.
    InferClause {
        /// IndexElems to infer unique index
        index_elems: Vec<Node>,
        /// qualification (partial-index predicate)
        where_clause: Option<Node>,
        /// Constraint name, or NULL if unnamed
        conname: Option<Box<str>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Insert Statement The source expression is represented by SelectStmt for both the SELECT and VALUES cases. If
    /// selectStmt is NULL, then the query is INSERT ... DEFAULT VALUES.
    InsertStmt {
        /// relation to insert into
        relation: Option<Box<RangeVar>>,
        /// optional: names of the target columns
        cols: Vec<Node>,
        /// the source SELECT/VALUES, or NULL
        select_stmt: Option<Node>,
        /// ON CONFLICT clause
        on_conflict_clause: Option<Box<OnConflictClause>>,
        /// RETURNING clause
        returning_clause: Option<Box<ReturningClause>>,
        /// WITH clause
        with_clause: Option<Box<WithClause>>,
        /// OVERRIDING clause
        r#override: OverridingKind,
    }
}

node! {
    /// IntoClause - target information for SELECT INTO, CREATE TABLE AS, and CREATE MATERIALIZED VIEW For CREATE
    /// MATERIALIZED VIEW, viewQuery is the parsed-but-not-rewritten SELECT Query for the view; otherwise it's NULL.
    /// This is irrelevant in the query jumbling as CreateTableAsStmt already includes a reference to its own Query,
    /// so ignore it. (We declare it as struct Query* to avoid a forward reference.)
    IntoClause {
        /// target relation name
        rel: Option<Box<RangeVar>>,
        /// column names to assign, or NIL
        col_names: Vec<Node>,
        /// table access method
        access_method: Option<Box<str>>,
        /// options from WITH clause
        options: Vec<Node>,
        /// what do we do at COMMIT?
        on_commit: OnCommitAction,
        /// table space to use, or NULL
        table_space_name: Option<Box<str>>,
        /// true for WITH NO DATA
        skip_data: bool,
    }
}

node! {
    /// JoinExpr - for SQL JOIN expressions isNatural, usingClause, and quals are interdependent. The user can write
    /// only one of NATURAL, USING(), or ON() (this is enforced by the grammar). If he writes NATURAL then parse
    /// analysis generates the equivalent USING() list, and from that fills in "quals" with the right equality
    /// comparisons. If he writes USING() then "quals" is filled with equality comparisons. If he writes ON() then
    /// only "quals" is set. Note that NATURAL/USING are not equivalent to ON() since they also affect the output
    /// column list. alias is an Alias node representing the AS alias-clause attached to the join expression, or
    /// NULL if no clause. NB: presence or absence of the alias has a critical impact on semantics, because a join
    /// with an alias restricts visibility of the tables/columns inside it. join_using_alias is an Alias node
    /// representing the join correlation name that SQL:2016 and later allow to be attached to JOIN/USING. Its
    /// column alias list includes only the common column names from USING, and it does not restrict visibility of
    /// the join's input tables. During parse analysis, an RTE is created for the Join, and its index is filled into
    /// rtindex. This RTE is present mainly so that Vars can be created that refer to the outputs of the join. The
    /// planner sometimes generates JoinExprs internally; these can have rtindex = 0 if there are no join alias
    /// variables referencing such joins.
    JoinExpr {
        /// type of join
        jointype: JoinType,
        /// Natural join? Will need to shape table
        is_natural: bool,
        /// left subtree
        larg: Option<Node>,
        /// right subtree
        rarg: Option<Node>,
        /// USING clause, if any (list of String)
        using_clause: Vec<Node>,
        /// alias attached to USING clause, if any
        join_using_alias: Option<Box<Alias>>,
        /// qualifiers on join, if any
        quals: Option<Node>,
        /// user-written alias clause, if any
        alias: Option<Box<Alias>>,
        /// RT index assigned for join, or 0
        rtindex: i32,
    }
}

node! {
    /// JsonAggConstructor - common fields of untransformed representation of JSON_ARRAYAGG() and JSON_OBJECTAGG()
    JsonAggConstructor {
        /// RETURNING clause, if any
        output: Option<Box<JsonOutput>>,
        /// FILTER clause, if any
        agg_filter: Option<Node>,
        /// ORDER BY clause, if any
        agg_order: Vec<Node>,
        /// OVER clause, if any
        over: Option<Box<WindowDef>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonArgument - representation of argument from JSON PASSING clause
    JsonArgument {
        /// argument value expression
        val: Option<Box<JsonValueExpr>>,
        /// argument name
        name: Option<Box<str>>,
    }
}

node! {
    /// JsonArrayAgg - untransformed representation of JSON_ARRAYAGG()
    JsonArrayAgg {
        /// common fields
        constructor: Option<Box<JsonAggConstructor>>,
        /// array element expression
        arg: Option<Box<JsonValueExpr>>,
        /// skip NULL elements?
        absent_on_null: bool,
    }
}

node! {
    /// JsonArrayConstructor - untransformed representation of JSON_ARRAY(element,...) constructor
    JsonArrayConstructor {
        /// list of JsonValueExpr elements
        exprs: Vec<Node>,
        /// RETURNING clause, if specified
        output: Option<Box<JsonOutput>>,
        /// skip NULL elements?
        absent_on_null: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonArrayQueryConstructor - untransformed representation of JSON_ARRAY(subquery) constructor
    JsonArrayQueryConstructor {
        /// subquery
        query: Option<Node>,
        /// RETURNING clause, if specified
        output: Option<Box<JsonOutput>>,
        /// FORMAT clause for subquery, if specified
        format: Option<Box<JsonFormat>>,
        /// skip NULL elements?
        absent_on_null: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonBehavior Specifications for ON ERROR / ON EMPTY behaviors of SQL/JSON query functions specified by a
    /// JsonExpr 'expr' is the expression to emit when a given behavior (EMPTY or ERROR) occurs on evaluating the
    /// SQL/JSON query function. 'coerce' is set to true if 'expr' isn't already of the expected target type given
    /// by JsonExpr.returning.
    JsonBehavior {
        btype: JsonBehaviorType,
        expr: Option<Node>,
        coerce: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonFormat - representation of JSON FORMAT clause
    JsonFormat {
        /// format type
        format_type: JsonFormatType,
        /// JSON encoding
        encoding: JsonEncoding,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonFuncExpr - untransformed representation of function expressions for SQL/JSON query functions
    JsonFuncExpr {
        /// expression type
        op: JsonExprOp,
        /// JSON_TABLE() column name or NULL if this is not for a JSON_TABLE()
        column_name: Option<Box<str>>,
        /// context item expression
        context_item: Option<Box<JsonValueExpr>>,
        /// JSON path specification expression
        pathspec: Option<Node>,
        /// list of PASSING clause arguments, if any
        passing: Vec<Node>,
        /// output clause, if specified
        output: Option<Box<JsonOutput>>,
        /// ON EMPTY behavior
        on_empty: Option<Box<JsonBehavior>>,
        /// ON ERROR behavior
        on_error: Option<Box<JsonBehavior>>,
        /// array wrapper behavior (JSON_QUERY only)
        wrapper: JsonWrapper,
        /// omit or keep quotes? (JSON_QUERY only)
        quotes: JsonQuotes,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonIsPredicate - representation of IS JSON predicate
    JsonIsPredicate {
        /// subject expression
        expr: Option<Node>,
        /// FORMAT clause, if specified
        format: Option<Box<JsonFormat>>,
        /// JSON item type
        item_type: JsonValueType,
        /// check key uniqueness?
        unique_keys: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonKeyValue - untransformed representation of JSON object key-value pair for JSON_OBJECT() and
    /// JSON_OBJECTAGG()
    JsonKeyValue {
        /// key expression
        key: Option<Node>,
        /// JSON value expression
        value: Option<Box<JsonValueExpr>>,
    }
}

node! {
    /// JsonObjectAgg - untransformed representation of JSON_OBJECTAGG()
    JsonObjectAgg {
        /// common fields
        constructor: Option<Box<JsonAggConstructor>>,
        /// object key-value pair
        arg: Option<Box<JsonKeyValue>>,
        /// skip NULL values?
        absent_on_null: bool,
        /// check key uniqueness?
        unique: bool,
    }
}

node! {
    /// JsonObjectConstructor - untransformed representation of JSON_OBJECT() constructor
    JsonObjectConstructor {
        /// list of JsonKeyValue pairs
        exprs: Vec<Node>,
        /// RETURNING clause, if specified
        output: Option<Box<JsonOutput>>,
        /// skip NULL values?
        absent_on_null: bool,
        /// check key uniqueness?
        unique: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonOutput - representation of JSON output clause (RETURNING type \[FORMAT format\])
    JsonOutput {
        /// RETURNING type name, if specified
        type_name: Option<Box<TypeName>>,
        /// RETURNING FORMAT clause and type Oids
        returning: Option<Box<JsonReturning>>,
    }
}

node! {
    /// JsonParseExpr - untransformed representation of JSON()
    JsonParseExpr {
        /// string expression
        expr: Option<Box<JsonValueExpr>>,
        /// RETURNING clause, if specified
        output: Option<Box<JsonOutput>>,
        /// WITH UNIQUE KEYS?
        unique_keys: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonReturning - transformed representation of JSON RETURNING clause
    JsonReturning {
        /// output JSON format
        format: Option<Box<JsonFormat>>,
        /// target type Oid
        typid: u32,
        /// target type modifier
        typmod: i32,
    }
}

node! {
    /// JsonScalarExpr - untransformed representation of JSON_SCALAR()
    JsonScalarExpr {
        /// scalar expression
        expr: Option<Node>,
        /// RETURNING clause, if specified
        output: Option<Box<JsonOutput>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonSerializeExpr - untransformed representation of JSON_SERIALIZE() function
    JsonSerializeExpr {
        /// json value expression
        expr: Option<Box<JsonValueExpr>>,
        /// RETURNING clause, if specified
        output: Option<Box<JsonOutput>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonTable - untransformed representation of JSON_TABLE
    JsonTable {
        /// context item expression
        context_item: Option<Box<JsonValueExpr>>,
        /// JSON path specification
        pathspec: Option<Box<JsonTablePathSpec>>,
        /// list of PASSING clause arguments, if any
        passing: Vec<Node>,
        /// list of JsonTableColumn
        columns: Vec<Node>,
        /// ON ERROR behavior
        on_error: Option<Box<JsonBehavior>>,
        /// table alias in FROM clause
        alias: Option<Box<Alias>>,
        /// does it have LATERAL prefix?
        lateral: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonTableColumn - untransformed representation of JSON_TABLE column
    JsonTableColumn {
        /// column type
        coltype: JsonTableColumnType,
        /// column name
        name: Option<Box<str>>,
        /// column type name
        type_name: Option<Box<TypeName>>,
        /// JSON path specification
        pathspec: Option<Box<JsonTablePathSpec>>,
        /// JSON format clause, if specified
        format: Option<Box<JsonFormat>>,
        /// WRAPPER behavior for formatted columns
        wrapper: JsonWrapper,
        /// omit or keep quotes on scalar strings?
        quotes: JsonQuotes,
        /// nested columns
        columns: Vec<Node>,
        /// ON EMPTY behavior
        on_empty: Option<Box<JsonBehavior>>,
        /// ON ERROR behavior
        on_error: Option<Box<JsonBehavior>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// JsonTablePathSpec untransformed specification of JSON path expression with an optional name
    JsonTablePathSpec {
        string: Option<Node>,
        name: Option<Box<str>>,
        name_location: ParseLoc,
        /// location of 'string'
        location: ParseLoc,
    }
}

node! {
    /// JsonValueExpr - representation of JSON value expression (expr \[FORMAT JsonFormat\]) raw_expr is the
    /// user-specified value, while formatted_expr is the value obtained by coercing raw_expr to the type required
    /// by either the FORMAT clause or an enclosing node's RETURNING clause. When deparsing a JsonValueExpr,
    /// get_rule_expr() prints raw_expr. However, during the evaluation of a JsonValueExpr, the value of
    /// formatted_expr takes precedence over that of raw_expr.
    JsonValueExpr {
        /// user-specified expression
        raw_expr: Option<Node>,
        /// coerced formatted expression
        formatted_expr: Option<Node>,
        /// FORMAT clause, if specified
        format: Option<Box<JsonFormat>>,
    }
}

node! {
    /// Listen Statement
    ListenStmt {
        /// condition name to listen on
        conditionname: Option<Box<str>>,
    }
}

node! {
    /// Load Statement
    LoadStmt {
        /// file to load
        filename: Option<Box<str>>,
    }
}

node! {
    /// LOCK Statement
    LockStmt {
        /// relations to lock
        relations: Vec<Node>,
        /// lock mode
        mode: i32,
        /// no wait mode
        nowait: bool,
    }
}

node! {
    /// LockingClause - raw representation of FOR \[NO KEY\] UPDATE/\[KEY\] SHARE options Note: lockedRels == NIL
    /// means "all relations in query". Otherwise it is a list of RangeVar nodes. (We use RangeVar mainly because it
    /// carries a location field --- currently, parse analysis insists on unqualified names in LockingClause.)
    LockingClause {
        /// FOR \[KEY\] UPDATE/SHARE relations
        locked_rels: Vec<Node>,
        strength: LockClauseStrength,
        /// NOWAIT and SKIP LOCKED
        wait_policy: LockWaitPolicy,
    }
}

node! {
    /// Merge Statement
    MergeStmt {
        /// target relation to merge into
        relation: Option<Box<RangeVar>>,
        /// source relation
        source_relation: Option<Node>,
        /// join condition between source and target
        join_condition: Option<Node>,
        /// list of MergeWhenClause(es)
        merge_when_clauses: Vec<Node>,
        /// RETURNING clause
        returning_clause: Option<Box<ReturningClause>>,
        /// WITH clause
        with_clause: Option<Box<WithClause>>,
    }
}

node! {
    /// MergeSupportFunc A MergeSupportFunc is a merge support function expression that can only appear in the
    /// RETURNING list of a MERGE command. It returns information about the currently executing merge action.
    /// Currently, the only supported function is MERGE_ACTION(), which returns the command executed ("INSERT",
    /// "UPDATE", or "DELETE").
    MergeSupportFunc {
        /// type Oid of result
        msftype: u32,
        /// OID of collation, or InvalidOid if none
        msfcollid: u32,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// MergeWhenClause - raw parser representation of a WHEN clause in a MERGE statement This is transformed into
    /// MergeAction by parse analysis
    MergeWhenClause {
        /// MATCHED/NOT MATCHED BY SOURCE/TARGET
        match_kind: MergeMatchKind,
        /// INSERT/UPDATE/DELETE/DO NOTHING
        command_type: CmdType,
        /// OVERRIDING clause
        r#override: OverridingKind,
        /// WHEN conditions (raw parser)
        condition: Option<Node>,
        /// INSERT/UPDATE targetlist
        target_list: Vec<Node>,
        /// VALUES to INSERT, or NULL
        values: Vec<Node>,
    }
}

node! {
    MinMaxExpr {
        /// common type of arguments and result
        minmaxtype: u32,
        /// OID of collation of result
        minmaxcollid: u32,
        /// OID of collation that function should use
        inputcollid: u32,
        /// function to execute
        op: MinMaxOp,
        /// the arguments
        args: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// MultiAssignRef - element of a row source expression for UPDATE In an UPDATE target list, when we have SET
    /// (a,b,c) = row-valued-expression, we generate separate ResTarget items for each of a,b,c. Their "val" trees
    /// are MultiAssignRef nodes numbered 1..n, linking to a common copy of the row-valued-expression (which parse
    /// analysis will process only once, when handling the MultiAssignRef with colno=1).
    MultiAssignRef {
        /// the row-valued expression (here only in the first column's, colno 1)
        source: Option<Node>,
        /// column number for this target (1..n)
        colno: i32,
        /// number of targets in the construct
        ncolumns: i32,
    }
}

node! {
    /// NamedArgExpr - a named argument of a function This node type can only appear in the args list of a FuncCall
    /// or FuncExpr node. We support pure positional call notation (no named arguments), named notation (all
    /// arguments are named), and mixed notation (unnamed arguments followed by named ones). Parse analysis sets
    /// argnumber to the positional index of the argument, but doesn't rearrange the argument list. The planner will
    /// convert argument lists to pure positional notation during expression preprocessing, so execution never sees
    /// a NamedArgExpr.
    NamedArgExpr {
        /// the argument expression
        arg: Option<Node>,
        /// the name
        name: Option<Box<str>>,
        /// argument's number in positional notation
        argnumber: i32,
        /// argument name location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Notify Statement
    NotifyStmt {
        /// condition name to notify
        conditionname: Option<Box<str>>,
        /// the payload string, or NULL if none
        payload: Option<Box<str>>,
    }
}

node! {
    NullTest {
        /// input expression
        arg: Option<Node>,
        /// IS NULL, IS NOT NULL
        nulltesttype: NullTestType,
        /// T to perform field-by-field null checks
        argisrow: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// ObjectWithArgs represents a function/procedure/operator name plus parameter identification. objargs includes
    /// only the types of the input parameters of the object. In some contexts, that will be all we have, and it's
    /// enough to look up objects according to the traditional Postgres rules (i.e., when only input arguments
    /// matter). objfuncargs, if not NIL, carries the full specification of the parameter list, including parameter
    /// mode annotations. Some grammar productions can set args_unspecified = true instead of providing parameter
    /// info. In this case, lookup will succeed only if the object name is unique. Note that otherwise, NIL
    /// parameter lists mean zero arguments.
    ObjectWithArgs {
        /// qualified name of function/operator
        objname: Vec<Node>,
        /// list of Typename nodes (input args only)
        objargs: Vec<Node>,
        /// list of FunctionParameter nodes
        objfuncargs: Vec<Node>,
        /// argument list was omitted?
        args_unspecified: bool,
    }
}

node! {
    /// OnConflictClause - representation of ON CONFLICT clause Note: OnConflictClause does not propagate into the
    /// Query representation.
    OnConflictClause {
        /// DO NOTHING or UPDATE?
        action: OnConflictAction,
        /// Optional index inference clause
        infer: Option<Box<InferClause>>,
        /// the target list (of ResTarget)
        target_list: Vec<Node>,
        /// qualifications
        where_clause: Option<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// PL/pgSQL Assignment Statement Like SelectStmt, this is transformed into a SELECT Query. However, the
    /// targetlist of the result looks more like an UPDATE.
    PLAssignStmt {
        /// initial column name
        name: Option<Box<str>>,
        /// subscripts and field names, if any
        indirection: Vec<Node>,
        /// number of names to use in ColumnRef
        nnames: i32,
        /// the PL/pgSQL expression to assign
        val: Option<Box<SelectStmt>>,
        /// name's token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// ParamRef - specifies a $n parameter reference
    ParamRef {
        /// the number of the parameter
        number: i32,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// PartitionBoundSpec - a partition bound specification This represents the portion of the partition key space
    /// assigned to a particular partition. These are stored on disk in pg_class.relpartbound.
    PartitionBoundSpec {
        /// see PARTITION_STRATEGY codes above
        strategy: char,
        /// is it a default partition bound?
        is_default: bool,
        /// Partitioning info for HASH strategy:
        modulus: i32,
        remainder: i32,
        /// List of Consts (or A_Consts in raw tree)
        listdatums: Vec<Node>,
        /// List of PartitionRangeDatums
        lowerdatums: Vec<Node>,
        /// List of PartitionRangeDatums
        upperdatums: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// PartitionCmd - info for ALTER TABLE/INDEX ATTACH/DETACH PARTITION commands
    PartitionCmd {
        /// name of partition to attach/detach
        name: Option<Box<RangeVar>>,
        /// FOR VALUES, if attaching
        bound: Option<Box<PartitionBoundSpec>>,
        concurrent: bool,
    }
}

node! {
    /// PartitionElem - parse-time representation of a single partition key expr can be either a raw expression tree
    /// or a parse-analyzed expression. We don't store these on-disk, though.
    PartitionElem {
        /// name of column to partition on, or NULL
        name: Option<Box<str>>,
        /// expression to partition on, or NULL
        expr: Option<Node>,
        /// name of collation; NIL = default
        collation: Vec<Node>,
        /// name of desired opclass; NIL = default
        opclass: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// PartitionSpec - parse-time representation of a partition key specification This represents the key space we
    /// will be partitioning on.
    PartitionSpec {
        strategy: PartitionStrategy,
        /// List of PartitionElems
        part_params: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// PREPARE Statement
    PrepareStmt {
        /// Name of plan, arbitrary
        name: Option<Box<str>>,
        /// Types of parameters (List of TypeName)
        argtypes: Vec<Node>,
        /// The query itself (as a raw parsetree)
        query: Option<Node>,
    }
}

node! {
    PublicationObjSpec {
        /// type of this publication object
        pubobjtype: PublicationObjSpecType,
        name: Option<Box<str>>,
        pubtable: Option<Box<PublicationTable>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    PublicationTable {
        /// relation to be published
        relation: Option<Box<RangeVar>>,
        /// qualifications
        where_clause: Option<Node>,
        /// List of columns in a publication table
        columns: Vec<Node>,
    }
}

node! {
    /// RangeFunction - function call appearing in a FROM clause functions is a List because we use this to
    /// represent the construct ROWS FROM(func1(...), func2(...), ...). Each element of this list is a two-element
    /// sublist, the first element being the untransformed function call tree, and the second element being a
    /// possibly-empty list of ColumnDef nodes representing any columndef list attached to that function within the
    /// ROWS FROM() syntax. alias and coldeflist represent any alias and/or columndef list attached at the top
    /// level. (We disallow coldeflist appearing both here and per-function, but that's checked in parse analysis,
    /// not by the grammar.)
    RangeFunction {
        /// does it have LATERAL prefix?
        lateral: bool,
        /// does it have WITH ORDINALITY suffix?
        ordinality: bool,
        /// is result of ROWS FROM() syntax?
        is_rowsfrom: bool,
        /// per-function information, see above
        functions: Vec<Node>,
        /// table alias & optional column aliases
        alias: Option<Box<Alias>>,
        /// list of ColumnDef nodes to describe result of function returning RECORD
        coldeflist: Vec<Node>,
    }
}

node! {
    /// RangeSubselect - subquery appearing in a FROM clause
    RangeSubselect {
        /// does it have LATERAL prefix?
        lateral: bool,
        /// the untransformed sub-select clause
        subquery: Option<Node>,
        /// table alias & optional column aliases
        alias: Option<Box<Alias>>,
    }
}

node! {
    /// RangeTableFunc - raw form of "table functions" such as XMLTABLE Note: JSON_TABLE is also a "table function",
    /// but it uses JsonTable node, not RangeTableFunc.
    RangeTableFunc {
        /// does it have LATERAL prefix?
        lateral: bool,
        /// document expression
        docexpr: Option<Node>,
        /// row generator expression
        rowexpr: Option<Node>,
        /// list of namespaces as ResTarget
        namespaces: Vec<Node>,
        /// list of RangeTableFuncCol
        columns: Vec<Node>,
        /// table alias & optional column aliases
        alias: Option<Box<Alias>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// RangeTableFuncCol - one column in a RangeTableFunc-\>columns If for_ordinality is true (FOR ORDINALITY),
    /// then the column is an int4 column and the rest of the fields are ignored.
    RangeTableFuncCol {
        /// name of generated column
        colname: Option<Box<str>>,
        /// type of generated column
        type_name: Option<Box<TypeName>>,
        /// does it have FOR ORDINALITY?
        for_ordinality: bool,
        /// does it have NOT NULL?
        is_not_null: bool,
        /// column filter expression
        colexpr: Option<Node>,
        /// column default value expression
        coldefexpr: Option<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// RangeTableSample - TABLESAMPLE appearing in a raw FROM clause This node, appearing only in raw parse trees,
    /// represents \<relation\> TABLESAMPLE \<method\> (\<params\>) REPEATABLE (\<num\>) Currently, the \<relation\>
    /// can only be a RangeVar, but we might in future allow RangeSubselect and other options. Note that the
    /// RangeTableSample is wrapped around the node representing the \<relation\>, rather than being a subfield of
    /// it.
    RangeTableSample {
        /// relation to be sampled
        relation: Option<Node>,
        /// sampling method name (possibly qualified)
        method: Vec<Node>,
        /// argument(s) for sampling method
        args: Vec<Node>,
        /// REPEATABLE expression, or NULL if none
        repeatable: Option<Node>,
        /// method name location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// RangeVar - range variable, used in FROM clauses Also used to represent table names in utility statements;
    /// there, the alias field is not used, and inh tells whether to apply the operation recursively to child
    /// tables. In some contexts it is also useful to carry a TEMP table indication here.
    RangeVar {
        /// the catalog (database) name, or NULL
        catalogname: Option<Box<str>>,
        /// the schema name, or NULL
        schemaname: Option<Box<str>>,
        /// the relation/sequence name
        relname: Option<Box<str>>,
        /// expand rel by inheritance? recursively act on children?
        inh: bool,
        /// see RELPERSISTENCE_* in pg_class.h
        relpersistence: char,
        /// table alias & optional column aliases
        alias: Option<Box<Alias>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// REASSIGN OWNED statement
    ReassignOwnedStmt {
        roles: Vec<Node>,
        newrole: Option<Box<RoleSpec>>,
    }
}

node! {
    /// REFRESH MATERIALIZED VIEW Statement
    RefreshMatViewStmt {
        /// allow concurrent access?
        concurrent: bool,
        /// true for WITH NO DATA
        skip_data: bool,
        /// relation to insert into
        relation: Option<Box<RangeVar>>,
    }
}

node! {
    ReindexStmt {
        /// REINDEX_OBJECT_INDEX, REINDEX_OBJECT_TABLE, etc.
        kind: ReindexObjectType,
        /// Table or index to reindex
        relation: Option<Box<RangeVar>>,
        /// name of database to reindex
        name: Option<Box<str>>,
        /// list of DefElem nodes
        params: Vec<Node>,
    }
}

node! {
    /// Alter Object Rename Statement
    RenameStmt {
        /// OBJECT_TABLE, OBJECT_COLUMN, etc
        rename_type: ObjectType,
        /// if column name, associated relation type
        relation_type: ObjectType,
        /// in case it's a table
        relation: Option<Box<RangeVar>>,
        /// in case it's some other object
        object: Option<Node>,
        /// name of contained object (column, rule, trigger, etc)
        subname: Option<Box<str>>,
        /// the new name
        newname: Option<Box<str>>,
        /// RESTRICT or CASCADE behavior
        behavior: DropBehavior,
        /// skip error if missing?
        missing_ok: bool,
    }
}

node! {
    /// Ad-hoc node for AT_ReplicaIdentity
    ReplicaIdentityStmt {
        identity_type: char,
        name: Option<Box<str>>,
    }
}

node! {
    /// ResTarget - result target (used in target list of pre-transformed parse trees) In a SELECT target list,
    /// 'name' is the column label from an 'AS ColumnLabel' clause, or NULL if there was none, and 'val' is the
    /// value expression itself. The 'indirection' field is not used. INSERT uses ResTarget in its
    /// target-column-names list. Here, 'name' is the name of the destination column, 'indirection' stores any
    /// subscripts attached to the destination, and 'val' is not used. In an UPDATE target list, 'name' is the name
    /// of the destination column, 'indirection' stores any subscripts attached to the destination, and 'val' is the
    /// expression to assign. See A_Indirection for more info about what can appear in 'indirection'.
    ResTarget {
        /// column name or NULL
        name: Option<Box<str>>,
        /// subscripts, field names, and '*', or NIL
        indirection: Vec<Node>,
        /// the value expression to compute or assign
        val: Option<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// RETURN statement (inside SQL function body)
    ReturnStmt {
        returnval: Option<Node>,
    }
}

node! {
    /// ReturningClause - List of RETURNING expressions, together with any WITH(...) options
    ReturningClause {
        /// list of ReturningOption elements
        options: Vec<Node>,
        /// list of expressions to return
        exprs: Vec<Node>,
    }
}

node! {
    /// ReturningOption - An individual option in the RETURNING WITH(...) list
    ReturningOption {
        /// specified option
        option: ReturningOptionKind,
        /// option's value
        value: Option<Box<str>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    RoleSpec {
        /// Type of this rolespec
        roletype: RoleSpecType,
        /// filled only for ROLESPEC_CSTRING
        rolename: Option<Box<str>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// RowExpr - a ROW() expression Note: the list of fields must have a one-for-one correspondence with physical
    /// fields of the associated rowtype, although it is okay for it to be shorter than the rowtype. That is, the
    /// N'th list element must match up with the N'th physical field. When the N'th physical field is a dropped
    /// column (attisdropped) then the N'th list element can just be a NULL constant. (This case can only occur for
    /// named composite types, not RECORD types, since those are built from the RowExpr itself rather than vice
    /// versa.) It is important not to assume that length(args) is the same as the number of columns logically
    /// present in the rowtype. colnames provides field names if the ROW() result is of type RECORD. Names *must* be
    /// provided if row_typeid is RECORDOID; but if it is a named composite type, colnames will be ignored in favor
    /// of using the type's cataloged field names, so colnames should be NIL. Like the args list, colnames is
    /// defined to be one-for-one with physical fields of the rowtype (although dropped columns shouldn't appear in
    /// the RECORD case, so this fine point is currently moot).
    RowExpr {
        /// the fields
        args: Vec<Node>,
        /// RECORDOID or a composite type's ID
        row_typeid: u32,
        /// how to display this node
        row_format: CoercionForm,
        /// list of String, or NIL
        colnames: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Create Rule Statement
    RuleStmt {
        /// relation the rule is for
        relation: Option<Box<RangeVar>>,
        /// name of the rule
        rulename: Option<Box<str>>,
        /// qualifications
        where_clause: Option<Node>,
        /// SELECT, INSERT, etc
        event: CmdType,
        /// is a 'do instead'?
        instead: bool,
        /// the action statements
        actions: Vec<Node>,
        /// OR REPLACE
        replace: bool,
    }
}

node! {
    SQLValueFunction {
        /// which function this is
        op: SQLValueFunctionOp,
        /// Result type/typmod. Type is fully determined by "op", so no need to include this Oid in the query
        /// jumbling.
        r#type: u32,
        typmod: i32,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// SECURITY LABEL Statement
    SecLabelStmt {
        /// Object's type
        objtype: ObjectType,
        /// Qualified name of the object
        object: Option<Node>,
        /// Label provider (or NULL)
        provider: Option<Box<str>>,
        /// New security label to be assigned
        label: Option<Box<str>>,
    }
}

node! {
    SelectStmt {
        /// NULL, list of DISTINCT ON exprs, or lcons(NIL,NIL) for all (SELECT DISTINCT)
        distinct_clause: Vec<Node>,
        /// target for SELECT INTO
        into_clause: Option<Box<IntoClause>>,
        /// the target list (of ResTarget)
        target_list: Vec<Node>,
        /// the FROM clause
        from_clause: Vec<Node>,
        /// WHERE qualification
        where_clause: Option<Node>,
        /// GROUP BY clauses
        group_clause: Vec<Node>,
        /// Is this GROUP BY DISTINCT?
        group_distinct: bool,
        /// HAVING conditional-expression
        having_clause: Option<Node>,
        /// WINDOW window_name AS (...), ...
        window_clause: Vec<Node>,
        /// untransformed list of expression lists
        values_lists: Vec<Node>,
        /// sort clause (a list of SortBy's)
        sort_clause: Vec<Node>,
        /// # of result tuples to skip
        limit_offset: Option<Node>,
        /// # of result tuples to return
        limit_count: Option<Node>,
        /// limit type
        limit_option: LimitOption,
        /// FOR UPDATE (list of LockingClause's)
        locking_clause: Vec<Node>,
        /// WITH clause
        with_clause: Option<Box<WithClause>>,
        /// type of set op
        op: SetOperation,
        /// ALL specified?
        all: bool,
        /// left child
        larg: Option<Box<SelectStmt>>,
        /// right child
        rarg: Option<Box<SelectStmt>>,
    }
}

node! {
    /// Placeholder node for a DEFAULT marker in an INSERT or UPDATE command. This is not an executable expression:
    /// it must be replaced by the actual column default expression during rewriting. But it is convenient to treat
    /// it as an expression node during parsing and rewriting.
    SetToDefault {
        /// type for substituted value
        type_id: u32,
        /// typemod for substituted value
        type_mod: i32,
        /// collation for the substituted value
        collation: u32,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// SortBy - for ORDER BY clause
    SortBy {
        /// expression to sort on
        node: Option<Node>,
        /// ASC/DESC/USING/default
        sortby_dir: SortByDir,
        /// NULLS FIRST/LAST
        sortby_nulls: SortByNulls,
        /// name of op to use, if SORTBY_USING
        use_op: Vec<Node>,
        /// operator location, or -1 if none/unknown
        location: ParseLoc,
    }
}

node! {
    /// StatsElem - statistics parameters (used in CREATE STATISTICS) For a plain attribute, 'name' is the name of
    /// the referenced table column and 'expr' is NULL. For an expression, 'name' is NULL and 'expr' is the
    /// expression tree.
    StatsElem {
        /// name of attribute to index, or NULL
        name: Option<Box<str>>,
        /// expression to index, or NULL
        expr: Option<Node>,
    }
}

node! {
    SubLink {
        /// see above
        sub_link_type: SubLinkType,
        /// ID (1..n); 0 if not MULTIEXPR
        sub_link_id: i32,
        /// outer-query test for ALL/ANY/ROWCOMPARE
        testexpr: Option<Node>,
        /// originally specified operator name
        oper_name: Vec<Node>,
        /// subselect as Query* or raw parsetree
        subselect: Option<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// TableLikeClause - CREATE TABLE ( ... LIKE ... ) clause
    TableLikeClause {
        relation: Option<Box<RangeVar>>,
        /// OR of TableLikeOption flags
        options: u32,
        /// If table has been looked up, its OID
        relation_oid: u32,
    }
}

node! {
    TransactionStmt {
        /// see above
        kind: TransactionStmtKind,
        /// for BEGIN/START commands
        options: Vec<Node>,
        /// for savepoint commands
        savepoint_name: Option<Box<str>>,
        /// for two-phase-commit related commands
        gid: Option<Box<str>>,
        /// AND CHAIN option
        chain: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// TriggerTransition - representation of transition row or table naming clause Only transition tables are
    /// initially supported in the syntax, and only for AFTER triggers, but other permutations are accepted by the
    /// parser so we can give a meaningful message from C code.
    TriggerTransition {
        name: Option<Box<str>>,
        is_new: bool,
        is_table: bool,
    }
}

node! {
    /// Truncate Table Statement
    TruncateStmt {
        /// relations (RangeVars) to be truncated
        relations: Vec<Node>,
        /// restart owned sequences?
        restart_seqs: bool,
        /// RESTRICT or CASCADE behavior
        behavior: DropBehavior,
    }
}

node! {
    /// TypeCast - a CAST expression
    TypeCast {
        /// the expression being casted
        arg: Option<Node>,
        /// the target type
        type_name: Option<Box<TypeName>>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// TypeName - specifies a type in definitions For TypeName structures generated internally, it is often easier
    /// to specify the type by OID than by name. If "names" is NIL then the actual type OID is given by typeOid,
    /// otherwise typeOid is unused. Similarly, if "typmods" is NIL then the actual typmod is expected to be
    /// prespecified in typemod, otherwise typemod is unused. If pct_type is true, then names is actually a field
    /// name and we look up the type of that field. Otherwise (the normal case), names is a type name possibly
    /// qualified with schema and database name.
    TypeName {
        /// qualified name (list of String nodes)
        names: Vec<Node>,
        /// type identified by OID
        type_oid: u32,
        /// is a set?
        setof: bool,
        /// %TYPE specified?
        pct_type: bool,
        /// type modifier expression(s)
        typmods: Vec<Node>,
        /// prespecified type modifier
        typemod: i32,
        /// array bounds
        array_bounds: Vec<Node>,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Unlisten Statement
    UnlistenStmt {
        /// name to unlisten on, or NULL for all
        conditionname: Option<Box<str>>,
    }
}

node! {
    /// Update Statement
    UpdateStmt {
        /// relation to update
        relation: Option<Box<RangeVar>>,
        /// the target list (of ResTarget)
        target_list: Vec<Node>,
        /// qualifications
        where_clause: Option<Node>,
        /// optional from clause for more tables
        from_clause: Vec<Node>,
        /// RETURNING clause
        returning_clause: Option<Box<ReturningClause>>,
        /// WITH clause
        with_clause: Option<Box<WithClause>>,
    }
}

node! {
    /// Info about a single target table of VACUUM/ANALYZE. If the OID field is set, it always identifies the table
    /// to process. Then the relation field can be NULL; if it isn't, it's used only to report failure to open/lock
    /// the relation.
    VacuumRelation {
        /// table name to process, or NULL
        relation: Option<Box<RangeVar>>,
        /// table's OID; InvalidOid if not looked up
        oid: u32,
        /// list of column names, or NIL for all
        va_cols: Vec<Node>,
    }
}

node! {
    /// Vacuum and Analyze Statements Even though these are nominally two statements, it's convenient to use just
    /// one node type for both.
    VacuumStmt {
        /// list of DefElem nodes
        options: Vec<Node>,
        /// list of VacuumRelation, or NIL for all
        rels: Vec<Node>,
        /// true for VACUUM, false for ANALYZE
        is_vacuumcmd: bool,
    }
}

node! {
    VariableSetStmt {
        kind: VariableSetKind,
        /// variable to be set
        name: Option<Box<str>>,
        /// List of A_Const nodes
        args: Vec<Node>,
        /// True if arguments should be accounted for in query jumbling. We use a separate flag rather than
        /// query_jumble_ignore on "args" as several grammar flavors of SET rely on a list of values that are parsed
        /// directly from the grammar's keywords.
        jumble_args: bool,
        /// SET LOCAL?
        is_local: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// Show Statement
    VariableShowStmt {
        name: Option<Box<str>>,
    }
}

node! {
    ViewStmt {
        /// the view to be created
        view: Option<Box<RangeVar>>,
        /// target column names
        aliases: Vec<Node>,
        /// the SELECT query (as a raw parse tree)
        query: Option<Node>,
        /// replace an existing view?
        replace: bool,
        /// options from WITH clause
        options: Vec<Node>,
        /// WITH CHECK OPTION
        with_check_option: ViewCheckOption,
    }
}

node! {
    /// WindowDef - raw representation of WINDOW and OVER clauses For entries in a WINDOW list, "name" is the window
    /// name being defined. For OVER clauses, we use "name" for the "OVER window" syntax, or "refname" for the "OVER
    /// (window)" syntax, which is subtly different --- the latter implies overriding the window frame clause.
    WindowDef {
        /// window's own name
        name: Option<Box<str>>,
        /// referenced window name, if any
        refname: Option<Box<str>>,
        /// PARTITION BY expression list
        partition_clause: Vec<Node>,
        /// ORDER BY (list of SortBy)
        order_clause: Vec<Node>,
        /// frame_clause options, see below
        frame_options: i32,
        /// expression for starting bound, if any
        start_offset: Option<Node>,
        /// expression for ending bound, if any
        end_offset: Option<Node>,
        /// parse location, or -1 if none/unknown
        location: ParseLoc,
    }
}

node! {
    /// WithClause - representation of WITH clause Note: WithClause does not propagate into the Query
    /// representation; but CommonTableExpr does.
    WithClause {
        /// list of CommonTableExprs
        ctes: Vec<Node>,
        /// true = WITH RECURSIVE
        recursive: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    XmlExpr {
        /// xml function ID
        op: XmlExprOp,
        /// name in xml(NAME foo ...) syntaxes
        name: Option<Box<str>>,
        /// non-XML expressions for xml_attributes
        named_args: Vec<Node>,
        /// parallel list of String values
        arg_names: Vec<Node>,
        /// list of expressions
        args: Vec<Node>,
        /// DOCUMENT or CONTENT
        xmloption: XmlOptionType,
        /// INDENT option for XMLSERIALIZE
        indent: bool,
        /// target type/typmod for XMLSERIALIZE
        r#type: u32,
        typmod: i32,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

node! {
    /// XMLSERIALIZE (in raw parse tree only)
    XmlSerialize {
        /// DOCUMENT or CONTENT
        xmloption: XmlOptionType,
        expr: Option<Node>,
        type_name: Option<Box<TypeName>>,
        /// \[NO\] INDENT
        indent: bool,
        /// token location, or -1 if unknown
        location: ParseLoc,
    }
}

nodes! {
    ATAlterConstraint = 7,
    A_ArrayExpr = 8,
    A_Const = 9,
    A_Expr = 10,
    A_Indices = 11,
    A_Indirection = 12,
    A_Star = 13,
    AccessPriv = 14,
    Alias = 15,
    AlterCollationStmt = 16,
    AlterDatabaseRefreshCollStmt = 17,
    AlterDatabaseSetStmt = 18,
    AlterDatabaseStmt = 19,
    AlterDefaultPrivilegesStmt = 20,
    AlterDomainStmt = 21,
    AlterEnumStmt = 22,
    AlterEventTrigStmt = 23,
    AlterExtensionContentsStmt = 24,
    AlterExtensionStmt = 25,
    AlterFdwStmt = 26,
    AlterForeignServerStmt = 27,
    AlterFunctionStmt = 28,
    AlterObjectDependsStmt = 29,
    AlterObjectSchemaStmt = 30,
    AlterOpFamilyStmt = 31,
    AlterOperatorStmt = 32,
    AlterOwnerStmt = 33,
    AlterPolicyStmt = 34,
    AlterPublicationStmt = 35,
    AlterRoleSetStmt = 36,
    AlterRoleStmt = 37,
    AlterSeqStmt = 38,
    AlterStatsStmt = 39,
    AlterSubscriptionStmt = 40,
    AlterSystemStmt = 41,
    AlterTSConfigurationStmt = 42,
    AlterTSDictionaryStmt = 43,
    AlterTableCmd = 44,
    AlterTableMoveAllStmt = 45,
    AlterTableSpaceOptionsStmt = 46,
    AlterTableStmt = 47,
    AlterTypeStmt = 48,
    AlterUserMappingStmt = 49,
    BoolExpr = 50,
    BooleanTest = 51,
    CTECycleClause = 52,
    CTESearchClause = 53,
    CallStmt = 54,
    CaseExpr = 55,
    CaseWhen = 56,
    CheckPointStmt = 57,
    ClosePortalStmt = 58,
    ClusterStmt = 59,
    CoalesceExpr = 60,
    CollateClause = 61,
    ColumnDef = 62,
    ColumnRef = 63,
    CommentStmt = 64,
    CommonTableExpr = 65,
    CompositeTypeStmt = 66,
    Constraint = 67,
    ConstraintsSetStmt = 68,
    CopyStmt = 69,
    CreateAmStmt = 70,
    CreateCastStmt = 71,
    CreateConversionStmt = 72,
    CreateDomainStmt = 73,
    CreateEnumStmt = 74,
    CreateEventTrigStmt = 75,
    CreateExtensionStmt = 76,
    CreateFdwStmt = 77,
    CreateForeignServerStmt = 78,
    CreateForeignTableStmt = 79,
    CreateFunctionStmt = 80,
    CreateOpClassItem = 81,
    CreateOpClassStmt = 82,
    CreateOpFamilyStmt = 83,
    CreatePLangStmt = 84,
    CreatePolicyStmt = 85,
    CreatePublicationStmt = 86,
    CreateRangeStmt = 87,
    CreateRoleStmt = 88,
    CreateSchemaStmt = 89,
    CreateSeqStmt = 90,
    CreateStatsStmt = 91,
    CreateStmt = 92,
    CreateSubscriptionStmt = 93,
    CreateTableAsStmt = 94,
    CreateTableSpaceStmt = 95,
    CreateTransformStmt = 96,
    CreateTrigStmt = 97,
    CreateUserMappingStmt = 98,
    CreatedbStmt = 99,
    CurrentOfExpr = 100,
    DeallocateStmt = 101,
    DeclareCursorStmt = 102,
    DefElem = 103,
    DefineStmt = 104,
    DeleteStmt = 105,
    DiscardStmt = 106,
    DoStmt = 107,
    DropOwnedStmt = 108,
    DropRoleStmt = 109,
    DropStmt = 110,
    DropSubscriptionStmt = 111,
    DropTableSpaceStmt = 112,
    DropUserMappingStmt = 113,
    DropdbStmt = 114,
    ExecuteStmt = 115,
    ExplainStmt = 116,
    FetchStmt = 117,
    FuncCall = 118,
    FunctionParameter = 119,
    GrantRoleStmt = 120,
    GrantStmt = 121,
    GroupingFunc = 122,
    GroupingSet = 123,
    ImportForeignSchemaStmt = 124,
    IndexElem = 125,
    IndexStmt = 126,
    InferClause = 127,
    InsertStmt = 128,
    IntoClause = 129,
    JoinExpr = 130,
    JsonAggConstructor = 131,
    JsonArgument = 132,
    JsonArrayAgg = 133,
    JsonArrayConstructor = 134,
    JsonArrayQueryConstructor = 135,
    JsonBehavior = 136,
    JsonFormat = 137,
    JsonFuncExpr = 138,
    JsonIsPredicate = 139,
    JsonKeyValue = 140,
    JsonObjectAgg = 141,
    JsonObjectConstructor = 142,
    JsonOutput = 143,
    JsonParseExpr = 144,
    JsonReturning = 145,
    JsonScalarExpr = 146,
    JsonSerializeExpr = 147,
    JsonTable = 148,
    JsonTableColumn = 149,
    JsonTablePathSpec = 150,
    JsonValueExpr = 151,
    ListenStmt = 152,
    LoadStmt = 153,
    LockStmt = 154,
    LockingClause = 155,
    MergeStmt = 156,
    MergeSupportFunc = 157,
    MergeWhenClause = 158,
    MinMaxExpr = 159,
    MultiAssignRef = 160,
    NamedArgExpr = 161,
    NotifyStmt = 162,
    NullTest = 163,
    ObjectWithArgs = 164,
    OnConflictClause = 165,
    PLAssignStmt = 166,
    ParamRef = 167,
    PartitionBoundSpec = 168,
    PartitionCmd = 169,
    PartitionElem = 170,
    PartitionSpec = 171,
    PrepareStmt = 172,
    PublicationObjSpec = 173,
    PublicationTable = 174,
    RangeFunction = 175,
    RangeSubselect = 176,
    RangeTableFunc = 177,
    RangeTableFuncCol = 178,
    RangeTableSample = 179,
    RangeVar = 180,
    ReassignOwnedStmt = 181,
    RefreshMatViewStmt = 182,
    ReindexStmt = 183,
    RenameStmt = 184,
    ReplicaIdentityStmt = 185,
    ResTarget = 186,
    ReturnStmt = 187,
    ReturningClause = 188,
    ReturningOption = 189,
    RoleSpec = 190,
    RowExpr = 191,
    RuleStmt = 192,
    SQLValueFunction = 193,
    SecLabelStmt = 194,
    SelectStmt = 195,
    SetToDefault = 196,
    SortBy = 197,
    StatsElem = 198,
    SubLink = 199,
    TableLikeClause = 200,
    TransactionStmt = 201,
    TriggerTransition = 202,
    TruncateStmt = 203,
    TypeCast = 204,
    TypeName = 205,
    UnlistenStmt = 206,
    UpdateStmt = 207,
    VacuumRelation = 208,
    VacuumStmt = 209,
    VariableSetStmt = 210,
    VariableShowStmt = 211,
    ViewStmt = 212,
    WindowDef = 213,
    WithClause = 214,
    XmlExpr = 215,
    XmlSerialize = 216,
}

enumeration! {
    A_Expr_Kind {
        AEXPR_OP = 0,
        AEXPR_OP_ANY = 1,
        AEXPR_OP_ALL = 2,
        AEXPR_DISTINCT = 3,
        AEXPR_NOT_DISTINCT = 4,
        AEXPR_NULLIF = 5,
        AEXPR_IN = 6,
        AEXPR_LIKE = 7,
        AEXPR_ILIKE = 8,
        AEXPR_SIMILAR = 9,
        AEXPR_BETWEEN = 10,
        AEXPR_NOT_BETWEEN = 11,
        AEXPR_BETWEEN_SYM = 12,
        AEXPR_NOT_BETWEEN_SYM = 13,
    }
}

enumeration! {
    AlterPublicationAction {
        AP_AddObjects = 0,
        AP_DropObjects = 1,
        AP_SetObjects = 2,
    }
}

enumeration! {
    AlterSubscriptionType {
        ALTER_SUBSCRIPTION_OPTIONS = 0,
        ALTER_SUBSCRIPTION_CONNECTION = 1,
        ALTER_SUBSCRIPTION_SET_PUBLICATION = 2,
        ALTER_SUBSCRIPTION_ADD_PUBLICATION = 3,
        ALTER_SUBSCRIPTION_DROP_PUBLICATION = 4,
        ALTER_SUBSCRIPTION_REFRESH = 5,
        ALTER_SUBSCRIPTION_ENABLED = 6,
        ALTER_SUBSCRIPTION_SKIP = 7,
    }
}

enumeration! {
    AlterTSConfigType {
        ALTER_TSCONFIG_ADD_MAPPING = 0,
        ALTER_TSCONFIG_ALTER_MAPPING_FOR_TOKEN = 1,
        ALTER_TSCONFIG_REPLACE_DICT = 2,
        ALTER_TSCONFIG_REPLACE_DICT_FOR_TOKEN = 3,
        ALTER_TSCONFIG_DROP_MAPPING = 4,
    }
}

enumeration! {
    AlterTableType {
        AT_AddColumn = 0,
        AT_AddColumnToView = 1,
        AT_ColumnDefault = 2,
        AT_CookedColumnDefault = 3,
        AT_DropNotNull = 4,
        AT_SetNotNull = 5,
        AT_SetExpression = 6,
        AT_DropExpression = 7,
        AT_SetStatistics = 8,
        AT_SetOptions = 9,
        AT_ResetOptions = 10,
        AT_SetStorage = 11,
        AT_SetCompression = 12,
        AT_DropColumn = 13,
        AT_AddIndex = 14,
        AT_ReAddIndex = 15,
        AT_AddConstraint = 16,
        AT_ReAddConstraint = 17,
        AT_ReAddDomainConstraint = 18,
        AT_AlterConstraint = 19,
        AT_ValidateConstraint = 20,
        AT_AddIndexConstraint = 21,
        AT_DropConstraint = 22,
        AT_ReAddComment = 23,
        AT_AlterColumnType = 24,
        AT_AlterColumnGenericOptions = 25,
        AT_ChangeOwner = 26,
        AT_ClusterOn = 27,
        AT_DropCluster = 28,
        AT_SetLogged = 29,
        AT_SetUnLogged = 30,
        AT_DropOids = 31,
        AT_SetAccessMethod = 32,
        AT_SetTableSpace = 33,
        AT_SetRelOptions = 34,
        AT_ResetRelOptions = 35,
        AT_ReplaceRelOptions = 36,
        AT_EnableTrig = 37,
        AT_EnableAlwaysTrig = 38,
        AT_EnableReplicaTrig = 39,
        AT_DisableTrig = 40,
        AT_EnableTrigAll = 41,
        AT_DisableTrigAll = 42,
        AT_EnableTrigUser = 43,
        AT_DisableTrigUser = 44,
        AT_EnableRule = 45,
        AT_EnableAlwaysRule = 46,
        AT_EnableReplicaRule = 47,
        AT_DisableRule = 48,
        AT_AddInherit = 49,
        AT_DropInherit = 50,
        AT_AddOf = 51,
        AT_DropOf = 52,
        AT_ReplicaIdentity = 53,
        AT_EnableRowSecurity = 54,
        AT_DisableRowSecurity = 55,
        AT_ForceRowSecurity = 56,
        AT_NoForceRowSecurity = 57,
        AT_GenericOptions = 58,
        AT_AttachPartition = 59,
        AT_DetachPartition = 60,
        AT_DetachPartitionFinalize = 61,
        AT_AddIdentity = 62,
        AT_SetIdentity = 63,
        AT_DropIdentity = 64,
        AT_ReAddStatistics = 65,
    }
}

enumeration! {
    BoolExprType {
        AND_EXPR = 0,
        OR_EXPR = 1,
        NOT_EXPR = 2,
    }
}

enumeration! {
    BoolTestType {
        IS_TRUE = 0,
        IS_NOT_TRUE = 1,
        IS_FALSE = 2,
        IS_NOT_FALSE = 3,
        IS_UNKNOWN = 4,
        IS_NOT_UNKNOWN = 5,
    }
}

enumeration! {
    CTEMaterialize {
        CTEMaterializeDefault = 0,
        CTEMaterializeAlways = 1,
        CTEMaterializeNever = 2,
    }
}

enumeration! {
    CmdType {
        CMD_UNKNOWN = 0,
        CMD_SELECT = 1,
        CMD_UPDATE = 2,
        CMD_INSERT = 3,
        CMD_DELETE = 4,
        CMD_MERGE = 5,
        CMD_UTILITY = 6,
        CMD_NOTHING = 7,
    }
}

enumeration! {
    CoercionContext {
        COERCION_IMPLICIT = 0,
        COERCION_ASSIGNMENT = 1,
        COERCION_PLPGSQL = 2,
        COERCION_EXPLICIT = 3,
    }
}

enumeration! {
    CoercionForm {
        COERCE_EXPLICIT_CALL = 0,
        COERCE_EXPLICIT_CAST = 1,
        COERCE_IMPLICIT_CAST = 2,
        COERCE_SQL_SYNTAX = 3,
    }
}

enumeration! {
    ConstrType {
        CONSTR_NULL = 0,
        CONSTR_NOTNULL = 1,
        CONSTR_DEFAULT = 2,
        CONSTR_IDENTITY = 3,
        CONSTR_GENERATED = 4,
        CONSTR_CHECK = 5,
        CONSTR_PRIMARY = 6,
        CONSTR_UNIQUE = 7,
        CONSTR_EXCLUSION = 8,
        CONSTR_FOREIGN = 9,
        CONSTR_ATTR_DEFERRABLE = 10,
        CONSTR_ATTR_NOT_DEFERRABLE = 11,
        CONSTR_ATTR_DEFERRED = 12,
        CONSTR_ATTR_IMMEDIATE = 13,
        CONSTR_ATTR_ENFORCED = 14,
        CONSTR_ATTR_NOT_ENFORCED = 15,
    }
}

enumeration! {
    DefElemAction {
        DEFELEM_UNSPEC = 0,
        DEFELEM_SET = 1,
        DEFELEM_ADD = 2,
        DEFELEM_DROP = 3,
    }
}

enumeration! {
    DiscardMode {
        DISCARD_ALL = 0,
        DISCARD_PLANS = 1,
        DISCARD_SEQUENCES = 2,
        DISCARD_TEMP = 3,
    }
}

enumeration! {
    DropBehavior {
        DROP_RESTRICT = 0,
        DROP_CASCADE = 1,
    }
}

enumeration! {
    FetchDirection {
        FETCH_FORWARD = 0,
        FETCH_BACKWARD = 1,
        FETCH_ABSOLUTE = 2,
        FETCH_RELATIVE = 3,
    }
}

enumeration! {
    FunctionParameterMode {
        FUNC_PARAM_IN = 105,
        FUNC_PARAM_OUT = 111,
        FUNC_PARAM_INOUT = 98,
        FUNC_PARAM_VARIADIC = 118,
        FUNC_PARAM_TABLE = 116,
        FUNC_PARAM_DEFAULT = 100,
    }
}

enumeration! {
    GrantTargetType {
        ACL_TARGET_OBJECT = 0,
        ACL_TARGET_ALL_IN_SCHEMA = 1,
        ACL_TARGET_DEFAULTS = 2,
    }
}

enumeration! {
    GroupingSetKind {
        GROUPING_SET_EMPTY = 0,
        GROUPING_SET_SIMPLE = 1,
        GROUPING_SET_ROLLUP = 2,
        GROUPING_SET_CUBE = 3,
        GROUPING_SET_SETS = 4,
    }
}

enumeration! {
    ImportForeignSchemaType {
        FDW_IMPORT_SCHEMA_ALL = 0,
        FDW_IMPORT_SCHEMA_LIMIT_TO = 1,
        FDW_IMPORT_SCHEMA_EXCEPT = 2,
    }
}

enumeration! {
    JoinType {
        JOIN_INNER = 0,
        JOIN_LEFT = 1,
        JOIN_FULL = 2,
        JOIN_RIGHT = 3,
        JOIN_SEMI = 4,
        JOIN_ANTI = 5,
        JOIN_RIGHT_SEMI = 6,
        JOIN_RIGHT_ANTI = 7,
        JOIN_UNIQUE_OUTER = 8,
        JOIN_UNIQUE_INNER = 9,
    }
}

enumeration! {
    JsonBehaviorType {
        JSON_BEHAVIOR_NULL = 0,
        JSON_BEHAVIOR_ERROR = 1,
        JSON_BEHAVIOR_EMPTY = 2,
        JSON_BEHAVIOR_TRUE = 3,
        JSON_BEHAVIOR_FALSE = 4,
        JSON_BEHAVIOR_UNKNOWN = 5,
        JSON_BEHAVIOR_EMPTY_ARRAY = 6,
        JSON_BEHAVIOR_EMPTY_OBJECT = 7,
        JSON_BEHAVIOR_DEFAULT = 8,
    }
}

enumeration! {
    JsonEncoding {
        JS_ENC_DEFAULT = 0,
        JS_ENC_UTF8 = 1,
        JS_ENC_UTF16 = 2,
        JS_ENC_UTF32 = 3,
    }
}

enumeration! {
    JsonExprOp {
        JSON_EXISTS_OP = 0,
        JSON_QUERY_OP = 1,
        JSON_VALUE_OP = 2,
        JSON_TABLE_OP = 3,
    }
}

enumeration! {
    JsonFormatType {
        JS_FORMAT_DEFAULT = 0,
        JS_FORMAT_JSON = 1,
        JS_FORMAT_JSONB = 2,
    }
}

enumeration! {
    JsonQuotes {
        JS_QUOTES_UNSPEC = 0,
        JS_QUOTES_KEEP = 1,
        JS_QUOTES_OMIT = 2,
    }
}

enumeration! {
    JsonTableColumnType {
        JTC_FOR_ORDINALITY = 0,
        JTC_REGULAR = 1,
        JTC_EXISTS = 2,
        JTC_FORMATTED = 3,
        JTC_NESTED = 4,
    }
}

enumeration! {
    JsonValueType {
        JS_TYPE_ANY = 0,
        JS_TYPE_OBJECT = 1,
        JS_TYPE_ARRAY = 2,
        JS_TYPE_SCALAR = 3,
    }
}

enumeration! {
    JsonWrapper {
        JSW_UNSPEC = 0,
        JSW_NONE = 1,
        JSW_CONDITIONAL = 2,
        JSW_UNCONDITIONAL = 3,
    }
}

enumeration! {
    LimitOption {
        LIMIT_OPTION_COUNT = 0,
        LIMIT_OPTION_WITH_TIES = 1,
    }
}

enumeration! {
    LockClauseStrength {
        LCS_NONE = 0,
        LCS_FORKEYSHARE = 1,
        LCS_FORSHARE = 2,
        LCS_FORNOKEYUPDATE = 3,
        LCS_FORUPDATE = 4,
    }
}

enumeration! {
    LockWaitPolicy {
        LockWaitBlock = 0,
        LockWaitSkip = 1,
        LockWaitError = 2,
    }
}

enumeration! {
    MergeMatchKind {
        MERGE_WHEN_MATCHED = 0,
        MERGE_WHEN_NOT_MATCHED_BY_SOURCE = 1,
        MERGE_WHEN_NOT_MATCHED_BY_TARGET = 2,
    }
}

enumeration! {
    MinMaxOp {
        IS_GREATEST = 0,
        IS_LEAST = 1,
    }
}

enumeration! {
    NullTestType {
        IS_NULL = 0,
        IS_NOT_NULL = 1,
    }
}

enumeration! {
    ObjectType {
        OBJECT_ACCESS_METHOD = 0,
        OBJECT_AGGREGATE = 1,
        OBJECT_AMOP = 2,
        OBJECT_AMPROC = 3,
        OBJECT_ATTRIBUTE = 4,
        OBJECT_CAST = 5,
        OBJECT_COLUMN = 6,
        OBJECT_COLLATION = 7,
        OBJECT_CONVERSION = 8,
        OBJECT_DATABASE = 9,
        OBJECT_DEFAULT = 10,
        OBJECT_DEFACL = 11,
        OBJECT_DOMAIN = 12,
        OBJECT_DOMCONSTRAINT = 13,
        OBJECT_EVENT_TRIGGER = 14,
        OBJECT_EXTENSION = 15,
        OBJECT_FDW = 16,
        OBJECT_FOREIGN_SERVER = 17,
        OBJECT_FOREIGN_TABLE = 18,
        OBJECT_FUNCTION = 19,
        OBJECT_INDEX = 20,
        OBJECT_LANGUAGE = 21,
        OBJECT_LARGEOBJECT = 22,
        OBJECT_MATVIEW = 23,
        OBJECT_OPCLASS = 24,
        OBJECT_OPERATOR = 25,
        OBJECT_OPFAMILY = 26,
        OBJECT_PARAMETER_ACL = 27,
        OBJECT_POLICY = 28,
        OBJECT_PROCEDURE = 29,
        OBJECT_PUBLICATION = 30,
        OBJECT_PUBLICATION_NAMESPACE = 31,
        OBJECT_PUBLICATION_REL = 32,
        OBJECT_ROLE = 33,
        OBJECT_ROUTINE = 34,
        OBJECT_RULE = 35,
        OBJECT_SCHEMA = 36,
        OBJECT_SEQUENCE = 37,
        OBJECT_SUBSCRIPTION = 38,
        OBJECT_STATISTIC_EXT = 39,
        OBJECT_TABCONSTRAINT = 40,
        OBJECT_TABLE = 41,
        OBJECT_TABLESPACE = 42,
        OBJECT_TRANSFORM = 43,
        OBJECT_TRIGGER = 44,
        OBJECT_TSCONFIGURATION = 45,
        OBJECT_TSDICTIONARY = 46,
        OBJECT_TSPARSER = 47,
        OBJECT_TSTEMPLATE = 48,
        OBJECT_TYPE = 49,
        OBJECT_USER_MAPPING = 50,
        OBJECT_VIEW = 51,
    }
}

enumeration! {
    OnCommitAction {
        ONCOMMIT_NOOP = 0,
        ONCOMMIT_PRESERVE_ROWS = 1,
        ONCOMMIT_DELETE_ROWS = 2,
        ONCOMMIT_DROP = 3,
    }
}

enumeration! {
    OnConflictAction {
        ONCONFLICT_NONE = 0,
        ONCONFLICT_NOTHING = 1,
        ONCONFLICT_UPDATE = 2,
    }
}

enumeration! {
    OverridingKind {
        OVERRIDING_NOT_SET = 0,
        OVERRIDING_USER_VALUE = 1,
        OVERRIDING_SYSTEM_VALUE = 2,
    }
}

enumeration! {
    PartitionStrategy {
        PARTITION_STRATEGY_LIST = 108,
        PARTITION_STRATEGY_RANGE = 114,
        PARTITION_STRATEGY_HASH = 104,
    }
}

enumeration! {
    PublicationObjSpecType {
        PUBLICATIONOBJ_TABLE = 0,
        PUBLICATIONOBJ_TABLES_IN_SCHEMA = 1,
        PUBLICATIONOBJ_TABLES_IN_CUR_SCHEMA = 2,
        PUBLICATIONOBJ_CONTINUATION = 3,
    }
}

enumeration! {
    ReindexObjectType {
        REINDEX_OBJECT_INDEX = 0,
        REINDEX_OBJECT_TABLE = 1,
        REINDEX_OBJECT_SCHEMA = 2,
        REINDEX_OBJECT_SYSTEM = 3,
        REINDEX_OBJECT_DATABASE = 4,
    }
}

enumeration! {
    ReturningOptionKind {
        RETURNING_OPTION_OLD = 0,
        RETURNING_OPTION_NEW = 1,
    }
}

enumeration! {
    RoleSpecType {
        ROLESPEC_CSTRING = 0,
        ROLESPEC_CURRENT_ROLE = 1,
        ROLESPEC_CURRENT_USER = 2,
        ROLESPEC_SESSION_USER = 3,
        ROLESPEC_PUBLIC = 4,
    }
}

enumeration! {
    RoleStmtType {
        ROLESTMT_ROLE = 0,
        ROLESTMT_USER = 1,
        ROLESTMT_GROUP = 2,
    }
}

enumeration! {
    SQLValueFunctionOp {
        SVFOP_CURRENT_DATE = 0,
        SVFOP_CURRENT_TIME = 1,
        SVFOP_CURRENT_TIME_N = 2,
        SVFOP_CURRENT_TIMESTAMP = 3,
        SVFOP_CURRENT_TIMESTAMP_N = 4,
        SVFOP_LOCALTIME = 5,
        SVFOP_LOCALTIME_N = 6,
        SVFOP_LOCALTIMESTAMP = 7,
        SVFOP_LOCALTIMESTAMP_N = 8,
        SVFOP_CURRENT_ROLE = 9,
        SVFOP_CURRENT_USER = 10,
        SVFOP_USER = 11,
        SVFOP_SESSION_USER = 12,
        SVFOP_CURRENT_CATALOG = 13,
        SVFOP_CURRENT_SCHEMA = 14,
    }
}

enumeration! {
    SetOperation {
        SETOP_NONE = 0,
        SETOP_UNION = 1,
        SETOP_INTERSECT = 2,
        SETOP_EXCEPT = 3,
    }
}

enumeration! {
    SortByDir {
        SORTBY_DEFAULT = 0,
        SORTBY_ASC = 1,
        SORTBY_DESC = 2,
        SORTBY_USING = 3,
    }
}

enumeration! {
    SortByNulls {
        SORTBY_NULLS_DEFAULT = 0,
        SORTBY_NULLS_FIRST = 1,
        SORTBY_NULLS_LAST = 2,
    }
}

enumeration! {
    SubLinkType {
        EXISTS_SUBLINK = 0,
        ALL_SUBLINK = 1,
        ANY_SUBLINK = 2,
        ROWCOMPARE_SUBLINK = 3,
        EXPR_SUBLINK = 4,
        MULTIEXPR_SUBLINK = 5,
        ARRAY_SUBLINK = 6,
        CTE_SUBLINK = 7,
    }
}

enumeration! {
    TransactionStmtKind {
        TRANS_STMT_BEGIN = 0,
        TRANS_STMT_START = 1,
        TRANS_STMT_COMMIT = 2,
        TRANS_STMT_ROLLBACK = 3,
        TRANS_STMT_SAVEPOINT = 4,
        TRANS_STMT_RELEASE = 5,
        TRANS_STMT_ROLLBACK_TO = 6,
        TRANS_STMT_PREPARE = 7,
        TRANS_STMT_COMMIT_PREPARED = 8,
        TRANS_STMT_ROLLBACK_PREPARED = 9,
    }
}

enumeration! {
    VariableSetKind {
        VAR_SET_VALUE = 0,
        VAR_SET_DEFAULT = 1,
        VAR_SET_CURRENT = 2,
        VAR_SET_MULTI = 3,
        VAR_RESET = 4,
        VAR_RESET_ALL = 5,
    }
}

enumeration! {
    ViewCheckOption {
        NO_CHECK_OPTION = 0,
        LOCAL_CHECK_OPTION = 1,
        CASCADED_CHECK_OPTION = 2,
    }
}

enumeration! {
    XmlExprOp {
        IS_XMLCONCAT = 0,
        IS_XMLELEMENT = 1,
        IS_XMLFOREST = 2,
        IS_XMLPARSE = 3,
        IS_XMLPI = 4,
        IS_XMLROOT = 5,
        IS_XMLSERIALIZE = 6,
        IS_DOCUMENT = 7,
    }
}

enumeration! {
    XmlOptionType {
        XMLOPTION_DOCUMENT = 0,
        XMLOPTION_CONTENT = 1,
    }
}
