import { gzipSync } from 'node:zlib';
import type { RequestFaults } from '../faults/injector.ts';
import type { Answer } from './answer.ts';

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** An answer that costs its reader memory or time, if such a fault is active. */
export function hostileAnswer(faults: RequestFaults, url: URL): Answer | undefined {
  const bomb = faults.strikes('gzip-bomb');
  if (bomb !== undefined) return packed(Number(bomb.detail));
  const endless = faults.strikes('endless-body');
  if (endless !== undefined) return { status: 200, headers: JSON_TYPE, body: spaces(Number(endless.detail)) };
  const deep = faults.strikes('deep-json');
  if (deep !== undefined) return { status: 200, headers: JSON_TYPE, body: nested(Number(deep.detail)) };
  const headers = faults.strikes('big-headers');
  if (headers !== undefined) {
    return {
      status: 200,
      headers: { ...JSON_TYPE, 'x-padding': 'x'.repeat(Number(headers.detail)) },
      body: ['{}'],
    };
  }
  if (faults.strikes('redirect-loop') !== undefined) {
    return { status: 308, headers: { location: url.pathname + url.search }, body: [] };
  }
  return undefined;
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
