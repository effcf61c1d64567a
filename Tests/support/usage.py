# How much memory a run took, as the kernel counted it. A process begins with the peak of the one that
# started it, so a small interpreter stands between the tests and dbseal.
import os
import subprocess
import sys

from support import program

_LAUNCHER = """
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
os.write(int(sys.argv[1]), str(peak * (1 if sys.platform == "darwin" else 1024)).encode())
sys.exit(status if status >= 0 else 128 - status)
"""


def measured(*args, timeout=120):
    """Runs dbseal; gives the result, and the most memory that it held, in bytes. A signal's death is
    an exit above 128. `timeout` is there for what would never end."""
    reader, writer = os.pipe()
    argv = [str(program.BIN)] + [str(a) for a in args]
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(writer), *argv], capture_output=True,
            env=program.clean_env(), pass_fds=[writer], timeout=timeout, stdin=subprocess.DEVNULL)
        os.close(writer)
        writer = None
        peak = int(os.read(reader, 64))
    finally:
        os.close(reader)
        if writer is not None:
            os.close(writer)
    program.no_secret(done.stdout, done.stderr)
    return program.Result(done.returncode, done.stdout, done.stderr, argv), peak
