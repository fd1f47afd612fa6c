import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isSynced } from '../page.ts';
import { daysAgo, startPlatform } from '../platform.ts';
import { startService } from '../service.ts';
import { type Case, type CaseContext, recordAnswers } from './case.ts';

const ACCOUNT = { name: 'acme', account: 'acme-org', key: 'sandbox-acme-full' };
/** How many days are asked for: a report appears 48 hours after the end of its day. */
const DAYS = 5;
/** The collectors of the platform beside that of people. */
const COLLECTORS = 3;
const PEOPLE = 10_000;
const MIB = 2 ** 20;

/** The daily reports of the people of an organization on GitHub Copilot, behind links, line by line. */
export function copilotPeopleCase(users: number, runs: number): Case {
  return {
    name: 'copilot-people',
    what: `An organization of ${users} people on GitHub Copilot, about half of whom are in the report of a working day: the first sync of five days, of which the reports of three are there, without people, and with people who are identified by their login. CPU time is the difference, for ${PEOPLE} people of a report.`,
    runs,
    measure: (context) => measure(context, users),
  };
}

async function measure({ checkout, helper, record, folder, profiles }: CaseContext, users: number) {
  const world = { orgs: 1, users, repos: 1, days: DAYS };
  await using platform = await startPlatform(helper.program, world, ['--platform=copilot']);
  // The simulated platform makes each person once.
  const days = Array.from({ length: DAYS }, (_, index) => daysAgo(index + 1));
  const rows = await Promise.all(days.map((day) => rowsOf(platform.url, day)));
  const file = path.join(folder, 'exporter.yaml');
  const key = path.join(folder, 'key');
  writeFileSync(key, ACCOUNT.key);
  const org = `{name: ${ACCOUNT.name}, platform: copilot, account: ${ACCOUNT.account}, base_url: '${platform.url}', api_key_file: '${key}', link_hosts: ['${new URL(platform.url).hostname}']}`;
  writeFileSync(file, `orgs:\n  - ${org}\nhistory: {start: ${daysAgo(DAYS)}}\n`);

  async function sync(name: string, flags: readonly string[], collectors: number) {
    const args = [`--config.file=${file}`, '--schedule.jitter=0', ...flags];
    await using service = await startService(checkout, { folder: path.join(folder, name), profiles, args });
    const phase = await service.phase((page) => isSynced(page, 1, collectors));
    return { ...phase, peak: service.memory().peak };
  }

  const before = await sync('without', [], COLLECTORS);
  const people = ['--collector.users', '--users.identity=id'];
  const identified = await sync('with', people, COLLECTORS + 1);
  const read = rows.reduce((sum, count) => sum + count, 0);
  record('people in the largest report', '', Math.max(...rows));
  const cpuSeconds = ((identified.cpuSeconds - before.cpuSeconds) / read) * PEOPLE;
  // What few people take is that of the start.
  record('a report, CPU', 's', cpuSeconds, read < PEOPLE ? undefined : { atMost: 3 });
  record('resident at most, more than without', 'MiB', (identified.peak - before.peak) / MIB, { atMost: 60 });
  recordAnswers(record, 'first sync', identified, 50);
}

/** The number of rows of a day's report of people; none if it is not there yet. */
async function rowsOf(url: string, day: string): Promise<number> {
  const address = `${url}/orgs/${ACCOUNT.account}/copilot/metrics/reports/users-1-day?day=${day}`;
  const headers = {
    Authorization: `Bearer ${ACCOUNT.key}`,
    'User-Agent': 'bench',
    'X-GitHub-Api-Version': '2026-03-10',
  };
  const answer = await fetch(address, { headers });
  if (answer.status === 204) return 0;
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  const { download_links: links } = (await answer.json()) as { readonly download_links: readonly string[] };
  const files = await Promise.all(links.map(async (link) => (await fetch(link)).text()));
  return files.reduce((sum, file) => sum + file.trim().split('\n').length, 0);
}
