import { dataDayOf, type Queried } from '../../dashboards/src/promql.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import {
  readinessCriterionRatio,
  readinessCriterionRatioPrevious,
  readinessReportTimestampSeconds,
} from '../../src/collectors/readiness/collector.ts';
import { creditsChangeByCause } from '../../src/collectors/spend/change.ts';
import {
  creditsShareByModel,
  creditsShareByModelBaseline,
  dailyCost,
  dailyCreditsExpected,
} from '../../src/collectors/spend/collector.ts';
import { modelWeeks } from '../../src/collectors/spend/comparisons.ts';
import { dailyCredits } from '../../src/collectors/tokens/collector.ts';
import { dailyCreditsByTeam, teamWeeks } from '../../src/collectors/users/collector.ts';
import type { Weeks } from '../../src/collectors/weeks.ts';
import { inWords, ORG, REPO } from './queries.ts';

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
      ? `{{ if eq ($part | label "team") "other" }}small teams{{ else }}{{ $part | ${name} }}{{ end }}`
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

/** A daily family of the organization, from the replicas with the newest data day, summed by a label or in total. */
function ofNewestDay({ name, labels }: Queried, dataset: DatasetName, label = ''): string {
  const day = dataDayOf(dataset, ORG.where);
  const perReplica = `${name}{${ORG.where}} and on (job,instance) (${day} == scalar(max(${day})))`;
  return `sum by (${label}) (max by (${labels.join(',')}) (${perReplica}))`;
}

/** The cost of the newest day, such as ` (91.80 USD)`; empty where the organization has no price. */
export function costOfSpike(): string {
  const each = '{{ range . }} ({{ . | value | printf "%.2f" }} {{ . | label "currency" }}){{ end }}';
  return inWords(ofNewestDay(dailyCost, 'tokens', 'currency'), ORG.args, each);
}

/** Names what rose most since the four weeks before, as the command `explain` does. */
export function causesOfSpike(): string {
  const change = ofNewestDay(creditsChangeByCause, 'tokens', 'cause');
  return naming('What rose since the four weeks before', 'cause', percentOf(change, `sum(${change})`));
}

/** Names the models whose credits of the newest day are most above their share of what is expected. */
export function modelsOfSpike(): string {
  const [credits, expected] = [dailyCredits, dailyCreditsExpected].map((of) => ofNewestDay(of, 'tokens'));
  const share = ofNewestDay(creditsShareByModel, 'tokens', 'model');
  const baseline = ofNewestDay(creditsShareByModelBaseline, 'tokens', 'model');
  const rise = `${share} * scalar(${credits}) - ${baseline} * scalar(${expected})`;
  return naming('Models behind the rise', 'model', percentOf(rise, `(${credits} - ${expected})`));
}

/** Names the teams whose credits of the newest day are most above their share of the week before, applied to what is expected. */
export function teamsOfSpike(): string {
  const [now, week] = [dailyCreditsByTeam, teamWeeks.before].map((of) => ofNewestDay(of, 'users', 'team'));
  const [credits, expected] = [dailyCredits, dailyCreditsExpected].map((of) => ofNewestDay(of, 'tokens'));
  const isSameDay = `(${['users', 'tokens'].map((of) => `max(${dataDayOf(of as DatasetName, ORG.where)})`).join(' == ')})`;
  const rise = `${now} - ${week} / scalar(sum(${week})) * scalar(${expected}) and on () ${isSameDay}`;
  return naming('Teams behind the rise', 'team', percentOf(rise, `(${credits} - ${expected})`));
}

/** Names the models that use a smaller share of the credits than in the 14 days before. */
export function modelsReplaced(): string {
  const baseline = ofNewestDay(creditsShareByModelBaseline, 'tokens', 'model');
  const loss = `${baseline} - ${ofNewestDay(creditsShareByModel, 'tokens', 'model')}`;
  return naming('Share lost by', 'model', percentOf(loss, `sum((${loss}) > 0)`));
}

/** Names the models whose credits rose most from the week before to the last one. */
export function modelsOfPace(): string {
  return ofPace('Models', 'model', modelWeeks, 'tokens');
}

/** As `modelsOfPace`, for teams where they are published. */
export function teamsOfPace(): string {
  return ofPace('Teams', 'team', teamWeeks, 'users');
}

function ofPace(names: string, label: string, { present, before }: Weeks, dataset: DatasetName): string {
  const rise = `${ofNewestDay(present, dataset, label)} - ${ofNewestDay(before, dataset, label)}`;
  return naming(`${names} behind the rise within a week`, label, percentOf(rise, `(sum(${rise}) > 0)`));
}

/** Names the criteria with the largest falls between the two reports. */
export function criteriaOfDrop(): string {
  const stamp = `${readinessReportTimestampSeconds.name}{${REPO.where}}`;
  const each = ({ name }: Queried) =>
    `max by (criterion) (${name}{${REPO.where}} and on (job,instance) (${stamp} == scalar(max(${stamp}))))`;
  const fall = `${each(readinessCriterionRatioPrevious)} - ${each(readinessCriterionRatio)}`;
  const percent = percentOf(fall, `sum((${fall}) > 0)`);
  return naming('Criteria behind the drop', 'criterion', percent, REPO.args);
}
