import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFileTarget, meansFile } from '../backfill/file/file-target.ts';
import { type Acknowledged, readAcknowledged } from '../backfill/remote/acknowledged.ts';
import { createPost } from '../backfill/remote/post.ts';
import { createRemoteTarget } from '../backfill/remote/remote-target.ts';
import { createStateFile } from '../backfill/state-file.ts';
import type { BackfillTarget } from '../backfill/target.ts';
import type { backfillOptions } from '../config/command-options.ts';
import type { Config } from '../config/config.ts';
import type { ValuesOf } from '../config/option.ts';
import { parseRetryAfter } from '../platform/response.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { type Lock, takeLock } from '../store/lock.ts';
import { MEMORY } from '../store/sqlite.ts';
import { troubleOf } from '../store/sqlite-errors.ts';
import { outputFile } from './output-path.ts';
import { type RemoteSecrets, requestHeaders, tenantOf } from './remote-secrets.ts';

/** The resolved options of the command. */
export type BackfillValues = ValuesOf<typeof backfillOptions>;

/**
 * About the number of samples per write request. The more there are, the fewer requests repeat the labels of a series; even
 * with a single sample of each series, a request of these is a few MiB, which receivers accept.
 */
const BATCH_SAMPLES = 25_000;

/** The parts of a target other than its options. */
interface TargetParts {
  readonly values: BackfillValues;
  readonly config: Config;
  readonly labels: Readonly<Record<string, string>>;
  /** Everything that determines the samples. */
  readonly arguments: unknown;
  readonly secrets: RemoteSecrets | undefined;
  readonly output: Output | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Where files are written, and whether it is one file for the whole range. */
interface Output {
  readonly output: string;
  readonly single: boolean;
}

/** The output of these options, if files are to be written; throws a `ConfigError` if it cannot be one. */
export async function readOutput({ output }: Pick<BackfillValues, 'output'>): Promise<Output | undefined> {
  if (output === undefined) return undefined;
  return (await meansFile(output))
    ? { output: await outputFile(output), single: true }
    : { output, single: false };
}

/** Creates the target that the options describe. */
export async function createTarget(parts: TargetParts): Promise<BackfillTarget & { close(): void }> {
  const { values, labels, log } = parts;
  if (parts.output !== undefined) {
    const lock = await lockOutput(parts.output);
    try {
      const target = await createFileTarget({ ...parts.output, labels, arguments: parts.arguments, log });
      return Object.assign(target, { close: lock.undo });
    } catch (error) {
      lock.undo();
      throw error;
    }
  }
  const url = values['remote-write.url'] ?? '';
  const { clock } = parts;
  const concurrency = values['remote-write.concurrency'];
  const post = createPost({
    url,
    headers: () => requestHeaders(values, parts.secrets),
    ca: parts.secrets?.ca,
    proxy: parts.config.api.proxy,
    timeoutMs: values['remote-write.timeout'],
    concurrency,
    version: parts.version,
    retryAfter: (header) => parseRetryAfter(header, clock.now()),
  });
  const target = createRemoteTarget({
    post,
    labels,
    concurrency,
    batchSamples: BATCH_SAMPLES,
    acknowledged: await acknowledgedBy(parts, url),
    clock,
    random: Math.random,
    log,
  });
  return Object.assign(target, { close: post.close });
}

/** Keeps other backfills away from an output: two of them would mix the parts of their files. */
async function lockOutput({ output, single }: Output): Promise<Lock> {
  const path = single ? `${output}.lock` : join(output, 'backfill.lock');
  await mkdir(dirname(path), { recursive: true });
  try {
    return takeLock(path);
  } catch (error) {
    if (troubleOf(error).reason !== 'locked') throw error;
    const hint = 'wait until it has ended, or give each an output of its own';
    throw new ConfigError(`--output: another backfill is writing to ${output}`, hint);
  }
}

async function acknowledgedBy(
  { values, config, labels, clock }: TargetParts,
  url: string,
): Promise<Acknowledged> {
  const { path } = config.storage;
  const given = values['remote-write.state-file'];
  const file =
    given ?? join(path === MEMORY || config.storage.url !== undefined ? '.' : dirname(path), 'backfill.json');
  const target = `${url} ${JSON.stringify(Object.entries(labels).sort())}${tenantOf(values)}`;
  const acknowledged = await readAcknowledged(createStateFile(file), target, clock);
  return values['remote-write.again'] ? { ...acknowledged, missing: (_, stamps) => stamps } : acknowledged;
}
