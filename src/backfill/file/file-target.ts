import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../../files/local-file.ts';
import type { Logger } from '../../log/logger.ts';
import { type Lock, takeLock } from '../../store/lock.ts';
import { troubleOf } from '../../store/sqlite-errors.ts';
import { ConfigError } from '../../text/errors.ts';
import { createStateFile } from '../state-file.ts';
import type { BackfillTarget, Month } from '../target.ts';
import { createMonthFile, type MonthFile } from './month-file.ts';

interface FileTargetDeps {
  /** A directory for one file per month, or a file. */
  readonly output: string;
  /** Whether `output` is one file for the whole range. */
  readonly single: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Everything that determines the samples: an interrupted run is resumed only if it is the same. */
  readonly arguments: unknown;
  readonly log: Logger;
}

interface Unfinished {
  readonly name: string;
  readonly path: string;
  readonly file: MonthFile;
}

/** Whether a path is meant as one file rather than a directory: it has an extension and is not a directory. */
export async function meansFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined) return !found.isDirectory();
  return /[^/]\.[A-Za-z0-9]+$/.test(path);
}

/**
 * Writes OpenMetrics files for `promtool tsdb create-blocks-from openmetrics`, one per month or one in total. Files
 * appear complete; until the run has finished, a state file beside them lists those already written. Rejects with a `ConfigError` if
 * another process writes to this output.
 */
export async function createFileTarget(deps: FileTargetDeps): Promise<BackfillTarget> {
  const { output, single, labels, log } = deps;
  const directory = single ? dirname(output) : output;
  createFolder(directory, 0o777);
  const state = createStateFile(single ? `${output}.state.json` : join(directory, 'backfill-state.json'));
  const run = createHash('sha256').update(JSON.stringify(deps.arguments, members)).digest('hex');
  const written = new Set(writtenIn(await state.read(), run));
  const lock = takeOutput(output, single ? `${output}.lock` : join(directory, 'backfill.lock'));
  let current: Unfinished | undefined;
  let samples = 0;

  /** Moves a file into place. */
  async function put({ name, path, file }: Unfinished, complete: boolean): Promise<void> {
    const result = await file.finish();
    if (result === undefined) return;
    samples += result.samples;
    log.info('File written', { path, samples: result.samples, bytes: result.bytes });
    if (!complete) return;
    written.add(name);
    await state.write({ version: 1, run, written: [...written] });
  }

  return {
    get samples() {
      return samples;
    },
    stretches: (months) => (single ? wholeOf(months) : months),
    missing: (_, stamps) => stamps,
    async begin({ name }) {
      if (written.has(name)) return false;
      const path = single ? output : join(directory, `agent-platform-${name}.om`);
      current = { name, path, file: await createMonthFile(path, labels) };
      return true;
    },
    add: async (org, page) => current?.file.add(org, page),
    added: () => undefined,
    async end(complete) {
      if (current === undefined) return;
      await put(current, complete);
      current = undefined;
    },
    async finish() {
      // The next run starts over with the data known then.
      await state.remove();
    },
    async abandon() {
      await current?.file.discard();
      current = undefined;
    },
    close: lock.undo,
  };
}

/** Keeps other backfills away from an output: two of them would mix the parts of their files. */
function takeOutput(output: string, lock: string): Lock {
  try {
    return takeLock(lock);
  } catch (error) {
    if (troubleOf(error).reason !== 'locked') throw error;
    const hint = 'wait until it has ended, or give each an output of its own';
    throw new ConfigError(`--output: another backfill is writing to ${output}`, hint);
  }
}

/** Days off and budgets of teams are in sets and maps, which JSON would leave empty. */
function members(_: string, value: unknown): unknown {
  return value instanceof Set || value instanceof Map ? [...value] : value;
}

function wholeOf(months: readonly Month[]): readonly Month[] {
  return months.length === 0 ? [] : [{ name: 'all', days: months.flatMap(({ days }) => days) }];
}

/** The months that an interrupted run with the same arguments has written. */
function writtenIn(document: unknown, run: string): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  if (!('run' in document) || document.run !== run || !('written' in document)) return [];
  return Array.isArray(document.written) ? document.written.filter((name) => typeof name === 'string') : [];
}
