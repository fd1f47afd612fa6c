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
  /** Lines that the agent proposed, accepted or not. */
  readonly linesSuggested?: number | undefined;
  readonly suggestionsShown?: number | undefined;
  readonly suggestionsAccepted?: number | undefined;
}

export const productivityDataset: DayDataset<ProductivityRow> = {
  kind: 'days',
  name: 'productivity',
  idle: { filesCreated: 0, filesEdited: 0, commits: 0, pullRequests: 0 },
  zeros: [
    'pullRequestsMerged',
    'linesAdded',
    'linesRemoved',
    'linesSuggested',
    'suggestionsShown',
    'suggestionsAccepted',
  ],
  total: ({ commits }) => commits,
  parts: {
    created: { members: ['filesCreated'] },
    edited: { members: ['filesEdited'] },
    extensions: { members: ['byExtension'], breaksDown: ['created', 'edited'] },
    languages: { members: ['byLanguage'], breaksDown: ['created', 'edited'] },
    commits: { members: ['commits'] },
    pullRequests: { members: ['pullRequests'] },
    pullRequestsMerged: { members: ['pullRequestsMerged'] },
    linesAdded: { members: ['linesAdded'] },
    linesRemoved: { members: ['linesRemoved'] },
    linesSuggested: { members: ['linesSuggested'] },
    suggestionsShown: { members: ['suggestionsShown'] },
    suggestionsAccepted: { members: ['suggestionsAccepted'] },
  },
};

/** Applies a function to each kind of output: the files, commits and pull requests of a row. */
export function outputOf<Made>(make: (figureOf: (row: ProductivityRow) => number | undefined) => Made) {
  return {
    files: make(({ filesCreated, filesEdited }) => sumOfBoth(filesCreated, filesEdited)),
    commits: make(({ commits }) => commits),
    pull_requests: make(({ pullRequests }) => pullRequests),
  };
}
