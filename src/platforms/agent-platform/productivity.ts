import { namedCount, summedCounts } from '../../collectors/counts.ts';
import { productivityDataset } from '../../collectors/productivity/dataset.ts';
import { anyElementName, breakdownOf, element, requiredElementAmount } from '../fields.ts';
import { readerOf } from './analytics.ts';

// Files can have no extension and no known language: an empty name is valid.
const extensionElement = element({ extension: anyElementName, count: requiredElementAmount }).transform(
  ({ extension, count }) => namedCount(extension, count),
);

const languageElement = element({ language: anyElementName, count: requiredElementAmount }).transform(
  ({ language, count }) => namedCount(language, count),
);

export const reader = readerOf(productivityDataset, {
  byExtension: breakdownOf(extensionElement, summedCounts),
  byLanguage: breakdownOf(languageElement, summedCounts),
});
