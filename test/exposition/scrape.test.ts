import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Sample } from '../../src/catalog/family.ts';
import { createExposition, type Scrape, type ScrapeRequest } from '../../src/exposition/exposition.ts';
import { Page } from '../../src/exposition/page.ts';
import { readBody, type ScrapedPage } from '../../src/exposition/scrape.ts';
import { createTextRenderer } from '../../src/exposition/text.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { identityOf, parsePage } from './parse.ts';

const collectors = ['tokens', 'tools'];
const families = collectors.map((name) => ({ name: `m_${name}`, help: `${name}.`, collector: name }));
const renderText = createTextRenderer({ clock: createSystemClock() });

function* samples(count: number, value: number): Iterable<Sample> {
  for (let index = 0; index < count; index++) yield { labels: { n: `${index * 7919}-é` }, value };
}

function pageOf(scrape: Scrape): ScrapedPage {
  if (scrape.kind !== 'page') throw new Error('no page');
  return scrape;
}

function create() {
  const clock = createFakeClock(0);
  const page = new Page({ families, clock });
  onTestFinished(() => page.close());
  const registry = new Registry();
  const gauge = new Gauge({ name: 'version', help: 'Version.', registers: [registry] });
  const instruments = { registry, textsOfOrgs: function* none(): Generator<Buffer> {} };
  const exposition = createExposition({ page, instruments, clock });
  async function publish(value: number, count = 10, orgs: readonly string[] = ['a', 'b']): Promise<void> {
    for (const org of orgs) {
      const fed = new Map();
      for (const collector of collectors) {
        const family = { name: `m_${collector}`, labels: ['n'] };
        fed.set(collector, [await renderText(family, org, samples(count, value))]);
      }
      page.replace(org, fed);
    }
    await page.flush();
  }
  async function read(request: ScrapeRequest): Promise<string> {
    const page = pageOf(await exposition.scrape(request));
    const body = await readBody(page);
    expect(page.contentLength).toBe(body.length);
    return (page.contentEncoding === 'gzip' ? gunzipSync(body) : body).toString();
  }
  return { clock, gauge, page, exposition, publish, read };
}

describe('a scrape', () => {
  test.each([
    ['text', 10],
    ['openmetrics', 10],
    ['text', 12_000],
    ['openmetrics', 12_000],
  ] as const)('as %s of %d samples says the same with gzip and without', async (format, count) => {
    const { publish, read } = create();
    await publish(1, count, ['a']);
    const text = await read({ format, gzip: false });
    expect(await read({ format, gzip: true })).toBe(text);
    const page = parsePage(text);
    expect(page.ended).toBe(format === 'openmetrics');
    expect(page.samples).toHaveLength(2 * count + 1);
    expect(new Set(page.samples.map(identityOf)).size).toBe(page.samples.length);
  });

  test('before anything is published has the live part alone', async () => {
    const { read } = create();
    const text = '# HELP version Version.\n# TYPE version gauge\nversion 0\n';
    expect(await read({ format: 'text', gzip: true })).toBe(text);
    expect(await read({ format: 'openmetrics', gzip: false })).toBe(`${text}# EOF\n`);
  });

  test('of some collectors has theirs and the live part', async () => {
    const { publish, read } = create();
    await publish(1);
    const page = parsePage(await read({ format: 'text', gzip: true, collect: ['tools'] }));
    expect([...page.types.keys()]).toEqual(['m_tools', 'version']);
  });

  test('of an unknown collector is rejected with the known names', async () => {
    const { exposition } = create();
    const refused = { kind: 'unknown-collector', unknown: ['wiki'], known: collectors };
    const request = { format: 'text', gzip: true, collect: ['tools', 'wiki'] } as const;
    expect(await exposition.scrape(request)).toEqual(refused);
    expect(await exposition.probe({ ...request, org: 'a', success: true })).toEqual(refused);
  });

  test('names its type and coding', async () => {
    const { exposition } = create();
    expect(await exposition.scrape({ format: 'text', gzip: true })).toMatchObject({
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      contentEncoding: 'gzip',
    });
    expect(await exposition.scrape({ format: 'openmetrics', gzip: false })).toMatchObject({
      contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
      contentEncoding: undefined,
    });
  });

  test('has what was published last, and of some collectors what is kept', async () => {
    const { page, publish, read } = create();
    await publish(1);
    page.remove('a');
    const orgsIn = async (...collect: string[]) => {
      const asked = { format: 'text', gzip: true, ...(collect.length > 0 && { collect }) } as const;
      const { samples } = parsePage(await read(asked));
      return new Set(samples.flatMap(({ labels }) => labels.get('org') ?? []));
    };
    expect(await orgsIn()).toEqual(new Set(['a', 'b']));
    expect(await orgsIn('tools')).toEqual(new Set(['b']));
    await page.flush();
    expect(await orgsIn()).toEqual(new Set(['b']));
  });

  test('is shared by all of the same second, format and page', async () => {
    const { clock, exposition, publish } = create();
    await publish(1);
    const asked = { format: 'text', gzip: true } as const;
    const both = await Promise.all([exposition.scrape(asked), exposition.scrape(asked)]);
    await clock.advance(999);
    const first = await exposition.scrape(asked);
    expect(new Set([...both, first]).size).toBe(1);
    expect(await exposition.scrape({ ...asked, format: 'openmetrics' })).not.toBe(first);
    await clock.advance(1);
    const later = await exposition.scrape(asked);
    expect(later).not.toBe(first);
    await publish(2);
    expect(await exposition.scrape(asked)).not.toBe(later);
  });

  test('that fails concerns only those who waited for it', async () => {
    const { gauge, read } = create();
    gauge.get = () => Promise.reject(new Error('cannot be read'));
    const asked = { format: 'text', gzip: true } as const;
    await expect(Promise.all([read(asked), read(asked)])).rejects.toThrow('cannot be read');
    gauge.get = async () =>
      ({ name: 'version', help: 'Version.', type: 'gauge', aggregator: 'sum', values: [] }) as never;
    expect(await read(asked)).toContain('# TYPE version gauge');
  });

  test('never mixes two states while others are published', async () => {
    const { publish, read, clock } = create();
    await publish(1, 500);
    const formats = ['text', 'openmetrics'] as const;
    const readings: Promise<string>[] = [];
    for (let value = 2; value < 12; value++) {
      for (const format of formats) {
        for (const gzip of [true, false]) readings.push(read({ format, gzip }));
      }
      await publish(value, 500);
      await clock.advance(500);
    }
    for (const text of await Promise.all(readings)) {
      const values = parsePage(text).samples.filter(({ name }) => name !== 'version');
      expect(values).toHaveLength(2000);
      expect(
        new Set(values.filter(({ labels }) => labels.get('org') === 'a').map(({ value }) => value)).size,
      ).toBe(1);
    }
  });
});

describe('a probe', () => {
  test.each(['text', 'openmetrics'] as const)(
    'as %s has one organization and its success',
    async (format) => {
      const { publish, exposition } = create();
      await publish(1);
      const scrape = await exposition.probe({ format, gzip: true, org: 'b', success: true });
      const page = parsePage(gunzipSync(await readBody(pageOf(scrape))).toString());
      expect([...page.types.keys()]).toEqual(['m_tokens', 'm_tools', 'probe_success']);
      expect(new Set(page.samples.map(({ labels }) => labels.get('org')))).toEqual(new Set(['b', undefined]));
      expect(page.samples.at(-1)).toMatchObject({ name: 'probe_success', value: '1' });
      expect(page.ended).toBe(format === 'openmetrics');
    },
  );

  test('of an organization without data has its success alone', async () => {
    const { exposition } = create();
    const scrape = await exposition.probe({ format: 'text', gzip: false, org: 'c', success: false });
    expect(parsePage((await readBody(pageOf(scrape))).toString()).samples).toMatchObject([
      { name: 'probe_success', value: '0' },
    ]);
  });
});

describe('over HTTP', () => {
  async function serve(respond: (response: http.ServerResponse) => void): Promise<number> {
    const server = http.createServer((_, response) => respond(response));
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  test.each([true, false])('a large page arrives whole (gzip: %s)', async (gzip) => {
    const { publish, exposition } = create();
    await publish(1, 30_000, ['a']);
    const page = pageOf(await exposition.scrape({ format: 'text', gzip }));
    const port = await serve((response) => {
      response.setHeader('content-length', page.contentLength);
      if (gzip) response.setHeader('content-encoding', 'gzip');
      const { body } = page;
      const stream = 'parts' in body ? Readable.from(body.parts) : body.stream();
      pipeline(stream, response).catch(() => undefined);
    });
    const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
    expect(parsePage(text).samples).toHaveLength(60_001);
  });

  test('a client that disconnects ends the inflating stream', async () => {
    const { publish, exposition } = create();
    await publish(1, 60_000, ['a']);
    const page = pageOf(await exposition.scrape({ format: 'text', gzip: false }));
    const body = page.body;
    if (!('stream' in body)) throw new Error('not a stream');
    const stream = body.stream();
    const port = await serve((response) => void pipeline(stream, response).catch(() => undefined));
    const request = http.get({ port, host: '127.0.0.1' });
    const [response] = await once(request, 'response');
    await once(response, 'data');
    request.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(stream.destroyed).toBe(true);
  });
});
