import type { DatasetName } from '../catalog/dataset.ts';
import type { ApiAnswer, ApiRequest } from '../catalog/source.ts';
import type { PlatformError } from '../runtime/errors.ts';

/** Whether trying again can help; `once`: a second failure of this kind in the same effort is final. */
export type Retry = 'never' | 'once' | 'always';

export interface Failure {
  readonly ok: false;
  readonly error: PlatformError;
  readonly retry: Retry;
  /** How long the server asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

export type Outcome = { readonly ok: true; readonly answer: ApiAnswer } | Failure;

/** One try of a request, `budgetMs` milliseconds long at most; failures are values, it never throws. */
export type Attempt = (request: ApiRequest, budgetMs: number) => Promise<Outcome>;

/** What counts the traffic; called once per attempt that reached for the network, and once per retry. */
export interface RequestObserver {
  /** `code`: the HTTP status as text, `timeout` or `network`. */
  request(event: { org: string; endpoint: DatasetName; code: string; seconds: number }): void;
  retry(event: { org: string; endpoint: DatasetName }): void;
}
