// What a page holds, in bytes: the memory of its programs, which never becomes less, and the objects of its own thread and of its
// workers. The checker runs in a worker, and what an agent sends is there.

/** Watches the memory of a page and of its workers, those that it has and those that it starts. */
export async function watchMemory(page, context) {
  const session = await context.newCDPSession(page);
  const workers = new Map();
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') workers.set(sessionId, new Map());
  });
  session.on('Target.detachedFromTarget', ({ sessionId }) => {
    for (const answer of workers.get(sessionId)?.values() ?? []) answer({});
    workers.delete(sessionId);
  });
  session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
    const { id, result = {} } = JSON.parse(message);
    workers.get(sessionId)?.get(id)?.(result);
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });

  let calls = 0;
  /** Calls a worker's thread; one that has ended answers nothing. */
  const callWorker = async (sessionId, method, params = {}) => {
    const waiting = workers.get(sessionId);
    if (!waiting) return {};
    const id = (calls += 1);
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    const result = await session.send('Target.sendMessageToTarget', { sessionId, message }).then(() => answer, () => ({}));
    waiting.delete(id);
    return result;
  };
  /** Asks the page's thread, and that of each worker. */
  const everywhere = (ask) =>
    Promise.all([
      ask((method, params) => session.send(method, params)),
      ...[...workers.keys()].map((worker) => ask((method, params) => callWorker(worker, method, params))),
    ]);
  const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

  return {
    /** The objects. */
    objects: async () => {
      const of = async (call) => {
        const { usedSize = 0, backingStorageSize = 0 } = await call('Runtime.getHeapUsage');
        return usedSize + backingStorageSize;
      };
      return sum(await everywhere(of));
    },
    /** Drops what nobody holds: a browser does when it likes, later on a machine that is busy. */
    collect: () => everywhere((call) => call('HeapProfiler.collectGarbage')),
    /** The memory of the programs. */
    programs: async () => {
      const of = async (call) => {
        const { result } = await call('Runtime.evaluate', { expression: 'WebAssembly.Memory.prototype' });
        if (!result) return 0;
        const { objects } = await call('Runtime.queryObjects', { prototypeObjectId: result.objectId });
        const size = await call('Runtime.callFunctionOn', {
          objectId: objects.objectId,
          functionDeclaration: 'function () { return this.reduce((sum, memory) => sum + memory.buffer.byteLength, 0); }',
        });
        return size.result?.value ?? 0;
      };
      const found = await everywhere(of);
      // The views, and the checker: else they have to be found in another way.
      if (found.filter((size) => size > 0).length < 2) throw new Error(`there are programs of ${found} bytes`);
      return sum(found);
    },
  };
}
