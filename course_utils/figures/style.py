"""The look of all figures: the variables of JupyterLab's theme, so that light and dark are both right.

Each variable has a value for pages that know nothing of JupyterLab.
"""

from __future__ import annotations

from .look import PICTURES

_BASE = """
.lk { --lk-text: var(--jp-content-font-color1, #1b1b1b); --lk-soft: var(--jp-content-font-color2, #5f6368);
  --lk-line: var(--jp-border-color1, #c4c4c4); --lk-fill: var(--jp-layout-color2, #eeeeee);
  --lk-paper: var(--jp-layout-color1, #ffffff); --lk-blue: var(--jp-brand-color1, #1976d2);
  --lk-heat: var(--jp-warn-color1, #f57c00); --lk-bad: var(--jp-error-color1, #d32f2f);
  --lk-good: var(--jp-success-color1, #388e3c); --lk-mono: var(--jp-code-font-family, monospace);
  --lk-code: var(--jp-code-font-size, 13px); color: var(--lk-text); line-height: 1.45;
  font-family: var(--jp-ui-font-family, sans-serif); font-size: var(--jp-ui-font-size1, 13px); }
.lk h4 { margin: 0 0 4px; font-size: var(--jp-ui-font-size2, 15px); font-weight: 600; line-height: 1.4; }
.lk p { margin: 0; }
.lk .lk-unit { color: var(--lk-soft); }
.lk .lk-sentence { margin: 0 0 8px; max-width: 68em; }
.lk .lk-level { border: 1px solid var(--lk-line); border-radius: 3px; padding: 0 4px; font-size: 0.8em;
  color: var(--lk-soft); white-space: nowrap; font-weight: 400; }
.lk svg { display: block; max-width: 100%; height: auto; font-family: inherit; }
.lk svg text { fill: var(--lk-text); }
.lk svg .soft { fill: var(--lk-soft); }
.lk .lk-pictures { display: flex; flex-wrap: wrap; gap: 12px 14px; align-items: flex-start; }
.lk .lk-scroll { overflow-x: auto; }
.lk table.lk-table { color: inherit; border-collapse: collapse; margin: 0; font-size: inherit; border: none;
  table-layout: auto;
  font-variant-numeric: tabular-nums; }
.lk table.lk-table th, .lk table.lk-table td { padding: 3px 0 3px 12px; border: none; text-align: right;
  vertical-align: top; background: none; color: inherit; white-space: nowrap; max-width: none; }
.lk table.lk-table thead th { border-bottom: 1px solid var(--lk-line); font-weight: 600;
  vertical-align: bottom;
  white-space: normal; }
.lk table.lk-table tbody tr { background: none; border-bottom: 1px solid var(--lk-fill); }
.lk table.lk-table tbody th { text-align: left; font-weight: 400; padding-left: 0; white-space: normal; }
.lk table.lk-table .lk-prose { text-align: left; white-space: normal; }
.lk table.lk-table thead th.lk-label { text-align: left; padding-left: 0; font-weight: 400;
  color: var(--lk-soft); }
.lk table.lk-table caption { caption-side: top; text-align: left; color: var(--lk-soft); padding: 0 0 4px; }
.lk table.lk-counters { width: 100%; }
.lk .lk-metric { font-family: var(--lk-mono); font-size: 0.78em; color: var(--lk-soft); line-height: 1.3;
  overflow-wrap: anywhere; }
.lk td[data-column="chosen"] { font-weight: 600; }
.lk table.lk-source td, .lk table.lk-source th { padding: 1px 8px; font-family: var(--lk-mono);
  font-size: var(--lk-code); line-height: 1.4; }
.lk table.lk-source thead th { font-family: inherit; font-size: 0.9em; font-weight: 400; line-height: 1.25;
  color: var(--lk-soft); white-space: pre-line; }
.lk table.lk-source tbody tr { border: none; }
.lk table.lk-source td.code, .lk table.lk-source thead th.code { text-align: left; white-space: pre;
  padding-left: 14px; }
.lk table.lk-source tbody th { color: var(--lk-soft); text-align: right; user-select: none;
  white-space: nowrap; }
.lk td.heat { background: linear-gradient(to left, var(--lk-bar) var(--share),
  transparent var(--share)) !important;
  --lk-bar: color-mix(in srgb, var(--lk-heat) 38%, transparent); }
.lk td.conflict { font-weight: 700; text-decoration: underline; }
.lk .lk-finding { border: 1px solid var(--lk-line); border-left: 4px solid var(--lk-bad); border-radius: 3px;
  padding: 8px 12px; margin: 0 0 12px; max-width: 72em; }
.lk .lk-finding > * + * { margin-top: 8px; }
.lk .lk-finding p.lk-message { white-space: pre-line; }
.lk table.lk-source td.lk-accessed { text-align: left; font-weight: 700;
  color: color-mix(in srgb, var(--lk-bad) 75%, var(--lk-text)); }
.lk table.lk-source tr.lk-first .lk-here { text-decoration: underline solid 2px var(--lk-bad);
  text-underline-offset: 3px; }
.lk table.lk-source tr.lk-other .lk-here { text-decoration: underline dashed 2px var(--lk-bad);
  text-underline-offset: 3px; }
.lk table.lk-accesses { margin-top: 8px; }
.lk table.lk-accesses td { text-align: left; }
"""

STYLE = _BASE + PICTURES

NARROW = """
@container (max-width: 640px) {
  .lk-lab .lk-table.lk-source, .lk-lab .lk-table.lk-source tbody { display: block; }
  .lk-lab .lk-table.lk-source thead, .lk-lab .lk-table.lk-source td:empty,
  .lk-lab .lk-table.lk-source tr.empty { display: none; }
  .lk-lab .lk-table.lk-source tr { display: flex; flex-flow: row wrap; gap: 0 10px; padding-left: 3.4em; }
  .lk-lab .lk-table.lk-source tbody th { order: 0; width: 2.2em; margin-left: -3.4em; padding: 1px 0; }
  .lk-lab .lk-table.lk-source td.code { order: 1; flex: 1 0 100%; min-width: 0; padding: 1px 0; }
  .lk-lab .lk-table.lk-source td:not(.code) { order: 2; padding: 0 4px; font-size: 0.85em; }
  .lk-lab .lk-table.lk-source td:not(.code)::after { content: " " attr(data-column); color: var(--lk-soft); }
}
"""
"""In a narrow lab a line's numbers stand below it, each with its name, and do not push it out of sight."""


def scoped(content: str) -> str:
    """HTML inside the element that the rules above apply to."""
    return f'<div class="lk">{content}</div>'
