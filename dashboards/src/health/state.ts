import { historyUncovered } from '../../../src/collectors/about.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { dataAge } from '../figures.ts';
import { table } from '../panels/table.ts';
import { tile } from '../panels/tile.ts';
import { now, rows } from '../query.ts';
import { processMetrics } from './process-metrics.ts';

const HOUR_S = 3600;
const success = newest(ownMetrics.collectorSuccess);
/** Of shares that should be whole: anything less is worth a look. */
const WHOLE = {
  unit: 'percentunit',
  decimals: 0,
  min: 0,
  max: 1,
  steps: { warn: 0.999, alarm: 0.5 },
} as const;

/** Whether it works, and if not, what is wrong. */
export const state: Row = {
  title: 'Does it work?',
  panels: [
    tile({
      ...WHOLE,
      title: 'Exporters up',
      text: 'Share of the exporter’s targets that Prometheus could scrape.',
      queries: [now(promql`avg(${newest(processMetrics.up)})`, 'up')],
      noValue: 'No target',
    }),
    tile({
      ...WHOLE,
      title: 'Collectors that succeed',
      text: 'Share of the collectors, over all organizations, whose last run succeeded.',
      queries: [now(promql`avg(${success})`, 'succeeded')],
    }),
    tile({
      title: 'Age of oldest dataset',
      text: 'How long ago the newest complete day ended, for the dataset and organization that is furthest behind. Over 102 hours is longer than a weekend explains.',
      unit: 's',
      decimals: 0,
      queries: [now(promql`max(${dataAge()})`, 'age')],
      steps: { warn: 54 * HOUR_S, alarm: 102 * HOUR_S },
    }),
    tile({
      title: 'Days not yet asked',
      text: 'Days since the start of history that were not yet asked and answered, over all organizations and datasets: a backlog that shrinks after an install or an outage.',
      unit: 'short',
      queries: [now(promql`sum(${newest(historyUncovered)})`, 'days')],
    }),
    tile({
      ...WHOLE,
      title: 'History on disk',
      text: 'Share of the exporters that keep all history in the file of storage.path; below 100 % one holds some in memory only, which a restart loses.',
      queries: [now(promql`avg(${newest(ownMetrics.historyPersistent)})`, 'on disk')],
      noValue: 'In memory',
    }),
    tile({
      ...WHOLE,
      title: 'Configuration valid',
      text: 'Share of the exporters that could use the configuration when they last read it; below 100 % one goes on with the one before.',
      queries: [now(promql`avg(${newest(ownMetrics.configReloadSuccessful)})`, 'valid')],
    }),
    table({
      title: 'Collectors',
      text: 'The last run of each collector: whether it succeeded, how long it took, when one last ended, and when one last succeeded. Failed ones first.',
      queries: [
        rows(success),
        rows(newest(ownMetrics.collectorDuration)),
        rows(promql`time() - ${newest(ownMetrics.collectorLastRun)}`),
        rows(promql`time() - ${newest(ownMetrics.collectorLastSuccess)}`),
      ],
      columns: [
        { of: 'org', title: 'Organization', width: 105 },
        { of: 'collector', title: 'Collector' },
        { of: 0, title: 'Succeeded', unit: 'bool_yes_no' },
        { of: 1, title: 'Took', unit: 's', properties: [{ id: 'decimals', value: 2 }] },
        { of: 2, title: 'Last run ago', unit: 's', properties: [{ id: 'decimals', value: 0 }] },
        { of: 3, title: 'Last success ago', unit: 's', properties: [{ id: 'decimals', value: 0 }] },
      ],
      sort: { by: 'Succeeded', desc: false },
      width: 15,
      height: 9,
    }),
    table({
      title: 'Failing now',
      text: 'The collectors whose last run failed, and why: auth: the key is not valid; role: it may not read this; throttled, server, network, timeout: the platform or the way to it; schema: its answer was not understood; limit: it was too large.',
      queries: [rows(promql`${newest(ownMetrics.collectorFailing)} == 1`)],
      columns: [
        { of: 'org', title: 'Organization', width: 105 },
        { of: 'collector', title: 'Collector' },
        { of: 'reason', title: 'Reason' },
      ],
      sort: { by: 'Organization', desc: false },
      noValue: 'Nothing fails',
      width: 9,
      height: 9,
    }),
  ],
};
