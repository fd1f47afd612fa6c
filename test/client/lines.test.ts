import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type RowsRequest, UnexpectedAnswer } from '../../src/catalog/source.ts';
import type { Client } from '../../src/client/client.ts';
import { readLines } from '../../src/client/lines.ts';
import { createReadingMemory, type ReadingMemory } from '../../src/client/reading-memory.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  type Answer,
  answers,
  createTestClient,
  failureOf,
  startServer,
  tokensRequest,
} from './platform-server.ts';

const MIB = 1024 * 1024;

const all: RowsRequest<unknown[]> = {
  ...tokensRequest(),
  start: () => [],
  add: (sum, row) => void sum.push(row),
};

/** Counts rows, and keeps none. */
const counted: RowsRequest<{ rows: number }> = {
  ...tokensRequest(),
  start: () => ({ rows: 0 }),
  add: (sum) => {
    sum.rows += 1;
  },
};

async function rowsOf(client: Client): Promise<readonly unknown[] | undefined> {
  return (await client.lines(all))?.sums.flat();
}

/** Writes parts in turn, each once the one before has left. */
async function sendAll(response: Parameters<Answer>[1], parts: Iterable<string | Buffer>): Promise<void> {
  await pipeline(Readable.from(parts), response).catch(() => undefined); // The client may close first.
}

describe('a body of lines', () => {
  test.each([
    ['rows', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['a last row without an end', '{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }]],
    ['ends of two characters', '{"a":1}\r\n{"a":2}\r\n', [{ a: 1 }, { a: 2 }]],
    ['blank lines', '\n{"a":1}\n \n\n{"a":2}\n\t\n', [{ a: 1 }, { a: 2 }]],
    ['a byte order mark', '\uFEFF{"a":1}\n', [{ a: 1 }]],
    ['what JSON does not have', '{"a":NaN}\n{"a":-Infinity}\n', [{ a: Infinity }, { a: Infinity }]],
    ['newlines in strings', '{"a":"\\n"}\n["\\u000a"]\n', [{ a: '\n' }, ['\n']]],
    ['values of any kind', '1\nnull\n"x"\n[]\n', [1, null, 'x', []]],
  ])('of %s is read row by row', async (_case, body, rows) => {
    const server = await startServer(answers({ headers: { 'content-type': 'application/x-ndjson' }, body }));
    const { client, codes } = createTestClient(server.url);
    expect(await client.lines(all)).toEqual({ sums: [rows], bytes: Buffer.byteLength(body) });
    expect(codes).toEqual(['200']);
  });

  test.each([false, true])('is the same however it is cut into parts, compressed: %s', async (isPacked) => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ name: `zoë ${index} 名前 🦀` }));
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const body = isPacked ? gzipSync(text) : Buffer.from(text);
    const server = await startServer((_request, response) => {
      response.writeHead(200, isPacked ? { 'content-encoding': 'gzip' } : {});
      void sendAll(
        response,
        Array.from(body, (byte) => Buffer.from([byte])),
      );
    });
    const { client } = createTestClient(server.url);
    expect(await client.lines(all)).toEqual({ sums: [rows], bytes: Buffer.byteLength(text) });
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
  });

  test('of compressed members is read to its end', async () => {
    const packed = Buffer.concat([gzipSync('{"a":1}\n'), gzipSync('{"a":2}\n')]);
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'x-gzip' }).end(packed);
    });
    expect(await rowsOf(createTestClient(server.url).client)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('that is not there yet is undefined, where the request says that it may be so', async () => {
    const server = await startServer(answers({ status: 204, body: '' }));
    const { client } = createTestClient(server.url, { retries: 0 });
    expect(await client.lines({ ...all, mayBeUnready: true })).toBeUndefined();
    expect(await failureOf(client.lines(all))).toMatchObject({ status: 204 });
  });

  test('is passed on while the rest is still on its way', async () => {
    let finish = () => {};
    const server = await startServer((_request, response) => {
      response.write('{"a":1}\n{"a"');
      finish = () => void response.end(':2}\n');
    });
    const { client } = createTestClient(server.url);
    const seen: unknown[] = [];
    const reading = client.lines({ ...all, add: (_sum, row) => void seen.push(row) });
    await waitFor(() => seen.length > 0);
    expect(seen).toEqual([{ a: 1 }]);
    finish();
    await reading;
    expect(seen).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('is read in slices, and the rows of one are taken before the next is read', async () => {
    const server = await startServer(answers({ body: '{"a":1}\n'.repeat(1_000) }));
    let turns = 0;
    let taken = 0;
    const most = { between: 0 };
    const slices = {
      over: () => false,
      async next() {
        turns += 1;
        most.between = Math.max(most.between, taken);
        taken = 0;
      },
      place: () => 1,
    };
    const { client } = createTestClient(server.url, { clock: { ...createSystemClock(), slices } });
    await client.lines({
      ...counted,
      add: () => {
        taken += 1;
      },
    });
    expect(turns).toBeGreaterThanOrEqual(1_000);
    expect(most.between).toBe(1);
  });

  test('takes the memory of a line, and gives it back', async () => {
    const line = `${JSON.stringify({ text: 'x'.repeat(100_000) })}\n`;
    const server = await startServer(answers({ body: line.repeat(50) }));
    const shared = createReadingMemory();
    const seen = { most: 0, ended: 0 };
    const memory: ReadingMemory = {
      open(owner, bytes) {
        const share = shared.open(owner, bytes);
        return {
          most: share.most,
          grow: (wanted, signal) => {
            seen.most = Math.max(seen.most, wanted);
            return share.grow(wanted, signal);
          },
          end: () => {
            seen.ended += 1;
            share.end();
          },
        };
      },
    };
    const { client } = createTestClient(server.url, { memory });
    await client.lines(counted);
    expect(seen.most).toBeLessThan(5 * line.length);
    expect(seen.most).toBeGreaterThan(line.length);
    expect(seen.ended).toBeGreaterThan(0);
  });

  test('stays in the sender while the reader waits', async () => {
    const line = `${JSON.stringify({ text: 'x'.repeat(64 * 1024) })}\n`;
    let sent = 0;
    const server = await startServer((_request, response) => {
      function* lines() {
        for (let nth = 0; nth < 1_100; nth += 1) {
          sent += line.length;
          yield line;
        }
      }
      void sendAll(response, lines());
    });
    const memory = createReadingMemory();
    // Another answer has all memory but one share's, and a third the rest: the reading waits for its first line.
    const others = [memory.open('other', MIB), memory.open('third', MIB)];
    const { signal } = new AbortController();
    for (const other of others) await other.grow(other.most, signal);
    const { client } = createTestClient(server.url, { memory, maxResponseBytes: MIB });
    const reading = client.lines(counted);
    await waitFor(() => sent > 0);
    // A reader that does not wait may rest for a look or two.
    const looks: number[] = [];
    await waitFor(() => looks.push(sent) > 6 && looks.slice(-6).every((seen) => seen === sent));
    expect(sent).toBeLessThan(60 * MIB);
    for (const other of others) other.end();
    expect((await reading)?.sums).toEqual([{ rows: 1_100 }]);
  });
});

describe('a body of lines that is not whole', () => {
  test.each([
    ['is cut within a row', '{"a":1}\n{"a":2', 'an incomplete last line', 'too early'],
    ['has a row that is no JSON', '{"a":1}\n{"a":2]\n{"a":3}\n', 'row 2, which is not JSON', 'login page'],
    ['has half a row in its midst', '{"a":1}\n{"a":\n{"a":3}\n', 'row 2, which is not JSON', 'login page'],
    ['is a page', '<html><title>secret</title></html>', 'row 1, which is not JSON', 'login page'],
    ['is empty', '', 'an empty body', 'login page'],
    ['is blank', ' \n\r\n', 'an empty body', 'login page'],
  ])(
    'because it %s is a failure as a whole after one retry, and is not quoted',
    async (_case, body, words, hint) => {
      const server = await startServer(answers({ body }));
      const { client, codes } = createTestClient(server.url);
      const error = await failureOf(client.lines(all));
      expect(error).toMatchObject({ reason: 'schema', status: 200, hint: expect.stringContaining(hint) });
      expect(error.message).toBe(`GET /api/v1/analytics/tokens answered 200 with ${words}`);
      expect(codes).toEqual(['200', '200']);
    },
  );

  test.each([
    ['shorter than announced', 'plain'],
    ['a stream that breaks off', 'chunked'],
    ['compressed and breaks off', 'gzip'],
    ['compressed and ends without its trailer', 'trailer'],
    ['compressed and damaged', 'damaged'],
  ])('because it is %s is asked for again, and its rows count once', async (_case, kind) => {
    const text = '{"a":1}\n{"a":2}\n';
    const packed = gzipSync(text);
    const server = await startServer((_request, response, count) => {
      if (count > 1) return void response.end(text);
      if (kind === 'plain') response.writeHead(200, { 'content-length': 100 });
      else if (kind !== 'chunked') response.writeHead(200, { 'content-encoding': 'gzip' });
      if (kind === 'trailer') return void response.end(packed.subarray(0, -8));
      if (kind === 'damaged')
        return void response.end(Buffer.concat([packed.subarray(0, -6), Buffer.from('123456')]));
      response.write(kind === 'gzip' ? packed.subarray(0, -8) : text, () => response.destroy());
    });
    const { client, codes } = createTestClient(server.url);
    expect(await rowsOf(client)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(codes).toEqual(['network', '200']);
  });

  test('because of the rate is asked for again when the platform says so', async () => {
    const server = await startServer(
      answers({ status: 429, headers: { 'retry-after': '3' } }, { status: 503 }, { body: '{"a":1}\n' }),
    );
    const { client, codes, retried } = createTestClient(server.url);
    expect(await rowsOf(client)).toEqual([{ a: 1 }]);
    expect([codes, retried]).toEqual([
      ['429', '503', '200'],
      ['tokens', 'tokens'],
    ]);
  });

  test.each([201, 202, 206])('because its status is %i is a failure', async (status) => {
    const server = await startServer(answers({ status, body: '{"a":1}\n' }));
    const { client } = createTestClient(server.url, { retries: 0 });
    const seen: unknown[] = [];
    const error = await failureOf(client.lines({ ...all, add: (_sum, row) => void seen.push(row) }));
    expect(error).toMatchObject({ reason: 'server', status });
    expect(seen).toEqual([]);
  });

  test('because the reader refuses a row ends there, with what the reader threw', async () => {
    const server = await startServer(answers({ body: '{"a":1}\n'.repeat(100_000) }));
    const { client, codes } = createTestClient(server.url);
    const thrown = new UnexpectedAnswer('an object', 1);
    let rows = 0;
    const reading = client.lines({
      ...counted,
      add: () => {
        rows += 1;
        if (rows === 3) throw thrown;
      },
    });
    await expect(reading).rejects.toBe(thrown);
    expect([rows, codes]).toEqual([3, ['200']]);
    expect((await client.lines(counted))?.sums).toEqual([{ rows: 100_000 }]);
  });
});

describe('a body of lines that is too large', () => {
  const endless: Answer = (_request, response) => {
    function* parts() {
      for (;;) yield Buffer.alloc(64 * 1024, 'x');
    }
    void sendAll(response, parts());
  };

  test('in one line of a mebibyte is read', async () => {
    const text = `"${'x'.repeat(MIB - 2)}"`;
    const server = await startServer(answers({ body: `${text}\n${text}` }));
    const { client } = createTestClient(server.url);
    expect((await client.lines(counted))?.sums).toEqual([{ rows: 2 }]);
  });

  test.each<[string, Answer, string]>([
    ['in a line', answers({ body: `1\n"${'x'.repeat(MIB - 1)}"\n` }), 'a line of more than 1048576 bytes'],
    ['in a line without an end', endless, 'a line of more than 1048576 bytes'],
    ['in nested brackets', answers({ body: `1\n${'['.repeat(MIB)}` }), 'row 2, which is too large'],
    ['in empty objects', answers({ body: `[${'{},'.repeat(MIB / 3 - 1)}1]` }), 'row 1, which is too large'],
  ])('%s is a failure at once, and nothing of it is kept', async (_case, answer, words) => {
    const server = await startServer(answer);
    const { client, codes } = createTestClient(server.url, { maxResponseBytes: 8 * MIB });
    const error = await failureOf(client.lines(counted));
    expect(error).toMatchObject({ reason: 'limit', status: 200, tooLarge: false });
    expect(error.message).toBe(`GET /api/v1/analytics/tokens answered 200 with ${words}`);
    expect(codes).toEqual(['200']);
  });

  test('in a line that was compressed to a thousandth ends the inflating', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MIB, 'x'));
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const { client } = createTestClient(server.url);
    expect((await failureOf(client.lines(counted))).message).toContain('a line of more than 1048576 bytes');
  });

  test('after a gibibyte in all is a failure', async () => {
    const blank = Buffer.alloc(MIB, ' ').fill('\n', MIB - 1);
    const rows: unknown[] = [];
    const sink = { begin: () => undefined, add: (row: unknown) => void rows.push(row) };
    const memory = createReadingMemory().open('acme', MIB);
    const { signal } = new AbortController();
    const body = Readable.from([Buffer.from('7\n'), ...Array.from({ length: 1_024 }, () => blank)]);
    const { slices } = createSystemClock();
    expect(await readLines(body, sink, { memory, signal, slices })).toEqual({
      bytes: 1_024 * MIB + 2,
      fault: { reason: 'limit', words: 'more than 1073741824 bytes' },
    });
    expect(rows).toEqual([7]);
  });

  test.each([
    ['rows', '1\n'],
    ['blank lines', '\n'],
  ])('after a million %s is a failure', async (_, line) => {
    const server = await startServer(answers({ body: line.repeat(1_000_001) }));
    const { client } = createTestClient(server.url);
    const error = await failureOf(client.lines(counted));
    expect(error.message).toContain('with more than 1000000 lines');
  });
});
