// Reads a day's people as the collector does, and then only parses the same bodies.

import { yesterdayOf } from '../../src/catalog/day.ts';
import type { PeopleSettings } from '../../src/catalog/settings.ts';
import type { ApiRequest, Source } from '../../src/catalog/source.ts';
import { fetchUsers } from '../../src/collectors/users/fetch.ts';
import { createLabels } from '../../src/config/people/labels.ts';
import { createTeams } from '../../src/config/people/teams.ts';
import { walkPages } from '../../src/platform/paging.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { runInSlices } from '../../src/runtime/slices.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { PeopleReading, PeopleReadingOptions } from '../messages.ts';
import { answer, cpuSecondsSince, jobOptions } from './job.ts';

const TIMES = 5;
const KEY = 'sixteen bytes or more';

answer(await measure(jobOptions<PeopleReadingOptions>()));

async function measure({ users, identity }: PeopleReadingOptions): Promise<PeopleReading> {
  const clock = createSystemClock();
  const day = yesterdayOf(clock.now());
  const bodies = await bodiesOf(users, day);
  const source = sourceOf(bodies);
  const teams = createTeams({
    rules: [
      { member: '*a*@acme.example', team: 'first' },
      { member: '*@acme.example', team: 'second' },
    ],
    budgets: new Map(),
  });
  const labels = createLabels(identity, KEY);
  const settings: PeopleSettings = {
    identity: labels.fingerprint,
    teamRules: teams.fingerprint,
    labelOf: labels.labelOf,
    teamOf: teams.teamOf,
    teamBudgets: teams.budgets,
  };
  const read: number[] = [];
  const parse: number[] = [];
  let people = 0;
  for (let time = 0; time < TIMES; time++) {
    people = 0;
    parse.push(
      await cpuOf(async () => {
        for (const body of bodies.values()) people += JSON.parse(body).data.length;
      }),
    );
    read.push(await cpuOf(() => fetchUsers(source, { from: day, to: day }, settings)));
  }
  return { people, pages: bodies.size, readSeconds: Math.min(...read), parseSeconds: Math.min(...parse) };
}

/** Every page's body by its cursor. */
async function bodiesOf(users: number, day: string): Promise<ReadonlyMap<string, string>> {
  const sandbox = createSandbox({ now: createSystemClock().now, users });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  const bodies = new Map<string, string>();
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = new URLSearchParams({ startDate: day, endDate: day, limit: '100', cursor });
    const response = await fetch(`${url}/api/v1/analytics/users?${query}`, {
      headers: { authorization: `Bearer ${sandbox.orgs[0]?.keys.owner}` },
    });
    const body = await response.text();
    bodies.set(cursor, body);
    cursor = JSON.parse(body).meta.next_cursor;
  }
  await sandbox.close();
  return bodies;
}

function sourceOf(bodies: ReadonlyMap<string, string>): Source {
  async function get({ query }: ApiRequest) {
    const text = bodies.get(query['cursor'] ?? '') ?? '';
    return { body: JSON.parse(text) as unknown, bytes: text.length };
  }
  return {
    get,
    pages: (request, onItems) => walkPages(get, request, onItems, 10_000),
    inSlices: (work) => runInSlices(work, createSystemClock(), 1),
  };
}

/** CPU seconds of all threads. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return cpuSecondsSince(before);
}
