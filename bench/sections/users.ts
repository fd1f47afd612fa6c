import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Identity } from '../../src/config/people/labels.ts';
import type { Built } from '../build.ts';
import { runJob, startChild } from '../child.ts';
import type { PeopleReading, Usage } from '../messages.ts';
import { median, ratiosOf, type Spread } from '../report/statistics.ts';

/** The people of an organization, with one identification setting: medians of the rounds. */
export interface UsersResult {
  readonly identity: Identity;
  readonly people: number;
  readonly pages: number;
  /** `once` with only the users collector, which reads the three newest days. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Peak resident memory in bytes. */
  readonly peak: number;
  /** CPU seconds per 1 000 people to read a day, compared with only parsing the same bodies. */
  readonly readSeconds: number;
  readonly ratio: Spread;
}

const KEY = 'sandbox-acme-owner';
const HASH_KEY = 'sixteen bytes or more';
const REQUESTS_PER_SECOND = '1000';
const IDENTITIES: readonly Identity[] = ['none', 'id', 'hash'];

/** Reads the people of the newest days, with nobody and with everybody identified. */
export async function measureUsers(
  built: Built,
  users: number,
  rounds: number,
): Promise<readonly UsersResult[]> {
  const results: UsersResult[] = [];
  const platform = await startChild(built.bench, 'servers/platform.js', { users });
  try {
    for (const identity of IDENTITIES) {
      const polls: { readonly seconds: number; readonly usage: Usage }[] = [];
      const readings: PeopleReading[] = [];
      for (let round = 0; round < rounds; round++) {
        polls.push(await pollOnce(built, platform.port, identity));
        readings.push(await runJob<PeopleReading>(built.bench, 'jobs/read-people.js', { users, identity }));
      }
      const of = (figure: (reading: PeopleReading) => number) => median(readings.map(figure));
      results.push({
        identity,
        people: of(({ people }) => people),
        pages: of(({ pages }) => pages),
        seconds: median(polls.map(({ seconds }) => seconds)),
        cpuSeconds: median(polls.map(({ usage }) => usage.cpuSeconds)),
        peak: median(polls.map(({ usage }) => usage.peak)),
        readSeconds: of(({ readSeconds, people }) => (readSeconds / people) * 1000),
        ratio: ratiosOf(
          readings.map((reading) => reading.readSeconds),
          readings.map((reading) => reading.parseSeconds),
        ),
      });
    }
  } finally {
    await platform.stop();
  }
  return results;
}

/** From the start of the process to its exit; throws if something could not be fetched. */
async function pollOnce({ bench, program }: Built, port: number, identity: Identity) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  try {
    const startedAt = performance.now();
    const hook = path.join(bench, 'bench/jobs/report-usage.js');
    const child = spawn(process.execPath, [`--import=${hook}`, program, 'once', ...flagsOf(identity)], {
      cwd: folder,
      env: {
        TMPDIR: folder,
        AGENT_PLATFORM_API_BASE_URL: `http://127.0.0.1:${port}`,
        AGENT_PLATFORM_API_KEY: KEY,
        AGENT_PLATFORM_API_REQUESTS_PER_SECOND: REQUESTS_PER_SECOND,
        AGENT_PLATFORM_USERS_HASH_KEY: HASH_KEY,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    const usage = child.stdio[3];
    if (usage === null || usage === undefined || !('read' in usage)) throw new Error('there is no pipe');
    const [written, [code]] = await Promise.all([text(usage), once(child, 'exit')]);
    if (code !== 0) throw new Error(`the poll of people exited with code ${code}`);
    return { seconds: (performance.now() - startedAt) / 1000, usage: JSON.parse(written) as Usage };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function flagsOf(identity: Identity): readonly string[] {
  const others = ['tokens', 'spend', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
  return [
    ...['--log.level=error', '--collector.users', `--users.identity=${identity}`],
    ...others.map((name) => `--no-collector.${name}`),
  ];
}
