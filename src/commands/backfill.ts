import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { backfill } from '../backfill/backfill.ts';
import { createFileTarget, meansFile } from '../backfill/file/file-target.ts';
import { parseLabels } from '../backfill/labels.ts';
import { readAcknowledged } from '../backfill/remote/acknowledged.ts';
import { headerValueIn, parseHeaders } from '../backfill/remote/headers.ts';
import { createPost } from '../backfill/remote/post.ts';
import { createRemoteTarget } from '../backfill/remote/remote-target.ts';
import { createStateFile } from '../backfill/state-file.ts';
import { BackfillError, type BackfillTarget } from '../backfill/target.ts';
import { withoutFamilies } from '../catalog/collector.ts';
import { aboutFamilies } from '../collectors/index.ts';
import { backfillOptions } from '../config/command-options.ts';
import { createFileCredential, secretIn } from '../config/credential.ts';
import type { Files } from '../config/files.ts';
import { readNamed } from '../config/followed.ts';
import { loadValues } from '../config/load.ts';
import type { ValuesOf } from '../config/option.ts';
import { parseRetryAfter } from '../platform/response.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { redactSecrets } from '../runtime/redact.ts';
import { MEMORY } from '../store/sqlite.ts';
import type { CommandContext } from './command.ts';
import { outputFile } from './output-path.ts';
import {
  chooseCollectors,
  loadForOrgs,
  missingOf,
  type Past,
  pagesOf,
  rangeOf,
  settingsOf,
  withPast,
} from './past.ts';

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
  const access = await readRemoteAccess(values, context.files);
  const destination = access ?? (await readOutput(values.output ?? ''));
  const chosen = await loadForOrgs(context, values.org);
  const { config } = chosen;
  const collectors = chooseCollectors(config, values.collector);
  const ownLabels = collectors.flatMap(({ families }) => families.flatMap((family) => family.labels));
  const taken = new Set(['org', 'org_id', 'dataset', ...ownLabels]);
  const labels = parseLabels(values.label, taken);
  const { from, to } = rangeOf(values, config, createSystemClock().now());
  const secrets = access?.secrets ?? (() => []);
  // Everything that determines the samples.
  const identity = [from, to, values.step, labels, settingsOf(config), collectors.map(({ name }) => name)];

  return withPast(context, config, write, secrets);

  async function write(past: Past): Promise<number> {
    const { now, signal } = past;
    const target = await createTarget(past);
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
        now,
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

  /** Creates the target that the options describe. */
  async function createTarget({ clock, log }: Past): Promise<BackfillTarget> {
    if ('output' in destination) {
      return createFileTarget({ ...destination, labels, arguments: identity, log });
    }
    const { path, url: database } = config.storage;
    const folder = path === MEMORY || database !== undefined ? '.' : dirname(path);
    const file = values['remote-write.state-file'] ?? join(folder, 'backfill.json');
    const key = `${destination.url} ${JSON.stringify(Object.entries(labels).sort())}${destination.tenant}`;
    const acknowledged = await readAcknowledged(createStateFile(file), key);
    const concurrency = values['remote-write.concurrency'];
    const post = createPost({
      ...destination,
      proxy: config.api.proxy,
      timeoutMs: values['remote-write.timeout'],
      concurrency,
      version,
      retryAfter: (header) => parseRetryAfter(header, clock.now()),
    });
    return createRemoteTarget({
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
}

/** Where files are written, and whether it is one file for the whole range; throws a `ConfigError` if the path cannot be one. */
async function readOutput(output: string) {
  const single = await meansFile(output);
  return { output: single ? await outputFile(output) : output, single };
}

/**
 * How a remote target is addressed, with credentials and CA. Reads the files that the remote-write options name; throws a
 * `ConfigError` if one is unusable.
 */
export async function readRemoteAccess(values: ValuesOf<typeof backfillOptions>, files: Files) {
  const { output, 'remote-write.url': url, 'remote-write.username': user } = values;
  if ((output === undefined) === (url === undefined)) {
    throw new ConfigError(
      output === undefined ? 'no destination' : '--output and --remote-write.url are both given',
      'give one of them: --output for OpenMetrics files, --remote-write.url for remote write',
    );
  }
  const tokenFile = values['remote-write.bearer-token-file'];
  const passwordFile = values['remote-write.password-file'];
  if (tokenFile !== undefined && user !== undefined) {
    throw new ConfigError('--remote-write.bearer-token-file and --remote-write.username are both given');
  }
  if ((user === undefined) !== (passwordFile === undefined)) {
    throw new ConfigError('--remote-write.username and --remote-write.password-file must be given together');
  }
  const fixed = parseHeaders('--remote-write.header', values['remote-write.header']);
  for (const [name, value] of fixed) headerValueIn(value, `--remote-write.header: the value of ${name}`);
  const inFiles = parseHeaders('--remote-write.header-file', values['remote-write.header-file'], fixed);
  if (url === undefined) return undefined;
  async function open(
    name: string,
    file: string,
    textOf: (secret: string) => string,
    parse?: typeof secretIn,
  ) {
    const credential = await createFileCredential(file, file, files, parse);
    return { credential, header: async () => [name, textOf(await credential.read())] as const };
  }
  const bearer = (token: string) => `Bearer ${token}`;
  const basic = (password: string) => `Basic ${Buffer.from(`${user ?? ''}:${password}`).toString('base64')}`;
  const secret = await Promise.all([
    ...inFiles.map(([name, file]) => open(name, file, String, headerValueIn)),
    ...(tokenFile === undefined ? [] : [open('Authorization', tokenFile, bearer)]),
    ...(passwordFile === undefined ? [] : [open('Authorization', passwordFile, basic, secretIn)]),
  ]);
  const identity = [user, tokenFile, fixed.toSorted(), inFiles.toSorted()];
  const isPlain = user === undefined && tokenFile === undefined && fixed.length + inFiles.length === 0;
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
  return {
    url,
    /** The headers with the credentials of a request, as their files contain them now. */
    async headers(): Promise<Readonly<Record<string, string>>> {
      return Object.fromEntries([...fixed, ...(await Promise.all(secret.map(({ header }) => header())))]);
    },
    ca: await readAuthorities(values['remote-write.tls-ca-file'], files),
    /**
     * What distinguishes the tenants of one address, as the end of a key in the state file: user, headers and the files of
     * secrets. Only a digest, because a value could be secret.
     */
    tenant: isPlain ? '' : ` ${digest}`,
    /** All secrets, for redaction. */
    secrets: () => secret.flatMap(({ credential }) => credential.secrets()),
  };
}

async function readAuthorities(path: string | undefined, files: Files): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const source = `--remote-write.tls-ca-file: ${path}`;
  const text = await readNamed(files, path, source);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new ConfigError(`${source} contains no certificate in PEM format`);
}
