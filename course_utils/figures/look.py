"""The look of pictures made of HTML, which wrap in a narrow window where an SVG would shrink.

What a colour tells is told by a pattern and by text too: wanted is filled, wasted is hatched.
"""

from __future__ import annotations

PICTURES = """
.lk { --lk-tint: color-mix(in srgb, var(--lk-heat) 42%, var(--lk-paper));
  --lk-cool: color-mix(in srgb, var(--lk-blue) 30%, var(--lk-paper));
  --lk-hatch: repeating-linear-gradient(135deg, var(--lk-line) 0 1px, transparent 1px 4px); }
.lk i { font-style: normal; }
.lk .lk-badge { border: 1px solid var(--lk-line); border-radius: 9px; padding: 0 8px; color: var(--lk-soft);
  font-size: 0.9em; white-space: nowrap; }
.lk .lk-watch { display: flex; flex-flow: row wrap; gap: 0 14px; align-items: baseline; margin: 0 0 6px; }
.lk .lk-watch b { font-size: 1.9em; line-height: 1.2; font-variant-numeric: tabular-nums; }
.lk .lk-watch .lk-watch-unit { font-weight: 600; margin-left: -8px; }
.lk .lk-watch span:not([class]) { color: var(--lk-soft); }
.lk .lk-key { display: flex; flex-flow: row wrap; gap: 2px 18px; margin: 8px 0 0; color: var(--lk-soft);
  font-size: 0.92em; }
.lk .lk-mark { display: inline-block; box-sizing: border-box; width: 16px; height: 12px; margin-right: 6px;
  vertical-align: -1px; border: 1px solid var(--lk-line); }
.lk .lk-row-name { color: var(--lk-soft); font-size: 0.92em; margin: 6px 0 3px; }
.lk .on, .lk .many { background: var(--lk-tint); }
.lk .many { box-shadow: inset 0 0 0 1.5px var(--lk-text); font-weight: 700; }
.lk .waste { background: var(--lk-hatch); }
.lk .part { background: linear-gradient(to right, var(--lk-tint) 50%, transparent 50%), var(--lk-hatch); }
.lk .off { border-style: dashed !important; color: var(--lk-soft); background: none; }
.lk .lk-lanes { display: grid; grid-template-columns: repeat(4, 1fr); gap: 4px 8px; }
.lk .lk-eight { display: flex; gap: 2px; min-width: 0; }
.lk .lk-lane { flex: 1 1 0; box-sizing: border-box; min-width: 0; text-align: center; line-height: 1.25;
  border: 1px solid var(--lk-line); border-radius: 3px; padding: 1px 0; font-size: 11px;
  color: var(--lk-text); }
.lk .lk-lane b { display: block; font-size: 12px; }
.lk .lk-lane small { display: block; font-size: 10px; color: inherit; letter-spacing: -0.02em; }
.lk .lk-lane.even { background: var(--lk-tint); }
.lk .lk-lane.odd { background: var(--lk-cool); }
.lk .lk-access { container-type: inline-size; }
.lk .lk-sectors { display: grid; grid-template-columns: repeat(8, 1fr); gap: 6px 8px; align-content: start;
  min-height: 222px; }
.lk .lk-sector { min-width: 0; }
.lk .lk-sector-name, .lk .lk-sector-note { font-size: 11px; line-height: 1.3; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }
.lk .lk-sector-note { color: var(--lk-soft); }
.lk .lk-words { display: flex; border: 1px solid var(--lk-text); height: 17px; }
.lk .lk-words i { flex: 1 1 0; min-width: 0; text-align: center; font-size: 10px; line-height: 17px;
  white-space: nowrap; border-left: 1px solid var(--lk-line); letter-spacing: -0.03em; }
.lk .lk-words i:first-child { border-left: none; }
.lk .lk-sector.odd .on, .lk .lk-sector.odd .many { background: var(--lk-cool); }
.lk .lk-beside { display: flex; flex-flow: row wrap; gap: 8px 24px; align-items: flex-start; }
.lk .lk-beside > * { min-width: 0; max-width: 100%; }
.lk .lk-film { flex: 0 1 670px; }
.lk .lk-film svg { min-width: 560px; }
.lk .lk-ptx { margin: 6px 0 4px; min-height: 1.5em; font-size: 0.92em; overflow-wrap: anywhere; }
.lk .lk-ptx code { background: none; color: inherit; font-family: var(--lk-mono); }
.lk .lk-code { flex: 1 1 17em; }
.lk .lk-code-lines { font-family: var(--lk-mono); font-size: var(--lk-code); line-height: 1.4;
  min-width: max-content; padding-right: 8px; }
.lk .lk-code-lines > div { display: flex; white-space: pre; }
.lk .lk-code-lines b { width: 1.3em; flex: none; }
.lk .lk-code-lines span:not([style]) { min-width: 2em; padding-right: 0.8em; text-align: right; flex: none;
  color: var(--lk-soft); user-select: none; }
.lk .lk-code-lines code { background: none; color: inherit; font: inherit; padding: 0; white-space: pre; }
.lk .lk-code-lines .now { background: color-mix(in srgb, var(--lk-heat) 18%, var(--lk-paper)); }
.lk .lk-code-lines .now code { font-weight: 700; }
.lk .lk-code-lines .now span:not([style]) { color: var(--lk-text); }
.lk .new { background: radial-gradient(circle, var(--lk-text) 0.9px, transparent 1.2px) 0 0 / 6px 6px,
  var(--lk-tint); }
.lk .dots { background: radial-gradient(circle, var(--lk-text) 0.9px, transparent 1.2px) 0 0 / 6px 6px; }
.lk .lk-timeline svg { min-width: 640px; }
.lk .lk-bars { display: grid; grid-template-columns: max-content minmax(8em, 1fr) max-content; gap: 6px 12px;
  align-items: center; max-width: 62em; margin: 4px 0; }
.lk .lk-bars .lk-note { grid-column: 2 / 4; color: var(--lk-soft); font-size: 0.92em; margin-top: -6px; }
.lk .lk-bar { display: flex; height: 22px; border: 1px solid var(--lk-text); background: var(--lk-hatch); }
.lk .lk-bar i { box-sizing: border-box; flex: none; height: 100%; }
.lk .lk-times .lk-bar { background: none; border: none; }
.lk .lk-times .lk-bar i { border: 1px solid var(--lk-text); min-width: 3px; box-shadow: none; }
.lk .lk-times-table { margin-top: 12px; }
.lk .lk-times-table caption { white-space: nowrap; }
.lk .held { background: var(--lk-tint); box-shadow: inset -1px 0 0 var(--lk-text); }
.lk .room { background: var(--lk-paper); }
.lk .lk-mark.held { box-shadow: none; }
.lk .lk-limits { font-weight: 700; }
@container (max-width: 560px) {
  .lk .lk-bars { grid-template-columns: 1fr max-content; }
  .lk .lk-bars .lk-bar, .lk .lk-bars .lk-note { grid-column: 1 / 3; }
}
.lk .lk-formula { color: var(--lk-soft); margin-top: 6px; max-width: 68em; }
.lk .lk-roofline svg { min-width: 600px; }
.lk .lk-inline { display: inline-flex; gap: 6px; align-items: center; }
.lk table.lk-points td:nth-child(2), .lk table.lk-points th:nth-child(2), .lk table.lk-points td:nth-child(3),
.lk table.lk-points th:nth-child(3) { text-align: left; }
.lk table.lk-points { margin-top: 8px; }
.lk .lk-sweep { flex: 0 1 640px; }
.lk .lk-sweep svg { min-width: 480px; }
.lk .lk-progress { white-space: nowrap; }
.lk .lk-progress progress { width: 7em; accent-color: var(--lk-blue); }
.lk pre.lk-ptx-code { font-family: var(--lk-mono); font-size: var(--lk-code); line-height: 1.4; margin: 0;
  max-height: 16em; overflow: auto; padding: 4px 8px; border: 1px solid var(--lk-line); background: none;
  color: inherit; }
.lk .old { background: var(--lk-cool); }
.lk .read { box-shadow: inset 0 0 0 2px var(--lk-text); }
.lk .lk-pills { display: flex; flex-flow: row wrap; gap: 4px; align-items: center; margin: 0 0 4px; }
.lk .lk-pill { border: 1px solid var(--lk-line); border-radius: 9px; padding: 0 8px; font-size: 0.92em; }
.lk .lk-pill.now { border: 2px solid var(--lk-text); font-weight: 700; padding: 0 7px; }
.lk .lk-buffer { display: flex; flex-flow: row wrap; gap: 2px; margin-bottom: 6px; }
.lk .lk-matrix { display: grid; gap: 3px; justify-content: start; }
.lk .lk-element { box-sizing: border-box; min-width: 2.5em; padding: 0 4px 1px; text-align: center;
  line-height: 1.2; border: 1px solid var(--lk-line); border-radius: 3px; color: var(--lk-text);
  font-variant-numeric: tabular-nums; }
.lk .lk-element b { display: block; font-size: 13px; white-space: nowrap; }
.lk .lk-element small { display: block; font-size: 10px; color: inherit; }
.lk .lk-element.even, .lk .lk-mark.even { background: var(--lk-tint); }
.lk .lk-element.odd, .lk .lk-mark.odd { background: var(--lk-cool); }
.lk .lk-element.wrong, .lk .lk-mark.wrong { border: 2px solid var(--lk-bad); }
.lk .lk-element.wrong b { text-decoration: underline; }
.lk pre.lk-call { font-family: var(--lk-mono); font-size: var(--lk-code); margin: 6px 0; padding: 0;
  white-space: pre-wrap; overflow-wrap: anywhere; background: none; color: inherit; }
.lk .lk-banks { margin-top: 8px; }
.lk .lk-banks svg { min-width: 880px; }
@container (max-width: 840px) {
  .lk .lk-lanes { grid-template-columns: repeat(2, 1fr); }
  .lk .lk-sectors { grid-template-columns: repeat(4, 1fr); min-height: 446px; }
}
@container (max-width: 420px) {
  .lk .lk-sectors { grid-template-columns: repeat(2, 1fr); }
}
"""
