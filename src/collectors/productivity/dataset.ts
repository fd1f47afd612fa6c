import type { DayDataset, Reduced } from '../../catalog/dataset.ts';
import type { Count } from '../counts.ts';
import { sumOfBoth } from '../statistics.ts';

/** The stored output of a day. */
export interface ProductivityRow extends Reduced {
  readonly filesCreated?: number | undefined;
  readonly filesEdited?: number | undefined;
  readonly byExtension?: readonly Count[] | undefined;
  readonly byLanguage?: readonly Count[] | undefined;
  readonly commits?: number | undefined;
  readonly pullRequests?: number | undefined;
  readonly pullRequestsMerged?: number | undefined;
  readonly linesAdded?: number | undefined;
  readonly linesRemoved?: number | undefined;
  /** Proposed by the agent, whether they were accepted or not. */
  readonly linesSuggested?: number | undefined;
  readonly suggestionsShown?: number | undefined;
  readonly suggestionsAccepted?: number | undefined;
}

export const productivityDataset: DayDataset<ProductivityRow> = {
  kind: 'days',
  name: 'productivity',
  idle: { filesCreated: 0, filesEdited: 0, commits: 0, pullRequests: 0 },
  total: ({ commits }) => commits,
  parts: {
    created: { fields: ['files_created'], members: ['filesCreated'] },
    edited: { fields: ['files_edited'], members: ['filesEdited'] },
    extensions: { fields: ['by_extension'], members: ['byExtension'], breaksDown: ['created', 'edited'] },
    languages: { fields: ['by_language'], members: ['byLanguage'], breaksDown: ['created', 'edited'] },
    commits: { fields: ['git_commits'], members: ['commits'] },
    pullRequests: { fields: ['git_prs_created'], members: ['pullRequests'] },
    pullRequestsMerged: { fields: [], members: ['pullRequestsMerged'] },
    linesAdded: { fields: [], members: ['linesAdded'] },
    linesRemoved: { fields: [], members: ['linesRemoved'] },
    linesSuggested: { fields: [], members: ['linesSuggested'] },
    suggestionsShown: { fields: [], members: ['suggestionsShown'] },
    suggestionsAccepted: { fields: [], members: ['suggestionsAccepted'] },
  },
};

/** What is made of each kind of output: of the number of files, commits and pull requests of a row. */
export function outputOf<Made>(make: (figureOf: (row: ProductivityRow) => number | undefined) => Made) {
  return {
    files: make(({ filesCreated, filesEdited }) => sumOfBoth(filesCreated, filesEdited)),
    commits: make(({ commits }) => commits),
    pull_requests: make(({ pullRequests }) => pullRequests),
  };
}
