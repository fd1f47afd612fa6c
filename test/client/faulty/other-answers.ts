import { gzipSync } from 'node:zlib';
import { errorAnswer } from '../../../src/sandbox/http/api.ts';
import { newReadinessPath, readinessPath } from '../../../src/sandbox/http/call.ts';
import type { Answer, Endpoint } from '../../../src/sandbox/types.ts';
import type { Faults } from './faults.ts';

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The answer of a fault in place of the right one, if any. */
export function otherAnswer(faults: Faults, endpoint: Endpoint, url: URL): Answer | undefined {
  return (
    badDay(faults, endpoint, url) ??
    page(faults) ??
    (faults.strikes('empty-body') && { status: 200, headers: JSON_TYPE, body: [] }) ??
    moved(faults, endpoint, url) ??
    hostileAnswer(faults, url)
  );
}

/** The answer, with another body if it is an error and a fault says so. */
export async function withOtherError(answer: Answer, faults: Faults): Promise<Answer> {
  const form = faults.strikes('error-body')?.detail;
  if (form === undefined || answer.status < 400) return answer;
  const { 'content-type': type, ...headers } = answer.headers;
  if (form === 'empty') return { ...answer, headers, body: [] };
  if (form === 'html') return { ...htmlAnswer(answer.status), headers: { ...headers, ...HTML_TYPE } };
  let body = '';
  for await (const piece of answer.body) body += piece;
  const message = /"(?:detail|message)":"([^"]*)"/.exec(body)?.[1] ?? '';
  return {
    ...answer,
    headers: { ...headers, ...JSON_TYPE },
    body: [JSON.stringify({ errors: [{ message }] })],
  };
}

const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };

function htmlAnswer(status: number): Answer {
  const title = status === 200 ? '200 Sign in' : `${status} Error`;
  const body = `<html>\n<head><title>${title}</title></head>\n<body><center><h1>${title}</h1></center></body>\n</html>\n`;
  return { status, headers: HTML_TYPE, body: [body] };
}

/** A day that breaks every range that contains it, and days that the platform no longer serves. */
function badDay(faults: Faults, endpoint: Endpoint, url: URL): Answer | undefined {
  const from = url.searchParams.get('startDate');
  const to = url.searchParams.get('endDate');
  if (from === null || to === null) return undefined;
  const oldest = faults.applies('oldest-day')?.detail;
  if (oldest !== undefined && from < oldest)
    return refused(endpoint, 400, `startDate must not be before ${oldest}`);
  for (const { detail } of faults.all('bad-day')) {
    const [day = '', status = '500'] = detail.split(':');
    if (from <= day && day <= to)
      return refused(endpoint, Number(status), `The data of ${day} could not be read`);
  }
  return undefined;
}

function page(faults: Faults): Answer | undefined {
  const fault = faults.strikes('html');
  return fault && htmlAnswer(Number(fault.detail));
}

function moved(faults: Faults, endpoint: Endpoint, url: URL): Answer | undefined {
  if (endpoint !== 'readiness') return undefined;
  const gone = faults.strikes('moved');
  if (gone !== undefined && url.pathname === readinessPath)
    return refused(endpoint, Number(gone.detail), `Not found: ${url.pathname}`);
  const elsewhere = faults.strikes('redirect-elsewhere');
  if (elsewhere !== undefined) return redirect(elsewhere.detail + newReadinessPath + url.search);
  const within = faults.strikes('redirect') !== undefined && url.pathname === readinessPath;
  return within ? redirect(newReadinessPath + url.search) : undefined;
}

/** An answer that costs its reader memory or time. */
function hostileAnswer(faults: Faults, url: URL): Answer | undefined {
  const bomb = faults.strikes('gzip-bomb');
  if (bomb !== undefined) return packed(Number(bomb.detail));
  const endless = faults.strikes('endless-body');
  if (endless !== undefined) return { status: 200, headers: JSON_TYPE, body: spaces(Number(endless.detail)) };
  const deep = faults.strikes('deep-json');
  if (deep !== undefined) return { status: 200, headers: JSON_TYPE, body: nested(Number(deep.detail)) };
  const big = faults.strikes('big-headers');
  if (big !== undefined) {
    const headers = { ...JSON_TYPE, 'x-padding': 'x'.repeat(Number(big.detail)) };
    return { status: 200, headers, body: ['{}'] };
  }
  return faults.strikes('redirect-loop') && redirect(url.pathname + url.search);
}

function refused(endpoint: Endpoint, status: number, detail: string): Answer {
  return errorAnswer(endpoint, { status, detail }, 'req_00000000');
}

function redirect(location: string): Answer {
  return { status: 308, headers: { location }, body: [] };
}

/** This much white space, one gzip member per mebibyte, followed by an empty listing. */
function packed(bytes: number): Answer {
  const member = gzipSync(Buffer.alloc(MEBIBYTE, ' '));
  const members = Array.from({ length: Math.ceil(bytes / MEBIBYTE) }, () => member);
  const body = Buffer.concat([...members, gzipSync('{"data":[]}')]);
  return { status: 200, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: [body] };
}

function* spaces(bytes: number): Generator<string> {
  yield '{"data":[';
  const piece = ' '.repeat(MEBIBYTE);
  for (let left = bytes; left > 0; left -= MEBIBYTE) yield piece;
  yield ']}';
}

function* nested(levels: number): Generator<string> {
  yield '{"data":[{"date":';
  yield '['.repeat(levels);
  yield ']'.repeat(levels);
  yield '}]}';
}
