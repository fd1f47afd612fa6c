import { Writable } from 'node:stream';
import type { Clock } from '../runtime/clock.ts';
import { createProgress, type Progress, type ProgressState } from '../runtime/progress.ts';
import type { Output } from './command.ts';

/** A terminal with a status line that stays below everything written. */
interface StatusLine {
  /** Writes above the line; only whole lines. */
  readonly stream: Writable;
  /** Replaces the line; an empty text removes it. */
  show(text: string): void;
}

/** Minimum interval between redraws of the bar, in milliseconds. */
const DRAW_EVERY_MS = 100;

/** Assumed width of a terminal that reports none, or 0. */
const DEFAULT_COLUMNS = 80;

const WIDTH = 30;
const CLEAR = '\r\x1b[K';

/** Keeps a line at the bottom of a terminal. */
export function createStatusLine(terminal: Output): StatusLine {
  let line = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      terminal.write(line === '' ? chunk : `${CLEAR}${chunk}${line}`);
      done();
    },
  });
  return {
    stream,
    show(text) {
      if (text === line) return;
      terminal.write(`${CLEAR}${text}`);
      line = text;
    },
  };
}

/** Shows progress as a bar in the line; `columns` is the terminal's width. */
export function createTerminalProgress(
  line: Pick<StatusLine, 'show'>,
  clock: Pick<Clock, 'elapsed'>,
  columns: () => number | undefined,
): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return createProgress((state) => {
    if (state.running === 0) {
      drawnAt = Number.NEGATIVE_INFINITY;
      line.show('');
      return;
    }
    if (clock.elapsed() - drawnAt < DRAW_EVERY_MS) return;
    drawnAt = clock.elapsed();
    // A line as wide as the terminal would wrap, and could not be cleared.
    line.show(describe(state).slice(0, (columns() || DEFAULT_COLUMNS) - 1));
  });
}

function describe({ done, total, latest }: ProgressState): string {
  const share = total === 0 ? 1 : done / total;
  const bar = '#'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '.');
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `Fetching past days [${bar}] ${percent} %  ${done}/${total}  ${latest.org} ${latest.dataset}`;
}
