import type { CollectorStatus, OrgStatus, ServiceStatus } from '../status.ts';
import { count } from './format.ts';
import { type Html, html, moment } from './html.ts';
import { orgAnchor, orgPageHref } from './org.ts';

/** Above this number, failing collectors and pending items are counted instead of listed. */
const LISTED = 12;

interface Failing {
  readonly org: OrgStatus;
  readonly collector: CollectorStatus;
}

/**
 * Reports failing collectors, each with a link to its organization: on the same page if that shows all organizations,
 * else on its own page. Undefined if none fails.
 */
export function failureSummary(status: ServiceStatus, isOnPage: boolean): Html | undefined {
  const failing = failingOf(status.orgs);
  return failing.length > 0 ? failingSummary(status, failing, isOnPage) : undefined;
}

/** A one-sentence summary of the state if no collector fails. */
export function stateSummary(status: ServiceStatus): Html | undefined {
  if (failingOf(status.orgs).length > 0) return undefined;
  if (!status.ready.ready) return startingSummary(status);
  if (status.orgs.length === 0) {
    return box(
      'waiting',
      '…',
      'No organizations',
      'This process has no organizations to poll; other shards may.',
    );
  }
  const series = sum(status.orgs, (collector) => collector.series);
  if (status.role === 'follower') {
    return box(
      'ok',
      '✓',
      'Another replica polls',
      `This one publishes what is stored: ${counted(status.orgs)}, ${count(series, 'series')} served.`,
    );
  }
  return box(
    'ok',
    '✓',
    'All collectors succeed',
    `${counted(status.orgs)}, ${count(series, 'series')} served.`,
  );
}

/** Reports a configuration that was read but is invalid. */
export function configurationNotice({ configuration, now }: ServiceStatus): Html | undefined {
  if (configuration?.problem === undefined) return undefined;
  return html`<section class="summary failing" aria-labelledby="configuration">
<h2 id="configuration"><span class="mark" aria-hidden="true">✕</span> The changed configuration is not in use</h2>
<p>It is invalid: ${configuration.problem}</p>
<p>The configuration loaded ${moment(configuration.readAt, now)} stays in use.</p>
</section>`;
}

function failingSummary(status: ServiceStatus, failing: readonly Failing[], isOnPage: boolean): Html {
  const all = sum(status.orgs, () => 1);
  const links = failing
    .slice(0, LISTED)
    .map(
      ({ org, collector }) =>
        html`<li><a href="${isOnPage ? '' : orgPageHref(org.name)}#${orgAnchor(org)}">${org.name} ${collector.name}</a></li>`,
    );
  const isAnyFine = status.orgs.some(({ collectors }) =>
    collectors.some(({ failure, lastSuccessAt }) => failure === undefined && lastSuccessAt !== undefined),
  );
  const verb = failing.length === 1 ? 'fails' : 'fail';
  return box(
    'failing',
    '✕',
    `${failing.length} of ${count(all, 'collector')} ${verb}`,
    `${servedWords(failing)}${isAnyFine ? ' Other collectors are not affected.' : ''}`,
    html`<ul class="failures">${links}${more(failing.length)}</ul>`,
  );
}

function servedWords(failing: readonly Failing[]): string {
  if (failing.every(({ collector }) => collector.series === 0)) return 'They have no data to serve.';
  return 'Their last good data is served until it reaches the maximum age.';
}

function startingSummary(status: ServiceStatus): Html {
  const { waitingFor } = status.ready;
  const items = waitingFor.slice(0, LISTED).map((item) => html`<li>${item}</li>`);
  const list = html`<ul>${items}${more(waitingFor.length)}</ul>`;
  return box('waiting', '…', 'Starting', 'Not ready yet. Waiting for:', list);
}

function more(all: number): Html | undefined {
  return all > LISTED ? html`<li>and ${all - LISTED} more</li>` : undefined;
}

function box(kind: string, mark: string, title: string, sentence: string, rest?: Html): Html {
  return html`<section class="summary ${kind}" aria-labelledby="summary">
<h2 id="summary"><span class="mark" aria-hidden="true">${mark}</span> ${title}</h2>
<p>${sentence}</p>${rest}
</section>`;
}

function failingOf(orgs: readonly OrgStatus[]): Failing[] {
  return orgs.flatMap((org) =>
    org.collectors
      .filter((collector) => collector.failure !== undefined)
      .map((collector) => ({ org, collector })),
  );
}

function counted(orgs: readonly OrgStatus[]): string {
  return `${count(orgs.length, 'organization')}, ${count(
    sum(orgs, () => 1),
    'collector',
  )}`;
}

function sum(orgs: readonly OrgStatus[], of: (collector: CollectorStatus) => number): number {
  let total = 0;
  for (const org of orgs) for (const collector of org.collectors) total += of(collector);
  return total;
}
