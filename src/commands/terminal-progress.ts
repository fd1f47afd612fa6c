import { Writable } from 'node:stream';
import type { Clock } from '../runtime/clock.ts';
import { createProgress, type Progress, type ProgressWords } from '../runtime/progress.ts';
import type { Output } from './command.ts';

/** Minimum interval between redraws of the bar, in milliseconds. */
const DRAW_EVERY_MS = 100;

/** Assumed width of a terminal that reports none, or 0. */
const DEFAULT_COLUMNS = 80;

const WIDTH = 30;
const CLEAR = '\r\x1b[K';

/** Keeps a status line at the bottom of a terminal, below everything written. */
export function createStatusLine(terminal: Output) {
  let line = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      terminal.write(line === '' ? chunk : `${CLEAR}${chunk}${line}`);
      done();
    },
  });
  return {
    /** Writes above the line; only whole lines. */
    stream,
    /** Replaces the line; an empty text removes it. */
    show(text: string): void {
      if (text === line) return;
      terminal.write(`${CLEAR}${text}`);
      line = text;
    },
  };
}

/** A bar in a line of a terminal, redrawn at most ten times a second. */
function createBar(
  line: { show(text: string): void },
  clock: Pick<Clock, 'elapsed'>,
  columns: () => number | undefined,
) {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    draw(verb: string, done: number, total: number, what: string): void {
      if (clock.elapsed() - drawnAt < DRAW_EVERY_MS) return;
      drawnAt = clock.elapsed();
      const share = total === 0 ? 1 : done / total;
      const bar = '#'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '.');
      const percent = String(Math.floor(share * 100)).padStart(3);
      const text = `${verb} [${bar}] ${percent} %  ${done}/${total}  ${what}`;
      // A line as wide as the terminal would wrap, and could not be cleared.
      line.show(text.slice(0, (columns() || DEFAULT_COLUMNS) - 1));
    },
    clear(): void {
      drawnAt = Number.NEGATIVE_INFINITY;
      line.show('');
    },
  };
}

/** Shows progress as a bar in the line; `columns` is the terminal's width. */
export function createTerminalProgress(...of: Parameters<typeof createBar>): Progress {
  const bar = createBar(...of);
  return createProgress(({ running, done, total, latest }) => {
    if (running === 0) bar.clear();
    else bar.draw('Fetching past days', done, total, `${latest.org} ${latest.dataset}`);
  });
}

/** Shows progress below what is written to a terminal; undefined if standard error is none. */
export function createTerminal(stderr: Output, clock: Pick<Clock, 'elapsed'>) {
  if (stderr.isTTY !== true) return undefined;
  const line = createStatusLine(stderr);
  const columns = () => stderr.columns;
  return {
    /** For the log, above the bar. */
    stream: line.stream,
    fetching: createTerminalProgress(line, clock, columns),
    counted({ verb, unit }: ProgressWords) {
      const { draw, clear } = createBar(line, clock, columns);
      return { show: (done: number, total: number) => draw(verb, done, total, unit), clear };
    },
  };
}
