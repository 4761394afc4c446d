//! Simple questions about objects (PostgreSQL's `lsyscache.c`). What does not exist has no properties: the answer is
//! `None` or false.

use types::{Oid, Repr, oid};

use crate::catalogs::PgType;
use crate::syscache::Catalog;

/// Subscripts arrays whose length varies: its types are the true arrays, others only look like some (`name`, `point`).
pub const ARRAY_SUBSCRIPT_HANDLER: Oid = 6179;

/// What an unknown literal may become first of all: [`PgType::typcategory`] of strings.
pub const TYPCATEGORY_STRING: u8 = b'S';

/// `default`, that of the database.
pub const DEFAULT_COLLATION: Oid = 100;

/// No collation: that of a function that goes by one, where its arguments have several.
pub const INDETERMINATE_COLLATION: Oid = Oid::MAX;

/// Is it a collation in which only ASCII's letters are letters: `C`, `POSIX`, `ucs_basic`?
pub fn is_c(collation: Oid) -> bool {
    matches!(collation, 950 | 951 | 962)
}

impl PgType {
    pub fn is_true_array(&self) -> bool {
        self.typelem != oid::INVALID && self.typsubscript == ARRAY_SUBSCRIPT_HANDLER
    }
}

fn valid(oid: Oid) -> Option<Oid> {
    (oid != oid::INVALID).then_some(oid)
}

impl<'a> Catalog<'a> {
    /// The query of a view: a tree, or the SQL that is recorded of what is built in.
    pub fn view_definition(self, view: Oid) -> Option<&'a str> {
        self.rules_of_relation(view).find(|rule| rule.ev_type == b'1').map(|rule| &*rule.ev_action)
    }

    /// The array of a type's values.
    pub fn array_type(self, ty: Oid) -> Option<Oid> {
        self.pg_type(ty).and_then(|row| valid(row.typarray))
    }

    /// The type of an array's elements; a domain over an array is none.
    pub fn element_type(self, ty: Oid) -> Option<Oid> {
        self.pg_type(ty).filter(|row| row.is_true_array()).map(|row| row.typelem)
    }

    /// As [`Catalog::element_type`], through domains.
    pub fn base_element_type(self, ty: Oid) -> Option<Oid> {
        self.element_type(self.base_type(ty))
    }

    /// The type under a domain; any other type itself.
    pub fn base_type(self, ty: Oid) -> Oid {
        self.base_type_and_typmod(ty, -1).0
    }

    /// The built-in type that values of a type are of: what a domain is made from, `record` for a composite type, `anyenum`
    /// for an enum, and arrays of these for theirs.
    pub fn value_type(self, ty: Oid) -> Oid {
        let base = self.base_type(ty);
        let Some(row) = self.pg_type(base) else { return base };
        match row.typtype {
            b'c' => return oid::RECORD,
            b'e' => return oid::ANYENUM,
            _ => {}
        }
        let Some(element) = self.element_type(base) else { return base };
        match self.value_type(element) {
            value if value == element => base,
            oid::ANYENUM => oid::ANYARRAY,
            value => self.array_type(value).unwrap_or(base),
        }
    }

    /// How the values of a type lie; `None`: they are not here.
    pub fn repr(self, ty: Oid, typmod: i32) -> Option<Repr> {
        let (base, typmod) = self.base_type_and_typmod(ty, typmod);
        Repr::of(base, typmod).or_else(|| Repr::of(self.value_type(base), -1))
    }

    /// As [`Catalog::base_type`], with the type modifier that the domain gives it. A domain's wins over the one given.
    pub fn base_type_and_typmod(self, mut ty: Oid, mut typmod: i32) -> (Oid, i32) {
        while let Some(row) = self.pg_type(ty).filter(|row| row.typtype == b'd') {
            ty = row.typbasetype;
            typmod = row.typtypmod;
        }
        (ty, typmod)
    }

    /// The category of a type, and whether it is preferred in it.
    pub fn category(self, ty: Oid) -> (u8, bool) {
        self.pg_type(ty).map_or((b'U', false), |row| (row.typcategory, row.typispreferred))
    }

    /// Whether a type is the preferred one of a category.
    pub fn is_preferred(self, category: u8, ty: Oid) -> bool {
        self.category(ty) == (category, true)
    }

    fn is_kind(self, ty: Oid, typtype: u8) -> bool {
        self.pg_type(ty).is_some_and(|row| row.typtype == typtype)
    }

    pub fn is_enum(self, ty: Oid) -> bool {
        self.is_kind(ty, b'e')
    }

    pub fn is_range(self, ty: Oid) -> bool {
        self.is_kind(ty, b'r')
    }

    pub fn is_multirange(self, ty: Oid) -> bool {
        self.is_kind(ty, b'm')
    }

    pub fn is_array(self, ty: Oid) -> bool {
        self.element_type(ty).is_some()
    }

    /// An array or a domain over one.
    pub fn is_array_domain(self, ty: Oid) -> bool {
        self.base_element_type(ty).is_some()
    }

    pub fn range_subtype(self, range: Oid) -> Option<Oid> {
        self.range(range).map(|row| row.rngsubtype)
    }

    pub fn range_multirange(self, range: Oid) -> Option<Oid> {
        self.range(range).map(|row| row.rngmultitypid)
    }

    pub fn multirange_range(self, multirange: Oid) -> Option<Oid> {
        self.ranges_of_multirange(multirange).next().map(|row| row.rngtypid)
    }

    /// The relation whose rows a type's values are, or the values under a domain (`typeOrDomainTypeRelid`).
    pub fn type_relation(self, ty: Oid) -> Option<Oid> {
        self.pg_type(self.base_type(ty)).filter(|row| row.typtype == b'c').and_then(|row| valid(row.typrelid))
    }

    /// A row type that is known by name (`ISCOMPLEX`).
    pub fn is_complex(self, ty: Oid) -> bool {
        self.type_relation(ty).is_some()
    }

    pub fn is_complex_array(self, ty: Oid) -> bool {
        self.element_type(ty).is_some_and(|element| self.is_complex(element))
    }

    /// The collation of a type's values where no other is given; `None`: they have none.
    pub fn type_collation(self, ty: Oid) -> Option<Oid> {
        self.pg_type(ty).and_then(|row| valid(row.typcollation))
    }

    /// The operator of a family for operands of the types and a strategy.
    pub fn opfamily_member(self, family: Oid, left: Oid, right: Oid, strategy: i16) -> Option<Oid> {
        self.amop((family, left, right, strategy)).map(|row| row.amopopr)
    }

    /// The support function of a family for the types, by number.
    pub fn opfamily_proc(self, family: Oid, left: Oid, right: Oid, number: i16) -> Option<Oid> {
        self.amproc((family, left, right, number)).map(|row| row.amproc)
    }

    pub fn commutator(self, operator: Oid) -> Option<Oid> {
        self.operator(operator).and_then(|row| valid(row.oprcom))
    }

    pub fn negator(self, operator: Oid) -> Option<Oid> {
        self.operator(operator).and_then(|row| valid(row.oprnegate))
    }

    /// Whether a value of one type is a value of the other one as it is (`IsBinaryCoercible`).
    pub fn is_binary_coercible(self, source: Oid, target: Oid) -> bool {
        if source == target || matches!(target, oid::ANY | oid::ANYELEMENT | oid::ANYCOMPATIBLE) {
            return true;
        }
        let source = self.base_type(source);
        let pseudo = match target {
            _ if source == target => true,
            oid::ANYARRAY | oid::ANYCOMPATIBLEARRAY => self.is_array(source),
            oid::ANYNONARRAY | oid::ANYCOMPATIBLENONARRAY => !self.is_array(source),
            oid::ANYENUM => self.is_enum(source),
            oid::ANYRANGE | oid::ANYCOMPATIBLERANGE => self.is_range(source),
            oid::ANYMULTIRANGE | oid::ANYCOMPATIBLEMULTIRANGE => self.is_multirange(source),
            oid::RECORD => self.is_complex(source),
            oid::RECORDARRAY => self.is_complex_array(source),
            _ => false,
        };
        pseudo || self.cast((source, target)).is_some_and(|cast| cast.castmethod == b'b' && cast.castcontext == b'i')
    }
}
