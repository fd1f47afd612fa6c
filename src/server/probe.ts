import type { Exposition } from '../exposition/exposition.ts';
import type { AnswerPage, Negotiate } from './answer-page.ts';
import { parseCollect } from './collect.ts';
import { rememberNegotiation } from './negotiation.ts';
import { type Handler, respondText } from './respond.ts';

export interface ProbeDeps {
  readonly exposition: Pick<Exposition, 'probe'>;
  readonly negotiate: Negotiate;
  readonly answerPage: AnswerPage;
  /** Whether the last run of every collector of an organization succeeded; undefined where there is no such one. */
  probe(org: string): boolean | undefined;
}

/**
 * Answers with one configured organization's series and `probe_success`. The target is looked up by name and never
 * taken for an address: no request leaves the process.
 */
export function createProbeHandler({ exposition, negotiate, answerPage, probe }: ProbeDeps): Handler {
  const negotiated = rememberNegotiation(negotiate);
  return (request, response) => {
    const url = request.url ?? '';
    const query = parseCollect(url);
    if ('problem' in query) {
      respondText(response, 400, query.problem);
      return;
    }
    const [org, another] = targetsOf(url);
    if (org === undefined || org === '' || another !== undefined) {
      respondText(response, 400, 'The name of one organization is needed, as in /probe?target=acme.');
      return;
    }
    const success = probe(org);
    if (success === undefined) {
      respondText(response, 404, 'No organization of this name is configured here.');
      return;
    }
    answerPage(request, response, exposition.probe({ ...negotiated(request), ...query, org, success }));
  };
}

function targetsOf(url: string): readonly string[] {
  const start = url.indexOf('?');
  return start === -1 ? [] : new URLSearchParams(url.slice(start + 1)).getAll('target');
}
