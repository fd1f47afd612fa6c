import type { links } from '../links.ts';

type Linked = (typeof links)[keyof typeof links];

/** A link of Grafana's from a value. */
export interface DrillLink {
  readonly title: string;
  readonly url: string;
}

const COMMON = ['datasource', 'job', 'platform', 'org'] as const;

/** The parameters of a link that keeps the time range and what every dashboard has. */
export const COMMON_VARIABLES = [
  `\${__url_time_range}`,
  ...COMMON.map((name) => `\${${name}:queryparam}`),
].join('&');

/** Selects an organization. */
export function orgLink(to: Linked): readonly DrillLink[] {
  return drillTo(to, 'org');
}

/** The data link of a cell: to a dashboard with the cell's value selected, and everything else as it is. */
export function drillTo({ uid, title }: Linked, variable: string): readonly DrillLink[] {
  const kept = COMMON.filter((name) => name !== variable).map((name) => `\${${name}:queryparam}`);
  const query = [`\${__url_time_range}`, ...kept, `var-${variable}=\${__value.text:percentencode}`].join('&');
  return [{ title: `Select in ${title}`, url: `/d/${uid}?${query}` }];
}
