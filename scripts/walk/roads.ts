import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Coverage, startCoverage, type Walked } from './coverage.ts';
import { settle, startExporter, type WalkedExporter } from './exporter.ts';

const DAY_MS = 86_400_000;
/** Longer than anything rests after a publication. */
const REST_MS = 10_000;
/** The schedule of the collector `tokens`. */
const ANALYTICS = '20 * * * *';

/** What happens in the exporter, from its cause to its last effect. */
interface Road {
  readonly what: string;
  /** Brings about the state in which it begins. */
  readonly before?: (exporter: WalkedExporter) => void;
  readonly walk: (exporter: WalkedExporter, coverage: Coverage) => Promise<void>;
  /** What the page contains after it; the page is no part of it. */
  readonly shows?: (exporter: WalkedExporter) => string;
}

const ROADS = {
  reload: {
    what: 'POST /-/reload of an unchanged configuration',
    walk: reload,
  },
  'reload-changed': {
    what: 'POST /-/reload of a configuration in which one organization has other seats',
    before: ({ configure, seats }) => configure(seats + 1),
    walk: reload,
    shows: ({ seats }) => `agent_platform_seats{org="acme"} ${seats + 1}`,
  },
  answer: {
    what: 'a run of the collector tokens, from its tick to the published page',
    // There is another day.
    before: ({ clock }) => clock.advance(DAY_MS),
    async walk({ ticker, service, clock }, { aside }) {
      ticker.tick(ANALYTICS);
      const hasRun = () =>
        service
          .status()
          .orgs[0]?.collectors.some(
            ({ name, state, lastRunAt = 0 }) =>
              name === 'tokens' && state === 'ok' && lastRunAt >= clock.now() - REST_MS,
          ) === true;
      while (!aside(hasRun)) await nextTurn();
      await aside(() => service.flush());
      await settle();
    },
    shows: ({ clock }) =>
      `agent_platform_data_day_timestamp_seconds{org="acme",dataset="tokens"} ${startOfYesterday(clock.now())}`,
  },
  scrape: {
    what: 'GET /metrics',
    async walk({ send }) {
      const page = await send('GET', '/metrics', 200);
      if (!page.includes('agent_platform_daily_tokens')) throw new Error('nothing is published');
    },
  },
  hook: {
    what: 'POST /hooks/events of one event, until it is counted',
    async walk({ send, clock }) {
      const event = { id: '1', hook_event_name: 'Stop', session_id: 's', occurred_at: clock.now() };
      const answer = await send('POST', '/hooks/events', 202, event);
      if (JSON.parse(answer).accepted !== 1) throw new Error(`not counted: ${answer}`);
    },
  },
} satisfies Readonly<Record<string, Road>>;

export type RoadName = keyof typeof ROADS;

export const ROAD_NAMES = Object.keys(ROADS) as RoadName[];

/** In seconds since the epoch. */
function startOfYesterday(now: number): number {
  return (Math.floor(now / DAY_MS) - 1) * (DAY_MS / 1000);
}

async function reload({ send }: WalkedExporter): Promise<void> {
  await send('POST', '/-/reload', 200);
}

export function describeRoad(name: RoadName): string {
  return ROADS[name].what;
}

/** Walks every road once, after the start of an exporter. */
export async function walkRoads(): Promise<ReadonlyMap<RoadName, Walked>> {
  const coverage = startCoverage();
  const exporter = await startExporter();
  try {
    const walked = new Map<RoadName, Walked>();
    for (const name of ROAD_NAMES) {
      const road: Road = ROADS[name];
      road.before?.(exporter);
      exporter.clock.advance(REST_MS);
      await settle();
      walked.set(name, await coverage.follow(() => road.walk(exporter, coverage)));
      const expected = road.shows?.(exporter) ?? '';
      if (!(await exporter.send('GET', '/metrics', 200)).includes(expected))
        throw new Error(`the road ${name} has not led to ${expected}`);
    }
    return walked;
  } finally {
    await exporter.stop();
    coverage.stop();
  }
}
