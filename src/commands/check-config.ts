import { type Contract, DEFAULT_PLATFORM } from '../catalog/settings.ts';
import { collectors } from '../collectors/index.ts';
import type { Config, OrgConfig } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { idleTeamBudgets, pathTwiceIn } from '../config/orgs.ts';
import { formatDuration } from '../config/parse.ts';
import { type Shard, takesHookEvents } from '../config/shard.ts';
import type { Files } from '../files/reader.ts';
import { isInClearText } from '../net/host-name.ts';
import { formatListenAddress } from '../net/listen-address.ts';
import { describeWebSettings, loadWebSettings } from '../web-config/load.ts';
import type { CommandContext } from './command.ts';

/** Loads the configuration and prints a summary. */
export async function run(context: CommandContext): Promise<number> {
  const config = await loadConfig({ ...context, collectors });
  context.stdout.write(renderSummary(config, await describeWebConfig(config.web, context.files)));
  return 0;
}

async function describeWebConfig({ configFile, openHealth }: Config['web'], files: Files) {
  if (configFile === undefined) return [];
  return describeWebSettings(await loadWebSettings(configFile, files), openHealth);
}

/** A summary of a configuration, without secrets. */
function renderSummary(config: Config, webLines: readonly string[]): string {
  const { api, schedules, history, web, limits, readiness, log } = config;
  const lines = ['The configuration is valid.', '', `Organizations${shardNote(config.shard)}:`];
  if (config.orgs.length === 0) lines.push('  none: all organizations belong to other shards');
  lines.push(...config.orgs.flatMap(orgLines));
  const running = [...config.collectors].filter(([, enabled]) => enabled).map(([name]) => name);
  const idle = [...config.collectors].filter(([, enabled]) => !enabled).map(([name]) => name);
  lines.push('', `Collectors:      ${running.join(', ') || 'none'}`);
  if (idle.length > 0) lines.push(`  disabled:      ${idle.join(', ')}`);
  lines.push(
    '',
    'Schedules (cron, UTC; all collectors also run at start-up):',
    `  analytics      ${schedules.analytics}`,
    `  users          ${schedules.users}`,
    `  readiness      ${schedules.readiness}`,
    `  wiki           ${schedules.wiki}`,
    `  jitter         ${formatDuration(schedules.jitter)}`,
    '',
    `Requests:        ${api.requestsPerSecond} per second, timeout ${formatDuration(api.timeout)}, ${api.retries} retries, answers up to ${api.maxResponseBytes} bytes`,
    `History:         since ${history.start}, the newest ${history.revisionWindow} days fetched again daily`,
    `Data removed:    ${formatDuration(config.metrics.maxAge)} after the last good answer`,
    `Limits:          ${limits.valuesPerLabel('default')} values per label (repo ${limits.valuesPerLabel('repo')}, user ${limits.valuesPerLabel('user')}), ${limits.series} series`,
    `Readiness:       main branch ${readiness.branches.join(', ') || 'detected'}, ${readiness.cleanOnly ? 'clean reports only' : 'all reports'}, level rule ${readiness.levelRule}`,
    `People:          ${describePeople(config)}`,
    `Storage:         ${config.storage.url === undefined ? config.storage.path : `PostgreSQL, URL from ${config.storage.url.describe()}`}`,
    `Web:             ${formatListenAddress(web.listenAddress)}${web.telemetryPath}, lifecycle ${web.enableLifecycle ? 'on' : 'off'}`,
    ...webLines.map((line) => `                 ${line}`),
    `Hook events:     ${hooksNote(config)}`,
    `Log:             ${log.level}, ${log.format}`,
  );
  return `${lines.join('\n')}\n`;
}

function orgLines(org: OrgConfig): readonly string[] {
  const { name, platform, account, kind, baseUrl, appUrl, credential, contract, daysOff } = org;
  const lines = [
    `  ${name}`,
    `    API          ${baseUrl}${isInClearText(baseUrl) ? openNote : ''}${pathNote(org)}`,
  ];
  if (platform.name !== DEFAULT_PLATFORM) lines.push(`    platform     ${platform.title}`);
  if (account !== undefined) lines.push(`    account      ${account}`);
  if (kind !== undefined) lines.push(`    kind         ${kind}`);
  if (platform.requestsPerMinute !== undefined)
    lines.push(`    requests     at most ${platform.requestsPerMinute} a minute`);
  if (appUrl !== baseUrl) lines.push(`    web app      ${appUrl}${isInClearText(appUrl) ? openNote : ''}`);
  lines.push(`    key from     ${credential.describe()}`, ...contractLines(contract));
  if (daysOff !== undefined)
    lines.push(`    days off     ${daysOff.size} from ${[...daysOff].sort()[0] ?? 'none'}`);
  return lines;
}

function shardNote({ index, total }: Shard): string {
  return total === 1 ? '' : ` of shard ${index} (of 0 to ${total - 1})`;
}

function hooksNote({ hooks, shard }: Config): string {
  if (hooks.token === undefined) return 'not accepted (no hook token)';
  if (!takesHookEvents(shard)) return 'accepted by shard 0';
  return `accepted at POST /hooks/events, ${hooks.requestsPerSecond} requests per second and client, token from ${hooks.token.describe()}`;
}

function describePeople({ people, orgs, shard }: Config): string {
  const { identity, teamsFile } = people;
  const apart = identity === 'none' ? 'not identified' : `identified by ${identity}`;
  if (teamsFile === undefined) return `${apart}, no teams`;
  const { teamBudgets: budgets } = people.current();
  const budgeted = budgets.size === 0 ? '' : ` (${budgets.size} with a budget)`;
  const idle = idleTeamBudgets(orgs, budgets, shard).join(', ');
  const note =
    idle === '' ? '' : `  (budgets of ${idle} limit nothing: no organization counts in their unit)`;
  return `${apart}, ${people.teams()} teams${budgeted} from ${teamsFile}${note}`;
}

function contractLines(contract: Contract | undefined): readonly string[] {
  if (contract === undefined) return [];
  const { seats, creditsPerMonth, costPerMonth, prices, periodStarts } = contract;
  const lines: string[] = [];
  if (seats !== undefined) lines.push(`    seats        ${seats}`);
  if (creditsPerMonth !== undefined) lines.push(`    budget       ${creditsPerMonth} credits a month`);
  if (costPerMonth !== undefined) {
    lines.push(`    budget       ${costPerMonth.amount} ${costPerMonth.currency} a month`);
  }
  if (periodStarts !== undefined) lines.push(`    bill         from day ${periodStarts} of each month`);
  for (const { from, currency, perMillionCredits } of prices) {
    lines.push(`    price        ${perMillionCredits} ${currency} per million credits from ${from}`);
  }
  return lines;
}

const openNote = '  (not HTTPS: the key crosses the network in clear text)';

function pathNote(org: OrgConfig): string {
  const twice = pathTwiceIn(org);
  return twice === undefined ? '' : `  (requests would go to ${twice.wrong}: leave out ${twice.path})`;
}
