import type { ServerResponse } from 'node:http';
import type { RequestFaults } from '../faults/injector.ts';
import type { Answer } from './answer.ts';

/** Sends an answer in pieces, yielding between them; applies `cut-off` and `malformed`. */
export async function send(
  response: ServerResponse,
  answer: Answer,
  faults: RequestFaults | undefined,
): Promise<void> {
  if (faults?.strikes('cut-off') !== undefined) return sendHalf(response, answer);
  response.writeHead(answer.status, answer.headers);
  if (faults?.strikes('malformed') !== undefined) {
    response.end([...answer.body].join('').replace(/.$/s, ',,'));
    return;
  }
  const slow = faults?.strikes('slow-body');
  if (slow !== undefined) return sendSlowly(response, answer, Number(slow.detail));
  for (const piece of answer.body) {
    if (response.destroyed) return;
    await (response.write(piece) ? immediately() : drained(response));
  }
  response.end();
}

function sendHalf(response: ServerResponse, answer: Answer): void {
  const whole = Buffer.from([...answer.body].join(''));
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': String(Math.max(2, whole.length)),
  });
  response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy());
}

async function sendSlowly(response: ServerResponse, answer: Answer, ms: number): Promise<void> {
  for (const byte of Buffer.from([...answer.body].join(''))) {
    if (response.destroyed) return;
    response.write(Buffer.from([byte]));
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  response.end();
}

function immediately(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
