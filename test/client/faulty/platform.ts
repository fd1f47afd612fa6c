import { AsyncLocalStorage } from 'node:async_hooks';
import { type Fault, faultKinds, parseFaults } from '../../../src/sandbox/faults.ts';
import { endpointOf } from '../../../src/sandbox/http/call.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import type { Answering, Endpoint, Role, SandboxOptions, SandboxOrg } from '../../../src/sandbox/types.ts';
import { damagedAnswer } from './bodies.ts';
import { drawFaults } from './faults.ts';
import { damageKinds } from './kinds.ts';
import { otherAnswer, withOtherError } from './other-answers.ts';
import { otherPage } from './paging.ts';
import { transported } from './transport.ts';

const HOUR = 3_600_000;

/** Maximum number of requests that are remembered. */
const REMEMBERED = 1000;

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  /** The organization of the key, if the key is one of ours. */
  readonly org: string | undefined;
}

/** A simulated platform whose answers are damaged. */
export interface FaultyPlatform extends Sandbox {
  /** The newest requests, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** The endpoints of the requests that have come and are not answered yet. */
  readonly unanswered: readonly Endpoint[];
}

/**
 * Creates the simulated platform with a layer around it that damages its answers: its faults are those of the `sandbox`
 * command and `damageKinds`. Throws an Error of one sentence on an invalid fault.
 */
export function createFaultyPlatform(options: SandboxOptions): FaultyPlatform {
  const { now, seed = 1, orgs = 1, faults = [], ...world } = options;
  const behindMs = new AsyncLocalStorage<number>();
  let damage: readonly Fault[] = [];
  const unanswered = new Set<{ readonly endpoint: Endpoint }>();
  const seen: SeenRequest[] = [];
  const sandbox: Sandbox = createSandbox(
    // One more, whose answers the fault `other-org` sends.
    { ...world, seed, orgs: orgs + 1, now: () => now() - (behindMs.getStore() ?? 0) },
    (right) => logging(noting(damaging(right))),
  );
  const ours = sandbox.orgs.slice(0, orgs);
  setFaults(faults);
  return {
    ...sandbox,
    orgs: ours,
    setFaults,
    get requests() {
      return [...seen];
    },
    get unanswered() {
      return [...unanswered].map(({ endpoint }) => endpoint);
    },
  };

  function setFaults(texts: readonly string[]): void {
    const parsed = parseFaults(texts, [...faultKinds, ...damageKinds]);
    const isDamage = (_text: unknown, index: number) =>
      damageKinds.some(({ name }) => name === parsed[index]?.name);
    damage = parsed.filter(isDamage);
    sandbox.setFaults(texts.filter((text, index) => !isDamage(text, index)));
  }

  function logging(answer: Answering): Answering {
    return async (request) => {
      const { method, url, authorization } = request;
      let status = 0;
      try {
        const answered = await answer(request);
        ({ status } = answered);
        return answered;
      } finally {
        const query = Object.fromEntries(url.searchParams);
        seen.push({ method, path: url.pathname, query, status, org: holderOf(authorization)?.org.name });
        if (seen.length > REMEMBERED) seen.shift();
      }
    };
  }

  function noting(answer: Answering): Answering {
    return async (request) => {
      const endpoint = endpointOf(request.url.pathname);
      if (endpoint === undefined) return answer(request);
      const one = { endpoint };
      unanswered.add(one);
      return await answer(request).finally(() => unanswered.delete(one));
    };
  }

  function damaging(right: Answering): Answering {
    let requests = 0;
    const sent = new Set<string>();
    return async (request) => {
      const { url, authorization, method } = request;
      const endpoint = endpointOf(url.pathname);
      requests += 1;
      if (endpoint === undefined || method !== 'GET') return right(request);
      const holder = holderOf(authorization);
      const drawn = drawFaults(damage, { endpoint, org: holder?.org.name }, seed, requests);
      if (drawn.strikes('close') !== undefined) throw new Error('closed');
      const stranger = drawn.strikes('other-org') && holder && sandbox.orgs[orgs]?.keys[holder.role];
      const asked = stranger === undefined ? request : { ...request, authorization: `Bearer ${stranger}` };
      const hours = Number(drawn.strikes('clock-behind')?.detail ?? 0);
      const answer = await behindMs.run(hours * HOUR, () => otherPage(asked, endpoint, drawn, right));
      const memory = {
        sentBefore(what: string) {
          const size = sent.size;
          return sent.add(`${stranger ?? holder?.org.name} ${what}`).size === size;
        },
      };
      const changed =
        answer.status === 200
          ? (otherAnswer(drawn, endpoint, url) ??
            (await damagedAnswer(answer, request, endpoint, drawn, memory)))
          : answer;
      // The date is the platform's own.
      const { headers } = answer;
      const dated = { ...changed, headers: { date: headers['date'] ?? '', ...changed.headers } };
      return transported(await withOtherError(dated, drawn), drawn);
    };
  }

  function holderOf(
    authorization: string | undefined,
  ): { readonly org: SandboxOrg; readonly role: Role } | undefined {
    const key = authorization?.replace(/^bearer +/i, '').trim();
    for (const org of ours) {
      const role = (Object.keys(org.keys) as Role[]).find((one) => org.keys[one] === key);
      if (role !== undefined) return { org, role };
    }
    return undefined;
  }
}
