// Signing in at an authorization server: authorization code (RFC 6749 §4.1) with PKCE (RFC 7636), in a window of its own that
// comes back to this same page. The tokens are put into the form's own fields, as if they had been typed.
'use strict';
(() => {
  const CHANNEL = 'a2a-conformance.sign-in';
  const back = Object.fromEntries(new URLSearchParams(location.search));
  if (back.state && (back.code || back.error)) {
    // This is that window, come back: the page that waits takes it from here, if the state is its own.
    history.replaceState(null, '', location.pathname);
    new BroadcastChannel(CHANNEL).postMessage(back);
    close();
    // Not every browser lets a window close itself after it was elsewhere.
    document.addEventListener('DOMContentLoaded', () => {
      document.body.textContent = 'You can close this window and continue in the page where you began.';
    });
    return;
  }
  const find = (name) => document.querySelector(`[data-key=${CSS.escape(name)}]`);
  const field = (name) => find(name)?.value.trim() || undefined;
  const fill = (input, value, event) => {
    if (!input || !value) return;
    input.value = value;
    input.dispatchEvent(new Event(event, { bubbles: true }));
  };
  const coded = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '');
  const random = () => coded(crypto.getRandomValues(new Uint8Array(32)));
  const web = (text, what) => {
    if (!/^https?:\/\/./i.test(text)) throw Error(`There is no address ${what}`);
    return new URL(text);
  };
  const ask = async (url, init) => {
    const options = { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer', cache: 'no-store', ...init };
    const response = await fetch(url, options).catch(() => {
      throw Error(`${url} gave this page no answer; mostly that is CORS: it has to allow ${location.origin}`);
    });
    return response.json().catch(() => ({ error: `HTTP ${response.status} without JSON` }));
  };
  // `signIn` is what the names of the identity's fields begin with: nothing, or `second:`.
  const signIn = async ({ signIn: identity, authorize, token, provider, scopes }, opened) => {
    const client_id = field(`${identity}id`);
    if (!client_id) throw Error('Fill in the client id first');
    if (!crypto.subtle) throw Error('Browsers let a page sign in only over https, or from this machine');
    if (!opened) throw Error('The browser does not let this page open a window');
    if (provider)
      ({ authorization_endpoint: authorize, token_endpoint: token } = await ask(web(provider, 'of the provider')));
    const place = web(authorize, 'to sign in at');
    const endpoint = web(field('token') ?? token, 'that gives out tokens');
    // A card can lead anywhere, and what goes to the endpoint may be secrets.
    const allowed = find(`allow:${endpoint.origin}`)?.querySelector('input').checked;
    const address = () => document.getElementById('address').value;
    const began = address();
    const home = new URL(document.getElementById('card-url')?.textContent ?? location.href).origin;
    if (!field('token') && !allowed && endpoint.origin !== home)
      throw Error(`The tokens come from ${endpoint.origin}: allow credentials to be sent there, or fill in the token endpoint`);
    const [state, code_verifier] = [random(), random()];
    const code_challenge = coded(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code_verifier)));
    const redirect_uri = location.origin + location.pathname;
    const query = { response_type: 'code', client_id, redirect_uri, state, code_challenge, code_challenge_method: 'S256' };
    for (const [name, value] of Object.entries({ ...query, scope: field('scope') ?? scopes }))
      if (value) place.searchParams.set(name, value);
    // Somebody else is to sign in than the one who may be signed in there already.
    if (identity) place.searchParams.set('prompt', 'login');
    const channel = new BroadcastChannel(CHANNEL);
    const returned = new Promise((resolve, reject) => {
      channel.onmessage = ({ data }) => data.state === state && resolve(data);
      setTimeout(() => reject(Error('The other window did not return within five minutes')), 300000);
    }).finally(() => channel.close());
    opened.opener = null;
    opened.location = place;
    const { code, error } = await returned;
    if (error) throw Error(`The server returned an error: ${error}`);
    const form = { grant_type: 'authorization_code', code, redirect_uri, client_id, code_verifier };
    const client_secret = field(`${identity}secret`);
    const given = await ask(endpoint, { method: 'POST', body: new URLSearchParams(client_secret ? { ...form, client_secret } : form) });
    if (!given.access_token) throw Error(`The server returned no token: ${given.error}`);
    if (address() !== began) throw Error('The address has changed, and the token is not for the new agent: sign in again');
    fill(find('token'), endpoint.href, 'change');
    fill(find(`${identity}refresh`), given.refresh_token, 'change');
    if (identity) fill(find(`${identity}bearer`), given.access_token, 'change');
    else fill(document.getElementById('bearer'), given.access_token, 'input');
  };
  let latest;
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest('[data-sign-in]');
    if (!button) return;
    const mine = (latest = {});
    const say = (text) => {
      if (mine === latest) button.nextElementSibling.textContent = text;
    };
    say('Waiting for the other window');
    // At once, since a browser opens windows only for somebody who has just pressed something.
    const opened = field(`${button.dataset.signIn}id`) && open('about:blank');
    signIn(button.dataset, opened).then(
      () => say('Signed in: the token is in its field'),
      (error) => {
        opened?.close();
        say(error.message);
      },
    );
  });
})();
