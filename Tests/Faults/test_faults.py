# Every system call on files fails once, in every command that writes and every way of placing its
# output. Plan, for each call of a name, from the first to the last that the command makes:
#   1 it fails with EIO, ENOSPC, EACCES or EINTR, or reads or writes come short
#   2 afterwards the folder is as before, or as after success, whole; nothing else is in it
#   3 the exit status told which
#   4 no key is in what was printed (program.run looks)
# The short form takes the errors that matter most to each call; DBSEAL_FAULTS=all takes all of them.
import os

import pytest

from support import shim

from cases import Scene, cases

ALL = os.environ.get("DBSEAL_FAULTS") == "all"
SHORT = {"read": ("EIO", "short"), "write": ("ENOSPC", "EINTR", "short"), "sync": ("EIO",),
         "open": ("EACCES", "EINTR"), "rename": ("EIO",), "link": ("EIO",), "unlink": ("EIO",),
         "truncate": ("EIO",), "stat": ("EIO",), "map": ("EIO",), "list": ("EIO",),
         "chmod": ("EIO",), "chown": ("EACCES",), "xattr": ("EIO",), "reserve": ("ENOSPC",), "writeback": ("EIO",)}
# In the short form, one case of each kind.
FEW = ("encrypt to a target", "decrypt over a target", "rekey in place with a backup",
       "migrate in place with a log", "migrate a schema")
counted = {}


def kinds(call):
    if not ALL:
        return SHORT[call]
    return (*shim.ERRORS, "short") if call in ("read", "write") else tuple(shim.ERRORS)


def judge(scene, result, events):
    """What is wrong after the run, or None."""
    fault = next(event for event in events if event.call == "FAULT")
    left = scene.leftovers()
    removing = fault.other == "unlink" and ".dbseal-" in fault.path
    # Who may not remove the temporary file leaves it; the next run removes it.
    allowed = left if removing and len(left) == 1 else set()
    if result.exit == 0:
        return scene.is_new(allowed)
    if result.exit < 0:
        return f"died by signal {-result.exit}"
    if result.exit not in (8, 9, 70):
        return f"exit {result.exit} is no answer to a call that failed"
    if not result.err.startswith(b"dbseal: "):
        return f"failed without a sentence: {result.err!r}"
    old = scene.is_old(allowed)
    if old is None:
        return None
    # After the exchange only names are to be made durable: if that fails, the new file is in place,
    # and the sentence says so.
    exchanged = any(event.call == "rename" for event in events[:events.index(fault)])
    if exchanged and result.exit == 9 and scene.is_new(allowed | scene.case.removes) is None:
        return None if b"complete" in result.err else f"the new file is there, unsaid: {result.err!r}"
    # A migration is done when its transaction is; what fails behind it says that it stays.
    if b"permanent: 1.sql" in result.err and scene.is_new(allowed) is None:
        return None
    return old


@pytest.mark.parametrize("case", [c for c in cases() if ALL or c.name in FEW], ids=lambda c: c.name)
def test_every_call_fails_once(case, tmp_path):
    scene = Scene(case, tmp_path)
    result, _ = shim.run(scene.folder, scene.record, *scene.args)
    assert result.exit == 0, result
    assert scene.is_new() is None, scene.is_new()
    wrong, points = [], 0
    for call in shim.CALLS:
        for kind in kinds(call):
            at = 0
            while True:
                at += 1
                scene.reset()
                result, events = shim.run(
                    scene.folder, scene.record, *scene.args, call=call, at=at,
                    do=shim.ERRORS.get(kind, kind))
                if not any(event.call == "FAULT" for event in events):
                    assert result.exit == 0, result
                    break
                points += 1
                found = judge(scene, result, events)
                if found:
                    fault = next(event for event in events if event.call == "FAULT")
                    wrong.append(f"{call} {at} {kind} on {os.path.basename(fault.path)}: exit "
                                 f"{result.exit}: {found}: {result.err.decode()[:200]}")
    counted[case.name] = points
    print(f"{case.name}: {points} faults")
    assert points > 20
    assert not wrong, f"{len(wrong)} of {points}:\n" + "\n".join(wrong)
