/**
 * How far back rules look for a sample: two scrapes 15 minutes apart, and less than until a third. An instant selector looks
 * back five minutes, so that conditions on targets that are scraped less often would never hold for long.
 */
export const WINDOW = '25m';

/** The metrics of the catalogue where no range is selected. */
const INSTANT = /\b(agent_platform_\w+)\b(\{[^}]*\})?(?![{[])( offset \w+)?/g;

/** PromQL for the smallest value of the window: of a stamp that grows, the one from which no sample in the window is older. */
export function steady(stamp: string, offset = ''): string {
  return `min_over_time(${stamp}[${WINDOW}]${offset})`;
}

/**
 * Lets rules hold for every scrape interval up to 15 minutes. A series that has ended counts for as long as the window, and only
 * with stamps that were `steady` as long. The exporter's state and the labels of its target count no longer than they did where two
 * scrapes were less than five minutes apart.
 */
export function recent(promql: string): string {
  return promql.replaceAll(INSTANT, (instant, name: string, matchers = '', offset = '') => {
    const series = `${name}${matchers}`;
    const last = `last_over_time(${series}[${WINDOW}]${offset})`;
    if (!/^agent_platform_(exporter|hook)_|\bexported_/.test(instant)) return last;
    const isFrequent = (scraped: string) =>
      `max_over_time(count_over_time(${scraped}[5m]${offset})[${WINDOW}:1m]) > 1`;
    // A target that fails tells how often it is scraped, too, even if it showed the series only once.
    return `(${instant} or (${last} unless ${isFrequent(series)} unless on (job,instance) ${isFrequent('up')}))`;
  });
}
