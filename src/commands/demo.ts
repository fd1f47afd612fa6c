import { addDays, type Day, dayOf, later } from '../catalog/day.ts';
import type { Platform } from '../catalog/platform.ts';
import type { Contract } from '../catalog/settings.ts';
import { collectors } from '../collectors/index.ts';
import { DAYS_OF_RANGE } from '../collectors/month-range.ts';
import type { Config, OrgConfig } from '../config/config.ts';
import { createFixedCredential } from '../config/credential.ts';
import { loadConfig } from '../config/load.ts';
import { orgPlace } from '../config/orgs.ts';
import { createTeams } from '../config/people/teams.ts';
import { formatListenAddress } from '../net/listen-address.ts';
import { platformNamed } from '../platforms/index.ts';
import {
  createClaudeSandbox,
  createCopilotSandbox,
  createSandbox,
  type SandboxOptions,
  type SandboxOrg,
  type Scenario,
  type Simulated,
} from '../sandbox/index.ts';
import { MEMORY } from '../store/sqlite.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { commandLine } from './own-command.ts';
import { withService } from './serve.ts';

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

/** Seats, budget and prices as an operator would configure them, so that the demo shows them too. */
export const demoContract: Contract = {
  seats: 50,
  creditsPerMonth: 300_000_000,
  prices: [
    { from: '2026-01-14' as Day, currency: 'USD', perMillionCredits: 3 },
    { from: '2026-07-01' as Day, currency: 'USD', perMillionCredits: 2.7 },
  ],
};

/** An organization of the company, on a platform of its own. */
interface Branch {
  readonly name: string;
  readonly platform: string;
  readonly kind?: string;
  /** The one that the documentation names, so that its commands work. */
  readonly port: number;
  readonly scenarios: readonly Scenario[];
  readonly contract: Contract;
  readonly create: (options: SandboxOptions) => Simulated;
  /** The name of the key that may read everything. */
  readonly key: string;
  /** What the platform calls somebody whom it does not know by address. */
  readonly loginOf?: (person: SandboxOrg['people'][number]) => string;
}

/** The same people work on every platform; one of them has something unusual to show. */
const branches: readonly Branch[] = [
  {
    name: 'acme',
    platform: 'agent-platform',
    port: 9890,
    scenarios: ['credit-spike', 'readiness-drop'],
    contract: demoContract,
    create: createSandbox,
    key: 'owner',
    loginOf: ({ id }) => id,
  },
  {
    name: 'acme-copilot',
    platform: 'copilot',
    port: 9891,
    scenarios: ['steady'],
    contract: { costPerMonth: { amount: 1000, currency: 'USD' }, prices: [] },
    create: createCopilotSandbox,
    key: 'full',
    loginOf: ({ login }) => login,
  },
  {
    name: 'acme-claude',
    platform: 'claude',
    kind: 'console',
    port: 9893,
    scenarios: ['steady'],
    contract: { costPerMonth: { amount: 2000, currency: 'USD' }, prices: [] },
    create: (options) => createClaudeSandbox({ ...options, pace: 'unlimited' }),
    key: 'admin',
  },
];

const HOST = '127.0.0.1';

/** Ranges of forecasts need these days, up to one that is known some hours after its end. */
const HISTORY_DAYS = DAYS_OF_RANGE + 2;

/** Starts the simulated platforms of one company, which has an organization on each, and teams that are on all of them. */
export async function openCompany(now: () => number) {
  const opened: { readonly org: OrgConfig; readonly close: () => Promise<void> }[] = [];
  const close = async () => void (await Promise.all(opened.map((one) => one.close())));
  for (const branch of branches) opened.push(await open(branch, now));
  const { fingerprint, size, teamOf } = teamsOfCompany(now);
  return {
    /** A configuration with the organizations instead of its own, and with their teams unless it names a file of others. */
    configured({ api, history, people, ...others }: Config): Config {
      const current = () => ({ ...people.current(), teamRules: fingerprint, teamOf });
      return {
        ...others,
        // One process asks and answers: it needs no rate limit, and several requests at once would delay the newest days.
        api: { ...api, requestsPerSecond: Number.POSITIVE_INFINITY, maxConcurrentRequests: 1 },
        history: { ...history, start: later(history.start, addDays(dayOf(now()), -HISTORY_DAYS)) },
        people: people.teamsFile === undefined ? { ...people, teams: () => size, current } : people,
        orgs: opened.map(({ org }) => org),
      };
    },
    close,
  };
}

async function open(branch: Branch, now: () => number) {
  const { name, platform, kind, port, contract, create, key, scenarios } = branch;
  const simulated = create({ now, scenarios });
  const { url } = await simulated
    .listen({ host: HOST, port })
    .catch(() => simulated.listen({ host: HOST, port: 0 }));
  const { keys = {}, account } = simulated.orgs.find((org) => org.kind === kind) ?? {};
  const place = orgPlace(platformNamed(platform), { base_url: url, account, kind, link_hosts: [HOST] });
  const credential = createFixedCredential(keys[key] ?? '', 'the simulated platform');
  return {
    org: { name, ...place, platform: unpaced(place.platform), credential, contract },
    close: simulated.close,
  };
}

/** A platform as it would be if it were not asked over a network. */
function unpaced(platform: Platform): Platform {
  if (platform.requestsPerMinute === undefined) return platform;
  const { requestsPerMinute, ...others } = platform;
  return others;
}

/** The teams of the company's people. */
function teamsOfCompany(now: () => number) {
  const people = createSandbox({ now }).orgs[0]?.people ?? [];
  const rules = people.map((person) => ({
    member: person.address,
    team: person.team,
    logins: Object.fromEntries(
      branches.flatMap(({ platform, loginOf }) => (loginOf ? [[platform, loginOf(person)]] : [])),
    ),
  }));
  return createTeams({ rules, budgets: new Map() });
}
