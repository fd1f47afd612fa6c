import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadWebSettings, type WebSettings } from '../../src/web-config/load.ts';
import { configErrorOf } from '../config/loading.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { caseFiles, withFiles } from './folder.ts';

const directory = new URL('cases/', import.meta.url);
const names = readdirSync(directory);
const beside = caseFiles();

function caseNamed(name: string) {
  const text = readFileSync(new URL(name, directory), 'utf8');
  const files = new Map(Object.entries(beside).map(([file, content]) => [`/etc/exporter/${file}`, content]));
  files.set('/etc/exporter/case.yml', withFiles(text, beside));
  return {
    load: () => loadWebSettings('/etc/exporter/case.yml', createFakeFiles(files)),
    said: (word: string) => new RegExp(`^# ${word}: (.*)$`, 'm').exec(text)?.[1],
  };
}

/** The settings in the format of the cases. */
function plain({ tls, headers, users, rateLimit, warnings }: WebSettings): object {
  return {
    headers: Object.fromEntries(headers),
    users: [...users.keys()],
    warnings,
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(tls === undefined ? {} : { tls }),
  };
}

describe('a valid file', () => {
  test.each(names.filter((name) => name.endsWith('.ok.yml')))('%s', async (name) => {
    const { load, said } = caseNamed(name);
    const means: Record<string, unknown> = JSON.parse(said('means') ?? 'null');
    const settings = plain(await load());
    expect(settings).toMatchObject(means);
    // Settings that a case does not mention are absent.
    for (const key of ['tls', 'rateLimit']) expect(key in settings).toBe(key in means);
    if (!('warnings' in means)) expect(settings).toMatchObject({ warnings: [] });
  });
});

describe('an invalid file is rejected in one line with the location', () => {
  test.each(names.filter((name) => name.endsWith('.bad.yml')))('%s', async (name) => {
    const { load, said } = caseNamed(name);
    const failure = await configErrorOf(load);
    expect(failure.message).toBe(said('message'));
    expect(failure.hint).toBe(said('hint'));
    expect(JSON.stringify(failure)).not.toMatch(/planted-?secret|\$2[aby]\$|BEGIN/);
    expect(failure.message).not.toContain('\n');
  });
});

test('a missing file is rejected with the name of its flag', async () => {
  const load = () => loadWebSettings('/etc/exporter/web.yml', createFakeFiles(new Map()));
  expect((await configErrorOf(load)).message).toBe('--web.config.file: /etc/exporter/web.yml does not exist');
});

test('every case is one or the other', () => {
  expect(names.filter((name) => !/\.(ok|bad)\.yml$/.test(name))).toEqual([]);
});
