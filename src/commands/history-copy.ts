import { loadForCopy } from '../config/load.ts';
import type { CountedProgress } from '../log/progress.ts';
import { ConfigError } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { type CopyOutcome, type CopyParts, copyStore, type Phase, rowsIn } from './copy/copy.ts';
import { openDatabaseEnd } from './copy/database.ts';
import { openFileSource, openFileTarget } from './copy/files.ts';
import { createDisplay } from './display.ts';

/** Copies a store; exit code 1 if it was interrupted. */
export async function run(context: CommandContext): Promise<number> {
  const { stderr } = context;
  const { path, url, to, log: logging } = await loadForCopy(context);
  if (to === undefined) throw new ConfigError('--to is missing', 'give --to=database or --to=file');
  const clock = createSystemClock();
  const { log, progressOf } = createDisplay(
    stderr,
    { log: logging, storage: { url, path, onDamage: 'replace' } },
    clock,
  );
  // Each phase has a bar, or messages, of its own.
  let current: { readonly phase: Phase; readonly progress: CountedProgress } | undefined;
  const show: CopyParts['show'] = (phase, done, total) => {
    if (current?.phase !== phase) current = { phase, progress: progressOf({ verb: phase, unit: 'rows' }) };
    current.progress.show(done, total);
  };
  const signal = context.stopSignal();
  await using closing = new AsyncDisposableStack();
  closing.defer(() => log.close());
  const held = (end: CopyParts['source']) => closing.adopt(end, () => end.close());
  try {
    const database = async () => held(await openDatabaseEnd({ url, clock, log }));
    const source = to === 'database' ? held(openFileSource(path)) : await database();
    const target = to === 'database' ? await database() : held(openFileTarget(path, log));
    const outcome = await copyStore({ source, target, show, signal }).finally(() =>
      current?.progress.clear(),
    );
    stderr.write(describe(outcome, source.place, target.place));
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    stderr.write('Interrupted; nothing was copied. Run the same command again.\n');
    return 1;
  }
}

function describe({ summary, wasCopied }: CopyOutcome, from: string, to: string): string {
  if (wasCopied)
    return `Already copied: ${to} has the same ${rowsIn(summary)} rows as ${from}; counts and checksums are equal.\n`;
  const counts = [...summary].filter(([, { rows }]) => rows > 0).map(([name, { rows }]) => `${rows} ${name}`);
  return `Copied ${rowsIn(summary)} rows from ${from} to ${to}; counts and checksums are equal.\n${
    counts.length > 0 ? `Rows: ${counts.join(', ')}.\n` : ''
  }`;
}
