import type { Post, PostRequest } from '../post.ts';
import { classifyResponse } from './forward.ts';

/** The time limit, in milliseconds: generous, because a person wants to know whether a slow server answers at all. */
const TIMEOUT_MS = 10_000;

/**
 * Why an exporter would not take events with a token; undefined if it would. An empty batch verifies the token and counts as no
 * event. Rejects with an `HttpError` if there is no answer within ten seconds.
 */
export async function tokenProblem(
  { url, caFile, token }: Pick<PostRequest, 'url' | 'caFile'> & { readonly token: string },
  post: Post,
): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await post({ url, caFile, headers, body: '{"events":[]}', timeoutMs: TIMEOUT_MS });
  const verdict = classifyResponse(answer, 0);
  if (verdict.kind === 'taken') return undefined;
  if (verdict.kind === 'later') return verdict.why;
  return verdict.byIntake
    ? undefined
    : `${verdict.why}, but not as the exporter's hook intake would: check forward.url`;
}
