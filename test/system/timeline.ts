/** The output of an exporter from an instant on, until it changes or the exporter is gone. */
export interface Shown {
  /** Hours after the first day's first instant. */
  readonly at: number;
  readonly instance: string;
  /** The data day, counted from the first day; undefined if the exporter is gone from here on. */
  readonly day?: number;
  /** Credits by model. */
  readonly models?: Readonly<Record<string, number>>;
}

interface Sample {
  readonly second: number;
  readonly line: string;
}

const HOUR_S = 3600;
const DAY_S = 86_400;
/** The scrape interval. */
const SCRAPE_S = 240;
const CREDITS = 'agent_platform_daily_credits';
const TRAILING = 'agent_platform_credits_trailing_7d';
const BY_MODEL = 'agent_platform_daily_credits_by_model';
const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';

/** OpenMetrics with the results of scrapes up to the hour `until`, from which promtool creates blocks. */
export function scraped(first: number, shown: readonly Shown[], until: number): string {
  const instances = new Set(shown.map(({ instance }) => instance));
  const states = [...instances].flatMap((instance) => {
    const own = shown.filter((state) => state.instance === instance);
    return own.map((state, index) => ({ ...state, end: own[index + 1]?.at ?? until }));
  });
  return openMetrics(states.flatMap(({ at, end, ...state }) => samplesOf(first, at, end, state)));
}

/** OpenMetrics of backfilled days: each once, on the next day at noon, or at 23:00 as by earlier versions. */
export function backfilled(
  first: number,
  days: readonly Omit<Shown, 'at' | 'instance'>[],
  hourOfDay: 12 | 23 = 12,
): string {
  return openMetrics(
    days.flatMap(({ day = 0, models }) => {
      const hour = (day + 1) * 24 + hourOfDay;
      return samplesOf(first, hour, hour + SCRAPE_S / HOUR_S, {
        instance: 'old:9889',
        day,
        ...(models && { models }),
      });
    }),
  );
}

function samplesOf(
  first: number,
  from: number,
  to: number,
  { instance, day, models = {} }: Omit<Shown, 'at'>,
): readonly Sample[] {
  if (day === undefined) return [];
  const target = `job="agent-platform",instance="${instance}",org="acme"`;
  const total = Object.values(models).reduce((sum, value) => sum + value, 0);
  const samples: Sample[] = [];
  for (let second = first + from * HOUR_S; second < first + to * HOUR_S; second += SCRAPE_S) {
    const add = (line: string) => samples.push({ second, line: `${line} ${second}` });
    add(`${DATA_DAY}{${target},dataset="tokens"} ${first + day * DAY_S}`);
    add(`${CREDITS}{${target}} ${total}`);
    // Only that it changes matters, so that it is as large as the day.
    add(`${TRAILING}{${target}} ${total}`);
    for (const [model, value] of Object.entries(models))
      add(`${BY_MODEL}{${target},model="${model}",tier="standard"} ${value}`);
  }
  return samples;
}

function openMetrics(samples: readonly Sample[]): string {
  const lines = [...samples].sort((one, other) => one.second - other.second).map(({ line }) => line);
  const family = (name: string) => [
    `# TYPE ${name} gauge`,
    ...lines.filter((line) => line.startsWith(`${name}{`)),
  ];
  return [...[DATA_DAY, CREDITS, TRAILING, BY_MODEL].flatMap(family), '# EOF', ''].join('\n');
}
