// Loads the module `on-demand`, which has what few visitors need: the demo agent, and the explanations of checks. Its files
// are fetched when the page is idle, so that neither needs the network later; it is started when it is asked for. After that
// the service worker (offline.js) keeps the whole page for the next visit.
'use strict';
(() => {
  const [script, wasm] = document.querySelector('meta[name=on-demand]').content.split(' ');
  let attempts = 0;
  let fetched;
  let started;
  // Browsers have no service workers on insecure origins, and some visitors switch them off: then there is nothing to keep.
  // A page that is being worked on names none.
  const keepForNextVisit = async () => {
    const worker = document.querySelector('meta[name=offline]')?.content;
    if (worker) await navigator.serviceWorker?.register(worker, { updateViaCache: 'none' });
  };
  const fetchFiles = async () => {
    // A browser remembers a script that it could not fetch: to try again takes another address.
    attempts += 1;
    const again = attempts > 1 ? `?${attempts}` : '';
    const bytes = async () => {
      const response = await fetch(wasm + again);
      if (!response.ok) throw new Error(`${wasm}: HTTP ${response.status}`);
      return response.arrayBuffer();
    };
    const both = await Promise.all([import(new URL(script + again, document.baseURI)), bytes()]);
    document.documentElement.dataset.onDemand = 'here';
    keepForNextVisit().catch(() => {});
    return both;
  };
  // What failed is tried anew the next time.
  const files = () =>
    (fetched ??= fetchFiles().catch((error) => {
      fetched = undefined;
      throw error;
    }));
  const start = async () => {
    const [module, bytes] = await files();
    await module.default({ module_or_path: bytes });
    return module;
  };
  const load = () =>
    (started ??= start().catch((error) => {
      started = undefined;
      throw error;
    }));
  const prefetch = () => {
    const idle = window.requestIdleCallback ?? ((task) => setTimeout(task, 200));
    idle(() => {
      // Whoever wants to save data fetches it by pressing the button.
      if (navigator.connection?.saveData) return;
      // Nobody has asked yet, so nobody is told.
      files().catch(() => {});
    });
  };
  window.onDemand = { load, prefetch };
})();
