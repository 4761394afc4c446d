//! What polymorphic types stand for in a call (the second half of PostgreSQL's `parse_coerce.c`).
//!
//! There are two families. In the first one (`anyelement`, `anyarray`, `anynonarray`, `anyenum`, `anyrange`,
//! `anymultirange`) all arguments agree exactly: the elements of arrays and the bounds of ranges are of the type of
//! `anyelement`. In the second one (`anycompatible…`) they can be converted to one type; ranges still agree with it exactly.
//! Literals of unknown type take whatever the others say.

use catalog::Catalog;
use error::sqlstate;
use smallvec::SmallVec;
use types::error::{Error, Result};
use types::{Oid, oid};

use crate::parse_coerce::{Unmatched, common_type, verify_common_type};

pub fn is_polymorphic(ty: Oid) -> bool {
    is_family_1(ty) || is_family_2(ty)
}

pub fn is_family_1(ty: Oid) -> bool {
    use oid::*;
    matches!(ty, ANYELEMENT | ANYARRAY | ANYNONARRAY | ANYENUM | ANYRANGE | ANYMULTIRANGE)
}

pub fn is_family_2(ty: Oid) -> bool {
    use oid::*;
    matches!(
        ty,
        ANYCOMPATIBLE | ANYCOMPATIBLEARRAY | ANYCOMPATIBLENONARRAY | ANYCOMPATIBLERANGE | ANYCOMPATIBLEMULTIRANGE
    )
}

/// Why a call's types do not fit.
enum Mismatch {
    NotAlike(&'static str, Oid, Oid),
    /// The argument declared so is no `array`, `range type` …
    IsNot(&'static str, &'static str, Oid),
    NotConsistent([&'static str; 2], Oid, Oid),
    ElementOfAnyArray,
    /// Nothing says what a declared type, with a blank before it, stands for; empty: any of the first family.
    Unknown(&'static str),
    IsArray(&'static str, Oid),
    IsNoEnum(Oid),
    NoCommonType(Unmatched),
    NotCastable,
    NoArrayType(Oid),
    RangeDiffers(Oid, Oid),
}

type Checked<T> = std::result::Result<T, Mismatch>;

impl Mismatch {
    fn report(self, catalog: Catalog<'_>) -> Error {
        let name = |ty| catalog.format_type(ty);
        let versus = |error: Error, a, b| error.detail(format!("{} versus {}", name(a), name(b)));
        let mismatch = |message: String| Error::new(sqlstate::DATATYPE_MISMATCH, message);
        match self {
            Mismatch::NotAlike(declared, a, b) => {
                versus(mismatch(format!("arguments declared \"{declared}\" are not all alike")), a, b)
            }
            Mismatch::IsNot(declared, what, ty) => {
                mismatch(format!("argument declared {declared} is not {what} but type {}", name(ty)))
            }
            Mismatch::NotConsistent([one, other], a, b) => {
                let message = format!("argument declared {one} is not consistent with argument declared {other}");
                versus(mismatch(message), a, b)
            }
            Mismatch::ElementOfAnyArray => mismatch("cannot determine element type of \"anyarray\" argument".into()),
            Mismatch::Unknown(declared) => {
                mismatch(format!("could not determine polymorphic type{declared} because input has type unknown"))
            }
            Mismatch::IsArray(declared, ty) => {
                mismatch(format!("type matched to {declared} is an array type: {}", name(ty)))
            }
            Mismatch::IsNoEnum(ty) => mismatch(format!("type matched to anyenum is not an enum type: {}", name(ty))),
            Mismatch::NoCommonType(Unmatched { first, second, .. }) => {
                mismatch(format!("argument types {} and {} cannot be matched", name(first), name(second)))
            }
            Mismatch::NotCastable => {
                mismatch("arguments of anycompatible family cannot be cast to a common type".into())
            }
            Mismatch::NoArrayType(ty) => {
                Error::new(sqlstate::UNDEFINED_OBJECT, format!("could not find array type for data type {}", name(ty)))
            }
            Mismatch::RangeDiffers(range, ty) => mismatch(format!(
                "anycompatiblerange type {} does not match anycompatible type {}",
                name(range),
                name(ty)
            )),
        }
    }
}

/// What the arguments say about the first family.
#[derive(Default)]
struct Family1 {
    arguments: usize,
    unknowns: bool,
    element: Option<Oid>,
    array: Option<Oid>,
    range: Option<Oid>,
    multirange: Option<Oid>,
    nonarray: bool,
    an_enum: bool,
    wants_multirange: bool,
}

/// What the arguments say about the second family.
#[derive(Default)]
struct Family2 {
    any: bool,
    /// The types that have to be converted to one.
    types: SmallVec<[Oid; 4]>,
    range: Option<Oid>,
    subtype: Option<Oid>,
    multirange: Option<Oid>,
    nonarray: bool,
    wants_array: bool,
    wants_range: bool,
    wants_multirange: bool,
    common: Option<Oid>,
    array: Option<Oid>,
}

/// Sets what all arguments of a declaration have to agree on.
fn agree(slot: &mut Option<Oid>, declared: &'static str, ty: Oid) -> Checked<()> {
    match *slot.get_or_insert(ty) {
        found if found == ty => Ok(()),
        found => Err(Mismatch::NotAlike(declared, found, ty)),
    }
}

impl Family1 {
    fn argument(&mut self, catalog: Catalog<'_>, declared: Oid, actual: Oid) -> Checked<()> {
        self.arguments += 1;
        self.nonarray |= declared == oid::ANYNONARRAY;
        self.an_enum |= declared == oid::ANYENUM;
        self.wants_multirange |= declared == oid::ANYMULTIRANGE;
        if actual == oid::UNKNOWN {
            self.unknowns = true;
            return Ok(());
        }
        match declared {
            oid::ANYARRAY => agree(&mut self.array, "anyarray", catalog.base_type(actual)),
            oid::ANYRANGE => agree(&mut self.range, "anyrange", catalog.base_type(actual)),
            oid::ANYMULTIRANGE => agree(&mut self.multirange, "anymultirange", catalog.base_type(actual)),
            _ => agree(&mut self.element, "anyelement", actual),
        }
    }

    /// Derives the types from one another, or finds that they do not fit.
    fn unify(&mut self, catalog: Catalog<'_>) -> Checked<()> {
        if let Some(array) = self.array {
            let element = match array {
                // A column of `pg_statistic`.
                oid::ANYARRAY => self.element.unwrap_or(oid::ANYELEMENT),
                _ => catalog.element_type(array).ok_or(Mismatch::IsNot("anyarray", "an array", array))?,
            };
            let found = *self.element.get_or_insert(element);
            if found != element {
                return Err(Mismatch::NotConsistent(["anyarray", "anyelement"], array, found));
            }
        }
        if let Some(multirange) = self.multirange {
            let is_not = Mismatch::IsNot("anymultirange", "a multirange type", multirange);
            let range = catalog.multirange_range(multirange).ok_or(is_not)?;
            let found = *self.range.get_or_insert(range);
            if found != range {
                return Err(Mismatch::NotConsistent(["anymultirange", "anyrange"], multirange, found));
            }
        } else if let Some(range) = self.range.filter(|_| self.wants_multirange) {
            self.multirange = catalog.range_multirange(range);
        }
        if let Some(range) = self.range {
            let subtype = catalog.range_subtype(range);
            let subtype = subtype.ok_or(Mismatch::IsNot("anyrange", "a range type", range))?;
            let found = *self.element.get_or_insert(subtype);
            if found != subtype {
                return Err(Mismatch::NotConsistent(["anyrange", "anyelement"], range, found));
            }
        }
        Ok(())
    }

    /// What else is asked of the element's type.
    fn check_element(&self, catalog: Catalog<'_>) -> Checked<()> {
        match self.element {
            Some(oid::ANYELEMENT) => Ok(()),
            Some(element) if self.nonarray && catalog.is_array_domain(element) => {
                Err(Mismatch::IsArray("anynonarray", element))
            }
            Some(element) if self.an_enum && !catalog.is_enum(element) => Err(Mismatch::IsNoEnum(element)),
            // That a literal is a value of an enum, nothing says.
            None if self.an_enum => Err(Mismatch::Unknown("")),
            _ => Ok(()),
        }
    }

    fn array(&mut self, catalog: Catalog<'_>) -> Checked<Oid> {
        if let Some(array) = self.array {
            return Ok(array);
        }
        let element = self.element.ok_or(Mismatch::Unknown(""))?;
        let array = catalog.array_type(element).ok_or(Mismatch::NoArrayType(element))?;
        self.array = Some(array);
        Ok(array)
    }

    /// The type for which a declared one stands; `None`: it is not of this family.
    fn resolve(&mut self, catalog: Catalog<'_>, declared: Oid) -> Checked<Option<Oid>> {
        Ok(Some(match declared {
            oid::ANYELEMENT | oid::ANYNONARRAY | oid::ANYENUM => self.element.ok_or(Mismatch::Unknown(""))?,
            oid::ANYARRAY => self.array(catalog)?,
            oid::ANYRANGE => self.range.ok_or(Mismatch::Unknown(" anyrange"))?,
            oid::ANYMULTIRANGE => self.multirange.ok_or(Mismatch::Unknown(" anymultirange"))?,
            _ => return Ok(None),
        }))
    }
}

impl Family2 {
    fn wants(&mut self, declared: Oid) {
        self.nonarray |= declared == oid::ANYCOMPATIBLENONARRAY;
        self.wants_array |= declared == oid::ANYCOMPATIBLEARRAY;
        self.wants_range |= declared == oid::ANYCOMPATIBLERANGE;
        self.wants_multirange |= declared == oid::ANYCOMPATIBLEMULTIRANGE;
    }

    fn argument(&mut self, catalog: Catalog<'_>, declared: Oid, actual: Oid) -> Checked<()> {
        self.any = true;
        self.wants(declared);
        if actual == oid::UNKNOWN {
            return Ok(());
        }
        let base = catalog.base_type(actual);
        match declared {
            oid::ANYCOMPATIBLEARRAY => {
                let element = catalog.element_type(base);
                self.types.push(element.ok_or(Mismatch::IsNot("anycompatiblearray", "an array", base))?);
            }
            oid::ANYCOMPATIBLERANGE => {
                let first = self.range.is_none();
                agree(&mut self.range, "anycompatiblerange", base)?;
                let subtype = catalog.range_subtype(base);
                let subtype = subtype.ok_or(Mismatch::IsNot("anycompatiblerange", "a range type", base))?;
                if first {
                    self.subtype = Some(subtype);
                    self.types.push(subtype);
                }
            }
            oid::ANYCOMPATIBLEMULTIRANGE => {
                agree(&mut self.multirange, "anycompatiblemultirange", base)?;
                let is_not = Mismatch::IsNot("anycompatiblemultirange", "a multirange type", base);
                catalog.multirange_range(base).ok_or(is_not)?;
            }
            _ => self.types.push(actual),
        }
        Ok(())
    }

    /// Finds the common type, or that there is none.
    fn unify(&mut self, catalog: Catalog<'_>) -> Checked<()> {
        if let Some(multirange) = self.multirange {
            let range = catalog.multirange_range(multirange).expect("looked at before");
            match self.range {
                Some(found) if found != range => {
                    let declared = ["anycompatiblemultirange", "anycompatiblerange"];
                    return Err(Mismatch::NotConsistent(declared, multirange, found));
                }
                Some(_) => {}
                None => {
                    let is_not = Mismatch::IsNot("anycompatiblemultirange", "a multirange type", multirange);
                    let subtype = catalog.range_subtype(range).ok_or(is_not)?;
                    self.range = Some(range);
                    self.subtype = Some(subtype);
                    self.wants_range = true;
                    self.types.push(subtype);
                }
            }
        } else if let Some(range) = self.range.filter(|_| self.wants_multirange) {
            self.multirange = catalog.range_multirange(range);
        }
        if self.types.is_empty() {
            return Ok(());
        }
        let (common, _) = common_type(catalog, &self.types).map_err(Mismatch::NoCommonType)?;
        if !verify_common_type(catalog, common, &self.types) {
            return Err(Mismatch::NotCastable);
        }
        if self.nonarray && catalog.is_array_domain(common) {
            return Err(Mismatch::IsArray("anycompatiblenonarray", common));
        }
        if let (Some(range), Some(subtype)) = (self.range, self.subtype)
            && subtype != common
        {
            return Err(Mismatch::RangeDiffers(range, common));
        }
        self.common = Some(common);
        Ok(())
    }

    /// Decides what is still open: literals alone are texts, but no literal is a range.
    fn decide(&mut self, catalog: Catalog<'_>) -> Checked<()> {
        let common = *self.common.get_or_insert(oid::TEXT);
        if self.wants_array {
            self.array = Some(catalog.array_type(common).ok_or(Mismatch::NoArrayType(common))?);
        }
        if self.wants_range && self.range.is_none() {
            return Err(Mismatch::Unknown(" anycompatiblerange"));
        }
        if self.wants_multirange && self.multirange.is_none() {
            return Err(Mismatch::Unknown(" anycompatiblemultirange"));
        }
        Ok(())
    }

    /// The type for which a declared one stands; `None`: it is not of this family.
    fn resolve(&self, declared: Oid) -> Option<Oid> {
        match declared {
            oid::ANYCOMPATIBLE | oid::ANYCOMPATIBLENONARRAY => self.common,
            oid::ANYCOMPATIBLEARRAY => self.array,
            oid::ANYCOMPATIBLERANGE => self.range,
            oid::ANYCOMPATIBLEMULTIRANGE => self.multirange,
            _ => None,
        }
    }
}

fn gather(
    catalog: Catalog<'_>,
    actual: &[Oid],
    declared: &[Oid],
    mut one: Family1,
    mut two: Family2,
) -> Checked<(Family1, Family2)> {
    for (&actual, &declared) in actual.iter().zip(declared) {
        if is_family_1(declared) {
            one.argument(catalog, declared, actual)?;
        } else if is_family_2(declared) {
            two.argument(catalog, declared, actual)?;
        }
    }
    Ok((one, two))
}

/// Whether a call with arguments of these types may mean a function that is declared so (`check_generic_type_consistency`).
pub fn check_generic_type_consistency(catalog: Catalog<'_>, actual: &[Oid], declared: &[Oid]) -> bool {
    let check = || {
        let (mut one, mut two) = gather(catalog, actual, declared, Family1::default(), Family2::default())?;
        one.unify(catalog)?;
        one.check_element(catalog)?;
        two.unify(catalog)
    };
    check().is_ok()
}

/// Makes sure that a function can be called with arguments of these types, and puts into `declared` what literals of unknown
/// type and arguments of the second family have to become. Gives the type of the result
/// (`enforce_generic_type_consistency`). Fails with 42804 or 42704.
pub fn enforce_generic_type_consistency(
    catalog: Catalog<'_>,
    actual: &[Oid],
    declared: &mut [Oid],
    result: Oid,
) -> Result<Oid> {
    enforce(catalog, actual, declared, result).map_err(|mismatch| mismatch.report(catalog))
}

fn enforce(catalog: Catalog<'_>, actual: &[Oid], declared: &mut [Oid], result: Oid) -> Checked<Oid> {
    let one = Family1 {
        nonarray: result == oid::ANYNONARRAY,
        an_enum: result == oid::ANYENUM,
        wants_multirange: result == oid::ANYMULTIRANGE,
        ..Family1::default()
    };
    let mut two = Family2::default();
    two.wants(result);
    let (mut one, mut two) = gather(catalog, actual, declared, one, two)?;
    if one.arguments == 0 && !two.any {
        // Some built-in functions have a polymorphic result all the same.
        return Ok(result);
    }
    if one.arguments > 0 {
        let guess_element = one.arguments != 1 || (result != oid::ANYARRAY && is_family_1(result));
        if one.array == Some(oid::ANYARRAY) && guess_element {
            return Err(Mismatch::ElementOfAnyArray);
        }
        one.unify(catalog)?;
        one.element.ok_or(Mismatch::Unknown(""))?;
        one.check_element(catalog)?;
    }
    if two.any {
        two.unify(catalog)?;
        two.decide(catalog)?;
    }
    for (&actual, declared) in actual.iter().zip(declared) {
        if let Some(resolved) = two.resolve(*declared) {
            *declared = resolved;
        } else if actual == oid::UNKNOWN
            && let Some(resolved) = one.resolve(catalog, *declared)?
        {
            *declared = resolved;
        }
    }
    match two.resolve(result) {
        Some(resolved) => Ok(resolved),
        None => Ok(one.resolve(catalog, result)?.unwrap_or(result)),
    }
}

/// The type that an argument has when it has been converted to a declared type (what `coerce_type` makes of it): the
/// polymorphic ones that are left stand for the argument's own, or the one under its domain.
pub fn coerced_type(catalog: Catalog<'_>, actual: Oid, declared: Oid) -> Oid {
    match declared {
        oid::ANY | oid::ANYELEMENT | oid::ANYNONARRAY | oid::ANYCOMPATIBLE | oid::ANYCOMPATIBLENONARRAY => actual,
        _ if is_polymorphic(declared) && actual != oid::UNKNOWN => catalog.base_type(actual),
        _ => declared,
    }
}
