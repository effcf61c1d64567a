"""Opens and writes databases for the tests, with the SQLCipher of the Python that runs it.

Standard input: a JSON list of jobs {"path", "key", "pragmas": [[name, value], ...]} and, to write
a new database, "sql". Standard output: a JSON list of answers: {"integrity", "cipher", "content"}
or {"error"}. "cipher" is the answer of cipher_integrity_check, [] where all is well; "content" is
every row of every table. "plain" jobs are answered by Python's own SQLite.
"""

import json
import sqlite3
import sys

from sqlcipher3 import dbapi2 as sqlcipher


def pragma(name, value):
    return f'PRAGMA {name} = "{value}"' if value.startswith("x'") else f"PRAGMA {name} = {value}"


def content(db):
    names = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    rows = [("PRAGMA user_version", db.execute("PRAGMA user_version").fetchall())]
    for name, sql in names.fetchall():
        rows.append((sql, db.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall()))
    return repr(rows)


def answer(job):
    if job.get("plain"):
        db = sqlite3.connect(job["path"])
        return {"integrity": db.execute("PRAGMA integrity_check").fetchall(), "cipher": [],
                "content": content(db)}
    db = sqlcipher.connect(job["path"], isolation_level=None)
    db.execute("PRAGMA cipher_log_level = NONE").fetchall()
    db.execute("PRAGMA key = '" + job["key"].replace("'", "''") + "'")
    # The mask is a variable of the whole process: an earlier job may have changed it.
    db.execute(pragma("cipher_hmac_salt_mask", "x'3a'"))
    for name, value in job["pragmas"]:
        db.execute(pragma(name, value))
    if "sql" in job:
        db.executescript(job["sql"])
    return {"integrity": db.execute("PRAGMA integrity_check").fetchall(),
            "cipher": db.execute("PRAGMA cipher_integrity_check").fetchall(),
            "content": content(db)}


def safely(job):
    try:
        return answer(job)
    except Exception as error:  # any failure is an answer
        return {"error": str(error)}


json.dump([safely(job) for job in json.load(sys.stdin)], sys.stdout)
