import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configErrorOf, load } from './loading.ts';

const directory = new URL('cases/', import.meta.url);
const names = readdirSync(directory);

function caseNamed(name: string): {
  text: string;
  given: Parameters<typeof load>[0];
  said: (word: string) => string | undefined;
} {
  const text = readFileSync(new URL(name, directory), 'utf8');
  return {
    text,
    given: { args: ['--config.file=case.yml'], environment: { KEY: 'k' }, files: { 'case.yml': text } },
    said: (word) => new RegExp(`^# ${word}: (.*)$`, 'm').exec(text)?.[1],
  };
}

describe('a valid file', () => {
  test.each(names.filter((name) => name.endsWith('.ok.yml')))('%s', async (name) => {
    const { given, said } = caseNamed(name);
    expect(await load(given)).toMatchObject(JSON.parse(said('means') ?? 'null'));
  });
});

describe('an invalid file is rejected in one line with the location', () => {
  test.each(names.filter((name) => name.endsWith('.bad.yml')))('%s', async (name) => {
    const { given, said } = caseNamed(name);
    const organizations = name.startsWith('org-') ? 'required' : 'ignored';
    const failure = await configErrorOf(() => load({ ...given, organizations }));
    // The list of all top-level keys would make the cases depend on each other.
    const message = failure.message.replace(/(with orgs), .*/, '$1, …');
    expect(message).toBe(said('message'));
    expect(failure.hint).toBe(said('hint'));
    expect(message).not.toContain('planted-secret');
    expect(message).not.toContain('\n');
  });
});

// Not among the cases, because tools that parse every YAML file of a repository would fail on it.
test('a text that is not YAML is rejected with its line', async () => {
  const failure = await configErrorOf(() =>
    load({ args: ['--config.file=case.yml'], files: { 'case.yml': 'log:\n  level: [debug,\n' } }),
  );
  expect(failure.message).toBe(
    'case.yml:3: is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  );
});

test('every case is one or the other', () => {
  expect(names.filter((name) => !/\.(ok|bad)\.yml$/.test(name))).toEqual([]);
});
