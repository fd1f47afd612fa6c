import { hex, mix, textSeed } from '../random.ts';
import type { Answer, ApiRequest, Row } from '../types.ts';
import type { Refusal } from './rights.ts';

const LIFETIME_MS = 15 * 60_000;

/** Rows that are sent at once. */
const BATCH = 20;

/** The signed links of files; a link is good for 15 minutes. */
export function createLinks(seed: number, now: () => number) {
  const sign = (path: string, expiry: string) => hex(mix(seed ^ textSeed(path), textSeed(expiry)));
  return {
    /** The path with its signature. */
    signed(path: string): string {
      const expiry = new Date(now() + LIFETIME_MS).toISOString();
      return `${path}?se=${encodeURIComponent(expiry)}&sig=${sign(path, expiry)}`;
    },
    /** Answers a file; the signature is the only credential, and another one is refused. */
    answer(
      { url, authorization }: ApiRequest,
      rows: () => Iterable<Row>,
      refusal: Refusal | undefined,
    ): Answer {
      const [expiry, signature] = [url.searchParams.get('se') ?? '', url.searchParams.get('sig')];
      if (refusal !== undefined) return failed(refusal.status, 'ServerBusy', refusal.headers);
      if (authorization !== undefined) return failed(403, 'InvalidAuthenticationInfo');
      const isGood = signature === sign(url.pathname, expiry) && now() < Date.parse(expiry);
      if (!isGood) return failed(403, 'AuthenticationFailed');
      return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: lines(rows()) };
    },
  };
}

function failed(status: number, code: string, headers: Refusal['headers'] = {}): Answer {
  const body = [`<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`];
  return { status, headers: { 'content-type': 'application/xml', ...headers }, body };
}

/** Rows as lines of JSON, made while they are sent. */
function* lines(rows: Iterable<Row>): Iterable<string> {
  let batch: string[] = [];
  for (const row of rows) {
    batch.push(`${JSON.stringify(row)}\n`);
    if (batch.length < BATCH) continue;
    yield batch.join('');
    batch = [];
  }
  yield batch.join('');
}
