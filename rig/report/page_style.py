# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's style sheet: light, dark as the browser asks, and print on A4 or letter."""

from __future__ import annotations

_LIGHT = """--ink: #17202b; --dim: #586473; --grid: #e3e7ec; --line: #d5dae1; --paper: #ffffff;
  --card: #f5f7f9; --body: #1f66b0; --second: #a34a00; --bad: #b3261e; --warn: #8a5a00;
  --good: #1a7343;"""
_DARK = """--ink: #e7ebf0; --dim: #9ba7b6; --grid: #2a323d; --line: #37414e; --paper: #12171e;
  --card: #1a212a; --body: #6bb0f5; --second: #f0a35e; --bad: #ff8078; --warn: #e3b341;
  --good: #56c98f;"""

STYLE = f"""
:root {{ color-scheme: light dark; {_LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
* {{ box-sizing: border-box; }}
body {{ font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink);
  background: var(--paper); max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }}
h1 {{ font-size: 1.7rem; line-height: 1.2; margin: 0; letter-spacing: -.01em; }}
h2 {{ font-size: 1.1rem; margin: 2.5rem 0 .5rem; padding-top: .75rem;
  border-top: 1px solid var(--line); }}
h3 {{ font-size: .95rem; margin: 1.25rem 0 .25rem; }}
p {{ margin: .4rem 0; max-width: 46rem; }} .note, figcaption {{ color: var(--dim);
  font-size: .87rem; }} td .note {{ font-size: .9em; }}
header {{ border-bottom: 3px solid var(--ink); padding-bottom: 1rem; }}
header .sub {{ color: var(--dim); margin: .3rem 0 0; }}
.verdict {{ display: flex; gap: .9rem; align-items: baseline; margin: 1.25rem 0 .5rem; }}
.badge {{ font-weight: 700; letter-spacing: .05em; border: 2px solid; border-radius: .3rem;
  padding: .1rem .6rem; white-space: nowrap; }}
.pass {{ color: var(--good); }} .inconclusive {{ color: var(--warn); }}
.fail, .inconsistent, .incomplete, .no {{ color: var(--bad); font-weight: 600; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem;
  margin: 1.25rem 0; }}
.card {{ background: var(--card); border-radius: .5rem; padding: .7rem .95rem; }}
.card b {{ display: block; font-size: 1.08rem; line-height: 1.4; font-weight: 650;
  font-variant-numeric: tabular-nums; white-space: nowrap; }}
.card span {{ color: var(--dim); font-size: .87rem; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: .92rem; }}
th, td {{ text-align: left; padding: .28rem 1rem .28rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }}
th {{ font-weight: 500; color: var(--dim); }} .facts td {{ overflow-wrap: anywhere; }}
thead th {{ border-bottom-color: var(--dim); }}
td.number, th.number {{ text-align: right; padding: .28rem 0 .28rem 1rem; white-space: nowrap; }}
td.number + td:not(.number), th.number + th:not(.number) {{ padding-left: 1.25rem; }}
tr.sum td {{ border-bottom: none; font-weight: 600; }} tr.sum + tr.sum td {{ padding-top: 0; }}
table.facts th {{ width: 11rem; }}
.limits :is(td, th):not(:last-child) {{ white-space: nowrap; width: 1%; padding-right: 1.25rem; }}
td.share {{ white-space: nowrap; }}
.bar {{ display: inline-block; height: .55em; background: var(--body); border-radius: 1px; }}
figure {{ margin: .75rem 0 1.25rem; }}
svg.plot {{ display: block; width: 100%; height: auto; font-family: inherit; }}
.waveforms {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr));
  gap: .5rem 1.5rem; }} .waveforms figure {{ margin: .25rem 0; }}
nav ol {{ columns: 2; padding-left: 1.25rem; }} a {{ color: var(--body); }}
.run + .run {{ margin-top: 4rem; }}
footer {{ color: var(--dim); margin-top: 2.5rem; padding-top: .75rem; font-size: .87rem;
  border-top: 1px solid var(--line); }}
@media (max-width: 30rem) {{ .waveforms {{ grid-template-columns: 1fr; }}
  nav ol {{ columns: 1; }} }}
@page {{ margin: 16mm 15mm; }}
@media print {{
  :root {{ color-scheme: light; {_LIGHT} }}
  body {{ font-size: 10pt; padding: 0; max-width: none; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }}
  table {{ font-size: 8.5pt; }} th, td {{ padding-right: .6rem; }}
  figure, tr, .card, .verdict {{ break-inside: avoid; }} h2, h3 {{ break-after: avoid; }}
  .waveforms {{ grid-template-columns: 1fr 1fr; }}
  .cards {{ grid-template-columns: repeat(4, 1fr); }}
  .card b {{ font-size: 12pt; }} .run + .run {{ break-before: page; margin-top: 0; }}
  .scroll {{ overflow: visible; }} a {{ color: inherit; text-decoration: none; }}
}}
"""
