import * as z from 'zod';
import type { FetchedDays, Window } from '../../catalog/collector.ts';
import type { Source } from '../../catalog/source.ts';
import { askAnalytics, byDay, type Dated } from '../analytics.ts';
import { apiContractOf } from '../api-contract.ts';
import { namedCount, summedCounts } from '../counts.ts';
import { amount, anyElementName, day, element, list, requiredElementAmount } from '../fields.ts';
import { type ProductivityRow, productivityDataset } from './dataset.ts';

// Files can have no extension and no known language: an empty name is valid.
const extensionElement = element({ extension: anyElementName, count: requiredElementAmount }).transform(
  ({ extension, count }) => namedCount(extension, count),
);

const languageElement = element({ language: anyElementName, count: requiredElementAmount }).transform(
  ({ language, count }) => namedCount(language, count),
);

/** An element of the response. */
export const dayRow = z.compile(
  z
    .object({
      date: day,
      files_created: amount,
      files_edited: amount,
      by_extension: list(extensionElement),
      by_language: list(languageElement),
      git_commits: amount,
      git_prs_created: amount,
    })
    .transform(
      (raw): Dated<ProductivityRow> => ({
        date: raw.date,
        row: {
          filesCreated: raw.files_created,
          filesEdited: raw.files_edited,
          byExtension: raw.by_extension && summedCounts(raw.by_extension),
          byLanguage: raw.by_language && summedCounts(raw.by_language),
          commits: raw.git_commits,
          pullRequests: raw.git_prs_created,
        },
      }),
    ),
);

export const productivityContract = apiContractOf({ schema: dayRow });

/** Fetches the output of a window. */
export async function fetchProductivity(
  source: Source,
  window: Window,
): Promise<FetchedDays<ProductivityRow>> {
  const answer = await askAnalytics(source, { dataset: 'productivity', window }, dayRow);
  return byDay(answer, productivityDataset.parts);
}
