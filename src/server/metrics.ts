import type { Exposition } from '../exposition/exposition.ts';
import type { AnswerPage, Negotiate } from './answer-page.ts';
import { parseCollect } from './collect.ts';
import { rememberNegotiation } from './negotiation.ts';
import { type Handler, respondText } from './respond.ts';

export interface MetricsDeps {
  readonly exposition: Pick<Exposition, 'scrape'>;
  readonly negotiate: Negotiate;
  readonly answerPage: AnswerPage;
}

/** Answers scrapes: chooses the format and hands out bytes that are there already. */
export function createMetricsHandler({ exposition, negotiate, answerPage }: MetricsDeps): Handler {
  const negotiated = rememberNegotiation(negotiate);
  return async (request, response) => {
    const query = parseCollect(request.url ?? '');
    if ('problem' in query) {
      respondText(response, 400, query.problem);
      return;
    }
    answerPage(request, response, await exposition.scrape({ ...negotiated(request), ...query }));
  };
}
