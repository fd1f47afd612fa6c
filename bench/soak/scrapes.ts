import { Agent, get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** Scrapes at a steady rate, regardless of the duration of the answers. */
interface Scraper {
  readonly milliseconds: readonly number[];
  /** The errors of failed scrapes. */
  readonly failures: readonly string[];
  /** The newest page. */
  page(): string;
  stop(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export interface Pace {
  readonly perSecond: number;
  /** Maximum number of concurrent scrapes; others that are due are skipped. */
  readonly atOnce?: number;
  /** Time after which a scrape counts as failed. */
  readonly timeoutMs?: number;
}

/** Starts scraping `url` at a fixed rate. */
export function startScraper(url: string, { perSecond, atOnce = Infinity, timeoutMs }: Pace): Scraper {
  const agent = new Agent({ keepAlive: true });
  const milliseconds: number[] = [];
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  let newest = '';

  function scrape(): void {
    const startedAt = performance.now();
    const done = fetchPage(url, agent, timeoutMs)
      .then((body) => {
        milliseconds.push(performance.now() - startedAt);
        newest = body;
      })
      .catch((error: unknown) => {
        failures.push(error instanceof Error ? error.message : String(error));
      })
      .finally(() => open.delete(done));
    open.add(done);
  }

  // Scheduled by the clock rather than by the previous scrape, so that delays on a busy machine are made up for.
  const startedAt = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    for (; begun < due; begun += 1) if (open.size < atOnce) scrape();
  }, 1000 / perSecond);
  return {
    milliseconds,
    failures,
    page: () => newest,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
    },
  };
}

/** One scrape as made by Prometheus; rejects on anything but a complete page. */
function fetchPage(url: string, agent?: Agent, timeout = TIMEOUT_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip' };
    const request = get(url, { ...(agent && { agent }), headers, timeout }, (response) => {
      read(response).then(resolve, reject);
    });
    request
      .once('timeout', () => request.destroy(new Error('no answer within the timeout')))
      .once('error', reject);
  });
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  return gunzipSync(Buffer.concat(chunks)).toString('utf8');
}
