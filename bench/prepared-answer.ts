import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { PreparedAnswer } from './messages.ts';

/** The headers that node:http itself adds to every answer. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive']);

/** Scrapes once, for another server to repeat the answer byte for byte. */
export async function fetchPrepared(port: number): Promise<PreparedAnswer> {
  const { headers, body } = await fetchAnswer(port);
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name = '', value = ''] = headers.slice(index, index + 2);
    if (!OWN_HEADERS.has(name.toLowerCase())) kept.push(name, value);
  }
  return { headers: kept, body: body.toString('base64') };
}

/** Scrapes once and counts the series about the platform, that is, all but the process's own. */
export async function countSeries(port: number): Promise<number> {
  const { body } = await fetchAnswer(port);
  const text = gunzipSync(body).toString('latin1');
  return text.match(/^agent_platform_(?!exporter_)/gm)?.length ?? 0;
}

function fetchAnswer(port: number): Promise<{ readonly headers: readonly string[]; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const request = get({ host: '127.0.0.1', port, path: '/metrics', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        if (response.headers['content-encoding'] === 'gzip') {
          resolve({ headers: response.rawHeaders, body: Buffer.concat(chunks) });
        } else {
          reject(new Error('the answer to a scrape is not compressed'));
        }
      });
    });
    request.on('error', reject);
  });
}
