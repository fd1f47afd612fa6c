import { collectors } from '../collectors/index.ts';
import { doctorOptions } from '../config/command-options.ts';
import { loadConfig, loadValues } from '../config/load.ts';
import { redactForms } from '../log/redact.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { examine } from './doctor/doctor.ts';
import { createFindings, renderFindings } from './doctor/finding.ts';

/** Checks the whole set-up and prints what was found; exit code 1 if a check failed. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(doctorOptions, context);
  const signal = AbortSignal.any([context.stopSignal(), AbortSignal.timeout(values.deadline)]);
  const found = createFindings(signal);
  const config = await found.check('configuration', () => loadConfig({ ...context, collectors }));
  const clock = createSystemClock();
  // Only errors: what else is of interest is in the report.
  const quiet = config && { ...config, log: { ...config.log, level: 'error' as const } };
  const display = quiet && createDisplay(context.stderr, quiet, clock);
  if (config !== undefined && display !== undefined) {
    const { log, redactor } = display;
    const hookConfig = values['hook-config'];
    await examine({ ...context, ...found, ...redactor, config, signal, clock, log, hookConfig });
  }
  const redact = display?.redactor.redact ?? redactForms;
  context.stdout.write(renderFindings(found.findings, values.format, redact));
  await display?.log.close();
  return found.findings.some(({ verdict }) => verdict === 'failure') ? 1 : 0;
}
