import type { Day } from '../catalog/day.ts';
import type { Contract } from '../catalog/settings.ts';
import { collectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { createFixedCredential } from '../config/credential.ts';
import { loadConfig } from '../config/load.ts';
import { formatListenAddress } from '../net/listen-address.ts';
import { defaultPlatform } from '../platforms/index.ts';
import { createSandbox } from '../sandbox/index.ts';
import { MEMORY } from '../store/sqlite.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { commandLine } from './own-command.ts';
import { withService } from './run-service.ts';

/** The simulated platform runs in this process and needs no rate limit. */
const REQUESTS_PER_SECOND = 200;

const PLATFORM_PORT = 9890;

/** Seats, budget and prices as an operator would configure them, so that the demo shows them too. */
export const demoContract: Contract = {
  seats: 50,
  creditsPerMonth: 300_000_000,
  prices: [
    { from: '2026-01-14' as Day, currency: 'USD', perMillionCredits: 3 },
    { from: '2026-07-01' as Day, currency: 'USD', perMillionCredits: 2.7 },
  ],
};

/** Serves metrics of a simulated platform in the same process, in memory, until stopped. */
export async function run(context: CommandContext): Promise<number> {
  const sandbox = createSandbox({
    now: createSystemClock().now,
    // Makes the figures of spend and readiness show something.
    scenarios: ['credit-spike', 'readiness-drop'],
  });
  // The port that the documentation names, so that its commands work; another if it is taken.
  const host = '127.0.0.1';
  const { url } = await sandbox
    .listen({ host, port: PLATFORM_PORT })
    .catch(() => sandbox.listen({ host, port: 0 }));
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig({ ...context, collectors, organizations: 'ignored', isLocal: true });
    return {
      ...loaded,
      storage: { path: MEMORY, url: undefined, onDamage: 'replace' },
      api: { ...loaded.api, requestsPerSecond: REQUESTS_PER_SECOND },
      orgs: sandbox.orgs.map(({ name, keys }) => ({
        name,
        platform: defaultPlatform,
        baseUrl: url,
        appUrl: url,
        credential: createFixedCredential(keys.owner, 'the simulated platform'),
        contract: demoContract,
      })),
    };
  };
  // From now on, because a start that is aborted has nothing to lose.
  const stop = context.stopSignal();
  const stoppable = { ...context, stopSignal: () => stop };
  try {
    return await withService(stoppable, true, load, async (_, { port, scheme, config }, ended) => {
      const host = config.web.listenAddress.host ?? 'localhost';
      context.stdout.write(`${described(`${scheme}://${formatListenAddress({ host, port })}`, config)}\n`);
      return ended;
    });
  } finally {
    await sandbox.close();
  }

  function described(here: string, { orgs: [org], web }: Config): string {
    const name = org?.name ?? 'none';
    const key = sandbox.orgs[0]?.keys.owner ?? '';
    const line = (args: readonly string[]) => commandLine(args, context.environment);
    const toCsv = line(['export', `--org=${name}`, '--storage.path=:memory:', '--output=usage.csv']);
    return [
      'This is a demo: all values come from a simulated platform in this process.',
      '',
      `  metrics   ${here}${web.telemetryPath}`,
      `  status    ${here}/`,
      `  platform  ${url}  (organization ${name})`,
      '',
      'In another terminal, its days as CSV:',
      `  AGENT_PLATFORM_API_BASE_URL=${url} AGENT_PLATFORM_API_KEY=${key} ${toCsv}`,
      '',
      `Press Ctrl-C to stop. To poll your own organization: ${line(['serve', '--help'])}`,
    ].join('\n');
  }
}
