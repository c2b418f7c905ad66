// What the package offers; index.js and node.js say where its module comes from.
import * as bindings from './bindings.js';

/** Answers to these have no body (Fetch §null body status). */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

export function offer(usual) {
  let started;

  /** Loads and starts the module, once. A load that failed is tried anew by the next call. */
  function init(source) {
    started ??= start(source).catch((error) => {
      started = undefined;
      throw error;
    });
    return started;
  }

  async function start(source) {
    const module = await (source ?? usual?.());
    await bindings.default(module === undefined ? undefined : { module_or_path: module });
  }

  async function checkAgent(options) {
    await init();
    return bindings.checkAgent(options);
  }

  async function checkList() {
    await init();
    return bindings.checkList();
  }

  async function scriptedFaults() {
    await init();
    return pairs(bindings.demoFaults()).map(([id, title]) => ({ id, title }));
  }

  async function scriptedAgent(faults = [], { base = 'http://agent.test' } = {}) {
    await init();
    bindings.assertFaults(faults);
    return new ScriptedAgent(bindings.demoAgent(base.replace(/\/+$/, ''), faults));
  }

  return { init, checkAgent, checkList, scriptedAgent, scriptedFaults };
}

/** An agent without a server: `fetch` answers what is asked of it, whatever host the URL names. */
class ScriptedAgent {
  #agent;

  constructor(agent) {
    this.#agent = agent;
    this.url = agent.address;
    this.headers = Object.fromEntries(pairs(agent.credentials));
    this.secondHeaders = Object.fromEntries(pairs(agent.secondCredentials));
    // As `fetch` itself, it may be handed around without its agent.
    this.fetch = this.fetch.bind(this);
  }

  async fetch(input, init) {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const exchange = this.#agent.send(request.method, request.url, [...request.headers].flat(), body);
    const aborted = new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => {
        exchange.abort();
        reject(request.signal.reason);
      });
    });
    // Nobody may be waiting any more when it comes.
    aborted.catch(() => {});
    try {
      await Promise.race([exchange.answered(), aborted]);
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw new TypeError(error.message, { cause: error });
    }
    const stream = new ReadableStream({
      async pull(controller) {
        const chunk = await Promise.race([exchange.next(), aborted]).catch((error) => {
          throw typeof error === 'string' ? new TypeError(error) : error;
        });
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: () => exchange.abort(),
    });
    const { status } = exchange;
    return new Response(WITHOUT_BODY.has(status) ? null : stream, { status, headers: pairs(exchange.headers) });
  }
}

function pairs(flat) {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index], flat[2 * index + 1]]);
}
