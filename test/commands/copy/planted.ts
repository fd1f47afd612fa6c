import path from 'node:path';
import { HookStore } from '../../../src/intake/store.ts';
import { COUNTS, countsFileBeside } from '../../../src/store/layouts.ts';
import { SqliteDatabase } from '../../../src/store/sqlite.ts';
import { ended, stop } from '../../intake/contract.ts';
import { answer, createDirectory, listing, openStore } from '../../store/files.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';

const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');

const HOUR_MS = 3_600_000;

/** The instant of the planted hook events. */
export const PLANTED_AT = Date.UTC(2026, 2, 3, 12);

/** Fills the files of a new store with one of everything, and closes them. */
export async function plant(documents = 1): Promise<string> {
  const file = path.join(createDirectory(), 'history.db');
  const store = openStore(file);
  const odd = { text: 'a\u0000b\ud800 "\\ é 日本', big: 9_007_199_254_740_991, small: 0.1, no: null };
  await store.putDays('acme', 'tokens', answer([monday], { [monday]: odd }, 5, 'org_1'));
  await store.putConfirmedKey('acme', 'key');
  await store.adopt('acme', 'org_2');
  await store.putDays('acme', 'tokens', answer([monday, tuesday], { [tuesday]: { credits: 2.5 } }, 7));
  const lags = { isNews: () => true, isNextPoll: true, comparedDays: 7 };
  const wednesday = Date.UTC(2026, 2, 4, 2);
  await store.putDays('acme', 'tokens', {
    ...answer([tuesday], { [tuesday]: { credits: 3 } }, wednesday),
    lags,
    seen: new Map([['billable_tokens', { last: tuesday }]]),
  });
  await store.putRevisedOn('acme', 'tokens', tuesday);
  await store.putSucceeded('acme', 'tokens', 1_772_582_400_123);
  const reports = Array.from({ length: documents }, (_, index) => [`report-${index}`, { index }]);
  await store.putDocuments(
    'globex',
    'readiness',
    listing({ ...Object.fromEntries(reports), 'a\u0000b': odd, ['x'.repeat(10_000)]: 'long' }),
  );
  await store.putRequests('acme', { day: tuesday, requests: 20 });
  await store.sweep({ days: 3660, now: PLANTED_AT, orgs: ['acme', 'globex'] });
  await store.close();
  const log = createFakeLogger();
  const database = SqliteDatabase.open({
    ...{ path: countsFileBeside(file), layout: COUNTS, onDamage: 'replace', log },
  });
  const before = PLANTED_AT - HOUR_MS;
  const clock = createFakeClock(before);
  const hooks = new HookStore({ database, epochOf: () => database.epochOf(), clock });
  const waiting = { event: 'Notification', session: 's', waiting: 'unknown' } as const;
  await hooks.commit(() => ({ events: [stop('zero', { at: before, ...waiting })], now: before }));
  // After an hour, the wait is counted.
  await clock.advance(HOUR_MS);
  const at = PLANTED_AT - 1;
  await hooks.commit(() => ({
    events: [stop('one', { at }), stop('two', { at, ...ended }), stop('three', { at, ...waiting })],
    now: PLANTED_AT,
  }));
  await hooks.close();
  await database.close();
  return file;
}
