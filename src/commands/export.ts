import path from 'node:path';
import { missingOf } from '../backfill/missing.ts';
import { preciseSum } from '../collectors/counts.ts';
import { exportOptions } from '../config/command-options.ts';
import { readNamed } from '../config/followed.ts';
import { loadValues } from '../config/load.ts';
import { createCorrections } from '../export/corrections.ts';
import { exportDays } from '../export/export.ts';
import type { ExportFormat } from '../export/format.ts';
import { describeExport } from '../export/outcome.ts';
import { openOutput, outputFile } from '../export/output-file.ts';
import { rangeToExport } from '../export/range.ts';
import type { Files } from '../files/reader.ts';
import { MEMORY } from '../store/sqlite.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { formatOf } from './export-choice.ts';
import { loadForOrgs, openPast, pagesOf } from './past.ts';

type Values = Awaited<ReturnType<typeof loadValues<typeof exportOptions>>>;
type Chosen = Awaited<ReturnType<typeof loadForOrgs>>;

/** Lets spreadsheets read a file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Writes stored days to a file, to a file for each organization, or to standard output; exit code 1 if days are missing or it was
 * interrupted.
 */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(exportOptions, context);
  const chosen = await loadForOrgs(context, values.org);
  if (!values.split) return exportOrgs(context, values, chosen);
  const { output, corrections } = values;
  if (output === undefined) throw new ConfigError('--split needs --output, whose name each file begins with');
  let code = 0;
  for (const org of chosen.config.orgs) {
    const own = { ...chosen, config: { ...chosen.config, orgs: [org] } };
    const files = {
      output: ofOrg(output, org.name),
      corrections: corrections === undefined ? undefined : ofOrg(corrections, org.name),
    };
    code = Math.max(code, await exportOrgs(context, { ...values, ...files }, own));
  }
  return code;
}

/** The path of an organization's own file. */
function ofOrg(file: string, org: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${org}${ext}`);
}

async function exportOrgs(context: CommandContext, values: Values, chosen: Chosen): Promise<number> {
  const { stdout, stderr } = context;
  const { config } = chosen;
  const { format, collectors, published } = formatOf(values, config);
  const range = rangeToExport(values, config, createSystemClock().now());
  const closed = await closedFile(values.corrections, format, context.files);
  // What is not stored may be another tomorrow.
  const isStored =
    values.month !== undefined && (config.storage.url !== undefined || config.storage.path !== MEMORY);
  const output = values.output === undefined ? undefined : await outputFile(values.output);

  await using past = await openPast(context, config);
  const progress = past.progressOf({ verb: 'Exporting', unit: 'days' });
  try {
    await using sink = await openOutput(output, stdout);
    const names = config.orgs.map(({ name }) => name);
    const corrections = closed && createCorrections(closed.text, closed.compared, names, sink);
    // Programs read the other layout.
    if (output !== undefined && values.format === 'csv' && values.layout !== 'tidy') {
      await sink.write(BYTE_ORDER_MARK);
    }
    const { orgs, failed } = isStored
      ? { orgs: await past.stored(), failed: [] }
      : await past.fetch(collectors, range.from);
    const outcome = await exportDays({
      // The families about the data describe the exporter's knowledge at one moment, not a day.
      pages: pagesOf(chosen, collectors, [], past),
      orgs,
      // Rows and a bar on the same terminal would overwrite each other.
      progress: values.output === undefined && stdout.isTTY === true ? SILENT : progress,
      collectors: published,
      sumOfMonth: values.by === 'month' ? preciseSum : undefined,
      ...range,
      format,
      sink: corrections ?? sink,
      signal: past.signal,
    });
    const { lines, code } = missingOf(outcome, failed);
    stderr.write(describeExport(outcome, lines, `${range.from} to ${range.to}`, corrections?.count()));
    return outcome.open !== undefined ? 1 : code;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    stderr.write(`agent-platform-exporter: cannot write the export: ${messageOf(error)}\n`);
    return 1;
  }
}

/** The text of the file that a closed month was written to, and how the format is compared with it. */
async function closedFile(path: string | undefined, { compared }: ExportFormat, files: Files) {
  if (path === undefined) return undefined;
  if (compared === undefined) throw new ConfigError('--corrections compares CSV, not --format=jsonl');
  return { compared, text: await readNamed(files, path, `--corrections: ${path}`) };
}

const SILENT = { show: () => undefined, clear: () => undefined };
