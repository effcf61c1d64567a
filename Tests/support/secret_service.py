#!/usr/bin/python3
"""A Secret Service for tests, on the session bus, that does as KeePassXC does and GNOME Keyring does not:
its one collection shows no items while it is locked, its search may open the dialog for the password,
and its item that is "replaced" loses what it held. What it is to do is in a JSON file, read at each call:

  locked        whether the collection is
  items         [{"attributes": {…}, "secret": "…"}], also while it is locked
  shows         shows its items while it is locked, as GNOME Keyring does
  search_asks   a search of the locked collection opens the dialog by itself
  answers       what somebody does in each dialog: "unlock", "close", or "wait"; none left: "close"
  dialogs       counted here
  session       words of the error that opening a session fails with
  search        the name of the D-Bus error that searching fails with
  search_takes  seconds that it takes
  searches      counted here
  change_takes  seconds between a change and the answer to it
  changes       counted here
  dismissed     dialogs that the caller took back, counted here
  meanwhile     secrets of items of the same name that others make just before one is made
"""
import json
import os
import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, ROOT = "org.freedesktop.secrets", "/org/freedesktop/secrets"
SPACE = "org.freedesktop.Secret."
COLLECTION = ROOT + "/collection/passwords"
PROPERTIES = "org.freedesktop.DBus.Properties"


class State(dict):
    """The file, read and written as a whole."""

    def __enter__(self):
        with open(sys.argv[1]) as file:
            self.update(json.load(file))
        return self

    def __exit__(self, *_):
        # Whoever looks meanwhile sees the one or the other.
        with open(sys.argv[1] + ".new", "w") as file:
            json.dump(self, file)
        os.replace(sys.argv[1] + ".new", sys.argv[1])

    def dialog(self):
        """Opens one; whether somebody unlocks, or None where nobody comes."""
        self["dialogs"] = self.get("dialogs", 0) + 1
        answers = self.get("answers", [])
        answer = answers.pop(0) if answers else "close"
        if answer == "wait":
            return None
        self["locked"] = self["locked"] and answer != "unlock"
        return not self["locked"]

    def shown(self):
        hides = self["locked"] and not self.get("shows")
        return [] if hides else list(range(len(self["items"])))

    def found(self, wanted):
        return [path(n) for n in self.shown()
                if wanted.items() <= self["items"][n]["attributes"].items()]


def path(number):
    return dbus.ObjectPath(f"{COLLECTION}/{number}")


def paths(found):
    return dbus.Array(found, signature="o")


def text(attributes):
    return {str(name): str(value) for name, value in attributes.items()}


def failure(name, words=""):
    return dbus.DBusException(words, name=name)


def answer_slowly():
    """Something was changed."""
    with State() as state:
        state["changes"] = state.get("changes", 0) + 1
        seconds = state.get("change_takes", 0)
    time.sleep(seconds)


class Served(dbus.service.Object):
    """What has properties."""

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.GetAll(interface)[name]

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        with State() as state:
            return self.properties(state)


class Item(Served):
    """One secret."""

    def __init__(self, bus, number):
        super().__init__(bus, path(number))
        self.number = number

    def properties(self, state):
        own = state["items"][self.number]
        return {"Locked": state["locked"], "Label": "an item", "Created": dbus.UInt64(1),
                "Modified": dbus.UInt64(1),
                "Attributes": dbus.Dictionary(own["attributes"], signature="ss")}

    @dbus.service.method(SPACE + "Item", in_signature="o", out_signature="(oayays)")
    def GetSecret(self, session):
        with State() as state:
            if state["locked"]:
                raise failure(SPACE + "Error.IsLocked")
            secret = state["items"][self.number]["secret"].encode()
            return (session, dbus.ByteArray(b""), dbus.ByteArray(secret), "text/plain")

    @dbus.service.method(SPACE + "Item", in_signature="(oayays)")
    def SetSecret(self, secret):
        with State() as state:
            state["items"][self.number]["secret"] = bytes(secret[2]).decode()
        answer_slowly()

    @dbus.service.method(SPACE + "Item", out_signature="o")
    def Delete(self):
        with State() as state:
            # Its place stays, so that the others keep their paths.
            state["items"][self.number]["attributes"] = {}
        answer_slowly()
        return dbus.ObjectPath("/")


class Collection(Served):
    """The only one, which is the default one."""

    SUPPORTS_MULTIPLE_OBJECT_PATHS = True

    def __init__(self, bus):
        super().__init__(bus, COLLECTION)
        self.add_to_connection(bus, ROOT + "/aliases/default")
        self.bus, self.served = bus, []
        self.serve()

    def serve(self):
        with State() as state:
            for number in range(len(self.served), len(state["items"])):
                self.served.append(Item(self.bus, number))

    def properties(self, state):
        return {"Locked": state["locked"], "Label": "passwords", "Created": dbus.UInt64(1),
                "Modified": dbus.UInt64(1), "Items": paths([path(n) for n in state.shown()])}

    @dbus.service.method(SPACE + "Collection", in_signature="a{sv}(oayays)b", out_signature="oo")
    def CreateItem(self, properties, secret, replace):
        attributes = text(properties[SPACE + "Item.Attributes"])
        value = bytes(secret[2]).decode()
        with State() as state:
            if state["locked"]:
                raise failure(SPACE + "Error.IsLocked")
            for other in state.pop("meanwhile", []):
                state["items"].append({"attributes": dict(attributes), "secret": other})
            found = state.found(attributes) if replace else []
            if found:
                number = int(found[0].rsplit("/", 1)[1])
                state["items"][number]["secret"] = value
            else:
                number = len(state["items"])
                state["items"].append({"attributes": attributes, "secret": value})
        self.serve()
        answer_slowly()
        return path(number), dbus.ObjectPath("/")


class Prompt(dbus.service.Object):
    """A dialog for the collection's password."""

    @dbus.service.method(SPACE + "Prompt", in_signature="s")
    def Prompt(self, window):
        with State() as state:
            unlocked = state.dialog()
        if unlocked is not None:
            GLib.idle_add(self.finish, unlocked)

    def finish(self, unlocked):
        self.Completed(not unlocked, paths([COLLECTION] if unlocked else []))

    @dbus.service.method(SPACE + "Prompt")
    def Dismiss(self):
        with State() as state:
            state["dismissed"] = state.get("dismissed", 0) + 1
        self.finish(False)

    @dbus.service.signal(SPACE + "Prompt", signature="bv")
    def Completed(self, dismissed, result):
        pass


class Service(Served):
    """The service."""

    def __init__(self, bus):
        super().__init__(bus, ROOT)
        self.bus = bus
        self.collection = Collection(bus)
        self.prompt = Prompt(bus, ROOT + "/prompt/one")
        self.session = dbus.service.Object(bus, ROOT + "/session/one")

    def properties(self, state):
        return {"Collections": paths([COLLECTION])}

    @dbus.service.method(SPACE + "Service", in_signature="sv", out_signature="vo")
    def OpenSession(self, algorithm, value):
        with State() as state:
            if state.get("session"):
                raise failure("org.freedesktop.DBus.Error.Failed", state["session"])
        if algorithm != "plain":
            raise failure("org.freedesktop.DBus.Error.NotSupported")
        return "", dbus.ObjectPath(ROOT + "/session/one")

    @dbus.service.method(SPACE + "Service", in_signature="a{ss}", out_signature="aoao")
    def SearchItems(self, attributes):
        self.collection.serve()
        with State() as state:
            state["searches"] = state.get("searches", 0) + 1
        time.sleep(state.get("search_takes", 0))
        with State() as state:
            if state.get("search"):
                raise failure(state["search"], "words of the service")
            if state["locked"] and state.get("search_asks"):
                state.dialog()
            found, nothing = paths(state.found(text(attributes))), paths([])
            return (nothing, found) if state["locked"] else (found, nothing)

    @dbus.service.method(SPACE + "Service", in_signature="aoo", out_signature="a{o(oayays)}")
    def GetSecrets(self, objects, session):
        return {each: self.collection.served[int(each.rsplit("/", 1)[1])].GetSecret(session)
                for each in objects}

    @dbus.service.method(SPACE + "Service", in_signature="ao", out_signature="aoo")
    def Unlock(self, objects):
        with State() as state:
            if state["locked"] and objects:
                return paths([]), dbus.ObjectPath(ROOT + "/prompt/one")
        return paths(objects), dbus.ObjectPath("/")

    @dbus.service.method(SPACE + "Service", in_signature="s", out_signature="o")
    def ReadAlias(self, name):
        return dbus.ObjectPath(COLLECTION if name == "default" else "/")


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    service = Service(bus)
    service.name = dbus.service.BusName(NAME, bus)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
