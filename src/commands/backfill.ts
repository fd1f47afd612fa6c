import { dirname, join } from 'node:path';
import { backfill } from '../backfill/backfill.ts';
import { createFileTarget, meansFile } from '../backfill/file/file-target.ts';
import { parseLabels } from '../backfill/labels.ts';
import { missingOf } from '../backfill/missing.ts';
import { rangeOf } from '../backfill/range.ts';
import { readAcknowledged } from '../backfill/remote/acknowledged.ts';
import { createPost } from '../backfill/remote/post.ts';
import { RemoteTarget } from '../backfill/remote/remote-target.ts';
import { createStateFile } from '../backfill/state-file.ts';
import { BackfillError, type BackfillTarget } from '../backfill/target.ts';
import { withoutFamilies } from '../catalog/collector.ts';
import { parseRetryAfter } from '../client/response.ts';
import { aboutFamilies } from '../collectors/index.ts';
import { backfillOptions } from '../config/command-options.ts';
import type { Config } from '../config/config.ts';
import { loadValues } from '../config/load.ts';
import type { ValuesOf } from '../config/option.ts';
import { type RemoteWrite, readRemoteWrite } from '../config/remote-write.ts';
import { outputFile } from '../export/sink.ts';
import type { Logger } from '../log/logger.ts';
import { redactSecrets } from '../log/redact.ts';
import { MEMORY } from '../store/sqlite.ts';
import { type Clock, createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { chooseCollectors, loadForOrgs, openPast, pagesOf } from './past.ts';

/**
 * About the number of samples per write request. The more there are, the fewer requests repeat the labels of a series; even
 * with a single sample of each series, a request of these is a few MiB, which receivers accept.
 */
const BATCH_SAMPLES = 25_000;

/**
 * Backfills past days to OpenMetrics files or by remote write; exit code 1 if days are missing or it was interrupted.
 */
export async function run(context: CommandContext): Promise<number> {
  const { version, stdout, stderr } = context;
  const values = await loadValues(backfillOptions, context);
  const remote = await readRemoteWrite(values, context.files);
  const destination = remote ?? (await readOutput(values.output ?? ''));
  const chosen = await loadForOrgs(context, values.org);
  const { config } = chosen;
  const collectors = chooseCollectors(config, values.collector);
  const ownLabels = collectors.flatMap(({ families }) => families.flatMap((family) => family.labels));
  const taken = new Set(['org', 'org_id', 'dataset', ...ownLabels]);
  const labels = parseLabels(values.label, taken);
  const { from, to } = rangeOf(values, config.history.start, createSystemClock().now());
  const secrets = remote?.secrets ?? (() => []);

  await using past = await openPast(context, config, secrets);
  const { clock, log, signal, settings } = past;
  // Everything that determines the samples.
  const identity = [from, to, values.step, labels, settings, collectors.map(({ name }) => name)];
  const target =
    'output' in destination
      ? await createFileTarget({ ...destination, labels, arguments: identity, log })
      : await createRemote({ remote: destination, values, config, labels, version, clock, log });
  try {
    const { orgs, failed } = await past.fetch(collectors, from);
    const outcome = await backfill({
      pages: pagesOf(chosen, collectors, aboutFamilies, past),
      collectors: withoutFamilies(collectors, config.metrics.excluded),
      stepMs: values.step,
      progress: past.progressOf({ verb: 'Backfilling', unit: 'days' }),
      orgs,
      from,
      to,
      target,
      signal,
    });
    const { lines, code } = missingOf(outcome, failed);
    if (outcome.interrupted) lines.push('interrupted; the same command resumes where it stopped');
    stdout.write(`${[`${outcome.samples} samples of ${from} to ${to}`, ...lines].join('\n')}\n`);
    return code;
  } catch (error) {
    if (!(error instanceof BackfillError)) throw error;
    // A target may repeat what it was sent.
    const message = redactSecrets(past.redactor.redact(error.message), secrets());
    stderr.write(`agent-platform-exporter: ${message}\n  ${error.hint}\n`);
    return 1;
  } finally {
    target.close();
  }
}

interface RemoteParts {
  readonly remote: RemoteWrite;
  readonly values: ValuesOf<typeof backfillOptions>;
  readonly config: Config;
  readonly labels: ReturnType<typeof parseLabels>;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Creates the target that sends samples, and continues where an earlier run has stopped. */
async function createRemote(parts: RemoteParts): Promise<BackfillTarget> {
  const { remote, values, config, labels, version, clock, log } = parts;
  const { path, url: database } = config.storage;
  const folder = path === MEMORY || database !== undefined ? '.' : dirname(path);
  const file = values['remote-write.state-file'] ?? join(folder, 'backfill.json');
  const key = `${remote.url} ${JSON.stringify(Object.entries(labels).sort())}${remote.tenant}`;
  const acknowledged = await readAcknowledged(createStateFile(file), key);
  const concurrency = values['remote-write.concurrency'];
  const post = createPost({
    ...remote,
    proxy: config.api.proxy,
    timeoutMs: values['remote-write.timeout'],
    concurrency,
    version,
    retryAfter: (header) => parseRetryAfter(header, clock.now()),
  });
  return new RemoteTarget({
    acknowledged: values['remote-write.again']
      ? { ...acknowledged, missing: (_, stamps) => stamps }
      : acknowledged,
    batchSamples: BATCH_SAMPLES,
    random: Math.random,
    post,
    labels,
    concurrency,
    clock,
    log,
  });
}

/** Where files are written, and whether it is one file for the whole range; throws a `ConfigError` if the path cannot be one. */
async function readOutput(output: string) {
  const single = await meansFile(output);
  return { output: single ? await outputFile(output) : output, single };
}
