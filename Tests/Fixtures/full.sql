-- What the fixtures hold: text, numbers and NULL, a table without rowid, and a blob that overflows.
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL, note);
INSERT INTO person VALUES(1, 'Ada', 1.5, NULL);
INSERT INTO person VALUES(2, 'Grüße, 世界', -2.25, x'00ff10');
INSERT INTO person VALUES(9000000000, 'it''s', 1e300, 'line' || char(10) || 'break');
CREATE TABLE setting(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO setting VALUES('colour', 'green');
INSERT INTO setting VALUES('size', 12);
CREATE TABLE file(name TEXT, body BLOB);
INSERT INTO file
  WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 1100)
  SELECT 'numbers', CAST(group_concat(n, ' ') AS BLOB) FROM counter;
PRAGMA user_version = 7;
