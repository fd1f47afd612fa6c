import { expect, test } from 'vitest';
import { renderExample } from '../../scripts/docs/example-file.ts';
import { fileKeys, renderConfigurationDocs } from '../../scripts/docs/options.ts';
import { sandboxOptions } from '../../src/config/command-options.ts';
import { type OptionTable, optionsIn } from '../../src/config/option.ts';
import { createOptions } from '../../src/config/options.ts';
import { collectors, load } from '../config/loading.ts';

const text = renderConfigurationDocs(collectors);

test('every option is documented with its variable, file key and default', () => {
  const options: OptionTable = { ...createOptions(collectors), ...sandboxOptions };
  for (const { flag, env, description, key, standard } of optionsIn(options)) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`--${flag}\``)) ?? '';
    expect(row).toContain(`\`${env}\``);
    expect(row).toContain(description);
    if (key !== undefined) expect(row).toContain(`\`${key.join('.')}\``);
    if (standard !== undefined) expect(row).toContain(`| \`${standard}\` |`);
  }
});

test('every key that exists only in the file is documented', () => {
  const keys = fileKeys();
  expect(keys.map(({ path }) => path)).toEqual([
    ...[
      'name',
      'platform',
      'base_url',
      'app_url',
      'api_key_file',
      'api_key_env',
      'org_id',
      'account',
      'kind',
      'link_hosts',
      'seats',
      'budget',
      'prices',
      'billing',
      'calendar',
    ].map((key) => `orgs[].${key}`),
    ...['values_per_label', 'series'].map((key) => `limits.${key}`),
    ...['branches', 'clean_only', 'level_rule', 'criterion_counts'].map((key) => `readiness.${key}`),
  ]);
  for (const { description, standard, path } of keys) {
    expect(description, path).toMatch(/^\S.*[^.]$/);
    expect(standard, path).not.toBe('');
  }
});

test('the whole file is valid, and has the effective defaults', async () => {
  const yaml = renderExample(createOptions(collectors));
  const given = { args: ['--config.file=c.yml'], files: { 'c.yml': yaml, '/run/secrets/acme': 'k' } };
  const {
    orgs,
    limits,
    people,
    file: _file,
    restart: _restart,
    ...rest
  } = await load({ ...given, organizations: 'required' });
  const {
    limits: defaultLimits,
    people: defaultPeople,
    orgs: _,
    file: __,
    restart: ___,
    ...defaults
  } = await load({});
  expect(rest).toEqual(defaults);
  expect(people.identity).toBe(defaultPeople.identity);
  expect(limits.series).toBe(defaultLimits.series);
  for (const label of ['model', 'repo', 'user']) {
    expect(limits.valuesPerLabel(label)).toBe(defaultLimits.valuesPerLabel(label));
  }
  expect(orgs).toMatchObject([
    { name: 'acme', baseUrl: 'https://api.example.com', appUrl: 'https://app.example.com' },
  ]);
});
