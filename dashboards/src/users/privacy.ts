import { dataDayTimestamp } from '../../../src/collectors/about.ts';
import { dailyActiveUsersByTeam } from '../../../src/collectors/users/collector.ts';
import { userInfo } from '../../../src/collectors/users/user-families.ts';
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { note } from '../panels/note.ts';
import { tile } from '../panels/tile.ts';
import { now } from '../query.ts';

const WHY = `**Nothing about people is published unless the operator turns it on.**
- *How people work* needs the collector: \`collectors: {users: {enabled: true}}\`
- *Teams* come from a file: \`teams: {file: teams.yaml}\`; without one all are in \`none\`. Small ones are in \`other\`.
- *People one by one* need an identity: \`collectors: {users: {identity: hash}}\`, or \`id\`, or \`email\``;

/** What the privacy settings publish, so that an empty panel explains itself. */
export const privacy: Row = {
  title: 'What is published about people?',
  panels: [
    note('Where it is empty', 'Which setting each part of this dashboard needs.', WHY, {
      width: 12,
      height: 5,
    }),
    tile({
      title: 'People as a whole',
      text: 'The newest complete day of the dataset users; off while the collector users is.',
      unit: 'time:D MMM',
      queries: [now(promql`1000 * max(${newest(dataDayTimestamp, { only: { dataset: 'users' } })})`, 'day')],
      noValue: 'Off',
      height: 5,
    }),
    tile({
      title: 'Teams',
      text: 'How many teams are shown, other and none included; off while the collector users is, and where no group would have five active people.',
      unit: 'none',
      queries: [now(promql`count(${newest(dailyActiveUsersByTeam)})`, 'teams')],
      noValue: 'Off',
      height: 5,
    }),
    tile({
      title: 'People one by one',
      text: 'How many people are shown one by one; off while identity is none.',
      unit: 'none',
      queries: [now(promql`count(${newest(userInfo)})`, 'people')],
      noValue: 'Off',
      height: 5,
    }),
  ],
};
