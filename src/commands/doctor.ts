import { DEFAULT_PLATFORM } from '../catalog/settings.ts';
import { collectors } from '../collectors/index.ts';
import { doctorOptions } from '../config/command-options.ts';
import type { OrgConfig } from '../config/config.ts';
import { loadConfig, loadValues } from '../config/load.ts';
import { pathTwiceIn } from '../config/orgs.ts';
import type { Files } from '../files/reader.ts';
import { redactForms } from '../log/redact.ts';
import { loadWebSettings } from '../web-config/load.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { createFindings, type Examination, ok, renderFindings, warning } from './doctor/finding.ts';
import { examineHooks, examinePort } from './doctor/machine.ts';
import { examineOrg } from './doctor/platform.ts';
import { examineStore } from './doctor/store.ts';

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

interface SetUp extends Examination {
  readonly check: ReturnType<typeof createFindings>['check'];
  readonly files: Files;
  /** The settings file of this machine's agents; the usual one if it is not given. */
  readonly hookConfig: string | undefined;
}

/** Checks a set-up whose configuration is valid; nothing is stored. */
async function examine(setUp: SetUp): Promise<void> {
  const { config, check, report, files, hookConfig } = setUp;
  const running = [...config.collectors].flatMap(([name, enabled]) => (enabled ? name : []));
  const orgWords = ({ name, platform }: OrgConfig) =>
    platform.name === DEFAULT_PLATFORM ? name : `${name} (${platform.title})`;
  const named = config.orgs.map(orgWords).join(', ') || 'none';
  report(ok('configuration', `organizations ${named}; collectors ${running.join(', ') || 'none'}`));
  for (const org of config.orgs) {
    const twice = pathTwiceIn(org);
    if (twice === undefined) continue;
    const found = warning('base_url', `requests go to ${twice.wrong}`, `leave out ${twice.path}`);
    report({ ...found, org: org.name });
  }
  const stored = await check('store', () => examineStore(setUp));
  const orgs = config.orgs.map((org) =>
    check('platform', () => examineOrg({ ...setUp, org, stored }), org.name),
  );
  await Promise.all(orgs);
  const { configFile } = config.web;
  if (configFile !== undefined) await check('web', () => loadWebSettings(configFile, files));
  const isRunning = await check('port', () => examinePort(setUp));
  await check('hooks', () => examineHooks(setUp, isRunning === true, hookConfig));
}
