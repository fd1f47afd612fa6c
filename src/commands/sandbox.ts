import { sandboxOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import type { ValuesOf } from '../config/option.ts';
import type { Environment } from '../config/resolve.ts';
import {
  createClaudeSandbox,
  createCopilotSandbox,
  createSandbox,
  type SandboxOptions,
  type Simulated,
} from '../sandbox/index.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { commandLine } from './own-command.ts';
import { untilStopped } from './serve.ts';

/** Maximum number of organizations whose keys are printed. */
const SHOWN = 5;

type SimulatedOrg = Simulated['orgs'][number];

interface Simulation {
  readonly title: string;
  create(options: SandboxOptions): Simulated;
  /** Command lines to try as an organization. */
  toTry(url: string, org: SimulatedOrg, environment: Environment): readonly string[];
}

const simulations: Readonly<Record<ValuesOf<typeof sandboxOptions>['platform'], Simulation>> = {
  'agent-platform': {
    title: 'platform',
    create: createSandbox,
    toTry: (url, { keys: { owner } }, environment) => [
      `  curl -H 'Authorization: Bearer ${owner}' '${url}/api/v1/analytics/tokens?startDate=2026-02-01&endDate=2026-02-02'`,
      `  AGENT_PLATFORM_API_BASE_URL=${url} AGENT_PLATFORM_API_KEY=${owner} ${commandLine(['serve'], environment)}`,
    ],
  },
  copilot: {
    title: 'GitHub Copilot',
    create: createCopilotSandbox,
    toTry: (url, { keys: { full }, account }) => [
      `  curl -H 'Authorization: Bearer ${full}' '${url}/organizations/${account}/settings/billing/ai_credit/usage?year=2026&month=10&day=9'`,
    ],
  },
  claude: {
    title: 'Claude',
    create: createClaudeSandbox,
    toTry: (url, { keys: { admin } }) => [
      `  curl -H 'x-api-key: ${admin}' -H 'anthropic-version: 2023-06-01' '${url}/v1/organizations/usage_report/claude_code?starting_at=2026-10-09'`,
    ],
  },
};

/** Runs only the simulated platform, until stopped. */
export async function run(context: CommandContext): Promise<number> {
  const options = await loadValues(sandboxOptions, context);
  const { platform, 'listen-address': address, fault: faults, scenario: scenarios, ...scale } = options;
  const stopped = untilStopped(context);
  const { title, create, toTry } = simulations[platform];
  const at = { host: address.host ?? '::', port: address.port };
  const asked = { ...scale, faults, scenarios, now: createSystemClock().now };
  const simulated = await started(
    () => create(asked),
    'agent-platform-exporter sandbox --help lists the faults',
  );
  const { url, filesUrl } = await started(
    () => simulated.listen(at),
    'choose another address with --listen-address',
    'cannot listen: ',
  );
  const files = filesUrl === undefined ? '' : `, and serves its files on ${filesUrl}`;
  const { orgs } = simulated;
  const lines = [
    `The simulated ${title} listens on ${url}${files}`,
    '',
    'Keys (simulated):',
    ...orgs.slice(0, SHOWN).flatMap(keysOf),
  ];
  if (orgs.length > SHOWN)
    lines.push(`  … and ${orgs.length - SHOWN} more organizations; their keys follow the same pattern`);
  const [org] = orgs;
  if (org !== undefined) lines.push('', 'Try:', ...toTry(url, org, context.environment));
  context.stdout.write(`${[...lines, '', 'Press Ctrl-C to stop.'].join('\n')}\n`);
  await stopped;
  await simulated.close();
  return 0;
}

/** Runs a step of the start; its failure is one of the flags. */
async function started<T>(step: () => T | Promise<T>, hint: string, problem = ''): Promise<T> {
  try {
    return await step();
  } catch (thrown) {
    throw new ConfigError(`${problem}${messageOf(thrown)}`, hint);
  }
}

function keysOf({ name, account, keys }: SimulatedOrg): readonly string[] {
  return [
    `  ${account === undefined ? name : `${name} (account ${account})`}`,
    ...Object.entries(keys).map(([role, key]) => `    ${role.padEnd(8)} ${key}`),
  ];
}
