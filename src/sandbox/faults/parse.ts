import type { Endpoint } from '../types.ts';
import { type FaultKind, type FaultName, faultKinds, kinds } from './kinds.ts';

export interface Fault {
  readonly name: FaultName;
  /** The share of affected answers or rows, 0 to 1. */
  readonly rate: number;
  /** The text after the rate; empty for faults without one. */
  readonly detail: string;
  /** Limits the fault to this endpoint, if given. */
  readonly endpoint: Endpoint | undefined;
  /** Limits the fault to this organization, if given. */
  readonly org: string | undefined;
}

export type Faults = readonly Fault[];

/** The endpoints to which a fault can be limited. */
const endpoints: readonly Endpoint[] = [
  'tokens',
  'tools',
  'activity',
  'productivity',
  'users',
  'readiness',
  'wiki',
];

/**
 * Parses fault texts: a name, `=RATE`, `=RATE:DETAIL` or `=DETAIL`, then optionally `@ENDPOINT` and `@org=NAME`, as in
 * `500=0.5@tokens@org=acme`. Throws an Error of one sentence on anything else.
 */
export function parseFaults(texts: readonly string[]): Faults {
  return texts.map(parseFault);
}

function parseFault(text: string): Fault {
  const [head = '', ...scopes] = text.split('@');
  const equals = head.indexOf('=');
  const name = equals < 0 ? head : head.slice(0, equals);
  const value = equals < 0 ? undefined : head.slice(equals + 1);
  const kind = faultKinds.find((one) => one.name === name);
  if (!isFaultName(name) || kind === undefined) {
    throw new Error(
      `Unknown fault "${name}": the faults are ${faultKinds.map((one) => one.name).join(', ')}.`,
    );
  }
  const org = scopes.find((scope) => scope.startsWith('org='))?.slice('org='.length);
  return { name, ...readValue(kind, value), endpoint: readEndpoint(text, scopes), org };
}

function readValue(kind: FaultKind, value: string | undefined): Pick<Fault, 'rate' | 'detail'> {
  if (kind.takes === 'nothing' && value !== undefined)
    throw new Error(`The fault "${kind.name}" takes no value.`);
  if (kind.takes !== 'rate') return { rate: 1, detail: readDetail(kind, value) };
  const [rateText, ...rest] = value?.split(':') ?? [];
  const rate = rateText === undefined ? (kind.usually ?? 1) : Number(rateText);
  if (rateText === '' || !(rate >= 0 && rate <= 1)) {
    throw new Error(`The rate of the fault "${kind.name}" must be a number from 0 to 1, not "${rateText}".`);
  }
  return { rate, detail: readDetail(kind, rest.length === 0 ? undefined : rest.join(':')) };
}

function readDetail({ name, detail }: FaultKind, given: string | undefined): string {
  const text = given ?? detail?.fallback;
  if (detail === undefined) {
    if (text === undefined) return '';
    throw new Error(`The fault "${name}" accepts only a rate.`);
  }
  if (text === undefined) throw new Error(`The fault "${name}" needs a value: ${detail.words}.`);
  if (!detail.allows.test(text))
    throw new Error(`The value of the fault "${name}" must be ${detail.words}, not "${text}".`);
  return text;
}

function readEndpoint(text: string, scopes: readonly string[]): Endpoint | undefined {
  let chosen: Endpoint | undefined;
  for (const scope of scopes) {
    if (scope.startsWith('org=') && scope.length > 'org='.length) continue;
    chosen = endpoints.find((endpoint) => endpoint === scope);
    if (chosen === undefined) {
      throw new Error(
        `"@${scope}" in the fault "${text}" is neither an endpoint (${endpoints.join(', ')}) nor "@org=NAME".`,
      );
    }
  }
  return chosen;
}

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(kinds, name);
}
