import { type Collector, isDayCollector } from '../src/catalog/collector.ts';
import { addDays, yesterdayOf } from '../src/catalog/day.ts';
import { aboutFamilies, collectors } from '../src/collectors/index.ts';
import { createExposition } from '../src/exposition/exposition.ts';
import { createInstruments } from '../src/exposition/instruments.ts';
import { negotiate } from '../src/exposition/negotiate.ts';
import { createPublication } from '../src/exposition/publication.ts';
import { createSegmentRenderer } from '../src/exposition/segment.ts';
import { createMemoryHistory } from '../src/history/memory.ts';
import { createPublisher } from '../src/pipeline/publisher.ts';
import { createSystemClock } from '../src/runtime/clock.ts';
import { createLogger } from '../src/runtime/log-winston.ts';
import { createRedactor } from '../src/runtime/redact.ts';
import { createApp } from '../src/server/app.ts';
import { createHttpServer } from '../src/server/http-server.ts';
import type { ServiceStatus } from '../src/server/status.ts';
import { DAYS } from './workload/days.ts';
import { ORG, SETTINGS } from './workload/settings.ts';
import { fillHistory } from './workload/workload.ts';

/** The exporter from parsed rows to answered scrapes, composed of its own parts as in the service. */
interface MeasuredExporter {
  /** Publishes everything, as after a poll that changed everything. */
  publish(): Promise<void>;
  /** Number of published series, without those about the exporter itself. */
  series(): number;
  /** Accepts scrapes at `/metrics`; resolves with the port. */
  listen(): Promise<number>;
}

const MAX_AGE_MS = 7 * 86_400_000;
// Nothing is folded or dropped, so that the number of published series is exact.
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Composes the exporter with rows for approximately this many series; nothing is published yet. */
export async function createMeasuredExporter(series: number): Promise<MeasuredExporter> {
  const clock = createSystemClock();
  const redactor = createRedactor(() => []);
  const log = createLogger({ level: 'warn', format: 'logfmt', stream: process.stderr, clock, redactor });
  const about = aboutFamilies(collectors.filter(isDayCollector).map(({ dataset }) => dataset));
  const families = [...collectors.flatMap(familiesOf), ...about.map(({ name, help }) => ({ name, help }))];
  const publication = createPublication({ families, clock, log });
  const instruments = createInstruments({
    version: '0.0.0',
    revision: 'measured',
    clock,
    series: () => publication.current().series,
  });
  const exposition = createExposition({ publication, registry: instruments.registry, clock });
  const history = createMemoryHistory();
  await fillHistory(history, series, clock.now());
  const publisher = createPublisher({
    collectors,
    aboutFamilies: about,
    history,
    historyStart: addDays(yesterdayOf(clock.now()), 1 - DAYS),
    renderSegment: createSegmentRenderer({ clock }),
    publication,
    instruments,
    labelLimit: () => NO_LIMIT,
    seriesBudget: NO_LIMIT,
    maxAgeMs: MAX_AGE_MS,
    clock,
    log,
  });
  instruments.initCounters(ORG, {
    endpoints: collectors.map(({ dataset }) => dataset.name),
    dayDatasets: collectors.filter(isDayCollector).map(({ dataset }) => dataset.name),
  });
  await loadWhatTheServiceLoads();

  return {
    async publish() {
      await publisher.publish(
        SETTINGS,
        collectors.map(({ name }) => name),
      );
      publication.flush();
    },
    series: () => [...publication.seriesOf(ORG).values()].reduce((sum, count) => sum + count, 0),
    async listen() {
      const app = createApp({
        exposition,
        negotiate,
        status,
        readiness: () => status().ready,
        figures: async () => new Map(),
        probe: () => undefined,
        refresh: () => [],
        reload: async () => ({ ok: true }),
        redact: redactor.redact,
        log,
        clock,
        telemetryPath: '/metrics',
        lifecycle: false,
        allowedHosts: [],
      });
      const { port } = await createHttpServer({ app, clock, maxConnections: 512 }).listen({
        host: '127.0.0.1',
        port: 0,
      });
      return port;
    },
  };

  function status(): ServiceStatus {
    throw new Error('only /metrics is measured');
  }
}

function familiesOf({ name: collector, families }: Collector) {
  return families.map(({ name, help }) => ({ name, help, collector }));
}

/** The parts that poll, schedule and store use memory too. */
async function loadWhatTheServiceLoads(): Promise<void> {
  await Promise.all([
    import('../src/config/load.ts'),
    import('../src/config/parse-yaml.ts'),
    import('../src/app/service.ts'),
    import('../src/history/sqlite/history.ts'),
    import('../src/platform/client.ts'),
    import('../src/collectors/tokens/fetch.ts'),
  ]);
}
