// A reporter of Node.js's test runner for programs: a line of JSON for each test that has ended, with `file`, `names` (its own,
// and before it those of the tests around it), `result` (passed, failed or left-out) and `own`: false where only tests in it failed.

export default async function* outcomes(source) {
  // The names of the tests under way, the outermost first.
  const names = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    names.splice(data.nesting, Infinity, data.name);
    const isLeftOut = data.skip !== undefined || data.todo !== undefined;
    const result = isLeftOut ? 'left-out' : type === 'test:pass' ? 'passed' : 'failed';
    const own = data.details?.error?.failureType !== 'subtestsFailed';
    yield `${JSON.stringify({ file: data.file, names, result, own })}\n`;
  }
}
