// The checker in a worker, so that a page full of results stays smooth while it checks. start-checker.js starts it and says where
// the module is; then each message is a question, and what comes back an answer or a batch of news.
let module;

const start = async ({ script, program }) => {
  module = await import(script);
  await module.default({ module_or_path: program });
  module.listen((batch) => postMessage({ batch }));
};

// What crashes the checker crashes it for good, and in here nobody would see it.
const crashed = (error) => {
  if (error instanceof WebAssembly.RuntimeError) postMessage({ crash: String(error) });
};
addEventListener('error', (event) => crashed(event.error));
addEventListener('unhandledrejection', (event) => crashed(event.reason));

addEventListener('message', async ({ data: { id, module: place, question, file } }) => {
  try {
    const text = file && new Uint8Array(await file.arrayBuffer());
    postMessage({ id, answer: place ? await start(place) : await module.ask(question, text) });
  } catch (error) {
    crashed(error);
    postMessage({ id, error: String(error?.message ?? error) });
  }
});
