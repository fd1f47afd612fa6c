import { sandboxOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { createClaudeSandbox, createCopilotSandbox, createSandbox } from '../sandbox/index.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { commandLine } from './own-command.ts';
import { untilStopped } from './serve.ts';

/** Maximum number of organizations whose keys are printed. */
const SHOWN = 5;

/** What is printed of an organization. */
interface Shown {
  readonly name: string;
  readonly account?: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** Runs only the simulated platform, until stopped. */
export async function run(context: CommandContext): Promise<number> {
  const options = await loadValues(sandboxOptions, context);
  const { platform, 'listen-address': address, fault: faults, scenario: scenarios, ...scale } = options;
  const stopped = untilStopped(context);
  const at = { host: address.host ?? '::', port: address.port };
  const asked = { ...scale, faults, scenarios, now: createSystemClock().now };
  const starts = { 'agent-platform': startAgentPlatform, copilot: startCopilot, claude: startClaude };
  const { close, text } = await starts[platform]();
  context.stdout.write(`${[...text, '', 'Press Ctrl-C to stop.'].join('\n')}\n`);
  await stopped;
  await close();
  return 0;

  async function startAgentPlatform() {
    const sandbox = created(() => createSandbox(asked));
    const { url } = await listening(sandbox.listen(at));
    const text = describe([`The simulated platform listens on ${url}`], sandbox.orgs, ({ keys }) => [
      `  curl -H 'Authorization: Bearer ${keys['owner']}' '${url}/api/v1/analytics/tokens?startDate=2026-02-01&endDate=2026-02-02'`,
      `  AGENT_PLATFORM_API_BASE_URL=${url} AGENT_PLATFORM_API_KEY=${keys['owner']} ${commandLine(['serve'], context.environment)}`,
    ]);
    return { close: sandbox.close, text };
  }

  async function startCopilot() {
    const sandbox = created(() => createCopilotSandbox(asked));
    const { url, filesUrl } = await listening(sandbox.listen(at));
    const first = `The simulated GitHub Copilot listens on ${url}, and serves its files on ${filesUrl}`;
    const text = describe([first], sandbox.orgs, ({ keys, account }) => [
      `  curl -H 'Authorization: Bearer ${keys['full']}' '${url}/organizations/${account}/settings/billing/ai_credit/usage?year=2026&month=10&day=9'`,
    ]);
    return { close: sandbox.close, text };
  }

  async function startClaude() {
    const sandbox = created(() => createClaudeSandbox(asked));
    const { url } = await listening(sandbox.listen(at));
    const text = describe([`The simulated Claude listens on ${url}`], sandbox.orgs, ({ keys }) => [
      `  curl -H 'x-api-key: ${keys['admin']}' -H 'anthropic-version: 2023-06-01' '${url}/v1/organizations/usage_report/claude_code?starting_at=2026-10-09'`,
    ]);
    return { close: sandbox.close, text };
  }
}

function created<T>(create: () => T): T {
  try {
    return create();
  } catch (thrown) {
    throw new ConfigError(messageOf(thrown), 'agent-platform-exporter sandbox --help lists the faults');
  }
}

async function listening<T>(start: Promise<T>): Promise<T> {
  return await start.catch((thrown: unknown) => {
    throw new ConfigError(
      `cannot listen: ${messageOf(thrown)}`,
      'choose another address with --listen-address',
    );
  });
}

function describe(
  first: readonly string[],
  orgs: readonly Shown[],
  toTry: (org: Shown) => readonly string[],
): readonly string[] {
  const lines = [...first, '', 'Keys (simulated):'];
  for (const { name, account, keys } of orgs.slice(0, SHOWN)) {
    lines.push(`  ${account === undefined ? name : `${name} (account ${account})`}`);
    lines.push(...Object.entries(keys).map(([role, key]) => `    ${role.padEnd(8)} ${key}`));
  }
  if (orgs.length > SHOWN)
    lines.push(`  … and ${orgs.length - SHOWN} more organizations; their keys follow the same pattern`);
  const [org] = orgs;
  return org === undefined ? lines : [...lines, '', 'Try:', ...toTry(org)];
}
