import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import type { links } from '../links.ts';

type Linked = (typeof links)[keyof typeof links];

const COMMON = ['datasource', 'job', 'org'] as const;

/** Selects an organization. */
export function orgLink(to: Linked): DynamicConfigValue {
  return drillTo(to, 'org');
}

/** A data link of a cell: to a dashboard with the cell's value selected, and everything else as it is. */
export function drillTo({ uid, title }: Linked, variable: string): DynamicConfigValue {
  const kept = COMMON.filter((name) => name !== variable).map((name) => `\${${name}:queryparam}`);
  const query = [`\${__url_time_range}`, ...kept, `var-${variable}=\${__value.text:percentencode}`].join('&');
  return { id: 'links', value: [{ title: `Select in ${title}`, url: `/d/${uid}?${query}` }] };
}
