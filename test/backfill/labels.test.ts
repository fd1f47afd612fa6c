import { expect, test } from 'vitest';
import { parseLabels } from '../../src/backfill/labels.ts';

const taken = new Set(['org', 'model']);

test('a label is a name and a value', () => {
  const texts = ['job=agent', 'instance=host:1', 'note=a=b', '_x9=1', 'valueOf=1'];
  expect(Object.entries(parseLabels(texts, taken))).toEqual([
    ['job', 'agent'],
    ['instance', 'host:1'],
    ['note', 'a=b'],
    ['_x9', '1'],
    ['valueOf', '1'],
  ]);
});

test.each([
  [['job'], '--label: "job" is not in the form name=value'],
  [['job='], '"job=" is not in the form name=value'],
  [['=a'], '"=a" does not start with a label name'],
  [['1job=a'], '"1job=a" does not start with a label name'],
  [['job-name=a'], '"job-name=a" does not start with a label name'],
  [['__name__=a'], '"__name__=a" is reserved by Prometheus'],
  [['model=a'], '"model=a" sets the label model, which the metrics already have'],
  [['job=a', 'job=b'], '"job=b" sets the label job twice'],
])('%j is refused', (texts, message) => {
  expect(() => parseLabels(texts, taken)).toThrow(message);
});
