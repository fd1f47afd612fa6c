import { dataDayTimestamp } from '../../../src/collectors/org-families.ts';
import { dailyActiveUsersByTeam } from '../../../src/collectors/users/collector.ts';
import { userInfo } from '../../../src/collectors/users/user-families.ts';
import { newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { orgLink } from '../panels/drill.ts';
import { table } from '../panels/table.ts';
import { rows } from '../query.ts';

const NOTHING =
  'Nothing about people is published unless the operator enables it. This dashboard needs the users collector, collectors: {users: {enabled: true}}; teams need teams.file; individual people need collectors.users.identity: hash, id or email. Or its metrics are not published: see the end of this dashboard.';

const day = newest(dataDayTimestamp, { only: { dataset: 'users' }, by: [] });

/** The effective privacy settings, which explain empty panels. */
export const privacy: Row = {
  title: 'What is published about people?',
  panels: [
    table({
      title: 'Published by organization',
      text: 'The newest complete day of the users dataset, the number of teams shown (including other and none; 0 if no group would have five active people), and the number of people identified (0 while identity is none). Without the users collector an organization is not listed.',
      queries: [
        rows(promql`1000 * ${day}`),
        rows(promql`count by (org) (${newest(dailyActiveUsersByTeam)}) or 0 * ${day}`),
        rows(promql`count by (org) (${newest(userInfo)}) or 0 * ${day}`),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.users) },
        { of: 0, title: 'Newest day', unit: 'time:ddd D MMM YYYY' },
        { of: 1, title: 'Teams shown' },
        { of: 2, title: 'People identified', total: true },
      ],
      sort: { by: 'Organization', desc: false },
      noValue: NOTHING,
      height: 6,
    }),
  ],
};
