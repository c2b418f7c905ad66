// Starts the checker, which is a module of its own, in a worker, and passes on what the page and it say. That happens when somebody is
// about to need it: whoever only reads does not fetch it. After that the service worker (offline.js) keeps the whole page for the
// next visit.
'use strict';
(() => {
  const [script, wasm, workerScript] = document
    .querySelector('meta[name=checker]')
    .content.split(' ')
    .map((url) => new URL(url, document.baseURI).href);
  let attempts = 0;
  let listener;
  // Browsers have no service workers on insecure origins, and some visitors switch them off: then there is nothing to keep.
  // A page that is being worked on names none.
  const keepForNextVisit = async () => {
    const worker = document.querySelector('meta[name=offline]')?.content;
    if (worker) await navigator.serviceWorker?.register(worker, { updateViaCache: 'none' });
  };
  // What failed is tried anew the next time.
  const once = (make) => {
    let made;
    const get = () =>
      (made ??= make().catch((error) => {
        made = undefined;
        throw error;
      }));
    get.again = () => {
      made = undefined;
    };
    return get;
  };

  const program = once(async () => {
    // A browser remembers a script that it could not fetch: to try again takes another address.
    attempts += 1;
    const again = attempts > 1 ? `?${attempts}` : '';
    const response = await fetch(wasm + again);
    if (!response.ok) throw new Error(`${wasm}: HTTP ${response.status}`);
    return { script: script + again, program: await WebAssembly.compile(await response.arrayBuffer()) };
  });

  /** The checker in a worker; rejects where the page may not have one. */
  const inWorker = async (place) => {
    const worker = new Worker(workerScript, { type: 'module' });
    const waiting = new Map();
    let next = 0;
    let ended;
    const say = (message) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new Error(ended));
        next += 1;
        waiting.set(next, { resolve, reject });
        worker.postMessage({ id: next, ...message });
      });
    const end = (reason) => {
      ended = reason;
      worker.terminate();
      for (const { reject } of waiting.values()) reject(new Error(reason));
      waiting.clear();
    };
    worker.onmessage = ({ data: { id, answer, error, batch, crash } }) => {
      if (batch) listener?.(batch);
      if (crash) {
        end(crash);
        document.documentElement.dataset.start = 'crashed';
      }
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) asked?.resolve(answer);
      else asked?.reject(new Error(error));
    };
    // A policy that forbids the worker, or a browser without modules in workers.
    worker.onerror = () => end('the worker could not be started');
    try {
      await say({ module: place });
      // From now on the worker says itself what it cannot go on after, and the page need not hear of it a second time.
      worker.onerror = (event) => event.preventDefault();
    } catch (error) {
      end(error.message);
      throw error;
    }
    return { ask: (question, file) => say({ question, file }), hasEnded: () => ended !== undefined };
  };

  /** The module beside the page. */
  const bindings = once(async () => {
    const place = await program();
    const module = await import(place.script);
    await module.default({ module_or_path: place.program });
    return module;
  });

  const inPage = async () => {
    const module = await bindings();
    module.listen((batch) => listener?.(batch));
    return { ask: async (question, file) => module.ask(question, file && new Uint8Array(await file.arrayBuffer())) };
  };

  const start = once(async () => {
    const place = await program();
    const checker = await inWorker(place).catch(inPage);
    document.documentElement.dataset.checker = 'here';
    keepForNextVisit().catch(() => {});
    return checker;
  });

  window.checker = {
    /** Resolves to the answer; a file is what the question is about. */
    ask: async (question, file) => {
      let checker = await start();
      // After a crash, the next run has a checker again.
      if (checker.hasEnded?.()) {
        start.again();
        checker = await start();
      }
      return checker.ask(question, file);
    },
    listen: (told) => {
      listener = told;
    },
    prefetch: () => {
      // Whoever wants to save data fetches it by running a check. Nobody has asked yet, so nobody is told.
      if (!navigator.connection?.saveData) start().catch(() => {});
    },
  };
  const SOON = '#address, #run, .demo button, .kept button, .past button';
  const foresee = ({ target }) => {
    if (target.closest?.(SOON)) window.checker.prefetch();
  };
  addEventListener('focusin', foresee);
  addEventListener('pointerover', foresee);
  // Who follows a link is about to run what it asks for.
  if (location.hash.length > 1) window.checker.prefetch();
  // For scripts that drive the page, beside the page: a signal and a function cannot be sent to a worker. docs/SCRIPTS.md
  window.wasmBindings = {
    checkAgent: async (options) => (await bindings()).checkAgent(options),
    checkList: async () => (await bindings()).checkList(),
  };
})();
