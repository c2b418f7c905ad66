// What the clients of official SDKs deviate in when their agents call another. An entry is about somebody else's work, so it says what
// was seen and why.

export const CLIENT_FINDINGS = {
  'python-sdk': [],
  'js-sdk': [],
};
