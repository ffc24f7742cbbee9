"""The frame of the report: style and order; `page` fills it."""

from __future__ import annotations

from string import Template

PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --card: #ffffff; --ink: #1c1b1a; --soft: #5d5a55; --rule: #e3dfd8;
  --s1: #2456b8; --s2: #0b6b5d; --s3: #a1195b; --s4: #9a6a00; --good: #0b6b5d; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #161719; --card: #1e2023; --ink: #ecebe8; --soft: #a9a6a0; --rule: #34373c;
    --s1: #7ea6f4; --s2: #55c2ab; --s3: #f48bb8; --s4: #e0b04c; --good: #55c2ab; --bad: #f28b82;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 48px; }
h1 { font-size: 1.35rem; font-weight: 650; margin: 0 0 14px; }
h2 { font-size: 1rem; font-weight: 650; margin: 0 0 4px; }
dl { display: flex; flex-wrap: wrap; gap: 10px 34px; margin: 0 0 22px; }
dt { color: var(--soft); font-size: .82rem; }
dd { margin: 0; font-size: 1.02rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr));
  gap: 16px; margin-bottom: 16px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 14px 16px; overflow-x: auto; }
.wide { margin-bottom: 16px; }
.note { color: var(--soft); font-size: .84rem; margin: 0 0 8px; }
.verdict { border-left: 5px solid var(--good); }
.verdict.broken { border-left-color: var(--bad); }
svg { display: block; width: 100%; height: auto;
  font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.grid { stroke: var(--rule); } .tick { stroke: var(--soft); }
.mark, .axis, .row { fill: var(--soft); font-size: 11.5px; text-anchor: middle; }
.mark.end, .row { text-anchor: end; } .row { fill: var(--ink); }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.line.s1 { stroke: var(--s1); } .line.s2 { stroke: var(--s2); }
.line.s3 { stroke: var(--s3); } .line.s4 { stroke: var(--s4); }
.dot line { stroke-width: 2; opacity: .55; }
.dot.s1 { fill: var(--s1); stroke: var(--s1); } .dot.s2 { fill: var(--s2); stroke: var(--s2); }
.dot.s3 { fill: var(--s3); stroke: var(--s3); } .dot.s4 { fill: var(--s4); stroke: var(--s4); }
.limit { stroke: var(--bad); stroke-dasharray: 5 4; }
.limit-text { fill: var(--bad); font-size: 11px; text-anchor: end; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 8px 2px 0; padding: 0;
  list-style: none; color: var(--soft); font-size: .84rem; }
.legend i { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 7px;
  vertical-align: 3px; }
.legend .s1 { background: var(--s1); } .legend .s2 { background: var(--s2); }
.legend .s3 { background: var(--s3); } .legend .s4 { background: var(--s4); }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
caption { text-align: left; font-weight: 600; padding-bottom: 8px; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.n small { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); }
td.good, td.bad { font-weight: 600; }
@media print { body { background: #fff; } .card { break-inside: avoid; } }
</style>
</head>
<body>
<main>
<h1>$title</h1>
<dl>$facts</dl>
$verdict
<div class="cards">
$plots
</div>
$tables
<section class="card">
<h2>How it was measured</h2>
<p class="note">$method</p>
</section>
</main>
</body>
</html>
""")

METHOD = """Response gap: last speech packet of the caller out, to first speech packet of the
appliance in, at the caller; a packet is speech from -45 dBm0 on. Decision: the agent's log, from
the end of the turn being detected to the first frame for the line. False cut-off: the appliance
began to speak, or acted on a turn, before the caller's utterance was over; utterances that talk
over a prompt on purpose do not count. Intervals: 95%, bootstrap of 1,000 draws of whole calls.
Utterances outside of at least three quarters of the calls at once are left out, and so are the
warm-up calls. Pauses within utterances are drawn from those of people who read aloud. The callers
run on the same machine where the appliance was started here, and take their share of it."""
