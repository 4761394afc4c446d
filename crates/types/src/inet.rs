//! `inet`: the address of a host, with the bits of its network.
//!
//! A value's bytes compare as values do: the family, the network's address (the host's bits are 0), the network's bits, the
//! host's address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray};

use crate::base_type::{BaseType, value};
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
    network_cmp(inet, inet) -> int4 = |a: Inet, b: Inet| Result::Ok(memcmp(a.to_bytes(), b.to_bytes()));
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
            // The last two are an address of the fourth version, unless they are too small for one.
            [0, 0, 0, 0, 0, 0, high, low] if (high, low) != (0, 0) && (high, low) != (0, 1) => {
                format!("::{}", Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
            }
            _ => address.to_string(),
        },
    }
}

fn parse(text: &str) -> Option<Inet> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(parse_bits(bits)?)),
        None => (text, None),
    };
    let address: IpAddr = match address.contains(':') {
        true => address.parse::<Ipv6Addr>().ok()?.into(),
        false => parse_ipv4(address, bits)?.into(),
    };
    let bits = bits.unwrap_or(most_bits(address));
    (bits <= most_bits(address)).then_some(Inet { address, bits })
}

/// Digits without zeros before them.
fn parse_bits(text: &str) -> Option<u8> {
    let well_formed = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if well_formed { text.parse().ok() } else { None }
}

/// Octets that the network does not need may be left out where its bits are given.
fn parse_ipv4(text: &str, bits: Option<u8>) -> Option<Ipv4Addr> {
    let mut octets = [0; 4];
    let mut count = 0;
    for part in text.split('.') {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *octets.get_mut(count)? = part.parse().ok()?;
        count += 1;
    }
    let enough = bits.map_or(4, |bits| usize::from(bits) / 8);
    (count >= enough).then_some(octets.into())
}

fn receive(bytes: &[u8]) -> Result<Inet> {
    let wrong = |what: &str| Err(Error::new("22P03", format!("invalid {what} in external \"inet\" value")));
    let [number, bits, _cidr, length, octets @ ..] = bytes else {
        return Err(Error::new("08P01", "insufficient data left in message"));
    };
    let (number, bits, length) = (*number, *bits, usize::from(*length));
    let most = match number {
        IPV4 => 4,
        IPV6 => 16,
        _ => return wrong("address family"),
    };
    if usize::from(bits) > most * 8 {
        return wrong("bits");
    }
    if length != most {
        return wrong("length");
    }
    if octets.len() < most {
        return Err(Error::new("08P01", "insufficient data left in message"));
    }
    let address = match (<[u8; 4]>::try_from(octets), <[u8; 16]>::try_from(octets)) {
        (Ok(four), _) => IpAddr::from(four),
        (_, Ok(sixteen)) => IpAddr::from(sixteen),
        _ => return Err(Error::new("22P03", "incorrect binary data format")),
    };
    Ok(Inet { address, bits })
}
