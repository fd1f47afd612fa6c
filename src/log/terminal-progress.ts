import { Writable } from 'node:stream';
import type { Clock } from '../work/clock.ts';
import { createProgress, type ProgressWords } from './progress.ts';

/** A stream of text for people or other programs: standard output, standard error. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Minimum interval between redraws of the bar, in milliseconds. */
const DRAW_EVERY_MS = 100;

/** Assumed width of a terminal that reports none, or 0. */
const DEFAULT_COLUMNS = 80;

const WIDTH = 30;
const CLEAR = '\r\x1b[K';

/**
 * Shows progress as a bar in the last line of a terminal, below what is written to `stream` in whole lines, and redrawn at most
 * ten times a second; undefined if standard error is no terminal.
 */
export function createTerminal(stderr: Output, clock: Pick<Clock, 'elapsed'>) {
  if (stderr.isTTY !== true) return undefined;
  let line = '';
  let drawnAt = Number.NEGATIVE_INFINITY;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      stderr.write(line === '' ? chunk : `${CLEAR}${chunk}${line}`);
      done();
    },
  });

  function show(text: string): void {
    if (text === line) return;
    stderr.write(`${CLEAR}${text}`);
    line = text;
  }

  function draw(verb: string, done: number, total: number, what: string): void {
    if (clock.elapsed() - drawnAt < DRAW_EVERY_MS) return;
    drawnAt = clock.elapsed();
    const share = total === 0 ? 1 : done / total;
    const bar = '#'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '.');
    const percent = String(Math.floor(share * 100)).padStart(3);
    const text = `${verb} [${bar}] ${percent} %  ${done}/${total}  ${what}`;
    // A line as wide as the terminal would wrap, and could not be cleared.
    show(text.slice(0, (stderr.columns || DEFAULT_COLUMNS) - 1));
  }

  function clear(): void {
    drawnAt = Number.NEGATIVE_INFINITY;
    show('');
  }

  return {
    /** For the log, above the bar. */
    stream,
    fetching: createProgress(({ running, done, total, latest }) => {
      if (running === 0) clear();
      else draw('Fetching past days', done, total, `${latest.org} ${latest.dataset}`);
    }),
    counted({ verb, unit }: ProgressWords) {
      return { show: (done: number, total: number) => draw(verb, done, total, unit), clear };
    },
  };
}
