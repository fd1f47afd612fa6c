import { expect, test } from 'vitest';
import { addsUpOver } from '../../src/catalog/family.ts';
import { productivityFamilies as output } from '../../src/collectors/productivity/collector.ts';

test.each([
  [output.dailyFiles, 'action', true],
  [output.dailyLines, 'action', false],
  [output.dailyLines, 'org', true],
  [output.dailySuggestions, 'outcome', false],
  [output.dailySuggestions, 'org', true],
])('a family adds up over its labels unless it keeps them apart, %#', (family, label, isSummed) => {
  expect(addsUpOver(family, label)).toBe(isSummed);
});
