import { parseDay } from '../../src/catalog/day.ts';
import type { OrgFigures } from '../../src/page/org-figures.ts';
import { type PageContent, renderPage } from '../../src/page/page.ts';
import type { CollectorStatus, OrgStatus, ServiceStatus } from '../../src/page/status.ts';
import { type AppDeps, createApp } from '../../src/server/app.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createFakeExposition } from './fake-exposition.ts';

export const NOW = Date.UTC(2026, 10, 20, 10, 12, 5);
const MINUTE = 60_000;

/** A working collector, except for the given properties. */
export function collectorStatus(changes: Partial<CollectorStatus> = {}): CollectorStatus {
  const dataDay = parseDay('2026-11-19');
  return {
    name: 'tokens',
    description: 'Credits and tokens by model',
    state: 'ok',
    ...(dataDay === undefined ? {} : { dataDay }),
    lastRunAt: NOW - 52 * MINUTE,
    lastSuccessAt: NOW - 52 * MINUTE,
    lastDurationSeconds: 1.2,
    nextRunAt: NOW + 8 * MINUTE,
    series: 1_234,
    uncoveredDays: 0,
    published: true,
    ...changes,
  };
}

/** An organization with one working collector, except for the given properties. */
export function orgStatus(changes: Partial<OrgStatus> = {}): OrgStatus {
  return {
    name: 'acme',
    platform: { name: 'agent-platform' },
    apiHost: 'api.example.com',
    collectors: [collectorStatus()],
    ...changes,
  };
}

/** A service in which everything works, except for the given properties. */
export function serviceStatus(changes: Partial<ServiceStatus> = {}): ServiceStatus {
  return {
    version: '1.2.3',
    revision: 'abc1234',
    startedAt: NOW - 3 * 60 * MINUTE,
    now: NOW,
    ready: { ready: true, waitingFor: [] },
    orgs: [orgStatus()],
    links: [{ href: './metrics', label: 'Metrics', description: 'the metrics' }],
    simulated: false,
    ...changes,
  };
}

/** The text of a page. */
export function textOfPage(
  status: ServiceStatus,
  content: PageContent,
  figures: ReadonlyMap<string, OrgFigures> = new Map(),
): string {
  const work = renderPage(status, content, figures);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** An app with fakes, and the fakes. */
export function createTestApp(changes: Partial<AppDeps> = {}) {
  const exposition = createFakeExposition();
  const log = createFakeLogger();
  const refreshes: string[] = [];
  const status = changes.status ?? (() => serviceStatus());
  const app = createApp({
    exposition,
    log,
    clock: createFakeClock(NOW),
    status,
    readiness: async () => status().ready,
    figures: async () => new Map(),
    refresh: () => {
      refreshes.push('refresh');
      return [];
    },
    reload: async () => ({ ok: true }),
    probe: (org) => (org === 'acme' ? true : undefined),
    redact: (text) => text,
    telemetryPath: '/metrics',
    lifecycle: true,
    allowedHosts: [],
    ...changes,
  });
  return { app, exposition, log, refreshes };
}
