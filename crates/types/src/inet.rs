//! `inet`: the address of a host, with the bits of its network.
//!
//! A value's bytes compare as values do: the family, the network's address (the host's bits are 0), the network's bits, the
//! host's address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray};
use error::sqlstate;

use crate::base_type::{BaseType, LEFT_OVER, no_data_left, value};
use crate::column::{Put, SqlType};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::oid::{self, Oid};
use crate::sql::*;
use crate::text::compare::memcmp;
use crate::{functions, sql_type};

#[allow(non_camel_case_types)]
pub enum inet {}

impl SqlType for inet {
    const OID: Oid = oid::INET;
    type Value<'a> = Inet;
    type Array = BinaryArray;
    type Builder = BinaryBuilder;

    fn get(array: &BinaryArray, index: usize) -> Inet {
        Inet::from_bytes(array.value(index))
    }
    fn builder(rows: usize) -> BinaryBuilder {
        BinaryBuilder::with_capacity(rows, rows * 10)
    }
    fn put_null(builder: &mut BinaryBuilder) {
        builder.append_null();
    }
    fn finish(mut builder: BinaryBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Put<Inet> for inet {
    fn put(builder: &mut BinaryBuilder, value: Inet) {
        builder.append_value(value.to_bytes());
    }
}

sql_type!(inet);

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::INET,
    input: |_, text, _| match parse(text) {
        Some(value) => Ok(value.datum()),
        None => Err(Error::invalid_input("inet", text)),
    },
    output: |_, array, index, out| {
        out.extend(value::<inet>(array, index).text(false).into_bytes());
        Ok(())
    },
    receive: |_, bytes, _| receive(bytes).map(Inet::datum),
    send: |_, array, index, out| {
        let Inet { address, bits } = value::<inet>(array, index);
        let octets = octets(address);
        // No cidr, and so many bytes.
        out.extend([family(address), bits, 0, octets.len() as u8]);
        out.extend(octets);
        Ok(())
    },
}];

pub const FUNCTIONS: &[Function] = functions! {
    network_eq(inet, inet) -> boolean = |a, b| Result::Ok(a == b);
    network_ne(inet, inet) -> boolean = |a, b| Result::Ok(a != b);
    network_lt(inet, inet) -> boolean = |a: Inet, b: Inet| Result::Ok(a.to_bytes() < b.to_bytes());
    network_le(inet, inet) -> boolean = |a: Inet, b: Inet| Result::Ok(a.to_bytes() <= b.to_bytes());
    network_gt(inet, inet) -> boolean = |a: Inet, b: Inet| Result::Ok(a.to_bytes() > b.to_bytes());
    network_ge(inet, inet) -> boolean = |a: Inet, b: Inet| Result::Ok(a.to_bytes() >= b.to_bytes());
    network_cmp(inet, inet) -> int4 = |a, b| Result::Ok(compare(a, b));
    network_larger(inet, inet) -> inet =
        |a: Inet, b: Inet| Result::Ok(if a.to_bytes() > b.to_bytes() { a } else { b });
    network_smaller(inet, inet) -> inet =
        |a: Inet, b: Inet| Result::Ok(if a.to_bytes() < b.to_bytes() { a } else { b });
    host(inet) -> text = |a: Inet| Result::Ok(address_text(a.address));
    abbrev(inet) -> text = |a: Inet| Result::Ok(a.text(false));
    text(inet) -> text = |a: Inet| Result::Ok(a.text(true));
    family(inet) -> int4 = |a: Inet| Result::Ok(if a.address.is_ipv4() { 4 } else { 6 });
    masklen(inet) -> int4 = |a: Inet| Result::Ok(i32::from(a.bits));
    inet_same_family(inet, inet) -> boolean =
        |a: Inet, b: Inet| Result::Ok(a.address.is_ipv4() == b.address.is_ipv4());
};

/// PostgreSQL's numbers of the families.
const IPV4: u8 = 2;
const IPV6: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inet {
    address: IpAddr,
    /// Of the network.
    bits: u8,
}

impl From<IpAddr> for Inet {
    /// A host alone.
    fn from(address: IpAddr) -> Inet {
        Inet { address, bits: most_bits(address) }
    }
}

impl Inet {
    pub fn datum(self) -> Datum {
        Datum::bytes(self.to_bytes())
    }

    fn to_bytes(self) -> Vec<u8> {
        let octets = octets(self.address);
        let mut bytes = vec![family(self.address)];
        bytes.extend(octets.iter().zip(0..).map(|(octet, place)| octet & mask(self.bits, place)));
        bytes.push(self.bits);
        bytes.extend(octets);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Inet {
        let found = match bytes {
            [IPV4, _, _, _, _, bits, address @ ..] => <[u8; 4]>::try_from(address).map(|a| (IpAddr::from(a), *bits)),
            [IPV6, rest @ ..] => {
                let (_, rest) = rest.split_at(16.min(rest.len()));
                let (bits, address) = rest.split_first().unwrap_or((&0, &[]));
                <[u8; 16]>::try_from(address).map(|a| (IpAddr::from(a), *bits))
            }
            _ => unreachable!("the bytes of an inet"),
        };
        let (address, bits) = found.expect("the bytes of an inet");
        Inet { address, bits }
    }

    /// The network's bits are written where they are not all, or `always`.
    fn text(self, always: bool) -> String {
        let address = address_text(self.address);
        match always || self.bits != most_bits(self.address) {
            true => format!("{address}/{}", self.bits),
            false => address,
        }
    }
}

fn family(address: IpAddr) -> u8 {
    if address.is_ipv4() { IPV4 } else { IPV6 }
}

fn most_bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

/// The network's bits in an octet.
fn mask(bits: u8, octet: u8) -> u8 {
    let left = u32::from(bits.saturating_sub(octet * 8)).min(8);
    !(0xff_u32 >> left) as u8
}

fn address_text(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => match address.segments() {
            // The last two are an address of the fourth version, unless zeros reach into them.
            [0, 0, 0, 0, 0, 0, high, low] if high != 0 => {
                format!("::{}", Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
            }
            _ => address.to_string(),
        },
    }
}

/// The order of values, with the numbers of PostgreSQL's `network_cmp_internal`: networks count before their bits.
fn compare(a: Inet, b: Inet) -> i32 {
    if a.address.is_ipv4() != b.address.is_ipv4() {
        return i32::from(family(a.address)) - i32::from(family(b.address));
    }
    match compare_bits(a.address, b.address, a.bits.min(b.bits)) {
        0 if a.bits == b.bits => compare_bits(a.address, b.address, most_bits(a.address)),
        0 => i32::from(a.bits) - i32::from(b.bits),
        order => order,
    }
}

/// The order of the first bits of two addresses: of whole octets their difference, of bits behind them only its sign
/// (`bitncmp`).
fn compare_bits(a: IpAddr, b: IpAddr, bits: u8) -> i32 {
    let (a, b, whole) = (octets(a), octets(b), usize::from(bits / 8));
    let order = memcmp(&a[..whole], &b[..whole]);
    match (a.get(whole), b.get(whole)) {
        (Some(a), Some(b)) if order == 0 => {
            let rest = mask(bits, bits / 8);
            (a & rest).cmp(&(b & rest)) as i32
        }
        _ => order,
    }
}

fn parse(text: &str) -> Option<Inet> {
    let ipv6 = text.contains(':');
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(parse_bits(bits, ipv6)?)),
        None => (text, None),
    };
    let address: IpAddr = match ipv6 {
        true => parse_ipv6(address, bits.is_some())?.into(),
        false => parse_ipv4(address, bits)?.into(),
    };
    let bits = bits.unwrap_or(most_bits(address));
    (bits <= most_bits(address)).then_some(Inet { address, bits })
}

/// Digits; behind an address of the sixth version there are no zeros before them.
fn parse_bits(text: &str, ipv6: bool) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let zeros = text.len() > 1 && text.starts_with('0');
    if digits && !(ipv6 && zeros) { text.parse().ok() } else { None }
}

/// Octets that the network does not need may be left out where its bits are given. There may be a point behind the last one.
fn parse_ipv4(text: &str, bits: Option<u8>) -> Option<Ipv4Addr> {
    let (octets, count) = parse_octets(text.strip_suffix('.').unwrap_or(text).split('.'))?;
    let enough = bits.map_or(4, |bits| usize::from(bits) / 8);
    (count >= enough).then_some(octets)
}

/// As many as there are, and their number.
fn parse_octets<'a>(parts: impl Iterator<Item = &'a str>) -> Option<(Ipv4Addr, usize)> {
    let mut octets = [0; 4];
    let mut count = 0;
    for part in parts {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *octets.get_mut(count)? = part.parse().ok()?;
        count += 1;
    }
    Some((octets.into(), count))
}

/// The last two parts may be octets, of which some may be left out (`getv4`).
fn parse_ipv6(text: &str, with_bits: bool) -> Option<Ipv6Addr> {
    let (before, last) = text.rsplit_once(':')?;
    if last.contains('.') {
        let octets = parse_last_octets(last, with_bits)?;
        return format!("{before}:{octets}").parse().ok();
    }
    // Before the network's bits PostgreSQL takes a part's end for its colon.
    match last.is_empty() && with_bits && !before.ends_with(':') {
        true => before.parse().ok(),
        false => text.parse().ok(),
    }
}

/// An octet that is empty is 0, unless it ends the text. There are no zeros before others.
fn parse_last_octets(text: &str, with_bits: bool) -> Option<Ipv4Addr> {
    if !with_bits && text.ends_with('.') {
        return None;
    }
    let parts = || text.split('.');
    if parts().any(|part| part.len() > 1 && part.starts_with('0')) {
        return None;
    }
    Some(parse_octets(parts().map(|part| if part.is_empty() { "0" } else { part }))?.0)
}

fn receive(bytes: &[u8]) -> Result<Inet> {
    let wrong = |what: &str| {
        Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, format!("invalid {what} in external \"inet\" value")))
    };
    let mut rest = bytes.iter().copied();
    let mut next = || rest.next().ok_or_else(no_data_left);
    let number = next()?;
    let most = match number {
        IPV4 => 4,
        IPV6 => 16,
        _ => return wrong("address family"),
    };
    let bits = next()?;
    if bits > most * 8 {
        return wrong("bits");
    }
    // Whether it is a cidr.
    next()?;
    if next()? != most {
        return wrong("length");
    }
    let octets = (0..most).map(|_| next()).collect::<Result<Vec<u8>>>()?;
    let address = match (<[u8; 4]>::try_from(&*octets), <[u8; 16]>::try_from(&*octets)) {
        (Ok(four), _) if rest.len() == 0 => IpAddr::from(four),
        (_, Ok(sixteen)) if rest.len() == 0 => IpAddr::from(sixteen),
        _ => return Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, LEFT_OVER)),
    };
    Ok(Inet { address, bits })
}
