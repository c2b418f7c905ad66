// An agent whose every string is an attack on what opens a report: a terminal, a browser, GitHub, a spreadsheet, a log that a CI
// server reads. It is the scripted agent behind a proxy that adds an attack to each string on its way out, and takes it away
// from what comes back in, so that a run goes as far as with an agent that means well.

import http from 'node:http';

/** Stands before each attack. What is behind it in a string of a request is ours and no part of what the agent knows. */
export const MARK = '~zq7~';

/** Where an attack would have a reader send something. Nobody listens there; a test looks at whether somebody tried. */
export const ELSEWHERE = 'http://zq7.invalid';

const SETS = {
  terminal: [
    '\x1b]0;zq7 title\x07',
    '\x1b[2J\x1b[1;1Hzq7 home',
    '\x1b]52;c;enE3\x07',
    `\x1b]8;;${ELSEWHERE}/osc8\x1b\\zq7\x1b]8;;\x1b\\`,
    '\x9b31mzq7\x9b8m',
    '\x9d0;zq7 c1\x9c',
    '\x90zq7 dcs\x9c',
    '\u202ezq7\u2066\u2067\u200f\u061c',
    'zq7\rConformant: 999 of 999 checks',
    'zq7\b\b\b\b\b\b\b\b',
    '\x07\x0e\x0fzq7\x1bc',
    '\x1b[?1049h\x1b[8mzq7\x1b[10;10r',
    '\x1b[8mha:////zq7\x1b[0m',
    'zq7\u2028next\u2029line\u0085end\x0b\x0c',
    '\u{feff}zq7\u{200b}\u{e0041}\u{e007f}',
    '\u001b[201~zq7\n',
  ],
  html: [
    '<script>globalThis.harmed=1</script>',
    `<img src=${ELSEWHERE}/img onerror="globalThis.harmed=2">`,
    '"><svg onload="globalThis.harmed=3">',
    `' onmouseover='globalThis.harmed=4' zq7='`,
    '</title></style></pre></code></textarea><script>globalThis.harmed=5</script>',
    'javascript:globalThis.harmed=6',
    'data:text/html,<script>globalThis.harmed=7</script>',
    `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}/refresh">`,
    `<link rel=stylesheet href="${ELSEWHERE}/css"><base href="${ELSEWHERE}/">`,
    '&lt;img src=x onerror=globalThis.harmed=8&gt; &#60;b&#62; &amp;',
    '--><script>globalThis.harmed=9</script><!--',
    `<a href="${ELSEWHERE}/a" ping="${ELSEWHERE}/ping">zq7</a><iframe srcdoc="zq7"></iframe>`,
    '<details open ontoggle=globalThis.harmed=10>zq7',
    `{{constructor.constructor('globalThis.harmed=11')()}}`,
  ],
  markdown: [
    `![zq7](${ELSEWHERE}/md.png)`,
    `[zq7](${ELSEWHERE}/md) [zq7](javascript:globalThis.harmed=12)`,
    '@zq7-user @zq7-org/team',
    '#7007 GH-7007 zq7/zq7#7007 zq7@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    '| zq7 | zq7 | zq7 |',
    'a\\|zq7\\\\|zq7\\',
    '```\n\n# zq7\n\n```',
    '````zq7````` `zq7',
    '~~~\n# zq7\n~~~',
    '<!-- zq7',
    `[^zq7] [zq7]: ${ELSEWHERE}/ref`,
    `\n\n[zq7]: ${ELSEWHERE}/ref\n\n[^zq7]: note\n\n[zq7][^zq7]`,
    '\n\n# zq7\n\n- [ ] zq7\n\n1. zq7\n\n> [!NOTE]\n> zq7\n',
    'zq7\n===\n\n---\n',
    `${ELSEWHERE}/autolink www.zq7.invalid zq7@zq7.invalid <${ELSEWHERE}/angle>`,
    '*zq7* **zq7** __zq7__ ~~zq7~~ :tada: :+1: $zq7$ $`zq7`$',
    'zq7 is :tada:',
    '</details></summary><details open><summary>zq7',
    '&#64;zq7-user &#35;7007 &lt;b&gt;',
  ],
  xml: [
    ']]>zq7<![CDATA[',
    '&zq7; &#0; &#x1b;',
    '<!DOCTYPE zq7 [<!ENTITY zq7 SYSTEM "file:///etc/passwd">]>&zq7;',
    '\0\u0001\u0008\ufffe\uffff',
    '\ud800zq7\udc00',
    '<?zq7 ?></testcase><testcase name="zq7"/>',
  ],
  metrics: ['"} 7\nzq7_metric{zq7="', '\\', '\n# TYPE zq7 counter\nzq7 1\n', '\\n\\"zq7'],
  ci: [
    '\n::set-output name=zq7::7\n',
    '::add-mask::zq7',
    '\r\n  ::error file=zq7,line=7::zq7',
    '\n::stop-commands::zq7',
    '##vso[task.setvariable variable=zq7]7',
    '##[section]zq7',
    '##[set-env name=zq7;]7',
    `##teamcity[buildStatus text='zq7' status='SUCCESS']`,
    '\nsection_start:7:zq7\r\x1b[0K',
    '\ntravis_fold:start:zq7\r',
  ],
  cells: [`=cmd|' /C zq7'!A0`, '+7+zq7', '-7-zq7', '@SUM(7)zq7', '\t=7+7zq7', `=HYPERLINK("${ELSEWHERE}/cell";"zq7")`],
  names: ['../../../zq7', '..\\..\\zq7', 'CON', 'nul.txt', 'zq7/'.repeat(80), 'zq7'.repeat(200), '~/.zq7', 'zq7\0.json'],
};

/** Every attack. */
export const ATTACKS = Object.values(SETS).flat();

/** Members whose values decide how a run goes on: an attack in them would end it, and what is behind it would not be seen. */
const STEERING = new Set([
  'url', 'protocolBinding', 'protocolVersion', 'preferredTransport', 'transport', 'jsonrpc', 'state', 'role', 'kind', 'type', '@type', 'timestamp',
  'method', 'in', 'location', 'scheme', 'token',
]);

/** What an agent like this one adds to a card where it may say more than it must. */
const additions = (next) => ({
  provider: { organization: next(), url: next() },
  documentationUrl: next(),
  iconUrl: next(),
  securitySchemes: {
    [next()]: { oauth2SecurityScheme: { flows: { authorizationCode: { authorizationUrl: next(), tokenUrl: next(), scopes: { [next()]: next() } } } } },
    [next()]: { openIdConnectSecurityScheme: { openIdConnectUrl: next() } },
    [next()]: { apiKeySecurityScheme: { location: 'header', name: next(), description: next() } },
  },
});

/**
 * Starts it before the scripted agent at `upstream`. `how` says what is attacked: `adds` leaves the card and the answers usable,
 * `breaks` replaces every string of every answer but those of the card, and `card` every one of the card.
 */
export async function startAttacker(t, upstream, how = 'adds') {
  let count = 0;
  let cards = 0;
  let origin;
  const next = () => ATTACKS[count++ % ATTACKS.length];
  // What is named again is named alike, or the run would not get far.
  const always = (id) => ATTACKS[[...id].reduce((sum, c) => (sum * 31 + c.codePointAt(0)) % 65_521, 7) % ATTACKS.length];
  const steers = (name, value) => STEERING.has(name) || value === '' || /^(https?:\/\/|\d+(\.\d+)+$|application\/|text\/|image\/)/.test(value);
  const added = (value, name, replaces) => {
    if (typeof value === 'string') {
      if (replaces) return name === 'jsonrpc' ? value : next();
      if (steers(name, value)) return value.replaceAll(upstream, origin);
      return `${value}${MARK}${/id$/i.test(name) ? always(value) : next()}`;
    }
    if (Array.isArray(value)) return value.map((item) => added(item, name, replaces));
    if (value === null || typeof value !== 'object') return value;
    const members = Object.entries(value).map(([key, member]) => [key, added(member, key, replaces)]);
    if ('metadata' in value) members.push(['metadata', { ...added(value.metadata, '', replaces), [next()]: next() }]);
    return Object.fromEntries(members);
  };
  // The id of a JSON-RPC answer is ours.
  const answered = (document, isCard) => {
    if (isCard && how !== 'card') return { ...added(document, '', false), ...additions(next) };
    const { id, ...rest } = document;
    return 'jsonrpc' in document ? { ...added(rest, '', how !== 'adds'), id } : added(document, '', isCard ? how === 'card' : how !== 'adds');
  };
  const text = (body, isCard) => {
    try {
      return JSON.stringify(answered(JSON.parse(body), isCard));
    } catch {
      return body;
    }
  };
  const cleaned = (value) => {
    if (typeof value === 'string') return value.split(MARK)[0];
    if (Array.isArray(value)) return value.map(cleaned);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cleaned(member)]));
  };
  const path = (url) =>
    url
      .split('/')
      .map((piece) => {
        const [before, verb] = [piece.replace(/(:[a-z]+)?(\?.*)?$/i, ''), /(:[a-z]+)?(\?.*)?$/i.exec(piece)[0]];
        const cut = before.split(encodeURIComponent(MARK))[0].split(MARK)[0];
        return cut + (cut === before || /^[:?]/.test(verb) ? verb : '');
      })
      .join('/');

  const server = http.createServer(async (request, response) => {
    const pieces = [];
    request.on('error', () => {});
    for await (const piece of request) pieces.push(piece);
    let body = Buffer.concat(pieces).toString();
    if (body.includes(MARK)) {
      try {
        body = JSON.stringify(cleaned(JSON.parse(body)));
      } catch {
        // One of those that are broken on purpose.
      }
    }
    const headers = { ...request.headers, host: new URL(upstream).host, 'content-length': Buffer.byteLength(body) };
    delete headers['accept-encoding'];
    delete headers['transfer-encoding'];
    const outgoing = http.request(upstream + path(request.url), { method: request.method, headers, agent: false }, (incoming) => {
      // Either side may hang up.
      respond(incoming).catch(() => response.destroy());
    });
    const respond = async (incoming) => {
      const kept = Object.entries(incoming.headers).filter(([name]) => !/^(content-length|transfer-encoding|connection|etag)/.test(name));
      const strange = [...next()].filter((c) => c >= ' ' && c <= '\xff' && c !== '\x7f').join('');
      const isCard = request.url.includes('agent-card');
      // Each card begins with another attack, so that many of them come to stand in each of its members.
      if (isCard && how === 'card') count = 13 * cards++;
      response.statusMessage = `zq7 ${strange}`.trim();
      response.writeHead(incoming.statusCode, { ...Object.fromEntries(kept), etag: `"${strange}"`, 'x-zq7': strange, server: strange });
      response.flushHeaders();
      if (String(incoming.headers['content-type']).startsWith('text/event-stream')) {
        let held = '';
        for await (const piece of incoming.setEncoding('utf8')) {
          held += piece;
          const lines = held.split('\n');
          held = lines.pop();
          for (const line of lines) {
            const data = /^data: ?(.*)$/.exec(line);
            const name = next().replaceAll(/[\r\n\0]/g, ' ');
            response.write(data ? `event: ${name}\nid: ${name}\n: ${name}\ndata: ${text(data[1], false)}\n` : `${line}\n`);
          }
        }
        response.end(held);
        return;
      }
      let whole = '';
      for await (const piece of incoming.setEncoding('utf8')) whole += piece;
      response.end(text(whole, isCard));
    };
    outgoing.on('error', () => response.destroy());
    response.on('error', () => {});
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  origin = `http://127.0.0.1:${server.address().port}`;
  return { origin };
}
