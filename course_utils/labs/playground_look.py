"""The look of a playground."""

from __future__ import annotations

STYLE = """
.lk-playground > .widget-textarea { width: auto; max-width: 100%; }
.lk-playground > .widget-textarea { flex-flow: column; height: auto; align-items: stretch; }
.lk-playground > .widget-textarea > .widget-label { text-align: left; width: auto; }
.lk-playground > .widget-textarea textarea { width: 100%; box-sizing: border-box; resize: vertical;
  font-family: var(--jp-code-font-family, monospace); font-size: var(--jp-code-font-size, 13px);
  line-height: 1.4; white-space: pre; overflow: auto; tab-size: 4; }
.lk-playground .widget-label { font-weight: 600; }
.lk-playground .lk-field-file { width: 32em; max-width: 100%; }
.lk-playground .lk-field-file .widget-label { text-align: left; width: auto; min-width: 4.5em; }
.lk-playground .lk-field-file input { flex: 1 1 auto; min-width: 6em; }
.lk-playground .lk-error { margin-top: 8px; }
.lk-playground .lk table.lk-counters { width: auto; min-width: min(44em, 100%); }
.lk-fields { flex-flow: row wrap; gap: 4px 20px; overflow: visible; align-items: flex-start; }
.lk-fields .widget-text, .lk-fields .widget-dropdown { width: auto; min-width: 0; max-width: 100%;
  margin: 2px 0; flex: 0 1 auto; }
.lk-fields .widget-label { width: auto; min-width: 4.5em; text-align: left; flex: 0 0 auto; }
.lk-fields .widget-text input, .lk-fields .widget-dropdown select { width: 14em; min-width: 6em;
  flex: 1 1 auto; }
.lk-fields .lk-field-launch select { width: 26em; }
.lk-fields .lk-field-grid input, .lk-fields .lk-field-block input { width: 7em; }
.lk-fields .lk-field-shared input { width: 5em; }
.lk-input { flex: 1 1 18em; max-width: 30em; min-width: 0; overflow: visible; }
.lk-input .widget-text { width: 100%; }
.lk-input .widget-html { min-height: 0; }
.lk-input .lk-metric { padding-left: 6.7em; display: block; }
.lk-playground .lk-run { width: 9em; }
.lk-playground .lk-run:focus-visible, .lk-playground input:focus-visible,
.lk-playground textarea:focus-visible, .lk-playground select:focus-visible {
  outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 1px; }
.lk-playground .lk-told { color: var(--lk-soft); }
.lk-playground .lk-printed { margin-bottom: 10px; }
.lk-playground .lk-printed pre { margin: 0 0 8px; max-height: 16em; overflow: auto; white-space: pre-wrap;
  font-family: var(--lk-mono); font-size: var(--lk-code); background: none; color: inherit; }
.lk-playground .lk-printed ul { margin: 0 0 8px; padding-left: 1.4em; }
.lk-playground .lk-scroll { max-height: 40em; overflow: auto; }
.lk table.lk-values { width: 100%; }
.lk table.lk-values td.lk-elements { white-space: normal; text-align: left; font-family: var(--lk-mono);
  font-size: 0.92em; overflow-wrap: anywhere; }
.lk table.lk-values thead th:first-child { text-align: left; padding-left: 0; }
.lk table.lk-values thead th:nth-child(n+4) { text-align: left; padding-left: 12px; }
"""
