import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HookEvent } from '../../src/intake/event.ts';
import { HookStore } from '../../src/intake/store.ts';
import { countWaits } from '../../src/intake/waits.ts';
import { COUNTS } from '../../src/store/layouts.ts';
import { SqliteDatabase } from '../../src/store/sqlite.ts';
import { below, createRandom } from '../fuzz/random.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { replacing } from '../support/replacing.ts';
import { hasAllRuns } from '../support/thoroughness.ts';
import { waitFor } from '../support/wait-for.ts';
import { stop } from './contract.ts';
import { createFileStore, createPlace, DAY, HOUR, MINUTE, NOW, openIntake } from './parts.ts';

const SECOND = 1000;

function notified(session: string, at: number, waiting: HookEvent['waiting'] = 'permission_prompt') {
  return stop(`n ${session} ${at}`, { event: 'Notification', session, at, waiting });
}

function next(session: string, at: number, event = 'UserPromptSubmit') {
  return stop(`e ${session} ${at}`, { event, session, at });
}

/** An intake, and the sum and count of each type's waits. */
async function open(file = ':memory:', clock = createFakeClock(NOW)) {
  const intake = await openIntake(createFileStore(file, { clock }), clock);
  async function waits(): Promise<Record<string, readonly [count: number, seconds: number]>> {
    const values = await intake.values('wait_seconds');
    const metric = await intake.registry.getSingleMetric('agent_platform_hook_wait_seconds')?.get();
    expect(Object.keys(values).length).toBeGreaterThan(0);
    const found: Record<string, [number, number]> = {};
    for (const { labels, value, metricName } of (metric?.values ?? []) as never as Sample[]) {
      found[labels['notification_type'] ?? ''] ??= [0, 0];
      const entry = found[labels['notification_type'] ?? ''] ?? [0, 0];
      if (metricName.endsWith('_count')) entry[0] = value;
      if (metricName.endsWith('_sum')) entry[1] = value;
    }
    return Object.fromEntries(Object.entries(found).filter(([, [count]]) => count > 0));
  }
  return { ...intake, waits };
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName: string;
}

describe('a wait', () => {
  test('lasts from its notification to the session’s next event, and is counted an hour later', async () => {
    const { take, waits, clock, registry } = await open();
    await take([notified('a', NOW - 40 * SECOND), next('a', NOW - 10 * SECOND), next('a', NOW)]);
    await take([notified('b', NOW, 'unknown'), next('b', NOW + 2500)]);
    expect(await waits()).toEqual({});
    await clock.advance(HOUR - SECOND);
    expect(await waits()).toEqual({});
    await clock.advance(MINUTE);
    await waitFor(async () =>
      expect(await waits()).toEqual({ permission_prompt: [1, 30], unknown: [1, 2.5] }),
    );
    const text = await registry.metrics();
    expect(text).toContain('# TYPE agent_platform_hook_wait_seconds histogram\n');
    expect(text).toContain('_bucket{le="15",notification_type="permission_prompt"} 0\n');
    expect(text).toContain('_bucket{le="30",notification_type="permission_prompt"} 1\n');
    expect(text).toContain('_bucket{le="+Inf",notification_type="permission_prompt"} 1\n');
    expect(text).toContain('_bucket{le="+Inf",notification_type="idle_prompt"} 0\n');
    await clock.advance(DAY);
    expect(await waits()).toEqual({ permission_prompt: [1, 30], unknown: [1, 2.5] });
  });

  test('begins and ends by the sender’s clock, be it hours ahead or behind', async () => {
    const { take, waits, clock } = await open();
    for (const offset of [20 * HOUR, -20 * HOUR]) {
      await take([notified(`s${offset}`, NOW + offset)]);
      await clock.advance(MINUTE);
      await take([next(`s${offset}`, NOW + offset + 7 * SECOND)]);
    }
    await clock.advance(2 * HOUR);
    await waitFor(async () => expect(await waits()).toEqual({ permission_prompt: [2, 14] }));
  });

  test('is an hour at most, also without a next event', async () => {
    const { take, waits, clock } = await open();
    await take([notified('a', NOW), next('b', NOW + 5), notified('c', NOW - 3 * HOUR), next('c', NOW)]);
    await clock.advance(2 * HOUR);
    await waitFor(async () => expect(await waits()).toEqual({ permission_prompt: [2, 7200] }));
  });

  test('ends with another notification, which begins the next one', async () => {
    const { take, waits, clock } = await open();
    await take([notified('a', NOW), notified('a', NOW + MINUTE, 'idle_prompt'), next('a', NOW + 3 * MINUTE)]);
    await clock.advance(2 * HOUR);
    await waitFor(async () =>
      expect(await waits()).toEqual({ permission_prompt: [1, 60], idle_prompt: [1, 120] }),
    );
  });

  test('needs a session', async () => {
    const { take, waits, clock } = await open();
    await take([{ ...notified('a', NOW), session: undefined }, next('a', NOW + 1)]);
    await clock.advance(2 * HOUR);
    expect(await waits()).toEqual({});
  });

  test('is counted once, also if its notification comes again, with another identity or after it was counted', async () => {
    const { take, waits, clock } = await open();
    const [first, after] = [notified('a', NOW), next('a', NOW + SECOND)];
    await take([first, after, { ...first, id: 'again' }]);
    await clock.advance(HOUR + MINUTE);
    await waitFor(async () => expect(await waits()).toEqual({ permission_prompt: [1, 1] }));
    await take([first, after, { ...first, id: 'later' }]);
    await clock.advance(HOUR + MINUTE);
    expect(await waits()).toEqual({ permission_prompt: [1, 1] });
  });

  test('is not counted in the first minutes of a process: senders may still have what ended it', async () => {
    const file = createPlace();
    const before = await open(file);
    await before.take([notified('a', NOW)]);
    await before.close();
    const clock = createFakeClock(NOW + 2 * HOUR);
    const after = await open(file, clock);
    await clock.advance(MINUTE);
    await after.take([next('a', NOW + 20 * SECOND)]);
    await clock.advance(10 * MINUTE);
    await waitFor(async () => expect(await after.waits()).toEqual({ permission_prompt: [1, 20] }));
  });

  test('is counted also after the clock was set back, and nothing of it stays', async () => {
    const file = createPlace();
    const ahead = await open(file, createFakeClock(NOW + 300 * DAY));
    await ahead.take([notified('a', NOW), next('a', NOW + SECOND)]);
    await ahead.close();
    const { waits, clock, close } = await open(file);
    for (let hours = 0; hours < 4; hours += 1) await clock.advance(HOUR);
    await waitFor(async () => expect(await waits()).toEqual({ permission_prompt: [1, 1] }));
    await close();
    const database = SqliteDatabase.open({
      path: file,
      layout: COUNTS,
      onDamage: 'replace',
      log: createFakeLogger(),
    });
    const left = await database.transaction((query) => query('SELECT * FROM S.hook_moment'));
    expect(left).toEqual([]);
    await database.close();
  });
});

test('waits that were counted go on from where they were in a file that takes the place of a removed one', async () => {
  const file = createPlace();
  const { take, waits, clock } = await open(file);
  await take([notified('a', NOW), next('a', NOW + SECOND)]);
  await clock.advance(2 * HOUR);
  await waitFor(async () => expect(await waits()).toEqual({ permission_prompt: [1, 1] }));
  rmSync(file);
  await take([notified('b', NOW), next('b', NOW + SECOND)]);
  await clock.advance(2 * HOUR);
  await waitFor(async () => expect(await waits()).toEqual({ permission_prompt: [2, 2] }));
});

test('a file of an earlier release gets the tables that it lacks', async () => {
  const file = createPlace();
  const tables = COUNTS.tables.filter(({ name }) => !['hook_moment', 'hook_wait'].includes(name));
  const log = createFakeLogger();
  const old = SqliteDatabase.open({ path: file, layout: { ...COUNTS, tables }, onDamage: 'exit', log });
  await old.transaction((query) => query("INSERT INTO S.hook_event VALUES ('Stop', 7, 1)"));
  await old.close();
  const { take, values } = await open(file);
  await take([next('a', NOW, 'Stop')]);
  expect(await values('events_total')).toMatchObject({ Stop: 8 });
});

const EVENTS = hasAllRuns ? 100_000 : 6_000;

test('in any order, sent twice, over three replicas and a kill, each wait counts once and the sums are exact', async () => {
  const clock = createFakeClock(NOW);
  const database = SqliteDatabase.open({
    ...{ path: ':memory:', layout: COUNTS, onDamage: 'replace', log: createFakeLogger() },
  });
  onTestFinished(() => database.close());
  let isKilled = false;
  const replicas = Array.from(
    { length: 3 },
    () =>
      new HookStore({
        database: replacing(database, {
          // A process that is killed before its commit.
          transaction: (work, mode) =>
            database.transaction(async (query) => {
              const result = await work(query);
              if (!isKilled || mode !== 'write') return result;
              isKilled = false;
              throw new Error('killed');
            }, mode),
        }),
        ...{
          epochOf: () => database.epochOf(),
          clock,
          shared: { opened: Promise.resolve(), time: () => `${clock.now()}` },
        },
      }),
  );
  for (const replica of replicas) onTestFinished(() => replica.close());
  await waitFor(() => expect(clock.waits.length).toBeGreaterThanOrEqual(3));

  const uniform = createRandom(1);
  const random = (limit: number) => below(limit, uniform);
  const types = ['permission_prompt', 'idle_prompt', 'elicitation_dialog', 'unknown'] as const;
  const events = Array.from({ length: EVENTS }, (_, index): HookEvent => {
    const session = `s${random(EVENTS / 50)}`;
    const at = NOW - random(2 * HOUR);
    const waiting = random(4) === 0 ? types[random(4)] : undefined;
    return stop(`${index}`, {
      session,
      at,
      waiting,
      event: waiting === undefined ? 'PostToolUse' : 'Notification',
    });
  });

  const sent = [...events, ...events].map((event) => ({ event, key: random(1e9) }));
  sent.sort((a, b) => a.key - b.key);
  for (let start = 0; start < sent.length; start += 1000) {
    const group = sent.slice(start, start + 1000).map(({ event }) => event);
    const commit = () => replicas[random(3)]?.commit(() => ({ events: group, now: clock.now() }));
    isKilled = start % 3000 === 0;
    await commit()?.catch(commit);
    if (start % 10_000 === 0) await clock.advance(MINUTE);
  }
  await clock.advance(3 * HOUR);

  const expected = new Map<string, [count: number, ms: number]>();
  for (const ofSession of Map.groupBy(events, ({ session }) => session).values()) {
    const instants = [...new Set(ofSession.map(({ at }) => at))].sort((a, b) => a - b);
    for (const [index, at] of instants.entries()) {
      const [type] = ofSession.flatMap((one) => (one.at === at && one.waiting ? [one.waiting] : [])).sort();
      if (type === undefined) continue;
      const [count, ms] = expected.get(type) ?? [0, 0];
      expected.set(type, [
        count + 1,
        ms + Math.min(HOUR, (instants[index + 1] ?? Number.POSITIVE_INFINITY) - at),
      ]);
    }
  }
  await waitFor(async () => {
    for (const replica of replicas) {
      const found = new Map<string, [count: number, ms: number]>();
      for (const { type, count, ms } of (await replica.load()).waits) {
        const before = found.get(type) ?? [0, 0];
        found.set(type, [before[0] + count, before[1] + ms]);
      }
      expect(new Map([...found].sort())).toEqual(new Map([...expected].sort()));
    }
  });
});

test('the end of each wait is looked for once', async () => {
  const database = SqliteDatabase.open({
    ...{ path: ':memory:', layout: COUNTS, onDamage: 'replace', log: createFakeLogger() },
  });
  onTestFinished(() => database.close());
  const plans: string[] = [];
  await database.transaction((query) =>
    countWaits(
      async (text, values) => {
        if (text.includes('hook_wait'))
          plans.push(JSON.stringify(await query(`EXPLAIN QUERY PLAN ${text}`, values)));
        return query(text, values);
      },
      NOW,
      0,
    ),
  );
  expect(plans.map((plan) => plan.match(/CORRELATED/g)?.length)).toEqual([1]);
});
