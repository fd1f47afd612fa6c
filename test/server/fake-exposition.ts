import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Exposition, ProbeRequest, Scrape, ScrapeRequest } from '../../src/exposition/exposition.ts';
import { contentTypes } from '../../src/exposition/negotiate.ts';

interface FakeExposition extends Exposition {
  readonly requests: readonly ScrapeRequest[];
  readonly probes: readonly ProbeRequest[];
  /** Awaited by the next scrapes before they answer or fail. */
  hold: Promise<void> | undefined;
  /** The text after the collectors' comment lines. */
  body: string;
}

/**
 * An exposition for tests: one comment line per collector and the text of `body`, streamed if gzip is not accepted.
 */
export function createFakeExposition(collectors: readonly string[] = ['tokens', 'spend']): FakeExposition {
  const requests: ScrapeRequest[] = [];
  const probes: ProbeRequest[] = [];

  function answer(request: ScrapeRequest, ending: string): Scrape {
    const selected = request.collect ?? collectors;
    const unknown = selected.filter((name) => !collectors.includes(name));
    if (unknown.length > 0) return { kind: 'unknown-collector', unknown, known: collectors };
    const end = request.format === 'openmetrics' ? '# EOF\n' : '';
    const text = Buffer.from(`${selected.map((name) => `# ${name}\n`).join('')}${ending}${end}`);
    const body = request.gzip ? gzipSync(text) : text;
    return {
      kind: 'page',
      contentType: contentTypes[request.format],
      contentEncoding: request.gzip ? 'gzip' : undefined,
      contentLength: body.length,
      body: request.gzip ? { parts: [body] } : { stream: () => Readable.from([body]) },
    };
  }

  const fake: FakeExposition = {
    requests,
    probes,
    hold: undefined,
    body: '',
    async scrape(request) {
      requests.push(request);
      await fake.hold;
      return answer(request, fake.body);
    },
    async probe(request) {
      probes.push(request);
      return answer(request, `probe_success ${request.success ? 1 : 0}\n`);
    },
  };
  return fake;
}
