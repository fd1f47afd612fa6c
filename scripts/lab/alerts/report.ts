import type { PooledForecasts } from '../../../test/collectors/spend/backtest/forecasts.ts';
import type { PooledDrops } from './drops.ts';
import type { Judged } from './judged.ts';
import type { PooledForesight, PooledRanges } from './ranges.ts';
import { type PooledDoubles, type PooledSpikes, precisionOf, recallOf } from './spikes.ts';

const percent = (ratio: number) => `${(100 * ratio).toFixed(0)} %`;
const tenthsOf = (ratio: number) => `${(100 * ratio).toFixed(1)} %`;

/** The table of credit spikes. */
export function spikeTable(sizes: readonly PooledSpikes[]): string {
  const rows = sizes.map(({ people, years, planted, rule, hindsight }) =>
    [
      String(people),
      String(years),
      String(planted),
      String(rule.found),
      String(rule.missed),
      String(rule.falsely),
      percent(precisionOf(rule)),
      percent(recallOf(rule)),
      percent(hindsight),
    ].join(' | '),
  );
  return `| People | Years | Spikes | Found | Missed | False | Precision | Recall | Best recall with hindsight |
|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The table of doubled days, by size and growth. */
export function doubleTable(pooled: readonly PooledDoubles[]): string {
  const rows = pooled.map(({ people, growthAMonth, years, days, found, falsely }) =>
    [people, percent(growthAMonth), percent(found / days), (falsely / years).toFixed(2)].join(' | '),
  );
  return `| People | Growth a month | Doubled days found | False alerts a year |
|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The table of month forecasts, by size. */
export function forecastTable(pooled: readonly PooledForecasts[]): string {
  const rows = pooled.map(({ people, years, published, ofAllDays }) =>
    [
      ...[people, years, tenthsOf(published.size), tenthsOf(ofAllDays.size)],
      ...[tenthsOf(published.bias), tenthsOf(published.january), tenthsOf(ofAllDays.january)],
    ].join(' | '),
  );
  return `| People | Years | Error | Error with quiet days | Too high or low | In January | In January with quiet days |
|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The table of the ranges of month forecasts: how many of the months end within them, by days of the month. */
export function rangeTable(pooled: readonly PooledRanges[]): string {
  const rows = pooled.map(({ people, withDaysOff, unknown, errorOf15th, ...all }) =>
    [
      ...[people, withDaysOff ? 'yes' : 'no', tenthsOf(shareWithin(all.covered))],
      ...[tenthsOf(standardError(all.coveredByYear)), percent(shareWithin([all.coveredInDecember]))],
      ...all.covered.map((part) => percent(shareWithin([part]))),
      ...[unknown, tenthsOf(errorOf15th)],
    ].join(' | '),
  );
  return `| People | Days off | Within | ± | In December | 1 to 5 | 6 to 10 | 11 to 15 | 16 to 20 | 21 to 25 | From 26 | Days without | Error on the 15th |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The share of the days whose month ends within their range. */
export function shareWithin(covered: PooledForesight['covered']): number {
  const total = (of: 'within' | 'days') => covered.reduce((sum, part) => sum + part[of], 0);
  return total('within') / total('days');
}

/** The standard error of the share of all years, from how much the years differ. */
function standardError(years: PooledForesight['coveredByYear']): number {
  const shares = years.map((year) => shareWithin([year]));
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  return Math.sqrt(squares / (shares.length - 1) / shares.length);
}

/** The table of alerts about budgets, by the range of the forecast. */
export function budgetTable(pooled: readonly PooledRanges[]): string {
  const rows = pooled.map((one) =>
    [
      ...[
        one.people,
        one.withDaysOff ? 'yes' : 'no',
        one.found + one.missed,
        one.found,
        one.missed,
        one.falsely,
      ],
      ...[percent(precisionOf(one)), percent(recallOf(one)), percent(one.early / one.found)],
    ].join(' | '),
  );
  return `| People | Days off | Months over budget | Found | Missed | False | Precision | Recall | Found five days before |
|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The table of what can be foreseen, by the kind of organization. */
export function oracleTable(kinds: Readonly<Record<string, PooledForesight>>): string {
  const rows = Object.entries(kinds).map(([kind, one]) =>
    [
      kind,
      tenthsOf(shareWithin(one.covered)),
      tenthsOf(standardError(one.coveredByYear)),
      tenthsOf(one.errorOf15th),
      one.found + one.missed,
      one.falsely,
      percent(precisionOf(one)),
      percent(recallOf(one)),
      percent(one.early / one.found),
    ].join(' | '),
  );
  return `| Kind | Within | ± | Error on the 15th | Months over budget | False | Precision | Recall | Found five days before |
|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The table of readiness drops, by threshold. */
export function dropTable(thresholds: readonly PooledDrops[]): string {
  const rows = thresholds.map(({ points, planted, found, falsely }) =>
    [points, planted, found, falsely, percent(found / (found + falsely)), percent(found / planted)].join(
      ' | ',
    ),
  );
  return `| Percentage points | Drops | Found | False | Precision | Recall |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The table of all alerts, without those that had nothing to tell and told nothing. */
export function alertTable(judged: readonly Judged[]): string {
  const isSilent = (name: string) =>
    judged.every(({ alert, found, missed, falsely }) => alert !== name || found + missed + falsely === 0);
  const rows = judged
    .filter(({ alert }) => !isSilent(alert))
    .map(({ alert, people, found, missed, falsely, allowed, firstMessages, reminders }) =>
      [`\`${alert}\``, people, found, missed, falsely, allowed, firstMessages, reminders].join(' | '),
    );
  const silent = [...new Set(judged.map(({ alert }) => alert))].filter(isSilent);
  const barely = judged.filter(({ barelyOver }) => barelyOver > 0);
  return `| Alert | People | True | Missed | False | Allowed | Messages | Reminders |
|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}

Months that exceeded their budget by less than 2 %, neither true nor missed above, and how many of them were told in time:
${barely.map(({ alert, people, barelyOver, barelyOverTold }) => `\`${alert}\` at ${people} people, ${barelyOverTold} of ${barelyOver}`).join('; ')}.

Nothing was planted for these, and they did not fire: ${silent.map((name) => `\`${name}\``).join(', ')}.
`;
}
