/** An answer of the target. */
export interface Answer {
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
  /** The wait that the target demands, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The meaning of an answer to a write request; `words` and `hint` contain nothing of the request. */
type AnswerClass =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'later'; readonly words: string }
  | { readonly kind: 'refused'; readonly words: string; readonly hint: string };

const TOO_OLD = /too old sample|out of bounds|out of order|too far in the past/i;
const OTHER_VALUE = /duplicate sample|same timestamp/i;

/**
 * Classifies an answer. Rejections are recognized by their text first: Prometheus answers 400 to samples out of order or
 * out of bounds, but 500 to those before its window, and a retry helps neither.
 */
export function classifyAnswer({ status, text }: Answer): AnswerClass {
  if (status >= 200 && status <= 299) return { kind: 'accepted' };
  const words = `the target answered ${status}${excerptOf(text)}`;
  if (TOO_OLD.test(text)) {
    return {
      kind: 'refused',
      words,
      hint: 'The target rejects samples of this age. In Prometheus, set storage.tsdb.out_of_order_time_window to more than the age of the oldest day and reload; or start later with --from; or write blocks, see docs/backfill.md.',
    };
  }
  if (OTHER_VALUE.test(text)) {
    return {
      kind: 'refused',
      words,
      hint: 'The target already has another value for a sample. docs/backfill.md describes how to correct a day.',
    };
  }
  if (status === 429 || status >= 500) return { kind: 'later', words };
  return { kind: 'refused', words, hint: hintOf(status) };
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) {
    return 'Check --remote-write.bearer-token-file, or --remote-write.username and --remote-write.password-file.';
  }
  if (status === 404 || status === 405) {
    return 'Check the URL; Prometheus accepts remote write at /api/v1/write, with --web.enable-remote-write-receiver.';
  }
  return 'Check that the URL accepts Prometheus remote write 1.0.';
}

/** The first line of a body, if it is short text. */
function excerptOf(text: string): string {
  const line = (text.split('\n', 1)[0] ?? '').replace(/[^\x20-\x7e]/g, ' ').trim();
  return line === '' || line.startsWith('<') ? '' : `: ${line.slice(0, 200)}`;
}
