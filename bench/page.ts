/** A family of a page; every sample has all labels. */
export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly samples: { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const COLLECTORS = 7;
const SERIES = /^agent_platform_(?!exporter_)\w+[{ ]/gm;
const PEOPLE = /^agent_platform_user_info\{/gm;
const SUCCESS = /^agent_platform_exporter_collector_success\{.*\} 1$/gm;
const NEWEST = /^agent_platform_data_day_timestamp_seconds\{/gm;
const LAST = /^agent_platform_exporter_collector_last_success_timestamp_seconds\{.*\} (\S+)$/gm;

/** The number of series about the platform. */
export function seriesIn(page: string): number {
  return count(page, SERIES);
}

/** The number of people who are identified. */
export function peopleIn(page: string): number {
  return count(page, PEOPLE);
}

/** The number of datasets with a newest day. */
export function newestIn(page: string): number {
  return count(page, NEWEST);
}

/** Whether every collector of so many organizations has succeeded with its last run. */
export function isSynced(page: string, organizations: number, collectors = COLLECTORS): boolean {
  return count(page, SUCCESS) >= organizations * collectors;
}

/** Whether each has succeeded after an instant, in seconds. */
export function isNewerThan(page: string, organizations: number, at: number): boolean {
  return (
    [...page.matchAll(LAST)].filter(([, time]) => Number(time) > at).length >= organizations * COLLECTORS
  );
}

/** The families about the platform, for another exporter to show. */
export function familiesIn(page: string): readonly ParsedFamily[] {
  const helps = new Map(
    [...page.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => [name, help]),
  );
  const families = new Map<string, ParsedFamily>();
  for (const [, name = '', list = '', value] of page.matchAll(
    /^(agent_platform_(?!exporter_)\w+)(?:\{(.*)\})? (\S+)$/gm,
  )) {
    const labels = Object.fromEntries(
      [...list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [
        label,
        unescaped(text),
      ]),
    );
    const family = families.get(name) ?? {
      name,
      help: helps.get(name) ?? name,
      labels: Object.keys(labels),
      samples: [],
    };
    families.set(name, family);
    family.samples.push({ labels, value: Number(value) });
  }
  return [...families.values()];
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

function count(page: string, pattern: RegExp): number {
  return page.match(pattern)?.length ?? 0;
}
