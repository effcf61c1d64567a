# The folder in which the command lines of one page run, one after another. Before each line, what it
# reads is there: as the line before left it, where that will do, and else made by a peer (SQLite,
# SQLCipher 4.19). What it makes is not there. What a page assumes beyond that stands in `given.py`.
import glob
import os
import re
import shlex
import shutil
import subprocess

from support import key_stores, peers, program, samples

RAW, OTHER = "x'" + "a1b2c3d4" * 8 + "'", "x'" + "0badcafe" * 8 + "'"
KEY_FILES = {"app.key": RAW, "old.key": RAW, "new.key": OTHER}
USERS = "CREATE TABLE users(name); INSERT INTO users VALUES ('a'), ('b'), ('c');"
CONTENT = samples.SAMPLE + USERS + "PRAGMA user_version = 7;"
FILES = {
    "001_people.sql": "CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT);\n",
    "002_add_birthday.sql": "ALTER TABLE people ADD COLUMN birthday TEXT;\n",
    "20260131120000.sql": "ALTER TABLE people ADD COLUMN phone TEXT;\n",
}
FIRST = (FILES["001_people.sql"] + "CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL);"
         "INSERT INTO schema_migrations VALUES(1);")
# Options that name what else an encrypted database has than format 4, and the PRAGMAs for it.
SETTINGS = {"--kdf-iter": "kdf_iter", "--source-page-size": "cipher_page_size",
            "--source-format": "cipher_compatibility"}


class Sandbox:
    """One page's folder, home and desktop session."""

    def __init__(self, folder):
        self.folder, self._desktop, self.at_end = folder, None, []
        (folder / "bin").mkdir()
        (folder / "bin/dbseal").symlink_to(program.BIN)
        (folder / "bin/sqlcipher").symlink_to(peers.SHELL_NEW)
        for name in ("completions", "Docs", "packaging"):
            (folder / name).symlink_to(program.ROOT / name)
        for name, key in KEY_FILES.items():
            self.key_file(name, key)
        (folder / "migrations").mkdir()
        for name, text in FILES.items():
            (folder / "migrations" / name).write_text(text)
        self.program("pass", f'[ "$*" = "show app/db" ] && echo "{RAW}"')
        self.program("other-program", 'read -r key && test -n "$key"')
        self.env = {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder / "home"),
                    "XDG_CONFIG_HOME": str(folder / "home/.config"), "LC_ALL": "C.UTF-8",
                    "KEY": RAW}
        (folder / "home").mkdir()

    def key_file(self, name, *keys):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(key + "\n" for key in keys))
        path.chmod(0o600)

    def program(self, name, script):
        """A stand-in for a program that the page calls; `Tests/Scripts/test_key_recipes.py` runs
        the real ones."""
        path = self.folder / "bin" / name
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)

    @property
    def desktop(self):
        """A session with GNOME Keyring, from the first line on that wants one."""
        if self._desktop is None:
            self._desktop = key_stores.Desktop()
            self.env.update(self._desktop.env)
        return self._desktop

    def close(self):
        for action in self.at_end:
            action()
        if self._desktop is not None:
            self._desktop.close()

    def plain(self, name, script=CONTENT):
        self.remove(name)
        (self.folder / name).parent.mkdir(exist_ok=True)
        return samples.plain(self.folder / name, script)

    def sealed(self, name, key=RAW, pragmas=(), script=CONTENT):
        self.remove(name)
        (self.folder / name).parent.mkdir(exist_ok=True)
        return peers.create_sealed(
            self.folder / name, key, pragmas, lambda connection: connection.executescript(script))

    def remove(self, *names):
        """Takes away what there is of these, with what lies beside."""
        for name in names:
            path = self.folder / name
            if path.is_dir():
                shutil.rmtree(path)
                continue
            for each in glob.glob(glob.escape(str(path)) + "*"):
                if each.removeprefix(str(path)) in ("", "-wal", "-shm", "-journal"):
                    os.remove(each)

    def opens(self, name, key, pragmas=(), table="people"):
        """Whether a peer opens it so, and it has the table; without a key, whether SQLite does."""
        if not (self.folder / name).is_file():
            return False
        try:
            database = (peers.sealed(self.folder / name, key, pragmas) if key
                        else peers.plain(self.folder / name))
            assert not key or not database.execute("PRAGMA cipher_integrity_check").fetchall()
            database.execute(f"SELECT count(*) FROM {table}").fetchall()
        except Exception:
            return False
        database.close()
        return True

    def run(self, text, shell, answers=(), typed="", timeout=60):
        """Its exit status, and all that it prints, in its order. `typed` is its standard input."""
        program.forget_all()
        arguments = {"bash": ["bash", "-o", "pipefail", "-c", text], "zsh": ["zsh", "-fc", text],
                     "fish": ["fish", "--no-config", "-c", text]}[shell]
        if answers:
            done = program.run_tty(*arguments[1:], answers=answers, env=self.env, cwd=self.folder,
                                   binary=shutil.which(shell), timeout=timeout)
            return done.exit, done.text.replace("\r\n", "\n")
        done = subprocess.run(
            arguments, input=typed.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=program.clean_env(self.env), cwd=self.folder, timeout=timeout)
        return done.returncode, done.stdout.decode()


def words(text):
    """The words of the first call of dbseal in a command line."""
    found = re.search(r"\bdbseal\s+(encrypt|decrypt|rekey|verify|migrate|inspect|key)\b.*", text,
                      re.DOTALL)
    if not found:
        return []
    line = found.group(0).replace("\\\n", " ")
    if "'dbseal" in text:
        line = line.replace("'", " ")  # the line of another program has ours as an argument
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&()")
    lexer.whitespace_split, lexer.commenters = True, "#"
    result = []
    for word in lexer:
        if set(word) <= set("|;&()"):
            break
        result.append(word)
    return result[1:]


def prepare(box, text):
    """Makes what the line reads, removes what it makes; the answers to its questions."""
    for folder in re.findall(r"^mkdir (?:-p )?(\S+)", text):
        box.remove(folder)
    call = words(text)
    if not call:
        return []
    command, files = call[0], [word for word in call[1:] if re.search(r"\.db$|\*$", word)]
    value = {option: call[at + 1] for at, option in enumerate(call[:-1]) if option.startswith("--")}
    if command == "key":
        return prepare_key(box, call, value)
    if "--output-dir" in value:
        (box.folder / value["--output-dir"]).mkdir(exist_ok=True)
        for name in os.listdir(box.folder / value["--output-dir"]):
            os.remove(box.folder / value["--output-dir"] / name)
    key = key_in_force(box, call, value)
    listed = re.match(r"find (\S+) -name '\*.db'", text)
    files += [f"{listed.group(1)}/*.db"] if listed else []
    sources, target = operands(box, command, files, value)
    for source in sources:
        prepare_source(box, command, source, key, value, call)
    if target and "--force" not in call:
        box.remove(target)
    for source in sources if "--backup" in value else ():
        box.remove(source + value["--backup"])
    if "--against" in value and not box.opens(value["--against"], None):
        box.plain(value["--against"])
    if "--try-keys" in value:
        box.key_file(value["--try-keys"], OTHER, RAW)
    return answers(command, call, value)


def operands(box, command, files, value):
    """The databases that are read, and the one that is made."""
    files = [name for name in files if name != value.get("--against")]
    folders = [os.path.dirname(name) for name in files if "*" in name]
    if folders:
        for name in glob.glob(str(box.folder / folders[0] / "*.db")):
            os.remove(name)
        return [os.path.join(folders[0], name) for name in ("one.db", "two.db")], None
    several = command in ("verify", "inspect") or {
        "--schema", "--output-dir", "--files-from"} & set(value)
    if several or len(files) == 1:
        return files, None
    return files[:1], files[1]


def key_in_force(box, call, value):
    """The key that the line names for the database that is there before it."""
    if "--keyring" in value:
        box.desktop.keep(value["--keyring"], RAW.encode())
        if "--create" in call:
            forget(box, value["--keyring"])
        if "--new-keyring" in value:
            box.desktop.keep(value["--new-keyring"], OTHER.encode())
    named = box.folder / value.get("--key-file", "-")
    return named.read_text().strip() if named.is_file() else RAW


def forget(box, name):
    subprocess.run(["secret-tool", "clear", "service", "dbseal", "account", name],
                   env=box.desktop.full)
    assert box.desktop.lookup(name) is None


def prepare_source(box, command, source, key, value, call):
    migrates = command == "migrate" and "--schema" in value
    script, table = (FIRST, "schema_migrations") if migrates else (CONTENT, "people")
    pragmas = [(SETTINGS[option], value[option]) for option in value if option in SETTINGS]
    if "--create" in call and migrates:
        box.remove(source)
    elif command == "encrypt" or (migrates and not names_key(call)):
        if not box.opens(source, None, table=table):
            box.plain(source, script)
    else:
        if command == "migrate" and not migrates:
            pragmas = [("cipher_compatibility", 3)]
        if not box.opens(source, key, pragmas, table):
            box.sealed(source, key, pragmas, script)


def names_key(call):
    return any(word.startswith(("--key", "--try-keys")) for word in call)


def prepare_key(box, call, value):
    """A key that is made is not there before, and one that is used is."""
    if "--output" in value:
        box.remove(value["--output"])
    name = value.get("--keyring", call[-1])
    if "--keyring" in value or call[1] in ("store", "show", "delete", "list"):
        if call[1] in ("generate", "store"):
            forget(box, name)
        else:
            box.desktop.keep(name, RAW.encode())
    return [(f"Key {name}", OTHER), ("again", OTHER)] if call[1] == "store" else []


def answers(command, call, value):
    """What is typed where the line names no key."""
    if names_key(call) or "--manifest" in value:
        return []
    if command == "encrypt":
        return [("New key of", RAW), ("again", RAW)]
    if command == "rekey":
        return [("Key of", RAW), ("New key of", OTHER), ("again", OTHER)]
    return [("Key of", RAW)] if command in ("decrypt", "verify") or "--query" in value else []
