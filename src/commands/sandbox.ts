import { sandboxOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { createSandbox, type Sandbox } from '../sandbox/index.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { commandLine } from './own-command.ts';
import { untilStopped } from './run-service.ts';

/** Maximum number of organizations whose keys are printed. */
const SHOWN = 5;

/** Runs only the simulated platform, until stopped. */
export async function run(context: CommandContext): Promise<number> {
  const options = await loadValues(sandboxOptions, context);
  const { 'listen-address': address, fault: faults, scenario: scenarios, ...scale } = options;
  let sandbox: Sandbox;
  try {
    sandbox = createSandbox({ ...scale, faults, scenarios, now: createSystemClock().now });
  } catch (thrown) {
    throw new ConfigError(messageOf(thrown), 'agent-platform-exporter sandbox --help lists the faults');
  }
  const stopped = untilStopped(context);
  const host = address.host ?? '::';
  const { url } = await sandbox.listen({ host, port: address.port }).catch((thrown: unknown) => {
    throw new ConfigError(
      `cannot listen: ${messageOf(thrown)}`,
      'choose another address with --listen-address',
    );
  });
  context.stdout.write(`${describe(url, sandbox, commandLine(['serve'], context.environment))}\n`);
  await stopped;
  await sandbox.close();
  return 0;
}

function describe(url: string, { orgs }: Sandbox, serve: string): string {
  const lines = [`The simulated platform listens on ${url}`, '', 'Keys (simulated):'];
  for (const { name, keys } of orgs.slice(0, SHOWN)) {
    lines.push(`  ${name}`, ...Object.entries(keys).map(([role, key]) => `    ${role.padEnd(8)} ${key}`));
  }
  if (orgs.length > SHOWN)
    lines.push(`  … and ${orgs.length - SHOWN} more organizations; their keys follow the same pattern`);
  const [first] = orgs;
  if (first !== undefined) {
    lines.push(
      '',
      'Try:',
      `  curl -H 'Authorization: Bearer ${first.keys.owner}' '${url}/api/v1/analytics/tokens?startDate=2026-02-01&endDate=2026-02-02'`,
      `  AGENT_PLATFORM_API_BASE_URL=${url} AGENT_PLATFORM_API_KEY=${first.keys.owner} ${serve}`,
    );
  }
  lines.push('', 'Press Ctrl-C to stop.');
  return lines.join('\n');
}
