import { Agent, get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** Scrapes at a steady rate, whatever the answers take. */
export interface Scraper {
  readonly milliseconds: readonly number[];
  /** What was wrong with scrapes that failed. */
  readonly failures: readonly string[];
  /** The newest page. */
  page(): string;
  stop(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export interface Pace {
  readonly perSecond: number;
  /** How many scrapes may be under way; those that are due beyond it are left out. */
  readonly atOnce?: number;
  /** How long a scrape may take before it counts as failed. */
  readonly timeoutMs?: number;
}

/** Starts to scrape `url` at a pace. */
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

  // By the clock rather than from one to the next: what a busy machine delays is made up for.
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

/** One scrape as Prometheus makes it; rejects on anything but a whole page. */
export function fetchPage(url: string, agent?: Agent, timeout = TIMEOUT_MS): Promise<string> {
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
