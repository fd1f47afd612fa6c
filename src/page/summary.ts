import { count, stateWords } from './format.ts';
import { type Html, html, moment } from './html.ts';
import { orgAnchor, orgPageHref } from './org.ts';
import type { CollectorState, CollectorStatus, OrgStatus, ServiceStatus } from './status.ts';

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
  if (failing.length === 0) return undefined;
  const collectors = collectorsOf(status);
  const links = failing
    .slice(0, LISTED)
    .map(
      ({ org, collector }) =>
        html`<li><a href="${isOnPage ? '' : orgPageHref(org.name)}#${orgAnchor(org)}">${org.name} ${collector.name}</a></li>`,
    );
  const isAnyFine = collectors.some(
    ({ failure, lastSuccessAt }) => failure === undefined && lastSuccessAt !== undefined,
  );
  const verb = failing.length === 1 ? 'fails' : 'fail';
  return box(
    'failing',
    `${failing.length} of ${count(collectors.length, 'collector')} ${verb}`,
    `${servedWords(failing)}${isAnyFine ? ' Other collectors are not affected.' : ''}`,
    html`<ul class="failures">${links}${more(failing.length)}</ul>`,
  );
}

/** A one-sentence summary of the state if no collector fails. */
export function stateSummary(status: ServiceStatus): Html | undefined {
  if (failingOf(status.orgs).length > 0) return undefined;
  if (!status.ready.ready) return startingSummary(status);
  if (status.orgs.length === 0) {
    return box('waiting', 'No organizations', 'This process has no organizations to poll; other shards may.');
  }
  const collectors = collectorsOf(status);
  const series = collectors.reduce((all, collector) => all + collector.series, 0);
  const counts = `${count(status.orgs.length, 'organization')}, ${count(collectors.length, 'collector')}`;
  const served = `${counts}, ${count(series, 'series')} served.`;
  if (status.role === 'follower') {
    return box('ok', 'Another replica polls', `This one publishes what is stored: ${served}`);
  }
  return box('ok', 'All collectors succeed', served);
}

/** Reports a store that cannot be used, which collectors that do not run have not met yet. */
export function storeNotice({ storeUp }: ServiceStatus): Html | undefined {
  if (storeUp !== false) return undefined;
  const sentence = 'Published data stays; polling and hook events wait. The log names the reason.';
  return box('failing', 'The store cannot be used', sentence, undefined, 'store');
}

/** Reports a configuration that was read but is invalid. */
export function configurationNotice({ configuration, now }: ServiceStatus): Html | undefined {
  if (configuration?.problem === undefined) return undefined;
  const former = html`
<p>The configuration loaded ${moment(configuration.readAt, now)} stays in use.</p>`;
  const problem = `It is invalid: ${configuration.problem}`;
  return box('failing', 'The changed configuration is not in use', problem, former, 'configuration');
}

function servedWords(failing: readonly Failing[]): string {
  if (failing.every(({ collector }) => collector.series === 0)) return 'They have no data to serve.';
  return 'Their last good data is served until it reaches the maximum age.';
}

function startingSummary(status: ServiceStatus): Html {
  const { waitingFor } = status.ready;
  const items = waitingFor.slice(0, LISTED).map((item) => html`<li>${item}</li>`);
  const list = html`<ul>${items}${more(waitingFor.length)}</ul>`;
  return box('waiting', 'Starting', 'Not ready yet. Waiting for:', list);
}

function more(all: number): Html | undefined {
  return all > LISTED ? html`<li>and ${all - LISTED} more</li>` : undefined;
}

/** A box in the colour and with the mark of a state; `id` is unique on the page. */
function box(state: CollectorState, title: string, sentence: string, rest?: Html, id = 'summary'): Html {
  return html`<section class="summary ${state}" aria-labelledby="${id}">
<h2 id="${id}"><span class="mark" aria-hidden="true">${stateWords[state].mark}</span> ${title}</h2>
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

function collectorsOf({ orgs }: ServiceStatus): readonly CollectorStatus[] {
  return orgs.flatMap(({ collectors }) => collectors);
}
