import { expect, test } from 'vitest';
import { createLeading } from '../../src/app/leading.ts';
import { takePart } from '../../src/app/take-part.ts';
import { NotStored } from '../../src/store/database.ts';
import type { LeaderEvents, Leadership } from '../../src/store/leader.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCore } from './start-core.ts';

test('a term that could not begin, since the database went away again, begins with the next beat', async () => {
  const { core, clock } = await startCore(':memory:');
  let events: LeaderEvents | undefined;
  let isAway = true;
  const over = new AbortController();
  const leadership = {
    isLeader: () => true,
    term: () => over.signal,
    async start(given: LeaderEvents) {
      events = given;
    },
  } as Partial<Leadership> as Leadership;
  const ran: string[] = [];
  const parts = {
    ...core,
    store: { ...core.store, leadership },
    history: {
      ...core.history,
      async standing(org: string) {
        if (isAway) throw new NotStored('away', { reason: 'unreachable', detail: 'away', hint: '' });
        return core.history.standing(org);
      },
    },
    leading: createLeading(leadership, clock),
    scheduler: { ...core.scheduler, catchUp: (names: Iterable<string>) => void ran.push(...names) },
  };
  const job = { name: 'acme/tokens', org: 'acme', collector: 'tokens' };
  const orgs = new Map([['acme', { config: {} }]]);
  const deployment = {
    jobs: new Map([[job.name, job]]),
    orgs,
    fetching: [{ name: 'tokens', dataset: { name: 'tokens' } }],
  };
  await takePart(parts, {
    inUse: () => deployment,
    publishSafely: async () => undefined,
    refresh: async () => undefined,
  } as never);
  events?.onLead();
  await new Promise((resolve) => setImmediate(resolve));
  events?.onBeat();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toEqual([]);
  isAway = false;
  events?.onBeat();
  await waitFor(() => expect(ran).toEqual(['acme/tokens']));
});
