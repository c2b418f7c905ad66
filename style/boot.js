// Before the first paint: the theme that the visitor chose. After that: says so when the checker does not start, or dies.
'use strict';
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem('a2a-conformance.theme');
    if (theme === 'dark' || theme === 'light') root.dataset.theme = theme;
  } catch {
    // Storage may be off; then the system's choice holds.
  }
  const become = (state) => {
    if (root.dataset.start !== 'ready') root.dataset.start = state;
  };
  if (typeof WebAssembly !== 'object') become('failed');
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
// Signing in at an authorization server: authorization code with PKCE (RFC 7636) in a window of its own. The token is put
// into the form's own field, as if it had been typed.
(() => {
  const CHANNEL = 'a2a-conformance.sign-in';
  const back = Object.fromEntries(new URLSearchParams(location.search));
  if (back.state && (back.code || back.error)) {
    // This is that window, come back: the page that waits takes it from here.
    history.replaceState(null, '', location.pathname);
    new BroadcastChannel(CHANNEL).postMessage(back);
    close();
  }
  const field = (name) => document.querySelector(`[data-key="${name}"]`)?.value.trim() || undefined;
  const coded = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '');
  const random = () => coded(crypto.getRandomValues(new Uint8Array(32)));
  const ask = async (url, init) => {
    const options = { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer', ...init };
    const response = await fetch(url, options).catch(() => {
      throw Error(`${url} gave this page no answer; mostly that is CORS: it has to allow ${location.origin}`);
    });
    return response.json();
  };
  const signIn = async ({ authorize, token, provider }) => {
    const client_id = field('id');
    if (!client_id) throw Error('Fill in the client id first');
    if (provider) ({ authorization_endpoint: authorize, token_endpoint: token } = await ask(provider));
    const place = new URL(authorize);
    const endpoint = new URL(field('token') ?? token);
    if (!/^https?:$/.test(place.protocol)) throw Error('The card names no address to sign in at');
    // Else a card could have somebody else's code sent to itself.
    if (!field('token') && place.origin !== endpoint.origin)
      throw Error(`The card has the token fetched from ${endpoint.origin}; if you trust it, fill in its token endpoint`);
    const [state, code_verifier] = [random(), random()];
    const code_challenge = coded(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code_verifier)));
    const redirect_uri = location.origin + location.pathname;
    const query = { response_type: 'code', client_id, redirect_uri, state, code_challenge, code_challenge_method: 'S256' };
    for (const [name, value] of Object.entries({ ...query, scope: field('scope') }))
      if (value) place.searchParams.set(name, value);
    const opened = open('about:blank');
    if (!opened) throw Error('The browser does not let this page open a window');
    opened.opener = null;
    opened.location = place;
    const channel = new BroadcastChannel(CHANNEL);
    const { code, error } = await new Promise((resolve, reject) => {
      channel.onmessage = ({ data }) => data.state === state && resolve(data);
      setTimeout(() => reject(Error('Nobody came back within five minutes')), 300000);
    }).finally(() => channel.close());
    if (error) throw Error(`The server says: ${error}`);
    const client_secret = field('secret');
    const form = { grant_type: 'authorization_code', code, redirect_uri, client_id, code_verifier };
    const body = new URLSearchParams(client_secret ? { ...form, client_secret } : form);
    const given = await ask(endpoint, { method: 'POST', body });
    if (!given.access_token) throw Error(`The server gives no token: ${given.error}`);
    const bearer = document.getElementById('bearer');
    bearer.value = given.access_token;
    bearer.dispatchEvent(new Event('input', { bubbles: true }));
  };
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest('[data-sign-in]');
    if (!button) return;
    const say = (text) => {
      button.nextElementSibling.textContent = text;
    };
    say('Waiting for the other window');
    signIn(button.dataset).then(
      () => say('Signed in: the token is in its field'),
      (error) => say(error.message),
    );
  });
})();
