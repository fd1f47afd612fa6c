import { parseFaults } from '../faults.ts';
import { createHandler } from '../http/handler.ts';
import { createListeners } from '../http/listeners.ts';
import { hex, mix } from '../random.ts';
import type { SandboxOptions } from '../types.ts';
import { createEditions } from '../world/conditions.ts';
import type { Org } from '../world/org.ts';
import { createTenants } from '../world/tenants.ts';
import { claudeFaultKinds, createClaudeApi, endpoints } from './api.ts';
import type { Account } from './call.ts';

/** Hours after the end of a day at which the activity of people is final. */
const SETTLED_AFTER = 48;

/** A simulated Claude. */
export type ClaudeSandbox = ReturnType<typeof createClaudeSandbox>;

interface ClaudeOptions extends Omit<SandboxOptions, 'repos'> {
  /** How often an organization may ask; by default 60 times a minute. */
  readonly pace?: 'unlimited' | undefined;
}

/**
 * Creates a simulated Claude over the same world as the other simulated platforms; each organization has an account at the
 * Claude Console, and another one at Claude Enterprise. It does not listen until asked. Throws an Error of one sentence on
 * an invalid fault.
 */
export function createClaudeSandbox(options: ClaudeOptions) {
  const { now, seed = 1, pace } = options;
  const parse = (texts: readonly string[]) => parseFaults(texts, claudeFaultKinds, endpoints);
  let faults = parse(options.faults ?? []);
  const editions = createEditions(now, () => true, SETTLED_AFTER);
  const { tenants, oldestOn, reviseDay } = createTenants({ ...options, repos: 0 }, editions);
  const orgs = tenants.flatMap((org) => [accountOf(org, 'console'), accountOf(org, 'enterprise')]);
  const keys = orgs.flatMap(({ keys: own, ...account }) =>
    Object.entries(own).flatMap(([name, key]) => (name === 'api' ? [] : [[key, account] as const])),
  );
  const handler = createHandler(
    createClaudeApi({
      now,
      seed,
      keys: new Map(keys),
      faults: () => faults,
      oldestOn,
      isPaced: pace !== 'unlimited',
    }),
  );
  const listeners = createListeners();

  return {
    orgs: orgs.map(({ name, kind, orgId, keys: own }) => ({ name, kind, orgId, keys: own })),
    handler,
    /** Port 0 lets the system choose; rejects if the address is unavailable. */
    listen: (at: { readonly host: string; readonly port: number }) => listeners.listen(handler, at),
    close: listeners.close,
    /** Replaces all faults; throws an Error of one sentence on a text that is not a fault. */
    setFaults(texts: readonly string[]): void {
      faults = parse(texts);
    },
    reviseDay,
  };
}

/** The account of an organization, and its keys: `api` is one of the ordinary API, and unknown here. */
function accountOf(org: Org, kind: Account['kind']) {
  const isConsole = kind === 'console';
  const name = isConsole ? org.name : `${org.name}-enterprise`;
  const keys: Readonly<Record<string, string>> = isConsole
    ? { admin: `sk-ant-admin01-sandbox-${name}`, api: `sk-ant-api03-sandbox-${name}` }
    : { analytics: `sk-ant-api01-sandbox-${name}` };
  const digits = [0, 1, 2, 3].map((part) => hex(mix(org.seed + (isConsole ? 0 : 1), part))).join('');
  const orgId = digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
  return { name, kind, org, orgId, keys };
}
