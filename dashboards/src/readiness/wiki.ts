import {
  wikiLastRunTimestampSeconds,
  wikiPages,
  wikiRuns,
  wikiRunsByStatus,
} from '../../../src/collectors/wiki/collector.ts';
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { total } from '../figures.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { tile } from '../panels/tile.ts';
import { now, rows } from '../query.ts';

const NO_RUN = 'No run yet';

/** The documentation that the platform writes of the repositories. */
export const wiki: Row = {
  title: 'Wiki',
  panels: [
    tile({
      title: 'Wiki runs',
      text: 'Wiki runs that the platform lists; it may list only the newest of each repository.',
      unit: 'short',
      queries: [now(total(wikiRuns), 'runs')],
      noValue: NO_RUN,
      width: 4,
      height: 8,
    }),
    ranking({
      title: 'Runs by status',
      text: 'Wiki runs that the platform lists, by status.',
      unit: 'short',
      what: 'Status',
      value: 'Runs',
      reduce: 'lastNotNull',
      queries: [now(newest(wikiRunsByStatus, { orgs: 'summed', by: ['status'] }), '{{status}}')],
      noValue: 'The platform gives no status',
      width: 7,
    }),
    table({
      title: 'Newest run of each repository',
      text: 'How long ago the newest wiki run of each repository was made, and how many pages it has; oldest first.',
      queries: [rows(promql`time() - ${newest(wikiLastRunTimestampSeconds)}`), rows(newest(wikiPages))],
      columns: [
        { of: 'org', title: 'Organization', width: 105 },
        { of: 'repo', title: 'Repository', width: 300 },
        { of: 0, title: 'Age', unit: 's', properties: [{ id: 'decimals', value: 0 }] },
        { of: 1, title: 'Pages' },
      ],
      sort: { by: 'Age', desc: true },
      noValue: NO_RUN,
      width: 13,
    }),
  ],
};
