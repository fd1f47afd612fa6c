import { once } from 'node:events';
import { endpoints } from './http/call.ts';
import { mix, textSeed, unit } from './random.ts';
import type { Answer, SandboxOptions } from './types.ts';

export interface FaultKind {
  readonly name: string;
  /** The names that the kind goes by, if not only by its own. */
  readonly names?: RegExp;
  readonly meaning: string;
  /** The syntax after the name: nothing, `=RATE[:DETAIL]`, or `=DETAIL`. */
  readonly takes: 'nothing' | 'rate' | 'detail';
  /** The default share of affected answers or rows; all by default. */
  readonly usually?: number;
  readonly detail?: {
    /** Undefined: the fault requires a detail. */
    readonly fallback?: string;
    readonly allows: RegExp;
    /** The allowed values, to follow "must be". */
    readonly words: string;
  };
}

export interface Fault {
  readonly name: string;
  /** The share of affected answers or rows, 0 to 1. */
  readonly rate: number;
  /** The text after the rate; empty for faults without one. */
  readonly detail: string;
  /** Limits the fault to this endpoint, if given. */
  readonly endpoint: string | undefined;
  /** Limits the fault to this organization, if given. */
  readonly org: string | undefined;
}

const pause = { allows: /^(date|\d{1,12})$/, words: '"date" or a number of seconds' };

/** The faults that the `sandbox` command accepts, in the order of its help text. */
export const faultKinds: readonly FaultKind[] = [
  {
    name: 'STATUS',
    names: /^(?!429|503)[45]\d\d$/,
    takes: 'rate',
    meaning: 'answers this error, from 400 to 599 (401, or 500=0.1 for a tenth of the requests)',
  },
  {
    name: '429',
    takes: 'rate',
    meaning: 'answers 429 with Retry-After, in seconds (429=0.1:30) or as an HTTP date (429=0.1:date)',
    detail: { ...pause, fallback: '1' },
  },
  {
    name: '503',
    takes: 'rate',
    meaning: 'answers 503; with Retry-After only if it is given (503=1:3600 or 503=1:date)',
    detail: { ...pause, fallback: '' },
  },
  {
    name: 'slow',
    takes: 'rate',
    meaning: 'waits before the answer, in milliseconds (slow=0.1:2000)',
    detail: { fallback: '2000', allows: /^[1-9]\d{0,11}$/, words: 'a positive whole number' },
  },
  { name: 'hang', takes: 'rate', meaning: 'never answers' },
  {
    name: 'late',
    takes: 'detail',
    meaning: 'there are no rows for that many of the newest days yet (late=3@tokens)',
    detail: { fallback: '1', allows: /^\d{1,4}$/, words: 'a number of days' },
  },
  {
    name: 'revised-days',
    takes: 'nothing',
    meaning: 'the figures of the last seven days grow from hour to hour',
  },
];

/**
 * Parses fault texts: a name, `=RATE`, `=RATE:DETAIL` or `=DETAIL`, then optionally `@ENDPOINT` and `@org=NAME`, as in
 * `500=0.5@tokens@org=acme`. Throws an Error of one sentence on anything else.
 */
export function parseFaults(
  texts: readonly string[],
  kinds: readonly FaultKind[] = faultKinds,
  scopes: readonly string[] = endpoints,
): readonly Fault[] {
  return texts.map((text) => parseFault(text, kinds, scopes));
}

/** A request as faults see it; without a known key, only faults set for all organizations affect it. */
interface Struck {
  readonly endpoint: string;
  readonly org: string | undefined;
  readonly number: number;
  readonly signal: AbortSignal;
}

/** Creates the faults of a simulated platform. Throws an Error of one sentence on a text that is not a fault. */
export function createFaults(
  { seed = 1, faults: texts = [] }: Pick<SandboxOptions, 'seed' | 'faults'>,
  kinds?: readonly FaultKind[],
  scopes?: readonly string[],
) {
  const parse = (some: readonly string[]) => parseFaults(some, kinds, scopes);
  let faults = parse(texts);
  return {
    /** Replaces all faults; throws an Error of one sentence on a text that is not a fault. */
    setFaults(some: readonly string[]): void {
      faults = parse(some);
    },
    /** Whether a fault of that name is set for an organization. */
    isSet: (name: string, org: string) =>
      faults.some((fault) => fault.name === name && (fault.org ?? org) === org),
    /** The faults that affect a request, after they have delayed it; rejects once the client disconnects. */
    async strike({ endpoint, org, number, signal }: Struck): Promise<readonly Fault[]> {
      const struck = faultsAt(faults, endpoint, org).filter((fault) => strikes(fault, seed, number));
      await delayed(struck, signal);
      return struck;
    },
  };
}

/** Of how many of the newest days figures are missing. */
export function lateDays(struck: readonly Fault[]): number {
  return Number(struck.find(({ name }) => name === 'late')?.detail ?? 0);
}

/** The `Retry-After` of a status that is a fault, if it has one. */
export function retryAfter({ detail }: Fault, now: number): Answer['headers'] {
  if (detail === '') return {};
  return { 'retry-after': detail === 'date' ? new Date(now + 2000).toUTCString() : detail };
}

/** The faults set for an endpoint and organization; without a known key, only those set for all organizations. */
export function faultsAt(
  faults: readonly Fault[],
  endpoint: string,
  org: string | undefined,
): readonly Fault[] {
  return faults.filter((fault) => (fault.endpoint ?? endpoint) === endpoint && (fault.org ?? org) === org);
}

/** Whether a fault affects the request of that number; equal seeds draw the same for equal numbers. */
export function strikes({ name, rate }: Fault, seed: number, request: number): boolean {
  return unit(mix(seed, textSeed(name)), request) < rate;
}

function parseFault(text: string, kinds: readonly FaultKind[], known: readonly string[]): Fault {
  const [head = '', ...scopes] = text.split('@');
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(head) ?? [];
  const kind = kinds.find((one) => one.names?.test(name) ?? one.name === name);
  if (kind === undefined) {
    throw new Error(`Unknown fault "${name}": the faults are ${kinds.map((one) => one.name).join(', ')}.`);
  }
  const org = scopes.find((scope) => scope.startsWith('org='))?.slice('org='.length);
  return { name, ...readValue(name, kind, value), endpoint: readEndpoint(text, scopes, known), org };
}

function readValue(name: string, kind: FaultKind, value: string | undefined): Pick<Fault, 'rate' | 'detail'> {
  if (kind.takes === 'nothing' && value !== undefined) throw new Error(`The fault "${name}" takes no value.`);
  if (kind.takes !== 'rate') return { rate: 1, detail: readDetail(name, kind, value) };
  const [rateText, ...rest] = value?.split(':') ?? [];
  const rate = rateText === undefined ? (kind.usually ?? 1) : Number(rateText);
  if (rateText === '' || !(rate >= 0 && rate <= 1)) {
    throw new Error(`The rate of the fault "${name}" must be a number from 0 to 1, not "${rateText}".`);
  }
  return { rate, detail: readDetail(name, kind, rest.length === 0 ? undefined : rest.join(':')) };
}

function readDetail(name: string, { detail }: FaultKind, given: string | undefined): string {
  const text = given ?? detail?.fallback;
  if (detail === undefined) {
    if (text === undefined) return '';
    throw new Error(`The fault "${name}" accepts only a rate.`);
  }
  if (text === undefined) throw new Error(`The fault "${name}" needs a value: ${detail.words}.`);
  if (given !== undefined && !detail.allows.test(text))
    throw new Error(`The value of the fault "${name}" must be ${detail.words}, not "${text}".`);
  return text;
}

function readEndpoint(text: string, scopes: readonly string[], known: readonly string[]): string | undefined {
  const named = scopes.filter((scope) => !/^org=./s.test(scope));
  const found = named.map((scope) => known.find((endpoint) => endpoint === scope));
  const wrong = named[found.indexOf(undefined)];
  if (wrong === undefined) return found.at(-1);
  throw new Error(
    `"@${wrong}" in the fault "${text}" is neither an endpoint (${known.join(', ')}) nor "@org=NAME".`,
  );
}

/** Waits as the faults say; rejects once the client disconnects from a request that is never answered. */
async function delayed(struck: readonly Fault[], signal: AbortSignal): Promise<void> {
  if (struck.some(({ name }) => name === 'hang')) {
    await once(signal, 'abort');
    signal.throwIfAborted();
  }
  const slow = struck.find(({ name }) => name === 'slow');
  if (slow !== undefined) await waited(signal, Number(slow.detail));
}

/** Waits, at most until the client disconnects. */
function waited(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
  });
}
