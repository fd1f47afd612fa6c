import { columns } from '../../text/columns.ts';
import type { OrgEstimate } from './org.ts';

const heads = ['collector, label', 'values', 'after limits', 'series', 'after limits'] as const;

/** Renders estimates as tables. */
export function renderEstimates(estimates: readonly OrgEstimate[]): string {
  return `${estimates.map(renderOrg).join('\n')}\n${notes.join('\n')}\n`;
}

function renderOrg(org: OrgEstimate): string {
  const total = ['as configured', '', '', String(org.series), String(org.seriesAfterLimits)];
  const table = columns([heads, ...org.collectors.flatMap(rowsOf), total]);
  return [`Organization ${org.organization}, at most ${org.seriesLimit} series`, '', ...table, ''].join('\n');
}

function rowsOf(estimate: OrgEstimate['collectors'][number]): readonly (readonly string[])[] {
  const { collector, identity, configured, failed, series, seriesAfterLimits, labels, leftOut } = estimate;
  const way = identity === undefined ? '' : `, identity ${identity}`;
  const state = failed ? ' (failed)' : configured ? '' : ' (off)';
  return [
    [`${collector}${way}${state}`, '', '', String(series), String(seriesAfterLimits)],
    ...labels.map((one) => [
      `  ${one.label}`,
      String(one.values),
      String(one.valuesAfterLimits),
      String(one.series),
      String(one.seriesAfterLimits),
    ]),
    ...leftOut.map((one) => [`  without ${one.family} (${one.setting})`, '', '', '', `-${one.series}`]),
  ];
}

const notes = [
  'After limits: with limits.values_per_label and, for collectors, limits.series, which all enabled collectors share.',
  'Without: series that the setting leaves out; they are not part of the numbers above.',
  'Each disabled collector is counted as if it alone were enabled in addition. Per-user series are those of the newest',
  'days; people who were seen in the 28 days before and are missing add zeros later.',
];
