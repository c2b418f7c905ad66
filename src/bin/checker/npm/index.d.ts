/**
 * Loads and starts the module, once; every other function does so by itself. `source` takes its place where a bundler moved
 * it: a URL, a `Response`, its bytes, or a compiled `WebAssembly.Module`.
 */
export function init(source?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<void>;

/**
 * Checks an agent. Resolves to the report, whatever was found; an agent that cannot be reached is a report, too. Rejects with
 * a {@link CheckAgentError}, or with what `onEvent` threw.
 */
export function checkAgent(options: CheckOptions): Promise<Report>;

/** Every check there is; `only` takes the ids. */
export function checkList(): Promise<CheckSummary[]>;

/** An agent that conforms unless it is told how to be wrong, without a server. */
export function scriptedAgent(faults?: string[], options?: { base?: string }): Promise<ScriptedAgent>;

/** What {@link scriptedAgent} can be told. */
export function scriptedFaults(): Promise<Array<{ id: string; title: string }>>;

/** What is checked: one of an address, a card and an endpoint. */
export type CheckOptions = CheckSettings & (FromUrl | FromCard | FromEndpoint);

interface FromUrl {
  /** The agent: an origin, a base path or the URL of its card. */
  url: string | URL;
  card?: null;
  endpoint?: null;
}

interface FromCard {
  /** A card, as an object or as text, which is judged without calling its agent. */
  card: string | object;
  url?: null;
  endpoint?: null;
}

interface FromEndpoint {
  /** An interface that has no card, by its URL. */
  endpoint: string | URL;
  /** Its binding. */
  binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  /** What a card would declare of it; checks of what is not named do not apply. */
  declares?: Array<'streaming' | 'pushNotifications' | 'extendedAgentCard'> | null;
  /** The tenant that every call has to name. */
  tenant?: string | null;
  /** The URIs of the extensions that it requires. */
  extensions?: string[] | null;
  url?: null;
  card?: null;
}

export interface CheckSettings {
  /** A bearer token, sent with every request. */
  bearer?: string | null;
  /** `USER:PASSWORD`, sent as Basic credentials with every request. */
  basic?: string | null;
  /** Headers, sent with every request; their values are secrets: `{ 'X-Api-Key': '…' }`. */
  headers?: Record<string, string> | null;
  /** Keys in the query of every request; their values are secrets. */
  query?: Record<string, string> | null;
  /**
   * Headers of single interfaces, by the names of their lanes, which then have no other credentials:
   * `{ 'rest-1.0': { 'X-Api-Key': '…' } }`.
   */
  laneHeaders?: Record<string, Record<string, string>> | null;
  /** The client that gets tokens by OAuth 2.0. Without a secret, the event `confirm` says where a person confirms a code. */
  clientId?: string | null;
  /** The secret of that client. */
  clientSecret?: string | null;
  /** The scopes to request, separated by spaces; a client of the second identity requests the same. */
  scope?: string | null;
  /** The token endpoint, if it is not the one that the card or its OpenID provider names; it is also that of the second identity. */
  tokenUrl?: string | null;
  /** The refresh token that renews the bearer token. */
  refreshToken?: string | null;
  /** Origins that credentials may go to besides the agent's own, if the card names them. */
  allowOrigins?: string[] | null;
  /** As `bearer`, for another user, who must not see the first one's tasks. */
  secondBearer?: string | null;
  /** As `basic`, for another user, who must not see the first one's tasks. */
  secondBasic?: string | null;
  /** As `headers`, for another user, who must not see the first one's tasks. */
  secondHeaders?: Record<string, string> | null;
  /** As `query`, for another user, who must not see the first one's tasks. */
  secondQuery?: Record<string, string> | null;
  /** As `laneHeaders`, for another user, who must not see the first one's tasks. */
  secondLaneHeaders?: Record<string, Record<string, string>> | null;
  /** As `clientId`, for another user, who must not see the first one's tasks. */
  secondClientId?: string | null;
  /** As `clientSecret`, for another user, who must not see the first one's tasks. */
  secondClientSecret?: string | null;
  /** As `refreshToken`, for another user, who must not see the first one's tasks. */
  secondRefreshToken?: string | null;
  /** As `bearer`, for the `peer`. */
  peerBearer?: string | null;
  /** As `basic`, for the `peer`. */
  peerBasic?: string | null;
  /** As `headers`, for the `peer`. */
  peerHeaders?: Record<string, string> | null;
  /** As `query`, for the `peer`. */
  peerQuery?: Record<string, string> | null;
  /** As `laneHeaders`, for the `peer`. */
  peerLaneHeaders?: Record<string, Record<string, string>> | null;
  /** As `clientId`, for the `peer`. */
  peerClientId?: string | null;
  /** As `clientSecret`, for the `peer`. */
  peerClientSecret?: string | null;
  /** As `scope`, for the `peer`. */
  peerScope?: string | null;
  /** As `tokenUrl`, for the `peer`. */
  peerTokenUrl?: string | null;
  /** As `allowOrigins`, for the `peer`. */
  peerAllowOrigins?: string[] | null;
  /**
   * Only checks whose id matches one of these patterns, in which `*` stands for anything; `checkList()` resolves to the `id`, `title` and
   * `level` of each check.
   */
  only?: string[] | null;
  /** Drives scenarios, too, that cost many messages for what they find, such as bursts; false, unless given. */
  thorough?: boolean | null;
  /**
   * How many times the agent is checked, one run after another, with one report: 1 to 100. What fails in each run is a fail. What
   * differs is inconclusive, counted as `unsteady` in the summary, and says in `repeated` which runs concluded what, with the
   * exchanges of each kind. Not with `card`, `peer` or a refresh token.
   */
  repeat?: number | null;
  /**
   * How many interfaces of the card are called at most: 16, unless given. If it lists more, the report names the others, and the
   * run is incomplete.
   */
  interfaces?: number | null;
  /** The version to judge by, whatever the card declares. */
  protocolVersion?: '1.0' | '0.3' | '0.2' | '0.1' | null;
  /** The messages that make the agent show a behaviour: `{ 'input-required': 'Book a flight' }`. */
  prompts?: Partial<Record<Behaviour, string>> | null;
  /** The convention for the prompts; otherwise the card chooses. */
  profile?: 'generic' | 'agentbin' | 'tck' | 'acts' | null;
  /** The ids of the skills whose examples an ordinary agent is asked in; all otherwise. */
  skills?: string[] | null;
  /** The keys that are trusted to sign the card: a JSON Web Key Set, as an object or as text, or its URL. */
  jwks?: string | { keys: object[] } | null;
  /** How many requests may be under way at once: 6 in a browser and 8 elsewhere, unless given. */
  concurrency?: number | null;
  /** How long a scenario may take: 60 seconds, unless given. */
  timeoutSeconds?: number | null;
  /**
   * How long to wait for what, in seconds: `reach` for the card (30), `answer` for the answer to a call (45), `event` for the first
   * event of a stream and `idle` for the next one (as for an answer), and `run` for the whole run (900).
   */
  timeouts?: Partial<Record<'reach' | 'answer' | 'event' | 'idle' | 'run', number>> | null;
  /** The address of a gateway in front of the agent: its answers are compared with those that come through it. */
  via?: string | URL | null;
  /**
   * Another agent, with which this one is checked together: an origin, a base path or the URL of its card. Each is checked alone, and
   * then both. The report is about both; those of each alone are its `agents`.
   */
  peer?: string | URL | null;
  /** The messages that make the other agent show a behaviour. */
  peerPrompts?: Partial<Record<Behaviour, string>> | null;
  /** An `AbortSignal` that ends the run. The promise then rejects with an error whose `report` holds what was seen until then. */
  signal?: AbortSignal | null;
  /** A function that is told what happens. What it throws ends the run. */
  onEvent?: ((event: CheckEvent) => void) | null;
}

export type Behaviour =
  | 'complete'
  | 'message-only'
  | 'fail'
  | 'reject'
  | 'input-required'
  | 'more'
  | 'done'
  | 'cancel'
  | 'long-running'
  | 'stream'
  | 'data-types'
  | 'auth-required'
  | 'raise'
  | 'burst';

/** Why a call was refused or ended early. */
export interface CheckAgentError extends Error {
  name: 'CheckAgentError' | 'AbortError';
  code: 'unknown-option' | 'invalid-option' | 'missing-option' | 'unknown-fault' | 'aborted';
  /** The option, or the fault, that it is about. */
  option?: string;
  /** Of `aborted`: what was seen until then. Its `cause` is the signal's reason. */
  report?: Report;
}

export type CheckEvent =
  | ReportEvent
  | RunEvent
  | StageEvent
  | ConfirmEvent
  | AgentEvent
  | LanesEvent
  | PlannedEvent
  | ExchangeEvent
  | VerdictEvent
  | ProgressEvent
  | FinishedEvent;

/** With a `peer`, one of the three runs begins: that of the agent, of the other one, or of both. The events that follow are of it. */
export interface ReportEvent {
  type: 'report';
  report: 'a' | 'b' | 'both';
}

/**
 * With `repeat`: one of the runs begins. From the second on, `progress` counts its rows while it goes on, and when it is over, events of the other
 * types tell what it showed that the runs before it did not show.
 */
export interface RunEvent {
  type: 'run';
  /** Its number, from 1. */
  run: number;
  /** How many there are to be. */
  runs: number;
}

/** The run turned to something else. */
export interface StageEvent {
  type: 'stage';
  stage: 'reading-card' | 'waiting-for-permission' | 'diagnosing' | 'talking';
  /** For people. */
  text: string;
}

/** A person has to agree elsewhere before the run goes on (RFC 8628). What it holds comes from the authorization server. */
export interface ConfirmEvent {
  type: 'confirm';
  /** To whom access is given: `this run`, or `the second identity`. */
  whom: string;
  url: string;
  /** The same with the code in it. */
  completeUrl?: string;
  code: string;
}

/** The card was read. */
export interface AgentEvent {
  type: 'agent';
  agentName: string;
  agentVersion: string;
  cardUrl: string;
  protocolVersion?: string;
}

/** The interfaces that are checked. */
export interface LanesEvent {
  type: 'lanes';
  lanes: string[];
}

/** Results that will come: first those of the card, then those of each interface. */
export interface PlannedEvent {
  type: 'planned';
  rows: Row[];
  /** How many messages they cost at most that the agent may have to think about. */
  messages: number;
}

/** A request and its answer are on the record. */
export interface ExchangeEvent {
  type: 'exchange';
  /** As in the `exchanges` of the report. */
  id: number;
  lane?: string;
  scenario: string;
  step: string;
  method: string;
  url: string;
  status?: number;
  /** What cut the answer short, or why there is none. */
  problem?: string;
  duration_ms: number;
}

/** A row was judged. */
export interface VerdictEvent extends Row {
  type: 'verdict';
  status: Status;
  reason?: SkipReason;
  message?: string;
  expected?: string;
  actual?: string;
  duration_ms: number;
}

/** The counts, after each verdict and at the end. */
export interface ProgressEvent extends Summary {
  type: 'progress';
  /** How many rows were judged, of those in `total`. */
  judged: number;
}

/** The run is over. */
export interface FinishedEvent {
  type: 'finished';
  completion: 'complete' | 'filtered' | 'card-only' | 'endpoint-only' | 'written-tests' | 'pair' | 'incomplete' | 'stopped';
  /** Why it is not a whole run. */
  incomplete?: string;
  /** What explains most of what went wrong, if one cause does. */
  cause?: string;
  duration_ms: number;
}

/** A check on an interface, or on the card. */
export interface Row {
  /** The check's id. */
  test: string;
  title: string;
  category: Category;
  lane?: string;
  level: Strength;
}

export interface CheckSummary {
  id: string;
  title: string;
  level: Strength;
}

export type Status = 'pass' | 'fail' | 'skip';
export type SkipReason = 'not-applicable' | 'not-observable' | 'inconclusive' | 'blocked' | 'not-run' | 'harness-error';
export type Strength = 'must' | 'should' | 'may';
export type Category = 'agent-card' | 'lifecycle' | 'streaming' | 'error-handling' | 'interop';
export type ConformanceLevel = 'full' | 'partial' | 'minimal' | 'non-conformant';

/** The report, version 1: what the page downloads and the command line writes as JSON. Later versions may add members. */
export interface Report {
  schemaVersion: 1;
  tool: { name: string; version: string; suite: string; host?: string; userAgent?: string };
  /** By which statements of which releases of the specification was judged. */
  requirementSet: { id: string; version: string; specifications: string[] };
  agentUrl: string;
  agentName: string;
  /** Empty when no card was read. */
  agentVersion: string;
  /** The version of the card. */
  detected?: { version: string; why: string };
  profile?: string;
  /** Where the card came from. */
  cardUrl?: string;
  /** The optional capabilities, and whether the card declares them. */
  declares?: Array<{ capability: string; declared: boolean }>;
  /** Interfaces of the card that were not checked, and why. */
  notChecked?: Array<{ interface: string; why: string }>;
  /** The scenarios that only a thorough run drives, in a run that was not thorough, and how many messages they would send at most. */
  leftOut?: Array<{ scenario: string; messages: number }>;
  /** How many whole runs it is about, where the agent was checked several times. */
  runs?: number;
  /** How the run was wanted, without secrets. */
  options: {
    source?: 'address' | 'card' | 'endpoint';
    protocolVersion?: string;
    profile?: string;
    only: string[];
    thorough?: boolean;
    interfaces?: number;
    skills: string[];
    prompts: Record<string, string>;
    credentials: string[];
    secondIdentity: boolean;
    trustedKeys: boolean;
    concurrency: number;
    /** Absent for one run. */
    repeat?: number;
    timeouts_ms: Record<string, number>;
  };
  /** RFC 3339, UTC. */
  testDate: string;
  duration_ms: number;
  verdict: 'conformant' | 'conformant-with-advice' | 'not-conformant' | 'incomplete';
  /** The verdict in one sentence. */
  headline: string;
  /** What explains most of what went wrong, if one cause does. */
  cause?: string;
  /** How the run ended. */
  completion: 'running' | 'complete' | 'filtered' | 'card-only' | 'endpoint-only' | 'written-tests' | 'pair' | 'watched-client' | 'stopped' | 'incomplete';
  /** Why the run is not a whole one. */
  incomplete?: string;
  lanes: Lane[];
  summary: Summary;
  categories: {
    agentCard: Result[];
    lifecycle: Result[];
    streaming: Result[];
    errorHandling: Result[];
    interop: Result[];
  };
  /** Absent where none is given, of which `levelReasons` say why. */
  conformanceLevel?: ConformanceLevel;
  levelInWords: string;
  levelReasons: string[];
  capabilities: string;
  recommendations: Array<{ test: string; category: Category; message: string; recommendation: string }>;
  /** What would have to change for the next version of the protocol. */
  upgrade?: { from: string; to: string; changes: Array<{ what: string; section: string }> };
  /** The two agents of a report about both, each with its own report. */
  agents?: Array<{
    address: string;
    name: string;
    verdict: 'conformant' | 'conformant-with-advice' | 'not-conformant' | 'incomplete';
    headline: string;
    summary: Summary;
    report: Report;
  }>;
  exchanges: Exchange[];
}

export interface Lane {
  id: string;
  url: string;
  binding: string;
  protocolVersion: string;
  tenant?: string;
  level?: ConformanceLevel;
  levelInWords: string;
  levelReasons: string[];
}

export interface Summary {
  total: number;
  passed: number;
  failed: number;
  skipped: number;
  failedRequired: number;
  failedAdvisory: number;
  inconclusive: number;
  blocked: number;
  /** Not the same in each of several runs; they are among the inconclusive ones. Absent where there are none. */
  unsteady?: number;
}

/** A result. A pass that has `expected` is a note: a remark that never counts. */
export interface Result {
  test: string;
  /** Its place in the plan, from 1. */
  number: number;
  category: Category;
  status: Status;
  message?: string;
  duration_ms?: number;
  lane?: string;
  level: Strength;
  /** About good practice that the specification does not ask for: advice, never counted. */
  goodPractice?: boolean;
  requirement: string[];
  spec: string;
  specUrl?: string;
  reason?: SkipReason;
  expected?: string;
  actual?: string;
  pointer?: string;
  /** The exchanges it was read from. */
  exchanges?: number[];
  remediation?: string;
  /** What each of several runs concluded, the gravest first. Present where they differ: then the result is inconclusive. */
  repeated?: ConclusionOfRuns[];
}

/** What some of several runs concluded, as the first of them did. */
export interface ConclusionOfRuns {
  /** The numbers of these runs, from 1. */
  runs: number[];
  status: Status;
  reason?: SkipReason;
  message?: string;
  expected?: string;
  actual?: string;
  pointer?: string;
  exchanges?: number[];
}

export interface Exchange {
  id: number;
  lane?: string;
  scenario: string;
  step: string;
  sent_ms: number;
  end_ms: number;
  end: {
    kind: 'complete' | 'hung-up' | 'deadline' | 'too-large' | 'broken' | 'no-answer';
    trouble?: 'opaque' | 'bad-url' | 'unreachable' | 'tls' | 'closed' | 'redirect' | 'other';
    detail?: string;
  };
  request: { method: string; url: string; headers: Field[]; body?: Body };
  response?: {
    status: number;
    url: string;
    redirected: boolean;
    head_ms: number;
    headers: Field[];
    body?: Body;
    bytes: number;
    /** Of an event stream. */
    frames?: Array<{
      at_ms: number;
      event?: string;
      id?: string;
      retry?: number;
      data: string;
      size?: number;
      terminated: boolean;
    }>;
    oddities?: Array<{ kind: string; detail?: string; limit?: number }>;
    comments?: number;
  };
}

export interface Field {
  name: string;
  value: string;
}

export interface Body {
  encoding: 'utf-8' | 'base64';
  content: string;
  size: number;
  truncated?: boolean;
}

/** An agent that speaks A2A 1.0, 0.3, 0.2 and 0.1 and does no I/O. */
export interface ScriptedAgent {
  /** The address at which its faults show. */
  readonly url: string;
  /** The headers that let a client in, for faults that ask for credentials. */
  readonly headers: Record<string, string>;
  /** The headers that let a second identity in. */
  readonly secondHeaders: Record<string, string>;
  /** Answers a request as `fetch` does, whatever host its URL names. Rejects where a fault makes the agent hang up. */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
}
