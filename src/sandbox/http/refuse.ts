import type { Answer } from '../types.ts';

/** An error of the API, instead of the answer that was asked for. */
interface Refusal extends Pick<Answer, 'status' | 'headers'> {
  readonly message: string;
}

/** Throws an error of the API. */
export function refuse(status: number, message: string, headers: Answer['headers'] = {}): never {
  throw Object.assign(new Error(message), { status, headers });
}

/** What `refuse` threw; anything else is thrown again. */
export function refusalIn(thrown: unknown): Refusal {
  if (thrown instanceof Error && 'status' in thrown) return thrown as Error & Refusal;
  throw thrown;
}
