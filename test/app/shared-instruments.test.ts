import { expect, test } from 'vitest';
import { createSharedInstruments } from '../../src/app/claims.ts';
import { createInstruments } from '../../src/exposition/instruments.ts';
import { NotStored } from '../../src/history/history.ts';
import type { Counted } from '../../src/history/postgres/runs.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { createFakeClock } from '../../src/runtime/clock.ts';

const TOKENS = { org: 'acme', dataset: 'tokens' } as const;
const RUN = { org: 'acme', collector: 'tokens', at: 2_000, seconds: 1 } as const;

/** Instruments whose runs are stored as the answers say, one for each attempt. */
function create(answers: readonly ('stored' | 'unreachable' | 'taken')[]) {
  const attempts: (readonly Counted[])[] = [];
  const clock = createFakeClock(0);
  const runs = createRunStates();
  runs.update('acme', 'tokens', { lastRunAt: 1_000 });
  const { instruments, stored } = createSharedInstruments(
    createInstruments({ version: '', revision: '', clock, processMetrics: false }),
    async (_org, _run, counted) => {
      const answer = answers[attempts.length] ?? 'stored';
      attempts.push(counted);
      if (answer !== 'stored') throw new NotStored('', { reason: answer, detail: '', hint: '' });
    },
    runs,
    async () => undefined,
  );
  return { instruments, stored, attempts };
}

test('what a run has counted is stored again under the same identity', async () => {
  const { instruments, stored, attempts } = create(['unreachable', 'unreachable']);
  instruments.recordsRejected({ ...TOKENS, count: 2 });
  instruments.dayRevisions({ ...TOKENS, count: 3 });
  instruments.collectorRun(RUN);
  await stored('acme');
  const [first] = attempts;
  expect(first?.map(({ totals }) => totals)).toEqual([[{ dataset: 'tokens', rejected: 2, revisions: 3 }]]);
  expect(attempts).toEqual([first, first, first]);
});

test('what could not be stored goes with the next run under its own identity, because it may have been stored', async () => {
  const { instruments, stored, attempts } = create(['taken']);
  instruments.recordsRejected({ ...TOKENS, count: 2 });
  instruments.collectorRun(RUN);
  await stored('acme');
  instruments.recordsRejected({ ...TOKENS, count: 5 });
  instruments.collectorRun(RUN);
  await stored('acme');
  instruments.collectorRun(RUN);
  await stored('acme');
  const [before, both, none] = attempts;
  expect(both?.[0]).toEqual(before?.[0]);
  expect(both?.[1]?.totals).toEqual([{ dataset: 'tokens', rejected: 5, revisions: 0 }]);
  expect(both?.[1]?.id).not.toBe(before?.[0]?.id);
  expect(none).toEqual([]);
});

test('a run without counts stores none', async () => {
  const { instruments, stored, attempts } = create([]);
  instruments.recordsRejected({ ...TOKENS, org: 'globex', count: 1 });
  instruments.collectorRun(RUN);
  await stored('acme');
  expect(attempts).toEqual([[]]);
});
