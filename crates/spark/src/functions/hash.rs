//! `hash` (Spark's Murmur3, seed 42) and `md5`.

use datafusion::arrow::array::Array;
use datafusion::common::{Result, ScalarValue};
use lakelet_base::Diagnostic;

use super::row::{Arg, Definition, Returns, strict, variadic};
use super::value::{bytes, of_text};

pub(super) static FUNCTIONS: &[Definition] = &[
    variadic("hash", &[Arg::Any], 1, Returns::Int, |values, _| {
        let mut seed = 42;
        for value in values {
            seed = hashed(value, seed)?;
        }
        Ok(ScalarValue::Int32(Some(seed as i32)))
    }),
    strict("md5", &[Arg::TextOrBinary], 1, Returns::Text, |values, _| {
        let digest = md5(bytes(values, 0)?);
        Ok(of_text(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
    }),
];

fn hashed(value: &ScalarValue, seed: u32) -> Result<u32> {
    if value.is_null() {
        return Ok(seed);
    }
    Ok(match value {
        ScalarValue::Boolean(Some(value)) => hash_word(u32::from(*value), seed),
        ScalarValue::Int8(Some(value)) => hash_word(i32::from(*value) as u32, seed),
        ScalarValue::Int16(Some(value)) => hash_word(i32::from(*value) as u32, seed),
        ScalarValue::Int32(Some(value))
        | ScalarValue::Date32(Some(value))
        | ScalarValue::IntervalYearMonth(Some(value)) => hash_word(*value as u32, seed),
        ScalarValue::Int64(Some(value))
        | ScalarValue::TimestampMicrosecond(Some(value), _)
        | ScalarValue::DurationMicrosecond(Some(value)) => hash_long(*value, seed),
        // Zero has one hash, whatever its sign.
        ScalarValue::Float32(Some(value)) => hash_word(if *value == 0.0 { 0 } else { value.to_bits() }, seed),
        ScalarValue::Float64(Some(value)) => hash_long(if *value == 0.0 { 0 } else { value.to_bits() as i64 }, seed),
        ScalarValue::Decimal128(Some(value), precision, _) if *precision <= 18 => hash_long(*value as i64, seed),
        ScalarValue::Decimal128(Some(value), ..) => hash_bytes(shortest_big_endian(*value), seed),
        ScalarValue::Utf8(Some(text)) => hash_bytes(text.as_bytes(), seed),
        ScalarValue::Binary(Some(bytes)) => hash_bytes(bytes, seed),
        ScalarValue::List(list) if list.len() == 1 => {
            let mut seed = seed;
            for item in super::value::scalars(&list.value(0))? {
                seed = hashed(&item, seed)?;
            }
            seed
        }
        ScalarValue::Struct(fields) => {
            let mut seed = seed;
            for column in fields.columns() {
                seed = hashed(&ScalarValue::try_from_array(column, 0)?, seed)?;
            }
            seed
        }
        other => {
            return Err(datafusion::common::DataFusionError::External(Box::new(Diagnostic::unsupported(
                format_args!("hash of {}", lakelet_types::simple_string(&other.data_type())),
            ))));
        }
    })
}

/// Two's complement, as few bytes as it takes, as Java's BigInteger gives them.
fn shortest_big_endian(value: i128) -> Vec<u8> {
    let all = value.to_be_bytes();
    let filler = if value < 0 { 0xff } else { 0 };
    let mut start = 0;
    while start < 15 && all[start] == filler && (all[start + 1] ^ filler) & 0x80 == 0 {
        start += 1;
    }
    all[start..].to_vec()
}

fn mix_word(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

fn mix(seed: u32, word: u32) -> u32 {
    (seed ^ mix_word(word)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

fn finish(hash: u32, length: u32) -> u32 {
    let mut hash = hash ^ length;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

fn hash_word(word: u32, seed: u32) -> u32 {
    finish(mix(seed, word), 4)
}

fn hash_long(value: i64, seed: u32) -> u32 {
    finish(mix(mix(seed, value as u32), (value >> 32) as u32), 8)
}

fn hash_bytes(bytes: impl AsRef<[u8]>, seed: u32) -> u32 {
    let bytes = bytes.as_ref();
    let (words, rest) = bytes.as_chunks::<4>();
    let mut hash = seed;
    for word in words {
        hash = mix(hash, u32::from_le_bytes(*word));
    }
    // Spark mixes each byte of the rest as a word of its own, with its sign.
    for byte in rest {
        hash = mix(hash, i32::from(*byte as i8) as u32);
    }
    finish(hash, bytes.len() as u32)
}

const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// RFC 1321.
fn md5(message: &[u8]) -> [u8; 16] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64).wrapping_mul(8).to_le_bytes());
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.as_chunks::<64>().0 {
        let words: Vec<u32> = block.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64 {
            let (mixed, index) = match step / 16 {
                0 => ((b & c) | (!b & d), step),
                1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
                2 => (b ^ c ^ d, (3 * step + 5) % 16),
                _ => (c ^ (b | !d), (7 * step) % 16),
            };
            let constant = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let turned = a
                .wrapping_add(mixed)
                .wrapping_add(constant)
                .wrapping_add(words[index])
                .rotate_left(SHIFTS[step / 16][step % 4]);
            (a, d, c, b) = (d, c, b, b.wrapping_add(turned));
        }
        for (kept, new) in state.iter_mut().zip([a, b, c, d]) {
            *kept = kept.wrapping_add(new);
        }
    }
    let mut digest = [0; 16];
    for (out, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *out = word.to_le_bytes();
    }
    digest
}
