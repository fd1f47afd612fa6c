import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DAY, HOUR } from '../e2e/harness.ts';
import type { Dataset } from './book.ts';
import { createOracle, type Truth } from './oracle.ts';
import { createWeather, type Weather } from './weather.ts';
import { dayRows } from './wire.ts';

/** Every fault, at a rate that does not slow the tests down. Slow answers arrive; lost ones have their own test. */
export const FAULTS = [
  ...[
    '401',
    '403',
    '429:1',
    '429:date',
    '429:7200',
    '500',
    '503',
    '503:600',
    '503:7200',
    'slow:5',
    'close',
    'cut-off',
  ],
  ...['malformed', 'html', 'html:200', 'empty-body', 'bad-rows', 'huge-numbers'],
  ...['worse-again', 'doubled-days', 'strange-dates', 'other-org'],
] as const;
/** `D3` means the day three days before yesterday. */
export const SWITCHES = [
  ...['bad-day=D0', 'bad-day=D1', 'bad-day=D5', 'bad-day=D0:400', 'bad-day=D3:400', 'oldest-day=D9'],
  ...['odd-paging=text', 'odd-paging=object', 'odd-paging=list', 'odd-paging=missing'],
  ...['error-body=html', 'oversize=20000', 'redirect', 'ignore-limit', 'limit-cap=2', 'ignore-start-after'],
  ...[
    'oldest-first',
    'clock-behind=13',
    'late',
    'late=2',
    'late=5',
    'late=3@tokens',
    'late=12@tools',
    'revised-days',
    'no-by-model',
    'null-numerators',
  ],
  ...[
    'repeated-cursor',
    'null-cursor',
    'wiki-shape=data',
    'wiki-shape=unknown',
    'redirect-elsewhere=http://127.0.0.1:1',
  ],
] as const;
/** Faults that change an answer but not its status. */
const SPOILS =
  /malformed|html|empty-body|cut-off|bad-rows|huge-numbers|worse|doubled|strange|other-org|paging|clock-behind|wiki-shape|redirect-else|cap|start-after|cursor/;
/** Variants of a fault that are combined with each other fault. */
export const ALONE_ONLY: ReadonlySet<string> = new Set([
  ...['bad-day=D1', 'bad-day=D5', 'bad-day=D3:400', 'late=3@tokens', 'late=12@tools'],
  ...['odd-paging=object', 'odd-paging=list', 'odd-paging=missing'],
]);
const ENDPOINTS = ['users', 'tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
/** An exporter under faults, each of whose pages is checked against the promises. */
interface Sky {
  /** Polls once under these faults, and checks the page. */
  step(faults: readonly string[], happening?: Happening): Promise<void>;
  /** Ends all faults, polls twice, and checks that everything has recovered. */
  calm(): Promise<void>;
  yesterday(): string;
}

interface Happening {
  readonly passes: number;
  readonly restart?: boolean;
  readonly revise?: string;
}

/** Starts a separate exporter, which is stopped after the test; `again` is the command that runs only this test. */
export async function startSky(seed: number, again: string): Promise<Sky> {
  const folder = mkdtempSync(join(tmpdir(), 'exporter-storm-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const weather = await createWeather({ store: join(folder, 'history.db'), seed });
  onTestFinished(() => weather.close());
  const oracle = createOracle(new Map(weather.platform.orgs.map(({ name: org, orgId }) => [org, orgId])));
  const history: string[] = [];
  let isFirst = true;

  async function told(text: string, check: () => Promise<void>): Promise<void> {
    history.push(text);
    try {
      await check();
    } catch (error) {
      const last = history.slice(-6).join('\n  ');
      throw new Error(
        `seed ${seed}, step ${history.length}, after\n  ${last}\n${String(error)}\nAgain by: ${again}`,
        { cause: error },
      );
    }
  }

  async function observed(began: number, spoilt: boolean) {
    const { clock, wire, life } = weather;
    const page = await weather.page();
    return { now: clock.now(), began, page, sent: await wire.take(), spoilt, life, log: weather.takeLog() };
  }

  async function step(faults: readonly string[], happening: Happening = { passes: HOUR }): Promise<void> {
    const { clock, platform } = weather;
    const { passes, restart = false, revise } = happening;
    await told(`${faults.join(' ') || 'no fault'} ${JSON.stringify(happening)}`, async () => {
      clock.advance(passes);
      if (revise !== undefined) platform.reviseDay(revise);
      platform.setFaults(faults.map((fault) => dated(fault, clock.now())));
      const began = clock.now();
      await (restart ? weather.restart() : weather.poll());
      oracle.observe(await observed(began, isFirst || SPOILS.test(faults.join(' '))));
      isFirst = false;
    });
  }

  return {
    step,
    async calm() {
      // As long as the longest requested pause.
      await step([], { passes: 2 * HOUR });
      await told('calm', async () => {
        // A poll takes a while, and at its end does not request a day that was not over at its start.
        const toMidnight = DAY - (weather.clock.now() % DAY);
        weather.clock.advance(toMidnight < 5 * 60_000 ? toMidnight : 60_000);
        const began = weather.clock.now();
        await weather.poll();
        const seen = await observed(began, false);
        oracle.observeCalm(seen, await truthOf(weather));
        await weather.wire.take();
      });
    },
    yesterday: () => dayText(weather.clock.now() - DAY),
  };
}

/** The platform's own data of its newest day. */
async function truthOf({ platform, wire, clock }: Weather): Promise<Truth> {
  const day = dayText(clock.now() - DAY);
  const orgs = new Map();
  for (const { name, keys } of platform.orgs) {
    const datasets = new Map<Dataset, Readonly<Record<string, unknown>>>();
    for (const dataset of ['tokens', 'tools', 'activity', 'productivity'] as const) {
      const answer = await fetch(`${wire.url}/api/v1/analytics/${dataset}?startDate=${day}&endDate=${day}`, {
        headers: { authorization: `Bearer ${keys.owner}` },
      });
      const row = dayRows(await answer.json(), day, day).rows.get(day);
      if (row !== undefined) datasets.set(dataset, row);
    }
    orgs.set(name, datasets);
  }
  return orgs;
}

export function drawFaults(random: () => number): readonly string[] {
  const count = Math.floor(random() * 4);
  return Array.from({ length: count }, () => {
    const fault =
      random() < 0.65
        ? withRate(drawn(FAULTS, random), [0.2, 0.5, 1][Math.floor(random() * 3)] ?? 1)
        : drawn(SWITCHES, random);
    const place = random() < 0.5 ? `@${drawn(ENDPOINTS, random)}` : '';
    const org = random() < 0.4 ? '@org=acme' : '';
    return fault + place + org;
  });
}

export function drawStep(random: () => number, yesterday: string): Happening {
  const chance = random();
  // Mostly the hours between two runs, occasionally a long night, rarely longer than the maximum age of data.
  const passes =
    chance < 0.8 ? 1 + Math.floor(random() * 6 * HOUR) : chance < 0.97 ? random() * 2 * DAY : 8 * DAY;
  return {
    passes: Math.floor(passes),
    restart: random() < 0.06,
    ...(random() < 0.1 && { revise: yesterday }),
  };
}

export function withRate(fault: string, rate: number): string {
  const [name = '', detail] = fault.split(':');
  return `${name}=${rate}${detail === undefined ? '' : `:${detail}`}`;
}

function drawn(list: readonly string[], random: () => number): string {
  return list[Math.floor(random() * list.length)] ?? '';
}

/** The fault with its symbolic days replaced according to the clock. */
function dated(fault: string, now: number): string {
  return fault.replace(/\bD(\d+)/, (_, before) => dayText(now - (Number(before) + 1) * DAY));
}

function dayText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
