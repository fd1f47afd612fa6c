import { dataDayTimestamp } from '../../../src/collectors/org-families.ts';
import { dailyActiveUsersByTeam } from '../../../src/collectors/users/collector.ts';
import { userInfo } from '../../../src/collectors/users/user-families.ts';
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { note } from '../panels/note.ts';
import { tile } from '../panels/tile.ts';
import { now } from '../query.ts';

const WHY = `**Nothing about people is published unless the operator enables it.**
- *How people work* needs the users collector: \`collectors: {users: {enabled: true}}\`
- *Teams* come from a file: \`teams: {file: teams.yaml}\`. Without a file, everyone is in \`none\`. Small teams are folded into \`other\`.
- *Individual people* need an identity: \`collectors: {users: {identity: hash}}\`, or \`id\`, or \`email\``;

/** The effective privacy settings, which explain empty panels. */
export const privacy: Row = {
  title: 'What is published about people?',
  panels: [
    note('Why a panel is empty', 'The setting that each part of this dashboard needs.', WHY, {
      width: 12,
      height: 5,
    }),
    tile({
      title: 'People as a whole',
      text: 'The newest complete day of the users dataset. Off while the users collector is off.',
      unit: 'time:D MMM',
      queries: [now(promql`1000 * max(${newest(dataDayTimestamp, { only: { dataset: 'users' } })})`, 'day')],
      noValue: 'Off',
      height: 5,
    }),
    tile({
      title: 'Teams',
      text: 'Number of teams shown, including other and none. Off while the users collector is off, and if no group would have five active people.',
      unit: 'none',
      queries: [now(promql`count(${newest(dailyActiveUsersByTeam)})`, 'teams')],
      noValue: 'Off',
      height: 5,
    }),
    tile({
      title: 'Individual people',
      text: 'Number of individual people shown. Off while identity is none.',
      unit: 'none',
      queries: [now(promql`count(${newest(userInfo)})`, 'people')],
      noValue: 'Off',
      height: 5,
    }),
  ],
};
