import { readFileSync } from 'node:fs';
import type { PreparedAnswer } from '../messages.ts';
import { serverOptions } from './process.ts';

/** The answer that this server repeats, read from the given file. */
export function preparedAnswer(): { readonly headers: string[]; readonly body: Buffer } {
  const { answer = '' } = serverOptions();
  const { headers, body } = JSON.parse(readFileSync(answer, 'utf8')) as PreparedAnswer;
  return { headers: [...headers], body: Buffer.from(body, 'base64') };
}
