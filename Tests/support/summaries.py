# The summary of several databases, without what no test can know beforehand: the time that it took.
import re


def of(last, files=None):
    """The fields of a summary's object but its time. `files`: what went well, whose bytes count."""
    summary = dict(last["summary"])
    seconds = summary.pop("seconds")
    assert isinstance(seconds, float) and seconds >= 0
    size = summary.pop("bytes")
    assert isinstance(size, int) and size >= 0
    if files is not None:
        assert size == sum(path.stat().st_size for path in files)
    return {"summary": summary}


def text(line):
    """A summary's line without its size and time."""
    return re.sub(r"; \d+ (bytes|KiB|MiB) in \d+(\.\d)? s$", "", line)
