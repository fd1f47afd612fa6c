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
import { dailyCredits, dailyCreditsByModel } from '../../src/collectors/tokens/collector.ts';
import { dailyCreditsByTeam } from '../../src/collectors/users/collector.ts';
import { inWords, ORG, REPO } from './queries.ts';

/** The number of names in a sentence, their longest length, and the smallest share of the change that is named, in %. */
const NAMES = 3;
const NAME_LENGTH = 48;
const MIN_PERCENT = 5;
/** With fewer hours of a week in Prometheus, it is not compared with another. */
const MIN_HOURS = 120;

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

/** Names the teams whose credits rose most since the day a week before, where teams are published for both days. */
export function teamsOfSpike(): string {
  const now = ofNewestDay(dailyCreditsByTeam, 'users', 'team');
  const day = dataDayOf('users', ORG.where);
  const since = `max by (org) (${day} @ end()) - 604800`;
  const gated = `${dailyCreditsByTeam.name}{${ORG.where}} and on (job,instance,org) (${day} == on (org) group_left () (${since}))`;
  const weekBefore = `sum by (team) (max by (org,team) (last_over_time((${gated})[14d:1h])))`;
  const isSameDay = `max(${dataDayOf('users', ORG.where)}) == max(${dataDayOf('tokens', ORG.where)})`;
  const rise = `${now} - (${weekBefore} or 0 * ${now}) and on () (${isSameDay})`;
  const whole = `(${ofNewestDay(dailyCreditsByTeam, 'users')} - sum(${weekBefore}) > 0)`;
  return naming('Teams behind the rise within a week', 'team', percentOf(rise, whole));
}

/** Names the models that use a smaller share of the credits than in the 14 days before. */
export function modelsReplaced(): string {
  const baseline = ofNewestDay(creditsShareByModelBaseline, 'tokens', 'model');
  const loss = `${baseline} - ${ofNewestDay(creditsShareByModel, 'tokens', 'model')}`;
  return naming('Share lost by', 'model', percentOf(loss, `sum((${loss}) > 0)`));
}

/** Names the models whose mean credits of the last seven days rose most since the seven days before. */
export function modelsOfPace(): string {
  return ofPace('Models behind the rise within a week', 'model', dailyCreditsByModel, 'tokens');
}

/** As `modelsOfPace`, for teams where they are published. */
export function teamsOfPace(): string {
  return ofPace('Teams behind the rise within a week', 'team', dailyCreditsByTeam, 'users');
}

/** Each hour counts with the day that was the newest one then; gaps in scraping shorten neither mean. */
function ofPace(lead: string, label: string, family: Queried, dataset: DatasetName): string {
  const whole = ofNewestDay(family, dataset);
  const parts = ofNewestDay(family, dataset, label);
  const mean = (of: string, at = '') =>
    `sum_over_time((${of})[7d:1h]${at}) / scalar(count_over_time((${whole})[7d:1h]${at}) >= ${MIN_HOURS})`;
  const before = ' offset 7d';
  const rise = `${mean(parts)} - (${mean(parts, before)} or 0 * ${mean(parts)})`;
  return naming(lead, label, percentOf(rise, `(${mean(whole)} - ${mean(whole, before)} > 0)`));
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
