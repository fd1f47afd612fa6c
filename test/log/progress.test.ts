import { describe, expect, test } from 'vitest';
import { createLoggedProgress, createProgress, type ProgressState } from '../../src/log/progress.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

const tokens = { org: 'acme', dataset: 'tokens', total: 100 };
const tools = { org: 'acme', dataset: 'tools', total: 50 };

describe('progress', () => {
  test('sums the work in progress, and starts over once all of it is done', () => {
    const shown: string[] = [];
    const progress = createProgress(({ done, total, running }: ProgressState) => {
      shown.push(`${done}/${total} ${running}`);
    });
    const one = progress.begin(tokens);
    const other = progress.begin(tools);
    one.advance(30);
    other.advance(20);
    other.end();
    one.advance(70);
    one.end();
    progress.begin(tools).advance(1);
    expect(shown).toEqual([
      ...['0/100 1', '0/150 2', '30/150 2', '50/150 2'],
      ...['50/120 1', '120/120 1', '120/120 0', '0/50 1', '1/50 1'],
    ]);
  });
});

describe('progress in the log', () => {
  test('is reported at most every ten seconds, and at the end if it took that long', async () => {
    const clock = createFakeClock(0);
    const log = createFakeLogger();
    const work = createLoggedProgress({ clock, log }).begin(tokens);
    for (let second = 0; second < 25; second++) {
      await clock.advance(1_000);
      work.advance(2);
    }
    work.end();
    expect(log.events).toEqual([
      {
        level: 'info',
        message: 'Fetching past days',
        fields: { org: 'acme', dataset: 'tokens', done: 20, total: 100, running: 1 },
      },
      {
        level: 'info',
        message: 'Fetching past days',
        fields: { org: 'acme', dataset: 'tokens', done: 40, total: 100, running: 1 },
      },
      { level: 'info', message: 'Past days fetched', fields: { days: 50 } },
    ]);
  });

  test('is not reported for short work', async () => {
    const log = createFakeLogger();
    const work = createLoggedProgress({ clock: createFakeClock(0), log }).begin(tokens);
    work.advance(100);
    work.end();
    expect(log.events).toEqual([]);
  });
});
