import { below, drawn, type Random } from './random.ts';

type Json = unknown;

/** Replacements of a member: of another type, out of range, hostile, or huge. */
const STRANGE: readonly [() => Json, ...(() => Json)[]] = [
  () => null,
  () => -1,
  () => 0,
  () => 1e308,
  () => 2 ** 60,
  () => '7',
  () => '',
  () => true,
  () => [],
  () => ({}),
  () => 'x'.repeat(20_000),
  () => 'line\nbreak "quoted" \\ \u0000 \u202e \ud800',
  () => '2026-02-30',
  () => '2026-11-18',
  () => '9999-12-31',
  () => '2026-11-19T25:00:00Z',
  () => '2026-11-19T00:00:00+09:00',
  () => 'false',
  () => '__proto__',
  () => JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'),
  () => nested(500),
  () => Array.from({ length: 200 }, (_, index) => index),
  () => [null, [null, {}], 'x', 1],
];

/** The same JSON with up to `most` changes; the argument is not modified. */
export function mutated(value: Json, random: Random, most = 5): Json {
  let result = structuredClone(value);
  const changes = 1 + below(most, random);
  for (let change = 0; change < changes; change += 1) result = changed(result, random);
  return result;
}

/** The same text with bytes removed, duplicated, replaced or truncated. */
export function mutatedText(text: string, random: Random): string {
  let result = text;
  const changes = 1 + below(4, random);
  for (let change = 0; change < changes; change += 1) {
    const at = below(result.length + 1, random);
    const end = at + below(12, random);
    result = drawn<(before: string) => string>(
      [
        (before) => before.slice(0, at) + before.slice(end),
        (before) => before.slice(0, end) + before.slice(at),
        (before) => before.slice(0, at) + drawn(SPLINTERS, random) + before.slice(at),
        (before) => before.slice(0, at) + drawn(SPLINTERS, random) + before.slice(end),
        (before) => (random() < 0.2 ? before.slice(0, at) : before),
      ],
      random,
    )(result);
  }
  return result;
}

const SPLINTERS: readonly [string, ...string[]] = [
  '{',
  ...[
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    "'",
    '\n',
    '\n  ',
    '- ',
    '\t',
    '#',
    '&a ',
    '*a',
    '!!js/function ',
    '|',
    '>',
  ],
  ...[
    '0',
    '-1',
    '1e999',
    '0x10',
    'null',
    'true',
    '~',
    '__proto__: 1\n',
    '\u0000',
    '\ufeff',
    '\ud800',
    '<<: *a\n',
    '---\n',
  ],
  'x'.repeat(3000),
];

function changed(value: Json, random: Random): Json {
  if (Array.isArray(value) && value.length > 0 && random() < 0.9) return changedArray(value, random);
  if (isRecord(value) && random() < 0.95) {
    const keys = Object.keys(value);
    const key = keys[below(keys.length, random)];
    if (key !== undefined) return changedRecord(value, key, random);
  }
  return drawn(STRANGE, random)();
}

function changedArray(list: readonly Json[], random: Random): Json {
  const at = below(list.length, random);
  const chance = random();
  if (chance < 0.08) return [...list, ...list];
  if (chance < 0.16) return list.toSpliced(at, 1);
  if (chance < 0.2) return list.toReversed();
  return list.with(at, changed(list[at], random));
}

function changedRecord(record: Readonly<Record<string, Json>>, key: string, random: Random): Json {
  const { [key]: member, ...others } = record;
  const chance = random();
  if (chance < 0.08) return others;
  if (chance < 0.12) return { ...others, [`${key} `]: member };
  if (chance < 0.16) return JSON.parse(`{"__proto__": ${JSON.stringify(member)}}`);
  return { ...record, [key]: changed(member, random) };
}

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function isRecord(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
