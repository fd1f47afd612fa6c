import type { IncomingMessage } from 'node:http';
import type { Instant } from '../catalog/day.ts';
import type { ReadFigures } from '../page/org-figures.ts';
import { isIndexSort } from '../page/overview.ts';
import { contentOf, type PageContent, type PageRequest, renderPage } from '../page/page.ts';
import { isoText, type Readiness, statusJson } from '../page/status.ts';
import { pagePolicy } from '../page/style.ts';
import type { Clock } from '../work/clock.ts';
import type { ReloadOutcome } from '../work/reload.ts';
import { runInSlices } from '../work/slices.ts';
import {
  type ExpressRequest,
  type Handler,
  isRefused,
  negotiated,
  partsOf,
  respond,
  respondText,
} from './respond.ts';
import type { SharedAnswers, SharedBody } from './shared-answers.ts';

interface PageDeps {
  readonly answers: SharedAnswers;
  readonly figures: ReadFigures;
  readonly clock: Pick<Clock, 'slices'>;
}

/** Serves the HTML page of `/`: the figures and the state of the service. */
export function createPageHandler({
  answers,
  figures: readFigures,
  clock,
}: PageDeps): Handler<ExpressRequest> {
  async function render(asked: PageRequest, { orgs, index }: PageContent): Promise<string> {
    // Sorting the index needs the figures of all organizations.
    const shown = index === undefined ? orgs : answers.status().orgs;
    const names = shown.map(({ name }) => name);
    const figures = await readFigures(names, index === undefined ? 'full' : 'summary');
    // The state is read again, because the figures may have taken a moment.
    const status = answers.status();
    const content = contentOf(status, asked, figures) ?? { orgs, index };
    return runInSlices(renderPage(status, content, figures), clock, 1);
  }

  function bodyFor(url: string | undefined): Promise<SharedBody> | undefined {
    const asked = parsePageRequest(url);
    const content = contentOf(answers.status(), asked);
    if (content === undefined) return undefined;
    const { page, sort } = content.index ?? {};
    const key = asked.org === undefined ? `page ${page} ${sort}` : `organization ${asked.org}`;
    return answers.bodyOf(key, () => render(asked, content));
  }

  return sending('text/html', bodyFor, pagePolicy);
}

function parsePageRequest(url: string | undefined): PageRequest {
  const query = new URLSearchParams(partsOf(url)[1]);
  const page = Number(query.get('page') ?? 1);
  const sort = query.get('sort') ?? '';
  return {
    org: query.get('org')?.normalize(),
    page: Number.isSafeInteger(page) ? page : 1,
    sort: isIndexSort(sort) ? sort : undefined,
  };
}

/** The status and the figures as JSON. */
export function createStatusHandler({ answers, figures }: PageDeps): Handler<ExpressRequest> {
  async function render(): Promise<string> {
    const names = answers.status().orgs.map(({ name }) => name);
    const found = await figures(names, 'summary');
    return statusJson(answers.status(), found);
  }

  return sending('application/json', () => answers.bodyOf('status', render));
}

/**
 * Sends a shared body of one type, compressed if the client prefers that; responds 404 if there is none, and 406 to a client
 * that does not accept the type or any coding.
 */
function sending(
  type: string,
  bodyFor: (url: string | undefined) => Promise<SharedBody> | undefined,
  policy?: string,
): Handler<ExpressRequest> {
  return async (request, response) => {
    if (request.accepts(type) === false) {
      return respondText(response, 406, `Not acceptable. Available type: ${type}.`);
    }
    const body = await bodyFor(request.url);
    if (body === undefined) {
      return respondText(response, 404, 'No organization with this name is configured.');
    }
    const isCompressed = negotiated(request).gzip;
    if (!isCompressed && isRefused(request, response)) return;
    const bytes = isCompressed ? await body.gzip() : body.bytes;
    const coding = isCompressed ? ['Content-Encoding', 'gzip'] : [];
    const extra = ['Vary', 'Accept, Accept-Encoding', ...coding];
    respond(response, 200, `${type}; charset=utf-8`, bytes, extra, policy);
  };
}

/** Liveness: 200 whenever the process responds. */
export const healthy: Handler = (_request, response) => {
  respondText(response, 200, 'healthy');
};

/**
 * Readiness: 200 once the process can serve its data, and 503 before. If `mayList` allows it, the 503 lists what is missing, which
 * names organizations.
 */
export function createReadyHandler(
  readiness: () => Promise<Readiness>,
  mayList: (request: IncomingMessage) => boolean,
): Handler {
  return async (request, response) => {
    const { ready, waitingFor } = await readiness();
    if (ready) respondText(response, 200, 'ready');
    else if (mayList(request))
      respondText(response, 503, ['not ready, waiting for:', ...waitingFor].join('\n- '));
    else respondText(response, 503, 'not ready');
  };
}

/** An endpoint, or an organization, that is paused until an instant; a refresh does not end the pause. */
export interface PausedPart {
  readonly org: string;
  /** An endpoint, or `organization` for all of them. */
  readonly scope: string;
  readonly until: Instant;
  readonly error: { readonly message: string };
  /** Whether the exporter's own limit is the reason, not the platform. */
  readonly isOwnLimit?: boolean;
}

/** Starts `refresh` and answers 202 at once with what is paused. */
export function createRefreshHandler(deps: {
  refresh(): readonly PausedPart[];
  redact(text: string): string;
}): Handler {
  return (_request, response) => {
    const paused = deps.refresh().map(({ org, scope, until, error, isOwnLimit = false }) => {
      const what = scope === 'organization' ? `${org}, every endpoint` : `${org}, ${scope}`;
      const why = deps.redact(error.message);
      return `- ${what}: paused until ${isoText(until)} ${isOwnLimit ? `because ${why}` : `at the platform's request (${why})`}`;
    });
    respondText(response, 202, ['A run of every collector was requested.', ...paused].join('\n'));
  };
}

/** Reloads the configuration: 200 once it is in use, 500 with the reason if the previous one stays, or not all was applied. */
export function createReloadHandler(deps: {
  reload(): Promise<ReloadOutcome>;
  redact(text: string): string;
}): Handler {
  return async (_request, response) => {
    const outcome = await deps.reload();
    if (outcome.ok)
      respondText(response, 200, ['Configuration reloaded.', ...(outcome.notes ?? [])].join('\n'));
    else {
      const what = outcome.isInUse
        ? 'Configuration reloaded, but applying it was incomplete'
        : 'Reload failed; the previous configuration stays in use';
      respondText(response, 500, `${what}: ${deps.redact(outcome.problem)}`);
    }
  };
}

/** Refuses a lifecycle request where they are disabled. */
export const lifecycleDisabled: Handler = (_request, response) => {
  respondText(response, 403, 'Lifecycle requests are disabled. Enable them with --web.enable-lifecycle.');
};
