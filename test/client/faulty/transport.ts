import type { Answer } from '../../../src/sandbox/types.ts';
import type { Faults } from './faults.ts';

/** The answer as `cut-off`, `malformed` and `slow-body` let it arrive. */
export async function transported(answer: Answer, faults: Faults): Promise<Answer> {
  if (faults.strikes('cut-off') !== undefined) {
    const whole = await wholeOf(answer);
    const headers = { ...answer.headers, 'content-length': String(Math.max(2, whole.length)) };
    return { ...answer, headers, body: firstHalf(whole) };
  }
  if (faults.strikes('malformed') !== undefined) {
    const whole = await wholeOf(answer);
    return { ...answer, body: [whole.toString().replace(/.$/s, ',,')] };
  }
  const slow = faults.strikes('slow-body');
  if (slow === undefined) return answer;
  return { ...answer, body: oneByOne(await wholeOf(answer), Number(slow.detail)) };
}

async function wholeOf({ body }: Answer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece as string));
  return Buffer.concat(pieces);
}

function* firstHalf(whole: Buffer): Generator<Buffer> {
  yield whole.subarray(0, Math.floor(whole.length / 2));
  throw new Error('cut off');
}

async function* oneByOne(whole: Buffer, ms: number): AsyncGenerator<Buffer> {
  for (const byte of whole) {
    yield Buffer.from([byte]);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
