/** An answer of the target. */
export interface Answer {
  readonly status: number;
  readonly contentType?: string | undefined;
  /** The beginning of the body. */
  readonly text: string;
  /** The wait that the target demands, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The meaning of an answer to a write request; `words` and `hint` contain nothing of the request. */
export type AnswerClass =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'later'; readonly words: string; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'refused'; readonly words: string; readonly hint: string };

/** In the words of Prometheus, Mimir, Cortex and VictoriaMetrics. */
const TOO_OLD = /too old sample|timestamp is too old|out of bounds|out[ -]of[ -]order|too far in the past/i;
const OTHER_VALUE = /duplicate sample|same timestamp/i;
/** With this word alone, Thanos answers 409 to samples out of order. */
const CONFLICT = /\bconflict\b/i;
const OTHER_VALUE_HINT =
  'The target already has another value for a sample. docs/backfill.md describes how to correct a day.';
const TOO_OLD_HINT =
  'The target rejects samples of this age. In Prometheus, set storage.tsdb.out_of_order_time_window to more than the age of the oldest day and reload, in Mimir limits.out_of_order_time_window; or start later with --from; or write blocks, see docs/backfill.md.';
const PAGE_HINT =
  'Check the URL, and that no login page or proxy answers for it. Nothing of this request counts as sent.';

/**
 * Classifies an answer. Rejections are recognized by their text first: Prometheus answers 400 to samples out of order or
 * out of bounds, but 500 to those before its window, and a retry helps neither. A 2xx with a web page comes from a login
 * page or a proxy: receivers of remote write answer without one.
 */
export function classifyAnswer(answer: Answer): AnswerClass {
  const { status } = answer;
  const isPage = isWebPage(answer);
  if (status >= 200 && status <= 299) {
    if (!isPage) return { kind: 'accepted' };
    return { kind: 'refused', words: `the target answered ${status} with a web page`, hint: PAGE_HINT };
  }
  const text = isPage ? '' : answer.text;
  const words = `the target answered ${status}${excerptOf(text)}`;
  if (OTHER_VALUE.test(text)) {
    return { kind: 'refused', words, hint: OTHER_VALUE_HINT };
  }
  if (TOO_OLD.test(text) || (status === 409 && CONFLICT.test(text))) {
    return { kind: 'refused', words, hint: TOO_OLD_HINT };
  }
  if (status === 429 || status >= 500) return { kind: 'later', words, retryAfterMs: answer.retryAfterMs };
  return { kind: 'refused', words, hint: hintOf(status) };
}

function isWebPage({ contentType = '', text }: Answer): boolean {
  const body = text.replace(/^\ufeff/, '').trimStart();
  // Some servers name HTML as the type of an empty body.
  return (
    body !== '' &&
    (/^(text\/html|application\/xhtml)/i.test(contentType) || /^<(!doctype|html)\b/i.test(body))
  );
}

function hintOf(status: number): string {
  if (status >= 300 && status <= 399) return PAGE_HINT;
  if (status === 401 || status === 403) {
    return 'Check --remote-write.bearer-token-file, or --remote-write.username and --remote-write.password-file; and --remote-write.header where the target has tenants.';
  }
  if (status === 404 || status === 405) {
    return 'Check the URL; Prometheus accepts remote write at /api/v1/write, with --web.enable-remote-write-receiver.';
  }
  return 'Check that the URL accepts Prometheus remote write 1.0.';
}

/** The first line of a body if it is text, without the labels of a series that it names. */
function excerptOf(text: string): string {
  const line = (text.split('\n', 1)[0] ?? '')
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/(\w)\{.*/, '$1{…}')
    .trim();
  return line === '' || line.startsWith('<') ? '' : `: ${line.slice(0, 200)}`;
}
