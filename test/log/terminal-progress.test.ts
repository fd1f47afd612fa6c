import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createTerminal } from '../../src/log/terminal-progress.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { writtenTo } from '../support/written.ts';

function openTerminal(columns: number) {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns });
  const clock = createFakeClock(0);
  const terminal = createTerminal(stderr, clock);
  if (terminal === undefined) throw new Error('a terminal was expected');
  const written = () => writtenTo(stderr);
  return { terminal, clock, written };
}

/** What a terminal displays of a text, by line. */
function screenOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.split('\r\x1b[K').at(-1) ?? '');
}

test('without a terminal there is nothing to show progress on', () => {
  expect(createTerminal(new PassThrough(), createFakeClock(0))).toBeUndefined();
});

describe('the line at the bottom of a terminal', () => {
  test('stays below what is logged', async () => {
    const { terminal, clock, written } = openTerminal(20);
    const bar = terminal.counted({ verb: 'Copying', unit: 'rows' });
    terminal.stream.write('one\n');
    bar.show(1, 2);
    terminal.stream.write('two\n');
    await clock.advance(100);
    bar.show(2, 2);
    terminal.stream.write(Buffer.from('three\n'));
    expect(screenOf(written())).toEqual(['one', 'two', 'three', 'Copying [##########']);
  });

  test('leaves nothing behind', () => {
    const { terminal, written } = openTerminal(80);
    const bar = terminal.counted({ verb: 'Copying', unit: 'rows' });
    bar.show(1, 2);
    expect(screenOf(written())).toEqual(['Copying [###############...............]  50 %  1/2  rows']);
    bar.clear();
    terminal.stream.write('one\n');
    expect(screenOf(written())).toEqual(['one', '']);
  });
});

describe('the bar', () => {
  test('shows the progress of past days, within the width of the terminal', async () => {
    const { terminal, clock, written } = openTerminal(40);
    const work = terminal.fetching.begin({ org: 'acme', dataset: 'tokens', total: 300 });
    await clock.advance(100);
    work.advance(150);
    work.advance(1);
    const bar = screenOf(written()).join('');
    expect(bar).toBe('Fetching past days [###############....');
    work.end();
    expect(screenOf(written())).toEqual(['']);
  });

  test('names the days and what is being fetched', () => {
    const { terminal, written } = openTerminal(200);
    terminal.fetching.begin({ org: 'acme', dataset: 'tokens', total: 300 });
    expect(screenOf(written())).toEqual([
      'Fetching past days [..............................]   0 %  0/300  acme tokens',
    ]);
  });
});
