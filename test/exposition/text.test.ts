import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelValue, MAX_LABEL_CHARACTERS } from '../../src/catalog/label.ts';
import {
  createSampleWriter,
  escapeLabelValue,
  formatValue,
  renderFamilyHeader,
} from '../../src/exposition/text.ts';
import { parsePage } from './parse.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\\', '"', '\n', '\r', 'n', '\u0000', 'é', '😀', ',', '}') }),
);

describe('label values', () => {
  test('come back as label values through an independent parser', () => {
    const write = createSampleWriter({ name: 'm', labels: ['a', 'b'] }, { org: 'acme' });
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const page = parsePage(write({ labels: { a, b }, value: 1 }));
        expect(page.samples).toEqual([
          {
            name: 'm',
            labels: new Map([
              ['org', 'acme'],
              ['a', labelValue(a)],
              ['b', labelValue(b)],
            ]),
            value: '1',
          },
        ]);
      }),
    );
  });
});

describe('values', () => {
  test('are read back as the same number', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const written = formatValue(value);
        const read = Number(written.replace('Inf', 'Infinity'));
        expect(read === value || (Number.isNaN(read) && Number.isNaN(value))).toBe(true);
        expect(() => parsePage(`m ${written}\n`)).not.toThrow();
      }),
    );
  });

  test.each([
    [0, '0'],
    [-0, '0'],
    [500_000_000, '500000000'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ])('%d is written %s', (value, written) => {
    expect(formatValue(value)).toBe(written);
  });
});

describe('lines', () => {
  test('have org first and then the labels as declared', () => {
    const write = createSampleWriter({ name: 'm', labels: ['model', 'tier'] }, { org: 'ac"me' });
    expect(write({ labels: { tier: 't', model: 'x' }, value: 2 })).toBe(
      'm{org="ac\\"me",model="x",tier="t"} 2\n',
    );
  });

  test('of a family without labels have the common ones alone', () => {
    expect(createSampleWriter({ name: 'm', labels: [] }, { org: 'a' })({ labels: {}, value: 2 })).toBe(
      'm{org="a"} 2\n',
    );
    expect(createSampleWriter({ name: 'm', labels: [] }, {})({ labels: {}, value: 2 })).toBe('m 2\n');
    expect(createSampleWriter({ name: 'm', labels: ['a'] }, {})({ labels: { a: '' }, value: 2 })).toBe(
      'm{a=""} 2\n',
    );
  });
});

describe('family headers', () => {
  const family = { name: 'm', help: 'a\\b\nc', type: 'gauge' as const };

  test('are the same in both formats where the help has no quote', () => {
    expect(renderFamilyHeader(family)).toBe('# HELP m a\\\\b\\nc\n# TYPE m gauge\n');
    expect(renderFamilyHeader(family, 'openmetrics')).toBe(renderFamilyHeader(family, 'text'));
  });

  test('escape a quote in OpenMetrics only', () => {
    expect(renderFamilyHeader({ ...family, help: '"' }, 'text')).toContain('# HELP m "\n');
    expect(renderFamilyHeader({ ...family, help: '"' }, 'openmetrics')).toContain('# HELP m \\"\n');
  });
});

test.each(['x', 'ü'])('a label value of up to the limit is kept, a longer one is cut: %s', (character) => {
  const fits = character.repeat(MAX_LABEL_CHARACTERS);
  expect(escapeLabelValue(fits)).toBe(fits);
  expect(escapeLabelValue(`${fits}${character}`).length).toBeLessThanOrEqual(MAX_LABEL_CHARACTERS);
});

test('OpenMetrics names the family of a counter without its suffix, and no other one', () => {
  const header = (name: string, type: 'counter' | 'gauge') =>
    renderFamilyHeader({ name, help: 'h', type }, 'openmetrics').split(' ')[2];
  expect([header('a_total', 'counter'), header('a_total', 'gauge'), header('a_total_b', 'counter')]).toEqual([
    ...['a', 'a_total', 'a_total_b'],
  ]);
});
