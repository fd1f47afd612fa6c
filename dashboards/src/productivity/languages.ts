import {
  dailyFileOperationsByExtension,
  dailyFileOperationsByLanguage,
} from '../../../src/collectors/productivity/collector.ts';
import type { Row } from '../dashboard.ts';
import { daily, named } from '../expression.ts';
import { largestShares } from '../figures.ts';
import { ranking } from '../panels/ranking.ts';
import { strips } from '../panels/strips.ts';
import { days } from '../query.ts';

const byLanguage = named(daily(dailyFileOperationsByLanguage, { orgs: 'summed' }), 'language', 'unknown');
const byExtension = named(daily(dailyFileOperationsByExtension, { orgs: 'summed' }), 'extension', 'none');

/** Languages and types of the files. */
export const languages: Row = {
  title: 'Languages',
  panels: [
    ranking({
      title: 'Languages',
      text: 'File operations by programming language over the days in the range.',
      unit: 'short',
      what: 'Language',
      value: 'Operations',
      queries: [days(byLanguage, '{{language}}')],
      width: 7,
    }),
    strips({
      title: 'Share of each language by day',
      text: 'The file operations of each language as a share of all on the UTC day. Stronger colours mean larger shares. Only the ten largest of each day are shown.',
      queries: [days(largestShares(byLanguage), '{{language}}')],
      width: 10,
    }),
    ranking({
      title: 'File extensions',
      text: 'File operations by file extension over the days in the range.',
      unit: 'short',
      what: 'Extension',
      value: 'Operations',
      queries: [days(byExtension, '{{extension}}')],
      width: 7,
    }),
  ],
};
