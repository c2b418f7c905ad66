// Before the first paint: the theme that the visitor chose, if any; else the system's holds. After that: says so when the
// checker does not start, or dies. Written so that browsers too old for the checker can read it.
'use strict';
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem('a2a-conformance.theme');
    if (theme === 'dark' || theme === 'light') root.dataset.theme = theme;
  } catch (_) {
    // Storage may be off; then the system's choice holds.
  }
  const become = (state) => {
    if (!['ready', 'crashed'].includes(root.dataset.start)) root.dataset.start = state;
  };
  if (typeof WebAssembly !== 'object' || !('noModule' in HTMLScriptElement.prototype)) become('failed');
  const broken = (error) => {
    if (root.dataset.start === 'ready' && error instanceof WebAssembly.RuntimeError) root.dataset.start = 'crashed';
    else become('failed');
  };
  // Captured, because a script that cannot be loaded tells nobody but itself.
  window.addEventListener('error', (event) => broken(event.error), true);
  window.addEventListener('unhandledrejection', (event) => broken(event.reason));
  setTimeout(() => {
    if (root.dataset.start !== 'failed') become('slow');
  }, 10000);
})();
