import { withSources } from '../backfill/fetch.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { exportOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { exportDays } from '../export/export.ts';
import { createFileSink, createStreamSink, type RowSink } from '../export/sink.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { describeExport, formatOf, rangeToExport } from './export-choice.ts';
import { outputFile } from './output-path.ts';
import { loadForOrgs } from './past-choice.ts';
import { exitCodeOf, openPast, pagesOf, readOrgs, settingsOf } from './past-days.ts';
import { fetchAll } from './past-fetch.ts';

/**
 * Writes stored days to a file or to standard output; exit code 1 if days are missing or it was interrupted.
 */
export async function run(context: CommandContext): Promise<number> {
  const { version, stdout, stderr } = context;
  const values = await loadValues(exportOptions, context);
  const { config, configured } = await loadForOrgs(context, values.org);
  const { format, collectors, published } = formatOf(values, config);
  const clock = createSystemClock();
  const now = clock.now();
  const { from, to } = rangeToExport(values, config, now);
  const orgs = settingsOf(config);
  const output = values.output === undefined ? undefined : await outputFile(values.output);
  const { log, fetching, progressOf } = createDisplay(stderr, config, clock);
  const progress = progressOf({ verb: 'Exporting', unit: 'days' });
  const history = await openPast(config, clock, log);
  const signal = context.stopSignal();
  let sink: RowSink | undefined;
  try {
    sink = output === undefined ? createStreamSink(stdout) : await openFile(output);
    const failed = await fetchAll({
      ...{ config, orgs, from, history, version, progress: fetching, clock, log, signal },
      collectors: withSources(collectors, allCollectors),
    });
    const outcome = await exportDays({
      // The families about the data describe the exporter's knowledge at one moment, not a day.
      pages: pagesOf({ config, configured }, collectors, () => [], { now, clock }),
      orgs: await readOrgs(history, orgs),
      // Rows and a bar on the same terminal would overwrite each other.
      progress: values.output === undefined && stdout.isTTY === true ? SILENT : progress,
      collectors: published,
      ...{ from, to, now, format, sink, signal },
    });
    stderr.write(describeExport(outcome, failed, `${from} to ${to}`));
    return exitCodeOf(outcome, failed);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    stderr.write(`agent-platform-exporter: cannot write the export: ${messageOf(error)}\n`);
    return 1;
  } finally {
    await sink?.abandon();
    await history.close();
    await log.close();
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

const SILENT = { show: () => undefined, clear: () => undefined };

async function openFile(path: string) {
  try {
    return await createFileSink(path);
  } catch (error) {
    throw new ConfigError(`--output: cannot write ${path}: ${messageOf(error)}`);
  }
}
