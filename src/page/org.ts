import type { Instant } from '../catalog/day.ts';
import { DEFAULT_TITLE } from '../catalog/settings.ts';
import { count, groupDigits, reasonWords, stateWords } from './format.ts';
import { cell, columnHead, dataDay, type Html, html, moment, table } from './html.ts';
import type { CollectorFailure, CollectorStatus, OrgStatus } from './status.ts';

/** The published documentation; generated from project.json. */
const documentationUrl =
  'https://forge.example.com/agent-platform-exporter/agent-platform-exporter/blob/main/docs';

/** Matches the method and path with which the message of a failed request begins. */
const REQUEST = /^[A-Z]+ \/\S* /;

const COLUMNS = ['Collector', 'State', 'Data of', 'Last success', 'Duration', 'Next run', 'Series'] as const;

/** The id (URL fragment) of an organization on the HTML page. */
export function orgAnchor(org: OrgStatus): string {
  return `org-${encodeURIComponent(org.name.toWellFormed())}`;
}

/** The link from any HTML page to the page of one organization. */
export function orgPageHref(name: string): string {
  return `?org=${encodeURIComponent(name.toWellFormed())}`;
}

/** Finds the title of an organization's platform, if `all` are on several. */
export function platformTitles(all: readonly OrgStatus[]): (org: OrgStatus) => string | undefined {
  const isOne = new Set(all.map(({ platform }) => platform.name)).size < 2;
  return ({ platform }) => (isOne ? undefined : (platform.title ?? DEFAULT_TITLE));
}

/** A table of one organization's collectors. */
export function orgSection(org: OrgStatus, now: Instant): Html {
  const id = orgAnchor(org);
  const byCause = Map.groupBy(org.collectors, causeOf);
  const rows = org.collectors.map((collector) =>
    collectorRows(collector, byCause.get(causeOf(collector)) ?? [], now),
  );
  const isOpen = org.collectors.some(isNoteworthy);
  return html`<details class="org" id="${id}"${isOpen ? { markup: ' open' } : undefined}>
<summary><h2 id="${id}-title">Collectors of ${org.name}</h2> <span class="about">${orgWords(org)}</span></summary>
${table(
  `${id}-title`,
  COLUMNS.map((title) => columnHead(title)),
  rows,
)}
</details>
`;
}

/** Collectors that fail, or that have not succeeded yet. */
function isNoteworthy({ failure, lastSuccessAt, published }: CollectorStatus): boolean {
  return failure !== undefined || lastSuccessAt === undefined || !published;
}

/** How much of the history is known; undefined once all days are known that the platform can have. */
export function progress({ collectors }: OrgStatus): Html | undefined {
  const unknown = collectors.filter(({ uncoveredDays = 0, awaitedDays = 0 }) => uncoveredDays > awaitedDays);
  const [slowest] = unknown.sort((one, other) => (other.uncoveredDays ?? 0) - (one.uncoveredDays ?? 0));
  if (slowest?.historyDays === undefined) return undefined;
  const { historyDays, uncoveredDays = 0, name } = slowest;
  const known = historyDays - uncoveredDays;
  return html`<p class="progress"><progress max="${historyDays}" value="${known}" aria-label="History of ${name}"></progress>
History: ${groupDigits(known)} of ${count(historyDays, 'day')} (${name}).</p>`;
}

function orgWords({ platform, apiHost, orgId, collectors, requestsToday }: OrgStatus): string {
  const words = [
    platform.title,
    apiHost,
    orgId,
    count(collectors.length, 'collector'),
    healthWords(collectors),
    requestsToday && requestWords(requestsToday),
  ];
  return words.filter((word) => word !== undefined && word !== '').join(' · ');
}

function requestWords({ sent, limit }: NonNullable<OrgStatus['requestsToday']>): string {
  if (limit === undefined) return `${count(sent, 'request')} today`;
  return `${groupDigits(sent)} of ${count(limit, 'request')} today`;
}

/** The health of an organization's collectors in two or three words. */
export function healthWords(collectors: readonly CollectorStatus[]): string {
  const failing = collectors.filter((collector) => collector.failure !== undefined).length;
  if (failing > 0) return `${failing} failing`;
  const untried = collectors.filter((collector) => collector.lastSuccessAt === undefined).length;
  return untried > 0 ? `${untried} not run yet` : 'all OK';
}

/** The text of a failure without the request's path, so that collectors that fail for the same cause have the same text. */
function causeOf({ failure }: CollectorStatus): string | undefined {
  return failure && JSON.stringify([failure.reason, failure.message.replace(REQUEST, ''), failure.hint]);
}

/** A collector's row; the cause of a failure is below the first of the collectors that share it. */
function collectorRows(collector: CollectorStatus, sharing: readonly CollectorStatus[], now: Instant): Html {
  const { failure } = collector;
  const [first = collector] = sharing;
  return html`<tr role="row">
<th scope="row" role="rowheader">${collector.name} <small>${collector.description}</small></th>
${cell(COLUMNS[1], stateCell(collector, first))}
${cell(COLUMNS[2], dataCell(collector, now))}
${cell(COLUMNS[3], moment(collector.lastSuccessAt, now))}
${cell(COLUMNS[4], durationCell(collector))}
${cell(COLUMNS[5], moment(collector.nextRunAt, now, 'not planned'))}
${cell(COLUMNS[6], html`${groupDigits(collector.series)}`)}
</tr>${failure && first === collector ? failureRow(failure, sharing, now) : undefined}${fieldsRow(collector)}`;
}

function stateCell(collector: CollectorStatus, first: CollectorStatus): Html {
  const { word, mark } = stateWords[collector.state];
  const retrying = collector.state === 'running' && collector.failure !== undefined;
  const kind = retrying ? 'failing' : collector.state;
  const like =
    collector.failure && first !== collector ? html` <small>like ${first.name}</small>` : undefined;
  return html`<span class="state ${kind}"><span class="mark" aria-hidden="true">${mark}</span> ${
    retrying ? 'Failing, retrying' : word
  }</span>${like}`;
}

function durationCell({ lastDurationSeconds: seconds }: CollectorStatus): Html {
  if (seconds === undefined) return html`<span class="none">none yet</span>`;
  return html`<data value="${seconds}">${seconds.toLocaleString('en-US', { maximumSignificantDigits: 2 })} s</data>`;
}

function dataCell(collector: CollectorStatus, now: Instant): Html {
  if (!collector.published) {
    return html`<span class="withdrawn">Withdrawn</span> <small>the last good data is too old</small>`;
  }
  const missing =
    collector.uncoveredDays === undefined || collector.uncoveredDays === 0
      ? undefined
      : html` <small>${count(collector.uncoveredDays, 'day')} not known yet</small>`;
  if (collector.dataDay !== undefined) return html`${dataDay(collector.dataDay, now)}${missing}`;
  return html`<span class="none">${collector.lastSuccessAt === undefined ? 'nothing yet' : 'current state'}</span>${missing}`;
}

/** What has changed in the platform's answers. */
function fieldsRow({ unknownFields, missingFields }: CollectorStatus): Html | undefined {
  const words = [
    unknownFields && `not read: ${unknownFields.join(', ')}`,
    missingFields && `no longer sent: ${missingFields.join(', ')}`,
  ].filter((one) => one !== undefined);
  return words.length === 0 ? undefined : wideRow('fields', html`<p>Fields ${words.join('; ')}.</p>`);
}

function wideRow(kind: string, content: Html): Html {
  return html`<tr role="row" class="${kind}"><td role="cell" colspan="${COLUMNS.length}"><div>${content}</div></td></tr>`;
}

function failureRow(failure: CollectorFailure, sharing: readonly CollectorStatus[], now: Instant): Html {
  const names = sharing.map(({ name }) => name).join(', ');
  const concerned = sharing.length > 1 ? html`<p>Collectors concerned: ${names}.</p>` : undefined;
  const since = Math.min(...sharing.map((one) => one.failure?.since ?? failure.since));
  const hint =
    failure.hint === undefined ? undefined : html`<p><strong>What to do:</strong> ${failure.hint}</p>`;
  const content = html`
<p><strong>${reasonWords[failure.reason]}</strong>, since ${moment(since, now)}.</p>${concerned}
<p class="message">${failure.message}</p>${hint}
<p><a href="${documentationUrl}/troubleshooting.md#reason-${failure.reason}">Documentation of the reason ${failure.reason}</a></p>
`;
  return wideRow('failure', content);
}
