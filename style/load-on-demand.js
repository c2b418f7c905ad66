// Loads the module `on-demand`, which has what few visitors need: the demo agent, and the explanations of checks. Its files
// are fetched when the page is idle, so that neither needs the network later; it is started when it is asked for.
'use strict';
(() => {
  const [script, wasm] = document.querySelector('meta[name=on-demand]').content.split(' ');
  let attempts = 0;
  let fetched;
  let started;
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
