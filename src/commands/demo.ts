import { collectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { formatListenAddress } from '../net/listen-address.ts';
import { MEMORY } from '../store/sqlite.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { openCompany } from './demo/company.ts';
import { commandLine } from './own-command.ts';
import { withService } from './run-service.ts';

/** Everything is about simulated people: their teams are shown unless a flag says otherwise. */
const withPeople = collectors.map((collector) => ({
  ...collector,
  enabledByDefault: collector.enabledByDefault || collector.name === 'users',
}));

/** Serves metrics of simulated platforms in the same process, in memory, until stopped. */
export async function run(context: CommandContext): Promise<number> {
  const company = await openCompany(createSystemClock().now);
  const load = async (): Promise<Config> => {
    const sources = { ...context, collectors: withPeople };
    const loaded = await loadConfig({ ...sources, organizations: 'ignored', isLocal: true });
    return {
      ...company.configured(loaded),
      storage: { path: MEMORY, url: undefined, onDamage: 'replace' },
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
    await company.close();
  }

  function described(here: string, { orgs, web }: Config): string {
    const [first] = orgs;
    const line = (args: readonly string[]) => commandLine(args, context.environment);
    const toCsv = line(['export', `--org=${first?.name}`, '--storage.path=:memory:', '--output=usage.csv']);
    const width = Math.max(...orgs.map(({ platform }) => platform.title.length));
    return [
      'This is a demo: all values come from simulated platforms in this process.',
      '',
      `  metrics   ${here}${web.telemetryPath}`,
      `  status    ${here}/`,
      '',
      'One company uses them all:',
      ...orgs.map(
        ({ name, platform, baseUrl }) =>
          `  ${platform.title.padEnd(width)}  ${baseUrl}  (organization ${name})`,
      ),
      '',
      `In another terminal, the days of ${first?.name} as CSV:`,
      `  AGENT_PLATFORM_API_BASE_URL=${first?.baseUrl} AGENT_PLATFORM_API_KEY=${first?.credential.secrets().at(-1)} ${toCsv}`,
      '',
      `Press Ctrl-C to stop. To poll your own organization: ${line(['serve', '--help'])}`,
    ].join('\n');
  }
}
