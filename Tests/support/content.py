# What a database holds, read through SQL by a judge: the header's values, the schema's rows, every
# row of every table with its rowid and each value's storage class. Two databases are equal in
# content when these are equal, whatever key, format, page size or free space they have.
import hashlib

# Tables longer than this are compared by digest, so that a failure stays readable.
SHOWN = 500
PRAGMAS = ("user_version", "application_id", "encoding", "auto_vacuum")


def name(identifier):
    return b'"' + identifier.replace(b'"', b'""') + b'"'


def _statement(connection, sql):
    # Identifiers are bytes: odd names come back exactly as they went in.
    return connection.execute(sql.decode("utf-8", "surrogateescape"))


def content(connection, schema=True):
    """Everything, in a form that == compares and pytest can show."""
    found = {}
    for pragma in PRAGMAS:
        found[pragma] = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    connection.execute("PRAGMA writable_schema=ON")  # tolerates a schema that does not parse
    rows = connection.execute(
        "SELECT rowid, type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid").fetchall()
    connection.execute("PRAGMA writable_schema=OFF")
    if schema:
        found["schema"] = rows
    for _, kind, label, _, sql in rows:
        if kind[1] == b"table" and not (sql and sql[1][:20].upper().startswith(b"CREATE VIRTUAL")):
            found[label[1]] = table(connection, label[1])
    return found


def table(connection, label):
    """Rows of one table in their own order, rowids first where it has them."""
    columns = [row[1][1].lower() for row in
               _statement(connection, b"PRAGMA table_info(" + name(label) + b")")]
    rowid = next((w for w in (b"rowid", b"_rowid_", b"oid") if w not in columns), None)
    source = b" FROM main." + name(label) + b" NOT INDEXED"
    try:
        cursor = _statement(connection, b"SELECT " + rowid + b", *" + source)
    except Exception as error:
        if "no such column" not in str(error):
            raise
        cursor = _statement(connection, b"SELECT *" + source)
    return rows(cursor)


def rows(cursor):
    """Rows as tuples that tell 1 from 1.0 and text from blobs; a digest where there are many."""
    shown, digest, count = [], hashlib.sha256(), 0
    for row in cursor:
        row = tuple(_value(value) for value in row)
        digest.update(repr(row).encode())
        count += 1
        if count <= SHOWN:
            shown.append(row)
    return shown if count <= SHOWN else {"rows": count, "sha256": digest.hexdigest()}


def _value(value):
    if isinstance(value, float):
        return ("real", repr(value))
    if isinstance(value, (bytes, memoryview)):
        value = bytes(value)
        return ("blob", value if len(value) < 200 else hashlib.sha256(value).hexdigest())
    if isinstance(value, tuple) and len(value[1]) >= 200:
        return ("text", hashlib.sha256(value[1]).hexdigest())
    return value
