import { describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../src/history/postgres/database.ts';
import { createPostgresHistory } from '../../../src/history/postgres/history.ts';
import { createLeases, type LeaseSettings } from '../../../src/history/postgres/leases.ts';
import { createFakeClock, createSystemClock } from '../../../src/runtime/clock.ts';
import { createFakeLogger } from '../../../src/runtime/logger.ts';
import { answer } from '../../history/files.ts';
import { dayNamed } from '../../support/day.ts';
import { waitFor } from '../../support/wait-for.ts';
import { usePostgres } from './server.ts';

const server = usePostgres();
const monday = dayNamed('2026-03-02');
const ORGS = ['acme', 'globex', 'hooli', 'initech'];
const SETTINGS: LeaseSettings = { orgs: ORGS, pool: '0/1', fingerprint: 'first' };

/** A database whose time is moved by the test, and processes that share it and beat when the test says so. */
async function createCluster() {
  const url = await server.database();
  await server.query(url, 'CREATE TABLE ahead (seconds int); INSERT INTO ahead VALUES (0)');
  const time = `(clock_timestamp() + (SELECT seconds FROM public.ahead) * interval '1 second')`;
  let processes = 0;
  return {
    url,
    async wait(seconds: number) {
      await server.query(url, 'UPDATE ahead SET seconds = seconds + $1', [seconds]);
    },
    async join(settings: LeaseSettings = SETTINGS) {
      processes += 1;
      const log = createFakeLogger();
      const clock = createFakeClock(Date.UTC(2026, 2, 3));
      // In a schema of another name, which a database knows only once it has connected.
      const read = async () => `${url}${url.includes('?') ? '&' : '?'}schema=shared`;
      const database = createDatabase({ url: { read, describe: () => 'the test' }, log });
      const opened = Promise.withResolvers<void>();
      const leases = createLeases({
        database,
        opened: opened.promise,
        id: `process-${processes}`,
        clock,
        log,
        time,
      });
      const parts = { database, leases, schemaVersionOf: () => 1, clock: createSystemClock(), log };
      const history = createPostgresHistory(parts);
      opened.resolve(history.opened);
      let beats = 0;
      const busy = new Set<string>();
      const refreshed: string[] = [];
      leases.subscribe({
        onHeld: () => undefined,
        onRefresh: (org) => refreshed.push(org),
        onBeat() {
          beats += 1;
        },
        isBusy: (org) => busy.has(org),
      });
      leases.use(settings);
      leases.start();
      await waitFor(() => expect(beats).toBe(1));
      const close = async () => {
        await leases.close();
        await history.close();
      };
      onTestFinished(close);
      return {
        ...{ leases, history, busy, refreshed },
        held: () => ORGS.filter((org) => leases.isHeld(org)),
        async beat() {
          const before = beats;
          await clock.advance(5_000);
          await waitFor(() => expect(beats).toBeGreaterThan(before));
        },
      };
    },
  };
}

describe('the leases of organizations', () => {
  test('spread over the processes as they join and leave, but none is taken from a run in progress', async () => {
    const cluster = await createCluster();
    const one = await cluster.join();
    expect(one.held()).toEqual(ORGS);
    one.busy.add('acme').add('globex').add('hooli');
    const two = await cluster.join();
    await one.beat();
    await two.beat();
    expect([one.held(), two.held()]).toEqual([['acme', 'globex', 'hooli'], ['initech']]);
    one.busy.clear();
    await one.beat();
    await two.beat();
    expect([one.held().length, two.held().length]).toEqual([2, 2]);
    await two.leases.close();
    await one.beat();
    expect(one.held()).toEqual(ORGS);
  });

  test('are refreshed by the next holder, if they are given away before', async () => {
    const cluster = await createCluster();
    const one = await cluster.join();
    const two = await cluster.join();
    for (const org of ORGS) await one.leases.askToRefresh(org, ['tokens']);
    await one.beat();
    expect([...one.refreshed].sort()).toEqual(one.held());
    await two.beat();
    await two.beat();
    expect([...one.refreshed, ...two.refreshed].sort()).toEqual(ORGS);
  });

  test.each([31, 601])(
    'of a process suspended for %i seconds are taken over, and what it stores afterwards is refused',
    async (seconds) => {
      const cluster = await createCluster();
      const suspended = await cluster.join();
      const lost = suspended.leases.lost('acme');
      await suspended.history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }));
      await cluster.wait(seconds);
      const other = await cluster.join();
      expect(other.held()).toEqual(ORGS);
      await other.history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 2 } }));
      const late = suspended.history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }));
      await expect(late).rejects.toThrow('another process polls the organization acme');
      await expect(suspended.history.putRequests('acme', { day: monday, requests: 1 })).rejects.toThrow(
        'another process',
      );
      const run = { collector: 'tokens', lastRunAt: 1, lastSuccessAt: 1, seconds: 1, failure: undefined };
      await expect(suspended.history.putRun('acme', run, [])).rejects.toThrow('another process');
      expect(await suspended.leases.claim('acme', 'tokens', 1, false)).toBe(false);
      expect(lost?.aborted).toBe(false);
      await suspended.beat();
      expect(lost?.aborted).toBe(true);
      expect((await other.history.read('acme')).days('tokens').get(monday)).toEqual({ n: 2 });
    },
  );

  test('let each tick of a collector be run once, and again if the process that ran it was lost', async () => {
    const cluster = await createCluster();
    const one = await cluster.join();
    expect(await one.leases.claim('acme', 'tokens', 1_000, false)).toBe(true);
    await one.leases.finish('acme', 'tokens', 1_000);
    expect(await one.leases.claim('acme', 'tokens', 1_000, false)).toBe(false);
    expect(await one.leases.claim('acme', 'tokens', 1_000, true)).toBe(true);
    await one.leases.finish('acme', 'tokens', 1_000);
    expect(await one.leases.claim('acme', 'tokens', 2_000, false)).toBe(true);
    await cluster.wait(31);
    const other = await cluster.join();
    expect(await other.leases.claim('acme', 'tokens', 1_000, false)).toBe(false);
    expect(await other.leases.claim('acme', 'tokens', 2_000, false)).toBe(true);
    await one.leases.finish('acme', 'tokens', 2_000);
    expect(await other.leases.claim('acme', 'tokens', 2_000, false)).toBe(true);
  });

  test('belong to the newest settings during a roll-out, and to the former ones after it was undone', async () => {
    const cluster = await createCluster();
    const old = await cluster.join();
    const newer = await cluster.join({ ...SETTINGS, fingerprint: 'second' });
    await old.beat();
    await newer.beat();
    expect([old.held(), newer.held()]).toEqual([[], ORGS]);
    expect(old.leases.mayClean('acme')).toBe(false);
    await newer.leases.close();
    await old.beat();
    expect(old.held()).toEqual(ORGS);
  });

  test('are kept apart from those of other shards', async () => {
    const cluster = await createCluster();
    const one = await cluster.join({ ...SETTINGS, orgs: ['acme', 'globex'], pool: '0/2' });
    const two = await cluster.join({ orgs: ['hooli', 'initech'], pool: '1/2', fingerprint: 'other' });
    await one.beat();
    expect([one.held(), two.held()]).toEqual([
      ['acme', 'globex'],
      ['hooli', 'initech'],
    ]);
  });
});
