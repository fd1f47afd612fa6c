import { dataDayOf, type Queried } from '../../dashboards/src/promql.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { readinessFamilies as readiness } from '../../src/collectors/readiness/collector.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import {
  costChangeByCause,
  creditsChangeByCause,
  modelWeeks,
} from '../../src/collectors/spend/comparisons.ts';
import { tokenFamilies as tokens } from '../../src/collectors/tokens/collector.ts';
import { userFamilies as people } from '../../src/collectors/users/collector.ts';
import type { Weeks } from '../../src/collectors/weeks.ts';
import { type Amounts, inEither, inWords, ORG, onNewestDay, onNewestReport, REPO } from './queries.ts';

/** The number of names in a sentence, their longest length, and the smallest share of the change that is named, in %. */
const NAMES = 3;
const NAME_LENGTH = 48;
const MIN_PERCENT = 5;

/**
 * A template of a sentence that names what accounts for most of a change, such as ` Models behind the rise: gpt-5 (61%).`
 * It is empty where the query has no result, because the metrics are not published or the past is unknown. `percent`
 * is PromQL for the share of the change in percent, formatted with the `args`.
 */
function naming(lead: string, label: string, percent: string, args = ORG.args): string {
  const query = `sort_desc(topk(${NAMES}, ${percent} >= ${MIN_PERCENT}))`;
  // A cause is a word of the exporter's own, in a label's spelling.
  const spelling = label === 'cause' ? ' | reReplaceAll "_" " "' : '';
  // Chats would read a mention or a link in what the platform or a file calls a name, and a pager shows one line.
  const name = `label "${label}"${spelling} | reReplaceAll "[\\\\pC<>|*~&\`]" "" | printf "%.${NAME_LENGTH}s"`;
  const written =
    label === 'team'
      ? `{{ $team := $part | label "team" }}{{ if eq $team "other" }}small teams{{ else if eq $team "unassigned" }}no shown team{{ else }}{{ $part | ${name} }}{{ end }}`
      : `{{ $part | ${name} }}`;
  const parts = `{{ range $index, $part := . }}{{ if $index }}, {{ end }}${written} ({{ $part | value | printf "%.0f" }}%){{ end }}`;
  return inWords(query, args, ` ${lead}: ${parts}.`);
}

/**
 * Each part's share of a rise, in percent. Where some parts fell, it is the share of what rose; where the parts explain
 * less than the `total`, of the total.
 */
function percentOf(part: string, total: string): string {
  return `100 * (${part}) / scalar(clamp_min(${total}, scalar(sum((${part}) > 0))))`;
}

/** A daily family of the organization, summed by a label or in total. */
function ofNewestDay(family: Queried, dataset: DatasetName, label = ''): string {
  return `sum by (${label}) (${onNewestDay(family, dataset, ORG.where)})`;
}

/** The same in credits, or in money where there are none. */
function amountOfNewestDay(amounts: Amounts, dataset: DatasetName, label = ''): string {
  return `sum by (${label}) ${inEither(amounts, dataset, ORG.where)}`;
}

/** The amount of the newest day, what its weekday usually uses, and the rise above it. */
const amount = amountOfNewestDay({ credits: tokens.dailyCredits, money: spend.dailyCost }, 'tokens');
const expected = amountOfNewestDay(
  { credits: spend.dailyCreditsExpected, money: spend.dailyCostExpected },
  'tokens',
);
const riseOfDay = `(${amount} - ${expected})`;

/** The share of each model of the newest day, and of the 14 days before. */
export const sharesByModel = { credits: spend.creditsShareByModel, money: spend.costShareByModel };
export const sharesBefore = {
  credits: spend.creditsShareByModelBaseline,
  money: spend.costShareByModelBaseline,
};
const share = amountOfNewestDay(sharesByModel, 'tokens', 'model');
const shareBefore = amountOfNewestDay(sharesBefore, 'tokens', 'model');

/** The cost of the newest day, such as ` (91.80 USD)`; empty where the organization has no price. */
export function costOfSpike(): string {
  const each = '{{ range . }} ({{ . | value | printf "%.2f" }} {{ . | label "currency" }}){{ end }}';
  return inWords(ofNewestDay(spend.dailyCost, 'tokens', 'currency'), ORG.args, each);
}

/** Names what rose most since the four weeks before, as the command `explain` does. */
export function causesOfSpike(): string {
  const causes = { credits: creditsChangeByCause, money: costChangeByCause };
  const change = amountOfNewestDay(causes, 'tokens', 'cause');
  return naming('What rose since the four weeks before', 'cause', percentOf(change, `sum(${change})`));
}

/** Names the models whose use of the newest day is most above their share of what is expected. */
export function modelsOfSpike(): string {
  const rise = `${share} * scalar(${amount}) - ${shareBefore} * scalar(${expected})`;
  return naming('Models behind the rise', 'model', percentOf(rise, riseOfDay));
}

/** Names the teams whose use of the newest day is most above their share of the week before, applied to what is expected. */
export function teamsOfSpike(): string {
  const ofDay = { credits: people.dailyCreditsByTeam, money: people.dailyCostByTeam };
  const before = { credits: people.teamWeeks.before, money: people.teamCostWeeks.before };
  const [now, week] = [ofDay, before].map((of) => amountOfNewestDay(of, 'users', 'team'));
  const isSameDay = `(max(${dataDayOf('users', ORG.where)}) == max(${dataDayOf('tokens', ORG.where)}))`;
  const rise = `${now} - ${week} / scalar(sum(${week})) * scalar(${expected}) and on () ${isSameDay}`;
  return naming('Teams behind the rise', 'team', percentOf(rise, riseOfDay));
}

/** Names the models that have a smaller share than in the 14 days before. */
export function modelsReplaced(): string {
  const loss = `${shareBefore} - ${share}`;
  return naming('Share lost by', 'model', percentOf(loss, `sum((${loss}) > 0)`));
}

/** Names the models whose use rose most from the week before to the last one. */
export function modelsOfPace(): string {
  return ofPace('Models', 'model', modelWeeks, spend.modelCostWeeks, 'tokens');
}

/** As `modelsOfPace`, for teams where they are published. */
export function teamsOfPace(): string {
  return ofPace('Teams', 'team', people.teamWeeks, people.teamCostWeeks, 'users');
}

function ofPace(names: string, label: string, credits: Weeks, money: Weeks, dataset: DatasetName): string {
  const [now, before] = (['present', 'before'] as const).map((week) =>
    amountOfNewestDay({ credits: credits[week], money: money[week] }, dataset, label),
  );
  const rise = `${now} - ${before}`;
  return naming(`${names} behind the rise within a week`, label, percentOf(rise, `(sum(${rise}) > 0)`));
}

/** Names the criteria with the largest falls between the two reports. */
export function criteriaOfDrop(): string {
  const each = (family: Queried) =>
    `max by (criterion) (${onNewestReport(family, readiness.readinessReportTimestampSeconds, REPO.where)})`;
  const fall = `${each(readiness.readinessCriterionRatioPrevious)} - ${each(readiness.readinessCriterionRatio)}`;
  const percent = percentOf(fall, `sum((${fall}) > 0)`);
  return naming('Criteria behind the drop', 'criterion', percent, REPO.args);
}
