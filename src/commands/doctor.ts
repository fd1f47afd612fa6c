import { once } from 'node:events';
import { collectors } from '../collectors/index.ts';
import { doctorOptions } from '../config/command-options.ts';
import { loadConfig, loadValues } from '../config/load.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import { redactForms } from '../runtime/redact.ts';
import { loadWebSettings } from '../web-config/load.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { type Finding, failure, ok, renderFindings } from './doctor-finding.ts';
import { examineHooks, examinePort } from './doctor-machine.ts';
import { examineOrg } from './doctor-platform.ts';
import { examineStore } from './doctor-store.ts';

/** Checks the whole set-up and prints what was found; exit code 1 if a check failed. Nothing is stored. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(doctorOptions, context);
  const signal = AbortSignal.any([context.stopSignal(), AbortSignal.timeout(values.deadline)]);
  const late = once(signal, 'abort').then(() => Promise.reject(signal.reason));
  // Whoever waits for it gets the error.
  late.catch(() => undefined);
  const findings: Finding[] = [];
  const report = (finding: Finding) => void findings.push(finding);
  const config = await bounded('configuration', () => loadConfig({ ...context, collectors }));
  const secrets: string[] = [];
  const clock = createSystemClock();
  // Only errors: what else is of interest is in the report.
  const quiet = config && { ...config, log: { ...config.log, level: 'error' as const } };
  const display = quiet && createDisplay(context.stderr, quiet, clock, () => secrets);
  if (config !== undefined && display !== undefined) {
    const { environment, version } = context;
    const running = [...config.collectors].flatMap(([name, enabled]) => (enabled ? name : []));
    const named = config.orgs.map(({ name }) => name).join(', ') || 'none';
    report(ok('configuration', `organizations ${named}; collectors ${running.join(', ') || 'none'}`));
    const parts = { config, signal, report, version, environment, secrets, clock, log: display.log };
    const stored = await bounded('store', () => examineStore(parts));
    const orgs = config.orgs.map((org) =>
      bounded('platform', () => examineOrg({ ...parts, org, stored }), org.name),
    );
    await Promise.all(orgs);
    const { configFile } = config.web;
    if (configFile !== undefined) await bounded('web', () => loadWebSettings(configFile, context.files));
    const isRunning = await bounded('port', () => examinePort(parts));
    await bounded('hooks', () => examineHooks(parts, isRunning === true, values['hook-config']));
  }
  const hasFailed = findings.some(({ verdict }) => verdict === 'failure');
  const redact = display?.redactor.redact ?? redactForms;
  context.stdout.write(renderFindings(findings, values.format, redact));
  await display?.log.close();
  return hasFailed ? 1 : 0;

  /** Runs a check until the deadline; what it throws is a failure of that check. */
  async function bounded<Result>(check: string, work: () => Promise<Result>, org?: string) {
    try {
      signal.throwIfAborted();
      return await Promise.race([late, work()]);
    } catch (error) {
      const correct = 'correct it, and run this again';
      const [seen, advice] = signal.aborted
        ? ['not finished by the deadline', 'raise --deadline, or see above']
        : [messageOf(error), error instanceof ConfigError ? (error.hint ?? correct) : undefined];
      report({ ...failure(check, seen, advice), org });
      return undefined;
    }
  }
}
