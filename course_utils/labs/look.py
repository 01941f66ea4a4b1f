"""The look of a lab's frame: controls, status, panels. Figures bring their own."""

from __future__ import annotations

LAB_STYLE = """
.lk-lab { container-type: inline-size; border: 1px solid var(--jp-border-color2, #e0e0e0); border-radius: 6px;
  padding: 10px 14px 12px; overflow: hidden; background: var(--jp-layout-color1, #fff); }
.lk-lab > * { flex: 0 0 auto; }
.lk-lab .widget-html { margin: 0; height: auto; width: 100%; }
.lk-lab .widget-html-content { width: 100%; }
.lk-controls { flex-flow: row wrap; align-items: center; gap: 2px 24px; overflow: visible; }
.lk-controls .widget-toggle-buttons, .lk-controls .widget-slider { width: auto; display: flex;
  flex-flow: row nowrap;
  align-items: center; gap: 0 8px; }
.lk-controls .widget-toggle-buttons .widget-label { width: auto; flex: 0 0 auto; }
.lk-controls .widget-label { font-weight: 600; }
.lk-controls .widget-readout { min-width: 3em; }
.lk-controls > .lk-busy-place { width: 7em; min-height: 28px; flex: 0 0 auto; }
.lk-controls > .lk-switch { margin-left: auto; }
.lk-lab > .lk-predict { margin: 8px 0; }
.lk-controls button:focus-visible, .lk-controls .noUi-handle:focus-visible { outline-offset: 1px;
  outline: 2px solid var(--jp-brand-color1, #1976d2); }
.lk .lk-status { display: flex; flex-flow: row wrap; gap: 2px 16px; min-height: 1.5em; padding: 6px 0 8px;
  border-bottom: 1px solid var(--lk-fill); margin-bottom: 10px; }
.lk .lk-good b { color: var(--lk-good); }
.lk .lk-bad { color: color-mix(in srgb, var(--lk-bad) 75%, var(--lk-text)); font-weight: 600; }
.lk .lk-busy { color: var(--lk-soft); }
.lk .lk-busy::before { content: ""; display: inline-block; width: 0.8em; height: 0.8em; margin-right: 0.5em;
  border: 2px solid var(--lk-line); border-top-color: var(--lk-blue); border-radius: 50%;
  animation: lk-turn 0.9s linear infinite; vertical-align: -0.1em; }
@keyframes lk-turn { to { transform: rotate(360deg); } }
@media (prefers-reduced-motion: reduce) { .lk .lk-busy::before { animation: none; } }
.lk .lk-error { border-left: 4px solid var(--lk-bad); padding: 6px 12px; margin-bottom: 10px;
  background: var(--lk-fill); }
.lk .lk-error p { margin: 0 0 4px; overflow-wrap: anywhere; white-space: pre-wrap; }
.lk .lk-error p.lk-error-head { font-weight: 600; }
.lk .lk-error-code { margin: 0 0 6px; font-family: var(--lk-mono); font-size: var(--lk-code);
  overflow-x: auto;
  background: none; color: inherit; }
.lk .lk-error-code span { color: var(--lk-soft); }
.lk-views { flex-flow: row wrap; gap: 18px 32px; align-items: flex-start; overflow: visible; }
.lk-lab .lk-views > .lk-panel { flex: 1 1 26em; min-width: 0; width: auto; max-width: 100%; }
.lk-lab .lk-views > .lk-panel.lk-wide { flex: 1 1 100%; }
.lk-panel .lk-sentence { min-height: 4.35em; }
.lk-panel.lk-wide .lk-sentence { min-height: 1.45em; }
.lk-panel.lk-wide.lk-steered .lk-sentence { min-height: 2.9em; }
@container (max-width: 640px) {
  .lk-lab .lk-views > .lk-panel { flex: 1 1 100%; }
  .lk-panel.lk-wide .lk-sentence, .lk-panel.lk-wide.lk-steered .lk-sentence { min-height: 4.35em; }
}
.lk-stale { opacity: 0.45; }
.lk-lab.lk-projector { zoom: 1.5; }
.lk-projector .lk-views > .lk-panel { flex: 1 1 100% !important; }
.lk-projector .lk-metric { display: none; }
.lk-panel.widget-vbox { overflow: visible; }
.lk-panel > .lk-options { margin: 0 0 4px; }
.lk-options .widget-dropdown, .lk-options .widget-slider { width: auto; max-width: 100%; height: auto; }
.lk-options .widget-dropdown > select { width: auto; min-width: 4em; max-width: 100%; }
.lk-options > .widget-html { min-height: 0; }
.lk-options .widget-label { width: auto; font-weight: 600; }
.lk-stepper { flex-flow: row wrap; align-items: center; gap: 2px 8px; overflow: visible; }
.lk-stepper > .widget-label { font-weight: 400; color: var(--jp-content-font-color2, #5f6368); }
.lk-options select:focus-visible, .lk-options button:focus-visible, .lk-options .noUi-handle:focus-visible {
  outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 1px; }
"""
