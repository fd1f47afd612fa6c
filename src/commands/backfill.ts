import { type BackfillOutcome, backfill } from '../backfill/backfill.ts';
import { withSources } from '../backfill/fetch.ts';
import { parseLabels } from '../backfill/labels.ts';
import { BackfillError } from '../backfill/target.ts';
import { withoutFamilies } from '../catalog/collector.ts';
import { aboutFamilies, collectors as allCollectors } from '../collectors/index.ts';
import { backfillOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { redactSecrets } from '../runtime/redact.ts';
import { createTarget, readOutput, readRemoteSecrets } from './backfill-target.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { chooseCollectors, labelNames, loadForOrgs, rangeOf } from './past-choice.ts';
import { describeMissing, exitCodeOf, openPast, pagesOf, readOrgs, settingsOf } from './past-days.ts';
import { fetchAll } from './past-fetch.ts';

/**
 * Backfills past days to OpenMetrics files or by remote write; exit code 1 if days are missing or it was interrupted.
 */
export async function run(context: CommandContext): Promise<number> {
  const { version, stdout, stderr } = context;
  const values = await loadValues(backfillOptions, context);
  const secrets = await readRemoteSecrets(values, context.files);
  const output = await readOutput(values);
  const { config, configured } = await loadForOrgs(context, values.org);
  const collectors = chooseCollectors(config, values.collector);
  const labels = parseLabels(values.label, labelNames(collectors));
  const clock = createSystemClock();
  const now = clock.now();
  const { from, to } = rangeOf(values, config, now);
  const remoteSecrets = () => (secrets?.all ?? []).flatMap((credential) => credential.secrets());
  const { log, fetching, progressOf, redactor } = createDisplay(stderr, config, clock, remoteSecrets);
  const history = await openPast(config, clock, log);
  const orgs = settingsOf(config);
  const signal = context.stopSignal();
  const identity = [from, to, values.step, labels, orgs, collectors.map(({ name }) => name)];
  const target = await createTarget({
    values,
    config,
    labels,
    arguments: identity,
    secrets,
    output,
    version,
    clock,
    log,
  });
  try {
    const failed = await fetchAll({
      config,
      orgs,
      from,
      collectors: withSources(collectors, allCollectors),
      history,
      version,
      progress: fetching,
      clock,
      log,
      signal,
    });
    const outcome = await backfill({
      pages: pagesOf({ config, configured }, collectors, aboutFamilies, { now, clock }),
      orgs: await readOrgs(history, orgs),
      collectors: withoutFamilies(collectors, config.metrics.excluded),
      from,
      to,
      stepMs: values.step,
      now,
      target,
      progress: progressOf({ verb: 'Backfilling', unit: 'days' }),
      signal,
    });
    stdout.write(describe(outcome, failed, `${from} to ${to}`));
    return exitCodeOf(outcome, failed);
  } catch (error) {
    if (!(error instanceof BackfillError)) throw error;
    // A target may repeat what it was sent.
    const message = redactSecrets(redactor.redact(error.message), remoteSecrets());
    stderr.write(`agent-platform-exporter: ${message}\n  ${error.hint}\n`);
    return 1;
  } finally {
    target.close();
    await history.close();
    await log.close();
  }
}

function describe(outcome: BackfillOutcome, failed: readonly string[], range: string): string {
  const lines = [`${outcome.samples} samples of ${range}`, ...describeMissing(outcome, failed)];
  if (outcome.interrupted) lines.push('interrupted; the same command resumes where it stopped');
  return `${lines.join('\n')}\n`;
}
