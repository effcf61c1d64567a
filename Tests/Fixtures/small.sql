-- What the fixtures with large pages hold: one table.
CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO note VALUES(1, 'small');
PRAGMA user_version = 7;
