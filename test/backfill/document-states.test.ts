import { expect, test } from 'vitest';
import { createDocumentStates } from '../../src/backfill/document-states.ts';
import { dayNamed } from '../support/day.ts';
import { daily, documents, orgWith } from './days.ts';

const first = dayNamed('2026-03-10');

test('the state of documents changes with each one that comes into being', () => {
  const reported = [
    { at: 200, repo: 'b' },
    { at: 100, repo: 'a' },
    { at: 200, repo: 'c' },
  ];
  const stateOf = createDocumentStates(orgWith(first, [], reported).history);
  expect([99, 100, 199, 200, 300].map((at) => stateOf(documents, at))).toEqual([0, 1, 1, 3, 3]);
});

test('the state decides nothing about days, or where a document does not tell when it came into being', () => {
  const { history } = orgWith(first, [], [{ at: 100, repo: 'a' }]);
  const { existsFrom: _, ...dataset } = documents.dataset;
  expect(createDocumentStates(history)(daily, 200)).toBeUndefined();
  expect(createDocumentStates(history)({ ...documents, dataset }, 200)).toBeUndefined();
});
