// Reports and tests as files, opened by a picker or dropped onto the page, and the past runs that this browser keeps: at most ten, each
// with the few words that a list shows of it and, apart from them, its report. Reports are redacted when they are made.
'use strict';
(() => {
  const LARGEST = 100_000_000;
  const MOST = 10;
  let heard;

  const open = async (file, purpose) => {
    const { name } = file;
    try {
      if (file.size > LARGEST) throw new Error('it is larger than 100 MB');
      // The checker reads it, in its worker; that it can be read is seen here.
      await file.slice(0, 1).arrayBuffer();
      heard?.(name, purpose, file, '');
    } catch (error) {
      heard?.(name, purpose, file, error.message);
    }
  };
  addEventListener('change', ({ target }) => {
    const purpose = target.dataset?.opens;
    if (!purpose || !target.files?.length) return;
    for (const file of target.multiple ? target.files : [target.files[0]]) open(file, purpose);
    // The same file can be chosen again.
    target.value = '';
  });
  const holdsFile = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  addEventListener('dragover', (event) => {
    if (holdsFile(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!holdsFile(event)) return;
    // Else the browser leaves the page and shows the file.
    event.preventDefault();
    const [first, ...others] = event.dataTransfer.files;
    const purpose = (file) => (/\.ya?ml$|\.acts\.json$/i.test(file.name) ? 'tests' : 'drop');
    if (first) open(first, purpose(first));
    // Of reports one is shown at a time.
    for (const file of others) if (purpose(file) === 'tests') open(file, 'tests');
  });
  window.files = {
    listen: (told) => {
      heard = told;
    },
  };

  const result = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  /** Both stores in one transaction; resolves to what `work` does when all of it is written. */
  const stores = async (mode, work) => {
    const request = indexedDB.open('a2a-conformance', 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('about', { autoIncrement: true });
      request.result.createObjectStore('report');
    };
    const database = await result(request);
    try {
      const transaction = database.transaction(['about', 'report'], mode);
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      // Where there is no room both fail.
      const [answer] = await Promise.all([work(transaction.objectStore('about'), transaction.objectStore('report')), done]);
      return answer;
    } finally {
      database.close();
    }
  };
  const drop = (about, report, id) => Promise.all([result(about.delete(id)), result(report.delete(id))]);
  window.pastRuns = {
    /** `[{ id, about }]`, the newest first. */
    list: () =>
      stores('readonly', async (about) => {
        const [ids, all] = await Promise.all([result(about.getAllKeys()), result(about.getAll())]);
        return ids.map((id, at) => ({ id, about: all[at] })).reverse();
      }),
    report: (id) => stores('readonly', (_, report) => result(report.get(id))),
    keep: (words, text) =>
      stores('readwrite', async (about, report) => {
        const id = await result(about.add(words));
        await result(report.put(text, id));
        const ids = await result(about.getAllKeys());
        for (const old of ids.slice(0, -MOST)) await drop(about, report, old);
      }),
    forget: (id) => stores('readwrite', (about, report) => drop(about, report, id)),
    forgetAll: () => stores('readwrite', (about, report) => Promise.all([result(about.clear()), result(report.clear())])),
  };
})();
