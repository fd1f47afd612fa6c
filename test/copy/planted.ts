import path from 'node:path';
import { createSqliteHookStore } from '../../src/hooks/intake/sqlite/store.ts';
import { answer, createDirectory, listing, openHistory } from '../history/files.ts';
import { dayNamed } from '../support/day.ts';

const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');

/** The instant of the planted hook events. */
export const PLANTED_AT = Date.UTC(2026, 2, 3, 12);

/** Fills a new history file and the files beside it with one of everything, and closes them. */
export async function plant(documents = 1): Promise<string> {
  const file = path.join(createDirectory(), 'history.db');
  const history = await openHistory(file);
  const odd = { text: 'a\u0000b\ud800 "\\ é 日本', big: 9_007_199_254_740_991, small: 0.1, no: null };
  await history.putDays('acme', 'tokens', answer([monday], { [monday]: odd }, 5, 'org_1'));
  await history.putConfirmedKey('acme', 'key');
  await history.adopt('acme', 'org_2');
  await history.putDays('acme', 'tokens', answer([monday, tuesday], { [tuesday]: { credits: 2.5 } }, 7));
  await history.putRevisedOn('acme', 'tokens', tuesday);
  await history.putSucceeded('acme', 'tokens', 1_772_582_400_123);
  const reports = Array.from({ length: documents }, (_, index) => [`report-${index}`, { index }]);
  await history.putDocuments(
    'globex',
    'readiness',
    listing({ ...Object.fromEntries(reports), 'a\u0000b': odd, ['x'.repeat(10_000)]: 'long' }),
  );
  await history.putRequests('acme', { day: tuesday, requests: 20 });
  await history.sweep({ days: 3660, now: PLANTED_AT, orgs: ['acme', 'globex'] });
  await history.close();
  const hooks = createSqliteHookStore({ path: path.join(path.dirname(file), 'history-hooks.db') });
  await hooks.commit({
    take: () => ({ ids: ['one', 'two', 'with\u0000nul'], now: PLANTED_AT }),
    decide: () => ({
      events: new Map([['Stop', { count: 3, lastAt: PLANTED_AT - 1 }]]),
      ends: new Map([['exit', 2]]),
      sessions: new Map([['s', { at: PLANTED_AT - 1, waiting: true, until: PLANTED_AT + 3_600_000 }]]),
    }),
  });
  await hooks.close();
  return file;
}
