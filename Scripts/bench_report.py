# What Scripts/bench measured, as Markdown tables, in Docs/performance.md and as a plot.
import math

MIB = 1 << 20


def tables(result):
    """One table a size."""
    return "\n\n".join(_table(series) for series in result["series"]) + _many(result)


def _table(series):
    lines = [f"{series['source']}, {series['bytes'] / MIB:,.1f} MiB:", "",
             "| task | by | median | against `cp` + sync | dbseal is | peak memory |",
             "| --- | --- | --- | --- | --- | --- |"]
    for job in series["jobs"]:
        faster = job["dbseal_times_as_fast"]
        lines.append(
            f"| {job['task']} | {job['by']} | {job['median_seconds']:.3g} s | {job['times_cp']:.2f} x"
            f" | {f'{faster:.1f} times as fast' if faster else ''}"
            f" | {job['peak_rss_bytes'] / MIB:.0f} MiB |")
    return "\n".join(lines)


def _many(result):
    many = result.get("many_files")
    if not many:
        return ""
    seconds = many["seconds"]
    ratio = seconds["sqlcipher shell"] / seconds["dbseal"]
    return (f"\n\n{many['files']} databases of {many['bytes_each'] / 1024:.0f} KiB under one passphrase, "
            f"pages and structure checked: dbseal {seconds['dbseal']:.1f} s, a loop over the `sqlcipher` shell "
            f"{seconds['sqlcipher shell']:.1f} s ({ratio:.1f} times as fast).")


def plot(result):
    """Seconds by size, both logarithmic, dbseal's tasks and cp: an SVG."""
    lines = {}
    for series in result["series"]:
        for job in series["jobs"]:
            if job["by"] in ("dbseal", "cp + sync"):
                name = "cp + sync" if job["task"] == "copy" else job["task"]
                lines.setdefault(name, []).append((series["bytes"] / MIB, job["median_seconds"]))
    points = [point for line in lines.values() for point in line]
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    left, right, bottom, top = min(xs), max(xs), math.floor(min(ys)), math.ceil(max(ys))
    width, height, margin = 640, 360, 60

    def place(x, y):
        across = (math.log10(x) - left) / ((right - left) or 1)
        up = (math.log10(y) - bottom) / ((top - bottom) or 1)
        return (margin + across * (width - margin - 150), height - margin - up * (height - 90))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(bottom, top + 1):
        x, y = place(10 ** left, 10.0 ** power)
        out.append(f'<line x1="{x:.0f}" x2="{width - 150}" y1="{y:.0f}" y2="{y:.0f}" '
                   'stroke="#ddd"/>'
                   f'<text x="{x - 8:.0f}" y="{y + 4:.0f}" text-anchor="end">{10.0 ** power:g} s'
                   '</text>')
    for series in result["series"]:
        x, _ = place(series["bytes"] / MIB, 10.0 ** bottom)
        out.append(f'<text x="{x:.0f}" y="{height - margin + 20}" text-anchor="middle">'
                   f'{series["bytes"] / MIB:,.0f} MiB</text>')
    colors = ["#888", "#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98", "#2e4053"]
    labels = []
    for (name, line), color in zip(lines.items(), colors):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in line))
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        labels.append((place(*line[-1])[1], name, color))
    last = 0.0
    for y, name, color in sorted(labels):  # labels that would overlap move down
        y = last = max(y, last + 14)
        out.append(f'<text x="{width - 144}" y="{y + 4:.0f}" fill="{color}">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def _block(result):
    return f"""Measured on {result['date']}: {result['cpu']}, {result['cores']} cores, format 4 with a passphrase
(format 3 for migrate and where it says so), medians of {result['rounds']} rounds in which the jobs took turns,
{result['cache']} cache. Binary: {result['version']}.

{tables(result)}"""


def _replace(text, kind, block):
    """The document with what stands between the marks of that kind replaced."""
    begin, end = f"<!-- measured: {kind} -->", f"<!-- end: {kind} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"bench: Docs/performance.md has no place for what is measured: {kind}")
    return f"{before}{begin}\n{block}\n{end}{after}"


def record(result, text, root):
    """Writes the tables of the documentation, the run, and of fresh sources the plot."""
    runs = root / "Tests/Benchmarks/runs"
    runs.mkdir(parents=True, exist_ok=True)
    kind = f"{'fragmented' if result['fragmented'] else 'fresh'}, {result['cache']}"
    (runs / f"{result['date']}-{kind.replace(', ', '-')}.json").write_text(text)
    document = root / "Docs/performance.md"
    document.write_text(_replace(document.read_text(), kind, _block(result)))
    if kind == "fresh, warm":
        (root / "Docs/performance.svg").write_text(plot(result))
