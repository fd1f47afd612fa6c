import type { OrgConfig } from '../../config/config.ts';
import type { Files } from '../../files/reader.ts';
import { defaultPlatform } from '../../platforms/index.ts';
import { loadWebSettings } from '../../web-config/load.ts';
import { type createFindings, type Examination, ok } from './finding.ts';
import { examineHooks, examinePort } from './machine.ts';
import { examineOrg } from './platform.ts';
import { examineStore } from './store.ts';

interface SetUp extends Examination {
  readonly check: ReturnType<typeof createFindings>['check'];
  readonly files: Files;
  /** The settings file of this machine's agents; the usual one if it is not given. */
  readonly hookConfig: string | undefined;
}

/** Checks a set-up whose configuration is valid; nothing is stored. */
export async function examine(setUp: SetUp): Promise<void> {
  const { config, check, report, files, hookConfig } = setUp;
  const running = [...config.collectors].flatMap(([name, enabled]) => (enabled ? name : []));
  const orgWords = ({ name, platform }: OrgConfig) =>
    platform === defaultPlatform ? name : `${name} (${platform.title})`;
  const named = config.orgs.map(orgWords).join(', ') || 'none';
  report(ok('configuration', `organizations ${named}; collectors ${running.join(', ') || 'none'}`));
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
