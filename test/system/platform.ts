import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { addDays, type Day, yesterdayOf } from '../../src/catalog/day.ts';
import { LATE_DAYS } from '../../src/catalog/day-rules.ts';
import { type Page, readPage } from '../e2e/page.ts';
import { daysWithoutRow, expectSettled, expectWhole } from '../e2e/settled.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Program, type Programs, written } from './programs.ts';

export const KEY = 'sandbox-acme-owner';

/** The simulated platform as a separate process. */
export async function startPlatform(
  programs: Programs,
  args: readonly string[] = [],
  port = 0,
): Promise<{ readonly program: Program; readonly url: string; readonly port: number }> {
  const program = programs.exporter(['sandbox', `--listen-address=127.0.0.1:${port}`, ...args]);
  const url = await written(program, 'stdout', /listens on (http:\S+)/);
  return { program, url, port: Number(new URL(url).port) };
}

const FAULTY = fileURLToPath(new URL('../client/faulty/main.ts', import.meta.url));

/** The simulated platform with damaged and hostile answers as a separate process. */
export async function startFaultyPlatform(programs: Programs, args: readonly string[]): Promise<string> {
  const program = programs.start(process.execPath, [FAULTY, ...args]);
  return await written(program, 'stdout', /listens on (http:\S+)/);
}

/** The newest day whose row can no longer be late. */
function settledUntil(): Day {
  return addDays(yesterdayOf(Date.now()), -LATE_DAYS);
}

/**
 * The newest day with activity whose row can no longer be late. A small organization has days on which nobody works; until
 * that is certain, such a day is unknown, and not zero.
 */
export async function newestSettledDay(platform: string): Promise<Day> {
  const endDate = settledUntil();
  const startDate = addDays(endDate, -10);
  const answer = await fetch(
    `${platform}/api/v1/analytics/tokens?startDate=${startDate}&endDate=${endDate}`,
    { headers: { authorization: `Bearer ${KEY}` } },
  );
  const { data } = (await answer.json()) as { data: readonly { readonly date: Day }[] };
  const [newest] = data
    .map(({ date }) => date)
    .sort()
    .reverse();
  if (newest === undefined) throw new Error(`no day with activity from ${startDate} to ${endDate}`);
  return newest;
}

/**
 * Waits for the end of a backfill up to the newest day, and fails unless it has written every day. Only days whose row may
 * still be late can be missing: the command then names them and ends with 1.
 */
export async function expectAllKnown(command: Program): Promise<void> {
  const { code, signal } = await command.ended;
  const said = command.stdout() + command.stderr();
  const unknown = [...command.stdout().matchAll(/^unknown: .*, (\S+) to \S+$/gm)].map(([, first]) => first);
  const settled = settledUntil();
  for (const first of unknown) expect(first && first > settled, said).toBe(true);
  expect({ code, signal }, said).toEqual({ code: unknown.length > 0 ? 1 : 0, signal: null });
}

/** `serve` polling a platform, on a port that the system selects unless given. */
export async function startServe(
  programs: Programs,
  platform: string,
  args: readonly string[] = [],
  listen = 0,
): Promise<{ readonly program: Program; readonly url: string }> {
  const program = programs.exporter(['serve', `--web.listen-address=127.0.0.1:${listen}`, ...args], {
    AGENT_PLATFORM_API_BASE_URL: platform,
    AGENT_PLATFORM_API_KEY: KEY,
    AGENT_PLATFORM_ORG: 'acme',
    AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
  });
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  return { program, url: `http://127.0.0.1:${port}` };
}

/** `demo` on a port that the system selects. */
export async function startDemo(
  programs: Programs,
): Promise<{ readonly program: Program; readonly url: string }> {
  const program = programs.exporter(['demo', '--web.listen-address=127.0.0.1:0']);
  const url = await written(program, 'stdout', /status +(http:\S+)\//);
  return { program, url };
}

/** The collectors of each organization of the demo. */
const DEMO = {
  acme: ['activity', 'productivity', 'readiness', 'tokens', 'tools', 'users', 'wiki'],
  'acme-copilot': ['activity', 'productivity', 'tokens', 'users'],
  'acme-claude': ['activity', 'productivity', 'tokens', 'users'],
};

/** The page of a demo once the first run of every collector is complete and on it. */
export function settledDemo(url: string): Promise<Page> {
  return waitFor(async () => {
    const page = await pageOf(url);
    for (const [org, collectors] of Object.entries(DEMO)) {
      const success = page.by('collector', 'agent_platform_exporter_collector_success', { org });
      expect(success).toEqual(Object.fromEntries(collectors.map((name) => [name, 1])));
      const uncovered = page.by('dataset', 'agent_platform_history_uncovered', { org });
      for (const [dataset, days] of Object.entries(uncovered))
        expect(days, dataset).toBe(daysWithoutRow(page, { org, dataset }, Date.now()));
    }
    expectWhole(page);
    return page;
  });
}

/** The current page of an exporter. */
export async function pageOf(url: string): Promise<Page> {
  return readPage(await (await fetch(`${url}/metrics`)).text());
}

/** The page once the first run of every usual collector is complete. */
export function settledPage(url: string): Promise<Page> {
  return waitFor(async () => {
    const page = await pageOf(url);
    expectSettled(page, ['activity', 'productivity', 'readiness', 'tokens', 'tools', 'wiki'], Date.now());
    return page;
  });
}
