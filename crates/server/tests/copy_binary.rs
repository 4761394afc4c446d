//! COPY FROM in binary format: what real PostgreSQL 18 wrote is read, however it is cut into messages, and what is damaged is
//! refused as PostgreSQL refuses it.

use bytes::Bytes;
use futures::SinkExt;
use testkit::{Server, code};
use tokio_postgres::{Client, SimpleQueryMessage};

const TABLE: &str = "CREATE TABLE t(i int, b bigint, s smallint, t text, v varchar(5), n numeric(10,2), f float8, d date, \
                     ts timestamptz, k boolean, u uuid, y bytea, c char(3))";

/// PostgreSQL's `COPY t TO STDOUT (FORMAT binary)` of three rows.
const DATA: &str = "5047434f50590aff0d0a000000000000000000000d000000040000000100000008fffffffffffffffe00000002000300000002c3a40000\
    00036162630000000e0003000140000002000109291a2c000000083ff80000000000000000000400002279000000080002b0ead7f903b0\
    000000010100000010000000000000000000000000000000ff0000000200ff00000003782020000dffffffffffffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff000d000000047fffffff000000087fffffff\
    ffffffff0000000280000000000000000000000000080000000000000002000000087ff8000000000000000000047fffffff0000000880\
    000000000000000000000100ffffffff0000000000000003616263ffff";

fn data() -> Vec<u8> {
    (0..DATA.len()).step_by(2).map(|at| u8::from_str_radix(&DATA[at..at + 2], 16).unwrap()).collect()
}

/// Sends the data in pieces of so many bytes.
async fn copy(client: &Client, data: &[u8], piece: usize) -> Result<u64, tokio_postgres::Error> {
    let sink = client.copy_in::<_, Bytes>("COPY t FROM STDIN (FORMAT binary)").await?;
    let mut sink = Box::pin(sink);
    for piece in data.chunks(piece) {
        sink.send(Bytes::copy_from_slice(piece)).await?;
    }
    sink.as_mut().finish().await
}

async fn rows(client: &Client) -> Vec<String> {
    let mut rows = Vec::new();
    for message in client.simple_query("SELECT * FROM t").await.unwrap() {
        if let SimpleQueryMessage::Row(row) = message {
            let values = (0..row.len()).map(|at| row.get(at).unwrap_or("NULL"));
            rows.push(values.collect::<Vec<_>>().join("|"));
        }
    }
    rows
}

#[tokio::test]
async fn what_postgresql_wrote_is_read() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("SET timezone = 'UTC'").await.unwrap();
    client.batch_execute(TABLE).await.unwrap();
    for piece in [1, 2, 7, 64, 1 << 20] {
        client.batch_execute("TRUNCATE t").await.unwrap();
        assert_eq!(copy(&client, &data(), piece).await.unwrap(), 3, "pieces of {piece}");
        let null = ["NULL"; 13].join("|");
        let expected = [
            "1|-2|3|ä|abc|-12345.67|1.5|2024-02-29|2024-01-02 01:04:05.678+00|t|00000000-0000-0000-0000-0000000000ff|\\x00ff|x  ",
            null.as_str(),
            "2147483647|9223372036854775807|-32768|||0.00|NaN|infinity|-infinity|f|NULL|\\x|abc",
        ];
        assert_eq!(rows(&client).await, expected, "pieces of {piece}");
    }
    // The mark of the end may be left out; half a row may not.
    client.batch_execute("TRUNCATE t").await.unwrap();
    let whole = data();
    assert_eq!(copy(&client, &whole[..whole.len() - 2], 100).await.unwrap(), 3);
    for cut in [5, 18, 30, whole.len() - 3] {
        let error = copy(&client, &whole[..cut], 100).await.unwrap_err();
        assert_eq!(code(&error), "22P04", "cut after {cut}");
    }
    assert_eq!(rows(&client).await.len(), 3);
}

#[tokio::test]
async fn damage_is_refused() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute(TABLE).await.unwrap();
    let whole = data();
    let changed = |at: usize, byte: u8| {
        let mut changed = whole.clone();
        changed[at] = byte;
        changed
    };
    // The signature, a critical flag, the number of fields, a length below nothing.
    for (at, byte) in [(0, b'X'), (12, 1), (20, 12), (21, 0x80)] {
        let error = copy(&client, &changed(at, byte), 1 << 20).await.unwrap_err();
        assert_eq!(code(&error), "22P04", "byte {at}: {error:?}");
    }
    let behind = [whole.as_slice(), b"x"].concat();
    assert_eq!(code(&copy(&client, &behind, 1 << 20).await.unwrap_err()), "22P04");
    for (refused, expected) in [("HEADER", "0A000"), ("DELIMITER ','", "42601"), ("NULL 'x'", "42601")] {
        let error = client.batch_execute(&format!("COPY t FROM STDIN (FORMAT binary, {refused})")).await.unwrap_err();
        assert_eq!(code(&error), expected);
    }
    assert!(rows(&client).await.is_empty());
}

/// A file with one row of one field.
fn of_one_text(text: &str) -> Vec<u8> {
    let head = [&b"PGCOPY\n\xff\r\n\0"[..], &[0; 8]].concat();
    [&head, &1u16.to_be_bytes()[..], &(text.len() as u32).to_be_bytes(), text.as_bytes(), &[0xff, 0xff]].concat()
}

#[tokio::test]
async fn texts_have_the_length_that_their_column_allows() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    for (ty, text, expected) in [
        ("varchar(3)", "äöü", Ok("äöü")),
        ("varchar(3)", "abc  ", Ok("abc")),
        ("varchar(3)", "abcd", Err("22001")),
        ("char(4)", "äöü", Ok("äöü ")),
        ("char(2)", "äöü", Err("22001")),
        ("text", "a\0b", Err("22021")),
    ] {
        client.batch_execute(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t(v {ty})")).await.unwrap();
        let copied = copy(&client, &of_one_text(text), 1 << 20).await;
        assert_eq!(copied.map_err(|error| code(&error)), expected.map(|_| 1).map_err(String::from), "{text} as {ty}");
        assert_eq!(rows(&client).await.first().map(String::as_str), expected.ok(), "{text} as {ty}");
    }
}

type Field<'a> = Option<&'a [u8]>;

/// A file of rows with these fields, which may be anything; `None`: NULL.
fn of_rows(rows: &[&[Field<'_>]]) -> Vec<u8> {
    let mut data = [&b"PGCOPY\n\xff\r\n\0"[..], &[0; 8]].concat();
    for row in rows {
        data.extend((row.len() as u16).to_be_bytes());
        for field in *row {
            data.extend(field.map_or(-1, |bytes| bytes.len() as i32).to_be_bytes());
            data.extend_from_slice(field.unwrap_or_default());
        }
    }
    data
}

/// Columns are read one after the other, many rows at once. What is told is the first row that is wrong, and of it the first
/// column; real PostgreSQL 18 says the same.
#[tokio::test]
async fn the_first_wrong_value_is_told() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE t(a text, i int, b varchar(3))").await.unwrap();
    let one: Field<'_> = Some(&[0, 0, 0, 1]);
    let (short, text): (Field<'_>, Field<'_>) = (Some(&[1]), Some(b"x"));
    let (half, other): (Field<'_>, Field<'_>) = (Some(b"\xc3"), Some(b"\xa4"));
    let long: Field<'_> = Some(b"abcd");
    let good: [Field<'_>; 3] = [text, one, None];
    let cases: [(&[&[Field<'_>]], &str, &str); 8] = [
        // Both halves of a character, each of which is none.
        (&[&[half, one, None], &[other, one, None]], "22021", "COPY t, line 1, column a"),
        (&[&good, &[None, None, None], &[half, one, text]], "22021", "COPY t, line 3, column a"),
        // A later column of an earlier row comes first, and an earlier column of the same.
        (&[&good, &[text, one, long], &[half, one, text]], "22001", "COPY t, line 2, column b"),
        (&[&good, &good, &[text, short, long]], "08P01", "COPY t, line 3, column i"),
        (&[&[text, one, long], &[text, short, None], &[half, None, None]], "22001", "COPY t, line 1, column b"),
        // Before what is wrong with how a row lies, too.
        (&[&good, &[text, short, None], &[text]], "08P01", "COPY t, line 2, column i"),
        (&[&good, &[text]], "22P04", "COPY t, line 2"),
        (&[&good, &[half, one, None], &[text, one, None, None]], "22021", "COPY t, line 2, column a"),
    ];
    for (rows, expected, place) in cases {
        for piece in [1, 1 << 20] {
            let error = copy(&client, &of_rows(rows), piece).await.unwrap_err();
            assert_eq!(code(&error), expected, "{place}");
            assert_eq!(error.as_db_error().and_then(|error| error.where_()), Some(place));
        }
    }
    // A field that is cut off behind one that is wrong.
    let mut data = of_rows(&[&good, &[text, short]]);
    let count = data.len() - 2 - 5 - 5;
    data[count..count + 2].copy_from_slice(&3u16.to_be_bytes());
    let error = copy(&client, &data, 1 << 20).await.unwrap_err();
    assert_eq!(
        (code(&error).as_str(), error.as_db_error().and_then(|e| e.where_())),
        ("08P01", Some("COPY t, line 2, column i"))
    );
    let error = copy(&client, &data[..data.len() - 5], 1 << 20).await.unwrap_err();
    assert_eq!(
        (code(&error).as_str(), error.as_db_error().and_then(|e| e.where_())),
        ("22P04", Some("COPY t, line 2, column i"))
    );
    assert_eq!(
        copy(&client, &of_rows(&[&good, &[None, None, None], &[Some(b"\xc3\xa4"), one, text]]), 3).await.unwrap(),
        3
    );
    assert_eq!(rows(&client).await, ["x|1|NULL", "NULL|NULL|NULL", "ä|1|x"]);
}

/// What real PostgreSQL 18 says of values that make no sense, word for word.
#[tokio::test]
async fn what_is_wrong_within_a_value_is_told() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE t(v text, n int[])").await.unwrap();
    let array = |ty: u32, length: u32| {
        let head = [1, 0, ty, 1, 1, length].map(u32::to_be_bytes).concat();
        [head, vec![0; length as usize]].concat()
    };
    let cases: [(&[u8], Vec<u8>, &str, &str); 4] = [
        (b"", array(23, 5), "22P03", "improper binary format in array element 1"),
        (b"", array(23, 3), "08P01", "insufficient data left in message"),
        (b"", array(195, 4), "42804", "binary data has array element type 195 (???) instead of expected 23 (integer)"),
        (b"ab\0c\xe8", array(23, 4), "22021", "invalid byte sequence for encoding \"UTF8\": 0x00"),
    ];
    let refused = async |data: &[u8]| {
        let error = copy(&client, data, 1 << 20).await.unwrap_err();
        let error = error.as_db_error().unwrap();
        (error.code().code().to_string(), error.message().to_string())
    };
    for (text, array, code, message) in cases {
        let (found, said) = refused(&of_rows(&[&[Some(text), Some(&array)]])).await;
        assert_eq!((found.as_str(), said.as_str()), (code, message));
    }
    let mut long = of_rows(&[&[Some(b"x"), None]]);
    long[21..25].copy_from_slice(&0x7f00_0004u32.to_be_bytes());
    let (code, message) = refused(&long).await;
    let expected = "string buffer exceeds maximum allowed length (1073741823 bytes)";
    assert_eq!((code.as_str(), message.as_str()), ("54000", expected));
}

#[tokio::test]
async fn a_duplicate_is_told_with_its_line() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute("CREATE TABLE t(id int PRIMARY KEY, k int UNIQUE); INSERT INTO t VALUES (5000, 0)")
        .await
        .unwrap();
    let load = async |ids: &[i32], condition: &str| {
        let bytes: Vec<[u8; 4]> = ids.iter().map(|id| id.to_be_bytes()).collect();
        let fields: Vec<[Field<'_>; 2]> = bytes.iter().map(|id| [Some(&id[..]), None]).collect();
        let rows: Vec<&[Field<'_>]> = fields.iter().map(|row| &row[..]).collect();
        let sink = client.copy_in::<_, Bytes>(&format!("COPY t FROM STDIN (FORMAT binary) {condition}")).await.unwrap();
        let mut sink = Box::pin(sink);
        sink.send(Bytes::from(of_rows(&rows))).await.unwrap();
        let error = sink.as_mut().finish().await.unwrap_err();
        assert_eq!(code(&error), "23505");
        error.as_db_error().unwrap().where_().unwrap().to_string()
    };
    assert_eq!(load(&[1, 2, 7, 4, 5, 6, 7], "").await, "COPY t, line 7");
    assert_eq!(load(&[1, 5000, 7], "").await, "COPY t, line 2");
    // Rows that are left out have lines, too.
    assert_eq!(load(&[1, 2, 3, 4, 8, 4], "WHERE id > 2").await, "COPY t, line 6");
    // Put into the indexes with those of other messages, and last.
    let many: Vec<i32> = (1..=2400).chain([1200]).chain(2401..=4000).collect();
    assert_eq!(load(&many, "").await, "COPY t, line 2401");
    assert_eq!(load(&(1..=3000).chain([3000]).collect::<Vec<i32>>(), "").await, "COPY t, line 3001");
}
