import type { FaultKind } from '../../../src/sandbox/faults.ts';

const whole = { allows: /^[1-9]\d{0,11}$/, words: 'a positive whole number' };
const sizes = { ...whole, fallback: '16777216' };
const gigabyte = { ...whole, fallback: '1073741824' };

/** Damaged and hostile answers, which tests, storms, the soak and the benchmark ask for. */
const kinds = {
  'bad-day': {
    takes: 'detail',
    meaning: 'every range that contains this day is answered 500, or another error (bad-day=2026-11-19:400)',
    detail: {
      allows: /^\d{4}-\d{2}-\d{2}(:[45]\d\d)?$/,
      words: 'a day such as 2026-11-19, optionally followed by a colon and a status from 400 to 599',
    },
  },
  'oldest-day': {
    takes: 'detail',
    meaning: 'ranges that begin before this day are answered 400 (oldest-day=2026-09-01)',
    detail: { allows: /^\d{4}-\d{2}-\d{2}$/, words: 'a day such as 2026-09-01' },
  },
  close: { takes: 'rate', meaning: 'closes the connection without an answer' },
  'cut-off': { takes: 'rate', meaning: 'closes the connection in the middle of the body' },
  malformed: { takes: 'rate', meaning: 'sends a body that is not JSON' },
  html: {
    takes: 'rate',
    meaning: 'answers with an HTML page, with status 502 or another (html=0.1:200)',
    detail: { fallback: '502', allows: /^[2-5]\d\d$/, words: 'a status from 200 to 599' },
  },
  'empty-body': { takes: 'rate', meaning: 'answers 200 with no body at all' },
  'error-body': {
    takes: 'detail',
    meaning: 'errors have another body (error-body=errors, =html or =empty)',
    detail: { fallback: 'errors', allows: /^(errors|html|empty)$/, words: 'errors, html or empty' },
  },
  oversize: {
    takes: 'detail',
    meaning: 'adds that many bytes to each day of analytics, or to each other body (oversize=16777216)',
    detail: sizes,
  },
  redirect: {
    takes: 'nothing',
    meaning: 'the readiness listing answers 308 to its other path on the same host',
  },
  moved: {
    takes: 'detail',
    meaning:
      'the readiness listing has its other path only; the old one answers 404, or another error (moved=410)',
    detail: { fallback: '404', allows: /^(404|405|410)$/, words: '404, 405 or 410' },
  },
  'redirect-elsewhere': {
    takes: 'detail',
    meaning: 'the readiness listing answers 308 to another host (redirect-elsewhere=http://host:port)',
    detail: {
      fallback: 'http://elsewhere.invalid',
      allows: /^https?:\/\/[^/@]+$/,
      words: 'an origin such as http://host:port',
    },
  },
  'repeated-cursor': { takes: 'nothing', meaning: '/users always returns the cursor of the request' },
  'null-cursor': { takes: 'nothing', meaning: 'the last page of /users has a next_cursor of null' },
  'ignore-limit': { takes: 'nothing', meaning: 'pages contain everything, regardless of limit' },
  'limit-cap': {
    takes: 'detail',
    meaning: 'pages contain at most that many users or reports, regardless of limit (limit-cap=10)',
    detail: { ...whole, fallback: '10' },
  },
  'ignore-start-after': {
    takes: 'nothing',
    meaning: 'the readiness listing always starts from the newest report',
  },
  'oldest-first': { takes: 'nothing', meaning: 'the readiness listing is sorted oldest first' },
  'clock-behind': {
    takes: 'detail',
    meaning: "the platform's clock is that many hours behind (clock-behind=3)",
    detail: { allows: /^\d{1,4}(\.\d+)?$/, words: 'a number of hours' },
  },
  'no-by-model': { takes: 'nothing', meaning: 'rows of /tokens lack by_model and by_user' },
  'null-numerators': { takes: 'nothing', meaning: 'half the readiness criteria are skipped' },
  'other-org': {
    takes: 'rate',
    meaning: 'answers are those of another organization, including its identifier',
  },
  'bad-rows': {
    takes: 'rate',
    usually: 0.2,
    meaning: 'rows with negative numbers, numbers as text, nulls, NaN, a missing date or of another type',
  },
  'huge-numbers': { takes: 'rate', usually: 0.3, meaning: 'rows with numbers near the end of the range' },
  'worse-again': {
    takes: 'rate',
    meaning: 'rows that were sent before have an unusable number when they are sent again',
  },
  'doubled-days': {
    takes: 'rate',
    usually: 0.2,
    meaning: 'each day has two rows with different numbers',
  },
  'strange-dates': {
    takes: 'rate',
    usually: 0.2,
    meaning: 'rows have a date that was not requested, or an invalid one',
  },
  'odd-paging': {
    takes: 'detail',
    meaning: 'has_more and next_cursor of /users are of another type (odd-paging=text)',
    detail: {
      fallback: 'text',
      allows: /^(text|number|list|object|null|missing)$/,
      words: 'text, number, list, object, null, missing',
    },
  },
  'wiki-shape': {
    takes: 'detail',
    meaning: 'the wiki listing has another shape (wiki-shape=bare, =data, =runs or =unknown)',
    detail: {
      allows: /^(wikiRuns|bare|data|runs|unknown)$/,
      words: 'wikiRuns, bare, data, runs, unknown',
    },
  },
  'gzip-bomb': {
    takes: 'detail',
    meaning: 'sends a small compressed body that decompresses to that many bytes (gzip-bomb=1073741824)',
    detail: gigabyte,
  },
  'endless-body': {
    takes: 'detail',
    meaning: 'sends a body of that many bytes (endless-body=1073741824)',
    detail: gigabyte,
  },
  'slow-body': {
    takes: 'detail',
    meaning: 'sends the body byte by byte, that many milliseconds apart (slow-body=1000)',
    detail: { ...whole, fallback: '1000' },
  },
  'deep-json': {
    takes: 'detail',
    meaning: 'sends arrays nested that many levels deep (deep-json=100000)',
    detail: { ...whole, fallback: '100000' },
  },
  'big-headers': {
    takes: 'detail',
    meaning: 'sends headers of that many bytes (big-headers=65536)',
    detail: { ...whole, fallback: '65536' },
  },
  'redirect-loop': { takes: 'nothing', meaning: 'answers 308 to the same URL, indefinitely' },
  'endless-pages': {
    takes: 'nothing',
    meaning: 'the readiness listing never ends: each page is followed by another one with new reports',
  },
  'many-names': {
    takes: 'detail',
    meaning: 'each breakdown of a row has that many additional, new names (many-names=100000)',
    detail: { ...whole, fallback: '100000' },
  },
  'long-names': {
    takes: 'detail',
    meaning: 'names in breakdowns of rows are that many characters longer (long-names=100000)',
    detail: { ...whole, fallback: '100000' },
  },
  'odd-keys': {
    takes: 'nothing',
    meaning: 'rows and their nested objects have members named __proto__, constructor and the like',
  },
} as const satisfies Readonly<Record<string, Omit<FaultKind, 'name'>>>;

export type Damage = keyof typeof kinds;

/** The faults of the layer, with a line of explanation each. */
export const damageKinds: readonly FaultKind[] = Object.entries(kinds).map(([name, kind]) => ({
  name,
  ...kind,
}));
