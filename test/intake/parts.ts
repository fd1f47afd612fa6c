import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { Intake } from '../../src/intake/intake.ts';
import { HookStore } from '../../src/intake/store.ts';
import { COUNTS } from '../../src/store/layouts.ts';
import { SqliteDatabase } from '../../src/store/sqlite.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

export const NOW = Date.UTC(2026, 10, 20, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The path of a file that is removed after the test. */
export function createPlace(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'hooks-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return path.join(directory, 'data', 'counts.db');
}

/** A store in a file, or in memory, with the clock of its intake; `close` closes both. */
export function createFileStore(
  file = ':memory:',
  { clock = createFakeClock(NOW), maxIds = 1_000_000 } = {},
): HookStore {
  const database = SqliteDatabase.open({
    path: file,
    layout: COUNTS,
    onDamage: 'replace',
    log: createFakeLogger(),
  });
  const store = new HookStore({ database, epochOf: () => database.epochOf(), clock, maxIds });
  const close = store.close.bind(store);
  return Object.assign(store, {
    async close() {
      await close();
      await database.close();
    },
  });
}

/** An intake with a store, and its metrics. */
export async function openIntake(store: HookStore, clock = createFakeClock(NOW)) {
  const registry = new Registry();
  const log = createFakeLogger();
  const intake = new Intake({ store, registry, clock, log });
  await intake.open();
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= intake.close();
    return closed;
  };
  onTestFinished(close);

  /** The values of a metric by its label; under the empty text if it has no label. */
  async function values(name: string): Promise<Record<string, number>> {
    const metric = await registry.getSingleMetric(`agent_platform_hook_${name}`)?.get();
    return Object.fromEntries(
      (metric?.values ?? []).map(({ labels, value }) => [Object.values(labels).join(), value]),
    );
  }
  return {
    take: (events: Parameters<Intake['take']>[0]) => intake.take(events),
    time: () => intake.time(),
    from: () => intake.from(),
    instruments: intake.instruments,
    ...{ close, clock, log, registry, values },
  };
}
