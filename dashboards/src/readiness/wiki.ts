import {
  wikiLastRunTimestampSeconds,
  wikiPages,
  wikiRuns,
  wikiRunsByStatus,
} from '../../../src/collectors/wiki/collector.ts';
import { newest, promql } from '../expression.ts';
import { total } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { orgLink } from '../panels/drill.ts';
import { table } from '../panels/table.ts';
import { tile } from '../panels/tile.ts';
import { now, rows } from '../query.ts';
import { REPO, repoLink } from './variables.ts';

const NO_RUN = 'None known';

/** The platform's generated documentation of the repositories. */
export const wiki: Row = {
  title: 'Wiki',
  panels: [
    {
      width: 8,
      column: [
        tile({
          title: 'Repositories with a wiki',
          text: 'Selected repositories that have a wiki run.',
          unit: 'short',
          queries: [
            now(promql`count(${newest(wikiLastRunTimestampSeconds, { only: REPO })})`, 'repositories'),
          ],
          noValue: NO_RUN,
          width: 8,
          height: 4,
        }),
        tile({
          title: 'Wiki runs of all repositories',
          text: 'Wiki runs that the platform lists, in total and by status where reported, whatever repository is selected. The platform may list only the newest run of each repository.',
          unit: 'short',
          queries: [
            now(total(wikiRuns), 'all'),
            now(newest(wikiRunsByStatus, { orgs: 'summed' }), '{{status}}', { colour: palette.quiet }),
          ],
          noValue: NO_RUN,
          width: 8,
          height: 4,
        }),
      ],
    },
    table({
      title: 'Newest run of each repository',
      text: 'Age and number of pages of the newest wiki run of each selected repository. The oldest is first.',
      queries: [
        rows(promql`time() - ${newest(wikiLastRunTimestampSeconds, { only: REPO })}`),
        rows(newest(wikiPages, { only: REPO })),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.readiness), width: 125 },
        { of: 'repo', title: 'Repository', to: repoLink, width: 300 },
        { of: 0, title: 'Age', unit: 's', properties: [{ id: 'decimals', value: 0 }] },
        { of: 1, title: 'Pages', total: true },
      ],
      sort: { by: 'Age', desc: true },
      noValue: NO_RUN,
      width: 16,
      height: 8,
    }),
  ],
};
