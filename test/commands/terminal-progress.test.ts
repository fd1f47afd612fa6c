import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createStatusLine, createTerminalProgress } from '../../src/commands/terminal-progress.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function createTerminal() {
  const terminal = new PassThrough({ encoding: 'utf8' });
  const written = () => String(terminal.read() ?? '');
  return { line: createStatusLine(terminal), written };
}

/** What a terminal displays of a text, by line. */
function screenOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.split('\r\x1b[K').at(-1) ?? '');
}

describe('the line at the bottom of a terminal', () => {
  test('stays below what is logged', () => {
    const { line, written } = createTerminal();
    line.stream.write('one\n');
    line.show('half');
    line.stream.write('two\n');
    line.show('whole');
    line.stream.write(Buffer.from('three\n'));
    expect(screenOf(written())).toEqual(['one', 'two', 'three', 'whole']);
  });

  test('leaves nothing behind', () => {
    const { line, written } = createTerminal();
    line.show('half');
    line.show('');
    line.stream.write('one\n');
    expect(screenOf(written())).toEqual(['one', '']);
  });
});

describe('the bar', () => {
  test('shows the progress of past days, within the width of the terminal', async () => {
    const { line, written } = createTerminal();
    const clock = createFakeClock(0);
    const work = createTerminalProgress(line, clock, () => 40).begin({
      org: 'acme',
      dataset: 'tokens',
      total: 300,
    });
    await clock.advance(100);
    work.advance(150);
    work.advance(1);
    const bar = screenOf(written()).join('');
    expect(bar).toBe('Fetching past days [###############....');
    work.end();
    expect(screenOf(written())).toEqual(['']);
  });

  test('names the days and what is being fetched', () => {
    const { line, written } = createTerminal();
    createTerminalProgress(line, createFakeClock(0), () => 200).begin({
      org: 'acme',
      dataset: 'tokens',
      total: 300,
    });
    expect(screenOf(written())).toEqual([
      'Fetching past days [..............................]   0 %  0/300  acme tokens',
    ]);
  });
});
