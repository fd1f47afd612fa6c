import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  chosen,
  DAY_S,
  during,
  type Form,
  formQuery,
  forOne,
  offered,
  type PanelQuery,
  panelQueries,
  variableQueries,
} from './dashboard-queries.ts';
import { plantedOpenMetrics, type ShownDay } from './planted.ts';
import { createPrograms } from './programs.ts';
import {
  type Answered,
  createClient,
  makeBlocks,
  type PrometheusServer,
  recordBlocks,
  startPrometheus,
} from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const HOUR_S = 3600;
const DAYS = 18;
/** Offsets of viewers from UTC, of which one has half hours. */
const OFFSETS = [0, 2, -8, 5.5];
/** Counters rise hourly here; rates and quantiles of them differ between engines that extrapolate and others. */
const RATES = /\b(?:rate|increase|histogram_quantile)\(/;
/** A query of days that compares figures with each other. */
const UNUSUAL = / > sum_over_time|\btopk\(|count\(\(?max by \((?:\w+,)*currency\)/;

/** The variables that list labels of figures, which are planted. */
const OF_FIGURES: ReadonlySet<string> = new Set(['model', 'team', 'user', 'repo']);

/** Ten backfilled days, one missing, and days that were published live at 05:20. */
const SHOWN: readonly ShownDay[] = ['acme', 'globex'].flatMap((org) => [
  ...Array.from({ length: 10 }, (_, day) => ({ org, day, at: (day + 1) * 24 + 12 })),
  ...Array.from({ length: 7 }, (_, index) => index + 11).map((day) => ({
    org,
    day,
    at: { from: (day + 1) * 24 + 5, until: Math.min((day + 2) * 24 + 5, (DAYS + 1) * 24 + 1) },
  })),
]);

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('every query of every panel', () => {
  const programs = createPrograms();
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  const first = today - 40 * DAY_S;
  const now = first + (DAYS + 1) * DAY_S;
  let tsdb = '';
  let reference: PrometheusServer;
  const queries = panelQueries();
  const expected = new Map<PanelQuery, unknown>();
  const variables = variableQueries().filter(({ variable }) => OF_FIGURES.has(variable.name));

  /** The answers of the oldest supported engine, asked for once. */
  async function expectedFor(query: PanelQuery): Promise<unknown> {
    const known = expected.get(query) ?? (await answers(reference, query));
    expected.set(query, known);
    return known;
  }

  /** The answers to a query in both forms, and for several time zones if it is one of days. */
  async function answers(server: PrometheusServer, { target, where }: PanelQuery): Promise<unknown> {
    const forms: readonly Form[] = target.interval !== undefined ? ['raw', 'recorded'] : ['raw'];
    const found: unknown[] = [];
    for (const form of forms) {
      const query = forOne(chosen(target.expr, `${DAYS}d`, form)).replaceAll('[2m]', '[3h]');
      if (target.instant) {
        const text = during(query, { from: now - DAYS * DAY_S, to: now });
        const answered = await server.instant(text, now);
        // An engine that takes a modifier within a subquery for another instant finds nothing.
        if (where.includes('“Criteria that changed')) expect(answered).not.toEqual([]);
        found.push(comparable(answered, query));
      } else if (target.interval !== undefined) {
        for (const offset of OFFSETS) {
          const from = first - offset * HOUR_S;
          const to = from + DAYS * DAY_S;
          const days = await server.range(during(query, { from, to }), from, to, DAY_S);
          // Of the planted figures none is unusual, none is left beside the largest, and those in money have two currencies.
          if (!UNUSUAL.test(query)) expect(days).not.toEqual([]);
          found.push(comparable(days, query));
        }
      } else found.push(comparable(await server.range(query, now - 6 * HOUR_S, now, HOUR_S), query));
    }
    return found;
  }

  async function formOf(server: PrometheusServer, name: Form): Promise<string | undefined> {
    const [answered] = await server.instant(chosen(formQuery(name), `${DAYS + 1}d`), now);
    return answered?.labels['form'];
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'planted.om'), plantedOpenMetrics(first, SHOWN));
    tsdb = await makeBlocks(programs, folder);
    await recordBlocks(programs, tsdb, { from: first, to: now });
    const copy = join(programs.folder(), 'tsdb');
    await cp(tsdb, copy, { recursive: true });
    reference = await startPrometheus(programs, { tsdb: copy });
  });

  describe.runIf(requireTool('prometheus3'))('in the current Prometheus', () => {
    let server: PrometheusServer;

    beforeAll(async () => {
      server = await startPrometheus(programs, { tsdb, command: 'prometheus3' });
    });

    test.each(queries)('answers as in the oldest one: $where', async (query) => {
      expect(await answers(server, query)).toEqual(await expectedFor(query));
    });

    test.each(variables)('offers the same values: $where', async ({ variable }) => {
      const values = await offered(server, variable, first);
      expect(values).toEqual(['a', 'b']);
      expect(values).toEqual(await offered(reference, variable, first));
    });

    test.each(['recorded', 'raw'] as const)('chooses the recorded series: %s', async (name) => {
      expect(await formOf(server, name)).toEqual(name === 'recorded' ? 'last_over_time' : '#');
    });
  });

  describe.runIf(requireTool('victoria-metrics'))('in VictoriaMetrics', () => {
    let server: PrometheusServer;

    beforeAll(async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      programs.start('victoria-metrics', [
        `-storageDataPath=${join(programs.folder(), 'data')}`,
        '-retentionPeriod=2y',
        `-httpListenAddr=${new URL(url).host}`,
      ]);
      await waitFor(async () => {
        expect((await fetch(`${url}/health`).catch(() => undefined))?.ok).toBe(true);
      });
      const everything = await reference.instant(
        `{__name__=~"agent_platform.+|up|process_.+"}[${DAYS + 2}d]`,
        now,
      );
      const body = everything.flatMap(linesOf).join('\n');
      await fetch(`${url}/api/v1/import/prometheus`, { method: 'POST', body });
      await fetch(`${url}/internal/force_flush`);
      // Otherwise it treats a sample as current for as long as the usual interval between samples.
      server = createClient(url, { max_lookback: '5m', nocache: '1' });
    });

    test.each(queries)('answers as in Prometheus: $where', async (query) => {
      expect(await answers(server, query)).toEqual(await expectedFor(query));
    });

    test.each(variables)('offers the same values: $where', async ({ variable }) => {
      const values = await offered(server, variable, first);
      expect(values).toEqual(['a', 'b']);
      expect(values).toEqual(await offered(reference, variable, first));
    });

    test.each(['recorded', 'raw'] as const)('chooses the recorded series: %s', async (name) => {
      expect(await formOf(server, name)).toEqual(name === 'recorded' ? 'last_over_time' : '#');
    });
  });
});

/** An answer without what may differ: the order of series, and values of rates. */
function comparable(answered: readonly Answered[], query: string): unknown {
  return answered
    .map(({ labels, values }) => {
      const key = JSON.stringify(Object.entries(labels).sort());
      return RATES.test(query) ? key : [key, values.map(([second, value]) => [second, rounded(value)])];
    })
    .sort((one, other) => (String(one) < String(other) ? -1 : 1));
}

function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function linesOf({ labels, values }: Answered): readonly string[] {
  const { __name__: name = '', ...others } = labels;
  const own = Object.entries(others).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return values.map(([second, value]) => `${name}{${own.join()}} ${value} ${Math.round(second * 1000)}`);
}
