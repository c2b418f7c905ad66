// What the clients of official SDKs deviate in when their agents call another. An entry is about somebody else's work, so it says what
// was seen and why.

export const CLIENT_FINDINGS = {
  'python-sdk': [],
  'js-sdk': [
    {
      check: 'client.card-cached',
      level: 'should',
      wire: 'one GET /.well-known/agent-card.json for each task that calls, without If-None-Match -> 200 with ETag, each time',
      why: 'The agent makes a client for each call, as ClientFactory.createFromUrl invites to, and each fetches the card anew.',
    },
  ],
};
