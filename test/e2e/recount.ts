import type { Story } from './harness.ts';

export type Row = Readonly<Record<string, unknown>>;
type Labels = Readonly<Record<string, unknown>>;

/** The list with that name in an answer or a row; empty if there is none. */
export function listOf(holder: unknown, name: string): readonly Row[] {
  const list = (holder as Row)[name];
  return Array.isArray(list) ? list : [];
}

/** Series counted from the API's own answers, in the format of `seriesText`. */
export interface Recount {
  add(name: string, labels: Labels, value: unknown): void;
  lines(): readonly string[];
}

/** Creates an empty count; values of the same series are summed. */
export function createRecount(org: string): Recount {
  const series = new Map<string, number>();
  return {
    add(name, labels, value) {
      const pairs = Object.entries({ ...labels, org }).sort(([one], [other]) => (one < other ? -1 : 1));
      const key = `agent_platform_${name}{${pairs.map(([label, text]) => `${label}=${JSON.stringify(text)}`)}}`;
      series.set(key, (series.get(key) ?? 0) + Number(value));
    },
    lines: () => [...series].map(([key, value]) => `${key} ${value}`).sort(),
  };
}

/** The rows of an analytics endpoint for the newest day, and for the preceding 28 days. */
export async function daysOf(
  story: Story,
  endpoint: string,
  org = 'acme',
): Promise<{ readonly day: Row; readonly before: readonly Row[] }> {
  const answer = await story.ask(
    `/api/v1/analytics/${endpoint}`,
    { startDate: '2026-10-22', endDate: '2026-11-19' },
    org,
  );
  const rows = listOf(answer, 'data');
  const day = rows.at(-1);
  if (day === undefined) throw new Error(`/${endpoint} has no rows`);
  return { day, before: rows.slice(0, -1) };
}
