import { Writable } from 'node:stream';
import type { Clock } from '../runtime/clock.ts';
import {
  type CountedProgress,
  createProgress,
  type Progress,
  type ProgressWords,
} from '../runtime/progress.ts';
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

/** A bar in a line of a terminal, redrawn at most ten times a second. */
interface Bar {
  draw(verb: string, done: number, total: number, what: string): void;
  clear(): void;
}

function createBar(
  line: Pick<StatusLine, 'show'>,
  clock: Pick<Clock, 'elapsed'>,
  columns: () => number | undefined,
): Bar {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    draw(verb, done, total, what) {
      if (clock.elapsed() - drawnAt < DRAW_EVERY_MS) return;
      drawnAt = clock.elapsed();
      const share = total === 0 ? 1 : done / total;
      const bar = '#'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '.');
      const percent = String(Math.floor(share * 100)).padStart(3);
      const text = `${verb} [${bar}] ${percent} %  ${done}/${total}  ${what}`;
      // A line as wide as the terminal would wrap, and could not be cleared.
      line.show(text.slice(0, (columns() || DEFAULT_COLUMNS) - 1));
    },
    clear() {
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

/** What a terminal shows of a command. */
interface Terminal {
  /** For the log, above the bar. */
  readonly stream: Writable;
  readonly fetching: Progress;
  counted(words: ProgressWords): CountedProgress;
}

/** Shows progress below what is written to a terminal; undefined if standard error is none. */
export function createTerminal(stderr: Output, clock: Pick<Clock, 'elapsed'>): Terminal | undefined {
  if (stderr.isTTY !== true) return undefined;
  const line = createStatusLine(stderr);
  const columns = () => stderr.columns;
  return {
    stream: line.stream,
    fetching: createTerminalProgress(line, clock, columns),
    counted({ verb, unit }) {
      const { draw, clear } = createBar(line, clock, columns);
      return { show: (done, total) => draw(verb, done, total, unit), clear };
    },
  };
}
