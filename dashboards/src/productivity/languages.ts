import {
  dailyFileOperationsByExtension,
  dailyFileOperationsByLanguage,
} from '../../../src/collectors/productivity/collector.ts';
import { daily, named } from '../expression.ts';
import { largestAndRest } from '../largest.ts';
import type { Row } from '../layout.ts';
import { bars } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
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
      labels: [{ of: 'language', title: 'Language' }],
      value: 'Operations',
      queries: [days(byLanguage, '{{language}}')],
      width: 7,
      height: 10,
    }),
    bars({
      title: 'Share of each language by day',
      text: 'The five languages with most file operations in the range, and the rest, as shares of all on each UTC day.',
      unit: 'short',
      stack: 'shares',
      queries: largestAndRest({
        family: dailyFileOperationsByLanguage,
        label: 'language',
        unnamed: 'unknown',
      }),
      width: 10,
      height: 10,
    }),
    ranking({
      title: 'File extensions',
      text: 'File operations by file extension over the days in the range.',
      unit: 'short',
      labels: [{ of: 'extension', title: 'Extension' }],
      value: 'Operations',
      queries: [days(byExtension, '{{extension}}')],
      width: 7,
      height: 10,
    }),
  ],
};
